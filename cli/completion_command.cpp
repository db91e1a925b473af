// SPDX-License-Identifier: Apache-2.0
// tilenest completion: scripts for bash, zsh and fish, made from the table of commands.
#include "cli/command_line.h"
#include "cli/report.h"
#include "conformance/engines/engine.h"
#include "semantics/diag/explain.h"
#include "semantics/library/contracts.h"
#include "semantics/library/function.h"
#include "semantics/op_table.h"
#include <algorithm>

namespace tilenest::cli {

namespace {

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &w : words) out += (out.empty() ? "" : " ") + w;
  return out;
}

// Single-quoted for a shell. fish knows \' inside quotes, the others end and reopen them.
std::string shell_quoted(const std::string &text, bool fish = false) {
  std::string out = "'";
  for (char c : text)
    if (c == '\'') out += fish ? "\\'" : "'\\''";
    else out += c;
  return out + "'";
}

std::vector<std::string> fixed_values(const std::string &option) {
  if (option == "--vector") return {"128", "256", "512"};
  if (option == "--engine") return conformance::engine_names();
  if (option == "--target") return {"cpu", "ieee"};
  if (option == "--fill") return {"iota", "zeros"};
  if (option == "--emit") return {"program", "plan", "llvm", "asm"};
  if (option == "--schedule" || option == "--replay") return {"reference", "seed=", "groupings="};
  return {};
}

// NAME=FILE options are `takes_file` of their summary.
bool takes_path(const std::string &option) {
  return option == "--cases" || option == "--xfail" || option == "--junit" || option == "--save" || option == "--target";
}

std::string explained() {
  std::vector<std::string> codes;
  for (std::size_t i = 0; i < explanation_page_count; ++i) codes.emplace_back(explanation_pages[i].code);
  return joined(codes);
}

// What `ops` shows one by one.
std::vector<std::string> operation_names() {
  std::vector<std::string> out = library::function_names();
  for (const OpInfo &op : op_table) out.emplace_back(op.name);
  for (const library::Contract &c : library::contracts()) out.emplace_back(c.name);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// What follows an option that takes a value: the words that it knows, or nothing that a shell could know.
std::string bash_values(const std::vector<CommandSummary> &commands) {
  std::vector<std::string> done;
  std::string out;
  for (const CommandSummary &c : commands)
    for (const OptionSummary &o : c.options)
      for (const std::string &name : o.names) {
        if (!o.takes_value || o.takes_file || std::find(done.begin(), done.end(), name) != done.end()) continue;
        done.push_back(name);
        const std::string words = joined(fixed_values(name));
        const std::string files = takes_path(name) ? "$(compgen -f -- \"$cur\")" : "";
        out += "    " + name + ") COMPREPLY=(" + (words.empty() ? "" : "$(compgen -W '" + words + "' -- \"$cur\") ") + files + "); return ;;\n";
      }
  return out;
}

// Words of a command: its options, or file names after -i NAME= and where a program stands.
std::string bash(const std::vector<CommandSummary> &commands) {
  std::string names, cases;
  for (const CommandSummary &c : commands) {
    names += (names.empty() ? "" : " ") + c.name;
    std::string words;
    for (const OptionSummary &o : c.options) words += (words.empty() ? "" : " ") + joined(o.names);
    if (c.name == "explain") words += " " + explained();
    if (c.name == "ops") words += " " + joined(operation_names());
    if (c.name == "completion") words += " bash zsh fish";
    cases += "    " + c.name + ") words=" + shell_quoted(words) + " ;;\n";
  }
  return "# bash completion of tilenest\n"
         "_tilenest() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words='' command='' i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    [[ ${COMP_WORDS[i]} != -* ]] && { command=${COMP_WORDS[i]}; break; }\n"
         "  done\n"
         "  case $command in\n"
         "    '') words=" + shell_quoted(names + " --help --version") + " ;;\n" + cases +
         "  esac\n"
         "  case $prev in\n"
         + bash_values(commands) +
         "    =) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  case $command in\n"
         "    run|explore|judge|check|print) [[ $cur != -* ]] && COMPREPLY+=($(compgen -f -X '!*.tile' -- \"$cur\") $(compgen -d -- \"$cur\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _tilenest tilenest\n";
}

std::string zsh_text(std::string text) { // inside _arguments' brackets
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh(const std::vector<CommandSummary> &commands) {
  std::string names, cases;
  for (const CommandSummary &c : commands) {
    names += "    " + shell_quoted(c.name + ":" + zsh_text(c.help)) + "\n";
    cases += "    " + c.name + ") _arguments";
    for (const OptionSummary &o : c.options)
      for (const std::string &name : o.names) {
        std::string spec = "*" + name + "[" + zsh_text(o.help) + "]";
        if (o.takes_file) spec += ":NAME=FILE:_files -P \"${words[CURRENT]%%=*}=\"";
        else if (const auto values = fixed_values(name); !values.empty()) spec += ":value:(" + joined(values) + ")";
        else if (o.takes_value) spec += ":value:";
        cases += " " + shell_quoted(spec);
      }
    if (c.takes_file) cases += " " + shell_quoted("1:program:_files -g \"*.tile(-.)\"");
    if (c.name == "completion") cases += " " + shell_quoted("1:shell:(bash zsh fish)");
    if (c.name == "ops") cases += " " + shell_quoted("1:name:(" + joined(operation_names()) + ")");
    if (c.name == "explain") cases += " " + shell_quoted("1:code:(" + explained() + ")");
    cases += " ;;\n";
  }
  return "#compdef tilenest\n"
         "_tilenest() {\n"
         "  local -a commands\n"
         "  commands=(\n" + names + "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" + cases + "  esac\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _tilenest \"$@\"; else compdef _tilenest tilenest; fi\n";
}

std::string fish(const std::vector<CommandSummary> &commands) {
  std::string out = "# fish completion of tilenest\n"
                    "complete -c tilenest -n __fish_use_subcommand -f\n"
                    "complete -c tilenest -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const CommandSummary &c : commands) {
    out += "complete -c tilenest -n __fish_use_subcommand -a " + c.name + " -d " + shell_quoted(c.help, true) + "\n";
    const std::string where = "complete -c tilenest -n '__fish_seen_subcommand_from " + c.name + "'";
    for (const OptionSummary &o : c.options) {
      std::string line = where;
      std::vector<std::string> values;
      for (const std::string &name : o.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        for (const std::string &v : fixed_values(name)) values.push_back(v);
      }
      if (o.takes_file) line += " -r";
      else if (!values.empty()) line += " -x -a " + shell_quoted(joined(values), true);
      else if (o.takes_value) line += " -x";
      out += line + " -d " + shell_quoted(o.help, true) + "\n";
    }
    if (c.name == "completion") out += where + " -f -a 'bash zsh fish'\n";
    else if (c.name == "ops") out += where + " -f -a " + shell_quoted(joined(operation_names()), true) + "\n";
    else if (c.name == "explain") out += where + " -f -a " + shell_quoted(explained(), true) + "\n";
    else if (!c.takes_file) out += where + " -f\n";
  }
  return out;
}

} // namespace

int completion_command(const CompletionArguments &options) {
  const std::vector<CommandSummary> commands = command_summaries();
  print_out(options.shell == "bash" ? bash(commands) : options.shell == "zsh" ? zsh(commands) : fish(commands));
  return 0;
}

} // namespace tilenest::cli
