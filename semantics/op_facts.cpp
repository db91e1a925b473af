// SPDX-License-Identifier: Apache-2.0
// The facts: of elementwise rows from their columns, of the others one by one.
#include "semantics/op_facts.h"

namespace tilenest {

const char *to_string(Form form) {
  switch (form) {
  case Form::elementwise: return "elementwise";
  case Form::index_map: return "index map";
  case Form::generate: return "generate";
  case Form::reduce: return "reduce";
  case Form::contract: return "contract";
  case Form::memory: return "memory";
  case Form::control: return "control";
  case Form::meta: return "meta";
  }
  return "";
}

const char *page_of(Form form) { return form == Form::index_map ? "index_map" : to_string(form); }

std::string operand_types(OpKind kind) {
  switch (info(kind).operands) {
  case OpOperands::numeric: return "integers and floats";
  case OpOperands::integer: return "integers";
  case OpOperands::signed_numeric: return "signed integers and floats";
  case OpOperands::floating: return "floats";
  case OpOperands::bool_or_int: return "bool and integers";
  case OpOperands::any: return kind == OpKind::ite ? "a bool, then any but i4 and u4" : "any";
  case OpOperands::boolean: return "bool";
  case OpOperands::computed: return "any but i4 and u4";
  case OpOperands::stored_numeric: return "integers, also i4 and u4, and floats";
  case OpOperands::none: break;
  }
  switch (kind) {
  case OpKind::reduce: return "integers and floats; reduce_and, reduce_or, reduce_xor: bool and integers";
  case OpKind::scan: return "integers and floats; bit_and, bit_or, bit_xor: bool and integers";
  case OpKind::mma: return "integers and floats; a and b convert exactly to the type of acc";
  case OpKind::iota:
  case OpKind::extent:
  case OpKind::map_coord: return "i64";
  case OpKind::if_:
  case OpKind::while_: return "a scalar bool";
  case OpKind::assert_: return "a bool; of a tile, everywhere";
  case OpKind::switch_: return "a scalar integer";
  case OpKind::atomic: return "add, min, max: integers and floats; and, or, xor: bool and integers";
  default: return "any";
  }
}

std::string result_type(OpKind kind) {
  switch (info(kind).result) {
  case OpResult::same: return "that of the operands";
  case OpResult::boolean: return "bool";
  case OpResult::attribute: return "the one that is named";
  case OpResult::none: return "";
  }
  return "";
}

std::string rounding_class(OpKind kind) {
  switch (kind) {
  case OpKind::add:
  case OpKind::sub:
  case OpKind::mul: return "floats correctly rounded, integers exact modulo 2^width";
  case OpKind::div: return "floats correctly rounded, integers truncate";
  case OpKind::fma:
  case OpKind::sqrt:
  case OpKind::exp:
  case OpKind::exp2:
  case OpKind::expm1:
  case OpKind::log:
  case OpKind::log2:
  case OpKind::log1p:
  case OpKind::sin:
  case OpKind::cos:
  case OpKind::tan:
  case OpKind::tanh:
  case OpKind::sinh:
  case OpKind::cosh:
  case OpKind::erf:
  case OpKind::rsqrt:
  case OpKind::pow: return "correctly rounded";
  case OpKind::cast:
  case OpKind::cast_sat: return "correctly rounded to a float type, towards zero to an integer type";
  case OpKind::constant: return "rounded once to the type that it meets";
  case OpKind::reduce: return "each step correctly rounded in the type of x, in any grouping that the policy admits";
  case OpKind::scan: return "each step correctly rounded in the type of x, each prefix in any grouping that the policy admits";
  case OpKind::mma: return "each step rounded in the type of acc, in any grouping, contracted and widened, where not forbidden";
  case OpKind::atomic: return "floats correctly rounded, integers exact modulo 2^width; equal atomics in any order";
  default: return "exact";
  }
}

namespace {

std::string elementwise_example(OpKind kind) {
  const OpInfo &row = info(kind);
  const bool integers = row.operands == OpOperands::integer || row.operands == OpOperands::bool_or_int;
  const std::string type = integers ? "i32" : "f32";
  std::string result = row.result == OpResult::boolean ? "bool" : type, right = "(x + 1)", value;
  if (kind == OpKind::shl || kind == OpKind::shr) right = "2";
  if (kind == OpKind::ite) value = "ite(x > 2, x, 0)";
  else if (kind == OpKind::fma) value = "fma(x, x, 1)";
  else if (kind == OpKind::cast) value = "cast(x / 3, i32)", result = "i32";
  else if (kind == OpKind::cast_sat) value = "cast_sat(x * 100, u8)", result = "u8";
  else if (kind == OpKind::bitcast) value = "bitcast(x, u32)", result = "u32";
  else if (row.spelling[0] == '\0') value = std::string(row.name) + "(x" + (row.arity == 2 ? ", x + 1" : "") + ")";
  else if (row.arity == 1) value = row.spelling + std::string("x");
  else value = std::string("x ") + row.spelling + " " + right;
  return "kernel k(X: " + type + "[8], Y: out " + result + "[8]) { axis m = 8; x = X[(0), [m]]; Y((0), [m]).store(" + value + ") }";
}

} // namespace

std::string example_of(OpKind kind) {
  if (info(kind).form == Form::elementwise) return elementwise_example(kind);
  switch (kind) {
  case OpKind::broadcast:
    return "kernel k(X: f32[6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(broadcast(X[(0), [n]], [m, n])) }";
  case OpKind::reshape:
    return "kernel k(X: f32[4, 6], Y: out f32[24]) { axis m = 4, n = 6, q = 24; Y((0), [q]).store(reshape(X[(0, 0), [m, n]], [q])) }";
  case OpKind::transpose:
    return "kernel k(X: f32[4, 6], Y: out f32[6, 4]) { axis m = 4, n = 6; Y((0, 0), [n, m]).store(transpose(X[(0, 0), [m, n]], [n, m])) }";
  case OpKind::relabel:
    return "kernel k(X: f32[4], Y: out f32[4, 4]) { axis m = 4; dims p; x = X[(0), [m]]; Y((0, 0), [m, p = 4]).store(x * relabel(x, [p])) }";
  case OpKind::take:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis m = 8; x = X[(0), [m]]; Y((0), [m]).store(x[7 - iota(m)]) }";
  case OpKind::insert:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis m = 8; x = X[(0), [m]]; Y((0), [m]).store(insert(x, zeros f32 [m = 2], (3))) }";
  case OpKind::restrict:
    return "kernel k(X: f32[8], Y: mut f32[8]) { axis m = 8; x = X[(0), [m]]; Y((0), [m]).store(restrict(x, m < 5)) }";
  case OpKind::constant: return "kernel k(Y: out f32[8]) { axis m = 8; Y((0), [m]).store(full(f32 [m], 1.5)) }";
  case OpKind::iota: return "kernel k(Y: out i64[8]) { axis m = 8; Y((0), [m]).store(iota(m)) }";
  case OpKind::extent: return "kernel k(X: f32[N], Y: out i64[1]) { Y(0).store(extent(2 * N)) }";
  case OpKind::map_coord:
    return "kernel k(Y: out i64[8]) { axis p = 8; parallel i in [p] { Y(i.p).store(map_coord(0, (a) -> (a * 3 + 1), i.p)) } }";
  case OpKind::reduce:
    return "kernel k(X: f32[4, 6], Y: out f32[4]) { axis m = 4, n = 6; Y((0), [m]).store(sum(X[(0, 0), [m, n]], n)) }";
  case OpKind::scan:
    return "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; Y((0, 0), [m, n]).store(scan(X[(0, 0), [m, n]], n, add)) }";
  case OpKind::mma:
    return "kernel k(A: f32[4, 3], B: f32[3, 5], C: out f32[4, 5]) { axis m = 4, n = 5, k = 3; C((0, 0), [m, n]).store(mma(A[(0, 0), [m, k]], B[(0, 0), [k, n]], zeros f32 [m, n])) }";
  case OpKind::load: return "kernel k(X: f32[8], Y: out f32[4]) { axis m = 4; Y((0), [m]).store(X[(2), [m]]) }";
  case OpKind::store: return "kernel k(Y: mut f32[8]) { axis m = 4; Y((2), [m]).store(zeros f32 [m]) }";
  case OpKind::atomic:
    return "kernel k(Y: mut i32[4]) { axis p = 8; parallel i in [p] { Y(mod(i.p, 4)).atomic_add(i32(1)) } }";
  case OpKind::gather: return "kernel k(X: f32[8], Y: out f32[4]) { axis m = 4; Y((0), [m]).store(X.gather(iota(m) * 2)) }";
  case OpKind::scatter: return "kernel k(X: f32[4], Y: mut f32[8]) { axis m = 4; Y.scatter(X[(0), [m]], iota(m) * 2) }";
  case OpKind::memory:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis m = 8; T = memory f32 [m] in shared; T((0), [m]).store(X[(0), [m]]); Y((0), [m]).store(T[(0), [m]]) }";
  case OpKind::assign:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis m = 8; x = X[(0), [m]]; x = x + 1; Y((0), [m]).store(x) }";
  case OpKind::parallel: return "kernel k(X: f32[8], Y: out f32[8]) { axis p = 8; parallel i in [p] { Y(i.p).store(X[i.p]) } }";
  case OpKind::serial: return "kernel k(Y: out i32[1]) { axis t = 5; s = i32(0); serial i in [t] { s = s + 1 }; Y(0).store(s) }";
  case OpKind::pipeline:
  case OpKind::stage:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis t = 8; pipeline s in [t] with stages = 2 { stage \"load\"; x = X[s.t]; stage \"store\"; Y(s.t).store(x) } }";
  case OpKind::reduce_region:
    return "kernel k(X: f32[8], Y: out f32[1]) { axis r = 8; s = f32(0); reduce i in [r] { s = s + X[i.r] }; Y(0).store(s) }";
  case OpKind::if_:
    return "kernel k(X: f32[8], Y: mut f32[8]) { axis p = 8; parallel i in [p] { if i.p < 4 { Y(i.p).store(X[i.p]) } } }";
  case OpKind::switch_:
    return "kernel k(Y: out f32[8]) { axis p = 8; parallel i in [p] { switch i.p { case 0 { Y(i.p).store(1) } default { Y(i.p).store(2) } } } }";
  case OpKind::while_:
    return "kernel k(Y: out i32[1]) { x = i32(27); n = i32(0); while x > 1 { x = ite(x % 2 == 0, x / 2, 3 * x + 1); n = n + 1 }; Y(0).store(n) }";
  case OpKind::sync:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis p = 8; T = memory f32 [p]; parallel i in [p] { T(i.p).store(X[i.p]); sync i; Y(i.p).store(T[7 - i.p]) } }";
  case OpKind::per:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis p = 8; parallel i in [p] { x = per(i, X[0]); Y(i.p).store(x) } }";
  case OpKind::assert_:
    return "kernel k(X: f32[8], Y: out f32[8]) { axis p = 8; parallel i in [p] { assert(i.p < 8, \"in range\"); Y(i.p).store(X[i.p]) } }";
  default: return {};
  }
}

} // namespace tilenest
