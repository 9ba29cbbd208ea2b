// SPDX-License-Identifier: Apache-2.0
//
// The cost of one microbatch in one block according to Calculon: computation, memory traffic,
// stored data and communication.
#pragma once

#include <array>
#include <cstddef>

#include "addons/calculon/execution.h"
#include "addons/calculon/machine.h"

namespace orrery::estimate::calculon {

enum class Pass : std::uint8_t { forward, input_gradient, weight_gradient };

/// Part of a block: a matrix product, a norm, a collective …
struct Layer {
  std::array<double, 3> flop{}, bytes{};                   ///< by Pass
  double weights = 0;                                      ///< elements
  double activation = 0, activation_grad = 0, output = 0;  ///< bytes
  bool matrix = false;  ///< runs on the matrix engine, else on the vector engine
  bool recompute = false, communicates_again = false;      ///< in the backward pass
  bool reuses = false, keeps = true, keeps_output = true;  ///< of activations
  enum class Sends : std::uint8_t { no, alone, tiles } sends = Sends::no;
  bool conjugate = false;  ///< all-reduces in the forward pass, else in the backward pass
  double message = 0;      ///< elements
};

struct Layers {
  std::array<Layer, 24> list;
  std::size_t count = 0;

  [[nodiscard]] const Layer* begin() const { return list.data(); }
  [[nodiscard]] const Layer* end() const { return list.data() + count; }
};

/// The layers of a block in order. Heads, hidden and feedforward must be multiples of tensor_par.
[[nodiscard]] Layers layers_of(const Model& model, const Plan& plan);

/// Sums over the layers: times in seconds, sizes in bytes. Inner blocks of a chunk and its last
/// block (edge) differ in their communication.
struct Block {
  struct Work {
    double flop = 0, flop_time = 0, bytes = 0, memory_time = 0, time = 0;
  };
  struct Sent {
    double size = 0, time = 0, exposed = 0;
  };
  Work forward, recompute, input_gradient, weight_gradient, optimizer;
  std::array<Sent, 2> sent_forward, sent_recompute, sent_back;  ///< inner, edge
  double overlap_bandwidth = 0;
  double weights = 0, working = 0, storage = 0, checkpoint = 0, gradients = 0, whole_gradients = 0,
         activation_gradients = 0, optimizer_state = 0;
  double pipeline_message = 0;

  [[nodiscard]] double useful_flop() const {
    return forward.flop + input_gradient.flop + weight_gradient.flop + optimizer.flop;
  }
};

/// The cost of a block, except the part that depends on the number of devices that share the
/// optimizer state. Source: Calculon, SC23, §3, including its quirks (recomputed flop and bytes are
/// running sums of the forward pass; the exposed time of a repeated collective is that of the
/// forward pass).
[[nodiscard]] Block block_of(const Model& model, const Machine& machine, const Plan& plan,
                             const Layers& layers);
/// Adds the part that depends on plan.shards().
void add_optimizer(Block& block, const Machine& machine, const Plan& plan, const Layers& layers);

}  // namespace orrery::estimate::calculon
