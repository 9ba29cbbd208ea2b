// SPDX-License-Identifier: Apache-2.0
//
// The table of network models. Help, completion, files and their schema, reports, tests and
// `doctor` derive from it; network/network.cc creates the models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/time_source.h"

namespace orrery {

enum class NetworkModelKind : std::uint8_t { analytical, message, flow, packet, noc, ns3 };

/// One network model. Flags that are not set are false.
struct NetworkModelEntry {
  std::string_view name;
  NetworkModelKind kind;
  TimeSource source;             ///< label of the times of messages and collectives
  std::string_view explanation;  ///< of the duration of a message or a collective
  std::string_view brief;        ///< for a list: "congestion"
  std::string_view model;        ///< printed with results: "store and forward, with congestion"
  std::string_view sentence;     ///< how messages behave, for the reference of files
  bool astra_sim = false;        ///< ASTRA-sim has this model, too
  bool timed_faults = false;     ///< faults of a fabric may begin, end and recur at given times
  /// Topologies given as dimensions, not only fabrics, may have memories.
  bool dimension_memories = false;
  /// Builds a graph for dimensions, too, with at most limits::kFabricLinks links.
  bool builds_graph = false;
};

/// In the order of NetworkModelKind.
inline constexpr std::array kNetworkModels{
    NetworkModelEntry{.name = "analytical",
                      .kind = NetworkModelKind::analytical,
                      .source = TimeSource::analytical,
                      .explanation = "The duration comes from the analytical network model: "
                                     "latency and bytes at bandwidth, links without contention.",
                      .brief = "no congestion",
                      .model = "no congestion",
                      .sentence = "messages do not contend",
                      .astra_sim = true},
    NetworkModelEntry{
        .name = "message",
        .kind = NetworkModelKind::message,
        .source = TimeSource::message,
        .explanation =
            "The duration comes from the message-level network model: messages share links.",
        .brief = "congestion",
        .model = "store and forward, with congestion",
        .sentence = "they queue at each link",
        .astra_sim = true,
        .dimension_memories = true},
    NetworkModelEntry{.name = "flow",
                      .kind = NetworkModelKind::flow,
                      .source = TimeSource::flow,
                      .explanation = "The duration comes from the flow-level network model: "
                                     "messages share links with max-min fairness.",
                      .brief = "shared links",
                      .model = "max-min fair flows",
                      .sentence = "they share links with max-min fairness",
                      .timed_faults = true,
                      .dimension_memories = true,
                      .builds_graph = true},
    NetworkModelEntry{.name = "packet",
                      .kind = NetworkModelKind::packet,
                      .source = TimeSource::packet,
                      .explanation = "The duration comes from the packet-level network model: "
                                     "packets queue in switches, and a transport paces them.",
                      .brief = "packets in queues",
                      .model = "packets in output queues",
                      .sentence = "their packets queue at each link, and a transport paces them",
                      .timed_faults = true,
                      .dimension_memories = true,
                      .builds_graph = true},
    NetworkModelEntry{.name = "noc",
                      .kind = NetworkModelKind::noc,
                      .source = TimeSource::noc,
                      .explanation = "The duration comes from the cycle-level network model: flits "
                                     "pass routers with virtual channels.",
                      .brief = "flits in routers",
                      .model = "flits in routers, cycle by cycle",
                      .sentence = "their flits pass routers with virtual channels and credits",
                      .dimension_memories = true,
                      .builds_graph = true},
    NetworkModelEntry{.name = "ns3",
                      .kind = NetworkModelKind::ns3,
                      .source = TimeSource::ns3,
                      .explanation = "The duration comes from ns-3: packets queue in switches, and "
                                     "constant windows pace them.",
                      .brief = "packets of ns-3",
                      .model = "packets of ns-3, in output queues",
                      .sentence = "ns-3 simulates their packets, if its plug-in was built",
                      .dimension_memories = true,
                      .builds_graph = true},
};

[[nodiscard]] constexpr const NetworkModelEntry& network_model(NetworkModelKind kind) {
  return kNetworkModels[static_cast<std::size_t>(kind)];
}
/// Null: there is none of that name.
[[nodiscard]] constexpr const NetworkModelEntry* find_network_model(std::string_view name) {
  for (const NetworkModelEntry& one : kNetworkModels) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace orrery
