// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/net_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/model/kernels/exact_math.h"
#include "orrery/model/kernels/learned/net_math.h"

namespace orrery::model {
namespace {

/// Adam's constants. Source: Kingma and Ba, "Adam", ICLR 2015, algorithm 1.
constexpr float kFirstMoment = 0.9f, kSecondMoment = 0.999f, kAdamFloor = 1e-8f;
constexpr float kFirstBias = 0.01f;
constexpr double kLeastError = 1e-4;  // errors below count as this in their geometric mean

/// From -1 to 1, of 53 bits. Libraries' engines are the same everywhere, their distributions not.
double evenly(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; }

/// Weights with what Adam remembers of them.
struct Learned {
  Matrix weights, slope, first, second;

  void size(std::size_t rows, std::size_t columns) {
    for (Matrix* const is : {&weights, &slope, &first, &second}) is->resize(rows, columns);
  }
  /// `left`: what is left of both moments' first values by now.
  void step(float rate, float decay, std::pair<float, float> left) {
    for (std::size_t i = 0; i < weights.values.size(); ++i) {
      const float down = slope.values[i] + decay * weights.values[i];
      float& m = first.values[i];
      float& v = second.values[i];
      m = kFirstMoment * m + (1 - kFirstMoment) * down;
      v = kSecondMoment * v + (1 - kSecondMoment) * down * down;
      weights.values[i] -=
          rate * (m / (1 - left.first)) / (std::sqrt(v / (1 - left.second)) + kAdamFloor);
    }
  }
};

struct TrainedLayer {
  Learned weights, bias;
  Matrix in;     ///< what came in last, a row for each of the batch
  Matrix error;  ///< by how much what went out should have been less
};

class Trainer {
 public:
  Trainer(const NetRows& learning, const NetOptions& options, std::uint64_t seed)
      : options_(options), random_(seed) {
    measure(learning);
    std::size_t in = kNetInputs;
    for (std::size_t l = 0; l < options.layers; ++l) {
      const std::size_t out = l + 1 < options.layers ? options.width : 1;
      TrainedLayer& layer = layers_.emplace_back();
      layer.weights.size(in, out);
      layer.bias.size(1, out);
      // Evenly from -x to x. Source: Glorot and Bengio, AISTATS 2010, eq. 16.
      const double x = std::sqrt(6.0 / static_cast<double>(in + out));
      for (float& weight : layer.weights.weights.values)
        weight = static_cast<float>(x * evenly(random_));
      std::fill(layer.bias.weights.values.begin(), layer.bias.weights.values.end(), kFirstBias);
      in = out;
    }
  }

  void epoch(const NetRows& rows, double rate) {
    if (order_.size() != rows.inputs.size()) {
      order_.resize(rows.inputs.size());
      std::iota(order_.begin(), order_.end(), std::size_t{0});
    }
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
    for (std::size_t begin = 0; begin < order_.size(); begin += options_.batch) {
      const std::size_t count = std::min(options_.batch, order_.size() - begin);
      forward(rows, std::span(order_).subspan(begin, count));
      back(rows, std::span(order_).subspan(begin, count));
      left_.first *= kFirstMoment;
      left_.second *= kSecondMoment;
      for (TrainedLayer& layer : layers_) {
        layer.weights.step(static_cast<float>(rate), static_cast<float>(options_.decay), left_);
        layer.bias.step(static_cast<float>(rate), 0, left_);
      }
    }
  }

  /// The logarithm of the geometric mean of the errors.
  double log2_error(const NetRows& rows) {
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
    for (const TrainedLayer& layer : layers_)
      net.layers.push_back({layer.weights.weights.rows, layer.weights.weights.columns,
                            layer.weights.weights.values, layer.bias.weights.values});
    return net;
  }

 private:
  /// Means and spreads, so that inputs and the target are about 1.
  void measure(const NetRows& rows) {
    const auto count = static_cast<double>(rows.inputs.size());
    const auto mean_and_spread = [&](const auto& value_of) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < rows.inputs.size(); ++i) sum += value_of(i);
      for (std::size_t i = 0; i < rows.inputs.size(); ++i) {
        const double off = value_of(i) - sum / count;
        squares += off * off;
      }
      return std::pair(sum / count, std::sqrt(squares / count));
    };
    for (std::size_t at = 0; at < kNetInputs; ++at) {
      const auto [mean, spread] =
          mean_and_spread([&](std::size_t i) { return static_cast<double>(rows.inputs[i][at]); });
      net_.mean[at] = static_cast<float>(mean);
      net_.scale[at] = spread > 1e-6 ? static_cast<float>(1 / spread) : 0;
    }
    const auto [mean, spread] =
        mean_and_spread([&](std::size_t i) { return rows.log2_seconds[i]; });
    net_.target_mean = mean;
    net_.target_scale = std::max(spread, 1e-6);
  }

