// SPDX-License-Identifier: Apache-2.0
//
// The section `noc` of the cluster file. Private to this room.
#pragma once

#include <tuple>

#include "orrery/config/parameters.h"
#include "orrery/platform/noc_names.h"
#include "orrery/platform/noc_numbers.h"

namespace orrery::config {

constexpr Limits noc_between(const platform::NocNumber& number) {
  return between(static_cast<double>(number.least), static_cast<double>(number.most));
}

/// A number with its sentence and its limits.
constexpr auto noc_field(std::int64_t platform::NocSettings::*member) {
  const platform::NocNumber& number = platform::noc_number(member);
  return field(number.key, member, number.about, noc_between(number));
}

template <>
struct ParameterTable<platform::NocClock> {
  using Clock = platform::NocClock;
  static constexpr auto fields = std::tuple{
      field("cycle", &Clock::cycle, "of these routers", between(1, 1e9)).required(),
      field("routers", &Clock::routers,
            "names of nodes; `dim1.*`: all nodes whose names begin with `dim1.`", between(1, 65536))
          .by_default("none")
          .unset_by_default(),
      field("from", &Clock::from,
            "mesh, torus, ring: lowest position of a box of routers, in each dimension",
            between(1, 16))
          .by_default("no box")
          .unset_by_default(),
      field("to", &Clock::to, "highest position of the box", between(1, 16))
          .by_default("no box")
          .unset_by_default()};
};
template <>
struct ParameterTable<platform::NocSettings> {
  using Noc = platform::NocSettings;
  static constexpr auto fields = std::tuple{
      field("flit", &Noc::flit, "size of a flit, of which a link carries one per cycle",
            between(1, 65536))
          .by_default("what the fastest link carries in 1 ns, rounded up to a power of 2, at least "
                      "16 B"),
      noc_field(&Noc::packet),
      noc_field(&Noc::head),
      noc_field(&Noc::channels),
      noc_field(&Noc::buffer),
      field("stages", &Noc::stages,
            "pipeline of a router: 4: route, channel, switch, crossbar; 3: the router before has "
            "found the route; 2: a head requests the channel and the switch together; 1: it also "
            "crosses in that cycle",
            noc_between(platform::noc_number(&Noc::stages))),
      noc_field(&Noc::credit),
      noc_field(&Noc::speedup),
      noc_field(&Noc::iterations),
      field("channel_allocator", &Noc::channel_allocator,
            "who gets a virtual channel: `islip`: channels grant and packets accept, in turn; "
            "`separable`: packets choose and channels grant, in turn; `wavefront`: along diagonals "
            "that move"),
      field("switch_allocator", &Noc::switch_allocator,
            "who crosses the switch: as `channel_allocator`"),
      field("switching", &Noc::switching,
            "when a packet continues: `wormhole`: with room for a flit; `cut_through`: with room "
            "for all its flits"),
      field("routing", &Noc::routing,
            "`xy`: dimension by dimension; `yx`: from the last dimension; `o1turn`: half of the "
            "packets each; `adaptive`: any shortest route, with an escape; `xy_escape`: as `xy`, "
            "and a packet that has used the first channel stays on it; `valiant`: over a random "
            "router; `shortest`: any network; `up_down`: any network, up a tree, then down; "
            "`auto`: `xy` in meshes and tori, else `shortest` if it has no deadlocks, else "
            "`up_down`"),
      field("waits_for_tail", &Noc::waits_for_tail,
            "a channel serves the next packet only when its buffer is empty"),
      field("cycle", &Noc::cycle, "of all routers that `clocks` does not name", between(1, 1e9))
          .by_default("the time of a flit on the fastest link"),
      field("clocks", &Noc::clocks,
            "other cycles of some routers; of several entries with a router, the last one holds",
            between(1, 65536))
          .by_default("none")
          .unset_by_default(),
      field("synchronizer", &Noc::synchronizer,
            "cycles that a router waits for flits and credits from a router with another cycle",
            between(0, 1024)),
      field("skip", &Noc::skip,
            "what is not simulated flit by flit, with the same results: `repeats`: messages that "
            "contend as others did before; `off`: nothing"),
      field("seed", &Noc::seed, "of random routes", between(0, 1e15))};
};

}  // namespace orrery::config
