// SPDX-License-Identifier: Apache-2.0
//
// Compares clusters: the best plan of a job on each, and the Pareto front of step time and cost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/plans/plan_search.h"

namespace orrery::explore {

/// The device of a cluster as a user names it: "h100-sxm" of "h100-sxm:64", "h100:64" or
/// "dgx-h100"; of a file its name.
[[nodiscard]] std::string_view device_of(std::string_view cluster);

struct ClusterQuestion {
  PlanQuestion plans;                 ///< its cluster is ignored
  std::vector<std::string> clusters;  ///< files, or names of the catalog ("h100-sxm:64")
  /// Price of a device hour, by device name in `clusters`, in any currency. Empty: 1 for each.
  std::map<std::string, double> prices;
};

struct ClusterAnswer {
  PlanSearch search;
  double price = 1;    ///< price of a device hour
  bool front = false;  ///< on the Pareto front of time and cost

  [[nodiscard]] bool fits() const { return !search.best.empty(); }
  /// Cost of a step.
  [[nodiscard]] double cost() const;
  /// Cost of the token budget; empty: there is none.
  [[nodiscard]] std::optional<double> budget_cost() const;
  /// Tokens per second (samples for models without tokens).
  [[nodiscard]] double rate() const;
};

/// Searches plans on each cluster, in the order of the question. All use the same global batch: the
/// given one, else 16,384 tokens per device of the largest cluster. Errc: those of search_plans;
/// usage (a price of a device that no cluster has).
[[nodiscard]] Result<std::vector<ClusterAnswer>> search_clusters(const ClusterQuestion& question,
                                                                 const PlanProgress& progress = {});

}  // namespace orrery::explore
