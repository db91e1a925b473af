// SPDX-License-Identifier: Apache-2.0
// What every test program includes anyway, precompiled once (tests/CMakeLists.txt). Files still include what they use.
#pragma once
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
#undef GENERATE // a form of ops.def; no test uses Catch2's generators
