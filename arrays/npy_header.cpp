// SPDX-License-Identifier: Apache-2.0
// Parsing and writing of .npy headers. The parser takes the one Python literal that such a header is: a dict
// with the keys 'descr', 'fortran_order' and 'shape', in any order; it trusts nothing and is linear.
#include "arrays/npy_header.h"
#include "semantics/diag/codes.h"
#include <cstring>

namespace tilenest {

namespace {
constexpr std::string_view magic("\x93NUMPY", 6);

Diagnostic malformed_npy(const std::string &file, std::string what) {
  return {Code::P0503, {}, {{"file", file}, {"what", std::move(what)}}};
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

class LiteralParser {
public:
  std::string error;      // what is wrong, empty while nothing is
  std::string_view descr; // contents of the string, or the text of a structured type
  bool structured = false;
  bool fortran = false;
  std::vector<std::int64_t> shape;

  explicit LiteralParser(std::string_view text) : text_(text) {}

  bool parse() {
    if (!take('{')) return fail("a `{`");
    bool has_descr = false, has_order = false, has_shape = false;
    while (!take('}')) {
      std::string_view key;
      if (!string(key)) return fail("a key or `}`");
      bool *seen = key == "descr"           ? &has_descr
                   : key == "fortran_order" ? &has_order
                   : key == "shape"         ? &has_shape
                                            : nullptr;
      if (seen == nullptr) return refuse("it has the unknown key `" + printable_excerpt(key) + "`");
      if (*seen) return refuse("it has the key `" + std::string(key) + "` twice");
      *seen = true;
      if (!take(':')) return fail("a `:`");
      if (!(seen == &has_descr ? type() : seen == &has_order ? truth() : extents())) return false;
      if (!take(',')) {
        if (!take('}')) return fail("a `,` or `}`");
        break;
      }
    }
    skip_space();
    if (at_ < text_.size()) return fail("only spaces after the `}`");
    if (!has_descr || !has_order || !has_shape)
      return refuse(std::string("it lacks the key `") +
                    (!has_descr   ? "descr"
                     : !has_order ? "fortran_order"
                                  : "shape") +
                    "`");
    return true;
  }

private:
  std::string_view text_;
  std::size_t at_ = 0;

  bool refuse(std::string what) {
    if (error.empty()) error = std::move(what);
    return false;
  }
  bool fail(const char *expected) {
    skip_space();
    const std::string_view found = text_.substr(at_, 12);
    return refuse(std::string("expected ") + expected + ", found " +
                  (found.empty() ? "its end" : "`" + printable_excerpt(found) + "`"));
  }
  void skip_space() {
    while (at_ < text_.size() && std::memchr(" \t\r\n", text_[at_], 4) != nullptr) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    skip_space();
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  bool string(std::string_view &out) {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  bool type() {
    skip_space();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(')) {
      structured = true;
      const std::size_t begin = at_;
      if (!nested()) return fail("a closed bracket");
      descr = text_.substr(begin, at_ - begin);
      return true;
    }
    return string(descr) || fail("a type string");
  }
  // Passes a bracketed literal, with strings in it.
  bool nested() {
    std::size_t open = 0;
    do {
      if (at_ >= text_.size()) return false;
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        std::string_view ignored;
        if (!string(ignored)) return false;
        continue;
      }
      if (c == '[' || c == '(') ++open;
      if (c == ']' || c == ')') --open;
      ++at_;
    } while (open > 0);
    return true;
  }
  bool truth() {
    if (word("True")) return fortran = true;
    return word("False") || fail("`True` or `False`");
  }
  bool extents() {
    if (!take('(')) return fail("a tuple of extents");
    while (!take(')')) {
      std::int64_t value = 0;
      if (!extent(value)) return false;
      shape.push_back(value);
      if (take(',')) continue;
      if (!take(')')) return fail("a `,` or `)`");
      if (shape.size() == 1) return refuse("its shape `(" + std::to_string(value) + ")` is no tuple");
      break;
    }
    return true;
  }
  // The number that starts there, for a message.
  std::string number(std::size_t begin) const {
    const std::size_t end = text_.find_first_not_of("0123456789", begin + 1);
    return printable_excerpt(text_.substr(begin, end == std::string_view::npos ? end : end - begin));
  }
  bool extent(std::int64_t &value) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '-')
      return refuse("its shape has the negative extent `" + number(at_) + "`");
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value))
        return refuse("its shape has the extent `" + number(begin) + "`, which overflows");
    if (at_ == begin) return fail("an extent");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_; // as Python 2 wrote it
    return true;
  }
};
} // namespace

