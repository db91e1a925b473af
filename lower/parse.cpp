// SPDX-License-Identifier: Apache-2.0
// The parser of plans: one pass, blocks by recursion. Registers get their places in the order of the text; a name is
// forgotten where its block ends.
#include "lower/parse.h"
#include "lower/parse_cursor.h"
#include "lower/print.h"
#include "lower/verify.h"
#include "semantics/diag/codes.h"
#include "semantics/text/parser.h"
#include <unordered_map>

namespace tilenest::plan {

namespace {

using text::Token;

class Parser {
public:
  explicit Parser(std::shared_ptr<const SourceFile> file) : c_(std::move(file)) {}

  Result<Plan> run() {
    header();
    p_.body = p_.blocks.push({});
    operations(p_.body);
    if (!c_.failed() && !c_.at_end()) c_.unexpected("end of file");
    Diagnostics faults = c_.take_diagnostics();
    if (!faults.empty()) return faults;
    return std::move(p_);
  }

private:
  // A register that is written where it is defined: it is visible from declare() on.
  struct Written {
    Token where;
    std::string name;
    Reg reg;
  };

  std::optional<Written> written(std::optional<Type> type) {
    const auto named = c_.reg();
    if (!named) return std::nullopt;
    if (!type) {
      if (!c_.expect(":")) return std::nullopt;
      if (!(type = c_.type())) return std::nullopt;
    }
    return Written{named->first, named->second, p_.regs.push(*type)};
  }
  void declare(const Written &w) {
    if (!visible_.emplace(w.name, w.reg).second) c_.fail(Code::P0007, w.where, {{"name", "%" + w.name}});
    scope_.push_back(w.name);
  }
  Reg use() {
    const auto named = c_.reg();
    if (!named) return {};
    const auto found = visible_.find(named->second);
    if (found == visible_.end()) c_.fail(Code::P0006, named->first, {{"name", "%" + named->second}});
    return found == visible_.end() ? Reg{} : found->second;
  }
  // Items between `open` and `close`, commas between them.
  template <class F> void list(std::string_view open, std::string_view close, F &&item) {
    if (!c_.expect(open) || c_.accept(close)) return;
    do item();
    while (c_.accept(","));
    c_.expect(close);
  }

  void header();
  void buffer();
  void operations(BlockId id);
  void operation(BlockId id);
  void value(Op &op);
  void shuffle(Op &op, bool splat);
  void for_loop(Op &op);
  void while_loop(Op &op);
  void launch(Op &op);
  BlockId inner(Op &op, const std::vector<Written> &args);
  BufferId buffer_use();
  void access(Op &op);
  void mask(Op &op);
  void source(Op &op);

