// SPDX-License-Identifier: Apache-2.0
// The one place where a run resolves what the language leaves open (ADM-SET): a sequence of choices, each a number
// below how many ways there are. Without a chooser a run is the reference: every choice 0. What is chosen and what
// the numbers mean stands where the choice is made (grouping.h).
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tilenest {

// What a choice is about: the order of concurrent instances, which no value depends on where nothing interferes
// (PAR-FREE); or how values come about: how a tree groups its contributions, whether an `mma` rounds a product before it
// is added, and in which format, in which order float atomics add to a cell.
enum class Freedom : std::uint8_t { order, grouping };

class Chooser {
public:
  virtual ~Chooser() = default;
  // A number below `ways`, which is at least 2.
  virtual std::uint64_t choose(Freedom freedom, std::uint64_t ways) = 0;
};

// Pseudo-random choices; the same seed gives the same run (splitmix64: Steele, Lea, Flood 2014).
class SeededChooser : public Chooser {
public:
  explicit SeededChooser(std::uint64_t seed) : state_(seed) {}
  std::uint64_t choose(Freedom, std::uint64_t ways) override {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(z ^ (z >> 31)) * ways) >> 64);
  }

private:
  std::uint64_t state_;
};

// Given choices of one freedom, then 0; the other freedoms as the reference has them.
class ListedChooser : public Chooser {
public:
  ListedChooser(Freedom freedom, std::vector<std::uint64_t> choices) : freedom_(freedom), choices_(std::move(choices)) {}
  std::uint64_t choose(Freedom freedom, std::uint64_t ways) override {
    if (freedom != freedom_ || at_ == choices_.size()) return 0;
    if (choices_[at_] >= ways) ++beyond_;
    return std::min(choices_[at_++], ways - 1);
  }
  // Choices that no run asked for, and choices that were no number below the ways there were: the last way was taken.
  std::size_t unused() const { return choices_.size() - at_; }
  std::size_t beyond() const { return beyond_; }

private:
  Freedom freedom_;
  std::vector<std::uint64_t> choices_;
  std::size_t at_ = 0, beyond_ = 0;
};

// Every sequence of choices once, in lexicographic order: run, then `next` until it is false. Of one freedom where it
// is named, the others as the reference has them.
class ExhaustiveChooser : public Chooser {
public:
  explicit ExhaustiveChooser(std::optional<Freedom> only = std::nullopt) : only_(only) {}
  std::uint64_t choose(Freedom freedom, std::uint64_t ways) override {
    if (only_ && freedom != *only_) return 0;
    if (at_ == path_.size()) path_.push_back({0, ways});
    return path_[at_++].taken;
  }
  // The product of the ways along the last run: after the first run, about how many runs there are.
  double estimate() const {
    double n = 1;
    for (const Choice &c : path_) n *= static_cast<double>(c.ways);
    return n;
  }
  std::vector<std::uint64_t> choices() const {
    std::vector<std::uint64_t> out;
    for (const Choice &c : path_) out.push_back(c.taken);
    return out;
  }
  bool next() {
    at_ = 0;
    while (!path_.empty() && path_.back().taken + 1 == path_.back().ways) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

private:
  struct Choice {
    std::uint64_t taken, ways;
  };
  std::optional<Freedom> only_;
  std::vector<Choice> path_;
  std::size_t at_ = 0;
};

} // namespace tilenest
