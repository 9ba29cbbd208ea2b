// SPDX-License-Identifier: Apache-2.0
//
// Modes of a run, put upon a random case on purpose: what goes wrong mostly does where two meet.
#pragma once

#include <cstdint>
#include <string_view>

#include "random_case.h"
#include "random_choices.h"

namespace orrery::scale {

enum class Mode : std::uint8_t {
  rendezvous,  ///< receivers announce themselves
  bus,         ///< packets cross a shared memory bus
  late,        ///< some ranks begin late
  trees,       ///< all-reduces by double binary trees
  direct,      ///< everything direct
  themis,      ///< chunks level the loads of dimensions
  rotation,    ///< round robin over dimensions
  alternate,   ///< RG order of queues
  links,       ///< messages share links
  pool,        ///< one memory for all
  custom,      ///< all-to-alls given as traces
  replay,      ///< every node takes its recorded time
  table,       ///< a network whose delays come from a table
  fluid,       ///< a network where messages share ports and rates change
  library,     ///< collectives as NCCL runs them, on H100s
  flow,        ///< messages flow, and share links fairly
  fabric,      ///< the network is a graph, with any model
  beside,      ///< kernels are slower beside collectives
  switches,    ///< switches sum
};
inline constexpr std::uint32_t kModes = 19;

[[nodiscard]] std::string_view name(Mode mode);

/// Changes the case so that the mode has something to do, as far as it goes (trees need dimensions
/// of 2ⁿ).
void put_upon(Mode mode, Draw& draw, Case& drawn);

}  // namespace orrery::scale
