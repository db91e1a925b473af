// SPDX-License-Identifier: Apache-2.0
// Source lines for the text renderer: decoding, measuring and clipping. Widths follow the East Asian wide
// ranges and the common zero-width marks; nothing here knows about diagnostics' codes or rules.
#include "semantics/diag/excerpt.h"
#include <algorithm>
#include <array>
#include <vector>

namespace tilenest {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD
constexpr std::size_t tab_stop = 4;
// Only this many bytes around the span of a very long line are looked at.
constexpr std::size_t window_bytes = 4096;

struct Decoded {
  char32_t point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t size = first >= 0xF0 && first <= 0xF4 ? 4 : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xC2 && first < 0xE0 ? 2 : 0;
  if (size == 0 || text.size() < size) return {};
  char32_t point = first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = (point << 6) | (byte(i) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[size] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {point, size, true};
}

struct Range {
  char32_t first, last;
};

template <std::size_t n> bool in(const std::array<Range, n> &ranges, char32_t point) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](Range r) { return point >= r.first && point <= r.last; });
}

// C0, C1, delete, and the marks that reorder or end a line.
bool is_control(char32_t point) {
  static constexpr std::array<Range, 6> controls{{{0x00, 0x1F}, {0x7F, 0x9F}, {0x200E, 0x200F},
                                                  {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}}};
  return in(controls, point);
}

std::size_t width_of(char32_t point) {
  static constexpr std::array<Range, 5> zero{{{0x0300, 0x036F}, {0x200B, 0x200D}, {0x20D0, 0x20F0},
                                              {0xFE00, 0xFE0F}, {0xE0100, 0xE01EF}}};
  static constexpr std::array<Range, 9> wide{{{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0xA4CF},
                                              {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}}};
  return in(zero, point) ? 0 : in(wide, point) ? 2 : 1;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// One piece of the shown line: what is printed, how wide it is, the source bytes behind it.
struct Cell {
  std::string_view shown;
  std::size_t width;
  std::size_t offset;
};

std::vector<Cell> cells_of(std::string_view line, std::size_t base) {
  std::vector<Cell> cells;
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    if (rest[0] == '\t') {
      do {
        cells.push_back({" ", 1, base + at});
      } while (++column % tab_stop != 0);
      ++at;
      continue;
    }
    const Decoded d = decode(rest);
    if (!d.valid || is_control(d.point))
      cells.push_back({replacement, 1, base + at});
    else
      cells.push_back({rest.substr(0, d.bytes), width_of(d.point), base + at});
    column += cells.back().width;
    at += d.bytes;
  }
  return cells;
}

} // namespace

std::optional<std::string_view> source_line(const SourceFile &file, std::uint32_t line) {
  std::string_view text = file.text;
  if (line == 0 || text.empty()) return std::nullopt;
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::uint32_t character_column(std::string_view line, std::uint32_t byte_column) {
  if (byte_column == 0) return 0;
  const std::size_t before = std::min<std::size_t>(byte_column - 1, line.size());
  std::uint32_t characters = 0;
  for (std::size_t at = 0; at < before; ++characters) at += decode(line.substr(at)).bytes;
  return characters + 1 + static_cast<std::uint32_t>(byte_column - 1 - before);
}

Excerpt excerpt_of(std::string_view line, std::uint32_t byte_column, std::uint32_t length,
                   std::size_t max_columns) {
  constexpr std::string_view ellipsis = "...";
  max_columns = std::max<std::size_t>(max_columns, 20);
  std::size_t begin, end;
  if (byte_column == 0) {
    begin = std::min(line.find_first_not_of(" \t"), line.size());
    end = line.find_last_not_of(" \t") + 1; // npos + 1 is 0: nothing but blanks
  } else {
    begin = std::min<std::size_t>(byte_column - 1, line.size());
    end = std::min<std::size_t>(begin + length, line.size());
  }
  end = std::max(end, begin);

  // The part of a very long line that can be shown at all.
  std::size_t first = 0, last = line.size();
  if (line.size() > window_bytes) {
    first = begin > window_bytes / 4 ? begin - window_bytes / 4 : 0;
    while (first > 0 && is_continuation(line[first])) --first;
    last = std::min(line.size(), first + window_bytes);
    while (last < line.size() && is_continuation(line[last])) ++last;
  }
  const std::vector<Cell> cells = cells_of(line.substr(first, last - first), first);

  // Column positions of the cells, and of the span.
  std::size_t total = 0, span_begin = 0, span_end = 0;
  for (const Cell &c : cells) {
    if (c.offset < begin) span_begin = total + c.width;
    total += c.width;
    if (c.offset < end) span_end = total;
  }
  span_end = std::max(span_end, span_begin + 1);

  const bool fits = total <= max_columns && first == 0 && last == line.size();
  std::size_t from = 0;
  if (first > 0 || (!fits && span_end > max_columns - ellipsis.size()))
    from = span_begin > max_columns / 3 ? span_begin - max_columns / 3 : 0;
  const bool cut_left = from > 0 || first > 0;
  std::size_t room = max_columns - (cut_left ? ellipsis.size() : 0);
  const bool cut_right = !fits && (total - from > room || last < line.size());
  if (cut_right) room -= ellipsis.size();

  Excerpt out;
  if (cut_left) out.text = ellipsis;
  std::size_t at = 0, shown = 0, shown_from = from;
  bool started = false;
  for (const Cell &c : cells) {
    const std::size_t here = at;
    at += c.width;
    if (here < from) continue;
    if (!started) {
      started = true;
      shown_from = here;
    }
    if (shown + c.width > room) break;
    out.text += c.shown;
    shown += c.width;
  }
  if (cut_right) out.text += ellipsis;
  const std::size_t shift = cut_left ? ellipsis.size() : 0;
  out.indent = shift + (span_begin > shown_from ? span_begin - shown_from : 0);
  const std::size_t limit = shift + shown;
  out.span_width = std::max<std::size_t>(1, std::min(span_end - span_begin,
                                                     limit > out.indent ? limit - out.indent : 1));
  while (!out.text.empty() && out.text.back() == ' ') out.text.pop_back();
  return out;
}

std::string printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded d = decode(text.substr(at));
    if (!d.valid)
      out += replacement;
    else if (!is_control(d.point))
      out += text.substr(at, d.bytes);
    else if (d.point == '\n')
      out += "\\n";
    else if (d.point == '\t')
      out += "\\t";
    else if (d.point < 0x100)
      (((out += "\\x") += digits[d.point >> 4]) += digits[d.point & 15]);
    else
      out += replacement;
    at += d.bytes;
  }
  return out;
}

} // namespace tilenest
