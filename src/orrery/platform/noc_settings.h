// SPDX-License-Identifier: Apache-2.0
//
// Routers and flits, for the network of flits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::platform {

/// How routers assign virtual channels and their switch.
enum class NocAllocator : std::uint8_t {
  islip,      ///< outputs grant, then inputs accept, both in turn
  separable,  ///< inputs choose, then outputs grant, both in turn
  wavefront,  ///< along diagonals, from one that moves every cycle
};

/// When a packet may continue to the next router.
enum class NocSwitching : std::uint8_t {
  wormhole,     ///< as soon as there is room for a flit
  cut_through,  ///< as soon as there is room for the packet
};

/// Which routes packets take.
enum class NocRouting : std::uint8_t {
  automatic,  ///< `xy` in meshes and tori; else `shortest` if it has no deadlocks, else `up_down`
  xy,         ///< dimension by dimension, from the first
  yx,         ///< dimension by dimension, from the last
  o1turn,     ///< half of the packets as `xy`, half as `yx`, with their own channels
  adaptive,   ///< any shortest route, with `xy` on channels of its own as an escape
  xy_escape,  ///< as `xy`; a packet that has used the first channel stays on it
  valiant,    ///< to a random router, then to the destination
  shortest,   ///< a shortest route of any graph
  up_down,    ///< a route of any graph that leads up a tree, then down
};

/// What is not simulated flit by flit, with the same result.
enum class NocSkipping : std::uint8_t {
  off,      ///< nothing
  repeats,  ///< messages that contend as others did before
};

/// Routers with another clock: those with one of the names, and those in a box.
struct NocClock {
  Time cycle{};
  std::vector<std::string> routers;  ///< names of nodes; `leaf*`: names that begin with `leaf`
  /// Meshes and tori: the lowest and the highest position of the box in each dimension; empty: no
  /// box.
  std::vector<std::int64_t> from, to;

  friend bool operator==(const NocClock&, const NocClock&) = default;
};

/// Routers and flits. Delays are cycles of the router.
struct NocSettings {
  /// A link carries at most one flit per cycle. Empty: what the fastest link carries in 1 ns,
  /// rounded up to a power of 2, at least 16 B.
  std::optional<Bytes> flit;
  std::int64_t packet = 16;     ///< most flits of a packet, with the head
  std::int64_t head = 1;        ///< flits of a packet that carry no payload
  std::int64_t channels = 4;    ///< virtual channels per link
  std::int64_t buffer = 8;      ///< flits per channel
  std::int64_t stages = 3;      ///< of the pipeline
  std::int64_t credit = 1;      ///< until a router uses a credit that has arrived
  std::int64_t speedup = 1;     ///< inputs into the switch per port
  std::int64_t iterations = 1;  ///< of `islip`
  NocAllocator channel_allocator = NocAllocator::islip;
  NocAllocator switch_allocator = NocAllocator::islip;
  NocSwitching switching = NocSwitching::wormhole;
  NocRouting routing = NocRouting::automatic;
  bool waits_for_tail = false;   ///< a channel serves the next packet when it is empty again
  std::optional<Time> cycle;     ///< empty: the time of a flit on the fastest link
  std::vector<NocClock> clocks;  ///< the last one with a router holds; others have `cycle`
  /// Cycles that a router waits for data from a router with another clock. Two flip-flops: Ginosar,
  /// "Metastability and synchronizers: a tutorial", IEEE Design & Test of Computers 28 (5), 2011.
  std::int64_t synchronizer = 2;
  NocSkipping skip = NocSkipping::off;
  std::int64_t seed = 1;  ///< of random routes

  friend bool operator==(const NocSettings&, const NocSettings&) = default;
};

}  // namespace orrery::platform
