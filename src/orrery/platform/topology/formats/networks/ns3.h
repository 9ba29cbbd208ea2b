// SPDX-License-Identifier: Apache-2.0
//
// Network files of HPCC and of ASTRA-sim's ns-3 front end: a line of counts (nodes, switches,
// links, possibly more), a line of switches, then one link per line: from, to, rate, delay, error
// rate. SimAI's files have other counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The checked content of the file.
struct Ns3Text {
  std::vector<std::uint64_t> counts;  ///< of the first line
  std::string word;                   ///< its last word when that is no number: SimAI's device
  std::vector<NodeIndex> switches;
  std::vector<Link> links;  ///< one direction of each
};
/// `switch_counts`: indexes of the counts of switches; the count of links follows. Errc:
/// input_corrupt, input_range, input_mismatch, input_truncated, limit_exceeded.
[[nodiscard]] Result<Ns3Text> read_ns3_text(std::string_view text, const std::string& where,
                                            std::vector<std::size_t> switch_counts,
                                            Findings& findings);

/// Nodes that are not switches are devices. Machines are unknown.
[[nodiscard]] Result<Topology> read_ns3(std::string_view text, const std::string& where,
                                        Findings& findings);

}  // namespace orrery::platform
