// SPDX-License-Identifier: Apache-2.0
// JSON by hand: one line an array, a few lines a case.
#include "tests/conformance/case_text.h"
#include <cstdio>

namespace tilenest::derived {

namespace {

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

template <class T, class F> std::string joined(const std::vector<T> &list, const std::string &between, F text_of) {
  std::string out;
  for (const T &x : list) out += (out.empty() ? "" : between) + text_of(x);
  return out;
}

std::string head(ScalarType type, const Shape &shape) {
  return "{\"type\": " + quoted(std::string(to_string(type))) + ", \"shape\": [" + joined(shape, ", ", [](std::int64_t e) { return std::to_string(e); }) + "], ";
}

using Pairs = std::vector<std::pair<std::string, std::string>>;
std::string object(const Pairs &members, const std::string &between) {
  return "{" + joined(members, between, [](const auto &m) { return quoted(m.first) + ": " + m.second; }) + "}";
}
std::string strings(const std::vector<std::string> &list) { return "[" + joined(list, ", ", quoted) + "]"; }

std::string lines_text(const std::string &text, const std::string &indent) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return "[\n" + indent + joined(lines, ",\n" + indent, quoted) + "]";
}

std::string case_text(const CaseText &c) {
  const std::string next = ",\n     ";
  std::string out = "    {\"name\": " + quoted(c.name);
  if (!c.rules.empty()) out += ", \"rules\": " + strings(c.rules);
  out += ", \"program\": " + quoted(c.program);
  if (!c.with.empty()) {
    Pairs words;
    for (const auto &[name, by] : c.with) words.emplace_back(name, quoted(by));
    out += ", \"with\": " + object(words, ", ");
  }
  if (!c.extents.empty()) out += ", \"extents\": " + object(c.extents, ", ");
  if (c.orders > 0) out += ", \"orders\": " + std::to_string(c.orders);
  if (c.contained) out += ", \"contained\": true";
  if (!c.inputs.empty()) out += next + "\"inputs\": " + object(c.inputs, next + "           ");
  std::string expect;
  const auto add = [&](const std::string &what) { expect += (expect.empty() ? "" : ", ") + what; };
  if (!c.reports.empty()) add("\"reports\": " + strings(c.reports));
  if (c.admitted) add("\"admitted\": true");
  if (!c.between.empty()) add("\"between\": " + object(c.between, next + "                       "));
  if (!c.outputs.empty()) add("\"outputs\": " + object(c.outputs, next + "                       "));
  out += next + "\"expect\": {" + expect + "}";
  if (!c.derived.empty()) out += next + "\"derived\": " + quoted(c.derived);
  return out + "}";
}

// "bits": "3f800000 00000000"
std::string words_text(ScalarType type, const Elements &elements) {
  const int digits = (bit_width(type) + 3) / 4;
  return "\"bits\": \"" + joined(elements, " ", [&](std::uint64_t bits) {
           char text[24];
           if (bit_width(type) < 64) bits &= (std::uint64_t{1} << bit_width(type)) - 1;
           std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(bits));
           return std::string(text);
         }) + "\"";
}

} // namespace

std::string bits_text(ScalarType type, const Shape &shape, const Elements &elements) { return head(type, shape) + words_text(type, elements) + "}"; }

std::string between_text(ScalarType type, const Shape &shape, const Elements &low, const Elements &high) {
  return head(type, shape) + "\"low\": {" + words_text(type, low) + "}, \"high\": {" + words_text(type, high) + "}}";
}

std::string values_text(ScalarType type, const Shape &shape, const std::vector<std::int64_t> &values) {
  return head(type, shape) + "\"values\": [" + joined(values, ", ", [&](std::int64_t v) {
           return type == ScalarType::boolean ? std::string(v != 0 ? "true" : "false") : std::to_string(v);
         }) + "]}";
}

std::string open_text(ScalarType type, const Shape &shape) { return head(type, shape) + "\"fill\": \"_\"}"; }

std::string FileText::text() const {
  std::string out = "{\n  \"$schema\": \"../case.schema.json\",\n  \"schema\": \"tilenest-conformance-1\",\n  \"chapter\": " + quoted(chapter) +
                    ",\n  \"about\": " + quoted(about) + ",\n";
  if (!rules.empty()) out += "  \"rules\": " + strings(rules) + ",\n";
  if (!derived.empty()) out += "  \"derived\": " + quoted(derived) + ",\n";
  Pairs texts;
  for (const auto &[name, program] : programs) texts.emplace_back(name, lines_text(program, "      "));
  out += "  \"programs\": {\n    " + joined(texts, ",\n    ", [](const auto &m) { return quoted(m.first) + ": " + m.second; }) + "},\n  \"cases\": [\n";
  return out + joined(cases, ",\n", case_text) + "\n  ]\n}\n";
}

std::string with_word(std::string text, const std::string &word, const std::string &by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) text.replace(at, word.size(), by);
  return text;
}

} // namespace tilenest::derived
