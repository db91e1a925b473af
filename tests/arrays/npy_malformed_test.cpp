// SPDX-License-Identifier: Apache-2.0
// Every way a .npy file can be wrong has its diagnostic.
#include "arrays/npy.h"
#include "element_access.h"
#include "file_bytes.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace tilenest;
using namespace tilenest_test;

namespace {
const std::string &good = plain;

// Parses from an exact heap copy, so that a sanitizer sees a read behind the end.
Result<Array> parse(const std::string &bytes, std::optional<ScalarType> expected = std::nullopt) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  return parse_npy({std::as_bytes(std::span(exact)), nullptr, false}, "m.npy", expected);
}
std::string header_error(const std::string &header) {
  const Result<Array> result = parse(npy_with_header(header, std::string(64, '\0')));
  CHECK(code_of(result) == "P0503");
  return message_of(result);
}
bool contains(const std::string &text, const std::string &part) {
  INFO("`" << part << "` in: " << text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}
} // namespace

TEST_CASE("files that cannot be opened", "[arrays][P0501]") {
  const TemporaryDirectory directory;
  CHECK(code_of(read_npy(directory.file("none.npy"))) == "P0501");
  contains(message_of(read_npy(directory.file("none.npy"))), "No such file");
  contains(message_of(read_npy(directory.file(""))), "it is a directory");
  REQUIRE(mkfifo(directory.file("pipe").c_str(), 0600) == 0);
  contains(message_of(read_npy(directory.file("pipe"))), "not a regular file");
  contains(message_of(read_npy("/dev/zero")), "not a regular file");
  CHECK(code_of(read_npy("")) == "P0501");
  const std::string secret = directory.file("secret.npy", good);
  REQUIRE(chmod(secret.c_str(), 0) == 0);
  if (access(secret.c_str(), R_OK) != 0) contains(message_of(read_npy(secret)), "Permission denied");
  CHECK(exit_status(read_npy(directory.file("none.npy")).errors()) == 2);
}

TEST_CASE("files of another kind", "[arrays][P0502]") {
  contains(message_of(parse("")), "it is empty");
  contains(message_of(parse("1.0, 2.0\n")), "starts with `1.0, 2`");
  contains(message_of(parse(std::string("\x7f"
                                        "ELF\2\1\1\0",
                                        8))),
           "\\x7fELF");
  for (const char *bytes : {"", "1.0, 2.0\n", "\x93NUMPX", "PK\3\4"}) CHECK(code_of(parse(bytes)) == "P0502");
}

TEST_CASE("a file cut off anywhere is refused", "[arrays][P0503][P0504]") {
  REQUIRE(parse(good).ok());
  for (std::size_t n = 0; n < good.size(); ++n) {
    INFO(n << " bytes");
    CHECK(code_of(parse(good.substr(0, n))) == (n == 0 ? "P0502" : n < 128 ? "P0503" : "P0504"));
  }
  contains(message_of(parse(good.substr(0, 140))), "has 12 bytes of data where f32[2, 3] needs 24");
}

TEST_CASE("malformed headers", "[arrays][P0503]") {
  const std::string rest = ", 'fortran_order': False, 'shape': (2,)}";
  contains(header_error(""), "expected a `{`, found its end");
  contains(header_error("{'descr': '<f4'"), "expected a `,` or `}`, found its end");
  contains(header_error("{'descr': '<f4" + rest),
           "expected a `,` or `}`"); // the string ends at the next quote
  contains(header_error("{'descr': 4" + rest), "a type string, found `4");
  contains(header_error("{'descr': [('a', '<f4')" + rest), "a closed bracket");
  contains(header_error("{'descr': '<f4'" + rest + "\n{}"), "only spaces after the `}`, found `{}`");
  contains(header_error("{'descr': '<f4', 'shape': (2,)}"), "lacks the key `fortran_order`");
  contains(header_error("{'descr': '<f4', 'descr': '<f4'" + rest), "the key `descr` twice");
  contains(header_error("{'descr': '<f4', 'colour': 1" + rest), "unknown key `colour`");
  contains(header_error("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"), "`True` or `False`");
  const auto shape = [](const std::string &s) {
    return header_error("{'descr': '<f4', 'fortran_order': False, 'shape': " + s + "}");
  };
  contains(shape("(2, -3)"), "negative extent `-3`");
  contains(shape("(2)"), "is no tuple");
  contains(shape("[2]"), "a tuple of extents, found `[2]");
  contains(shape("(2.0,)"), "a `,` or `)`, found `.0");
  contains(shape("(,)"), "an extent");
  contains(shape("(2"), "a `,` or `)`");
  contains(shape("(9223372036854775808,)"), "`9223372036854775808`, which overflows");
  contains(shape("(4294967296, 4294967296)"), "f32[4294967296, 4294967296] overflows");
  contains(shape("(0, 4611686018427387904, 4611686018427387904)"), "overflows");
  contains(header_error("\xff{"), "`\\xff{`");
}

