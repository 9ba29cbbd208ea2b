// SPDX-License-Identifier: Apache-2.0
//
// One layer of a neural network during training, shared by all kinds of networks. Sums have a fixed
// order and use only the machine's basic arithmetic, so that all machines produce the same network.
#pragma once

#include <cstddef>
#include <random>
#include <utility>

#include "addons/kernel_fitting/training/matrix.h"
#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {

/// A number from -1 to 1 with 53 random bits. Engines of the standard library are identical on all
/// platforms; its distributions are not.
[[nodiscard]] inline double uniform_signed(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-52 - 1;
}

/// The current decay of Adam's two moments: the powers beta1^t and beta2^t.
using AdamDecay = std::pair<float, float>;
/// Advances the decay by one step.
void advance_decay(AdamDecay& left);

/// Weights and their moments in Adam.
struct TrainedWeights {
  Matrix weights, slope, first, second;

  void size(std::size_t rows, std::size_t columns);
  /// Source: Kingma and Ba, "Adam", ICLR 2015, algorithm 1.
  void step(float rate, float decay, const AdamDecay& left);
};

/// out = in · weights + bias; with ReLU, max(0, out).
struct TrainedLayer {
  TrainedWeights weights, bias;
  Matrix in;     ///< the last input, one row per sample of the batch
  Matrix error;  ///< derivative of the loss by the output

  /// Samples weights uniformly from -x to x, x² = 6 / (in + out). Source: Glorot and Bengio,
  /// AISTATS 2010, eq. 16. Biases are 0.01.
  void begin(std::size_t inputs, std::size_t outputs, std::mt19937_64& random);
  void forward(Matrix& out, bool rectified) const;
  /// Computes the derivatives of the loss by the weights from `error`. `scratch` is overwritten.
  void find_gradient(Matrix& scratch);
  /// Computes the derivative of the loss by `in`; 0 where ReLU set `in` to 0.
  void pass_error(Matrix& before, bool rectified, Matrix& scratch) const;
  void step(double rate, double decay, const AdamDecay& left);

  [[nodiscard]] NetLayer trained() const;
};

}  // namespace orrery::model
