// SPDX-License-Identifier: Apache-2.0
// Parsing, running and comparing for the tests of the examples.
#include "tests/examples/example.h"
#include "semantics/text/parser.h"
#include <cstring>
#include <fstream>
#include <sstream>

namespace tilenest::examples {

namespace {

std::string listing(const Diagnostics &diagnostics) {
  std::string out;
  for (const Diagnostic &d : diagnostics) out += std::string(d.info().code) + " " + d.message() + "\n";
  return out;
}

// A linear congruential generator (Knuth's MMIX): the same numbers everywhere.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) { next(); }
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

private:
  std::uint64_t state_;
};

std::size_t bytes(const HostBuffer &b) { return static_cast<std::size_t>(*b.held) * byte_size(b.elem); }

} // namespace

std::size_t elements(const std::vector<std::int64_t> &shape) {
  std::size_t n = 1;
  for (std::int64_t e : shape) n *= static_cast<std::size_t>(e);
  return n;
}

Array<float> uniform(std::vector<std::int64_t> shape, std::uint64_t seed) {
  Array<float> a = filled(std::move(shape), 0.0f);
  Random random(seed);
  for (float &x : a.values) x = static_cast<float>(static_cast<std::int32_t>(random.next())) * 0x1p-31f;
  return a;
}

template <class T> Array<T> whole(std::vector<std::int64_t> shape, std::uint64_t seed, int range) {
  Array<T> a = filled(std::move(shape), T(0));
  Random random(seed);
  for (T &x : a.values) x = static_cast<T>(static_cast<int>(random.next() % (2u * static_cast<unsigned>(range) + 1)) - range);
  return a;
}
template Array<float> whole(std::vector<std::int64_t>, std::uint64_t, int);
template Array<std::int8_t> whole(std::vector<std::int64_t>, std::uint64_t, int);
template Array<std::uint8_t> whole(std::vector<std::int64_t>, std::uint64_t, int);
template Array<std::int32_t> whole(std::vector<std::int64_t>, std::uint64_t, int);
template Array<std::int64_t> whole(std::vector<std::int64_t>, std::uint64_t, int);

Example::Example(const std::string &name, const std::string &notes) {
  const std::string path = std::string(TILENEST_SOURCE_DIR) + "/examples/" + name + ".tile";
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  std::ostringstream text;
  text << in.rdbuf();
  const ParsedFile parsed = parse_text(path, text.str());
  REQUIRE(listing(parsed.diagnostics) == "");
  REQUIRE(parsed.kernels.size() == 1);
  CHECK(parsed.kernels[0].name == name);
  const auto executable = Executable::make(parsed.kernels[0]);
  if (!executable) FAIL(listing(executable.errors()));
  CHECK(listing(executable->notes()) == notes);
  executable_ = *executable;
}

void Example::run_buffers(std::vector<HostBuffer> arrays) {
  std::vector<std::vector<char>> before, first;
  auto save = [&](std::vector<std::vector<char>> &to) {
    for (const HostBuffer &a : arrays) {
      const char *data = static_cast<const char *>(a.buffer.data);
      to.emplace_back(data, data + bytes(a));
    }
  };
  save(before);
  for (const bool with_checks : {true, false})
    for (const std::size_t threads : {1, 2, 4}) {
      INFO((with_checks ? "checked, " : "unchecked, ") << threads << " threads");
      for (std::size_t i = 0; i < arrays.size(); ++i)
        if (!before[i].empty()) std::memcpy(arrays[i].buffer.data, before[i].data(), before[i].size());
      RunOptions options;
      options.checked = with_checks;
      options.threads = threads;
      const RunResult result = executable_->run(arrays, options, extents_);
      CHECK(listing(result.diagnostics) == "");
      for (std::uint64_t missing : result.undefined_elements) CHECK(missing == 0);
      if (first.empty()) save(first);
      for (std::size_t i = 0; i < arrays.size(); ++i)
        CHECK((first[i].empty() || std::memcmp(arrays[i].buffer.data, first[i].data(), first[i].size()) == 0));
    }
}

void Comparison::element(std::size_t at, double found, double expected, double bound) {
  ++count_;
  const bool fine = std::isnan(expected)   ? std::isnan(found)
                    : std::isinf(expected) ? found == expected
                                           : std::fabs(found - expected) <= bound; // false for NaN
  if (fine || !fault_.empty()) return;
  std::ostringstream text;
  text.precision(17);
  text << "element " << at << " is " << found << ", not " << expected << " +- " << bound;
  fault_ = text.str();
}

} // namespace tilenest::examples
