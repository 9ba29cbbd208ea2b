// SPDX-License-Identifier: Apache-2.0
//
// What links carried, and the fabric that they are of. Part of a run (run.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::result {

/// No rank, no host, no other end.
inline constexpr std::uint32_t kNone = ~0u;

/// A directed link or, under the analytical model, what one rank sends into one dimension.
struct Link {
  std::uint32_t dim = 0;
  std::uint32_t from = 0;    ///< rank; kNone: all ports or links of the dimension together
  std::uint32_t to = kNone;  ///< rank; kNone: a port (into a switch, or all links of a rank)
  bool down = false;         ///< from the switch to the rank `from`
  Bandwidth capacity{};
  std::uint64_t bytes = 0;  ///< all it carried
  std::uint32_t use = 0;    ///< in LinkUse::curves
  std::string name;  ///< of a fabric's link, "leaf0 -> spine1"; then `from` is kNone where no
                     ///< rank is at an end
  std::string kind;  ///< its class, "network"

  friend bool operator==(const Link&, const Link&) = default;
};

/// Bytes carried over time, in equal bins; links with equal curves share one.
struct LinkUse {
  Time bin{};  ///< its length; 0 = nothing was recorded
  std::vector<std::vector<std::uint64_t>> curves;
  std::vector<Link> links;

  friend bool operator==(const LinkUse&, const LinkUse&) = default;
};

/// A node of the network, where that is a fabric; links' names are of them ("leaf0 -> spine1").
struct FabricNode {
  std::string name;
  std::string kind;            ///< "device", "leaf"
  std::uint32_t host = kNone;  ///< the machine that it is in
  std::uint32_t rank = kNone;  ///< who sits there

  friend bool operator==(const FabricNode&, const FabricNode&) = default;
};

/// Links of a fabric from one node to another that have less than their bandwidth, as a cluster
/// file's `faults` say. Each direction is one.
struct FabricFault {
  std::uint32_t from = 0, to = 0;  ///< nodes, in Run::fabric
  std::uint32_t links = 1;         ///< so many of those that are side by side
  double bandwidth = 0;            ///< what is left, as a share; 0: they are down
  Time start{};
  std::optional<Time> end;  ///< empty: for good
  Time every{};             ///< it comes and goes: from one time to the next; 0: it does not
  Time lasts{};             ///< … and so long each time

  friend bool operator==(const FabricFault&, const FabricFault&) = default;
};

}  // namespace orrery::result
