// SPDX-License-Identifier: Apache-2.0
//
// A fabric looked at: what is in it, how far and how wide it is, who sits where.
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
                               "A fabric, or a cluster"}
                     .required(),
                 QuestionField{"ends", &TopologyQuestion::ends, "--route", "A B", kAnswer, "0",
                               "Two ranks or names of nodes: the way between them"},
                 QuestionField{"tp", &TopologyQuestion::tp, "--tp", "N", kAnswer, "8",
                               "Ranks of a tensor-parallel group: warns where one crosses hosts"}};
};

/// One way, as a message would take it.
struct FabricRoute {
  platform::NodeIndex from = 0, to = 0;
  std::vector<platform::RouteLink> steps;
  std::uint64_t choices = 1;  ///< ways that are as short and as wide
};

struct TopologyAnswer {
  platform::Topology topology;
  std::vector<platform::NodeIndex> rank_devices;  ///< by rank
  std::vector<bool> down;                         ///< by link: it always is
  std::vector<platform::LinkFault> faults;        ///< … or is slow, or comes and goes
  platform::TopologyMetrics facts;
  std::string policy;  ///< "ecmp"
  std::optional<FabricRoute> way;
  std::vector<std::string> warnings;  ///< what a person should know, a sentence each
  std::vector<std::int64_t> sizes;    ///< of a grid, where it is one; for drawing
};

/// Errc: what reading the file says; usage for ends that are not there.
[[nodiscard]] Result<TopologyAnswer> topology(const TopologyQuestion& question, Findings& findings);

}  // namespace orrery::study
