// SPDX-License-Identifier: Apache-2.0
//
// Synthetic traffic, and how long its packets take.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/network/noc/flit_engine.h"

namespace orrery::noc {

/// Where packets go. Source: Dally and Towles, "Principles and Practices of Interconnection
/// Networks", 2004, section 3.2.
enum class TrafficPattern : std::uint8_t {
  uniform,     ///< to any node, also the sender
  transpose,   ///< to the node whose number has the two halves of bits exchanged
  complement,  ///< to the node whose number has all bits inverted
  shuffle,     ///< to the node whose number is rotated by one bit to the left
  hot_spot,    ///< a share to one node, the others uniform
  trace,       ///< as listed
};

/// A packet of a trace.
struct TracePacket {
  std::int64_t cycle = 0;
  std::uint32_t from = 0, to = 0;
  std::uint32_t flits = 1;
};

/// Traffic and its measurement: warm-up periods, then periods until the mean latency and the
/// throughput change by less than `converged` in three in sequence, then all measured packets
/// arrive. Times are cycles of the first clock.
struct TrafficSettings {
  TrafficPattern pattern = TrafficPattern::uniform;
  double load = 0.1;           ///< flits per node and cycle; not of traces
  std::int64_t packet = 1;     ///< flits
  std::uint32_t hot_node = 0;  ///< of `hot_spot`
  double hot_share = 0.1;
  std::int64_t period = 1000;
  std::int64_t warm_up = 3;    ///< periods
  std::int64_t periods = 10;   ///< at most, with the warm-up
  double converged = 0.05;     ///< relative change
  double latency_limit = 500;  ///< mean above which the network is saturated; not of traces
  std::int64_t cycle_limit = 10'000'000;
  std::uint64_t seed = 1;
  std::vector<TracePacket> trace{};  ///< of `trace`, by cycle
};

/// Measured times of packets, in cycles from their creation until their last flit arrives.
struct TrafficResult {
  bool is_stable = false;
  double latency = 0;          ///< mean; with the time in the source's queue
  double network_latency = 0;  ///< mean, from the head's injection
  std::int64_t least = 0, most = 0, median = 0, p99 = 0;
  double accepted = 0;  ///< flits per node and cycle that arrived
  double hops = 0;      ///< mean number of routers
  std::uint64_t packets = 0;
  std::int64_t cycles = 0;  ///< simulated
  NocCounts counts{};
};

/// Errc::config_range: a load, share, packet or node out of range; a number of nodes that is no
/// power of 2 for a pattern of bits; a trace that is empty, is not ordered, has unknown nodes, or
/// begins packets after the cycle limit.
[[nodiscard]] Result<void> check_traffic(const TrafficSettings& traffic, std::uint32_t nodes);

/// The node to which `from` sends, for patterns that are permutations.
[[nodiscard]] std::uint32_t permuted(TrafficPattern pattern, std::uint32_t from,
                                     std::uint32_t nodes);

/// Runs traffic that check_traffic() accepts on a network without packets.
[[nodiscard]] TrafficResult run_traffic(FlitEngine& engine, const TrafficSettings& traffic);

}  // namespace orrery::noc
