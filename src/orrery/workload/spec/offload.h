// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>

#include "orrery/config/field.h"
#include "orrery/core/quantity.h"

namespace orrery::workload {

/// What lies in remote memory instead of the device's, and is moved when it is used.
struct Offload {
  bool optimizer = false;  ///< its state: moments, fp32 weights
  bool weights = false;    ///< zero3: shards of weights and of gradients
  bool in_switch = false;  ///< … which the memory's switches gather and reduce, not the network
  std::int64_t activations = 0;  ///< first layers of each chunk, whose activations wait there
  std::int64_t window = 1;       ///< of them: how many layers' are on their way at most
  Bytes piece{512'000'000};

  static constexpr auto fields = std::tuple{
      config::field("optimizer", &Offload::optimizer,
                    "the optimizer's state, moved to the device and back once a step"),
      config::field("weights", &Offload::weights,
                    "zero3: shards, loaded before they are gathered, and of gradients, stored when "
                    "they are reduced"),
      config::field("in_switch", &Offload::in_switch,
                    "… which the memory's switches gather and reduce, in place of collectives "
                    "(but for experts)"),
      config::field(
          "activations", &Offload::activations,
          "the first so many layers of each chunk: what they keep for the backward pass "
          "is stored behind their forward pass, and loaded while the layer before is used",
          config::between(0, 1 << 20)),
      config::field("window", &Offload::window,
                    "activations: so many layers' are on their way at most, stored while the next "
                    "layers are at work, loaded so many layers ahead",
                    config::between(1, 4)),
      config::field("piece", &Offload::piece,
                    "the optimizer's state comes in pieces of this size; there is room for two",
                    config::between(1, 1e15))};
};

}  // namespace orrery::workload
