// SPDX-License-Identifier: Apache-2.0
// The printer object, private to text/. printer.cpp walks regions and statements, printer_uses.cpp finds out how
// each value is mentioned, printer_tree.cpp gathers operations into expressions, printer_expression.cpp
// writes them, printer_contract.cpp writes what merges a reduce's states, printer_calls.cpp puts calls of the library
// in the place of their expansions.
#pragma once
#include "semantics/text/printer.h"
#include "semantics/text/printer_names.h"
#include <memory>

namespace tilenest::text {

// Operations that one statement's expression captures, in the parser's order of capture.
struct Tree {
  OpId op;
  std::vector<std::unique_ptr<Tree>> parts; // per operand; empty: mentioned by name
  std::vector<bool> bare;                   // per operand: a literal or extent that meets its type
};

// How the parser captures the operands of an operation. `immediate` in textual order, then `deferred`
// literals and extents in the builder's order.
struct Slot {
  std::size_t operand;
  bool deferrable = false;
  enum class Meets : std::uint8_t { natural, type, nothing } meets = Meets::natural;
  ScalarType type = ScalarType::i64;
};
struct Slots {
  std::vector<Slot> textual;
  std::vector<std::size_t> deferred; // operands
};

// The program with one operation in the place of each expansion of a library call that text can show as a call.
// Only such an operation has a `call`; its operands are the tiles among the arguments in the order written.
// Without `show` every expansion stays.
TileProgram with_calls(const TileProgram &program, bool show);

// In the place of an operand's number: the condition that a while yields, what a region of a contract gives.
constexpr std::size_t yield_operand = 0xfffff;
constexpr std::size_t given_operand(std::size_t region, std::size_t i) { return 0x80000 + (region << 8) + i; }

struct Text {
  std::string text;
  int precedence; // 10: primary, 9: unary, 8 to 1: the infix operators
};

class Printer {
public:
  Printer(const TileProgram &program, const PrintOptions &options);
  std::string run();

private:
  // --- printer_uses.cpp ---
  void find_uses();
  void find_uses(RegionId region);
  void restore(const std::vector<ValueId> &before);
  void use(ValueId v, OpId op, std::size_t operand);
  std::vector<VarId> assigned_in(RegionId region) const;
  int coordinate_count(const Op &op) const;
  static bool stale_key(OpId op, std::size_t operand, std::uint64_t &key);
  bool is_stale(OpId op, std::size_t operand) const;
  std::optional<VarId> defined_variable(ValueId v) const;

  // --- printer_tree.cpp ---
  Slots slots(const Op &op) const;
  bool inlinable(ValueId v, OpId at) const;
  bool may_be_bare(const Op &op, const Slot &slot) const;
  std::unique_ptr<Tree> build(const std::vector<OpId> &ops, std::ptrdiff_t root, std::ptrdiff_t &cursor, int depth);
  bool natural_literal(const Op &constant) const;
  bool is_statement(OpKind kind) const;

  // --- printer_expression.cpp ---
  Text expression(const Tree &t);
  Text operand(const Tree &t, std::size_t i);
  std::string text(const Tree &t, std::size_t i, int least = 0);
  std::string function(std::string_view name) const; // with `@` where a view hides it
  std::string policy(std::string_view name) const;
  Text mention(ValueId v, OpId op, std::size_t operand);
  Text coordinate(ValueId v);
  Text constant(const LiteralAttr &literal, bool bare) const;
  std::string extent_value(const Extent &e, bool may_be_hidden = true) const;
  std::string list(const Tree &t, std::size_t first, std::size_t end);
  std::string space(const Space &s) const;
  std::string typed_space(ScalarType elem, const Space &s) const;
  std::string factor(const Factor &f, int position_from_right) const;
  std::string window(const Tree &t, const AccessAttr &a, std::size_t first_active);
  std::string access(const Tree &t, const AccessAttr &a, std::size_t first, char open);
  std::string indexed(const Tree &t, const IndexedAttr &a, std::size_t first, std::string leading);
  std::string origin(const Tree &t, std::size_t first, std::size_t end);
  std::string map(const Map &m) const;
  std::string index(const IndexExpr &e, const std::vector<std::string> &inputs, int least) const;
  std::string dims(const std::vector<DimId> &list) const;
  std::string call(const Tree &t);
  std::string in_where(const Tree &t, std::size_t i, const Space &domain);

  // --- printer.cpp ---
  void header();
  void region(RegionId id);
  std::unique_ptr<Tree> region_trees(RegionId id, ValueId yield, std::vector<std::unique_ptr<Tree>> &out);
  void statement(const Tree &t);
  void statements(const std::vector<std::unique_ptr<Tree>> &trees);
  bool names_results(const std::vector<std::unique_ptr<Tree>> &trees, std::size_t at) const;
  void region_statement(const Tree &t);
  void arms(const Tree &t, std::string head);
  void while_statement(const Tree &t);
  void contract(const Tree &t, std::size_t i);
  void contract_region(const Tree &t, std::size_t region);
  void block(RegionId id);
  void bind_stale(ValueId v, bool always = false);
  bool read_unseen(RegionId contribution, VarId var) const;
  void bind_arguments(RegionId id, std::size_t first);
  void views_of(ObjectId id);
  void line(std::string text);
  std::string anchor(OpId id) const;
  std::string token(const std::string &t) const;

  std::optional<TileProgram> shown_; // `p_`, where the program has calls
  const TileProgram &p_;
  PrintOptions options_;
  PrintNames names_;
  std::string out_;
  int indent_ = 0;
  std::vector<int> use_count_;                              // by value
  std::vector<VarId> variable_of_;                          // by value: whose definition it is
  std::vector<ValueId> current_;                            // by variable, while walking
  std::vector<VarId> lost_;                                 // left without a value by a reduce, while walking
  std::unordered_set<std::uint64_t> stale_;                 // uses of a definition that is not the current one
  std::unordered_set<ValueId> stale_values_;
  std::unordered_map<RegionId, std::size_t> yield_is_stale_;
  const Space *where_ = nullptr;
};

} // namespace tilenest::text
