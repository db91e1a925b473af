// SPDX-License-Identifier: Apache-2.0
// The contracts of a reduce, in its header.
#include "semantics/text/printer_state.h"

namespace tilenest::text {

void Printer::contract(const Tree &t, std::size_t i) {
  const Op &op = p_.ops[t.op];
  const ReductionAlgebra::Contract &c = p_.algebras[std::get<LoopAttr>(op.attr).algebra].contracts[i];
  std::string states;
  for (VarId s : c.states) states += (states.empty() ? "" : ", ") + names_.variable(s);
  // The first stands on the line of the header, which is complete but for its end.
  out_.pop_back();
  out_ += " with ";
  if (!c.name.empty() && !options_.expand && !options_.anchors) {
    out_ += c.name + "(" + states + ")\n";
    return;
  }
  out_ += "contract(" + states + ")" + (c.commutative ? "" : " associative") + " identity {\n";
  contract_region(t, 1 + 2 * i);
  const Region &merge = p_.regions[op.regions[2 + 2 * i]];
  std::string operands = "(";
  for (std::size_t k = 0; k < merge.args.size(); ++k) {
    names_.name_value(merge.args[k]);
    if (k == c.states.size()) operands += "), (";
    operands += (k % c.states.size() ? ", " : "") + names_.value(merge.args[k]);
  }
  line("} merge " + operands + ") {");
  contract_region(t, 2 + 2 * i);
  line("}");
}

void Printer::contract_region(const Tree &t, std::size_t region) {
  const Region &r = p_.regions[p_.ops[t.op].regions[region]];
  ++indent_;
  std::vector<std::unique_ptr<Tree>> trees;
  region_trees(p_.ops[t.op].regions[region], {}, trees);
  statements(trees);
  std::string given;
  for (std::size_t i = 0; i < r.yields.size(); ++i)
    given += (i ? ", " : "") + mention(r.yields[i], t.op, given_operand(region, i)).text;
  line("give " + given);
  --indent_;
}

} // namespace tilenest::text
