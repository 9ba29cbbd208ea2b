// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery search --executor slurm`: a search split into shares.
#pragma once

#include <string>
#include <vector>

#include "orrery/explore/slurm_shares.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// Files written, and the commands for the user.
struct ShareCommands {
  std::string script;    ///< empty: there is nothing to submit
  std::string manifest;  ///< its path
  std::string submit, merge;
};

void state_search_shares(report::Answer& answer, const std::vector<explore::SearchShare>& shares,
                         const ShareCommands& commands);

}  // namespace orrery::present
