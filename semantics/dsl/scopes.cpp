// SPDX-License-Identifier: Apache-2.0
// One-pass capture of the four regions, and what their handles answer.
#include "semantics/diag/codes.h"
#include "semantics/dsl/scopes.h"
#include <exception>

namespace tilenest {

// --- handles ---

bool ScopeHandle::usable(Capture &capture) {
  if (!capture.owns(generation_, "a scope")) return false;
  if (capture.builder().is_open(scope_)) return true;
  capture.builder().error(Code::T0608, {{"nest", name_}},
                          "a scope's handle is of use inside its own loop only");
  return false;
}

Index ScopeHandle::index(Here where) {
  Capture::at(where);
  return Index(*this, generation_);
}

Scalar<i64> ScopeHandle::index(DimId axis, Here where) {
  Capture &c = Capture::at(where);
  Builder &b = c.builder();
  if (!usable(c)) return {dsl::Defined{}, b.refused(ScalarType::i64)};
  const int at = domain_.find(axis);
  if (at >= 0) return {dsl::Defined{}, b.value(scope_.coords[at])};
  b.error(Code::T0703, {{"what", "`" + name_ + "`"}, {"dim", b.program().dim_text(axis)}});
  return {dsl::Defined{}, b.refused(ScalarType::i64)};
}

Coord ScopeHandle::coord(Here where) {
  Capture::at(where);
  return Coord(*this, generation_);
}

std::vector<Operand> ScopeHandle::local(Capture &capture) {
  if (inferred_ && !rule_broken(Rule::ctx_infer)) {
    capture.builder().error(
        Code::T0605, {{"nest", name_}, {"why", "its index() is used other than whole, to address an object"}},
        "give a domain");
    return {};
  }
  return {scope_.coords.begin(), scope_.coords.end()};
}

// rule: CTX-INFER
std::vector<Operand> ScopeHandle::addressing(Capture &capture, ViewId view) {
  if (!inferred_) return local(capture);
  const std::vector<ValueId> coords = capture.builder().infer_coordinates(scope_, view);
  return {coords.begin(), coords.end()};
}

std::vector<Operand> ScopeHandle::path(Capture &capture) {
  if (inferred_) return local(capture);
  const std::vector<ValueId> coords = capture.builder().coord(scope_);
  return {coords.begin(), coords.end()};
}

void Nest::sync(Here where) {
  Capture &c = Capture::at(where);
  if (usable(c)) c.builder().sync(scope_.level);
}

void PipelineLoop::stage(std::string name, Here where) {
  Capture &c = Capture::at(where);
  if (!usable(c)) return;
  c.builder().stage(std::move(name));
}

// --- ranges ---

namespace {

const char *default_name(OpKind kind) {
  switch (kind) {
  case OpKind::parallel:
    return "nest";
  case OpKind::serial:
    return "i";
  case OpKind::pipeline:
    return "step";
  default:
    return "r";
  }
}

// The innermost parallel that the region's call names must be the innermost one that is open.
void check_parent(Capture &c, const ScopeRangeBase::Request &r) {
  ScopeHandle *innermost = c.innermost_parallel();
  if (r.parent && !r.parent->usable(c)) return;
  const LevelId named = r.parent ? r.parent->scope().level : TileProgram::root();
  const LevelId actual = innermost ? innermost->scope().level : TileProgram::root();
  if (named == actual) return;
  c.builder().error(
      Code::T0709,
      {{"parent", named == TileProgram::root() ? "the kernel's root" : r.parent->name()},
       {"nest", innermost ? innermost->name() : "the kernel's root"}},
      innermost ? "make it a member of the innermost scope: `" + innermost->name() + ".parallel(...)`" : "");
}

int path_rank(const TileProgram &p, LevelId level) {
  int rank = 0;
  for (; level != TileProgram::root(); level = p.levels[level].parent) {
    if (p.levels[level].map.valid()) return rank + p.layouts[p.levels[level].map].outputs();
    rank += static_cast<int>(p.levels[level].domain.rank());
  }
  return rank;
}

} // namespace

void ScopeRangeBase::open(std::unique_ptr<ScopeHandle> handle) {
  Capture &c = Capture::at(request_.where);
  Builder &b = c.builder();
  generation_ = c.generation();
  exceptions_ = std::uncaught_exceptions();
  check_parent(c, request_);
  const Space space = request_.domain.space(c);
  const auto predicate = request_.domain.predicate_value(space);
  Capture::at(request_.where); // the predicate's statements have other places
  const int rank = static_cast<int>(space.rank());
  handle->generation_ = generation_;
  if (request_.kind == OpKind::parallel) {
    ParallelSpec spec{default_name(request_.kind), space, predicate,
                      request_.policy.scope,       {},    request_.infer};
    if (request_.policy.map) {
      ScopeHandle *innermost = c.innermost_parallel();
      const LevelId parent = innermost ? innermost->scope().level : TileProgram::root();
      spec.map = request_.policy.map(path_rank(b.program(), parent), rank);
    }
    handle->scope_ = b.begin_parallel(spec);
    handle->inferred_ = request_.infer;
    handle->name_ = b.program().levels[handle->scope_.level].name;
  } else {
    LoopSpec spec{default_name(request_.kind), space, predicate, {}, request_.pipeline, request_.reduction};
    if (request_.order.map) spec.order = request_.order.map(rank);
    handle->scope_ = request_.kind == OpKind::serial     ? b.begin_serial(spec)
                     : request_.kind == OpKind::pipeline ? b.begin_pipeline(spec)
                                                         : b.begin_reduce(spec);
    handle->name_ = std::get<LoopAttr>(b.program().ops[handle->scope_.op].attr).name;
    if (request_.contract.declare) request_.contract.declare(b);
  }
  handle->domain_ = space;
  handle_ = &c.keep(std::move(handle));
  c.opened(*handle_);
}

void ScopeRangeBase::close() {
  Capture &c = Capture::here();
  if (handle_ && c.generation() == generation_) c.close(*handle_);
  handle_ = nullptr;
}

// A region that is still open here was left by break, return, goto or an exception.
ScopeRangeBase::~ScopeRangeBase() {
  if (!handle_) return;
  Capture &c = Capture::here();
  if (c.generation() != generation_) return;
  if (std::uncaught_exceptions() == exceptions_) {
    Capture::at(request_.where);
    c.builder().error(
        Code::T0701, {{"nest", handle_->name()}},
        "`break` and `return` act on the capture, not on the device: use `if_` or a predicate on the domain");
  }
  c.close(*handle_);
}

namespace {

ScopeRangeBase::Request request(OpKind kind, ScopeHandle *parent, Domain domain, Here where) {
  ScopeRangeBase::Request r;
  r.kind = kind;
  r.parent = parent;
  r.domain = std::move(domain);
  r.where = where;
  return r;
}
ScopeRangeBase::Request parallel_request(ScopeHandle *parent, bool infer, Domain domain, exec::Policy policy,
                                         Here where) {
  auto r = request(OpKind::parallel, parent, std::move(domain), where);
  r.infer = infer;
  r.policy = std::move(policy);
  return r;
}
ScopeRangeBase::Request serial_request(ScopeHandle *parent, Domain domain, SerialOrder order, Here where) {
  auto r = request(OpKind::serial, parent, std::move(domain), where);
  r.order = std::move(order);
  return r;
}
ScopeRangeBase::Request pipeline_request(ScopeHandle *parent, Domain domain, pipeline_policy policy,
                                         Here where) {
  auto r = request(OpKind::pipeline, parent, std::move(domain), where);
  r.pipeline = policy;
  return r;
}
ScopeRangeBase::Request reduce_request(ScopeHandle *parent, Domain domain, reduction::Contract contract,
                                       ReductionPolicy policy, Here where) {
  auto r = request(OpKind::reduce_region, parent, std::move(domain), where);
  r.reduction = policy;
  r.contract = std::move(contract);
  return r;
}

} // namespace

ScopeRange<Nest> ScopeHandle::parallel(Domain domain, exec::Policy policy, Here where) {
  return ScopeRange<Nest>(parallel_request(this, false, std::move(domain), std::move(policy), where));
}
ScopeRange<Nest> ScopeHandle::parallel(exec::Infer, exec::Policy policy, Here where) {
  return ScopeRange<Nest>(parallel_request(this, true, {}, std::move(policy), where));
}
ScopeRange<SerialLoop> ScopeHandle::serial(Domain domain, Here where) {
  return ScopeRange<SerialLoop>(serial_request(this, std::move(domain), {}, where));
}
ScopeRange<SerialLoop> ScopeHandle::serial(Domain domain, SerialOrder order, Here where) {
  return ScopeRange<SerialLoop>(serial_request(this, std::move(domain), std::move(order), where));
}
ScopeRange<PipelineLoop> ScopeHandle::pipeline(Domain domain, pipeline_policy policy, Here where) {
  return ScopeRange<PipelineLoop>(pipeline_request(this, std::move(domain), policy, where));
}
ScopeRange<ReduceLoop> ScopeHandle::reduce(Domain domain, ReductionPolicy policy, Here where) {
  return ScopeRange<ReduceLoop>(reduce_request(this, std::move(domain), {}, policy, where));
}
ScopeRange<ReduceLoop> ScopeHandle::reduce(Domain domain, reduction::Contract contract, ReductionPolicy policy,
                                           Here where) {
  return ScopeRange<ReduceLoop>(reduce_request(this, std::move(domain), std::move(contract), policy, where));
}

ScopeRange<Nest> parallel(Domain domain, exec::Policy policy, Here where) {
  return ScopeRange<Nest>(parallel_request(nullptr, false, std::move(domain), std::move(policy), where));
}
ScopeRange<Nest> parallel(exec::Infer, exec::Policy policy, Here where) {
  return ScopeRange<Nest>(parallel_request(nullptr, true, {}, std::move(policy), where));
}
ScopeRange<SerialLoop> serial(Domain domain, Here where) {
  return ScopeRange<SerialLoop>(serial_request(nullptr, std::move(domain), {}, where));
}
ScopeRange<SerialLoop> serial(Domain domain, SerialOrder order, Here where) {
  return ScopeRange<SerialLoop>(serial_request(nullptr, std::move(domain), std::move(order), where));
}
ScopeRange<PipelineLoop> pipeline(Domain domain, pipeline_policy policy, Here where) {
  return ScopeRange<PipelineLoop>(pipeline_request(nullptr, std::move(domain), policy, where));
}
ScopeRange<ReduceLoop> reduce(Domain domain, ReductionPolicy policy, Here where) {
  return ScopeRange<ReduceLoop>(reduce_request(nullptr, std::move(domain), {}, policy, where));
}
ScopeRange<ReduceLoop> reduce(Domain domain, reduction::Contract contract, ReductionPolicy policy, Here where) {
  return ScopeRange<ReduceLoop>(reduce_request(nullptr, std::move(domain), std::move(contract), policy, where));
}

namespace dsl {

ValueId at_scope(ValueId x, const ScopeHandle &scope, std::source_location where) {
  Capture &c = Capture::at(where);
  Builder &b = c.builder();
  if (!const_cast<ScopeHandle &>(scope).usable(c)) return b.refused(b.type(x).elem);
  const Space space = b.type(x).space;
  std::vector<Operand> index;
  bool any = false;
  for (const Factor &f : space.factors) {
    const int at = scope.domain().find(f.dim);
    any |= at >= 0;
    index.push_back(at >= 0 ? scope.scope().coords[at] : b.iota(f));
  }
  if (!any) {
    b.error(Code::T0703,
            {{"what", "the domain of `" + scope.name() + "`"}, {"dim", b.program().space_text(space)}});
    return b.refused(b.type(x).elem);
  }
  return b.take(x, index);
}

} // namespace dsl
} // namespace tilenest
