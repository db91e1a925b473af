// SPDX-License-Identifier: Apache-2.0
// The driver of check --laws: extents, rounds of runs, counterexamples and their reports.
#include "interp/laws.h"
#include "interp/admitted.h"
#include "interp/law_arguments.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <numeric>

namespace tilenest {

namespace {

std::string contract_text(const TileProgram &p, const ReductionAlgebra::Contract &c) {
  std::string out = "`" + (c.name.empty() ? std::string("contract") : c.name) + "(";
  for (std::size_t i = 0; i < c.states.size(); ++i) out += (i > 0 ? ", " : "") + p.variables[c.states[i]].name;
  return out + ")`";
}

// Small bindings, the smallest first: open extents all different or all the same. With the given ones alone there is one.
std::vector<BoundProgram> small_bindings(const std::shared_ptr<const TileProgram> &program, const std::map<std::string, std::int64_t> &given, Diagnostics &why) {
  constexpr std::int64_t sizes[] = {3, 4, 5, 6, 8, 16, 32, 64, 128, 256, 2, 1};
  const bool open = std::any_of(program->params.begin(), program->params.end(), [&](const Param &p) { return !given.contains(p.name); });
  std::vector<BoundProgram> out;
  for (const std::int64_t size : sizes)
    for (const std::int64_t step : {1, 0}) {
      std::map<std::string, std::int64_t> extents = given;
      std::int64_t next = size;
      for (const Param &p : program->params)
        if (extents.try_emplace(p.name, next).second) next += step;
      Result<BoundProgram> bound = bind(program, {}, extents);
      if (bound) out.push_back(std::move(*bound));
      else if (!open) why = bound.errors();
      if (!open) return out;
      if (bound) break;
    }
  return out;
}

struct Law {
  const char *what; // the message's
  const char *help;
};

Law description(ContractLaw law) {
  switch (law) {
  case ContractLaw::left_identity:
  case ContractLaw::right_identity:
    return {"neutral at its identity: merging with the identity changes a state",
            "give an identity that `merge` gives the other operand back for, bit for bit (-0 for a float sum)"};
  case ContractLaw::associative:
    return {"associative: partial results depend on how contributions are grouped", "merge so that the grouping does not count, or reduce with `fold_left`"};
  case ContractLaw::commutative:
    return {"commutative: partial results depend on the order of the operands", "declare it `associative` and reduce with `ordered_tree`, or merge so that the order does not count"};
  case ContractLaw::body: break;
  }
  return {"the merge of its body: merging in one contribution differs from the body", "make `merge(s, lift(x))` what the body makes of `s` and `x`, where `lift(x)` is the body applied to the identity"};
}

class Falsifier {
public:
  Falsifier(std::shared_ptr<const TileProgram> program, const LawOptions &options) : program_(std::move(program)), options_(options) {}

  LawCheck run() {
    find_contracts();
    if (out_.contracts.empty()) return std::move(out_);
    std::vector<BoundProgram> candidates = small_bindings(program_, options_.extents, out_.diagnostics);
    if (candidates.empty()) {
      out_.untried = "no small extents fit its constraints; `--shape` gives others";
      return std::move(out_);
    }
    std::vector<BoundProgram> bindings = useful(candidates);
    for (ParamId id(0); id.index < program_->params.size(); id = ParamId(id.index + 1)) out_.extents[program_->params[id].name] = bindings[0].params[id.index];
    constexpr std::uint64_t sweeps = 256;
    const std::uint64_t rounds = options_.rounds + (LawArguments::has_narrow(*program_) ? sweeps : 0);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const BoundProgram &bound = bindings[round / 5 % bindings.size()];
      LawArguments arguments(bound, round, round < options_.rounds ? std::nullopt : std::optional(round - options_.rounds));
      LawProbe probe = fresh_probe(round);
      if (probe.tallies.empty()) break;
      execute(bound, arguments, probe);
      take(bound, arguments, probe);
      constexpr std::uint64_t enough = 10; // rounds to find that nothing is reached
      if (round == enough && std::all_of(out_.contracts.begin(), out_.contracts.end(), [](const CheckedContract &c) { return c.tried() == 0; })) break;
    }
    return std::move(out_);
  }

private:
  // The first two of these with which every contract has as many contributions as its laws have operands; without such
  // ones, the first two of those with which most laws were tried.
  std::vector<BoundProgram> useful(std::vector<BoundProgram> &candidates) {
    std::vector<BoundProgram> out;
    std::size_t most = 0;
    for (BoundProgram &bound : candidates) {
      LawArguments arguments(bound, 0, std::nullopt);
      LawProbe probe = fresh_probe(0);
      const Diagnostics of_run = execute(bound, arguments, probe);
      if (probe.work > probe.work_limit) out_.untried = "runs are too long to reach it";
      for (const Diagnostic &d : of_run)
        if (d.info().diag_class() == DiagClass::unsupported || d.info().diag_class() == DiagClass::limit) out_.untried = d.message();
      std::size_t tried = 0;
      for (const auto &[contract, laws] : probe.tallies)
        for (const LawTally &t : laws) tried += t.tried > 0;
      if (out.empty() || tried > most) out.clear();
      if (out.empty() || (tried == most && out.size() < 2)) out.push_back(std::move(bound));
      most = std::max(most, tried);
      std::size_t all = 0;
      for (const CheckedContract &c : out_.contracts) all += c.commutative ? contract_law_count : contract_law_count - 1;
      if (most == all && out.size() == 2) break;
    }
    if (most > 0) out_.untried.clear();
    return out;
  }

