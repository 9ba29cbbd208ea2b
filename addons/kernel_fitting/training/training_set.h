// SPDX-License-Identifier: Apache-2.0
//
// Prepares measured kernels for training.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/kernels/data_parts.h"
#include "orrery/model/kernels/learned/features.h"
#include "orrery/model/kernels/learned/learned_model.h"
#include "orrery/model/kernels/measured_rows.h"

namespace orrery::model {

/// One kernel of a measured row.
struct Sample {
  std::array<Features, 2> features;  ///< by view
  std::array<double, 2> target{};    ///< log2(measured time / heuristic time), by view
  std::uint32_t device = 0;
  std::uint32_t kind = 0;  ///< kind of the device: devices with the same compute units count as one
  /// One of kParts: 0 is the test set, 1 sets the error band, the others are for training.
  std::uint8_t part = 0;
  graph::Kernel kernel{};

  /// log2 of the measured time in seconds.
  [[nodiscard]] double log2_seconds() const { return target[0] + features[0].log2_base; }
};
using Samples = std::vector<Sample>;

struct TrainingSet {
  std::vector<const Silicon*> devices;  ///< by device number of the measured rows
  std::array<Samples, kKernelClasses> samples;
  /// Rows with kernels of no class, or whose time the heuristic cannot divide.
  std::size_t unlearned = 0;
};

/// The samples of one device.
[[nodiscard]] Samples on_device(const Samples& samples, std::uint32_t device);

[[nodiscard]] inline std::size_t index_of(FeatureView view) {
  return static_cast<std::size_t>(view);
}

/// Whether samples can be held out: parts 0 and 1 and at least two others have a row. If few
/// different kernels were measured repeatedly, all may be in one part.
[[nodiscard]] bool can_hold_out(std::span<const Sample> samples);

/// A row with several kernels counts as each of them; its time is divided in proportion to the
/// heuristic's times. Devices are found by name in `silicons`, which must outlive the result. Errc:
/// input_mismatch (a device is not described), input_range (times that seem to be in another unit).
[[nodiscard]] Result<TrainingSet> make_training_set(const MeasuredRows& measured,
                                                    std::span<const Silicon> silicons,
                                                    std::uint64_t seed);

/// The distribution of |predicted / measured - 1|, from ratios measured / predicted.
[[nodiscard]] HoldoutError holdout_error(std::vector<double> ratios);

/// The share of `ratios` within the error band of `held`; 0 if there are none.
[[nodiscard]] double share_within_band(const HoldoutError& held, std::span<const double> ratios);

}  // namespace orrery::model
