// SPDX-License-Identifier: Apache-2.0
//
// The text in which HPCC and ASTRA-sim's ns-3 front end describe a network: a line of counts
// (nodes, switches, links, and at times more), a line of switches, then one link a line: from, to,
// rate, delay, error rate. SimAI's is the same with other counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The file as it stands, checked: numbers of nodes exist, and there are as many links as claimed.
struct Ns3Text {
  std::vector<std::uint64_t> counts;  ///< of the first line
  std::string word;                   ///< its last word when that is no number: SimAI's device
  std::vector<NodeIndex> switches;
  std::vector<Link> links;  ///< one direction of each
};
/// `switch_counts`: which of the counts are of switches; the links' follows them. Errc:
/// input_corrupt, input_range, input_mismatch, input_truncated, limit_exceeded.
[[nodiscard]] Result<Ns3Text> read_ns3_text(std::string_view text, const std::string& where,
                                            std::vector<std::size_t> switch_counts,
                                            Findings& findings);

/// Nodes that are no switches are devices; nothing says which share a machine.
[[nodiscard]] Result<Topology> read_ns3(std::string_view text, const std::string& where,
                                        Findings& findings);

}  // namespace orrery::platform
