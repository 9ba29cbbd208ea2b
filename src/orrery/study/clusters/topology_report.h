// SPDX-License-Identifier: Apache-2.0
//
// Summary of a fabric: nodes, links, diameter, bandwidth and placement of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/topology/metrics/topology_metrics.h"
#include "orrery/platform/topology/routing/router.h"
#include "orrery/study/questions/question_rows.h"

namespace orrery::study {

struct TopologyQuestion {
  std::string file;
  std::vector<std::string> ends;
  std::int64_t tp = 0;

  static constexpr auto fields =
      std::tuple{QuestionField{"file", &TopologyQuestion::file, "FILE", "", kAnswer, "a100-40gb:8",
                               "A fabric or a cluster"}
                     .required(),
                 QuestionField{"ends", &TopologyQuestion::ends, "--route", "A B", kAnswer, "0",
                               "Print the route between two ranks or named nodes"},
                 QuestionField{"tp", &TopologyQuestion::tp, "--tp", "N", kAnswer, "8",
                               "Size of tensor-parallel groups; warns if a group crosses hosts"}};
};

/// One route of a message.
struct FabricRoute {
  platform::NodeIndex from = 0, to = 0;
  std::vector<platform::RouteLink> steps;
  std::uint64_t choices = 1;  ///< number of routes with equal hops and bandwidth
};

struct TopologyAnswer {
  platform::Topology topology;
  std::vector<platform::NodeIndex> rank_devices;  ///< by rank
  std::vector<bool> down;                         ///< by link: permanently down
  std::vector<platform::LinkFault> faults;        ///< links that are slow or fail temporarily
  platform::TopologyMetrics facts;
  std::string policy;  ///< "ecmp"
  std::optional<FabricRoute> route;
  std::vector<std::string> warnings;  ///< warnings, one sentence each
  std::vector<std::int64_t>
      sizes;  ///< extent of each dimension if the fabric is a grid, for the plot; else empty
};

/// Summarizes a fabric. Errc: those of reading the file; usage for unknown ends of a route.
[[nodiscard]] Result<TopologyAnswer> topology(const TopologyQuestion& question, Findings& findings);

}  // namespace orrery::study
