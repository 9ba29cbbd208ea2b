// SPDX-License-Identifier: Apache-2.0
//
// Recorded kernels as rows of a table of measured kernels.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orrery/model/kernels/measured_rows.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/profile/profile.h"

namespace orrery::study {

/// Collects kernels, one rank at a time.
class RecordedKernelRows {
 public:
  /// `device`: device of all ranks; null: the one that each recording names.
  explicit RecordedKernelRows(const platform::DeviceEntry* device) : device_(device) {}

  /// Adds the kernels of one rank (attached and indexed) whose operator shapes are known. Excludes
  /// kernels that overlap communication for at least half of their time. O(events log events).
  void add(const profile::Profile& profile);

  /// Returns one row per device and distinct kernel, ordered by device name and kernel text, with
  /// the median of its times. `line` is the number of the row.
  [[nodiscard]] model::MeasuredRows rows() const;

  /// Recorded device names that are not in the catalog; "" for a device without a name.
  [[nodiscard]] const std::set<std::string>& unknown_devices() const { return unknown_devices_; }
  [[nodiscard]] std::uint64_t kernels() const { return kernels_; }  ///< compute kernels
  [[nodiscard]] std::uint64_t known() const { return known_; }      ///< with known operator shapes
  /// Kernels excluded because they overlap communication.
  [[nodiscard]] std::uint64_t overlapped() const { return overlapped_; }

 private:
  const platform::DeviceEntry* device_;
  std::map<std::pair<std::string, std::string>, std::vector<double>> times_;  // seconds
  std::set<std::string> unknown_devices_;
  std::uint64_t kernels_ = 0, known_ = 0, overlapped_ = 0;
};

}  // namespace orrery::study
