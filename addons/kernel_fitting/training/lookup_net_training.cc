// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/lookup_net_training.h"

#include <fmt/format.h>

#include <map>

#include "addons/kernel_fitting/training/net_trainer.h"
#include "orrery/core/check.h"

namespace orrery::model {
namespace {

/// Lookups as precomputed network inputs.
struct LookupRows {
  std::vector<LookupInputs> inputs;  ///< of all tables of all lookups
  std::vector<std::size_t> first;    ///< first table of each lookup, and the total
  std::vector<double> log2_us;

  explicit LookupRows(std::span<const MeasuredLookup> lookups) {
    for (const MeasuredLookup& is : lookups) {
      first.push_back(inputs.size());
      for (const LookupTable& table : is.tables) inputs.push_back(lookup_inputs(table));
      log2_us.push_back(exact_log2(is.us));
    }
    first.push_back(inputs.size());
  }
  [[nodiscard]] std::size_t size() const { return log2_us.size(); }
};

class LookupTrainer {
 public:
  LookupTrainer(const LookupRows& learning, const LookupNetOptions& options, std::uint64_t seed)
      : options_(options), random_(seed) {
    normalize(net_, learning.inputs, learning.log2_us);
    layers_ = begin_layers(kLookupInputs, options.layers, options.width, random_);
  }
  /// Continues the training of a network.
  explicit LookupTrainer(const LookupNet& net) : net_(net) {
    for (const std::vector<NetLayer>* layers : {&net.each, &net.all}) {
      for (const NetLayer& layer : *layers) {
        TrainedLayer& is = layers_.emplace_back();
        is.begin(layer.in, layer.out, random_);
        is.weights.weights.values = layer.weights;
        is.bias.weights.values = layer.bias;
      }
    }
  }

  void epoch(const LookupRows& rows, double rate) {
    if (order_.size() != rows.size()) {
      order_.resize(rows.size());
      std::iota(order_.begin(), order_.end(), std::size_t{0});
    }
    shuffle(order_, random_);
    for (std::size_t begin = 0; begin < order_.size(); begin += options_.batch) {
      const auto batch =
          std::span(order_).subspan(begin, std::min(options_.batch, order_.size() - begin));
      forward(rows, batch);
      back(rows, batch);
      advance_decay(left_);
      for (TrainedLayer& layer : layers_) layer.step(rate, options_.decay, left_);
    }
  }

  /// log2 of the geometric mean of the errors.
  double log2_error(const LookupRows& rows) {
    return mean_log2_error(rows.log2_us, [&](std::span<const std::size_t> some) {
      forward(rows, some);
      return [&](std::size_t i) { return net_.target_mean + net_.target_scale * out_.row(i)[0]; };
    });
  }

  LookupGradient slopes(const LookupRows& rows) {
    std::vector<std::size_t> all(rows.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    forward(rows, all);
    back(rows, all);
    LookupGradient is;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double off = out_.row(i)[0] - target(rows, i);
      is.error += 0.5 * off * off / static_cast<double>(all.size());
    }
    for (const TrainedLayer& layer : layers_)
      for (const Matrix* slope : {&layer.weights.slope, &layer.bias.slope})
        is.slopes.insert(is.slopes.end(), slope->values.begin(), slope->values.end());
    return is;
  }

  [[nodiscard]] LookupNet net() const {
    LookupNet net = net_;
    net.each.clear();
    net.all.clear();
    for (std::size_t l = 0; l < layers_.size(); ++l)
      (l + 2 < layers_.size() ? net.each : net.all).push_back(layers_[l].trained());
    return net;
  }

 private:
  [[nodiscard]] double target(const LookupRows& rows, std::size_t i) const {
    return (rows.log2_us[i] - net_.target_mean) / net_.target_scale;
  }

  [[nodiscard]] std::size_t tables_end() const { return layers_.size() - 2; }

  void forward(const LookupRows& rows, std::span<const std::size_t> batch) {
    lookup_of_.clear();
    for (std::size_t b = 0; b < batch.size(); ++b)
      lookup_of_.insert(lookup_of_.end(), rows.first[batch[b] + 1] - rows.first[batch[b]], b);
    Matrix& in = layers_.front().in;
    in.resize(lookup_of_.size(), kLookupInputs);
    std::size_t row = 0;
    for (const std::size_t lookup : batch)
      for (std::size_t i = rows.first[lookup]; i < rows.first[lookup + 1]; ++i, ++row)
        for (std::size_t at = 0; at < kLookupInputs; ++at)
          in.row(row)[at] = (rows.inputs[i][at] - net_.mean[at]) * net_.scale[at];
    for (std::size_t l = 0; l < tables_end(); ++l)
      layers_[l].forward(l + 1 < tables_end() ? layers_[l + 1].in : of_tables_, true);
    Matrix& sum = layers_[tables_end()].in;
    sum.resize(batch.size(), of_tables_.columns);
    std::fill(sum.values.begin(), sum.values.end(), 0.0f);
    for (std::size_t i = 0; i < lookup_of_.size(); ++i)
      for (std::size_t j = 0; j < of_tables_.columns; ++j)
        sum.row(lookup_of_[i])[j] += of_tables_.row(i)[j];
    layers_[tables_end()].forward(layers_.back().in, true);
    layers_.back().forward(out_, false);
  }

