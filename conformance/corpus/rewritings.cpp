// SPDX-License-Identifier: Apache-2.0
// Innocent operators: other coordinates for the same instances, another region for the same iterations, more order or
// more nesting than is needed.
#include "conformance/corpus/operators.h"
#include <sstream>

namespace tilenest::conformance {

namespace {

std::string one_less(const std::string &number) { return std::to_string(std::stoi(number) - 1); }

// Every use of a coordinate in the body of the region.
bool in_body(Draft &d, std::size_t header, const std::string &word, const std::string &by) {
  const std::size_t end = block_end(d, header);
  bool found = false;
  for (std::size_t i = header + 1; i < end; ++i) found = replace_word(d.lines[i].text, word, by) || found;
  return found;
}

bool renumber(Draft &d, std::size_t header, const Mark &m, const std::string &by, bool array) {
  if (array) {
    add_argument(d, "ORDER: i64[64]");
    d.directives.push_back("fill ORDER permutation " + m.words[1]);
  }
  return in_body(d, header, m.words[0], by);
}

bool enclose(Draft &d, std::size_t at, const std::string &head) {
  std::string &text = d.lines[at].text;
  const std::size_t indent = text.find_first_not_of(' ');
  if (indent == std::string::npos) return false;
  text = text.substr(0, indent) + head + " { " + text.substr(indent) + " }";
  return true;
}

// "bind N 8 12": the number that N is bound to, and another one that is as good.
bool close_extents(Draft &d, std::size_t which) {
  bool found = false;
  std::vector<std::string> kept;
  for (const std::string &line : d.directives) {
    std::istringstream words(line);
    std::string bind, name, numbers[2];
    words >> bind >> name >> numbers[0] >> numbers[1];
    if (bind != "bind") {
      kept.push_back(line);
      continue;
    }
    found = true;
    for (Line &l : d.lines) {
      replace_first(l.text, "extent(" + name + ")", numbers[which]);
      replace_word(l.text, name, numbers[which]);
    }
  }
  d.directives = kept;
  return found;
}

bool retype(Draft &d, const std::string &from, const std::string &to) {
  if (mentions(d, "view_as") || mentions(d, "i16") || mentions(d, "4[") || !mentions(d, from)) return false;
  for (Line &l : d.lines) replace_word(l.text, from, to);
  return true;
}

#define APPLY []([[maybe_unused]] Draft &d, [[maybe_unused]] std::size_t at, [[maybe_unused]] const Mark &m) -> bool
#define X m.words[0]
#define K m.words[1]

constexpr Operator rewriting_table[] = {
  // The same instances under other numbers.
  {"reverse_instances", "coord", "", false, APPLY { return renumber(d, at, m, "(" + one_less(K) + " - " + X + ")", false); }},
  {"rotate_instances", "coord", "", false, APPLY { return renumber(d, at, m, "((" + X + " + 2) % " + K + ")", false); }},
  {"permute_instances", "coord", "", true, APPLY { return renumber(d, at, m, "ORDER[" + X + "]", true); }},
  {"permute_instances_twice", "coord", "", true, APPLY { return renumber(d, at, m, "ORDER[ORDER[" + X + "]]", true); }},
  {"swap_axes", "axes", "", false, APPLY {
     std::string &text = d.lines[at].text;
     const std::size_t open = text.find('['), comma = text.find(", "), close = text.find(']');
     if (close == std::string::npos || comma > close) return false;
     text = text.substr(0, open + 1) + text.substr(comma + 2, close - comma - 2) + ", " + text.substr(open + 1, comma - open - 1) + text.substr(close);
     return true;
   }},

  // Another region.
  {"serial_instances", "parallel", "", false, APPLY {
     if (mentions(d, "sync " + X, at, block_end(d, at)) || mentions(d, "layout", at, at)) return false;
     return replace_first(d.lines[at].text, "parallel ", "serial ");
   }},
  {"sync_more", "parallel", "", false, APPLY {
     if (mentions(d, "reduce ", 0, at)) return false;
     add_line(d, at + 1, "sync " + X);
     return true;
   }},
  {"sync_twice", "sync", "", false, APPLY {
     add_line(d, at, d.lines[at].text);
     return true;
   }},
  {"pipelined", "serial", "", false, APPLY { return replace_first(d.lines[at].text, "serial ", "pipeline "); }},
  {"one_stage", "staged", "", false, APPLY {
     std::string &text = d.lines[at].text;
     if (text.find(" with") == std::string::npos) return false;
     for (std::size_t i = at; i < block_end(d, at); ++i)
       if (d.lines[i].text.find("stage \"") != std::string::npos) d.lines[i].text = "";
     text.replace(text.find(" with"), text.find(" {") - text.find(" with"), "");
     return replace_first(text, "pipeline ", "serial ");
   }},
  {"rounds_of_a_while", "loop", "", false, APPLY {
     in_body(d, at, X, "count");
     std::string &text = d.lines[at].text;
     if (text.find("serial ") == std::string::npos) return false;
     text = text.substr(0, text.find("serial ")) + "while count < " + K + " {";
     add_line(d, block_end(d, at), "count = count + 1");
     add_line(d, at, "count = i64(0)");
     return true;
   }},
  {"serial_fold", "reduce", "", false, APPLY {
     std::string &text = d.lines[at].text;
     replace_first(text, " fold_left", "");
     return replace_first(text, "reduce ", "serial ");
   }},
  {"strict_fold", "reduce", "", false, APPLY {
     return !mentions(d, "fold_left") && replace_first(d.lines[at].text, "] {", "] fold_right {");
   }},
  {"ordered_fold", "reduce", "", false, APPLY {
     return !mentions(d, "fold_left") && replace_first(d.lines[at].text, "] {", "] ordered_tree {");
   }},

  // Around a store.
  {"store_under_a_guard", "store", "", false, APPLY { return enclose(d, at, "if " + X + " < " + K); }},
  {"store_in_a_nest", "store", "", false, APPLY { return enclose(d, at, "parallel unit in [unit_axis = 1]"); }},
  {"store_in_a_loop", "store", "", false, APPLY { return enclose(d, at, "serial unit in [unit_axis = 1]"); }},
  {"store_again", "store", "", false, APPLY {
     add_line(d, at + 1, d.lines[at].text);
     return true;
   }},
  {"store_where_flagged", "store", "", false, APPLY {
     add_argument(d, "FLAG: i32[64]");
     d.directives.push_back("fill FLAG modulo 2");
     return enclose(d, at, "if FLAG[" + X + "] == 1");
   }},

  // The whole kernel.
  {"fixed_extents", "kernel", "", false, APPLY { return close_extents(d, 0); }},
  {"other_extents", "kernel", "", false, APPLY { return close_extents(d, 1); }},
  {"wider_elements", "kernel", "", false, APPLY { return retype(d, "i32", "i64"); }},
  {"doubles", "kernel", "", false, APPLY { return retype(d, "f32", "f64"); }},
  {"unsigned_elements", "kernel", "", false, APPLY { return !mentions(d, "< 0") && retype(d, "i32", "u64"); }},
};

#undef APPLY
#undef X
#undef K

} // namespace

std::span<const Operator> rewritings() { return rewriting_table; }

} // namespace tilenest::conformance
