// SPDX-License-Identifier: Apache-2.0
// Smaller and smaller texts that still show the same.
#include "conformance/fuzz/reduce_case.h"
#include "conformance/suite/launch.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

namespace tilenest::conformance {

namespace {

using Lines = std::vector<std::string>;

// A statement or the end of a block each: what stands in brackets goes on in the same line.
Lines lines_of(const std::string &text) {
  Lines out;
  std::istringstream in(text);
  int depth = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (depth > 0 && first != std::string::npos) out.back() += (out.back().ends_with("(") ? "" : " ") + line.substr(first);
    else out.push_back(line);
    for (const char ch : line) depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
  }
  return out;
}

std::string text_of(const Lines &lines) {
  std::string out;
  for (const std::string &line : lines) out += line + "\n";
  return out;
}

std::string bare(const std::string &line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}
bool closes(const std::string &line) { return bare(line).starts_with("}"); }
bool opens(const std::string &line) { return !line.empty() && line.back() == '{'; }

// The line that ends the block whose header is line `i`, after all its arms; `i` where it is no header.
std::size_t end_of_block(const Lines &lines, std::size_t i) {
  int depth = 0;
  for (std::size_t k = i; k < lines.size(); ++k) {
    depth -= closes(lines[k]) && k > i;
    depth += opens(lines[k]);
    if (depth <= 0) return k;
  }
  return i;
}

class Reducer {
public:
  Reducer(Case c, const std::function<bool(const Case &)> &fails, int tries) : best_(std::move(c)), fails_(fails), tries_(tries) {}

  Case run() {
    for (bool smaller = true; smaller && tries_ > 0;) {
      smaller = chunks();
      smaller |= blocks();
      smaller |= definitions();
      smaller |= arguments();
      smaller |= numbers();
    }
    return best_;
  }

private:
  bool accept(Case candidate) {
    if (tries_-- <= 0 || !fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }
  bool accept(const Lines &lines) {
    Case c = best_;
    c.program = text_of(lines);
    return accept(std::move(c));
  }

  // Runs of whole statements, the longest first.
  bool chunks() {
    bool smaller = false;
    for (std::size_t size = std::max<std::size_t>(lines_of(best_.program).size() / 2, 1); size > 0; size /= 2)
      for (std::size_t i = 1; i + 1 < lines_of(best_.program).size();) {
        Lines lines = lines_of(best_.program);
        std::size_t end = i;
        while (end < lines.size() && !closes(lines[end]) && end - i < size) end = end_of_block(lines, end) + 1;
        if (end > i && end < lines.size()) {
          lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i), lines.begin() + static_cast<std::ptrdiff_t>(end));
          if (accept(lines)) {
            smaller = true;
            continue;
          }
        }
        ++i;
      }
    return smaller;
  }

  // What a block holds, without its header.
  bool blocks() {
    bool smaller = false;
    for (std::size_t i = 1; i + 1 < lines_of(best_.program).size(); ++i) {
      Lines lines = lines_of(best_.program);
      const std::size_t end = end_of_block(lines, i);
      if (end == i || end >= lines.size()) continue;
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(end));
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
      smaller |= accept(lines);
    }
    return smaller;
  }

  // A definition's name stands for an earlier one's, or for a number.
  bool definitions() {
    bool smaller = false;
    for (std::size_t i = lines_of(best_.program).size(); i-- > 1;) {
      const Lines lines = lines_of(best_.program);
      const std::string name = i < lines.size() ? defined(lines[i]) : "";
      if (name.empty()) continue;
      std::vector<std::string> others = {"1", "0"};
      for (std::size_t k = i; k-- > 1 && others.size() < 10;)
        if (const std::string other = defined(lines[k]); !other.empty() && other != name) others.push_back(other);
      for (const std::string &other : others) {
        Lines fewer = lines;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::size_t k = i; k < fewer.size(); ++k) fewer[k] = renamed(fewer[k], name, other);
        if (!accept(fewer)) continue;
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  static bool in_name(char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' || ch == '%' || ch == '.'; }
  // "x" of `x = ...`, or "".
  static std::string defined(const std::string &line) {
    const std::string text = bare(line);
    const std::size_t end = text.find(" = ");
    if (end == std::string::npos || opens(line) || !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), in_name)) return "";
    return text.substr(0, end);
  }
  static std::string renamed(const std::string &line, const std::string &from, const std::string &to) {
    std::string out;
    for (std::size_t i = 0; i < line.size();) {
      if (!in_name(line[i])) {
        out += line[i++];
        continue;
      }
      std::size_t end = i;
      while (end < line.size() && in_name(line[end])) ++end;
      const std::string word = line.substr(i, end - i);
      out += word == from ? to : word;
      i = end;
    }
    return out;
  }

  // Arguments that nothing names any more.
  bool arguments() {
    const Lines lines = lines_of(best_.program);
    const std::size_t from = lines[0].find('('), to = lines[0].rfind(") {");
    if (from == std::string::npos || to == std::string::npos) return false;
    Lines list; // split at the commas outside brackets
    std::string word;
    int depth = 0;
    for (std::size_t i = from + 1; i < to; ++i) {
      const char ch = lines[0][i];
      depth += (ch == '[') - (ch == ']');
      if (ch == ',' && depth == 0) list.push_back(std::exchange(word, ""));
      else word += ch;
    }
    list.push_back(word);
    bool smaller = false;
    for (std::size_t i = 0; i < list.size() && list.size() > 1;) {
      Lines fewer = list;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      std::string signature;
      for (const std::string &a : fewer) signature += (signature.empty() ? "" : ", ") + bare(a);
      Case c = best_;
      Lines changed = lines;
      changed[0] = lines[0].substr(0, from + 1) + signature + lines[0].substr(to);
      c.program = text_of(changed);
      c.inputs.erase(bare(list[i]).substr(0, bare(list[i]).find(':')));
      if (accept(std::move(c))) list = std::move(fewer), smaller = true;
      else ++i;
    }
    return smaller;
  }

  // Inputs that are 0, and whole ones that are 1.
  bool numbers() {
    bool smaller = false;
    for (const auto &[name, input] : std::map(best_.inputs)) {
      const auto &bits = input.elements.bits;
      if (std::all_of(bits.begin(), bits.end(), [](std::uint64_t b) { return b == 0; })) continue;
      Case c = best_;
      std::fill(c.inputs[name].elements.bits.begin(), c.inputs[name].elements.bits.end(), 0);
      if (accept(std::move(c))) {
        smaller = true;
        continue;
      }
    }
    return smaller;
  }

  Case best_;
  const std::function<bool(const Case &)> &fails_;
  int tries_;
};

} // namespace

Case reduced_case(Case c, const std::function<bool(const Case &)> &fails, int tries) { return Reducer(std::move(c), fails, tries).run(); }

int statements_of(const Case &c) {
  const Lines lines = lines_of(c.program);
  return static_cast<int>(std::count_if(lines.begin() + 1, lines.end(), [](const std::string &l) { return !bare(l).empty() && (!closes(l) || opens(l)); }));
}

} // namespace tilenest::conformance
