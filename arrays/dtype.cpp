// SPDX-License-Identifier: Apache-2.0
// NumPy's type strings and the element types of NUM-TYPES. bf16 and the f8 types, which NumPy lacks, travel
// as raw bytes or unsigned integers of their width and are typed by the parameter.
#include "arrays/npy_header.h"
#include "semantics/diag/codes.h"

namespace tilenest {

namespace {
bool is_f8(ScalarType type) { return type == ScalarType::f8e4m3fn || type == ScalarType::f8e5m2; }

// The type that a kind and size name by themselves.
std::optional<ScalarType> plain_type(char kind, std::string_view size) {
  struct Row {
    char kind;
    std::string_view size;
    ScalarType type;
  };
  static constexpr Row rows[] = {
      {'b', "1", ScalarType::boolean}, {'i', "1", ScalarType::i8},  {'i', "2", ScalarType::i16},
      {'i', "4", ScalarType::i32},     {'i', "8", ScalarType::i64}, {'u', "1", ScalarType::u8},
      {'u', "2", ScalarType::u16},     {'u', "4", ScalarType::u32}, {'u', "8", ScalarType::u64},
      {'f', "2", ScalarType::f16},     {'f', "4", ScalarType::f32}, {'f', "8", ScalarType::f64},
      {'f', "1", ScalarType::f8e5m2}, // as ml_dtypes writes float8_e5m2
      {'?', "", ScalarType::boolean}};
  for (const Row &row : rows)
    if (row.kind == kind && row.size == size) return row.type;
  return std::nullopt;
}

const char *kind_name(char kind) {
  switch (kind) {
  case 'O': return "Python objects";
  case 'c': return "complex numbers";
  case 'M': return "dates";
  case 'm': return "time differences";
  case 'S':
  case 'a': return "byte strings";
  case 'U': return "text";
  case 'V': return "raw bytes of this size";
  case 'f': return "floats of this size";
  default: return "this type";
  }
}

// The conversion in NumPy that makes a file of this type, as a statement about array `a`.
std::string conversion(ScalarType to) {
  switch (to) {
  case ScalarType::bf16:
    return "bf16 is read from raw bytes or u2: save `a.astype(ml_dtypes.bfloat16)`, or the bits as uint16";
  case ScalarType::f8e4m3fn:
  case ScalarType::f8e5m2:
    return std::string(to_string(to)) + " is read from raw bytes or u1: save the bits as uint8";
  case ScalarType::i4:
  case ScalarType::u4:
    return std::string(to_string(to)) + " is read from u1 or i1, two elements a byte along the last axis, the first low: save "
           "`(a[..., 0::2] & 15 | a[..., 1::2] << 4).astype(np.uint8)`";
  default: {
    std::string name = "bool_";
    if (to != ScalarType::boolean)
      name = (is_float(to) ? "float" : is_signed(to) ? "int" : "uint") + std::to_string(bit_width(to));
    return "convert it with `a.astype(np." + name + ")`";
  }
  }
}
} // namespace

Result<FileType> resolve_dtype(std::string_view descr, const std::string &file,
                               std::optional<ScalarType> expected) {
  const auto mismatch = [&](std::string found) {
    return Diagnostic(
        Code::T0901, {},
        {{"file", file}, {"found", std::move(found)}, {"expected", std::string(to_string(*expected))}},
        conversion(*expected));
  };
  std::string_view rest = descr;
  char order = '=';
  if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) {
    order = rest[0];
    rest.remove_prefix(1);
  }
  const char kind = rest.empty() ? '\0' : rest[0];
  const std::string_view size = rest.empty() ? rest : rest.substr(1);
  if (kind == 'V' && (size == "1" || size == "2")) {
    const std::string found = "raw bytes (`" + printable_excerpt(descr) + "`)";
    if (!expected)
      return Diagnostic(Code::T0903, {}, {{"file", file}, {"dtype", printable_excerpt(descr)}},
                        "read it for a parameter of type " +
                            std::string(size == "1" ? "f8e4m3fn or f8e5m2" : "bf16") +
                            ", or save it with a NumPy type");
    if (size == "1" ? is_f8(*expected) : *expected == ScalarType::bf16)
      return FileType{*expected, order == '>' && size == "2"};
    return mismatch(found);
  }
  const std::optional<ScalarType> plain = plain_type(kind, size);
  if (!plain)
    return Diagnostic(Code::T0902, {},
                      {{"file", file}, {"what", kind_name(kind)}, {"dtype", printable_excerpt(descr)}},
                      expected ? conversion(*expected) : std::string());
  const bool swapped = order == '>' && byte_size(*plain) > 1;
  if (expected && is_packed(*expected)) {
    if (*plain == ScalarType::u8 || *plain == ScalarType::i8) return FileType{ScalarType::u8, false};
    return mismatch(std::string(to_string(*plain)) + " (`" + printable_excerpt(descr) + "`)");
  }
  if (!expected || *expected == *plain) return FileType{*plain, swapped};
  if ((*plain == ScalarType::u8 && is_f8(*expected)) ||
      (*plain == ScalarType::u16 && *expected == ScalarType::bf16))
    return FileType{*expected, swapped};
  return mismatch(std::string(to_string(*plain)) + " (`" + printable_excerpt(descr) + "`)");
}

const char *npy_dtype(ScalarType type) {
  switch (type) {
  case ScalarType::boolean: return "|b1";
  case ScalarType::i8: return "|i1";
  case ScalarType::i16: return "<i2";
  case ScalarType::i32: return "<i4";
  case ScalarType::i64: return "<i8";
  case ScalarType::u8: return "|u1";
  case ScalarType::u16: return "<u2";
  case ScalarType::u32: return "<u4";
  case ScalarType::u64: return "<u8";
  case ScalarType::f16: return "<f2";
  case ScalarType::bf16: return "<V2";
  case ScalarType::f32: return "<f4";
  case ScalarType::f64: return "<f8";
  case ScalarType::f8e4m3fn:
  case ScalarType::f8e5m2: return "|V1";
  case ScalarType::i4:
  case ScalarType::u4: return "|u1";
  }
  return "";
}

} // namespace tilenest
