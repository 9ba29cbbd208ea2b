// SPDX-License-Identifier: Apache-2.0
//
// Training of nets for lookups, without any library; see net_training.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "orrery/model/kernels/learned/lookup_net.h"

namespace orrery::model {

/// Lin et al. try widths from 64 to 512, 3 to 7 layers, rates from 1e-4 to 1e-2, batches of 16 to
/// 64, 1200 epochs, and stop when the geometric mean of the errors is below 4 %; here the rate
/// falls to nothing in even steps.
struct LookupNetOptions {
  std::size_t width = 64;  ///< of hidden layers, at most Net::kMaxWidth
  std::size_t layers = 5;  ///< with weights, the last two included; 3 to Net::kMaxLayers
  double rate = 4e-3;      ///< of Adam's first step
  double decay = 0;        ///< of weights; theirs is 1e-4
  std::size_t batch = 32;
  int epochs = 120;
};

/// Adam on the squared error of logarithms. Of all epochs' nets the one is kept whose geometric
/// mean of errors on `choosing` is least. There has to be a lookup of each, and a table in every
/// one.
[[nodiscard]] LookupNet train_lookup_net(std::span<const MeasuredLookup> learning,
                                         std::span<const MeasuredLookup> choosing,
                                         const LookupNetOptions& options, std::uint64_t seed);

/// Half the mean squared error of a net on lookups, in its own units, and its slopes by every
/// weight and bias, layer by layer (weights, then biases; those of `each` first).
struct LookupGradient {
  double error = 0;
  std::vector<double> slopes;
};
[[nodiscard]] LookupGradient lookup_gradient(const LookupNet& net,
                                             std::span<const MeasuredLookup> lookups);

/// How measured / predicted lies around 1.
[[nodiscard]] HoldoutError lookup_errors(const LookupNet& net,
                                         std::span<const MeasuredLookup> lookups);

/// A net for each device and pass; a tenth of the lookups, at least one, is held back from each.
/// `on_done` is called after each. Errc: usage (options out of range), input_empty (fewer than 20
/// lookups of a device and pass).
[[nodiscard]] Result<std::vector<DeviceLookupNet>> fit_lookup_nets(
    std::span<const MeasuredLookup> lookups, const LookupNetOptions& options, std::uint64_t seed,
    const std::function<void(const DeviceLookupNet&)>& on_done = {});

}  // namespace orrery::model
