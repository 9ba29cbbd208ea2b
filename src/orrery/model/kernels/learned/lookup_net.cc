// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/lookup_net.h"

#include <algorithm>
#include <cmath>

#include "orrery/model/kernels/exact_math.h"

namespace orrery::model {
namespace {

bool whole_layer(const NetLayer& layer, std::size_t in) {
  const auto finite = [](const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
  };
  return layer.in == in && layer.out > 0 && layer.out <= Net::kMostWidth &&
         layer.weights.size() == layer.in * layer.out && layer.bias.size() == layer.out &&
         finite(layer.weights) && finite(layer.bias);
}

/// One layer on one vector; `values` becomes what comes out.
void apply(const NetLayer& layer, bool rectified, std::vector<float>& values,
           std::vector<float>& next) {
  next.assign(layer.bias.begin(), layer.bias.end());
  for (std::size_t i = 0; i < layer.in; ++i) {
    const float x = values[i];
    const float* const row = &layer.weights[i * layer.out];
    for (std::size_t j = 0; j < layer.out; ++j) next[j] += x * row[j];
  }
  if (rectified)
    for (float& x : next) x = x > 0 ? x : 0;
  std::swap(values, next);
}

}  // namespace

LookupInputs lookup_inputs(const LookupTable& table) {
  LookupInputs inputs{};
  const auto log = [](double x, double least) {
    return static_cast<float>(exact_log2(std::max(x, least)));
  };
  inputs[0] = log(static_cast<double>(table.batch), 1);
  inputs[1] = log(static_cast<double>(table.rows), 1);
  inputs[2] = log(table.pooling, 1e-3);
  inputs[3] = log(static_cast<double>(table.features), 1);
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    inputs[4 + bin] = static_cast<float>(table.shares[bin]);
  return inputs;
}

bool LookupNet::is_whole() const {
  const auto finite = [](const LookupInputs& values) {
    return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
  };
  if (!finite(mean) || !finite(scale) || !std::isfinite(target_mean) ||
      !std::isfinite(target_scale) || each.empty() || all.size() != 2 ||
      each.size() + all.size() > Net::kMostLayers)
    return false;
  std::size_t in = kLookupInputs;
  for (const std::vector<NetLayer>* layers : {&each, &all}) {
    for (const NetLayer& layer : *layers) {
      if (!whole_layer(layer, in)) return false;
      in = layer.out;
    }
  }
  return in == 1;
}

double LookupNet::log2_us(std::span<const LookupTable> tables) const {
  std::vector<float> sum(each.back().out), values, next;
  for (const LookupTable& table : tables) {
    const LookupInputs inputs = lookup_inputs(table);
    values.resize(kLookupInputs);
    for (std::size_t i = 0; i < kLookupInputs; ++i) values[i] = (inputs[i] - mean[i]) * scale[i];
    for (const NetLayer& layer : each) apply(layer, true, values, next);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  apply(all[0], true, sum, next);
  apply(all[1], false, sum, next);
  return target_mean + target_scale * static_cast<double>(sum[0]);
}

std::optional<double> LookupNets::us(std::string_view device, bool backward,
                                     std::span<const LookupTable> tables) const {
  for (const LookupNetOf& is : nets_) {
    if (is.device != device || is.backward != backward) continue;
    const double log2 = is.net.log2_us(tables);
    if (!(log2 > -20 && log2 < 50)) return std::nullopt;
    return exact_exp2(log2);
  }
  return std::nullopt;
}

}  // namespace orrery::model
