// SPDX-License-Identifier: Apache-2.0
// Files and kernels, names, errors and recovery.
#include "semantics/diag/codes.h"
#include "semantics/text/hints.h"
#include "semantics/text/parser_state.h"
#include <algorithm>
#include <charconv>

namespace tilenest::text {

Parser::Parser(std::shared_ptr<const SourceFile> file, ParsedFile &out, ProductionCounts *counts)
    : file_(std::move(file)), out_(out), counts_(counts), lexer_(file_, lexical_) {}

// --- tokens and places ---

Token Parser::take() {
  Token t = lexer_.take();
  previous_end_ = t.text.data() + t.text.size();
  return t;
}

bool Parser::accept(std::string_view text) {
  if (panic_ || !at(text)) return false;
  take();
  return true;
}

bool Parser::expect(std::string_view text) {
  if (accept(text)) return true;
  unexpected("`" + std::string(text) + "`");
  return false;
}

void Parser::unexpected(std::string expected, std::string help) {
  if (panic_) return;
  panic_ = true;
  const Token &t = peek();
  if (lexical_.size() > lexical_before_) { // a token of this statement is broken; what follows from it is silent
    failed_ = true;
    return;
  }
  std::string found = t.kind == Token::Kind::end ? "end of file"
                      : t.kind == Token::Kind::string ? "string" : "`" + std::string(t.text.substr(0, 40)) + "`";
  Site site = lexer_.site(t);
  if (t.newline_before && previous_end_ && brackets_ == 0 && t.kind != Token::Kind::end && !t.is("}") && expected != "a statement")
    found += " on the next line";
  if (help.empty()) help = help_at(t);
  report(Code::P0001, std::move(site), {{"found", found}, {"expected", expected}}, std::move(help));
}

Mark Parser::mark() {
  const Token &t = peek();
  return {t.text, t.line, t.column};
}

// Everything captured passes here first.
void Parser::capture_at(const Mark &m) {
  if (operations_before_ + builder_->program().ops.size() > max_operations)
    stop(Code::L0105, "limit", std::to_string(max_operations));
  builder_->at(since(m));
}

Site Parser::since(const Mark &m) { return lexer_.site(m.from, previous_end_, m.line, m.column); }

Site Parser::site(const Expr &e) { return lexer_.site(e.begin.from, e.end ? e.end : previous_end_, e.begin.line, e.begin.column); }

Diagnostic *Parser::report(Code code, Site site, std::vector<std::pair<std::string, std::string>> args,
                           std::string help) {
  failed_ = true;
  if (stopped_) return nullptr;
  out_.diagnostics.emplace_back(code, std::move(site), std::move(args), std::move(help));
  return &out_.diagnostics.back();
}

void Parser::stop(Code code, const char *argument, std::string limit) {
  if (stopped_) return;
  const Site site = lexer_.site(peek());
  report(code, site, {{argument, std::move(limit)}});
  stopped_ = panic_ = true;
  lexer_.stop();
}

Parser::Deeper::Deeper(Parser &parser) : p(parser), ok(++parser.depth_ <= max_nesting) {
  if (!ok) p.stop(Code::L0101, "limit", std::to_string(max_nesting));
}

// --- names ---

std::optional<Token> Parser::name(const char *expected) {
  if (!panic_ && peek().is_name()) return take();
  unexpected(expected);
  return std::nullopt;
}

std::optional<Token> Parser::new_name(const char *expected) {
  auto t = name(expected);
  if (t && reserved_word(t->text)) {
    report(Code::P0009, lexer_.site(*t), {{"name", std::string(t->text)}});
    panic_ = true;
    return std::nullopt;
  }
  return t;
}

bool Parser::declare(const std::string &name, Site site, Symbol symbol) {
  symbol.site = site;
  if (names_.declare(name, std::move(symbol))) return true;
  const Site first = names_.find(name)->site;
  if (Diagnostic *d = report(Code::P0007, std::move(site), {{"name", name}}, "a name means one thing; choose another"))
    d->also(first, "declared here");
  return false;
}

bool Parser::declare(const Token &t, Symbol symbol) {
  return declare(std::string(t.text), lexer_.site(t), std::move(symbol));
}

Symbol *Parser::lookup(const Token &t) {
  const std::string text(t.text);
  if (Symbol *s = names_.find(text)) return s->kind == Symbol::Kind::broken ? nullptr : s;
  if (skipped_.contains(text)) { // the statement that assigns it was skipped, and that was reported
    failed_ = true;
    return nullptr;
  }
  const std::string near = names_.nearest(text);
  report(Code::P0006, lexer_.site(t), {{"name", text}}, near.empty() ? "" : "did you mean `" + near + "`?");
  return nullptr;
}

void Parser::wrong_kind(const Token &t, const Symbol &s, const std::string &expected) {
  if (Diagnostic *d = report(Code::P0008, lexer_.site(t), {{"name", std::string(t.text)}, {"found", kind_name(s.kind)}, {"expected", expected}}))
    d->also(s.site, "declared here");
}

std::optional<ScalarType> Parser::type_name() {
  if (!panic_ && peek().is_name())
    if (const auto type = find_scalar_type(peek().text)) {
      take();
      return type;
    }
  unexpected("an element type", peek().is_name() ? type_help(peek().text) : "");
  return std::nullopt;
}

std::optional<std::int64_t> Parser::integer(bool negative_allowed) {
  const Mark m = mark();
  const bool negative = negative_allowed && accept("-");
  if (panic_ || peek().kind != Token::Kind::integer) {
    unexpected("an integer");
    return std::nullopt;
  }
  const Token t = take();
  std::string_view digits = t.text;
  int base = 10;
  if (digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X") digits.remove_prefix(2), base = 16;
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  const std::uint64_t limit = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  if (error == std::errc::result_out_of_range || magnitude > limit) {
    report(Code::P0005, since(m), {{"what", "`" + std::string(t.text) + "` does not fit 64 bits"}});
    return std::nullopt;
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    failed_ = true; // the lexer has reported it, or it has no digits
    if (digits.empty()) report(Code::P0005, since(m), {{"what", "`" + std::string(t.text) + "` has no digits"}});
    return std::nullopt;
  }
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

std::optional<bool> Parser::boolean() {
  if (accept("true")) return true;
  if (accept("false")) return false;
  unexpected("`true` or `false`");
  return std::nullopt;
}

// --- recovery ---

// To the next statement: the first token of a later line, or behind a `;`, or before the `}` of this block.
void Parser::synchronize() {
  brackets_ = 0;
  for (;;) {
    const Token &t = peek();
    if (t.kind == Token::Kind::end || t.is("}")) break;
    if (t.newline_before && previous_end_ != nullptr) break;
    if (t.is("{")) {
      skip_block();
      while (at("else")) { // arms of the same statement
        while (peek().kind != Token::Kind::end && !at("{")) take();
        skip_block();
      }
      break;
    }
    if (take().is(";")) break;
  }
  panic_ = stopped_;
}

void Parser::skip_block() {
  int open = 0;
  do {
    const Token t = take();
    if (t.kind == Token::Kind::end) return;
    if (t.is_name() && at("=")) skipped_.insert(std::string(t.text));
    if (t.is("{")) ++open;
    if (t.is("}")) --open;
  } while (open > 0);
}

// --- kernels ---

void Parser::parameter() {
  const auto t = new_name("a parameter's name");
  if (!t || !expect(":")) return;
  const std::string text(t->text);
  if (at("extent")) {
    take();
    count(Production::extent_parameter);
    const bool again = !extent_parameters_.insert(text).second;
    if (const Symbol *s = names_.find(text); s && s->kind == Symbol::Kind::param && !again) return; // an axis had it
    Symbol s;
    s.kind = Symbol::Kind::param;
    s.extent = builder_->extent_param(text);
    declare(*t, std::move(s));
    return;
  }
  count(Production::tensor_parameter);
  ArgumentAccess access = ArgumentAccess::in;
  if (accept("mut"))
    access = ArgumentAccess::mut;
  else if (accept("out"))
    access = ArgumentAccess::out;
  const auto type = type_name();
  if (!type || !expect("[")) return;
  Brackets inside(*this);
  std::vector<Extent> extents;
  signature_ = true;
  while (!panic_ && !at("]")) {
    if (const auto e = extent()) extents.push_back(*e);
    else if (!panic_) extents.push_back(Extent(1)); // reported; keeps the rank
    if (!accept(",")) break;
  }
  signature_ = false;
  if (!expect("]")) return;
  if (extents.size() > max_rank) {
    report(Code::L0102, lexer_.site(*t), {{"limit", std::to_string(max_rank)}});
    extents.clear();
    declare(*t, {});
    return;
  }
  builder_->at(lexer_.site(*t));
  Symbol s;
  s.kind = Symbol::Kind::view;
  s.view = builder_->argument(text, *type, std::move(extents), access);
  declare(*t, std::move(s));
}

void Parser::kernel() {
  count(Production::kernel);
  const Mark begin = mark();
  const std::size_t lexical_before = lexical_.size();
  if (!expect("kernel")) return;
  const auto t = new_name("the kernel's name");
  const std::string kernel_name = t ? std::string(t->text) : "kernel";
  if (t && !kernel_names_.insert(kernel_name).second)
    report(Code::P0007, lexer_.site(*t), {{"name", kernel_name}}, "kernels of one file have different names");
  builder_ = std::make_unique<Builder>(kernel_name);
  builder_->at(t ? lexer_.site(*t) : since(begin));
  names_ = Names();
  skipped_.clear();
  extent_parameters_.clear();
  unclosed_ = false;
  names_.push();
  if (expect("(")) {
    Brackets inside(*this);
    while (!panic_ && !at(")")) {
      parameter();
      if (!accept(",")) break;
    }
    expect(")");
  }
  brackets_ = 0;
  if (panic_ && !stopped_) { // the body may still be read for its own errors, but its names are unknown
    while (peek().kind != Token::Kind::end && !at("{") && !at("kernel")) take();
    if (at("{")) skip_block();
    panic_ = false;
  } else {
    block();
  }
  names_.pop();
  operations_before_ += builder_->program().ops.size();
  const bool refused = failed_ || stopped_ || lexical_.size() > lexical_before;
  if (refused || has_error(builder_->diagnostics())) {
    for (Diagnostic &d : builder_->diagnostics()) out_.diagnostics.push_back(std::move(d));
  } else {
    Diagnostics warnings = builder_->diagnostics();
    Result<TileProgram> program = builder_->finish();
    if (program.ok()) {
      for (Diagnostic &d : warnings) out_.diagnostics.push_back(std::move(d));
      out_.kernels.push_back(std::move(program.value()));
    } else {
      for (const Diagnostic &d : program.errors()) out_.diagnostics.push_back(d);
    }
  }
  builder_.reset();
}

void Parser::run() {
  if (file_->text.size() > max_file_bytes) {
    report(Code::L0103, {file_, 1, 1, 1}, {{"limit", std::to_string(max_file_bytes >> 20)}});
    return;
  }
  const std::size_t bad = std::min(invalid_utf8(file_->text), file_->text.find('\0'));
  if (bad != std::string::npos) {
    const auto end = file_->text.begin() + static_cast<std::ptrdiff_t>(bad);
    const auto line = static_cast<std::uint32_t>(std::count(file_->text.begin(), end, '\n') + 1);
    const std::size_t newline = bad == 0 ? std::string::npos : file_->text.rfind('\n', bad - 1);
    const std::size_t column = newline == std::string::npos ? bad + 1 : bad - newline;
    report(Code::P0002, {file_, line, static_cast<std::uint32_t>(column), 1},
           {{"what", file_->text[bad] == '\0' ? "a zero byte" : "a byte that is not UTF-8"}});
    return;
  }
  while (peek().kind != Token::Kind::end && !stopped_) {
    panic_ = failed_ = false;
    depth_ = brackets_ = 0;
    if (at("#")) {
      skip_hash_comment();
      continue;
    }
    if (!at("kernel")) {
      unexpected("`kernel`");
      while (peek().kind != Token::Kind::end && !at("kernel")) take();
      continue;
    }
    kernel();
  }
  for (Diagnostic &d : lexical_) out_.diagnostics.push_back(std::move(d));
  std::stable_sort(out_.diagnostics.begin(), out_.diagnostics.end(), [](const Diagnostic &a, const Diagnostic &b) {
    if (a.sites.empty() || b.sites.empty()) return a.sites.size() < b.sites.size();
    const Site &x = a.sites[0].site, &y = b.sites[0].site;
    return std::pair(x.line, x.column) < std::pair(y.line, y.column);
  });
  if (out_.diagnostics.size() > max_errors) out_.diagnostics.erase(out_.diagnostics.begin() + max_errors + 1, out_.diagnostics.end());
}

} // namespace tilenest::text

namespace tilenest {

ParsedFile parse(std::shared_ptr<const SourceFile> file, text::ProductionCounts *counts) {
  ParsedFile out;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (file->text.starts_with(byte_order_mark)) // it says UTF-8, and nothing else
    file = std::make_shared<const SourceFile>(SourceFile{file->name, file->text.substr(byte_order_mark.size())});
  text::Parser(std::move(file), out, counts).run();
  return out;
}

ParsedFile parse_text(std::string name, std::string text) {
  auto file = std::make_shared<SourceFile>();
  file->name = std::move(name);
  file->text = std::move(text);
  return parse(std::move(file));
}

} // namespace tilenest
