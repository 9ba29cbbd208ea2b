// SPDX-License-Identifier: Apache-2.0
//
// Trains neural networks without a library. Sums have a fixed order and use only additions,
// multiplications, divisions and square roots of the machine, so that all machines produce the same
// network.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {

/// As in Lin et al., who find the width (64 to 512), 3 to 7 layers, the rate (1e-4 to 1e-2) and the
/// batch (16 to 64) by search. Here the rate decreases linearly to 0, so that one setting suffices.
/// Source: see net_model.h.
struct NetOptions {
  std::size_t width = 128;  ///< of hidden layers, at most Net::kMaxWidth
  std::size_t layers = 5;   ///< layers with weights, including the last; 2 to Net::kMaxLayers
  double rate = 2e-3;       ///< initial learning rate of Adam
  double decay = 1e-4;      ///< weight decay
  std::size_t batch = 32;
  int epochs = 0;        ///< 0: as many as `work` allows, kMinEpochs to kMaxEpochs
  double work = 1.2e11;  ///< FLOP to train one network: half a minute to a minute on one core
};
inline constexpr int kMinEpochs = 4, kMaxEpochs = 800;

struct NetTrainingRows {
  std::vector<NetInputs> inputs;
  std::vector<double> log2_seconds;
};

/// Minimizes the squared error of logarithms with Adam. Of all epochs, it returns the network with
/// the smallest geometric mean of errors on `choosing`. Both sets need at least one row.
[[nodiscard]] Net train_net(const NetTrainingRows& learning, const NetTrainingRows& choosing,
                            const NetOptions& options, std::uint64_t seed);

}  // namespace orrery::model