  Cursor c_;
  Plan p_;
  std::map<std::string, ParamId> params_;
  std::map<std::string, BufferId> buffers_;
  std::unordered_map<std::string, Reg> visible_;
  std::vector<std::string> scope_; // visible names, in the order of definition
  int depth_ = 0;
};

void Parser::header() {
  c_.expect("plan");
  p_.name = c_.name("a name");
  list("(", ")", [&] {
    const Token where = c_.peek();
    const std::string name = c_.name("a parameter");
    if (!params_.emplace(name, p_.params.end_id()).second) c_.fail(Code::P0007, where, {{"name", name}});
    p_.params.push({name});
  });
  c_.expect("{");
  while (c_.at("argument") || c_.at("scratch") || c_.at("shared") || c_.at("instance")) buffer();
}

void Parser::buffer() {
  Buffer b;
  const std::string_view word = c_.take().text;
  for (const AddressSpace s : {AddressSpace::argument, AddressSpace::scratch, AddressSpace::shared, AddressSpace::instance})
    if (word == to_string(s)) b.space = s;
  if (b.space == AddressSpace::argument)
    b.argument = static_cast<int>(c_.natural("the argument's position", 0x7fffffff).value_or(0));
  const Token where = c_.peek();
  b.name = c_.name("a name");
  if (!c_.expect(":")) return;
  if (c_.accept("mut")) b.access = ArgumentAccess::mut;
  else if (c_.accept("out")) b.access = ArgumentAccess::out;
  const Token type = c_.peek();
  b.elem = c_.type().value_or(Type{}).elem;
  if (!find_scalar_type(type.text))
    c_.fail(Code::P0001, type,
            {{"found", "`" + std::string(type.text.substr(0, 40)) + "`"}, {"expected", "an element type"}});
  list("[", "]", [&] { b.shape.push_back(c_.extent(params_).value_or(Extent(0))); });
  b.strided = c_.accept("strided");
  b.overlapping = c_.accept("overlapping");
  if (c_.failed()) return;
  if (!buffers_.emplace(b.name, p_.buffers.end_id()).second) return c_.fail(Code::P0007, where, {{"name", b.name}});
  p_.buffers.push(std::move(b));
}

// Up to the brace that closes the block; the names that it defined are forgotten.
void Parser::operations(BlockId id) {
  if (++depth_ > max_nesting) c_.fail(Code::L0101, c_.peek(), {{"limit", std::to_string(max_nesting)}});
  const std::size_t before = scope_.size();
  while (!c_.failed() && !c_.at("}") && !c_.at("yield")) operation(id);
  if (c_.accept("yield")) {
    do p_.blocks[id].yields.push_back(use());
    while (c_.accept(","));
  }
  c_.expect("}");
  for (; scope_.size() > before; scope_.pop_back()) visible_.erase(scope_.back());
  --depth_;
}

BlockId Parser::inner(Op &op, const std::vector<Written> &args) {
  if (op.blocks.empty()) source(op);
  const BlockId id = p_.blocks.push({});
  op.blocks.push_back(id);
  const std::size_t before = scope_.size();
  for (const Written &w : args) {
    declare(w);
    p_.blocks[id].args.push_back(w.reg);
  }
  if (c_.expect("{")) operations(id);
  for (; scope_.size() > before; scope_.pop_back()) visible_.erase(scope_.back());
  return id;
}

BufferId Parser::buffer_use() {
  const Token where = c_.peek();
  const std::string name = c_.name("a buffer");
  const auto found = buffers_.find(name);
  if (found != buffers_.end()) return found->second;
  c_.fail(Code::P0006, where, {{"name", name}});
  return {};
}

void Parser::access(Op &op) {
  op.attr = AccessAttr{buffer_use()};
  c_.expect("[");
  op.operands.push_back(use());
  c_.expect("]");
}

void Parser::mask(Op &op) {
  if (!c_.accept("mask")) return;
  std::get<AccessAttr>(op.attr).masked = true;
  op.operands.push_back(use());
}

void Parser::source(Op &op) {
  if (c_.accept("@")) op.source = OpId(c_.natural("an operation's number", Reg::none - 1).value_or(0));
}

void Parser::for_loop(Op &op) {
  op.kind = Kind::for_;
  ForAttr attr;
  std::vector<Written> args;
  const auto written_arg = [&](std::optional<Type> type) {
    if (auto w = written(type)) args.push_back(std::move(*w));
  };
  written_arg(Type{});
  c_.expect("in"), c_.expect("[");
  op.operands.push_back(use());
  c_.expect(",");
  op.operands.push_back(use());
  c_.expect(")"), c_.expect("step");
  attr.step = c_.integer().value_or(1);
  if (c_.accept("participants")) attr.binding = Binding::participants;
  if (c_.accept("carry"))
    list("(", ")", [&] {
      written_arg(std::nullopt);
      c_.expect("=");
      op.operands.push_back(use());
    });
  op.attr = attr;
  inner(op, args);
}

void Parser::while_loop(Op &op) {
  op.kind = Kind::while_;
  std::vector<Written> tested, carried;
  list("(", ")", [&] {
    if (auto w = written(std::nullopt)) tested.push_back(std::move(*w));
    c_.expect("=");
    op.operands.push_back(use());
  });
  inner(op, tested);
  c_.expect("do");
  list("(", ")", [&] {
    if (auto w = written(std::nullopt)) carried.push_back(std::move(*w));
  });
  inner(op, carried);
}

void Parser::launch(Op &op) {
  op.kind = Kind::launch;
  op.attr = LaunchAttr{c_.name("a name")};
  std::vector<Written> args;
  list("(", ")", [&] {
    if (auto w = written(Type{})) args.push_back(std::move(*w));
    c_.expect("<");
    op.operands.push_back(use());
  });
  inner(op, args);
}

void Parser::shuffle(Op &op, bool splat) {
  op.kind = Kind::shuffle;
  ShuffleAttr attr;
  do op.operands.push_back(use());
  while (!splat && c_.accept(","));
  if (splat)
    attr.lanes.assign(op.results.empty() ? 1 : p_.regs[op.results[0]].lanes, 0);
  else
    list("[", "]", [&] {
      const Token where = c_.peek();
      attr.lanes.push_back(static_cast<std::uint16_t>(c_.natural("a lane", 0xffff).value_or(0)));
      if (attr.lanes.size() > 0xffff) c_.fail(Code::P0005, where, {{"what", "more lanes than 65535"}});
    });
  op.attr = std::move(attr);
}

// What stands behind `=`, or an operation without results.
void Parser::value(Op &op) {
  const Token word = c_.peek();
  if (c_.failed() || !word.is_name()) return c_.unexpected("an operation");
  c_.take();
  const std::string_view name = word.text;
  if (name == "constant") {
    op.kind = Kind::constant;
    const ScalarType elem = op.results.empty() ? ScalarType::i64 : p_.regs[op.results[0]].elem;
    op.attr = ConstantAttr{c_.constant(elem).value_or(0)};
  } else if (name == "extent") {
    op.kind = Kind::extent;
    op.attr = ExtentAttr{c_.extent(params_).value_or(Extent(0))};
  } else if (name == "stride") {
    op.kind = Kind::stride;
    StrideAttr attr{buffer_use()};
    c_.expect("[");
    attr.axis = static_cast<int>(c_.natural("an axis", 0x7fffffff).value_or(0));
    c_.expect("]");
    op.attr = attr;
  } else if (name == "shuffle" || name == "splat") {
    shuffle(op, name == "splat");
  } else if (name == "lane_ids") {
    op.kind = Kind::lane_ids;
  } else if (name == "load") {
    op.kind = Kind::load;
    access(op), mask(op);
  } else if (name == "store") {
    op.kind = Kind::store;
    access(op), c_.expect("=");
    op.operands.push_back(use());
    mask(op);
  } else if (name == "atomic") {
    op.kind = Kind::atomic;
    access(op);
    bool found = false;
    for (int k = 0; !found && k <= static_cast<int>(AtomicKind::bit_xor); ++k)
      if (found = c_.accept(to_string(static_cast<AtomicKind>(k))); found)
        std::get<AccessAttr>(op.attr).atomic = static_cast<AtomicKind>(k);
    if (!found) c_.unexpected("`add`, `min`, `max`, `and`, `or` or `xor`");
    op.operands.push_back(use());
    mask(op);
  } else if (name == "for") {
    for_loop(op);
  } else if (name == "if") {
    op.kind = Kind::if_;
    op.operands.push_back(use());
    inner(op, {});
    if (c_.accept("else")) inner(op, {});
    else op.blocks.push_back(p_.blocks.push({}));
  } else if (name == "while") {
    while_loop(op);
  } else if (name == "launch") {
    launch(op);
  } else if (name == "barrier") {
    op.kind = Kind::barrier;
  } else if (name == "assert") {
    op.kind = Kind::assert_;
    op.operands.push_back(use());
    c_.expect(",");
    op.attr = AssertAttr{c_.string("the text of the assertion")};
  } else if (const auto primitive = find_primitive(name)) {
    op.kind = Kind::prim;
    op.attr = PrimAttr{*primitive};
    do op.operands.push_back(use());
    while (c_.accept(","));
  } else {
    c_.fail(Code::P0006, word, {{"name", std::string(name)}});
  }
}

void Parser::operation(BlockId id) {
  if (p_.ops.size() >= text::max_operations)
    return c_.fail(Code::L0105, c_.peek(), {{"limit", std::to_string(text::max_operations)}});
  Op op{};
  std::vector<Written> results;
  if (c_.at("%")) {
    do
      if (auto w = written(std::nullopt)) {
        op.results.push_back(w->reg);
        results.push_back(std::move(*w));
      }
    while (c_.accept(","));
    c_.expect("=");
  }
  value(op);
  if (op.blocks.empty()) source(op);
  if (c_.failed()) return;
  for (const Written &w : results) declare(w);
  const OpIndex at = p_.ops.push(std::move(op));
  p_.blocks[id].ops.push_back(at);
}

} // namespace

Result<Plan> parse(std::shared_ptr<const SourceFile> file) {
  const std::string &text = file->text;
  if (text.size() > text::max_file_bytes)
    return Diagnostic(Code::L0103, Site{file, 1, 1, 1}, {{"limit", std::to_string(text::max_file_bytes >> 20)}});
  if (const std::size_t at = text::invalid_utf8(text); at != std::string::npos) {
    const std::size_t line_begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const auto line =
        static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
    return Diagnostic(Code::P0002, Site{file, line, static_cast<std::uint32_t>(at - line_begin + 1), 1},
                      {{"what", "bytes that are not UTF-8"}});
  }
  return Parser(std::move(file)).run();
}

Result<Plan> parse_text(std::string name, std::string text) {
  return plan::parse(std::make_shared<SourceFile>(SourceFile{std::move(name), std::move(text)}));
}

} // namespace tilenest::plan
