// SPDX-License-Identifier: Apache-2.0
// The parser object, private to text/. Its functions are grouped by chapter of the grammar, one file each:
// parser.cpp (file, kernel, tokens, errors), parser_statement.cpp, parser_region.cpp, parser_contract.cpp, parser_expression.cpp,
// parser_primary.cpp, parser_call.cpp, parser_library.cpp, parser_access.cpp, parser_shape.cpp (extents, shapes), parser_map.cpp,
// parser_foreign.cpp (what is written as in other languages).
// Errors of syntax set `panic_`; everything after them is silent until the statement's end.
#pragma once
#include "semantics/library/function.h"
#include "semantics/text/lexer.h"
#include "semantics/text/parser.h"
#include "semantics/text/scope.h"
#include "semantics/text/words.h"
#include <functional>
#include <set>

namespace tilenest::text {

struct Mark { // where a construct begins
  std::string_view from;
  std::uint32_t line = 0, column = 0;
};

// What an expression stands for. `operand` may hold a literal or an extent, which meets its type later.
struct Expr {
  enum class Kind : std::uint8_t { broken, operand, tuple, coordinates, view, nest, dim, access, effect, results };
  Kind kind = Kind::broken;
  Mark begin;
  const char *end = nullptr;          // behind its last token
  Operand operand;
  std::vector<Operand> tuple;         // tuple, results
  Symbol *nest = nullptr;             // nest, coordinates
  ViewId view;
  Symbol *dim = nullptr;
  std::shared_ptr<Access> access;

  bool broken() const { return kind == Kind::broken; }
};

class Parser {
public:
  Parser(std::shared_ptr<const SourceFile> file, ParsedFile &out, ProductionCounts *counts);
  void run();

private:
  // --- parser.cpp: tokens, places, errors ---
  const Token &peek(int ahead = 0) { return lexer_.peek(ahead); }
  Token take();
  bool at(std::string_view text) { return peek().is(text); }
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  void unexpected(std::string expected, std::string help = {});
  std::string help_at(const Token &t) const;
  void skip_hash_comment();
  // True if the next token belongs to the line of the expression before it.
  bool continues() { return brackets_ > 0 || !peek().newline_before; }
  Mark mark();
  Site since(const Mark &m);
  Site site(const Expr &e);
  void capture_at(const Mark &m);
  Diagnostic *report(Code code, Site site, std::vector<std::pair<std::string, std::string>> args,
                     std::string help = {});
  void stop(Code code, const char *argument, std::string limit);
  void count(Production p) {
    if (counts_) ++(*counts_)[static_cast<std::size_t>(p)];
  }
  std::optional<Token> name(const char *expected);
  std::optional<Token> new_name(const char *expected);
  bool declare(const Token &name, Symbol symbol);
  bool declare(const std::string &name, Site site, Symbol symbol);
  Symbol *lookup(const Token &name);                 // reports P0006
  void wrong_kind(const Token &name, const Symbol &s, const std::string &expected);
  std::optional<ScalarType> type_name();
  std::optional<std::int64_t> integer(bool negative_allowed);
  std::optional<bool> boolean();
  void kernel();
  void parameter();
  void synchronize();
  void skip_block();
  struct Deeper { // one level of nesting; reports L0101 and stops at the limit
    Parser &p;
    bool ok;
    explicit Deeper(Parser &parser);
    ~Deeper() { --p.depth_; }
  };
  struct Brackets { // inside ( ) or [ ] a newline ends nothing
    Parser &p;
    explicit Brackets(Parser &parser) : p(parser) { ++p.brackets_; }
    ~Brackets() { --p.brackets_; }
  };

  // --- parser_statement.cpp ---
  void block();
  void close_block(const Site &open);
  void statements(std::string_view terminator);
  void statement();
  void end_of_statement();
  void axis_declaration();
  void dims_declaration();
  void value_binding();
  void name_statement();
  void memory_declaration(const Token &name, const Mark &begin);
  void define(const Token &name, const Mark &begin, const Expr &e, bool with_anchor = true);
  void broken(const Token &name);
  void expression_statement();
  void assigned_access(const Expr &target);
  bool foreign_statement();
  void assertion();
  void sync_statement();
  std::optional<LevelId> anchor_clause();
  void anchor();

  // --- parser_region.cpp ---
  void parallel_region();
  void loop_region(OpKind kind);
  void stage();
  void if_statement();
  void switch_statement();
  void while_statement();
  std::optional<ValueId> predicate(const Space &domain);
  std::optional<std::string> token_name(const char *expected);

  // --- parser_contract.cpp ---
  void contract_clause();
  void contract_block();

  // --- parser_primary.cpp ---
  Expr primary();
  Expr parenthesised();
  Expr literal(bool negative, const Mark &begin);
  Expr symbol_use(const Token &name, const Mark &begin);
  Expr named(const Mark &begin);
  Expr function_use(const Mark &begin);
  std::optional<Token> value_name();
  void skip_arguments();

  // --- parser_expression.cpp ---
  Expr expression();
  Expr binary(int least);
  Expr unary();
  Expr postfix(Expr e);
  Expr member(Expr e);
  Expr nest_member(Expr e, const Token &name);
  Expr apply(OpKind kind, std::vector<Expr> operands, const Mark &begin);
  Expr made(ValueId v, const Mark &begin);
  Expr made(Operand o, const Mark &begin);
  std::optional<ValueId> value(const Expr &e);
  std::optional<Operand> operand(const Expr &e);
  std::optional<std::vector<Operand>> tuple(const Expr &e, ViewId view = {});
  std::optional<ValueId> value_argument() { return value(expression()); }
  std::optional<Operand> operand_argument() { return operand(expression()); }

