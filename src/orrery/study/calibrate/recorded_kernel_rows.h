// SPDX-License-Identifier: Apache-2.0
//
// Kernels of recordings as rows of a table.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orrery/model/kernels/measured_rows.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/profile/profile.h"

namespace orrery::study {

/// Gathers ranks one after another.
class RecordedKernelRows {
 public:
  /// `device`: of all ranks; null: as each recording names it.
  explicit RecordedKernelRows(const platform::DeviceEntry* device) : device_(device) {}

  /// Adds the kernels of one rank (attached and indexed) that are known by their operators' shapes
  /// and that no communication ran beside for half of their time. O(events log events).
  void add(const profile::Profile& profile);

  /// A row for each different kernel of each device, by name and text: the median of its times.
  /// `line` is the row's number.
  [[nodiscard]] model::MeasuredRows rows() const;

  /// Names in recordings that no device of the catalogue has; empty: one without a name.
  [[nodiscard]] const std::set<std::string>& unknown_devices() const { return unknown_devices_; }
  [[nodiscard]] std::uint64_t kernels() const { return kernels_; }  ///< that compute
  [[nodiscard]] std::uint64_t known() const { return known_; }      ///< whose shapes are known
  [[nodiscard]] std::uint64_t overlapped() const {
    return overlapped_;
  }  ///< left out: communication

 private:
  const platform::DeviceEntry* device_;
  std::map<std::pair<std::string, std::string>, std::vector<double>> times_;  // seconds
  std::set<std::string> unknown_devices_;
  std::uint64_t kernels_ = 0, known_ = 0, overlapped_ = 0;
};

}  // namespace orrery::study
