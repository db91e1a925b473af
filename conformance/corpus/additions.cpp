// SPDX-License-Identifier: Apache-2.0
// Operators that add statements to the body of an outermost `parallel`, on objects of their own: E numbers the
// instances, of which there are at least three (0, 1, 2), and the added value names the instance.
#include "conformance/corpus/operators.h"

namespace tilenest::conformance {

namespace {

// An object of 128 elements, stored by what is added and by nothing else.
void add_object(Draft &d, const std::string &name, const std::string &type = "i32") { add_argument(d, name + ": mut " + type + "[128]"); }

bool put(Draft &d, std::size_t at, const std::string &text, bool blamed = false) {
  add_line(d, at + 1, text, blamed);
  return true;
}

bool may_meet(const Draft &d, std::size_t at) { // a sync of this parallel moves no other phase
  return !mentions(d, "sync ") && !mentions(d, "reduce ", 0, at);
}

// A tile of 32 elements in front of the parallel.
std::size_t add_tile(Draft &d, std::size_t at) {
  add_axis(d, "cells = 32");
  add_line(d, at, "shared = zeros i32 [cells]");
  return at + 1;
}

std::string nest(const Draft &d, std::size_t at) {
  for (const Mark &m : d.lines[at].marks)
    if (m.kind == "parallel") return m.words[0];
  return "";
}

#define APPLY []([[maybe_unused]] Draft &d, [[maybe_unused]] std::size_t at, [[maybe_unused]] const Mark &m) -> bool
#define E m.words[0]
#define OBJECT add_object(d, "SEEN")
#define VALUE "cast(" + E + ", i32)"

constexpr Operator addition_table[] = {
  // One place, and who goes there.
  {"last_writer", "host", "U0301", false, APPLY { OBJECT; return put(d, at, "SEEN(3).store(" VALUE ")", true); }},
  {"one_writer", "host", "", false, APPLY { OBJECT; return put(d, at, "if " + E + " == 2 { SEEN(3).store(" VALUE ") }"); }},
  {"flagged_twice", "host", "U0301", false, APPLY {
     OBJECT;
     add_argument(d, "FLAG: u8[64]");
     d.directives.push_back("fill FLAG ones 0 2");
     return put(d, at, "if FLAG[" + E + "] == 1 { SEEN(3).store(" VALUE ") }", true);
   }},
  {"flagged_once", "host", "", false, APPLY {
     OBJECT;
     add_argument(d, "FLAG: i32[64]");
     d.directives.push_back("fill FLAG ones 2");
     return put(d, at, "if FLAG[" + E + "] == 1 { SEEN(3).store(" VALUE ") }");
   }},
  {"masked_writers", "host", "", false, APPLY { OBJECT; return put(d, at, "SEEN(1000).store(" VALUE ")"); }},
  {"writers_that_never_run", "host", "", false, APPLY {
     OBJECT;
     return put(d, at, "serial never in [rounds = 0] { SEEN(3).store(" VALUE ") }");
   }},
  {"writers_of_equal_values", "host", "U0301", false, APPLY { OBJECT; return put(d, at, "SEEN(" + E + " % 2).store(7)", true); }},
  {"readers_of_one_cell", "host", "", false, APPLY { OBJECT; add_argument(d, "ONE: i32[4]"); return put(d, at, "SEEN(" + E + ").store(ONE[3] + " VALUE ")"); }},
  {"writer_and_reader", "host", "U0301", false, APPLY {
     OBJECT;
     add_object(d, "COPY");
     put(d, at, "COPY(" + E + ").store(SEEN[(" + E + " + 1) % " + m.words[1] + "])", true);
     return put(d, at, "SEEN(" + E + ").store(" VALUE ")", true);
   }},
  {"readers_before_the_writer", "host", "U0301", false, APPLY { // who reads last writes
     OBJECT;
     add_object(d, "COPY");
     put(d, at, "if " + E + " == " + m.words[1] + " - 1 { SEEN(1).store(" VALUE ") }", true);
     return put(d, at, "COPY(" + E + ").store(SEEN[" + E + " * 0 + 1])", true);
   }},
  {"writer_reads_back", "host", "", false, APPLY {
     OBJECT;
     add_object(d, "COPY");
     put(d, at, "COPY(" + E + ").store(SEEN[" + E + "])");
     return put(d, at, "SEEN(" + E + ").store(" VALUE ")");
   }},

  // Atomics.
  {"counter", "host", "", false, APPLY { OBJECT; return put(d, at, "SEEN(0).atomic_add(" VALUE ")"); }},
  {"counter_and_store", "host", "U0301", false, APPLY {
     OBJECT;
     put(d, at, "if " + E + " == 1 { SEEN(0).store(" VALUE ") }", true);
     return put(d, at, "SEEN(0).atomic_add(" VALUE ")", true);
   }},
  {"counter_and_load", "host", "U0301", false, APPLY {
     OBJECT;
     add_object(d, "COPY");
     put(d, at, "COPY(" + E + ").store(SEEN[" + E + " % 2])", true);
     return put(d, at, "SEEN(0).atomic_add(" VALUE ")", true);
   }},
  {"counters_of_two_types", "host", "U0301", false, APPLY {
     OBJECT;
     put(d, at, "unsigned(0).atomic_add(cast(" + E + ", u32))", true);
     put(d, at, "SEEN(0).atomic_add(" VALUE ")", true);
     return put(d, at, "unsigned = SEEN.view_as(u32)");
   }},

  // Two views of one buffer.
  {"halves_apart", "host", "", false, APPLY {
     OBJECT;
     put(d, at, "half(" + E + ").store(cast(" + E + ", i16))");
     return put(d, at, "half = SEEN.view_as(i16)");
   }},
  {"half_of_a_word", "host", "U0301", false, APPLY {
     OBJECT;
     put(d, at, "half((" + E + " * 4 + 5) % (4 * " + m.words[1] + ")).store(cast(" + E + ", i16))", true);
     put(d, at, "SEEN(" + E + " * 2).store(" VALUE ")", true);
     return put(d, at, "half = SEEN.view_as(i16)");
   }},
  {"half_beside_a_word", "host", "", false, APPLY {
     OBJECT;
     put(d, at, "half((" + E + " * 4 + 6) % (4 * " + m.words[1] + ")).store(cast(" + E + ", i16))");
     put(d, at, "SEEN(" + E + " * 2).store(" VALUE ")");
     return put(d, at, "half = SEEN.view_as(i16)");
   }},
  {"byte_of_a_word", "host", "U0301", false, APPLY {
     OBJECT;
     put(d, at, "if " + E + " == 0 { byte(7).store(cast(" + E + ", u8)) }", true);
     put(d, at, "if " + E + " == 1 { SEEN(1).store(" VALUE ") }", true);
     return put(d, at, "byte = SEEN.view_as(u8)");
   }},
  {"byte_beside_a_word", "host", "", false, APPLY {
     OBJECT;
     put(d, at, "if " + E + " == 0 { byte(8).store(cast(" + E + ", u8)) }");
     put(d, at, "if " + E + " == 1 { SEEN(1).store(" VALUE ") }");
     return put(d, at, "byte = SEEN.view_as(u8)");
   }},
  {"nibbles_apart", "host", "", false, APPLY {
     add_object(d, "NIBBLES", "u4");
     return put(d, at, "NIBBLES(" + E + " + 1).store(cast(cast(" + E + " % 16, u8), u4))");
   }},
  {"nibble_shared", "host", "U0301", false, APPLY {
     add_object(d, "NIBBLES", "u4");
     return put(d, at, "NIBBLES(" + E + " / 2).store(cast(cast(" + E + " % 16, u8), u4))", true);
   }},

  // Lifted events.
  {"lifted_store_apart", "host", "", false, APPLY {
     OBJECT;
     put(d, at, "SEEN(" + E + " + 1).store(" VALUE ")");
     return put(d, at, "SEEN(0).store(5)");
   }},
  {"lifted_store_meets", "host", "U0301", false, APPLY {
     OBJECT;
     put(d, at, "SEEN(" + E + ").store(" VALUE ")", true);
     return put(d, at, "SEEN(0).store(5)", true);
   }},
  {"lifted_load_meets", "host", "U0301", false, APPLY {
     OBJECT;
     add_object(d, "COPY");
     put(d, at, "COPY(" + E + ").store(SEEN[1] + " VALUE ")", true);
     return put(d, at, "SEEN(" + E + ").store(" VALUE ")", true);
   }},
  {"lifted_stores_in_order", "host", "", false, APPLY {
     OBJECT;
     put(d, at, "SEEN(0).store(6)");
     return put(d, at, "SEEN(0).store(5)");
   }},

  // Memories.
  {"private_cell", "host", "", false, APPLY {
     OBJECT;
     put(d, at, "SEEN(" + E + ").store(cell[0])");
     put(d, at, "cell(0).store(" VALUE ")");
     return put(d, at, "cell = memory i32 [2]");
   }},
  {"cell_never_stored", "host", "U0106", false, APPLY {
     OBJECT;
     put(d, at, "SEEN(" + E + ").store(cell[1])", true);
     put(d, at, "cell(0).store(" VALUE ")");
     return put(d, at, "cell = memory i32 [2]");
   }},
  {"cell_shared", "host", "U0301", false, APPLY {
     add_line(d, at, "cell = memory i32 [2]");
     return put(d, at + 1, "cell(0).store(" VALUE ")", true);
   }},

  // Syncs.
  {"sync_for_some", "host", "U0401", false, APPLY {
     return may_meet(d, at) && put(d, at, "if " + E + " > 0 { sync " + nest(d, at) + " }", true);
   }},
  {"sync_here_or_there", "host", "U0401", false, APPLY {
     const std::string s = "{ sync " + nest(d, at) + " }";
     return may_meet(d, at) && put(d, at, "if " + E + " > 0 " + s + " else " + s, true);
   }},
  {"sync_more_often", "host", "U0401", false, APPLY {
     if (!may_meet(d, at)) return false;
     put(d, at, "while rounds < " + E + " { sync " + nest(d, at) + "; rounds = rounds + 1 }", true);
     return put(d, at, "rounds = i64(0)");
   }},
  {"sync_equally_often", "host", "", false, APPLY {
     if (!may_meet(d, at)) return false;
     put(d, at, "while rounds < 3 { sync " + nest(d, at) + "; rounds = rounds + 1 }");
     return put(d, at, "rounds = i64(0)");
   }},

  // Stores of several elements.
  {"scatter_permuted", "host", "", true, APPLY {
     OBJECT;
     add_axis(d, "two = 2");
     add_argument(d, "PAIRS: i64[64]");
     d.directives.push_back("fill PAIRS permutation " + std::to_string(2 * std::stoi(m.words[1])));
     return put(d, at, "SEEN.scatter(cast(iota(two), i32) + " VALUE ", PAIRS[" + E + " * 2, [two]])");
   }},
  {"scatter_repeated", "host", "U0304", false, APPLY {
     OBJECT;
     add_axis(d, "two = 2");
     return put(d, at, "SEEN.scatter(cast(iota(two), i32) + " VALUE ", iota(two) / 2 + " + E + ")", true);
   }},

  // Contributions of a reduce.
  {"contributions_apart", "host", "", false, APPLY {
     OBJECT;
     return put(d, at, "reduce c in [three = 3] { SEEN(" + E + " * 3 + c.three).store(cast(c.three, i32)) }");
   }},
  {"contributions_together", "host", "U0301", false, APPLY {
     OBJECT;
     return put(d, at, "reduce c in [three = 3] { SEEN(" + E + ").store(cast(c.three, i32)) }", true);
   }},

  // A nest inside.
  {"inner_coordinate_alone", "host", "U0301", false, APPLY {
     OBJECT;
     return put(d, at, "parallel inner in [three = 3] { SEEN(inner.three).store(" VALUE ") }", true);
   }},
  {"outer_coordinate_alone", "host", "U0301", false, APPLY {
     OBJECT;
     return put(d, at, "parallel inner in [three = 3] { SEEN(" + E + ").store(cast(inner.three, i32)) }", true);
   }},
  {"both_coordinates", "host", "", false, APPLY {
     OBJECT;
     return put(d, at, "parallel inner in [three = 3] { SEEN(" + E + " * 3 + inner.three).store(" VALUE ") }");
   }},
  {"sync_of_the_inner_nest", "host", "U0301", false, APPLY {
     OBJECT;
     add_object(d, "COPY");
     put(d, at, "}");
     put(d, at, "COPY(" + E + " * 3 + inner.three).store(SEEN[((" + E + " + 1) % " + m.words[1] + ") * 3 + inner.three])", true);
     put(d, at, "sync inner");
     put(d, at, "SEEN(" + E + " * 3 + inner.three).store(" VALUE ")", true);
     return put(d, at, "parallel inner in [three = 3] {");
   }},
  {"sync_inside_the_inner_nest", "host", "", false, APPLY {
     OBJECT;
     add_object(d, "COPY");
     put(d, at, "}");
     put(d, at, "COPY(" + E + " * 3 + inner.three).store(SEEN[" + E + " * 3 + 2 - inner.three])");
     put(d, at, "sync inner");
     put(d, at, "SEEN(" + E + " * 3 + inner.three).store(" VALUE ")");
     return put(d, at, "parallel inner in [three = 3] {");
   }},
  {"two_paths_to_one", "host", "U0402", false, APPLY {
     OBJECT;
     return put(d, at, "parallel inner in [three = 3] layout (floordiv(three, 2)) { SEEN(" + E + " * 3 + inner.three).store(" VALUE ") }", true);
   }},

  // Tiles of ancestors.
  {"shared_tile_in_windows", "host", "", false, APPLY {
     at = add_tile(d, at);
     return put(d, at, "shared = insert(shared, full(i32 [cells = 1], " VALUE "), (" + E + "))");
   }},
  {"shared_tile_updated", "host", "U0302 U0305", false, APPLY {
     at = add_tile(d, at);
     return put(d, at, "shared = shared + " VALUE, true);
   }},
  {"shared_tile_replaced", "host", "U0302", false, APPLY {
     at = add_tile(d, at);
     return put(d, at, "shared = full(i32 [cells], " VALUE ")", true);
   }},
  {"shared_tile_overlapping", "host", "U0302", false, APPLY {
     at = add_tile(d, at);
     return put(d, at, "shared = insert(shared, full(i32 [cells = 2], " VALUE "), (" + E + "))", true);
   }},
  {"shared_tile_read", "host", "U0305", false, APPLY {
     at = add_tile(d, at);
     OBJECT;
     put(d, at, "SEEN(" + E + ").store(shared[(" + E + " + 1) % " + m.words[1] + "])", true);
     return put(d, at, "shared = insert(shared, full(i32 [cells = 1], " VALUE "), (" + E + "))", true);
   }},
  {"read_foreign_element", "element", "U0305", false, APPLY {
     OBJECT;
     d.lines[at].blamed = true;
     return put(d, at, "SEEN(" + m.words[3] + ").store(" + m.words[0] + "[" + m.words[2] + "])", true);
   }},
  {"read_own_element", "element", "", false, APPLY {
     OBJECT;
     return put(d, at, "SEEN(" + m.words[3] + ").store(" + m.words[0] + "[" + m.words[1] + "])");
   }},
};

#undef APPLY
#undef E
#undef OBJECT
#undef VALUE

} // namespace

std::span<const Operator> additions() { return addition_table; }

} // namespace tilenest::conformance
