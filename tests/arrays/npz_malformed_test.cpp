// SPDX-License-Identifier: Apache-2.0
// Every way a .npz file can be wrong has its diagnostic, and nothing unpacks to more than its array.
#include "arrays/npz.h"
#include "element_access.h"
#include "file_bytes.h"

using namespace tilenest;
using namespace tilenest_test;

namespace {
Result<Array> unzipped(const ZipPart &part) { return tilenest_test::unzipped(zip({part})); }
void says(const Result<Array> &result, const std::string &code, const std::string &part) {
  CHECK(code_of(result) == code);
  INFO("`" << part << "` in: " << message_of(result));
  CHECK(message_of(result).find(part) != std::string::npos);
}
} // namespace

TEST_CASE("files that are no archive", "[arrays][P0502]") {
  says(unzipped(""), "P0502", "no zip archive");
  says(unzipped(plain), "P0502", "no zip archive");
}

TEST_CASE("an archive cut off anywhere is refused", "[arrays][P0506]") {
  for (const ZipPart &part : {ZipPart::stored("x.npy", plain), ZipPart::deflated("x.npy", plain)})
    for (const bool end64 : {false, true}) {
      const std::string whole = zip({part}, "", end64);
      REQUIRE(unzipped(whole).ok());
      for (std::size_t n = 4; n < whole.size(); ++n) {
        INFO(n << " bytes");
        CHECK(code_of(unzipped(whole.substr(0, n))) == "P0506");
      }
    }
}

TEST_CASE("every changed byte of an archive is harmless or diagnosed", "[arrays]") {
  for (ZipPart part : {ZipPart::stored("x.npy", plain), ZipPart::deflated("x.npy", plain)}) {
    part.zip64 = true;
    const std::string whole = zip({part}, "", true);
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (const int flip : {1, 0x80, 0xff}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ flip);
        const Result<Array> a = unzipped(changed); // must return; the data is guarded by its checksum
        if (a) CHECK(values<float>(*a) == std::vector<float>{0, 1, 2, 3, 4, 5});
      }
  }
}

TEST_CASE("directories that lie", "[arrays][P0506]") {
  const ZipPart x = ZipPart::stored("x.npy", plain);
  const std::string whole = zip({x});
  const std::size_t end = whole.size() - 22;
  const auto with = [&](std::size_t at, const std::string &bytes) {
    std::string changed = whole;
    changed.replace(at, bytes.size(), bytes);
    return unzipped(changed);
  };
  says(with(end + 16, number(1, 4)), "P0506", "directory is not where it says");
  says(with(end + 12, number(0xfffffff0, 4)), "P0506", "directory is not where it says");
  says(with(end + 8, number(0x00090009, 4)), "P0506", "counts more members");
  says(with(end + 8, number(0, 4)), "P0506", "longer than its members");
  says(with(end + 4, number(1, 2)), "N0501", "several parts");
  says(with(end - 51, "XX"), "P0506", "directory is damaged");
  says(with(end - 51 + 28, number(0xffff, 2)), "P0506", "directory is damaged");
  says(with(end - 51 + 42, number(1, 4)), "P0506", "not where the directory says");
  says(with(end - 51 + 42, number(whole.size(), 4)), "P0506", "not where the directory says");
  says(with(end - 51 + 24, number(0xffffffff, 4)), "P0506", "lacks its 64-bit sizes");
  says(with(end - 51 + 20, number(whole.size(), 4)), "P0506", "reaches over the directory");
  says(with(8, number(8, 2)), "P0506", "contradicts the directory");
  says(with(28, number(0xffff, 2)), "P0506", "reaches over the directory");
  ZipPart renamed = x;
  renamed.local_name = "y.npy";
  says(unzipped(renamed), "P0506", "contradicts the directory");
  std::string broken64 = zip({x}, "", true);
  broken64[broken64.size() - 22 - 20 + 8] = '\1';
  says(unzipped(broken64), "P0506", "zip64 end record is not where it says");
}

TEST_CASE("methods and features that are not supported", "[arrays][N0501]") {
  ZipPart x = ZipPart::stored("x.npy", plain);
  x.method = 12;
  says(unzipped(x), "N0501", "the zip method 12");
  x.method = 0;
  x.flags = 1;
  says(unzipped(x), "N0501", "encryption");
  CHECK(exit_status(unzipped(x).errors()) == 5);
}

