// SPDX-License-Identifier: Apache-2.0
// Element types: every function takes exactly those that its row says, in its own example. What it refuses it names.
#include "semantics/library/call.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using library::Parameter;

namespace {

// The classes in words, as docs/operations has them.
bool says_it_takes(OpOperands types, ScalarType t) {
  const bool packed = t == ScalarType::i4 || t == ScalarType::u4, truth = t == ScalarType::boolean, whole = is_integer(t) && !packed;
  switch (types) {
  case OpOperands::any: return true;
  case OpOperands::computed: return !packed;
  case OpOperands::boolean: return truth;
  case OpOperands::bool_or_int: return truth || whole;
  case OpOperands::integer: return whole;
  case OpOperands::floating: return is_float(t);
  case OpOperands::numeric: return whole || is_float(t);
  case OpOperands::stored_numeric: return !truth;
  case OpOperands::signed_numeric: return is_float(t) || (whole && is_signed(t));
  case OpOperands::none: break;
  }
  return false;
}

// The call of an example, captured again with other types.
struct Again {
  const TileProgram &p;
  const library::Function &f;
  const LibraryCall &call;
  Builder b{"k"};
  std::vector<DimId> dims;

  Again(const TileProgram &program, const library::Function &function, const LibraryCall &c) : p(program), f(function), call(c) {
    for (const Param &q : p.params) b.extent_param(q.name);
    for (const Dim &d : p.dims) dims.push_back(d.position >= 0 ? b.positional_dim(d.position) : b.dim(d.label));
  }
  Space mapped(Space s) const {
    for (Factor &x : s.factors) x.dim = dims[x.dim.index];
    return s;
  }
  // The codes reported. Tiles of these arguments get the type; literals that meet a tile become 1, which every type has.
  std::string codes(const std::vector<std::string> &changed, ScalarType t) {
    std::vector<CallArgument> arguments = call.arguments;
    for (CallArgument &a : arguments) {
      const bool here = std::find(changed.begin(), changed.end(), a.name) != changed.end();
      if (auto *values = std::get_if<std::vector<ValueId>>(&a.value))
        for (ValueId &v : *values) v = b.full(here ? t : p.values[v].type.elem, std::int64_t{0}, mapped(p.values[v].type.space));
      else if (auto *list = std::get_if<std::vector<DimId>>(&a.value))
        for (DimId &d : *list) d = dims[d.index];
      else if (auto *space = std::get_if<Space>(&a.value))
        *space = mapped(*space);
      else if (f.parameter(a.name)->kind == Parameter::Kind::operand)
        a.value = std::int64_t{1};
    }
    (void)library::call(b, f, std::move(arguments));
    std::string out;
    for (const Diagnostic &d : b.diagnostics()) out += std::string(d.info().code) + " " + d.message() + "\n";
    return out;
  }
};

} // namespace

TEST_CASE("every function takes the element types that its row says, and no others", "[library][NUM-TYPES]") {
  std::size_t tried = 0;
  for (const library::Family &family : library::families())
    for (const library::Function &f : family.functions) {
      const ParsedFile file = parse_text("example.tile", f.example);
      REQUIRE(file.kernels.size() == 1);
      const TileProgram &p = file.kernels[0];
      const auto call = std::find_if(p.calls.begin(), p.calls.end(), [&](const LibraryCall &c) { return c.function == f.name; });
      REQUIRE(call != p.calls.end());
      for (const CallArgument &a : call->arguments) {
        const auto *values = std::get_if<std::vector<ValueId>>(&a.value);
        if (!values) continue;
        std::vector<std::string> alike; // arguments of the same type, which may have to stay the same
        for (const CallArgument &other : call->arguments)
          if (const auto *v = std::get_if<std::vector<ValueId>>(&other.value); v && p.values[(*v)[0]].type.elem == p.values[(*values)[0]].type.elem)
            alike.push_back(other.name);
        for (int i = 0; i < scalar_type_count; ++i) {
          const auto t = static_cast<ScalarType>(i);
          const std::string alone = Again(p, f, *call).codes({a.name}, t), together = Again(p, f, *call).codes(alike, t);
          INFO(f.name << ", " << a.name << " of " << to_string(t) << ": " << alone << together);
          const bool takes = says_it_takes(f.parameter(a.name)->types, t);
          CHECK((alone.empty() || together.empty()) == takes);
          if (!takes) CHECK((alone.substr(0, 5) == "T0217" || alone.substr(0, 5) == "T0108"));
          if (!takes) CHECK(alone.find("`" + a.name + "`") != std::string::npos);
          ++tried;
        }
      }
    }
  CHECK(tried > 500);
}
