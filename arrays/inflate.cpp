// SPDX-License-Identifier: Apache-2.0
// CRC-32 and raw inflate on zlib, for members larger than zlib's 32-bit counts.
#include "arrays/zip.h"
#include <algorithm>
#include <zlib.h>

namespace tilenest {

namespace {
constexpr std::size_t zlib_piece = std::size_t{1} << 30;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

Inflater::Inflater(std::span<const std::byte> packed) : stream_(new z_stream_s{}), packed_(packed) {
  damaged_ = inflateInit2(stream_.get(), -15) != Z_OK;
}

Inflater::~Inflater() { inflateEnd(stream_.get()); }

std::size_t Inflater::read(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size() && !ended_ && !damaged_) {
    const std::size_t in_piece = std::min(packed_.size(), zlib_piece);
    const std::size_t out_piece = std::min(out.size() - done, zlib_piece);
    stream_->next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(packed_.data()));
    stream_->avail_in = static_cast<uInt>(in_piece);
    stream_->next_out = reinterpret_cast<Bytef *>(out.data() + done);
    stream_->avail_out = static_cast<uInt>(out_piece);
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    const std::size_t used = in_piece - stream_->avail_in, made = out_piece - stream_->avail_out;
    packed_ = packed_.subspan(used);
    done += made;
    ended_ = status == Z_STREAM_END;
    damaged_ = !ended_ && (status != Z_OK || (used == 0 && made == 0));
  }
  crc_ = crc32_of(out.first(done), crc_);
  return done;
}

bool Inflater::at_end() {
  std::byte probe;
  if (!ended_ && read({&probe, 1}) != 0) return false;
  return ended_ && packed_.empty();
}

} // namespace tilenest
