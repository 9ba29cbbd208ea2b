// SPDX-License-Identifier: Apache-2.0
//
// Trains neural networks for embedding lookups without a library; see net_training.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "orrery/model/kernels/learned/lookup_net.h"

namespace orrery::model {

/// Lin et al. try widths from 64 to 512, 3 to 7 layers, rates from 1e-4 to 1e-2, batches of 16 to
/// 64, 1200 epochs, and stop when the geometric mean of the errors is below 4 %. Here the rate
/// decreases linearly to 0.
struct LookupNetOptions {
  std::size_t width = 64;  ///< of hidden layers, at most Net::kMaxWidth
  std::size_t layers = 5;  ///< layers with weights, including the last two; 3 to Net::kMaxLayers
  double rate = 4e-3;      ///< initial learning rate of Adam
  double decay = 0;        ///< weight decay; Lin et al. use 1e-4
  std::size_t batch = 32;
  int epochs = 120;
};

/// Minimizes the squared error of logarithms with Adam. Of all epochs, it returns the network with
/// the smallest geometric mean of errors on `choosing`. Both sets need at least one lookup, and
/// each lookup at least one table.
[[nodiscard]] LookupNet train_lookup_net(std::span<const MeasuredLookup> learning,
                                         std::span<const MeasuredLookup> choosing,
                                         const LookupNetOptions& options, std::uint64_t seed);

/// Half the mean squared error of a network on lookups, in the network's units, and its derivatives
/// by each weight and bias, layer by layer (weights, then biases; those of `each` first).
struct LookupGradient {
  double error = 0;
  std::vector<double> slopes;
};
[[nodiscard]] LookupGradient lookup_gradient(const LookupNet& net,
                                             std::span<const MeasuredLookup> lookups);

/// The distribution of measured / predicted around 1.
[[nodiscard]] HoldoutError lookup_errors(const LookupNet& net,
                                         std::span<const MeasuredLookup> lookups);

/// A network for each device and pass. It holds out a tenth of the lookups of each, at least one.
/// Calls `on_done` after each. Errc: usage (options out of range), input_empty (fewer than 20
/// lookups of a device and pass).
[[nodiscard]] Result<std::vector<DeviceLookupNet>> fit_lookup_nets(
    std::span<const MeasuredLookup> lookups, const LookupNetOptions& options, std::uint64_t seed,
    const std::function<void(const DeviceLookupNet&)>& on_done = {});

}  // namespace orrery::model
