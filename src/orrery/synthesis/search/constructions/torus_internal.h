// SPDX-License-Identifier: Apache-2.0
//
// What one node of a torus does, and all others likewise. Private to torus.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "orrery/synthesis/search/constructions/torus.h"

namespace orrery::synthesis::torus_detail {

/// A send of the node at place 0, as all others do it.
struct TorusSend {
  std::int64_t start = 0;
  std::uint32_t piece = 0;  // which of those that one node has
  std::uint32_t at = 0;     // offset
  std::uint32_t side = 0;
};

/// Ways are links: number place × sides + side.
void add_routes(const Torus& torus, const Group& group, Schedule& schedule);

/// Every node does what place 0 does. `each`: pieces of a node.
void set_sends(const Torus& torus, std::vector<TorusSend>& moves, std::uint32_t each,
               Schedule& schedule);

/// What happens next at one node's sides.
struct SideEvent {
  std::int64_t at;
  bool free;  // a side is; else a piece has come
  std::uint32_t number, offset;
  auto operator<=>(const SideEvent&) const = default;
};
using SideEvents = std::priority_queue<SideEvent, std::vector<SideEvent>, std::greater<>>;

}  // namespace orrery::synthesis::torus_detail
