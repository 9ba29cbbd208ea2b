// SPDX-License-Identifier: Apache-2.0
//
// Kernel times in recorded steps compared with those of isolated kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/profile/profile.h"

namespace orrery::study {

/// The 10th, 50th and 90th percentile of a distribution.
struct PercentileSpread {
  double p10 = 0, median = 0, p90 = 0;
};

/// Recorded times of a set of kernels, and their predicted times in isolation.
struct StepKernelTimes {
  std::uint64_t kernels = 0;
  Time recorded{};
  Time alone{};
  PercentileSpread ratio{};  ///< recorded / alone, per kernel

  /// recorded / alone; 0 without kernels.
  [[nodiscard]] double factor() const;
};

/// Kernels of one class (equal operation, pass and first format), or of one shape.
struct KernelContextRow {
  graph::Kernel kernel{};  ///< first kernel of the row
  std::string models;      ///< models that predict `alone`: "learned, heuristic"
  StepKernelTimes all{};
  /// Kernels that overlap communication for at least half of their time.
  StepKernelTimes overlapped{};
};

/// Recorded kernels of the ranks with one kind of device.
struct DeviceKernelContext {
  std::string recorded_as;   ///< device name in the file; may be empty
  model::Silicon silicon{};  ///< device used for predictions
  std::uint64_t ranks = 0;
  std::uint64_t kernels = 0;  ///< compute kernels
  Time time{};                ///< their recorded time
  std::uint64_t known = 0;    ///< with known operator shapes
  Time known_kernel_time{};
  /// Gap between the end of a compute kernel and the start of the next work on its stream, if that
  /// computes too and was launched at least 20 us before that end. In picoseconds; `gaps` is their
  /// number.
  PercentileSpread gap{};
  std::uint64_t gaps = 0;
  std::vector<KernelContextRow> rows;  ///< by recorded time, descending
};

/// Collects kernels, one rank at a time.
class KernelContextBuilder {
 public:
  /// `models`: the first one with a prediction provides the isolated time. `device`: device of all
  /// ranks; null: the one that each recording names. `shapes`: one row per shape instead of per
  /// class.
  KernelContextBuilder(std::vector<model::NamedKernelModel> models,
                       const platform::DeviceEntry* device, bool shapes);
  ~KernelContextBuilder();

  /// Adds the kernels of one rank (attached and indexed), except those on unknown devices. O(events
  /// log events).
  void add(const profile::Profile& profile);

  /// Recorded device names that are not in the catalog.
  [[nodiscard]] const std::set<std::string>& unknown_devices() const { return unknown_devices_; }

  /// Returns the results by device name. Kernels that no model predicts count as known, but are in
  /// no row.
  [[nodiscard]] std::vector<DeviceKernelContext> contexts() const;

 private:
  struct Gathered;
  /// Returns null for an unknown device.
  Gathered* of_device(std::string_view recorded_as);

  std::vector<model::NamedKernelModel> models_;
  const platform::DeviceEntry* device_;
  bool shapes_;
  std::map<std::string, std::unique_ptr<Gathered>> by_device_;
  std::set<std::string> unknown_devices_;
};

}  // namespace orrery::study
