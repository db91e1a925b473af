// SPDX-License-Identifier: Apache-2.0
// What the parts of typing share. Private to typing/.
#pragma once
#include "semantics/diag/codes.h"
#include "semantics/typing/typing.h"
#include <string>
#include <utility>

namespace tilenest::typing_detail {

using Args = std::vector<std::pair<std::string, std::string>>;

struct Report {
  const TileProgram &p;
  Diagnostics out;
  void operator()(Code code, SiteId site, Args args, std::string help = {}) {
    out.emplace_back(code, site.index < p.sites.size() ? p.site(site) : Site{}, std::move(args), std::move(help));
  }
  void malformed(SiteId site, std::string what) { (*this)(Code::T1301, site, {{"what", std::move(what)}}); }
};

// Every id that the tables hold is in range, every space and extent names known dims and parameters.
void tables(Report &report); // tables.cpp
// Attribute kind and operand count of one operation, without looking at types.
bool shape_of_op(const TileProgram &p, const Op &op, std::string &why); // tables.cpp

void check_carries(Report &report, const Op &op); // carries.cpp
void check_regions(Report &report);               // regions.cpp

} // namespace tilenest::typing_detail
