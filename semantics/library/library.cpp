// SPDX-License-Identifier: Apache-2.0
// The table, assembled from its families, and what is read off a row.
#include "semantics/library/families.h"

namespace tilenest::library {

std::span<const Family> families() {
  static const Family table[] = {activation(), normalise(), contract(), order(), choose(), loss(), scan(), data(), random(), quantisation(), einsum(), convolve(), shape()};
  return table;
}

const Function *find(std::string_view name) {
  for (const Family &family : families())
    for (const Function &f : family.functions)
      if (name == f.name) return &f;
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> out;
  for (const Family &family : families())
    for (const Function &f : family.functions) out.emplace_back(f.name);
  return out;
}

std::size_t Function::parameter_count() const {
  std::size_t n = 0;
  while (parameters[n].name) ++n;
  return n;
}

std::size_t Function::result_count() const {
  std::size_t n = 1;
  for (const char *c = results; *c; ++c) n += *c == ',';
  return n;
}

const Parameter *Function::parameter(std::string_view parameter_name) const {
  for (const Parameter *p = parameters; p->name; ++p)
    if (parameter_name == p->name) return p;
  return nullptr;
}

std::string Function::signature() const {
  std::string out = std::string(name) + "(";
  bool by_name = false; // behind one that takes the rest
  for (const Parameter *p = parameters; p->name; ++p) {
    if (p != parameters) out += ", ";
    const bool bracketed = !p->required() && *p->otherwise == '\0';
    const bool takes_the_rest = p->kind == Parameter::Kind::dims || p->kind == Parameter::Kind::tiles;
    std::string one = p->name;
    if (takes_the_rest) one += "...";
    else if (!p->required() && !bracketed) one += " = " + std::string(p->otherwise);
    else if (by_name) one += " = ...";
    out += bracketed ? "[" + one + "]" : one;
    by_name |= takes_the_rest;
  }
  return out + ")";
}

bool is_choice(const Parameter &parameter, std::string_view word) {
  std::string_view rest = parameter.choices;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    if (rest.substr(0, end) == word) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

} // namespace tilenest::library
