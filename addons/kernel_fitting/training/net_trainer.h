// SPDX-License-Identifier: Apache-2.0
//
// What the trainers of networks have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "addons/kernel_fitting/training/trained_layer.h"
#include "orrery/core/statistics/exact_math.h"
#include "orrery/core/statistics/statistics.h"

namespace orrery::model {

/// Smaller errors count as this value in the geometric mean.
inline constexpr double kMinTrainingError = 1e-4;

/// `count` layers with random weights, the last with one output.
[[nodiscard]] inline std::vector<TrainedLayer> begin_layers(std::size_t inputs, std::size_t count,
                                                            std::size_t width,
                                                            std::mt19937_64& random) {
  std::vector<TrainedLayer> layers;
  for (std::size_t l = 0; l < count; ++l) {
    const std::size_t out = l + 1 < count ? width : 1;
    layers.emplace_back().begin(inputs, out, random);
    inputs = out;
  }
  return layers;
}

template <class T>
void shuffle(std::vector<T>& list, std::mt19937_64& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random() % i]);
}

/// Sets means and standard deviations in `net`, to normalize inputs and targets.
template <class TrainedNet, class Inputs>
void normalize(TrainedNet& net, const std::vector<Inputs>& inputs,
               const std::vector<double>& targets) {
  for (std::size_t at = 0; at < net.mean.size(); ++at) {
    const auto [mean, spread] = mean_and_deviation(
        inputs.size(), [&](std::size_t i) { return static_cast<double>(inputs[i][at]); });
    net.mean[at] = static_cast<float>(mean);
    net.scale[at] = spread > 1e-6 ? static_cast<float>(1 / spread) : 0;
  }
  const auto [mean, spread] =
      mean_and_deviation(targets.size(), [&](std::size_t i) { return targets[i]; });
  net.target_mean = mean;
  net.target_scale = std::max(spread, 1e-6);
}

/// log2 of the geometric mean of the errors. `predict(some)` returns predictions for these rows, as
/// log2.
template <class Predict>
[[nodiscard]] double mean_log2_error(const std::vector<double>& targets, const Predict& predict) {
  double sum = 0;
  std::vector<std::size_t> some;
  for (std::size_t begin = 0; begin < targets.size(); begin += 256) {
    some.resize(std::min<std::size_t>(256, targets.size() - begin));
    std::iota(some.begin(), some.end(), begin);
    const auto prediction = predict(some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double error = std::abs(exact_exp2(prediction(i) - targets[some[i]]) - 1);
      sum += exact_log2(std::max(error, kMinTrainingError));
    }
  }
  return sum / static_cast<double>(targets.size());
}

/// The network with the smallest error of all epochs. The rate decreases linearly to 0.
template <class Trainer, class Rows>
[[nodiscard]] auto train_epochs(Trainer& trainer, const Rows& learning, const Rows& choosing,
                                int epochs, double rate) {
  auto best = trainer.net();
  double least_error = std::numeric_limits<double>::infinity();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    trainer.epoch(learning, rate * (epochs - epoch) / epochs);
    const double error = trainer.log2_error(choosing);
    if (!(error < least_error)) continue;
    least_error = error;
    best = trainer.net();
  }
  return best;
}

}  // namespace orrery::model
