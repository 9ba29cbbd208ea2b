// SPDX-License-Identifier: Apache-2.0
//
// One layer of a net while it is trained: what all kinds of nets have in common. Sums are made in
// one order, by the machine's own arithmetic, so that every machine makes the same net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

#include "addons/kernel_fitting/training/matrix.h"
#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {

/// From -1 to 1, of 53 bits. Libraries' engines are the same everywhere, their distributions not.
[[nodiscard]] inline double uniform_signed(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-52 - 1;
}

/// What is left of both of Adam's moments' first values by now.
using AdamDecay = std::pair<float, float>;
/// … after one more step.
void advance_decay(AdamDecay& left);

/// Weights with what Adam remembers of them.
struct TrainedWeights {
  Matrix weights, slope, first, second;

  void size(std::size_t rows, std::size_t columns);
  /// Source: Kingma and Ba, "Adam", ICLR 2015, algorithm 1.
  void step(float rate, float decay, const AdamDecay& left);
};

/// out = in · weights + bias, and max(0, out) where it is rectified.
struct TrainedLayer {
  TrainedWeights weights, bias;
  Matrix in;     ///< what came in last, a row for each of the batch
  Matrix error;  ///< by how much what went out should have been less

  /// Weights evenly from -x to x, x² = 6 / (in + out). Source: Glorot and Bengio, AISTATS 2010,
  /// eq. 16. Biases of 0.01.
  void begin(std::size_t inputs, std::size_t outputs, std::mt19937_64& random);
  void forward(Matrix& out, bool rectified) const;
  /// Slopes of the weights, of `error`. `scratch` is anybody's.
  void find_gradient(Matrix& scratch);
  /// What `in` should have been less by; where `in` was rectified to 0 nothing.
  void pass_error(Matrix& before, bool rectified, Matrix& scratch) const;
  void step(double rate, double decay, const AdamDecay& left);

  [[nodiscard]] NetLayer trained() const;
};

}  // namespace orrery::model
