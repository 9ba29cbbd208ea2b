// SPDX-License-Identifier: Apache-2.0
//
// The channels that NCCL's search finds over the links of a machine.
#pragma once

#include "orrery/model/collective/nccl/tuning.h"

namespace orrery::model::nccl {

/// Nodes of identical GPUs, with the figures of data sheets.
struct Hardware {
  Generation generation = Generation::hopper;
  bool nvlink = true;     ///< NVLink or other direct links between GPUs; false: PCIe
  bool multicast = true;  ///< switches reduce and multicast (NVLink SHARP), from Hopper on
  bool amd_host = false;
  bool collnet = false;  ///< network switches reduce (SHARP), and NCCL uses them
  double intra = 0;      ///< GB/s of one GPU into its node's links, in one direction
  double inter = 0;      ///< GB/s of one GPU into the network, in one direction; 0: no network
  bool reached = false;  ///< `intra` is a rate that collectives reach, not that of links
  double usable = 0;     ///< share of `intra` that NCCL assumes; 0: that of NVIDIA's generation

  friend bool operator==(const Hardware&, const Hardware&) = default;
};

/// Returns the channels of a communicator of this shape. NCCL's search tries a list of speeds and
/// selects the one with the highest total bandwidth. Here links are assumed to allow any number of
/// channels up to 24; among speeds with equal bandwidth, the one with a number of channels nearest
/// to 12 is selected. Between nodes, each GPU has a channel over its own card. If network switches
/// reduce, these channels lead to them, at the speed of a card on both sides (assumed). Source:
/// NVIDIA/nccl 2.30.7, src/graph/search.cc (speeds), topo.h (speed of a link).
[[nodiscard]] Machine machine_of(const Hardware& hardware, const Shape& shape);

/// Share of a link's data-sheet rate that NCCL assumes: 20 of 25 GB/s (Volta, Ampere), 20.6 of 25
/// (Hopper), 40.1 of 50 (Blackwell); 12 of 16 over PCIe.
[[nodiscard]] double usable_share(const Hardware& hardware);

}  // namespace orrery::model::nccl
