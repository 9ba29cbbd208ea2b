// SPDX-License-Identifier: Apache-2.0
//
// From links to the channels that NCCL's search finds over them.
#pragma once

#include <cstdint>

#include "orrery/model/collective/nccl/tuning.h"

namespace orrery::model::nccl {

/// GPUs of one kind in nodes, as data sheets have them.
struct Hardware {
  Generation generation = Generation::hopper;
  bool nvlink = true;     ///< or other links between GPUs; false: PCIe
  bool multicast = true;  ///< switches that reduce and multicast (NVLink SHARP), from Hopper
  bool amd_host = false;
  bool collnet = false;  ///< switches of the network reduce (SHARP), and NCCL is to use them
  double intra = 0;      ///< GB/s of one GPU into its node's links, one way
  double inter = 0;      ///< GB/s of one GPU into the network, one way; 0: there is none
  double usable = 0;     ///< share of `intra` that NCCL counts on; 0: that of NVIDIA's generation

  friend bool operator==(const Hardware&, const Hardware&) = default;
};

/// The channels of a communicator of that shape. NCCL's search tries a list of speeds and keeps
/// what carries most in all; here links are taken to allow any number of channels up to 24, and of
/// speeds that carry equally much the one with a number of channels nearest to 12. Between nodes
/// each GPU has a channel over its own card; where switches reduce, these lead to them, at the
/// speed of a card on both sides (assumed). Source: NVIDIA/nccl 2.30.7, src/graph/search.cc
/// (speeds), topo.h (speed of a link).
[[nodiscard]] Machine machine_of(const Hardware& hardware, const Shape& shape);

/// Share of a link's data-sheet rate that NCCL counts on: 20 of 25 GB/s (Volta, Ampere), 20.6 of 25
/// (Hopper), 40.1 of 50 (Blackwell); 12 of 16 over PCIe.
[[nodiscard]] double usable_share(const Hardware& hardware);

}  // namespace orrery::model::nccl
