// SPDX-License-Identifier: Apache-2.0
// Notes: where a mark (VAL-MARK) or a wrapped integer (NUM-WRAP) came from, and the operations that it passed
// through. A note is silent until it reaches something observable; report.cpp then walks it back.
#pragma once
#include "interp/tile.h"
#include "semantics/numerics/primitives.h"
#include "semantics/program/program.h"
#include <span>
#include <string>
#include <unordered_map>

namespace tilenest {

enum class NoteKind : std::uint8_t {
  division_by_zero,
  shift_count,
  does_not_fit,      // a float that its integer cannot hold
  out_of_tile,       // take outside its operand
  predicate_false,   // bounds::predicate without fallback
  undefined_element, // MEM-INIT
  inactive_point,    // IDX-PRED
  wrapped,           // NUM-WRAP; not a mark
};

struct NoteEntry {
  NoteKind kind;
  bool reported = false;  // its cause was reported: what only this mark causes is suppressed (OUT-CONT)
  std::uint8_t width = 0; // wrapped: bits of the arithmetic
  OpId op;                // where it was made, or passed through
  Note from = 0;          // the note that passed through, 0 at the origin
  Note also = 0;          // a mark of another cause that came to the same element
  std::int64_t element = 0;
  std::string where;      // the instance, by name, at the origin
  // A wrap: "2621440000 became -1673527296 in i32". Else a note of the report: "of `X[3]`", "the count is 40, i32 has
  // 32 bits".
  std::string detail;
};

// "2621440000 became -1673527296 in i32": an operation on integers in real arithmetic, and what it gave.
std::string wrap_text(Primitive primitive, ScalarType computes_in, std::span<const std::uint64_t> operands,
                      ScalarType result);

class NoteTable {
public:
  NoteTable() : entries_(1) {}
  NoteEntry &operator[](Note n) { return entries_[n]; }
  const NoteEntry &operator[](Note n) const { return entries_[n]; }
  Note add(NoteEntry entry) {
    entries_.push_back(std::move(entry));
    return static_cast<Note>(entries_.size() - 1);
  }
  // The note `from` after it passed through `op`; one entry per pair.
  Note pass(Note from, OpId op) {
    auto [at, fresh] = passed_.try_emplace(std::uint64_t{from} << 32 | op.index, 0);
    if (fresh) {
      NoteEntry e = entries_[from];
      e.op = op;
      e.from = from;
      e.where.clear();
      e.detail.clear();
      at->second = add(std::move(e));
    }
    return at->second;
  }
  // Two marks that reach one element are two causes, each once; a mark that was reported adds none.
  Note both(Note a, Note b) {
    if (a == 0 || reported(a)) return b ? b : a;
    if (b == 0 || reported(b)) return a;
    for (Note n = b; n != 0; n = entries_[n].from)
      if (entries_[n].also != 0 && !holds(a, entries_[n].also)) a = joined(a, entries_[n].also);
    return holds(a, b) ? a : joined(a, b);
  }
  Note origin(Note n) const {
    while (entries_[n].from) n = entries_[n].from;
    return n;
  }
  bool is_mark(Note n) const { return n != 0 && entries_[n].kind != NoteKind::wrapped; }
  bool is_wrap(Note n) const { return n != 0 && entries_[n].kind == NoteKind::wrapped; }
  std::size_t size() const { return entries_.size(); }

private:
  bool reported(Note n) const {
    for (; n != 0; n = entries_[n].from)
      if ((entries_[n].also != 0 && !reported(entries_[n].also)) || (entries_[n].from == 0 && !entries_[n].reported)) return false;
    return true;
  }
  // Whether one of the causes of `a` is that of `b`'s origin.
  bool holds(Note a, Note b) const {
    const NoteEntry &cause = entries_[origin(b)];
    for (; a != 0; a = entries_[a].from)
      if ((entries_[a].also != 0 && holds(entries_[a].also, b)) ||
          (entries_[a].from == 0 && entries_[a].kind == cause.kind && entries_[a].op == cause.op))
        return true;
    return false;
  }
  Note joined(Note a, Note b) {
    NoteEntry e = entries_[a];
    e.from = a;
    e.also = b;
    e.where.clear();
    e.detail.clear();
    return add(std::move(e));
  }

  std::vector<NoteEntry> entries_;
  std::unordered_map<std::uint64_t, Note> passed_;
};

} // namespace tilenest
