// SPDX-License-Identifier: Apache-2.0
// Bases times operators, in the order of file names and tables.
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/operators.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
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

LabelledKernel finished(const std::string &base, const Operator *op, const Draft &d) {
  LabelledKernel k;
  k.base = base;
  std::string head = "// " + base;
  if (op) {
    k.mutation = op->name;
    k.indexed_by_data = op->indexed_by_data;
    std::istringstream codes{std::string(op->code)};
    for (std::string c; codes >> c;) k.codes.insert(c);
    head += ", " + k.mutation;
  }
  k.text = head + "\n";
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
      k.text += " //! " + std::string(op ? op->code : "");
    }
    k.text += "\n";
  }
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

const std::span<const Operator> tables[] = {edits(), additions(), rewritings()};

} // namespace

std::set<std::string> operator_names() {
  std::set<std::string> out;
  for (const auto &table : tables)
    for (const Operator &op : table) out.insert(std::string(op.name));
  return out;
}

std::vector<LabelledKernel> read_corpus(const std::string &directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".tile") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<LabelledKernel> out;
  std::map<std::string, std::size_t> met; // by mark: how many lines had it so far
  for (const auto &path : paths) {
    const std::string base = path.stem().string();
    Draft d = read_draft(contents(path));
    d.lines.at(0).marks.push_back({"kernel", {}});
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

} // namespace tilenest::conformance