std::string printable_excerpt(std::string_view text) {
  constexpr std::size_t shown = 60;
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return text.size() > shown ? out + "..." : out;
}

Result<std::int64_t> npy_data_offset(std::span<const std::byte> start, const std::string &file) {
  const std::string_view text = as_text(start);
  const auto other = [&](std::string found) {
    return Diagnostic(Code::P0502, {}, {{"file", file}, {"found", std::move(found)}},
                      "arrays are saved with `np.save(\"a.npy\", a)`");
  };
  if (text.empty()) return other("it is empty");
  if (text.substr(0, magic.size()) != magic.substr(0, text.size()))
    return other("it starts with `" + printable_excerpt(text.substr(0, magic.size())) + "`");
  if (text.size() < 10) return malformed_npy(file, "it ends after " + std::to_string(text.size()) + " bytes");
  const auto byte = [&](std::size_t i) { return static_cast<std::int64_t>(start[i]); };
  const std::int64_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    return Diagnostic(
        Code::N0501, {},
        {{"file", file},
         {"what", "version " + std::to_string(major) + "." + std::to_string(minor) + " of the .npy format"}},
        "versions 1.0, 2.0 and 3.0 are read");
  std::int64_t length = byte(8) | byte(9) << 8;
  if (major == 1) return 10 + length;
  if (text.size() < 12) return malformed_npy(file, "it ends after " + std::to_string(text.size()) + " bytes");
  length |= byte(10) << 16 | byte(11) << 24;
  if (length > npy_header_limit)
    return malformed_npy(file, "it claims a length of " + std::to_string(length) + " bytes");
  return 12 + length;
}

Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes, const std::string &file,
                                   std::optional<ScalarType> expected) {
  const Result<std::int64_t> offset =
      npy_data_offset(bytes.first(std::min(bytes.size(), npy_prefix_bytes)), file);
  if (!offset) return offset.errors();
  if (static_cast<std::size_t>(*offset) > bytes.size())
    return malformed_npy(file, "it claims to end at byte " + std::to_string(*offset) + ", but the file has " +
                               std::to_string(bytes.size()) + " bytes");
  const std::size_t begin = bytes[6] == std::byte{1} ? 10 : 12;
  LiteralParser literal(as_text(bytes).substr(begin, static_cast<std::size_t>(*offset) - begin));
  if (!literal.parse()) return malformed_npy(file, literal.error);
  if (literal.structured)
    return Diagnostic(Code::T0902, {},
                      {{"file", file}, {"what", "structured elements"}, {"dtype", printable_excerpt(literal.descr)}},
                      "save one field of it, such as `a[\"x\"]`");
  const Result<FileType> type = resolve_dtype(literal.descr, file, expected);
  if (!type) return type.errors();
  const std::optional<std::int64_t> data = checked_bytes(type->type, literal.shape);
  if (!data) return malformed_npy(file, "its shape " + describe(type->type, literal.shape) + " overflows");
  NpyHeader header;
  header.type = type->type;
  header.swapped = type->swapped;
  header.order = literal.fortran ? Order::column_major : Order::row_major;
  header.shape = std::move(literal.shape);
  header.data_offset = *offset;
  header.data_bytes = *data;
  return header;
}

std::string npy_header_bytes(ScalarType type, std::span<const std::int64_t> shape, Order order) {
  std::string dict = std::string("{'descr': '") + npy_dtype(type) +
                     "', 'fortran_order': " + (order == Order::column_major ? "True" : "False") +
                     ", 'shape': (";
  const std::vector<std::int64_t> bytes = is_packed(type) ? byte_shape(shape) : std::vector<std::int64_t>();
  if (is_packed(type)) shape = bytes;
  for (std::size_t i = 0; i < shape.size(); ++i) dict += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  dict += shape.size() == 1 ? ",), }" : "), }";
  const auto padded = [&](std::size_t prefix) { return (prefix + dict.size() + 1 + 63) / 64 * 64 - prefix; };
  const bool short_form = padded(10) <= 0xffff;
  const std::size_t length = padded(short_form ? 10 : 12);
  std::string out(magic);
  out += short_form ? '\1' : '\2';
  out += '\0';
  for (int i = 0; i < (short_form ? 2 : 4); ++i) out += static_cast<char>(length >> (8 * i) & 0xff);
  out += dict;
  out.append(length - dict.size() - 1, ' ');
  return out + '\n';
}

} // namespace tilenest