TEST_CASE("choosing a member", "[arrays][P0507]") {
  const ZipPart x = ZipPart::stored("x.npy", plain), y = ZipPart::stored("y.npy", plain);
  says(unzipped(zip({x, y})), "P0507", "`m.npz` holds several arrays: its members are `x`, `y`");
  CHECK(unzipped(zip({x, y})).errors()[0].help == "choose one with `m.npz:NAME`");
  says(unzipped(zip({x, y}), "z"), "P0507", "`m.npz` has no member `z`: its members are `x`, `y`");
  says(unzipped(zip({x, x}), "x"), "P0507", "has several members `x`");
  says(unzipped(zip({})), "P0507", "holds no array");
  says(unzipped(zip({ZipPart::stored("folder/", "")}), "x"), "P0507", "holds no array");
  says(unzipped(zip({ZipPart::stored("read.me", "text")})), "P0502", "`m.npz:read.me` is not an array file");
  says(unzipped(zip({ZipPart::deflated("read.me", "text, longer than a prefix")})), "P0502",
       "is not an array file");
}

TEST_CASE("members that are damaged or are not what the archive claims", "[arrays][P0508]") {
  for (ZipPart x : {ZipPart::stored("x.npy", plain), ZipPart::deflated("x.npy", plain)}) {
    INFO(x.method);
    ZipPart damaged = x;
    damaged.packed[damaged.packed.size() - 1] ^= 1;
    says(unzipped(damaged), "P0508", "checksum");
    ZipPart checksum = x;
    checksum.crc ^= 1;
    says(unzipped(checksum), "P0508", "checksum");
    ZipPart longer =
        x.method == 0 ? ZipPart::stored("x.npy", plain + "tail") : ZipPart::deflated("x.npy", plain + "tail");
    says(unzipped(longer), "P0508", "claims 156 bytes for it, its array f32[2, 3] needs 152");
    ZipPart claim = x;
    claim.size += 4;
    CHECK(code_of(unzipped(claim)) == "P0508");
    claim.size = std::uint64_t{1} << 20;
    says(unzipped(claim), "P0508", "cannot unpack to the 1048576");
  }
  ZipPart cut = ZipPart::deflated("x.npy", plain);
  cut.packed.resize(cut.packed.size() - 4);
  cut.packed_size = cut.packed.size();
  says(unzipped(cut), "P0508", "fewer bytes");
  ZipPart nonsense = ZipPart::deflated("x.npy", plain);
  nonsense.packed[0] = '\7'; // a block type that does not exist
  says(unzipped(nonsense), "P0508", "does not unpack");
  ZipPart more = ZipPart::deflated("x.npy", plain + "tail");
  more.size -= 4;
  more.crc = crc32_by_bits(plain);
  says(unzipped(more), "P0508", "does not end where");
  ZipPart behind = ZipPart::deflated("x.npy", plain);
  behind.packed += "behind the stream";
  behind.packed_size = behind.packed.size();
  says(unzipped(behind), "P0508", "does not end where");
}

TEST_CASE("an archive's array of a petabyte is refused before it is unpacked", "[arrays]") {
  // A directory that claims what the header needs, over a few packed bytes.
  const std::string header = npy("|u1", "(1125899906842624,)", "");
  ZipPart bomb = ZipPart::deflated("x.npy", header);
  bomb.zip64 = true;
  bomb.size = header.size() + (std::uint64_t{1} << 50);
  says(unzipped(bomb), "P0508", "cannot unpack");
  // A header that needs a petabyte in a member that is honest about its size.
  says(unzipped(ZipPart::deflated("x.npy", header)), "P0508", "its array u8[1125899906842624] needs");
}

TEST_CASE("malformed arrays inside archives name the member", "[arrays]") {
  const std::string header = npy_with_header("{'descr': '<f4', 'shape': (2,)}", std::string(40, '\0'));
  for (const ZipPart &x : {ZipPart::stored("x.npy", header), ZipPart::deflated("x.npy", header)})
    says(unzipped(x), "P0503", "`m.npz:x` has a malformed array header: it lacks the key `fortran_order`");
  const std::string bad_bool = npy("|b1", "(2,)", "\1\2");
  for (const ZipPart &x : {ZipPart::stored("x.npy", bad_bool), ZipPart::deflated("x.npy", bad_bool)})
    says(unzipped(x), "P0505", "the bool 2 at [1]");
  for (std::size_t n = 0; n < 128; ++n)
    for (const ZipPart &x :
         {ZipPart::stored("x.npy", plain.substr(0, n)), ZipPart::deflated("x.npy", plain.substr(0, n))}) {
      INFO(n << " bytes, method " << x.method);
      CHECK(code_of(unzipped(x)) == (n == 0 ? "P0502" : "P0503"));
    }
}
