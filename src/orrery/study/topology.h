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
#include "orrery/platform/fabric.h"
#include "orrery/platform/topology/facts.h"
#include "orrery/platform/topology/router.h"

namespace orrery::study {

struct TopologyQuestion {
  std::string file;               ///< a fabric of any kind, a cluster file, or "h100-sxm:64"
  std::vector<std::string> ends;  ///< two names or ranks: the ways between them; empty: none
  std::int64_t tp = 0;            ///< ranks of a tensor-parallel group, to look where they sit
};

/// One way, as a message would take it.
struct FoundWay {
  platform::NodeIndex from = 0, to = 0;
  std::vector<platform::Step> steps;
  std::uint64_t choices = 1;  ///< ways that are as short and as wide
};

struct TopologyAnswer {
  platform::Topology topology;
  std::vector<platform::NodeIndex> seats;   ///< by rank
  std::vector<bool> down;                   ///< by link: it always is
  std::vector<platform::LinkFault> faults;  ///< … or is slow, or comes and goes
  platform::TopologyFacts facts;
  std::string policy;  ///< "ecmp"
  std::optional<FoundWay> way;
  std::vector<std::string> warnings;  ///< what a person should know, a sentence each
  std::vector<std::int64_t> sizes;    ///< of a grid, where it is one; for drawing
};

/// Errc: what reading the file says; usage for ends that are not there.
[[nodiscard]] Result<TopologyAnswer> topology(const TopologyQuestion& question, Findings& findings);

}  // namespace orrery::study
