// SPDX-License-Identifier: Apache-2.0
//
// Ratios of recorded to predicted times by class of kernels and device, learned from recordings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"

namespace orrery::model {

/// The class of a kernel whose predictions are corrected together: its operation, with its size
/// ("gemm small": less work than a launch lasts), and the shapes for which libraries have separate
/// kernels (rows that are not aligned, batches of products with a thin side, patches of images).
/// "unsaid" for kernels without operation.
[[nodiscard]] std::string ratio_class(const graph::Kernel& kernel);

/// A learned ratio, and the standard deviation of its logarithm.
struct DeviceRatio {
  double ratio = 1;
  double error = 0;
};

/// A table of learned ratios: rows of class, device, ratio, error. The device "*" has the ratio of
/// the class over all devices, and the error of a device without a row.
class DeviceRatios {
 public:
  /// Reads the CSV with the header "class,device,ratio,error,recordings,kernels"; lines that begin
  /// with # are skipped. `file`: for errors. Errc: input_corrupt for another header, damaged
  /// or repeated rows; input_range for a ratio that is not above 0, or an error below 0;
  /// input_empty for a file without rows.
  [[nodiscard]] static Result<DeviceRatios> parse(std::string_view text, const std::string& file);
  /// data/kernels/device_ratios.csv, which the library contains.
  [[nodiscard]] static const DeviceRatios& built_in();

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// The class of host work between two of its events. Work of 1 ms and more prepares data: "long
  /// host". Shorter work dispatches operators and launches kernels: "host WORD" of the first class
  /// in the table whose WORD the name contains, else "host". O(classes of hosts)
  [[nodiscard]] std::string_view host_class(std::string_view name, double seconds) const;
  /// The row of the class and the device. Empty: it has none.
  [[nodiscard]] std::optional<DeviceRatio> find(std::string_view of, std::string_view device) const;
  /// Standard deviation of the logarithm for a device without a row in this class.
  [[nodiscard]] double unknown_error(std::string_view of) const;
  /// … of a kernel relative to its class, on one device compared with another.
  [[nodiscard]] double kernel_error() const;
  /// The time of the class on `to` relative to `from`, and its error. Both devices' errors are
  /// independent. Empty: one of them has no row, so nothing is known of their difference.
  [[nodiscard]] std::optional<DeviceRatio> between(std::string_view of, std::string_view from,
                                                   std::string_view to) const;

 private:
  std::map<std::string, std::map<std::string, DeviceRatio, std::less<>>, std::less<>> rows_;
};

}  // namespace orrery::model
