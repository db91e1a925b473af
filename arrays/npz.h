// SPDX-License-Identifier: Apache-2.0
// .npz files: zip archives of .npy members, in and out. A member is chosen by its name, with or without
// ".npy", or it is the only one.
#pragma once
#include "arrays/npy.h"
#include <utility>

namespace tilenest {

// Reads the member `name`, or the only member where `name` is empty (P0507 lists the names). The types and
// the access are read_npy's. A member whose size is not its array's is refused before it is unpacked.
Result<Array> read_npz(const std::string &path, const std::string &name,
                       std::optional<ScalarType> expected = std::nullopt, MapMode access = MapMode::read_only);

// The same from bytes in memory.
Result<Array> parse_npz(const ByteBlock &block, const std::string &file, const std::string &name,
                        std::optional<ScalarType> expected = std::nullopt, MapMode access = MapMode::read_only);

// Reads `FILE.npy`, `FILE.npz` (its only member) or `FILE.npz:NAME`. What the file is, its first bytes say.
Result<Array> read_array(const std::string &place, std::optional<ScalarType> expected = std::nullopt,
                         MapMode access = MapMode::read_only, Diagnostics *warnings = nullptr);

// Writes all arrays, stored, under "NAME.npy", each starting at a multiple of 64 bytes so that it can be
// mapped. Whole or not at all, as write_npy; also P0509 for an empty or repeated name.
Diagnostics write_npz(const std::string &path, const std::vector<std::pair<std::string, Array>> &arrays);

} // namespace tilenest
