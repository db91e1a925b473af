// SPDX-License-Identifier: Apache-2.0
// The running capture: places, scopes, the open `if_`.
#include "semantics/diag/codes.h"
#include "semantics/dsl/scopes.h"
#include "semantics/dsl/statement_order.h"
#include "semantics/program/single_definition.h"
#include <algorithm>

namespace tilenest {

namespace {

thread_local Capture *running = nullptr;
thread_local std::uint32_t generations = 0;
// What stands in for a capture outside every kernel, and the misuse that the next kernel reports.
thread_local std::unique_ptr<Capture> stray;
thread_local std::optional<Diagnostic> stray_use;

Site site_of(std::source_location where) {
  Site site;
  site.file = std::make_shared<const SourceFile>(SourceFile{where.file_name(), ""});
  site.line = where.line();
  return site;
}

} // namespace

Capture::Capture(std::string kernel_name)
    : builder_(std::move(kernel_name)), generation_(++generations), before_(running) {
  running = this;
  if (stray_use) builder_.diagnostics().push_back(std::move(*std::exchange(stray_use, std::nullopt)));
}

Capture::~Capture() { running = before_; }

Capture *Capture::current() { return running; }

Capture &Capture::at(std::source_location where) {
  if (!running && !stray_use) {
    stray = std::make_unique<Capture>("stray");
    running = nullptr;
    stray_use.emplace(Code::T0705, site_of(where),
                      std::vector<std::pair<std::string, std::string>>{{"what", "the C++ surface"}},
                      "tile operations stand inside the function that is given to `tile_kernel`");
  }
  Capture &c = running ? *running : *stray;
  c.place(where);
  return c;
}

Capture &Capture::here() {
  if (running) return *running;
  return stray && stray_use ? *stray : at(std::source_location::current());
}

void Capture::place(std::source_location where) {
  settle();
  settle_names();
  if (where.line() == last_line_ && where.file_name() == last_file_) return;
  last_line_ = where.line();
  last_file_ = where.file_name();
  auto known =
      std::find_if(files_.begin(), files_.end(), [&](const auto &f) { return f.first == last_file_; });
  if (known == files_.end()) {
    files_.emplace_back(std::string(last_file_),
                        std::make_shared<const SourceFile>(SourceFile{std::string(last_file_), ""}));
    known = files_.end() - 1;
  }
  Site site;
  site.file = known->second;
  site.line = where.line();
  builder_.at(std::move(site));
}

bool Capture::owns(std::uint32_t generation, const char *what) {
  if (generation == generation_) return true;
  builder_.error(Code::T0705, {{"what", what}},
                 "a tile, view or scope belongs to one run of one kernel's function");
  return false;
}

ScopeHandle &Capture::keep(std::unique_ptr<ScopeHandle> handle) {
  handles_.push_back(std::move(handle));
  return *handles_.back();
}

void Capture::opened(ScopeHandle &handle) { open_.push_back(&handle); }

void Capture::close(ScopeHandle &handle) {
  settle();
  while (builder_.is_open(handle.scope())) builder_.end();
  std::erase_if(open_, [&](ScopeHandle *h) { return !builder_.is_open(h->scope()); });
}

ScopeHandle *Capture::innermost_parallel() const {
  for (std::size_t i = open_.size(); i-- > 0;)
    if (dynamic_cast<Nest *>(open_[i])) return open_[i];
  return nullptr;
}

bool Capture::take_open(int which_if) {
  if (open_if_ != which_if) return false;
  open_if_ = 0;
  return true;
}

void Capture::settle() {
  if (open_if_ == 0) return;
  open_if_ = 0;
  builder_.end();
}

void Capture::born(VarId var) {
  alive_.resize(var.index + 1, false);
  alive_[var.index] = true;
}
void Capture::died(VarId var) {
  if (var.index < alive_.size()) alive_[var.index] = false;
}

// Once an effect, a region or an assignment has ended a run of pure operations, the tiles that still live
// have names.
void Capture::settle_names() {
  const auto &ops = builder_.program().ops;
  bool ended = false;
  for (; seen_ops_ < ops.size(); ++seen_ops_) ended = ended || !moves_freely(ops[OpId(seen_ops_)]);
  if (!ended) return;
  const std::size_t settled = named_.size();
  named_.resize(alive_.size(), false);
  for (std::size_t i = settled; i < alive_.size(); ++i) named_[i] = alive_[i];
}

Result<TileProgram> Capture::finish() {
  settle();
  Result<TileProgram> program = builder_.finish();
  if (!program.ok()) return program;
  named_.resize(program->variables.size(), false);
  order_statements(*program, named_);
  drop_single_definitions(*program);
  return program;
}

} // namespace tilenest
