// SPDX-License-Identifier: Apache-2.0
//
// The values that each size has in one class of measured kernels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/model/kernels/table/minimum_work.h"

namespace orrery::model {

inline constexpr std::size_t kMaxAxes = graph::kKernelSizes;

/// The position of a place between the values of each axis.
struct TableCell {
  std::array<std::uint32_t, kMaxAxes> low{};  ///< index of the value at or below the place
  std::array<double, kMaxAxes> share{};       ///< 0: at `low`; 1: at the next; in logarithms
  TablePlace nearest{};                       ///< the nearest place that the axes span
  bool is_clamped = false;                    ///< whether `nearest` is another place
};

/// The nearest place that the axes span, without its position between values.
struct TableNearest {
  TablePlace nearest{};
  bool is_clamped = false;  ///< whether `nearest` is another place
};

/// A size is an axis if it has several values and is not tied to an earlier one: sizes that only
/// grow together, such as queries and keys of a prefill, are one axis. Immutable.
class TableAxes {
 public:
  TableAxes() = default;
  explicit TableAxes(std::span<const TablePoint> points);

  [[nodiscard]] std::size_t count() const { return axes_.size(); }
  [[nodiscard]] std::span<const double> values(std::size_t axis) const {
    return axes_[axis].values;
  }
  [[nodiscard]] std::span<const double> logs(std::size_t axis) const { return axes_[axis].logs; }
  /// The index of the size of an axis.
  [[nodiscard]] std::size_t size_of(std::size_t axis) const { return axes_[axis].size; }
  /// Number of places of a grid of all values; at most 2^62.
  [[nodiscard]] std::uint64_t cells() const;
  [[nodiscard]] TableCell locate(const TablePlace& place) const;
  [[nodiscard]] TableNearest nearest_place(const TablePlace& place) const;
  /// The place with the values of these indices.
  [[nodiscard]] TablePlace place(const std::array<std::uint32_t, kMaxAxes>& at) const;

 private:
  struct Tied {
    std::size_t size = 0;
    std::vector<double> values;  // one per value of the axis
  };
  struct Axis {
    std::size_t size = 0;
    std::vector<double> values;
    std::vector<double> logs;
    std::vector<double> per_gap;  // 1 / (logs[i + 1] - logs[i])
    std::vector<Tied> tied;
  };
  void add(std::size_t size, std::span<const TablePoint> points);

  std::vector<Axis> axes_;
  TablePlace constant_{};        // values of sizes with only one value
  std::uint32_t constants_ = 0;  // bits of these sizes
  bool ties_ = false;            // whether any axis has tied sizes
};

}  // namespace orrery::model
