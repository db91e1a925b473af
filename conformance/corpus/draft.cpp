// SPDX-License-Identifier: Apache-2.0
// Reading of bases and the textual edits.
#include "conformance/corpus/draft.h"
#include <algorithm>
#include <cctype>
#include <sstream>

namespace tilenest::conformance {

namespace {

std::string trimmed(const std::string &s) {
  const std::size_t begin = s.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : s.substr(begin, s.find_last_not_of(" \t") + 1 - begin);
}

std::vector<Mark> read_marks(const std::string &text) {
  std::vector<Mark> out;
  std::istringstream marks(text);
  for (std::string one; std::getline(marks, one, ';');) {
    std::istringstream words(one);
    Mark m;
    words >> m.kind;
    for (std::string w; words >> w;) m.words.push_back(w);
    out.push_back(std::move(m));
  }
  return out;
}

// The position behind the bracket that closes the one before `at`.
std::size_t closing(const std::string &text, std::size_t at) {
  for (int depth = 1; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at;
  }
  return text.size();
}

bool goes_on(const std::string &text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '.');
}

} // namespace

Draft read_draft(const std::string &text) {
  Draft d;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("//! ", 0) == 0) {
      d.directives.push_back(line.substr(4));
      continue;
    }
    if (line.rfind("//", 0) == 0 || trimmed(line).empty()) continue;
    Line l;
    const std::size_t marks = line.find(" //@ ");
    l.text = line.substr(0, marks);
    if (marks != std::string::npos) l.marks = read_marks(line.substr(marks + 5));
    const std::string code = trimmed(l.text);
    for (const char *region : {"parallel", "serial", "pipeline", "reduce"})
      if (code.rfind(std::string(region) + " ", 0) == 0) {
        const std::size_t name = code.find(' ') + 1;
        l.marks.push_back({region, {code.substr(name, code.find(' ', name) - name)}});
      }
    d.lines.push_back(std::move(l));
  }
  return d;
}

Part origin_of(const std::string &text) {
  std::size_t end = text.find(".store(");
  if (end == std::string::npos) end = text.find(".atomic_");
  return end == std::string::npos ? Part{} : Part{0, end};
}

Part value_of(const std::string &text) {
  const std::size_t at = text.find(".store(");
  if (at == std::string::npos) return {};
  return {at + 7, closing(text, at + 7)};
}

Part access_of(const std::string &text, const std::string &view) {
  for (std::size_t at = text.find(view + "["); at != std::string::npos; at = text.find(view + "[", at + 1)) {
    if (at > 0 && goes_on(text, at - 1)) continue;
    const std::size_t begin = at + view.size() + 1;
    return {begin, closing(text, begin)};
  }
  return {};
}

bool replace_word(std::string &text, Part part, std::string_view word, const std::string &by) {
  bool found = false;
  for (std::size_t at = text.find(word, part.begin); at != std::string::npos && at + word.size() <= part.end;) {
    if ((at > 0 && goes_on(text, at - 1)) || goes_on(text, at + word.size())) {
      at = text.find(word, at + 1);
      continue;
    }
    text.replace(at, word.size(), by);
    part.end += by.size() - word.size();
    found = true;
    at = text.find(word, at + by.size());
  }
  return found;
}

bool replace_word(std::string &text, std::string_view word, const std::string &by) {
  return replace_word(text, {0, text.size()}, word, by);
}

bool replace_first(std::string &text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) return false;
  text.replace(at, what.size(), by);
  return true;
}

std::size_t line_named(const Draft &d, std::string_view name) {
  for (std::size_t i = 0; i < d.lines.size(); ++i)
    for (const Mark &m : d.lines[i].marks)
      if (m.kind == "name" && m.words.at(0) == name) return i;
  return nowhere;
}

std::size_t block_end(const Draft &d, std::size_t header) {
  int depth = 0;
  for (std::size_t i = header; i < d.lines.size(); ++i) {
    for (char c : d.lines[i].text) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth <= 0) return i;
  }
  return d.lines.size() - 1;
}

bool mentions(const Draft &d, std::string_view what, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < d.lines.size() && (to == nowhere || i <= to); ++i)
    if (d.lines[i].text.find(what) != std::string::npos) return true;
  return false;
}

void add_line(Draft &d, std::size_t before, const std::string &text, bool blamed) {
  const std::string &next = d.lines.at(before).text;
  std::size_t indent = std::min(next.find_first_not_of(' '), next.size());
  if (indent < next.size() && next[indent] == '}') indent += 2;
  if (text.back() == '{' && indent >= 2) indent -= 2; // its block stands there already
  Line l;
  l.text = std::string(indent, ' ') + text.substr(text.find_first_not_of(' '));
  l.blamed = blamed;
  d.lines.insert(d.lines.begin() + static_cast<std::ptrdiff_t>(before), std::move(l));
}

void add_argument(Draft &d, const std::string &declaration) {
  std::string &head = d.lines.at(0).text;
  const std::size_t at = head.find(") {");
  head.insert(at, ", " + declaration);
}

void add_axis(Draft &d, const std::string &axis) {
  std::string &head = d.lines.at(0).text;
  head += (head.back() == '{' ? " axis " : "; axis ") + axis;
}

} // namespace tilenest::conformance
