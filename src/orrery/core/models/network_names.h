// SPDX-License-Identifier: Apache-2.0
//
// The network models there are, each described once: help, completion, files, their schema,
// reports, tests and `doctor` follow. network/network.cc makes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/time_source.h"

namespace orrery {

enum class NetworkModelKind : std::uint8_t { analytical, message, flow };

/// One network model. What is not set is not so.
struct NetworkModelEntry {
  std::string_view name;
  NetworkModelKind kind;
  TimeSource source;                ///< of the times of messages and collectives
  std::string_view explanation;     ///< of the length of a message or a collective
  std::string_view brief;           ///< "congestion", for a list
  std::string_view model;           ///< "store and forward, with congestion", next to results
  std::string_view sentence;        ///< what messages do, for files
  bool astra_sim = false;           ///< ASTRA-sim has it
  bool timed_faults = false;        ///< faults of a fabric may begin, end, and come and go
  bool dimension_memories = false;  ///< dimensions may have memories, not only fabrics
  bool builds_graph = false;        ///< of dimensions, too: it has limits::kFabricLinks at most
};

/// In the order of NetworkModelKind.
inline constexpr std::array kNetworkModels{
    NetworkModelEntry{.name = "analytical",
                      .kind = NetworkModelKind::analytical,
                      .source = TimeSource::analytical,
                      .explanation =
                          "The length comes from the analytical network model: latency and "
                          "bytes at bandwidth, links without contention.",
                      .brief = "no congestion",
                      .model = "no congestion",
                      .sentence = "messages do not slow each other",
                      .astra_sim = true},
    NetworkModelEntry{.name = "message",
                      .kind = NetworkModelKind::message,
                      .source = TimeSource::message,
                      .explanation =
                          "The length comes from the message-level network model: messages "
                          "share links.",
                      .brief = "congestion",
                      .model = "store and forward, with congestion",
                      .sentence = "they queue at each link",
                      .astra_sim = true,
                      .dimension_memories = true},
    NetworkModelEntry{.name = "flow",
                      .kind = NetworkModelKind::flow,
                      .source = TimeSource::flow,
                      .explanation = "The length comes from the flow-level network model: messages "
                                     "share links fairly, as fluids do.",
                      .brief = "shared links",
                      .model = "max-min fair flows",
                      .sentence = "they share links fairly, as fluids do",
                      .timed_faults = true,
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
