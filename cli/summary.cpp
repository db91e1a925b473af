// SPDX-License-Identifier: Apache-2.0
// Statistics of outputs and their two forms.
#include "cli/summary.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

// Whether a is less than b; neither is NaN.
bool less(ScalarType type, std::uint64_t a, std::uint64_t b) {
  if (is_float(type)) return value_as_f64(type, a) < value_as_f64(type, b);
  if (is_signed(type)) return value_as_i64(type, a) < value_as_i64(type, b);
  return a < b;
}

bool all_zero(const std::byte *at, std::size_t n) {
  return n == 0 || (at[0] == std::byte{0} && std::memcmp(at, at + 1, n - 1) == 0);
}

struct Sum { // Neumaier's
  double total = 0, lost = 0;
  void add(double x) {
    const double t = total + x;
    lost += std::fabs(total) >= std::fabs(x) ? (total - t) + x : (x - t) + total;
    total = t;
  }
  double value() const { return std::isfinite(total) ? total + lost : total; }
};

std::string shape_text(const std::vector<std::int64_t> &shape) {
  std::string out = "[";
  for (std::int64_t n : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(n);
  return out + "]";
}

std::string element_text(ScalarType type, const std::optional<std::uint64_t> &bits) {
  return bits ? scalar_text(type, *bits) : "-";
}

std::string mean_text(const std::optional<double> &mean) {
  if (!mean) return "-";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", *mean);
  return buffer;
}

Json number(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

} // namespace

std::string index_text(const std::vector<std::int64_t> &shape, std::int64_t i) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; i /= shape[d]) at[d] = i % shape[d];
  std::string out;
  for (const std::int64_t c : at) out += (out.empty() ? "" : ", ") + std::to_string(c);
  return "[" + out + "]";
}

Json element_json(ScalarType type, std::optional<std::uint64_t> bits) {
  if (!bits) return nullptr;
  if (type == ScalarType::boolean) return *bits != 0;
  if (is_float(type)) return number(value_as_f64(type, *bits));
  if (is_signed(type)) return value_as_i64(type, *bits);
  return *bits;
}

Summary summarise(std::string name, const Array &array, std::uint64_t unwritten, const TouchedElements &touched) {
  Summary s{std::move(name), array.type, array.shape, array.count(), 0, unwritten, {}, {}, {}};
  const std::size_t width = byte_size(array.type);
  Sum sum;
  const auto take = [&](std::uint64_t bits) {
    const double value = value_as_f64(array.type, bits);
    if (std::isnan(value)) {
      ++s.nan_count;
      return;
    }
    sum.add(value);
    if (!s.min || less(array.type, bits, *s.min)) s.min = bits;
    if (!s.max || less(array.type, *s.max, bits)) s.max = bits;
  };
  // Further zeros after one add nothing.
  const auto row = [&](const std::byte *at, std::int64_t n, std::int64_t stride) {
    const std::int64_t block = stride == static_cast<std::int64_t>(width) ? static_cast<std::int64_t>(4096 / width) : n;
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t end = std::min(n, i + block);
      if (block < n && all_zero(at + i * stride, static_cast<std::size_t>((end - i) * stride))) {
        take(0);
        i = end;
      }
      for (; i < end; ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, at + i * stride, width);
        take(bits);
      }
    }
  };
  const auto packed_row = [&](const std::byte *at, std::int64_t n, std::int64_t) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::uint64_t bits = std::to_integer<std::uint64_t>(at[i / 2]) >> (i % 2 * 4) & 15;
      if (is_signed(array.type) && bits > 7) bits |= 0xf0;
      take(bits);
    }
  };
  if (is_packed(array.type)) {
    for_each_row(array, packed_row);
  } else if (touched) {
    std::int64_t done = 0;
    for (const auto &[first, last] : *touched) {
      if (first > done) take(0);
      row(array.data + first * static_cast<std::int64_t>(width), last - first, static_cast<std::int64_t>(width));
      done = last;
    }
    if (done < s.count) take(0);
  } else {
    for_each_row(array, row);
  }
  const std::int64_t numbers = s.count - static_cast<std::int64_t>(s.nan_count);
  if (numbers > 0) s.mean = sum.value() / static_cast<double>(numbers);
  return s;
}

std::string text_of(const std::vector<Summary> &summaries) {
  std::vector<std::vector<std::string>> rows;
  for (const Summary &s : summaries)
    rows.push_back({s.name + ":", std::string(to_string(s.type)) + " " + shape_text(s.shape),
                    "min " + element_text(s.type, s.min), "max " + element_text(s.type, s.max),
                    "mean " + mean_text(s.mean), "NaN " + std::to_string(s.nan_count),
                    s.unwritten ? "never written " + std::to_string(s.unwritten) + " (counted as zero)" : ""});
  std::vector<std::size_t> widths;
  for (const auto &row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string out;
  for (const auto &row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + (i == 0 ? 1 : 2), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

Json json_of(const Summary &s) {
  Json out;
  out["name"] = s.name;
  out["type"] = std::string(to_string(s.type));
  out["shape"] = s.shape;
  out["min"] = element_json(s.type, s.min);
  out["max"] = element_json(s.type, s.max);
  out["mean"] = s.mean ? number(*s.mean) : Json(nullptr);
  out["nan_count"] = s.nan_count;
  out["never_written"] = s.unwritten;
  return out;
}

} // namespace tilenest::cli
