// SPDX-License-Identifier: Apache-2.0
//
// Which cluster? The best plan of a job on each of several, and which of them nobody beats in both
// time and money.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/plans/plan_search.h"

namespace orrery::explore {

struct ClusterQuestion {
  PlanQuestion plans;                 ///< its cluster is not looked at
  std::vector<std::string> clusters;  ///< files, or names of the catalogue ("h100-sxm:64")
  /// Of a device for an hour, by what it is called in `clusters`, in any money. Empty: an hour of
  /// each costs 1.
  std::map<std::string, double> prices;
};

struct ClusterAnswer {
  PlanSearch search;
  double price = 1;    ///< of a device for an hour
  bool front = false;  ///< no other is both as fast and as cheap, and better in one

  [[nodiscard]] bool fits() const { return !search.best.empty(); }
  /// Of a step.
  [[nodiscard]] double cost() const;
  /// Tokens (samples, where there are none) a second.
  [[nodiscard]] double rate() const;
};

/// In the order of the question. All have the same global batch: what is given, else 16,384 tokens
/// for each device of the largest cluster. Errc: those of search_plans; usage (a price of what is
/// not asked about).
[[nodiscard]] Result<std::vector<ClusterAnswer>> search_clusters(const ClusterQuestion& question,
                                                                 const PlanProgress& progress = {});

}  // namespace orrery::explore
