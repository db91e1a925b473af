// SPDX-License-Identifier: Apache-2.0
// tilenest fuzz: counts, JSON, what it prints and saves of a backend that is wrong, exit statuses.
#include "tests/cli/command.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilenest::cli_test;
using Json = nlohmann::json;

TEST_CASE("fuzz: engines that agree", "[cli][fuzz]") {
  const Folder f;
  const Outcome o = f.tilenest({"fuzz", "--cases", "12", "--engine", "plan", "--coverage"});
  CHECK(o.status == 0);
  CHECK(o.err == "");
  holds(o.out, "12 random kernels");
  holds(o.out, "plan (strict): ");
  holds(o.out, "0 differ");
  holds(o.out, "cells (operation, type, region) were met");
  const Json j = Json::parse(f.tilenest({"fuzz", "--cases", "3", "--seed", "7", "--engine", "interp", "--json"}).out);
  CHECK(j["schema"] == "tilenest-fuzz-1");
  CHECK(j["seed"] == 7);
  CHECK(j["cases"] == 3);
  CHECK(j["findings"].empty());
}

TEST_CASE("fuzz: a backend that writes nothing is found, and what shows it runs again", "[cli][fuzz]") {
  const Folder f;
  // It hands the inputs back, as if the kernel wrote nothing; `out` arguments are missing, which is a failure as well.
  f.file("idle.sh", "cp \"$3\" \"$4\"\n");
  const Outcome o = f.tilenest({"fuzz", "--cases", "64", "--engine", "exec:sh ./idle.sh", "--save", "found"});
  CHECK(o.status == 4);
  holds(o.out, "made smaller, ");
  holds(o.out, "again: tilenest fuzz --seed ");
  holds(o.out, "1 differ");
  const Json j = Json::parse(f.tilenest({"fuzz", "--cases", "64", "--engine", "exec:sh ./idle.sh", "--json"}).out);
  REQUIRE(j["findings"].size() == 1);
  CHECK(j["findings"][0]["statements"] <= 10);
  const std::string folder = "found/" + std::to_string(j["findings"][0]["seed"].get<std::uint64_t>());
  CHECK(f.tilenest({"check", folder + "/kernel.tile"}).status == 0);
}

TEST_CASE("fuzz: usage", "[cli][fuzz]") {
  const Folder f;
  for (const std::vector<std::string> &words : {std::vector<std::string>{"fuzz", "--engine", "gpu"}, {"fuzz", "--cases", "0"}, {"fuzz", "--findings", "0"},
                                                {"fuzz", "--seconds", "0"}, {"fuzz", "--seed", "-1"}, {"fuzz", "--seconds", "many"}})
    CHECK(f.tilenest(words).status == 64);
}