TEST_CASE("header lengths that lie", "[arrays][P0503]") {
  std::string longer = good, shorter = good;
  longer[8] = static_cast<char>(longer[8] + 8); // reaches over data
  CHECK(code_of(parse(longer)) == "P0503");
  longer[9] = '\x70'; // reaches over the end
  contains(message_of(parse(longer)), "claims to end at byte");
  shorter[8] = 20;
  CHECK(code_of(parse(shorter)) == "P0503");
  std::string huge = npy("<f4", "(1,)", std::string(4, '\0'), false, 2);
  huge[11] = '\x7f';
  contains(message_of(parse(huge)), "claims a length of 21");
  huge[11] = '\xff';
  contains(message_of(parse(huge)), "claims a length of 42");
}

TEST_CASE("versions to come are not supported", "[arrays][N0501]") {
  const Result<Array> result = parse(npy("<f4", "(1,)", std::string(4, '\0'), false, 4));
  CHECK(code_of(result) == "N0501");
  contains(message_of(result), "version 4.0 of the .npy format");
  CHECK(exit_status(result.errors()) == 5);
  CHECK(code_of(parse(npy("<f4", "(1,)", std::string(4, '\0'), false, 0))) == "N0501");
}

TEST_CASE("types that no element has", "[arrays][T0902]") {
  const auto file = [](const std::string &name) {
    return read_npy(std::string(TILENEST_SOURCE_DIR) + "/tests/arrays/data/bad_" + name + ".npy");
  };
  for (const auto &[name, what] : std::vector<std::pair<std::string, std::string>>{
           {"complex", "complex numbers (`<c8`)"},
           {"dates", "dates (`<M8[ns]`)"},
           {"text", "text (`<U2`)"},
           {"strings", "byte strings (`|S2`)"},
           {"objects", "Python objects (`|O`)"},
           {"structured", "structured elements (`[('x', '<f4'), ('y', '<i4', (2,))]`)"},
           {"long_double", "floats of this size (`<f16`)"}}) {
    CHECK(code_of(file(name)) == "T0902");
    contains(message_of(file(name)), what);
    CHECK(exit_status(file(name).errors()) == 2);
  }
  for (const char *descr : {"", "<", "<f", "<f3", "f44", "<V4", "<m8[s]", "x4", "<i16", "b2", "<\xff\xff"}) {
    INFO(descr);
    CHECK(code_of(parse(npy(descr, "(1,)", std::string(64, '\0')))) == "T0902");
  }
}

TEST_CASE("a type that is not the parameter's", "[arrays][T0901]") {
  const Result<Array> result = parse(good, ScalarType::f64);
  CHECK(code_of(result) == "T0901");
  CHECK(message_of(result) == "`m.npy` holds f32 (`<f4`) where f64 is expected");
  CHECK(result.errors()[0].help == "convert it with `a.astype(np.float64)`");
  CHECK(exit_status(result.errors()) == 2);
  CHECK(code_of(parse(npy("|u1", "(1,)", "\1"), ScalarType::boolean)) == "T0901");
  CHECK(parse(npy("|u1", "(1,)", "\1"), ScalarType::boolean).errors()[0].help ==
        "convert it with `a.astype(np.bool_)`");
}

TEST_CASE("bytes that are no bool", "[arrays][P0505]") {
  CHECK(message_of(parse(npy("|b1", "(2, 3)", std::string("\0\1\0\0\2\1", 6)))) ==
        "`m.npy` holds the bool 2 at [1, 1], which is neither 0 nor 1");
  CHECK(message_of(parse(npy("|b1", "(2, 3)", std::string("\0\1\0\xff\0\1", 6), true))) ==
        "`m.npy` holds the bool 255 at [1, 1], which is neither 0 nor 1");
  CHECK(code_of(parse(npy("|b1", "()", "\3"))) == "P0505");
}

TEST_CASE("bytes after the array are a warning", "[arrays][P0510]") {
  Diagnostics warnings;
  const Result<Array> a =
      parse_npy(block_of(good + "tail"), "m.npy", std::nullopt, MapMode::read_only, &warnings);
  REQUIRE(a.ok());
  CHECK(values<float>(*a) == std::vector<float>{0, 1, 2, 3, 4, 5});
  REQUIRE(code_of(warnings) == "P0510");
  CHECK(!has_error(warnings));
  contains(warnings[0].message(), "4 bytes after the array f32[2, 3]");
}