  void forward(const NetRows& rows, std::span<const std::size_t> batch) {
    Matrix& in = layers_.front().in;
    in.resize(batch.size(), kNetInputs);
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (std::size_t at = 0; at < kNetInputs; ++at)
        in.row(i)[at] = (rows.inputs[batch[i]][at] - net_.mean[at]) * net_.scale[at];
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const TrainedLayer& layer = layers_[l];
      const bool last = l + 1 == layers_.size();
      Matrix& out = last ? out_ : layers_[l + 1].in;
      const std::vector<float>& bias = layer.bias.weights.values;
      out.resize(batch.size(), bias.size());
      for (std::size_t i = 0; i < batch.size(); ++i)
        std::copy(bias.begin(), bias.end(), out.row(i));
      add_product(layer.in, layer.weights.weights, out);
      if (!last)
        for (float& x : out.values) x = x > 0 ? x : 0;
    }
  }

  void back(const NetRows& rows, std::span<const std::size_t> batch) {
    Matrix& last = layers_.back().error;
    last.resize(batch.size(), 1);
    const float share = 2 / static_cast<float>(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i)
      last.row(i)[0] =
          share *
          (out_.row(i)[0] - static_cast<float>((rows.log2_seconds[batch[i]] - net_.target_mean) /
                                               net_.target_scale));
    for (std::size_t l = layers_.size(); l-- > 0;) {
      TrainedLayer& layer = layers_[l];
      std::fill(layer.weights.slope.values.begin(), layer.weights.slope.values.end(), 0.0f);
      transpose(layer.in, turned_);
      add_product(turned_, layer.error, layer.weights.slope);
      std::vector<float>& slope = layer.bias.slope.values;
      std::fill(slope.begin(), slope.end(), 0.0f);
      for (std::size_t i = 0; i < batch.size(); ++i)
        for (std::size_t j = 0; j < slope.size(); ++j) slope[j] += layer.error.row(i)[j];
      if (l == 0) break;
      Matrix& before = layers_[l - 1].error;
      before.resize(batch.size(), layer.in.columns);
      std::fill(before.values.begin(), before.values.end(), 0.0f);
      transpose(layer.weights.weights, turned_);
      add_product(layer.error, turned_, before);
      for (std::size_t i = 0; i < before.values.size(); ++i)
        if (!(layer.in.values[i] > 0)) before.values[i] = 0;
    }
  }

  const NetOptions& options_;
  std::mt19937_64 random_;
  Net net_;  ///< without its layers
  std::vector<TrainedLayer> layers_;
  std::pair<float, float> left_ = {1, 1};
  std::vector<std::size_t> order_;
  Matrix out_, turned_;
};

int epochs_of(std::size_t rows, const NetOptions& options) {
  if (options.epochs > 0) return options.epochs;
  const auto width = static_cast<double>(options.width);
  const double weights = width * (kNetInputs + 1 + width * static_cast<double>(options.layers - 2));
  const double one = 6 * weights * static_cast<double>(rows);  // 2 forward, 4 back
  return static_cast<int>(std::clamp<double>(options.work / one, kLeastEpochs, kMostEpochs));
}

}  // namespace

Net train_net(const NetRows& learning, const NetRows& choosing, const NetOptions& options,
              std::uint64_t seed) {
  ORRERY_CHECK(!learning.inputs.empty() && !choosing.inputs.empty());
  ORRERY_CHECK(options.layers >= 2 && options.layers <= Net::kMostLayers && options.width > 0 &&
               options.width <= Net::kMostWidth && options.batch > 0);
  Trainer trainer(learning, options, seed);
  Net best = trainer.net();
  double least = std::numeric_limits<double>::infinity();
  const int epochs = epochs_of(learning.inputs.size(), options);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    trainer.epoch(learning, options.rate * (epochs - epoch) / epochs);
    const double error = trainer.log2_error(choosing);
    if (!(error < least)) continue;
    least = error;
    best = trainer.net();
  }
  return best;
}

}  // namespace orrery::model
