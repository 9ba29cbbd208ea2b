// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>

#include "orrery/config/field.h"
#include "orrery/core/quantity.h"

namespace orrery::workload {

/// What is stored in remote memory and moved to the device when it is used.
struct Offload {
  bool optimizer = false;  ///< the optimizer state: moments, fp32 weights
  bool weights = false;    ///< zero3: the shards of weights and gradients
  bool in_switch = false;  ///< with `weights`: the switches of the memory gather and reduce the
                           ///< shards, not the network
  std::int64_t activations = 0;  ///< number of first layers of each chunk whose activations are
                                 ///< offloaded
  std::int64_t window = 1;       ///< maximum number of layers whose activations are in transfer
  Bytes piece{512'000'000};

  static constexpr auto fields = std::tuple{
      config::field("optimizer", &Offload::optimizer,
                    "optimizer state in remote memory, moved to the device and back once per step"),
      config::field("weights", &Offload::weights,
                    "zero3: weight shards in remote memory, loaded before they are gathered; "
                    "gradient shards, stored after they are reduced"),
      config::field("in_switch", &Offload::in_switch,
                    "the switches of the memory gather these weights and reduce these gradients, "
                    "instead of collectives (except for experts)"),
      config::field(
          "activations", &Offload::activations,
          "the number of first layers of each chunk whose activations are offloaded: stored after "
          "their forward pass, loaded during the backward pass of the next layer",
          config::between(0, 1 << 20)),
      config::field("window", &Offload::window,
                    "activations: the maximum number of layers in transfer; stores overlap the "
                    "next layers, loads start this many layers ahead",
                    config::between(1, 4)),
      config::field(
          "piece", &Offload::piece,
          "the optimizer state moves in pieces of this size; device memory holds two pieces",
          config::between(1, 1e15))};
};

}  // namespace orrery::workload
