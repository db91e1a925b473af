// SPDX-License-Identifier: Apache-2.0
// Operators that change what stands at a mark: coordinates of stores and loads, values, syncs, regions.
#include "conformance/corpus/operators.h"

namespace tilenest::conformance {

namespace {

std::string less(const std::string &number, int by) { return std::to_string(std::stoi(number) - by); }

// The violation is reported at the line of this name, too.
bool blame(Draft &d, const std::string &name) {
  const std::size_t line = line_named(d, name);
  if (line != nowhere) d.lines[line].blamed = true;
  return line != nowhere;
}

bool in_origin(Draft &d, std::size_t at, const std::string &word, const std::string &by, bool planted) {
  std::string &text = d.lines[at].text;
  d.lines[at].blamed = planted;
  return replace_word(text, origin_of(text), word, by);
}

// An array whose first elements are a permutation, or one with an entry that occurs twice. Its type tells operators apart
// whose kernels would differ in their data alone.
std::string index_array(Draft &d, const std::string &name, const char *type, const char *how, const std::string &count) {
  add_argument(d, name + ": " + type + "[64]");
  d.directives.push_back("fill " + name + " " + how + " " + count);
  return name;
}

bool wrap_value(Draft &d, std::size_t at, const std::string &before, const std::string &after, bool planted) {
  std::string &text = d.lines[at].text;
  const Part v = value_of(text);
  if (v.end == 0) return false;
  text.insert(v.end, after);
  text.insert(v.begin, before);
  d.lines[at].blamed = planted;
  return true;
}

bool in_access(Draft &d, std::size_t at, const Mark &m, const std::string &coordinate, const std::string &bounds, bool planted) {
  std::string &text = d.lines[at].text;
  const Part a = access_of(text, m.words[0]);
  if (a.end == 0 || (!bounds.empty() && text.substr(a.begin, a.end - a.begin).find("where") != std::string::npos)) return false;
  text.insert(a.end, bounds);
  d.lines[at].blamed = planted;
  return replace_word(text, a, m.words[1], coordinate);
}

// A region becomes a parallel, so that its line A, which reads and updates, is one of all instances at once.
bool as_parallel(Draft &d, std::size_t at, const std::string &region, const std::string &line) {
  std::string &text = d.lines[at].text;
  for (const char *grouping : {" fold_left", " fold_right", " ordered_tree", " unordered_tree"}) replace_first(text, grouping, "");
  return blame(d, line) && replace_first(text, region + " ", "parallel ");
}

bool without_line(Draft &d, std::size_t at, const std::vector<std::string> &blamed) {
  for (const std::string &name : blamed)
    if (!blame(d, name)) return false;
  d.lines[at].text = "";
  return true;
}

#define APPLY []([[maybe_unused]] Draft &d, [[maybe_unused]] std::size_t at, [[maybe_unused]] const Mark &m) -> bool
#define X m.words[0]
#define K m.words[1]

constexpr Operator edit_table[] = {
  // Two instances come to one place.
  {"drop_coordinate", "store", "U0301", false, APPLY { return in_origin(d, at, X, "0", true); }},
  {"halve_coordinate", "store", "U0301", false, APPLY { return in_origin(d, at, X, "(" + X + " / 2)", true); }},
  {"wrap_coordinate", "store", "U0301", false, APPLY { return in_origin(d, at, X, "(" + X + " % " + less(K, 1) + ")", true); }},
  {"clamp_coordinate", "store", "U0301", false, APPLY { return in_origin(d, at, X, "min(" + X + ", " + less(K, 2) + ")", true); }},
  {"redirect_last", "store", "U0301", false,
   APPLY { return in_origin(d, at, X, "ite(" + X + " == " + less(K, 1) + ", 0, " + X + ")", true); }},
  {"repeat_entry", "store", "U0301", false,
   APPLY { return in_origin(d, at, X, index_array(d, "AGAIN", "i32", "repeated", K) + "[" + X + "]", true); }},
  {"repeat_in_permutation", "indexed", "U0301", false, APPLY {
     if (m.words.size() > 2 && !blame(d, m.words[2])) return false;
     d.lines[at].blamed = m.words.size() == 2;
     for (std::string &line : d.directives)
       if (replace_first(line, "fill " + X + " permutation", "fill " + X + " repeated"))
         return replace_first(d.lines[0].text, X + ": i64[", X + ": i32[");
     return false;
   }},
  // They only change places.
  {"reverse_stores", "store", "", false, APPLY { return in_origin(d, at, X, "(" + less(K, 1) + " - " + X + ")", false); }},
  {"rotate_stores", "store", "", false, APPLY { return in_origin(d, at, X, "((" + X + " + 1) % " + K + ")", false); }},
  {"pair_stores", "store", "", false,
   APPLY { return std::stoi(K) % 2 == 0 && in_origin(d, at, X, "(" + X + " ^ 1)", false); }},
  {"permute_stores", "store", "", true,
   APPLY { return in_origin(d, at, X, index_array(d, "PERM", "i64", "permutation", K) + "[" + X + "]", false); }},
  {"permute_stores_twice", "store", "", true, APPLY {
     index_array(d, "PERM", "i64", "permutation", K);
     return in_origin(d, at, X, "PERM[PERM[" + X + "]]", false);
   }},
  {"permute_stores_backwards", "store", "", true, APPLY {
     index_array(d, "PERM", "i64", "permutation", K);
     return in_origin(d, at, X, "(" + less(K, 1) + " - PERM[" + X + "])", false);
   }},

  // Values that do not exist reach a store.
  {"divide_by_zero", "value", "U0101", false, APPLY { return wrap_value(d, at, "(", ") / cast(" + X + " - 1, i32)", true); }},
  {"shift_too_far", "value", "U0102", false, APPLY { return wrap_value(d, at, "(", ") >> cast(" + X + " + 30, i32)", true); }},
  {"cast_too_large", "value", "U0103", false,
   APPLY { return wrap_value(d, at, "(", ") + cast(cast(" + X + ", f32) * 1073741824.0, i32)", true); }},
  {"take_outside", "value", "U0104", false, APPLY {
     add_axis(d, "pair = 2");
     return wrap_value(d, at, "(", ") + cast(take(iota(pair), " + X + "), i32)", true);
   }},
  {"take_inactive", "value", "U0107", false, APPLY {
     add_axis(d, "three = 64");
     return wrap_value(d, at, "(", ") + cast(take(restrict(iota(three), three < 2), " + X + "), i32)", true);
   }},
  {"divide_guarded", "value", "", false, APPLY {
     return wrap_value(d, at, "ite(" + X + " == 1, 0, (", ") / cast(" + X + " - 1, i32))", false);
   }},
  {"shift_far_enough", "value", "", false, APPLY { return wrap_value(d, at, "(", ") >> cast(" + X + " % 32, i32)", false); }},
  {"take_inside", "value", "", false, APPLY {
     add_axis(d, "pair = 2");
     return wrap_value(d, at, "(", ") + cast(take(iota(pair), " + X + " % 2), i32)", false);
   }},

  // Loads at and past the end.
  {"promise_broken", "load", "U0201", false, APPLY { return in_access(d, at, m, "(" + K + " + 1)", ", assume", true); }},
  {"predicate_wrong", "load", "U0202", false, APPLY { return in_access(d, at, m, "(" + K + " + 1)", ", predicate(" + K + " >= 0)", true); }},
  {"predicate_false", "load", "U0105", false, APPLY { return in_access(d, at, m, K, ", predicate(" + K + " != 1)", true); }},
  {"index_wraps", "load", "U0203", false, APPLY { return in_access(d, at, m, "(cast(" + K + ", i8) * 64)", "", true); }},
  {"promise_kept", "load", "", false, APPLY { return in_access(d, at, m, K, ", assume", false); }},
  {"predicate_right", "load", "", false, APPLY {
     return in_access(d, at, m, "(" + K + " + 1)", ", predicate(" + K + " + 1 < " + m.words[2] + "), fallback(0)", false);
   }},
  {"load_beyond", "load", "", false, APPLY { return in_access(d, at, m, "(" + K + " + 1)", "", false); }},
  {"narrow_index", "load", "", false, APPLY { return in_access(d, at, m, "cast(" + K + ", i8)", "", false); }},
  {"permute_loads", "load", "", false,
   APPLY { return in_access(d, at, m, index_array(d, "FROM", "i32", "permutation", m.words[2]) + "[" + K + "]", "", false); }},

  // Order that is missing.
  {"drop_sync", "sync", "U0301", false, APPLY { return without_line(d, at, m.words); }},
  {"drop_initialiser", "init", "U0106", false, APPLY { return without_line(d, at, m.words); }},
  {"parallel_fold", "fold", "U0302 U0305", false, APPLY { return as_parallel(d, at, "reduce", X); }},
  {"parallel_chain", "chain", "U0302 U0305", false, APPLY { return as_parallel(d, at, "serial", X); }},
  {"parallel_in_place", "in_place", "U0301", false, APPLY { return as_parallel(d, at, "serial", X); }},
  {"same_buffer", "same_buffer", "U0301", false, APPLY {
     d.lines[at].blamed = true;
     return blame(d, K) && replace_word(d.lines[at].text, {0, d.lines[at].text.find(".store")}, X, "1 - " + X);
   }},
  {"lifted_store_met", "meets", "U0301", false, APPLY {
     return blame(d, X) && in_origin(d, at, K + " + 1", K, true);
   }},
  {"two_paths", "layout", "U0402", false, APPLY {
     d.lines[at].blamed = true;
     return replace_first(d.lines[at].text, "i * 2 + 1", "floordiv(i, 2)");
   }},

  // Atomics.
  {"plain_store", "atomic", "U0301", false, APPLY {
     std::string &text = d.lines[at].text;
     d.lines[at].blamed = true;
     return replace_first(text, ".atomic_add(", ".store(") || replace_first(text, ".atomic_min(", ".store(");
   }},
  {"two_kinds", "atomic", "U0301", false, APPLY {
     std::string other = d.lines[at].text;
     if (!replace_first(other, ".atomic_add(", ".atomic_max(") && !replace_first(other, ".atomic_min(", ".atomic_max(")) return false;
     d.lines[at].blamed = true;
     add_line(d, at + 1, other, true);
     return true;
   }},
  {"plain_scatter", "reducer", "U0301 U0304", false, APPLY {
     d.lines[at].blamed = true;
     return replace_first(d.lines[at].text, ".scatter_add(full(i32 [m], 1)", ".scatter(full(i32 [m], 1) + cast(p.t, i32)");
   }},
  {"repeat_atomic", "atomic", "", false, APPLY {
     add_line(d, at + 1, d.lines[at].text);
     return true;
   }},
  {"other_atomic", "atomic", "", false, APPLY {
     std::string &text = d.lines[at].text;
     return replace_first(text, ".atomic_add(", ".atomic_max(") || replace_first(text, ".atomic_min(", ".atomic_add(");
   }},

  // Windows of one tile.
  {"insert_at_one_place", "join", "U0302", false, APPLY {
     d.lines[at].blamed = true;
     return replace_word(d.lines[at].text, X, "0");
   }},
  {"insert_overlapping", "join", "U0302", false, APPLY {
     if (m.words[2] == "1") return false;
     d.lines[at].blamed = true;
     return replace_first(d.lines[at].text, X + " * " + m.words[2], X + " * " + less(m.words[2], 1));
   }},
  {"insert_outside", "join", "U0303", false, APPLY {
     d.lines[at].blamed = true;
     return replace_word(d.lines[at].text, X, "(" + X + " + 1)");
   }},
  {"insert_repeated", "join", "U0302", false, APPLY {
     d.lines[at].blamed = true;
     return replace_word(d.lines[at].text, X, index_array(d, "AGAIN", "i32", "repeated", K) + "[" + X + "]");
   }},
  {"insert_reversed", "join", "", false, APPLY { return replace_word(d.lines[at].text, X, "(" + less(K, 1) + " - " + X + ")"); }},
  {"insert_permuted", "join", "", true,
   APPLY { return replace_word(d.lines[at].text, X, index_array(d, "PERM", "i64", "permutation", K) + "[" + X + "]"); }},
};

#undef APPLY
#undef X
#undef K

} // namespace

std::span<const Operator> edits() { return edit_table; }

} // namespace tilenest::conformance
