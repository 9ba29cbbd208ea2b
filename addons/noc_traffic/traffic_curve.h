// SPDX-License-Identifier: Apache-2.0
//
// Latency of synthetic traffic by load, on a network of routers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/network/noc/traffic.h"

namespace orrery::noc {

enum class TrafficTopology : std::uint8_t { mesh, torus, ring, crossbar, fully_connected };

struct CurveQuestion {
  TrafficTopology topology = TrafficTopology::mesh;
  std::vector<std::uint32_t> extents = {8, 8};  ///< one of ring, crossbar and fully_connected
  std::uint32_t concentration = 1;              ///< nodes per router
  std::int64_t link_cycles = 1;
  platform::NocSettings router;
  TrafficSettings traffic;    ///< but load and seed, which each point has
  std::vector<double> loads;  ///< flits per node and cycle; not of traces
  /// Replaces that of `traffic`, in cycles; empty: 20 times the latency without contention.
  std::optional<double> latency_limit;
  std::int64_t seeds = 3;  ///< runs per load: seeds 1, 2, …
  bool finds_saturation = false;
};

/// Means over the stable runs of one load, and their standard deviation (0: one run).
struct CurvePoint {
  std::optional<double> load;  ///< empty: a trace
  std::int64_t runs = 0, stable = 0;
  double latency = 0, latency_deviation = 0;  ///< cycles
  double network_latency = 0;
  double p99 = 0;
  double accepted = 0;  ///< of all runs
  double hops = 0;
  std::uint64_t packets = 0;  ///< measured, of all runs
};

struct CurveAnswer {
  std::string network;  ///< "mesh 8 x 8"
  std::uint32_t routers = 0, nodes = 0;
  platform::NocRouting routing = platform::NocRouting::xy;  ///< with `automatic` resolved
  double zero_load_latency = 0;          ///< mean without contention, in closed form
  std::optional<double> bisection_load;  ///< cubes with uniform traffic: no load above is accepted
  /// The largest load whose mean latency is at most 3 times that without contention, to 0.5 % of
  /// itself. 0: none of those that were tried.
  std::optional<double> saturation;
  std::vector<CurvePoint> points;
};

/// "8x8" as {8, 8}. Errc::usage.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_extents(std::string_view text);

/// Packets, a line each: cycle, source, destination, flits. Errc::config_syntax, with the line.
[[nodiscard]] Result<std::vector<TracePacket>> parse_trace(std::string_view text,
                                                           const std::string& where);

/// The graph of the question. Errc: see make_cube.
[[nodiscard]] Result<NocGraph> graph_of(const CurveQuestion& question);

/// routers × stages + links + flits - 1 + 3 cycles to and from the nodes, the mean over the
/// packets of the traffic. Uniform traffic in cubes: by dimensions, all of whose links have the
/// delay of the first. Otherwise all pairs of up to 512 nodes, or 65,536 random pairs of more.
[[nodiscard]] double zero_load_latency(const FlitEngine& engine,
                                       const platform::NocSettings& router,
                                       const TrafficSettings& traffic);

/// Of uniform traffic, half of the packets between two halves cross the middle of a dimension:
/// load × a × b / nodes <= links, with a and b nodes on the two sides. Empty: the graph is no cube.
/// Source: Dally and Towles, "Principles and Practices of Interconnection Networks", 2004, section
/// 3.3.1.
[[nodiscard]] std::optional<double> bisection_load(const NocGraph& graph);

/// Runs every load, or the trace once. `progress` gets the number of finished runs. Errc: see
/// FlitEngine::make, check_traffic; also config_conflict: a packet that no buffer has room for.
[[nodiscard]] Result<CurveAnswer> run_curve(const CurveQuestion& question,
                                            const std::function<void(std::size_t)>& progress = {});

}  // namespace orrery::noc
