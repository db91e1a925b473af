// SPDX-License-Identifier: Apache-2.0
// A row of the library's table: a function that both front ends offer by name, its typed parameters, its
// documentation, and how it is built from core operations. One file a family holds the rows of that family.
#pragma once
#include "semantics/program/builder.h"
#include <span>
#include <string_view>

namespace tilenest::library {

class Call;

struct Parameter {
  enum class Kind : std::uint8_t {
    none,    // ends the list
    tile,    // a value; `types` are its element types
    tiles,   // one or more values; takes all positional arguments from here on
    operand, // a value of one of `types`, a literal or an extent; a literal meets its type in the expansion
    dim,     // a dim of the first tile
    dims,    // dims of the first tile; takes all positional arguments from here on, or one `[m, n]`
    dim_list, // dims that need not be any tile's: `[m, n]`
    axis,    // a dim with an extent: `c`, `c = 10`
    shape,   // `[m, n = 8]`
    integer, // an integer literal
    extent,  // an extent expression
    extents, // one extent, or `[2, 2]`
    number,  // a float literal, or an integer one
    flag,    // true or false
    word,    // one of `choices`, without quotes
    text,    // a string
    type,    // an element type
    view
  };
  const char *name = nullptr;
  Kind kind = Kind::none;
  OpOperands types = OpOperands::any;
  const char *choices = "";         // "add|min|max"
  const char *otherwise = nullptr;  // the default as it would be written, "" for absent; nullptr: required

  bool required() const { return otherwise == nullptr; }
};

constexpr Parameter tile(const char *name, OpOperands types) { return {name, Parameter::Kind::tile, types}; }
constexpr Parameter optional_tile(const char *name, OpOperands types) { return {name, Parameter::Kind::tile, types, "", ""}; }
constexpr Parameter tiles(const char *name, OpOperands types) { return {name, Parameter::Kind::tiles, types}; }
constexpr Parameter operand(const char *name, OpOperands types, const char *otherwise = nullptr) {
  return {name, Parameter::Kind::operand, types, "", otherwise};
}
constexpr Parameter dim(const char *name = "dim") { return {name, Parameter::Kind::dim}; }
constexpr Parameter dims(const char *name = "dims") { return {name, Parameter::Kind::dims}; }
constexpr Parameter optional_dims(const char *name = "dims") { return {name, Parameter::Kind::dims, OpOperands::any, "", ""}; }
constexpr Parameter axis(const char *name) { return {name, Parameter::Kind::axis}; }
constexpr Parameter integer(const char *name, const char *otherwise = nullptr) {
  return {name, Parameter::Kind::integer, OpOperands::any, "", otherwise};
}
constexpr Parameter extent(const char *name, const char *otherwise = nullptr) {
  return {name, Parameter::Kind::extent, OpOperands::any, "", otherwise};
}
constexpr Parameter extents(const char *name, const char *otherwise = nullptr) {
  return {name, Parameter::Kind::extents, OpOperands::any, "", otherwise};
}
constexpr Parameter number(const char *name, const char *otherwise = nullptr) {
  return {name, Parameter::Kind::number, OpOperands::any, "", otherwise};
}
constexpr Parameter flag(const char *name, const char *otherwise) { return {name, Parameter::Kind::flag, OpOperands::any, "", otherwise}; }
constexpr Parameter word(const char *name, const char *choices, const char *otherwise = nullptr) {
  return {name, Parameter::Kind::word, OpOperands::any, choices, otherwise};
}
constexpr Parameter text(const char *name) { return {name, Parameter::Kind::text}; }
constexpr Parameter element(const char *name, const char *otherwise = nullptr) {
  return {name, Parameter::Kind::type, OpOperands::any, "", otherwise};
}

inline constexpr std::size_t most_parameters = 10;

struct Function {
  const char *name;
  Parameter parameters[most_parameters + 1]; // closed by one without a name
  const char *results;                       // their names for documentation, "values, indices"; one or more
  std::vector<ValueId> (*build)(Call &);     // empty: refused, and reported
  const char *summary;                       // one line
  const char *shapes;                        // the shapes of arguments and results, and what is refused
  const char *rounding;                      // how exact the results are
  const char *example;                       // a kernel on one line; a test runs it
  const char *no_result = nullptr;           // "an index is out of range": what U0104 says of the argument at fault

  std::size_t parameter_count() const;
  std::size_t result_count() const;
  const Parameter *parameter(std::string_view parameter_name) const;
  // "topk(x, dim, k, descending = true)": `[x]` need not be given, `x...` takes all by position from there on, and what
  // is behind it is given by name: "concat(parts..., dim = ...)".
  std::string signature() const;
};

// The families, in the order of the documentation.
struct Family {
  const char *name;  // "order": also its file and its page
  const char *title; // "Order: argmax, sort and the like"
  std::span<const Function> functions;
};
std::span<const Family> families();
const Function *find(std::string_view name);
std::vector<std::string> function_names();

// A value as `choices` are written: true if `word` is one of them.
bool is_choice(const Parameter &parameter, std::string_view word);

} // namespace tilenest::library
