// SPDX-License-Identifier: Apache-2.0
//
// Kernels in the steps they were recorded in, beside what they take alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/profile/profile.h"

namespace orrery::study {

/// Three places in a distribution: 10 % are below `p10`, 10 % above `p90`.
struct PercentileSpread {
  double p10 = 0, median = 0, p90 = 0;
};

/// Recorded times of some kernels and what they take alone, by a model.
struct StepKernelTimes {
  std::uint64_t kernels = 0;
  Time recorded{};
  Time alone{};
  PercentileSpread ratio{};  ///< of recorded to alone, kernel by kernel

  /// Of the sums; 0 where there are none.
  [[nodiscard]] double factor() const;
};

/// Kernels of one class (operation, pass and first format alike) or of one shape.
struct KernelContextRow {
  graph::Kernel kernel{};  ///< the first of them
  std::string models;      ///< who said what they take alone: "learned, heuristic"
  StepKernelTimes all{};
  StepKernelTimes
      overlapped{};  ///< those that communication ran beside, at least half of their time
};

/// What the ranks of one kind of device recorded.
struct DeviceKernelContext {
  std::string recorded_as;   ///< the name in the file; empty: it has none
  model::Silicon silicon{};  ///< what it is taken for
  std::uint64_t ranks = 0;
  std::uint64_t kernels = 0;  ///< that compute
  Time time{};                ///< of these
  std::uint64_t known = 0;    ///< whose operators' shapes say what they compute
  Time known_kernel_time{};
  /// Between a kernel's end and the begin of the next on its stream, where that had been launched
  /// long before: at least 20 us before the end. In picoseconds; `gaps` of them.
  PercentileSpread gap{};
  std::uint64_t gaps = 0;
  std::vector<KernelContextRow> rows;  ///< by recorded time, longest first
};

/// Gathers ranks one after another.
class KernelContextBuilder {
 public:
  /// `models`: the first that answers says what a kernel takes alone. `device`: of all ranks; null:
  /// as each recording names it. `shapes`: a row for each shape, not class.
  KernelContextBuilder(std::vector<model::NamedKernelModel> models,
                       const platform::DeviceEntry* device, bool shapes);
  ~KernelContextBuilder();

  /// Adds what one rank recorded, attached and indexed; not what ran on devices that nobody knows.
  /// O(events log events).
  void add(const profile::Profile& profile);

  /// Names in recordings that no device of the catalogue has.
  [[nodiscard]] const std::set<std::string>& unknown_devices() const { return unknown_devices_; }

  /// By name of the device. Kernels that no model knows are counted as known, and are in no row.
  [[nodiscard]] std::vector<DeviceKernelContext> contexts() const;

 private:
  struct Gathered;
  /// Null: nobody knows the device.
  Gathered* of_device(std::string_view recorded_as);

  std::vector<model::NamedKernelModel> models_;
  const platform::DeviceEntry* device_;
  bool shapes_;
  std::map<std::string, std::unique_ptr<Gathered>> by_device_;
  std::set<std::string> unknown_devices_;
};

}  // namespace orrery::study
