// SPDX-License-Identifier: Apache-2.0
// A recursive descent over the text, evaluating as it goes.
#include "conformance/suite/formula.h"
#include <algorithm>
#include <cctype>

namespace tilenest::conformance {

namespace {

using Number = std::optional<std::int64_t>;

class FormulaReader {
public:
  FormulaReader(std::string_view text, std::int64_t index, std::span<const std::int64_t> at) : text_(text), index_(index), at_(at) {}

  Number whole() {
    const Number value = comparison();
    if (!value) return value;
    return peek() == '\0' ? value : refuse("has `" + std::string(text_.substr(next_)) + "` behind its end");
  }
  std::string error;

private:
  Number refuse(std::string why) {
    if (error.empty()) error = std::move(why);
    return std::nullopt;
  }
  char peek() {
    while (next_ < text_.size() && text_[next_] == ' ') ++next_;
    return next_ < text_.size() ? text_[next_] : '\0';
  }
  bool take(std::string_view word) {
    peek();
    if (!text_.substr(next_).starts_with(word)) return false;
    next_ += word.size();
    return true;
  }

  Number comparison() {
    Number left = sum();
    for (;;) {
      if (!left) return left;
      // Longer spellings first.
      const char *spellings[] = {"==", "!=", "<=", ">=", "<", ">"};
      const auto found = std::find_if(std::begin(spellings), std::end(spellings), [&](const char *s) { return take(s); });
      if (found == std::end(spellings)) return left;
      const Number right = sum();
      if (!right) return right;
      const std::int64_t a = *left, b = *right;
      const bool results[] = {a == b, a != b, a <= b, a >= b, a < b, a > b};
      left = results[found - std::begin(spellings)];
    }
  }

  Number sum() {
    Number left = product();
    while (left) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const Number right = product();
      if (!right) return right;
      std::int64_t out;
      if (plus ? __builtin_add_overflow(*left, *right, &out) : __builtin_sub_overflow(*left, *right, &out)) return refuse("has a value beyond 64 bits");
      left = out;
    }
    return left;
  }

  Number product() {
    Number left = factor();
    while (left) {
      const char op = peek();
      if (op != '*' && op != '/' && op != '%') break;
      ++next_;
      const Number right = factor();
      if (!right) return right;
      std::int64_t out = 0;
      if (op == '*') {
        if (__builtin_mul_overflow(*left, *right, &out)) return refuse("has a value beyond 64 bits");
      } else {
        if (*right == 0) return refuse("divides by zero");
        if (*right == -1 && *left == INT64_MIN) return refuse("has a value beyond 64 bits");
        const std::int64_t rest = *left % *right;
        const bool below = rest != 0 && (rest < 0) != (*right < 0); // of the truncated quotient
        out = op == '/' ? *left / *right - below : rest + (below ? *right : 0);
      }
      left = out;
    }
    return left;
  }

  Number factor() {
    if (take("-")) {
      const Number value = factor();
      if (!value) return value;
      return *value == INT64_MIN ? refuse("has a value beyond 64 bits") : Number(-*value);
    }
    if (take("(")) {
      const Number value = comparison();
      if (value && !take(")")) return refuse("lacks a `)`");
      return value;
    }
    const char c = peek();
    if (std::isdigit(static_cast<unsigned char>(c))) return literal();
    if (std::isalpha(static_cast<unsigned char>(c))) return named();
    return refuse(c == '\0' ? "ends too early" : "has `" + std::string(1, c) + "` where a number or name is expected");
  }

  Number literal() {
    std::int64_t value = 0;
    for (; next_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[next_])); ++next_)
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) || __builtin_add_overflow(value, std::int64_t{text_[next_] - '0'}, &value))
        return refuse("has a value beyond 64 bits");
    return value;
  }

  Number named() {
    const std::size_t begin = next_;
    while (next_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[next_]))) ++next_;
    const std::string name(text_.substr(begin, next_ - begin));
    if (name == "i") return index_;
    if (name.size() == 2 && name[0] == 'i' && std::isdigit(static_cast<unsigned char>(name[1]))) {
      const auto axis = static_cast<std::size_t>(name[1] - '0');
      return axis < at_.size() ? Number(at_[axis]) : refuse("names `" + name + "`, and there are " + std::to_string(at_.size()) + " axes");
    }
    const std::size_t arity = name == "min" || name == "max" ? 2 : name == "ite" ? 3 : 0;
    if (arity == 0) return refuse("names `" + name + "`, which is nothing");
    std::int64_t x[3] = {};
    for (std::size_t k = 0; k < arity; ++k) {
      if (!take(k == 0 ? "(" : ",")) return refuse("lacks operands of `" + name + "`");
      const Number value = comparison();
      if (!value) return value;
      x[k] = *value;
    }
    if (!take(")")) return refuse("lacks a `)`");
    return name == "min" ? std::min(x[0], x[1]) : name == "max" ? std::max(x[0], x[1]) : x[0] != 0 ? x[1] : x[2];
  }

  std::string_view text_;
  std::size_t next_ = 0;
  std::int64_t index_;
  std::span<const std::int64_t> at_;
};

} // namespace

std::optional<std::int64_t> evaluate_formula(std::string_view formula, std::int64_t index, std::span<const std::int64_t> at, std::string &error) {
  FormulaReader reader(formula, index, at);
  const Number value = reader.whole();
  error = reader.error;
  return value;
}

} // namespace tilenest::conformance
