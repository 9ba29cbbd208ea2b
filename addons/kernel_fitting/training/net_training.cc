// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/net_training.h"

#include "addons/kernel_fitting/training/net_trainer.h"
#include "orrery/core/check.h"

namespace orrery::model {
namespace {

class Trainer {
 public:
  Trainer(const NetTrainingRows& learning, const NetOptions& options, std::uint64_t seed)
      : options_(options), random_(seed) {
    normalize(net_, learning.inputs, learning.log2_seconds);
    layers_ = begin_layers(kNetInputs, options.layers, options.width, random_);
  }

  void epoch(const NetTrainingRows& rows, double rate) {
    if (order_.size() != rows.inputs.size()) {
      order_.resize(rows.inputs.size());
      std::iota(order_.begin(), order_.end(), std::size_t{0});
    }
    shuffle(order_, random_);
    for (std::size_t begin = 0; begin < order_.size(); begin += options_.batch) {
      const std::size_t count = std::min(options_.batch, order_.size() - begin);
      forward(rows, std::span(order_).subspan(begin, count));
      back(rows, std::span(order_).subspan(begin, count));
      advance_decay(left_);
      for (TrainedLayer& layer : layers_) layer.step(rate, options_.decay, left_);
    }
  }

  /// log2 of the geometric mean of the errors.
  double log2_error(const NetTrainingRows& rows) {
    return mean_log2_error(rows.log2_seconds, [&](std::span<const std::size_t> some) {
      forward(rows, some);
      return [&](std::size_t i) { return net_.target_mean + net_.target_scale * out_.row(i)[0]; };
    });
  }

  [[nodiscard]] Net net() const {
    Net net = net_;
    for (const TrainedLayer& layer : layers_) net.layers.push_back(layer.trained());
    return net;
  }

 private:
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
  Net net_;  ///< without layers
  std::vector<TrainedLayer> layers_;
  AdamDecay left_ = {1, 1};
  std::vector<std::size_t> order_;
  Matrix out_, turned_;
};

int epochs_of(std::size_t rows, const NetOptions& options) {
  if (options.epochs > 0) return options.epochs;
  const auto width = static_cast<double>(options.width);
  const double weights = width * (kNetInputs + 1 + width * static_cast<double>(options.layers - 2));
  const double one = 6 * weights * static_cast<double>(rows);  // 2 FLOP forward, 4 backward
  return static_cast<int>(std::clamp<double>(options.work / one, kMinEpochs, kMaxEpochs));
}

}  // namespace

Net train_net(const NetTrainingRows& learning, const NetTrainingRows& choosing,
              const NetOptions& options, std::uint64_t seed) {
  ORRERY_CHECK(!learning.inputs.empty() && !choosing.inputs.empty());
  ORRERY_CHECK(options.layers >= 2 && options.layers <= Net::kMaxLayers && options.width > 0 &&
               options.width <= Net::kMaxWidth && options.batch > 0);
  Trainer trainer(learning, options, seed);
  const int epochs = epochs_of(learning.inputs.size(), options);
  return train_epochs(trainer, learning, choosing, epochs, options.rate);
}

}  // namespace orrery::model
