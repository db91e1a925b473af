// SPDX-License-Identifier: Apache-2.0
// What a run says of an output that it does not write: shape, type, min, max, mean, NaN count, and how many
// elements were never written.
#pragma once
#include "arrays/array.h"
#include "cli/report.h"

namespace tilenest::cli {

struct Summary {
  std::string name;
  ScalarType type;
  std::vector<std::int64_t> shape;
  std::int64_t count = 0;
  std::uint64_t nan_count = 0;
  std::uint64_t unwritten = 0;
  // Of the elements that are no NaN, as their bits; empty where there are none.
  std::optional<std::uint64_t> min, max;
  std::optional<double> mean; // in f64, compensated
};

// `touched`: of an array without gaps the elements that may be other than zero bytes, in order, [first, last); without
// it all of them.
using TouchedElements = std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>>;
Summary summarise(std::string name, const Array &array, std::uint64_t unwritten, const TouchedElements &touched = std::nullopt);

// "[3, 0]": the row-major element of a shape.
std::string index_text(const std::vector<std::int64_t> &shape, std::int64_t element);
Json element_json(ScalarType type, std::optional<std::uint64_t> bits); // null where there is none
// One line an output, in columns.
std::string text_of(const std::vector<Summary> &summaries);
// Numbers that JSON lacks are the strings "inf", "-inf", "nan"; missing ones null.
Json json_of(const Summary &summary);

} // namespace tilenest::cli
