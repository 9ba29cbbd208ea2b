// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from a table that somebody measured.
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

/// What a table has of one class of kernels.
struct MeasuredKernelClass {
  std::uint32_t device = 0;  ///< which of MeasuredTable::devices
  graph::Kernel lower{};     ///< what all have in common; of each size the least
  std::array<std::int64_t, graph::kKernelSizes> upper{};     ///< of each size the most …
  std::array<std::size_t, graph::kKernelSizes> different{};  ///< … and how many there are
  std::size_t rows = 0;
  std::size_t kernels = 0;   ///< distinct ones
  bool grid = false;         ///< else they lie scattered
  std::size_t left_out = 0;  ///< kernels that lie between others: what the others say of each …
  double median_error = 0;   ///< … is this far off, by the median, as a share …
  ErrorBand band{};          ///< … and 80 % of what was measured lies in here
};

/// Answers from measured kernels of the same class: device, operation, pass, formats, traits and
/// which sizes are 0 (a window, say); sizes that only refine (graph::defining_sizes) are left out
/// of the question where the table does not have them. Classes whose points form a grid are a
/// TableGrid, others a TableCloud. Names of devices match in any case, `_` being `-`. Immutable;
/// any thread may ask.
class MeasuredTable : public KernelModel {
 public:
  /// Rows of one kernel count as one with the median of their times; a finding, measured_again, if
  /// the longest is more than 5 % above the shortest. Rows of several kernels say nothing of each
  /// and are passed over, key_without_effect. O(rows log rows + places of grids).
  [[nodiscard]] static MeasuredTable make(const MeasuredRows& measured, Findings& findings);

  /// Nothing for a class that is not in the table, and for a device without a name. Several
  /// launches share the first size evenly.
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;

  /// Distinct kernels.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t classes() const { return classes_.size(); }
  /// As they were written, in order of first appearance.
  [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
  [[nodiscard]] bool knows(std::string_view device) const;
  /// Every class, by device, then as kernels are listed in graph/kernel.h.
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
  std::uint64_t room_ = std::uint64_t{1} << 25;  // for places of grids
};

}  // namespace orrery::model
