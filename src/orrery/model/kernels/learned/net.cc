// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/net.h"

#include <algorithm>
#include <cmath>

#include "orrery/model/kernels/exact_math.h"
#include "orrery/model/kernels/table_work.h"

namespace orrery::model {
namespace {

using graph::Kernel;

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

/// Whether sizes are left out that all kernels learned from said; a net takes them for 1.
bool says_less(const Kernel& kernel, const std::array<std::int64_t, graph::kKernelSizes>& least) {
  for (std::size_t i = graph::defining_sizes(kernel.operation); i < least.size(); ++i)
    if (kernel.sizes[i] == 0 && least[i] > 0) return true;
  return false;
}

}  // namespace

NetInputs net_inputs(const Kernel& kernel) {
  const Kernel one = canonical(kernel);
  NetInputs inputs{};
  std::size_t at = 0;
  for (const std::int64_t size : one.sizes)
    inputs[at++] =
        static_cast<float>(exact_log2(static_cast<double>(std::max<std::int64_t>(size, 1))));
  for (std::size_t bit = 0; bit < graph::kTraits; ++bit)
    inputs[at++] = static_cast<float>(one.traits >> bit & 1);
  inputs[at + static_cast<std::size_t>(one.pass)] = 1;
  at += graph::kPasses;
  inputs[at++] = static_cast<float>(graph::bits_of(one.out)) / 32;
  inputs[at++] = static_cast<float>(one.operation) / 8;
  return inputs;
}

bool Net::is_whole() const {
  if (layers.empty() || layers.size() > kMostLayers || layers.front().in != kNetInputs ||
      layers.back().out != 1 || !all_finite(mean) || !all_finite(scale) ||
      !std::isfinite(target_mean) || !std::isfinite(target_scale))
    return false;
  std::size_t before = kNetInputs;
  for (const NetLayer& layer : layers) {
    if (layer.in != before || layer.out == 0 || layer.out > kMostWidth ||
        layer.weights.size() != layer.in * layer.out || layer.bias.size() != layer.out ||
        !all_finite(layer.weights) || !all_finite(layer.bias))
      return false;
    before = layer.out;
  }
  return true;
}

double Net::log2_seconds(const Kernel& kernel) const {
  const NetInputs inputs = net_inputs(kernel);
  std::array<float, kMostWidth> values{}, next{};
  for (std::size_t i = 0; i < kNetInputs; ++i) values[i] = (inputs[i] - mean[i]) * scale[i];
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const NetLayer& layer = layers[l];
    std::copy(layer.bias.begin(), layer.bias.end(), next.begin());
    for (std::size_t i = 0; i < layer.in; ++i) {
      const float x = values[i];
      const float* const row = &layer.weights[i * layer.out];
      for (std::size_t j = 0; j < layer.out; ++j) next[j] += x * row[j];
    }
    if (l + 1 < layers.size())
      for (std::size_t j = 0; j < layer.out; ++j) next[j] = next[j] > 0 ? next[j] : 0;
    std::swap(values, next);
  }
  return target_mean + target_scale * static_cast<double>(values[0]);
}

std::optional<KernelTime> NetModel::time(const Kernel& kernel, const Silicon& silicon) const {
  const KernelClass kernels = class_of(kernel);
  if (kernels == KernelClass::none) return std::nullopt;
  const DeviceLikeness like = likeness_of(kernels, silicon);
  const auto is = std::find_if(classes_.begin(), classes_.end(), [&](const NetClass& known) {
    return known.kernels == kernels && is_like(known.device, like);
  });
  if (is == classes_.end()) return std::nullopt;
  const double log2 = is->net.log2_seconds(kernel);
  if (!(log2 > -60 && log2 < 30)) return std::nullopt;  // far off what it learned
  KernelTime time;
  time.seconds = exact_exp2(log2) * std::max<std::uint32_t>(kernel.launches, 1);
  time.source = TimeSource::learned;
  time.beyond = !lies_within(kernel, is->least, is->most) || says_less(kernel, is->least);
  time.band = band_of(is->seen, time.beyond);
  return time;
}

}  // namespace orrery::model
