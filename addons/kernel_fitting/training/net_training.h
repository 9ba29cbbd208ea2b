// SPDX-License-Identifier: Apache-2.0
//
// Training of nets, without any library: sums are made in one order, by the machine's own
// multiplications, additions, divisions and square roots, so that every machine makes the same net.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {

/// As Lin et al. train theirs, who choose width from 64 to 512, 3 to 7 layers, a rate from 1e-4 to
/// 1e-2 and batches of 16 to 64 by trying; here the rate falls to nothing in even steps, so that
/// one choice does. Source: see net_model.h.
struct NetOptions {
  std::size_t width = 128;  ///< of hidden layers, at most Net::kMaxWidth
  std::size_t layers = 5;   ///< with weights, the last included; 2 to Net::kMaxLayers
  double rate = 2e-3;       ///< of Adam's first step
  double decay = 1e-4;      ///< of weights
  std::size_t batch = 32;
  int epochs = 0;        ///< 0: as many as `work` allows, kMinEpochs to kMaxEpochs
  double work = 1.2e11;  ///< FLOP of one net's training: half a minute to a minute on one core
};
inline constexpr int kMinEpochs = 4, kMaxEpochs = 800;

struct NetTrainingRows {
  std::vector<NetInputs> inputs;
  std::vector<double> log2_seconds;
};

/// Adam on the squared error of logarithms. Of all epochs' nets the one is kept whose geometric
/// mean of errors on `choosing` is least. There has to be a row of each.
[[nodiscard]] Net train_net(const NetTrainingRows& learning, const NetTrainingRows& choosing,
                            const NetOptions& options, std::uint64_t seed);

}  // namespace orrery::model
