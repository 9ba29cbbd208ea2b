// SPDX-License-Identifier: Apache-2.0
//
// The traffic of links, and their fabric. Part of a run (run.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::result {

/// No rank, no host, or no other end.
inline constexpr std::uint32_t kNone = ~0u;

/// A directed link. Under the analytical model: the traffic of one rank into one dimension.
struct Link {
  std::uint32_t dim = 0;
  std::uint32_t from = 0;    ///< rank; kNone: all ports or links of the dimension
  std::uint32_t to = kNone;  ///< rank; kNone: a port (into a switch, or all links of a rank)
  bool down = false;         ///< from the switch to the rank `from`
  Bandwidth capacity{};
  std::uint64_t bytes = 0;  ///< total traffic
  std::uint32_t use = 0;    ///< index in LinkUse::curves
  /// Link of a fabric, "leaf0 -> spine1"; `from` is kNone if neither end is a rank.
  std::string name;
  std::string kind;  ///< class of the link: "network"

  friend bool operator==(const Link&, const Link&) = default;
};

/// Bytes per bin over time. Links with equal curves share one.
struct LinkUse {
  Time bin{};  ///< length of a bin; 0: not recorded
  std::vector<std::vector<std::uint64_t>> curves;
  std::vector<Link> links;

  friend bool operator==(const LinkUse&, const LinkUse&) = default;
};

/// A node of the network, if it is a fabric. Names of links consist of names of nodes ("leaf0 ->
/// spine1").
struct FabricNode {
  std::string name;
  std::string kind;            ///< "device", "leaf"
  std::uint32_t host = kNone;  ///< machine that contains it
  std::uint32_t rank = kNone;  ///< rank that runs on it

  friend bool operator==(const FabricNode&, const FabricNode&) = default;
};

/// Degraded links of a fabric from one node to another, from `faults` of the cluster file. Each
/// direction is a separate fault.
struct FabricFault {
  std::uint32_t from = 0, to = 0;  ///< nodes, in Run::fabric
  std::uint32_t links = 1;         ///< affected links, if there are parallel ones
  double bandwidth = 0;            ///< remaining share of the bandwidth; 0: the links are down
  Time start{};
  std::optional<Time> end;  ///< empty: permanent
  Time every{};             ///< period of a recurring fault; 0: not recurring
  Time lasts{};             ///< duration of each recurrence

  friend bool operator==(const FabricFault&, const FabricFault&) = default;
};

}  // namespace orrery::result
