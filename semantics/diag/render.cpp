// SPDX-License-Identifier: Apache-2.0
// The text renderer. The layout: a header line, the place of the primary site, the source lines with ^^^
// under the primary span and --- under the others, then `= rule:`, `= note:`, `= help:`, `= replay:`.
#include "semantics/diag/render.h"
#include "semantics/diag/excerpt.h"
#include <algorithm>

namespace tilenest {

const char *to_string(Severity severity) {
  switch (severity) {
  case Severity::error: return "error";
  case Severity::warning: return "warning";
  case Severity::note: return "note";
  }
  return "error";
}

const char *to_string(DiagClass diag_class) {
  switch (diag_class) {
  case DiagClass::text: return "text";
  case DiagClass::typing: return "typing";
  case DiagClass::violation: return "violation";
  case DiagClass::assertion: return "assertion";
  case DiagClass::unsupported: return "unsupported";
  case DiagClass::limit: return "limit";
  case DiagClass::bug: return "bug";
  }
  return "bug";
}

namespace {

class TextRenderer {
public:
  TextRenderer(const Diagnostic &diagnostic, const TextStyle &style) : d_(diagnostic), style_(style) {
    std::uint32_t greatest = 0;
    for (const LabelledSite &s : d_.sites)
      if (line_of(s.site)) greatest = std::max(greatest, s.site.line);
    gutter_ = std::to_string(greatest).size();
  }

  std::string run() {
    header();
    for (const LabelledSite &s : d_.sites) site(s);
    trailer("rule", d_.info().rule);
    for (const std::string &text : d_.notes) trailer("note", text);
    trailer("help", d_.help);
    trailer("replay", d_.replay);
    return std::move(out_);
  }

private:
  static std::optional<std::string_view> line_of(const Site &site) {
    return site.file ? source_line(*site.file, site.line) : std::nullopt;
  }

  const char *severity_color() const {
    switch (d_.info().severity) {
    case Severity::error: return "\x1b[1;31m";
    case Severity::warning: return "\x1b[1;33m";
    case Severity::note: return "\x1b[1;36m";
    }
    return "";
  }

  void paint(const char *escape, std::string_view text) {
    if (style_.color) out_ += escape;
    out_ += text;
    if (style_.color) out_ += "\x1b[0m";
  }
  static constexpr const char *blue = "\x1b[1;34m";
  static constexpr const char *bold = "\x1b[1m";

  void header() {
    paint(severity_color(), std::string(to_string(d_.info().severity)) + "[" + d_.info().code + "]");
    std::string text = ": " + printable(d_.message());
    if (d_.count > 1) text += " (" + std::to_string(d_.count) + " times)";
    paint(bold, text);
    out_ += '\n';
  }

  // `   |`, with the text after it where there is one.
  void bar() {
    out_.append(gutter_ + 1, ' ');
    paint(blue, "|");
  }

  void place(const Site &site, std::optional<std::string_view> line) {
    out_.append(gutter_, ' ');
    paint(blue, first_place_ ? "-->" : ":::");
    first_place_ = false;
    out_ += ' ' + printable(site.file->name);
    if (site.line == 0) return;
    out_ += ':' + std::to_string(site.line);
    if (site.column == 0) return;
    out_ += ':' + std::to_string(line ? character_column(*line, site.column) : site.column);
  }

  void site(const LabelledSite &s) {
    if (!s.site.file) {
      if (!s.label.empty()) trailer("note", s.label);
      return;
    }
    const std::optional<std::string_view> line = line_of(s.site);
    const bool primary = &s == &d_.sites.front();
    if (!line) {
      place(s.site, line);
      if (!s.label.empty()) out_ += ' ' + printable(s.label);
      out_ += '\n';
      shown_file_ = nullptr;
      return;
    }
    if (shown_file_ != s.site.file.get()) {
      place(s.site, line);
      out_ += '\n';
      bar();
      out_ += '\n';
      shown_line_ = 0;
    }
    const Excerpt e = excerpt_of(*line, s.site.column, s.site.length, style_.max_columns);
    // Sites that follow each other on one line share its excerpt, unless clipping shows another part of it.
    if (shown_line_ != s.site.line || shown_text_ != e.text) {
      const std::string number = std::to_string(s.site.line);
      paint(blue, std::string(gutter_ - number.size(), ' ') + number + " |");
      if (!e.text.empty()) out_ += ' ' + e.text;
      out_ += '\n';
    }
    bar();
    out_.append(e.indent + 1, ' ');
    std::string mark(e.span_width, primary ? '^' : '-');
    if (!s.label.empty()) mark += ' ' + printable(s.label);
    paint(primary ? severity_color() : blue, mark);
    out_ += '\n';
    shown_file_ = s.site.file.get();
    shown_line_ = s.site.line;
    shown_text_ = e.text;
  }

  // `   = word: text`; further lines of the text stand under the first.
  void trailer(std::string_view word, std::string_view text) {
    if (text.empty()) return;
    out_.append(gutter_ + 1, ' ');
    paint(blue, "=");
    out_ += ' ';
    paint(bold, std::string(word) + ":");
    for (bool first = true; first || !text.empty(); first = false) {
      const std::size_t end = text.find('\n');
      if (!first) out_.append(gutter_ + 4 + word.size(), ' ');
      out_ += ' ' + printable(text.substr(0, end)) + '\n';
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  const Diagnostic &d_;
  const TextStyle &style_;
  std::string out_;
  std::size_t gutter_ = 1;
  bool first_place_ = true;
  const SourceFile *shown_file_ = nullptr; // the file and line of the excerpt printed last
  std::uint32_t shown_line_ = 0;
  std::string shown_text_;
};

} // namespace

std::string render_text(const Diagnostic &diagnostic, const TextStyle &style) {
  return TextRenderer(diagnostic, style).run();
}

std::string render_text(const Diagnostics &diagnostics, const TextStyle &style) {
  std::string out;
  for (const Diagnostic &d : diagnostics) {
    if (!out.empty()) out += '\n';
    out += render_text(d, style);
  }
  return out;
}

} // namespace tilenest
