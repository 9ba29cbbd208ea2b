// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/training_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/text.h"
#include "orrery/graph/content_hash.h"

namespace orrery::model {
namespace {

constexpr double kStrangeRatio = 50;  // median ratio to the heuristic that suggests another unit

/// A hash of the architecture and the width of its processors; equal devices count as one.
std::uint32_t kind_of(const Silicon& silicon) {
  graph::ContentHash hash;
  // "-ultra" is equivalent.
  hash.add(silicon.architecture.substr(0, silicon.architecture.find('-')));
  if (silicon.processors > 0 && silicon.clock > 0) {
    const double width =
        silicon.rate(graph::Format::bf16) / static_cast<double>(silicon.processors) / silicon.clock;
    hash.add(static_cast<std::uint64_t>(exact_log2(width + 1) + 0.5));
  }
  return static_cast<std::uint32_t>(hash.value());
}

/// Detects times in another unit, e.g. milliseconds instead of microseconds.
Result<void> check_units(const TrainingSet& is) {
  for (std::size_t which = 1; which < kKernelClasses; ++which) {
    std::vector<std::vector<double>> targets(is.devices.size());
    for (const Sample& sample : is.samples[which])
      targets[sample.device].push_back(sample.target[0]);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i].size() < 10) continue;
      const double ratio = exact_exp2(quantile_nearest(targets[i], 0.5));
      if (ratio < kStrangeRatio && ratio > 1 / kStrangeRatio) continue;
      return fail(Errc::input_range, "fit",
                  fmt::format("times of {} on {} are {:.3g} times the estimate from its data sheet",
                              name(static_cast<KernelClass>(which)), is.devices[i]->name, ratio),
                  "times must be in microseconds, values of devices in SI units");
    }
  }
  return {};
}

/// Adds the kernels of one row. Returns false if one of them cannot be used for training.
bool take_row(const MeasuredRows& measured, const MeasuredKernel& row, const Silicon& silicon,
              std::vector<Sample>& taken) {
  const auto kernels = measured.kernels_of(row);
  taken.assign(kernels.size(), {});
  for (const FeatureView view : {FeatureView::measured, FeatureView::general}) {
    double base = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const KernelClass which = class_of(kernels[i]);
      Features& features = taken[i].features[index_of(view)];
      features = features_of(which, kernels[i], silicon, view);
      if (which == KernelClass::none || !features.said) return false;
      base += exact_exp2(features.log2_base);
    }
    for (Sample& sample : taken) sample.target[index_of(view)] = exact_log2(row.seconds / base);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    taken[i].device = row.device;
    taken[i].kind = kind_of(silicon);
    taken[i].kernel = kernels[i];
  }
  return true;
}

}  // namespace

Samples on_device(const Samples& samples, std::uint32_t device) {
  Samples found;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(found),
               [&](const Sample& sample) { return sample.device == device; });
  return found;
}

bool can_hold_out(std::span<const Sample> samples) {
  std::array<bool, kParts> there{};
  for (const Sample& sample : samples) there[sample.part] = true;
  return there[0] && there[1] && std::count(there.begin() + 2, there.end(), true) >= 2;
}

Result<TrainingSet> make_training_set(const MeasuredRows& measured,
                                      std::span<const Silicon> silicons, std::uint64_t seed) {
  TrainingSet is;
  for (const std::string& name : measured.devices) {
    const auto found = std::find_if(silicons.begin(), silicons.end(),
                                    [&](const Silicon& silicon) { return silicon.name == name; });
    if (found == silicons.end())
      return fail(Errc::input_mismatch, "fit", "no data sheet for the device " + in_quotes(name),
                  "describe it in a file of devices (--devices), or rename it in the table");
    is.devices.push_back(&*found);
  }
  std::vector<Sample> taken;
  for (const MeasuredKernel& row : measured.rows) {
    if (!take_row(measured, row, *is.devices[row.device], taken)) {
      ++is.unlearned;
      continue;
    }
    const auto part = static_cast<std::uint8_t>(part_of(measured.kernels_of(row), seed));
    for (Sample& sample : taken) {
      sample.part = part;
      is.samples[static_cast<std::size_t>(class_of(sample.kernel))].push_back(sample);
    }
  }
  if (Result<void> fine = check_units(is); !fine) return tl::unexpected(fine.error());
  return is;
}

HoldoutError holdout_error(std::vector<double> ratios) {
  HoldoutError held;
  held.rows = static_cast<std::int64_t>(ratios.size());
  if (ratios.empty()) return held;
  held.lower = quantile_nearest(ratios, 0.1);
  held.upper = quantile_nearest(ratios, 0.9);
  for (double& ratio : ratios) ratio = std::abs(1 / ratio - 1);
  held.median_error = quantile_nearest(ratios, 0.5);
  return held;
}

double share_within_band(const HoldoutError& held, std::span<const double> ratios) {
  if (ratios.empty()) return 0;
  const auto inside = std::count_if(ratios.begin(), ratios.end(), [&](double ratio) {
    return ratio >= held.lower && ratio <= held.upper;
  });
  return static_cast<double>(inside) / static_cast<double>(ratios.size());
}

}  // namespace orrery::model
