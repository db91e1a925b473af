// SPDX-License-Identifier: Apache-2.0
// The rule ids of the calculus as an enumeration, and the switch that breaks one on purpose.
// A comment `// rule: ID` stands above each function that implements a rule; this file holds no rule.
#pragma once
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace tilenest {

enum class Rule : unsigned char {
#define RULE(name, id) name,
#include "semantics/support/rules.def"
#undef RULE
};

// The id as the calculus spells it, such as "VAL-CARRY".
constexpr const char *rule_id(Rule rule) {
  constexpr const char *ids[] = {
#define RULE(name, id) id,
#include "semantics/support/rules.def"
#undef RULE
  };
  return ids[static_cast<unsigned>(rule)];
}

constexpr std::optional<Rule> find_rule(std::string_view id) {
#define RULE(name, spelled) \
  if (id == spelled) return Rule::name;
#include "semantics/support/rules.def"
#undef RULE
  return std::nullopt;
}

// Breaks a rule by its id, only in the test-only build (TILENEST_BREAKABLE_RULES): the meta test sets
// TILENEST_BREAK=ID and expects a test of that id to fail. Everywhere else it is constant false.
#ifdef TILENEST_BREAKABLE_RULES
inline bool rule_broken(Rule rule) {
  static const char *const broken = std::getenv("TILENEST_BREAK");
  return broken != nullptr && std::strcmp(broken, rule_id(rule)) == 0;
}
#else
constexpr bool rule_broken(Rule) { return false; }
#endif

} // namespace tilenest
