// SPDX-License-Identifier: Apache-2.0
// The one place where a run resolves what the language leaves open (ADM-SET): a sequence of choices, each a number
// below how many ways there are. Without a chooser a run is the reference: every choice 0. What is chosen and what
// the numbers mean stands where the choice is made (grouping.h).
#pragma once
#include <cstdint>
#include <vector>

namespace tilenest {

class Chooser {
public:
  virtual ~Chooser() = default;
  // A number below `ways`, which is at least 2.
  virtual std::uint64_t choose(std::uint64_t ways) = 0;
};

// Pseudo-random choices; the same seed gives the same run (splitmix64: Steele, Lea, Flood 2014).
class SeededChooser : public Chooser {
public:
  explicit SeededChooser(std::uint64_t seed) : state_(seed) {}
  std::uint64_t choose(std::uint64_t ways) override {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(z ^ (z >> 31)) * ways) >> 64);
  }

private:
  std::uint64_t state_;
};

// Every sequence of choices once, in lexicographic order: run, then `next` until it is false.
class ExhaustiveChooser : public Chooser {
public:
  std::uint64_t choose(std::uint64_t ways) override {
    if (at_ == path_.size()) path_.push_back({0, ways});
    return path_[at_++].taken;
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
  std::vector<Choice> path_;
  std::size_t at_ = 0;
};

} // namespace tilenest
