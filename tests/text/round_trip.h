// SPDX-License-Identifier: Apache-2.0
// What the tests of the text language share: files as sources, diagnostics as one line each, the round trip.
#pragma once
#include "semantics/program/equality.h"
#include "semantics/text/parser.h"
#include "semantics/text/printer.h"
#include <string>

namespace tilenest {

std::shared_ptr<const SourceFile> read_source(const std::string &path);
// "3:7 P0006 unknown name `x`", one line each.
std::string listing(const Diagnostics &diagnostics);
// "" if print then parse gives an equal program, else what went wrong and the printed text.
std::string round_trip_fault(const TileProgram &p, const PrintOptions &options = {}, text::ProductionCounts *counts = nullptr);
// Every .tile file under the folder of the source tree.
std::vector<std::string> tile_files(const std::string &folder);

} // namespace tilenest