  // --- parser_call.cpp ---
  Expr call(const Token &name, const Mark &begin);
  Expr shaped_call(const Token &name, const Mark &begin);
  Expr index_map_call(const Token &name, const Mark &begin);
  Expr reduction_call(Reducer reducer, const Mark &begin);
  Expr scan_call(const Mark &begin);
  Expr mma_call(const Mark &begin);
  Expr map_coord_call(const Mark &begin);
  Expr wrong_count(const std::string &what, const std::string &expected, std::size_t found, const Mark &begin);
  // Reports an option that contradicts or repeats an earlier one.
  void second_option(std::string_view call, const std::string &expected, const std::string &found, const Mark &begin);
  bool one_policy(std::string &given, const std::string &word, std::string_view call, const Mark &begin);
  Expr ends_early(std::string_view function, std::string_view last, std::string_view next, const Mark &begin);
  bool once(bool &given, std::string_view call, std::string_view option, const Mark &begin);
  // Parses an argument; a report that it is none says for which parameter of the function it stands.
  template <class Parse> auto argument(std::string_view parameter, std::string_view function, Parse parse) {
    const std::size_t before = out_.diagnostics.size();
    const Mark begin = mark();
    auto result = parse();
    if (!result) name_argument(parameter, function, before, begin);
    return result;
  }
  void name_argument(std::string_view parameter, std::string_view function, std::size_t before, const Mark &begin);
  std::optional<ValueId> value_argument(std::string_view parameter, std::string_view function) {
    return argument(parameter, function, [&] { return value_argument(); });
  }
  std::optional<Operand> operand_argument(std::string_view parameter, std::string_view function) {
    return argument(parameter, function, [&] { return operand_argument(); });
  }

  // --- parser_library.cpp ---
  Expr library_call(const Token &name, const Mark &begin);
  bool library_argument(const library::Parameter &parameter, CallArgument &out);
  void say_by_name(const library::Function &f, const library::Parameter &several, const Token &given);
  bool library_text(CallArgument &out);
  void multiple_assignment(const Mark &begin, const Token *first = nullptr);

  // --- parser_access.cpp ---
  Expr access(ViewId view, const Mark &begin, bool brackets);
  Expr access_member(Expr e, const Token &name);
  Expr view_member(Expr e, const Token &name);
  Expr gather(Expr e, const Token &name);
  struct Policies { // the words that an access has had
    std::string bounds;
    bool fallback = false;
    bool any() const { return fallback || !bounds.empty(); }
  };
  bool policy(const std::string &call, Policies &given, Bounds &bounds, std::optional<Operand> &predicate, std::optional<Operand> &fallback);
  bool at_policy();
  std::optional<AtomicKind> atomic_kind(std::string_view suffix);

  // --- parser_shape.cpp ---
  std::optional<Extent> extent();
  std::optional<Extent> extent_sum();
  std::optional<Extent> extent_product();
  std::optional<Extent> extent_primary();
  std::optional<Extent> extent_of_object(const Token &name, Symbol &s, std::string object);
  const Space *space_of(const Symbol &s);
  bool space_unknown(const Symbol &s) const; // of a value that was refused, and reported
  struct Shape {
    std::vector<WindowAxis> axes;
    std::vector<ValueId> where;
    Space space; // where the shape is no window
  };
  std::optional<Shape> shape(ViewId window_of = {});
  bool shape_item(WindowAxis &axis, bool window);
  std::optional<Space> space();
  std::optional<DimId> dim();
  std::optional<DimId> dim_by_position();
  std::optional<DimId> dim_of_object(const Token &name, Symbol &s, Extent *extent = nullptr);
  std::optional<std::vector<DimId>> dim_list(std::string_view open, std::string_view close);

  // --- parser_map.cpp ---
  // `own` is what the names of dims stand for, after `parents` inputs (a parallel's path).
  std::optional<Map> map(const Space &own, bool with_parents);
  std::optional<IndexExpr> index_sum();
  std::optional<IndexExpr> index_product();
  std::optional<IndexExpr> index_primary();
  std::optional<IndexExpr> index_name(const Token &name);
  bool at_map_parameters();
  struct MapScope {
    std::unordered_map<std::string, int> parameters; // (a, b) -> ...
    const Space *own = nullptr;
    int parents = 0;
    bool named = false; // parameters are given
    std::vector<const Symbol *> nests;
  };

  std::shared_ptr<const SourceFile> file_;
  ParsedFile &out_;
  ProductionCounts *counts_;
  Diagnostics lexical_;
  Lexer lexer_;
  std::unique_ptr<Builder> builder_;
  Names names_;
  std::set<std::string> kernel_names_;
  std::set<std::string> extent_parameters_; // of this kernel, declared as `N: extent`
  std::set<std::string> skipped_;       // names that a skipped block of this kernel assigns
  std::vector<const Space *> where_;    // domains whose dims stand for coordinate tiles here
  std::vector<std::string> open_nests_; // parallel handles, from the outside
  MapScope map_;
  std::string view_name_;               // what a view made by this statement is called
  const char *previous_end_ = nullptr;
  std::size_t operations_before_ = 0;   // of earlier kernels
  std::size_t lexical_before_ = 0;      // lexical errors before this statement
  int depth_ = 0, brackets_ = 0;
  bool condition_ = false;    // in the condition of an `if` or `while`
  bool unclosed_ = false;     // a block of this kernel has no `}`
  bool hash_comment_ = false; // a comment with `#` was reported
  bool panic_ = false, stopped_ = false, failed_ = false, signature_ = false;
};

} // namespace tilenest::text
