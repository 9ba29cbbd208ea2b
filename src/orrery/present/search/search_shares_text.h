// SPDX-License-Identifier: Apache-2.0
//
// A search cut into shares, as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "orrery/explore/slurm_shares.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// What was written, and what is to be typed.
struct ShareCommands {
  std::string script;    ///< empty: there is nothing to submit
  std::string manifest;  ///< its path
  std::string submit, merge;
};

[[nodiscard]] std::string search_shares_text(const std::vector<explore::SearchShare>& shares,
                                             const ShareCommands& commands, report::Style style);
[[nodiscard]] std::string search_shares_json(const std::vector<explore::SearchShare>& shares,
                                             const ShareCommands& commands);

}  // namespace orrery::present
