// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels, ready to be learned.
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
  std::array<double, 2> target{};    ///< log2 of measured over the heuristic's time, by view
  std::uint32_t device = 0;
  std::uint32_t kind = 0;  ///< of device: those that compute alike count as one
  std::uint8_t part = 0;   ///< of kParts: 0 is tested on, 1 sets the band, the others are learned
  graph::Kernel kernel{};

  /// log2 of seconds: what was measured.
  [[nodiscard]] double log2_seconds() const { return target[0] + features[0].log2_base; }
};
using Samples = std::vector<Sample>;

struct TrainingSet {
  std::vector<const Silicon*> devices;  ///< by number of the measured rows' devices
  std::array<Samples, kKernelClasses> samples;
  std::size_t unlearned = 0;  ///< rows with kernels of no class, or that the heuristic cannot share
};

/// Those of one device.
[[nodiscard]] Samples on_device(const Samples& samples, std::uint32_t device);

[[nodiscard]] inline std::size_t index_of(FeatureView view) {
  return static_cast<std::size_t>(view);
}

/// True where some of each part can be held back: parts 0 and 1 have a row, and two others have
/// one. Few different kernels, each measured again and again, may all be of one part.
[[nodiscard]] bool can_hold_out(std::span<const Sample> samples);

/// A row of several kernels counts as each of them, its time shared as the heuristic does. Devices
/// are found in `silicons`, which has to stay, by name. Errc: input_mismatch (a device that is not
/// described), input_range (times that look like another unit).
[[nodiscard]] Result<TrainingSet> make_training_set(const MeasuredRows& measured,
                                                    std::span<const Silicon> silicons,
                                                    std::uint64_t seed);

/// Of |predicted / measured - 1|, from measured / predicted.
[[nodiscard]] HoldoutError holdout_error(std::vector<double> ratios);

/// Share of `ratios` that lie in the band of `held`; 0 of none.
[[nodiscard]] double share_within_band(const HoldoutError& held, std::span<const double> ratios);

}  // namespace orrery::model
