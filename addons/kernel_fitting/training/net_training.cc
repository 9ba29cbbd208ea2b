// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/net_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "addons/kernel_fitting/training/matrix.h"
#include "addons/kernel_fitting/training/trained_layer.h"
#include "orrery/core/check.h"
#include "orrery/core/statistics/exact_math.h"
#include "orrery/core/statistics/statistics.h"

namespace orrery::model {
namespace {

constexpr double kLeastError = 1e-4;  // errors below count as this in their geometric mean

class Trainer {
 public:
  Trainer(const NetTrainingRows& learning, const NetOptions& options, std::uint64_t seed)
      : options_(options), random_(seed) {
    measure(learning);
    std::size_t in = kNetInputs;
    for (std::size_t l = 0; l < options.layers; ++l) {
      const std::size_t out = l + 1 < options.layers ? options.width : 1;
      layers_.emplace_back().begin(in, out, random_);
      in = out;
    }
  }

  void epoch(const NetTrainingRows& rows, double rate) {
    if (order_.size() != rows.inputs.size()) {
      order_.resize(rows.inputs.size());
      std::iota(order_.begin(), order_.end(), std::size_t{0});
    }
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
    for (std::size_t begin = 0; begin < order_.size(); begin += options_.batch) {
      const std::size_t count = std::min(options_.batch, order_.size() - begin);
      forward(rows, std::span(order_).subspan(begin, count));
      back(rows, std::span(order_).subspan(begin, count));
      advance_decay(left_);
      for (TrainedLayer& layer : layers_) layer.step(rate, options_.decay, left_);
    }
  }

  /// The logarithm of the geometric mean of the errors.
  double log2_error(const NetTrainingRows& rows) {
    double sum = 0;
    std::vector<std::size_t> some;
    for (std::size_t begin = 0; begin < rows.inputs.size(); begin += 256) {
      some.resize(std::min<std::size_t>(256, rows.inputs.size() - begin));
      std::iota(some.begin(), some.end(), begin);
      forward(rows, some);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const double off = net_.target_mean + net_.target_scale * out_.row(i)[0];
        const double error = std::abs(exact_exp2(off - rows.log2_seconds[some[i]]) - 1);
        sum += exact_log2(std::max(error, kLeastError));
      }
    }
    return sum / static_cast<double>(rows.inputs.size());
  }

  [[nodiscard]] Net net() const {
    Net net = net_;
    for (const TrainedLayer& layer : layers_) net.layers.push_back(layer.trained());
    return net;
  }

 private:
  /// Means and spreads, so that inputs and the target are about 1.
  void measure(const NetTrainingRows& rows) {
    const std::size_t count = rows.inputs.size();
    for (std::size_t at = 0; at < kNetInputs; ++at) {
      const auto [mean, spread] = mean_and_deviation(
          count, [&](std::size_t i) { return static_cast<double>(rows.inputs[i][at]); });
      net_.mean[at] = static_cast<float>(mean);
      net_.scale[at] = spread > 1e-6 ? static_cast<float>(1 / spread) : 0;
    }
    const auto [mean, spread] =
        mean_and_deviation(count, [&](std::size_t i) { return rows.log2_seconds[i]; });
    net_.target_mean = mean;
    net_.target_scale = std::max(spread, 1e-6);
  }

  void forward(const NetTrainingRows& rows, std::span<const std::size_t> batch) {
    Matrix& in = layers_.front().in;
    in.resize(batch.size(), kNetInputs);
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (std::size_t at = 0; at < kNetInputs; ++at)
        in.row(i)[at] = (rows.inputs[batch[i]][at] - net_.mean[at]) * net_.scale[at];
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const bool last = l + 1 == layers_.size();
      layers_[l].forward(last ? out_ : layers_[l + 1].in, !last);
    }
  }

  void back(const NetTrainingRows& rows, std::span<const std::size_t> batch) {
    Matrix& last = layers_.back().error;
    last.resize(batch.size(), 1);
    const float share = 2 / static_cast<float>(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i)
      last.row(i)[0] =
          share *
          (out_.row(i)[0] - static_cast<float>((rows.log2_seconds[batch[i]] - net_.target_mean) /
                                               net_.target_scale));
    for (std::size_t l = layers_.size(); l-- > 0;) {
      layers_[l].find_gradient(turned_);
      if (l > 0) layers_[l].pass_error(layers_[l - 1].error, true, turned_);
    }
  }

  const NetOptions& options_;
  std::mt19937_64 random_;
  Net net_;  ///< without its layers
  std::vector<TrainedLayer> layers_;
  AdamDecay left_ = {1, 1};
  std::vector<std::size_t> order_;
  Matrix out_, turned_;
};

int epochs_of(std::size_t rows, const NetOptions& options) {
  if (options.epochs > 0) return options.epochs;
  const auto width = static_cast<double>(options.width);
  const double weights = width * (kNetInputs + 1 + width * static_cast<double>(options.layers - 2));
  const double one = 6 * weights * static_cast<double>(rows);  // 2 forward, 4 back
  return static_cast<int>(std::clamp<double>(options.work / one, kMinEpochs, kMaxEpochs));
}

}  // namespace

Net train_net(const NetTrainingRows& learning, const NetTrainingRows& choosing,
              const NetOptions& options, std::uint64_t seed) {
  ORRERY_CHECK(!learning.inputs.empty() && !choosing.inputs.empty());
  ORRERY_CHECK(options.layers >= 2 && options.layers <= Net::kMaxLayers && options.width > 0 &&
               options.width <= Net::kMaxWidth && options.batch > 0);
  Trainer trainer(learning, options, seed);
  Net best = trainer.net();
  double least_error = std::numeric_limits<double>::infinity();
  const int epochs = epochs_of(learning.inputs.size(), options);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    trainer.epoch(learning, options.rate * (epochs - epoch) / epochs);
    const double error = trainer.log2_error(choosing);
    if (!(error < least_error)) continue;
    least_error = error;
    best = trainer.net();
  }
  return best;
}

}  // namespace orrery::model
