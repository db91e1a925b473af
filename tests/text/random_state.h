// SPDX-License-Identifier: Apache-2.0
// The generator object: what is visible at the point of capture, and typed productions. random_values.cpp makes
// values of a wanted type and space, random_statements.cpp statements and regions, random_calls.cpp calls of the library.
#pragma once
#include "semantics/library/contracts.h"
#include "semantics/library/function.h"
#include "tests/text/random_program.h"
#include <set>

namespace tilenest {

class Generator {
public:
  explicit Generator(std::uint64_t seed);
  Result<TileProgram> run();

private:
  // --- choices ---
  std::uint64_t next();
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &v) { return v[static_cast<std::size_t>(below(static_cast<int>(v.size())))]; }
  ScalarType any_type() { return static_cast<ScalarType>(below(scalar_type_count)); }
  ScalarType type_where(bool (*admits)(ScalarType));
  ScalarType narrower(ScalarType t);
  std::string any_name();
  Extent any_extent();
  Factor any_factor();
  Space any_space(int most_rank);
  Space without(Space s, DimId d);
  Map any_map(int inputs, int outputs);
  IndexExpr any_index(int inputs, int depth);
  DimId fresh_dim();
  LevelId any_level() { return pick(levels_); }

  // --- values: of exactly this type and space, without predicates ---
  ValueId value(ScalarType t, const Space &s, int depth);
  ValueId scalar(ScalarType t, int depth) { return value(t, {}, depth); }
  Operand operand(ScalarType t, const Space &s, int depth); // or a literal or an extent
  Operand index(int depth);
  std::optional<ValueId> known(ScalarType t, const Space &s);
  Operand any_literal(ScalarType t);
  ValueId typed_literal(ScalarType t) { return b_.literal(t, any_literal(t)); }
  std::optional<ValueId> elementwise(ScalarType t, const Space &s, int depth);
  std::optional<ValueId> conversion(ScalarType t, const Space &s, int depth);
  std::optional<ValueId> index_map(ScalarType t, const Space &s, int depth);
  std::optional<ValueId> reduction(ScalarType t, const Space &s, int depth);
  std::optional<ValueId> contraction(ScalarType t, const Space &s, int depth);
  std::optional<ValueId> loaded(ScalarType t, const Space &s, int depth, std::vector<ValueId> active = {});
  std::optional<ValueId> gathered(ScalarType t, const Space &s, int depth);
  std::optional<ValueId> coordinate(ScalarType t, const Space &s);
  std::vector<Operand> indices(std::size_t n, const Space &s, int depth);
  Space part_of(const Space &s);
  ValueId ragged(ScalarType t, const Space &s, int depth);
  void bounds(Bounds &bounds, std::optional<Operand> &predicate, const Space &s, int depth);
  ValueId keep(ValueId v) {
    values_.push_back(v);
    return v;
  }

  // --- calls of the library ---
  void call();
  std::vector<CallArgument> arguments_of(const library::Function &f);
  CallArgument plain_argument(const library::Parameter &p, const Space &x);
  Space solid_space(std::size_t rank);
  ScalarType type_of(OpOperands types);

  // --- statements ---
  void statements(int most);
  void statement();
  void declare();
  void assign();
  void store();
  void scatter();
  void memory();
  void parallel();
  void inferred();
  void loop(OpKind kind);
  std::vector<VarId> contract();
  void branch();
  void selection();
  void rounds();
  void body(int most);
  void pin();
  std::optional<Access> window_access(ScalarType *t, Space *s, bool writable);

  struct Marks {
    std::size_t values, variables, views, scopes, levels;
  };
  Marks mark() const { return {values_.size(), variables_.size(), views_.size(), scopes_.size(), levels_.size()}; }
  void reset(const Marks &m);

  struct OpenScope {
    Scope scope;
    bool inferred = false;
    bool parallel = false;
  };

  std::uint64_t state_;
  Builder b_;
  std::vector<Extent> params_;
  std::vector<std::pair<DimId, Extent>> dims_;
  std::vector<ValueId> values_;
  std::vector<VarId> variables_;
  std::vector<ViewId> views_;
  std::vector<OpenScope> scopes_;
  std::vector<LevelId> levels_;
  std::vector<int> path_ = {0};  // length of the coordinate path per open level
  std::vector<library::Contract> contracts_{library::contracts().begin(), library::contracts().end()};
  std::set<VarId> lost_;         // local to a reduce that is closed
  int fuel_, depth_ = 0, inferred_depth_ = 0;
  bool in_pipeline_top_ = false, sync_allowed_ = false;
};

} // namespace tilenest
