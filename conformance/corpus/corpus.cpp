// SPDX-License-Identifier: Apache-2.0
// Bases times operators, in the order of file names and tables.
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/operators.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace tilenest::conformance {

namespace {

// Many operators suit nearly every base. Of those, each line takes every n-th one, beginning where the line before with
// that mark left off, so that every operator meets many bases, no base meets all operators, and about half of the kernels
// are planted.
std::size_t share_of(const Operator &op) {
  struct Share {
    std::string_view mark;
    std::size_t planted, innocent;
  };
  constexpr Share shares[] = {{"host", 5, 5},  {"store", 2, 5},    {"value", 1, 2}, {"load", 2, 3},
                              {"coord", 3, 3}, {"parallel", 2, 2}, {"kernel", 2, 2}};
  for (const Share &s : shares)
    if (s.mark == op.mark) return op.code.empty() ? s.innocent : s.planted;
  return 1;
}

LabelledKernel without_label(const std::string &base, const std::string &mutation, const std::string &codes, const Draft &d) {
  LabelledKernel k;
  k.base = base;
  k.mutation = mutation;
  k.text = "// " + base + (mutation.empty() ? "" : ", " + mutation) + "\n";
  for (const std::string &line : d.directives) {
    std::istringstream words(line);
    std::string what, name, number;
    words >> what >> name >> number;
    if (what == "bind") k.extents[name] = std::stoll(number);
    k.text += "//! " + (what == "bind" ? "bind " + name + " " + number : line) + "\n";
  }
  auto line = static_cast<std::uint32_t>(std::count(k.text.begin(), k.text.end(), '\n'));
  for (const Line &l : d.lines) {
    if (l.text.empty()) continue;
    k.text += l.text;
    ++line;
    if (l.blamed) {
      k.lines.insert(line);
      k.text += " //! " + codes;
    }
    k.text += "\n";
  }
  return k;
}

LabelledKernel finished(const std::string &base, const Operator *op, const Draft &d) {
  const std::string text = op ? std::string(op->code) : "";
  LabelledKernel k = without_label(base, op ? std::string(op->name) : "", text, d);
  k.indexed_by_data = op && op->indexed_by_data;
  std::istringstream codes(text);
  for (std::string c; codes >> c;) k.codes.insert(c);
  if (k.lines.size() > 2 || k.planted() == k.lines.empty()) throw std::runtime_error("the label of " + k.name());
  return k;
}

std::string contents(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return text.str();
}

// In the order of their names.
std::map<std::string, Draft> read_bases(const std::string &directory) {
  std::map<std::string, Draft> out;
  for (const auto &entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".tile") continue;
    Draft d = read_draft(contents(entry.path()));
    d.lines.at(0).marks.push_back({"kernel", {}});
    out.emplace(entry.path().stem().string(), std::move(d));
  }
  return out;
}

const std::span<const Operator> tables[] = {edits(), additions(), rewritings()};

} // namespace

std::set<std::string> operator_names() {
  std::set<std::string> out;
  for (const auto &table : tables)
    for (const Operator &op : table) out.insert(std::string(op.name));
  return out;
}

std::vector<LabelledKernel> read_corpus(const std::string &directory) {
  std::vector<LabelledKernel> out;
  std::map<std::string, std::size_t> met; // by mark: how many lines had it so far
  for (const auto &[base, d] : read_bases(directory)) {
    out.push_back(finished(base, nullptr, d));
    for (std::size_t at = 0; at < d.lines.size(); ++at)
      for (const Mark &mark : d.lines[at].marks) {
        std::size_t turn = met[mark.kind]++;
        for (const auto &table : tables)
          for (const Operator &op : table) {
            if (op.mark != mark.kind || turn++ % share_of(op) != 0) continue;
            Draft changed = d;
            if (op.apply(changed, at, mark)) out.push_back(finished(base, &op, changed));
          }
      }
  }
  return out;
}

std::vector<LabelledKernel> mixed_kernels(const std::string &directory, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<std::pair<std::string, Draft>> bases;
  for (auto &base : read_bases(directory)) bases.emplace_back(base);
  std::vector<Operator> all;
  for (const auto &table : tables) all.insert(all.end(), table.begin(), table.end());
  std::vector<LabelledKernel> out;
  while (out.size() < count) {
    auto [base, d] = bases[below(bases.size())];
    std::string names;
    bool marks = false; // which of two marks a value passes on is open: one operator makes such values
    const std::size_t most = 2 + below(3);
    for (std::size_t tries = 0, applied = 0; tries < 100 && applied < most; ++tries) {
      const std::size_t at = below(d.lines.size());
      const Operator &op = all[below(all.size())];
      std::vector<Mark> suitable;
      for (const Mark &m : d.lines[at].marks)
        if (m.kind == op.mark) suitable.push_back(m);
      Draft changed = d;
      const bool makes_marks = op.code.substr(0, 3) == "U01" || op.code.substr(0, 3) == "U02";
      if (d.lines[at].text.empty() || suitable.empty() || (marks && makes_marks) || !op.apply(changed, at, suitable[below(suitable.size())])) continue;
      d = std::move(changed);
      marks |= makes_marks;
      names += (names.empty() ? "" : ", ") + std::string(op.name);
      ++applied;
    }
    for (Line &l : d.lines) l.blamed = false;
    out.push_back(without_label(base, names, "", d));
  }
  return out;
}

} // namespace tilenest::conformance