  void find_contracts() {
    for_each_op(*program_, program_->body, [&](const Op &op, OpId id) {
      if (op.kind != OpKind::reduce_region) return;
      const ReductionAlgebra &algebra = program_->algebras[std::get<LoopAttr>(op.attr).algebra];
      for (std::size_t i = 0; i < algebra.contracts.size(); ++i)
        out_.contracts.push_back({id, i, contract_text(*program_, algebra.contracts[i]), algebra.contracts[i].commutative, {}});
      if (!algebra.contracts.empty()) return;
      RecognisedReduce r{id, {}};
      for (const ReductionAlgebra::State &s : algebra.states) {
        std::string merge;
        if (s.merge) merge = "`" + std::string(*info(*s.merge).spelling ? info(*s.merge).spelling : info(*s.merge).name) + "`";
        r.merges.emplace_back(program_->variables[s.var].name, std::move(merge));
      }
      out_.recognised.push_back(std::move(r));
    });
  }

  // The contracts some of whose laws are not found broken.
  LawProbe fresh_probe(std::uint64_t round) const {
    LawProbe probe;
    probe.seed = round;
    probe.points = round % 5 == 4 ? 4 : 3;
    for (const CheckedContract &c : out_.contracts) {
      auto &laws = probe.tallies[{c.reduce, c.contract}];
      bool left = false;
      for (std::size_t i = 0; i < contract_law_count; ++i) {
        laws[i].failure = c.laws[i].failure; // not to be tried again
        left |= !c.laws[i].failure;
      }
      if (!left) probe.tallies.erase({c.reduce, c.contract});
    }
    return probe;
  }

  Diagnostics execute(const BoundProgram &bound, LawArguments &arguments, LawProbe &probe) const {
    AdmittedSets sets(real_arithmetic(), *program_);
    RunOptions run_options;
    run_options.cause_limit = UINT64_MAX;
    run_options.threads = 1;
    run_options.sets = &sets;
    run_options.laws = &probe;
    run_options.while_limit = 100'000;
    return tilenest::run(bound, arguments.buffers(), run_options).diagnostics;
  }

  void take(const BoundProgram &bound, const LawArguments &arguments, const LawProbe &probe) {
    for (CheckedContract &c : out_.contracts) {
      const auto at = probe.tallies.find({c.reduce, c.contract});
      if (at == probe.tallies.end()) continue;
      for (std::size_t i = 0; i < contract_law_count; ++i) {
        LawTally &sum = c.laws[i];
        const LawTally &found = at->second[i];
        sum.tried += found.tried;
        sum.undecided += found.undecided;
        if (sum.failure || !found.failure) continue;
        sum.failure = found.failure;
        report(c, static_cast<ContractLaw>(i), bound, arguments, probe);
      }
    }
  }

  void report(CheckedContract &c, ContractLaw law, const BoundProgram &bound, LawArguments arguments, const LawProbe &of) {
    LawTally &tally = c.laws[static_cast<std::size_t>(law)];
    constexpr std::uint64_t most_work = 3'000'000;
    std::uint64_t work = 0;
    arguments.shrink(
        [&] {
          if (work > most_work) return false;
          LawProbe probe;
          probe.seed = of.seed, probe.points = of.points, probe.only = law;
          probe.tallies[{c.reduce, c.contract}];
          execute(bound, arguments, probe);
          work += probe.work;
          const auto &found = probe.tallies[{c.reduce, c.contract}][static_cast<std::size_t>(law)].failure;
          if (found) tally.failure = found;
          return found.has_value();
        },
        options_.shrinking_runs);
    const LawFailure &failure = *tally.failure;
    const Law text = description(law);
    Diagnostic d(Code::T0308, program_->site(program_->ops[c.reduce].site), {{"contract", c.text}, {"what", text.what}}, text.help);
    for (const LawFailure::Operand &o : failure.operands) d.note(o.name + " (" + o.from + "): " + o.value);
    d.note(failure.left + ": " + failure.left_value);
    d.note(failure.right + ": " + failure.right_value);
    if (!failure.exact.empty()) d.note("`" + failure.element + "` in real arithmetic, without any rounding: " + failure.exact);
    std::string with;
    for (ParamId id(0); id.index < program_->params.size(); id = ParamId(id.index + 1))
      with += (with.empty() ? "" : ", ") + program_->params[id].name + " = " + std::to_string(bound.params[id.index]);
    const std::string values = arguments.text();
    if (!values.empty()) with += (with.empty() ? "" : ", ") + values;
    if (!with.empty()) d.note("with " + with);
    out_.diagnostics.push_back(std::move(d));
  }

  std::shared_ptr<const TileProgram> program_;
  LawOptions options_;
  LawCheck out_;
};

} // namespace

std::uint64_t CheckedContract::tried() const {
  return std::accumulate(laws.begin(), laws.end(), std::uint64_t{0}, [](std::uint64_t n, const LawTally &t) { return n + t.tried; });
}

LawCheck check_laws(std::shared_ptr<const TileProgram> program, const LawOptions &options) {
  return Falsifier(std::move(program), options).run();
}

} // namespace tilenest