  void back(const LookupRows& rows, std::span<const std::size_t> batch) {
    Matrix& last = layers_.back().error;
    last.resize(batch.size(), 1);
    const float share = 1 / static_cast<float>(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i)
      last.row(i)[0] = share * (out_.row(i)[0] - static_cast<float>(target(rows, batch[i])));
    layers_.back().find_gradient(scratch_);
    layers_.back().pass_error(layers_[tables_end()].error, true, scratch_);
    layers_[tables_end()].find_gradient(scratch_);
    layers_[tables_end()].pass_error(of_sum_, false, scratch_);
    // The derivative of the sum passes unchanged to each table of a lookup, unless ReLU set it to
    // 0.
    Matrix& error = layers_[tables_end() - 1].error;
    error.resize(lookup_of_.size(), of_sum_.columns);
    for (std::size_t i = 0; i < lookup_of_.size(); ++i)
      for (std::size_t j = 0; j < of_sum_.columns; ++j)
        error.row(i)[j] = of_tables_.row(i)[j] > 0 ? of_sum_.row(lookup_of_[i])[j] : 0;
    for (std::size_t l = tables_end(); l-- > 0;) {
      layers_[l].find_gradient(scratch_);
      if (l > 0) layers_[l].pass_error(layers_[l - 1].error, true, scratch_);
    }
  }

  LookupNetOptions options_{};
  std::mt19937_64 random_;
  LookupNet net_;  ///< without layers
  std::vector<TrainedLayer> layers_;
  AdamDecay left_ = {1, 1};
  std::vector<std::size_t> order_;
  std::vector<std::size_t> lookup_of_;  ///< by table: index of its lookup in the batch
  Matrix of_tables_, of_sum_, out_, scratch_;
};

}  // namespace

LookupNet train_lookup_net(std::span<const MeasuredLookup> learning,
                           std::span<const MeasuredLookup> choosing,
                           const LookupNetOptions& options, std::uint64_t seed) {
  ORRERY_CHECK(!learning.empty() && !choosing.empty());
  ORRERY_CHECK(options.layers >= 3 && options.layers <= Net::kMaxLayers && options.width > 0 &&
               options.width <= Net::kMaxWidth && options.batch > 0);
  const LookupRows rows(learning), others(choosing);
  LookupTrainer trainer(rows, options, seed);
  return train_epochs(trainer, rows, others, options.epochs, options.rate);
}

LookupGradient lookup_gradient(const LookupNet& net, std::span<const MeasuredLookup> lookups) {
  ORRERY_CHECK(net.is_consistent() && !lookups.empty());
  return LookupTrainer(net).slopes(LookupRows(lookups));
}

HoldoutError lookup_errors(const LookupNet& net, std::span<const MeasuredLookup> lookups) {
  std::vector<double> ratios, errors;
  for (const MeasuredLookup& is : lookups) {
    const double ratio = exact_exp2(exact_log2(is.us) - net.log2_us(is.tables));
    ratios.push_back(ratio);
    errors.push_back(std::abs(1 / ratio - 1));
  }
  HoldoutError held;
  held.rows = static_cast<std::int64_t>(ratios.size());
  if (ratios.empty()) return held;
  held.median_error = quantile_nearest(errors, 0.5);
  held.lower = quantile_nearest(ratios, 0.1);
  held.upper = quantile_nearest(ratios, 0.9);
  return held;
}

Result<std::vector<DeviceLookupNet>> fit_lookup_nets(
    std::span<const MeasuredLookup> lookups, const LookupNetOptions& options, std::uint64_t seed,
    const std::function<void(const DeviceLookupNet&)>& on_done) {
  if (options.epochs < 1 || options.epochs > 100'000)
    return fail(Errc::usage, "--epochs", "must be 1 to 100,000");
  std::map<std::pair<std::string, bool>, std::vector<MeasuredLookup>> kinds;
  for (const MeasuredLookup& is : lookups) kinds[{is.device, is.backward}].push_back(is);
  std::vector<DeviceLookupNet> nets;
  for (auto& [kind, rows] : kinds) {
    constexpr std::size_t kMinLookups = 20;
    if (rows.size() < kMinLookups)
      return fail(Errc::input_empty, kind.first,
                  fmt::format("{} {} lookups; a net needs {} or more", rows.size(),
                              kind.second ? "backward" : "forward", kMinLookups));
    std::mt19937_64 random(seed);
    shuffle(rows, random);
    // A tenth selects the epoch; another tenth is used only for the reported error.
    const std::size_t tenth = rows.size() / 10;
    const std::span<const MeasuredLookup> all(rows);
    DeviceLookupNet& is = nets.emplace_back();
    is.device = kind.first;
    is.backward = kind.second;
    is.rows = static_cast<std::int64_t>(rows.size() - tenth);
    is.net = train_lookup_net(all.subspan(2 * tenth), all.subspan(tenth, tenth), options, seed);
    is.seen = lookup_errors(is.net, all.first(tenth));
    if (on_done) on_done(is);
  }
  return nets;
}

}  // namespace orrery::model
