// SPDX-License-Identifier: Apache-2.0
//
// The work of a simulation, counted before it starts, and the memory and time that it needs.
#pragma once

#include <cstdint>

namespace orrery::sim {

/// What a simulation will process. Counts are those of simulated ranks, unless stated otherwise.
struct SimulationWork {
  std::uint64_t ranks = 0;
  std::uint64_t nodes = 0;
  std::uint64_t collectives = 0;            ///< once per rank that takes part
  std::uint64_t phases_by_closed_form = 0;  ///< phases of chunks of these collectives …
  std::uint64_t phases_by_messages = 0;
  std::uint64_t messages = 0;  ///< that are simulated one by one
  std::uint64_t message_bytes = 0;  ///< of these messages

  /// Of all ranks of the workload, as the result of the simulation counts them.
  struct Represented {
    std::uint64_t phases_by_closed_form = 0;
    std::uint64_t phases_by_messages = 0;
    std::uint64_t messages = 0;  ///< including those of phases in closed form
  };
  Represented represented;
  /// Whether the result will contain these numbers. False: a part of the work depends on the
  /// simulation (chunks that a model or Themis chooses, replays, traces in a file).
  bool is_exact = true;

  // State at one time, at most.
  std::uint64_t chunk_states = 0;     ///< chunks × members
  std::uint64_t ring_states = 0;      ///< chunks × phases in closed form × members
  std::uint64_t running_chunks = 0;   ///< chunks × members in phases by messages
  std::uint64_t key_states = 0;       ///< the messages that these phases match by key
  std::uint64_t finished_chunks = 0;  ///< chunks that remain stored after their end
  std::uint64_t messages_in_flight = 0;
  std::uint64_t mailboxes = 0;     ///< distinct kinds of point-to-point messages
  std::uint64_t custom_nodes = 0;  ///< nodes of collectives that are given as traces
};

/// An estimate of the resources of a simulation.
struct SimulationEstimate {
  SimulationWork work;
  std::uint64_t bytes = 0;  ///< of memory, in addition to the inputs
  double cpu_seconds = 0;   ///< order of magnitude, if no iteration is skipped
};

}  // namespace orrery::sim
