// SPDX-License-Identifier: Apache-2.0
// What the arguments of a kernel hold: small whole numbers, exact in every element type.
#include "conformance/corpus/corpus.h"
#include <cstring>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace tilenest::conformance {

namespace {

std::vector<std::int64_t> numbers(const std::string &how, std::istringstream &words, std::int64_t count) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  if (how == "ones") {
    for (std::size_t at = 0; words >> at;) out.at(at) = 1;
    return out;
  }
  std::iota(out.begin(), out.end(), 0);
  if (how == "iota") return out;
  std::int64_t n = 0;
  words >> n;
  if (how == "modulo") {
    for (auto &x : out) x %= n;
    return out;
  }
  if (how != "permutation" && how != "repeated") throw std::runtime_error("no such filling: " + how);
  std::int64_t step = n / 2 + 1; // x -> step * x + 1 modulo n
  while (std::gcd(step, n) != 1) ++step;
  for (std::int64_t i = 0; i < n; ++i) out.at(static_cast<std::size_t>(i)) = (step * i + 1) % n;
  if (how == "repeated") out.at(static_cast<std::size_t>(n - 1)) = out.at(0);
  return out;
}

} // namespace

std::vector<std::uint8_t> initial_bytes(const LabelledKernel &kernel, const Object &argument, std::int64_t elements) {
  std::vector<std::int64_t> values;
  std::istringstream lines(kernel.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("//! fill " + argument.name + " ", 0) != 0) continue;
    std::istringstream words(line.substr(9));
    std::string name, how;
    words >> name >> how;
    values = numbers(how, words, elements);
  }
  if (values.empty())
    for (std::int64_t i = 0; i < elements; ++i) values.push_back(i % 7 + 1);
  const std::size_t bits = static_cast<std::size_t>(bit_width(argument.elem));
  std::vector<std::uint8_t> out((values.size() * bits + 7) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto f = static_cast<float>(values[i]);
    const auto d = static_cast<double>(values[i]);
    if (argument.elem == ScalarType::f32) std::memcpy(&out[i * 4], &f, 4);
    else if (argument.elem == ScalarType::f64) std::memcpy(&out[i * 8], &d, 8);
    else if (is_float(argument.elem)) throw std::runtime_error("no filling for this type");
    else if (bits == 4) out[i / 2] = static_cast<std::uint8_t>(out[i / 2] | (values[i] & 15) << (i % 2 * 4));
    else std::memcpy(&out[i * bits / 8], &values[i], bits / 8);
  }
  return out;
}

} // namespace tilenest::conformance
