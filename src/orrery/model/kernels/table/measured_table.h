// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from a table of measurements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/measured_rows.h"
#include "orrery/model/kernels/table/table_cloud.h"
#include "orrery/model/kernels/table/table_grid.h"

namespace orrery::model {

/// Summary of one class of kernels in a table.
struct MeasuredKernelClass {
  std::uint32_t device = 0;  ///< index in MeasuredTable::devices
  graph::Kernel lower{};     ///< common properties; sizes: the minimum of each
  std::array<std::int64_t, graph::kKernelSizes> upper{};     ///< the maximum of each size …
  std::array<std::size_t, graph::kKernelSizes> different{};  ///< … and its number of values
  std::size_t rows = 0;
  std::size_t kernels = 0;   ///< number of distinct kernels
  bool grid = false;         ///< true: TableGrid; false: TableCloud
  std::size_t left_out = 0;  ///< kernels between others, predicted from these when held out …
  double median_error = 0;   ///< … the median error of these predictions, as a share …
  ErrorBand band{};          ///< … and the interval of 80 % of measured times
};

/// Predicts kernels from measured kernels of the same class. A class has one device, operation,
/// pass, formats, traits and set of sizes that are 0 (a window, for example). Refining sizes (those
/// after graph::defining_sizes) are ignored if the table does not have them. Classes whose points
/// form a grid are a TableGrid, others a TableCloud. Device names match in any case, with `_` equal
/// to `-`. Immutable and thread-safe.
class MeasuredTable : public KernelModel {
 public:
  /// Builds a table. Rows of one kernel count as one row with their median time; finding
  /// measured_again if the longest is more than 5 % above the shortest. Rows with several kernels
  /// are skipped, because the time of each is unknown; finding key_without_effect.
  /// O(rows log rows + places of grids).
  [[nodiscard]] static MeasuredTable make(const MeasuredRows& measured, Findings& findings);

  /// Empty: the table does not contain the class, or the device has no name. Several launches share
  /// the first size evenly.
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;

  /// Number of distinct kernels.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t classes() const { return classes_.size(); }
  /// Device names as in the input, in order of first appearance.
  [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
  [[nodiscard]] bool knows(std::string_view device) const;
  /// All classes, by device, then in the order of operations and passes in graph/kernel.h.
  [[nodiscard]] const std::vector<MeasuredKernelClass>& overview() const { return overview_; }

 private:
  using Class = std::variant<TableGrid, TableCloud>;
  struct Key {
    std::uint32_t device = 0;
    std::uint64_t kind = 0;
    friend bool operator==(const Key&, const Key&) = default;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.kind ^ key.device) * 0x9e3779b97f4a7c15u);
    }
  };
  [[nodiscard]] static std::uint64_t class_key_of(const graph::Kernel& canonical);
  [[nodiscard]] std::optional<std::uint32_t> device_of(std::string_view name) const;
  void add(const Key& key, const std::vector<const MeasuredKernel*>& rows, const std::string& where,
           Findings& findings);

  std::vector<std::string> devices_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_name_;  // by hash of the folded name
  std::unordered_map<Key, Class, KeyHash> classes_;
  std::vector<MeasuredKernelClass> overview_;
  std::size_t size_ = 0;
  std::uint64_t remaining_cells_ = std::uint64_t{1} << 25;  // remaining places for grids
};

}  // namespace orrery::model
