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

/// Between which values a place lies on each axis.
struct TableCell {
  std::array<std::uint32_t, kMaxAxes> low{};  ///< index of the value below it, or equal to it
  std::array<double, kMaxAxes> share{};       ///< 0: at it, towards 1: near the next, in logarithms
  TablePlace nearest{};                       ///< the nearest place that the axes span
  bool off = false;                           ///< … is another one
};

/// The nearest place that the axes span, where nobody asks between which values it lies.
struct TableNearest {
  TablePlace nearest{};
  bool off = false;  ///< it is another one
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
  /// Which size it is.
  [[nodiscard]] std::size_t size_of(std::size_t axis) const { return axes_[axis].size; }
  /// How many places a grid of all values has; at most 2^62.
  [[nodiscard]] std::uint64_t cells() const;
  [[nodiscard]] TableCell spot(const TablePlace& place) const;
  [[nodiscard]] TableNearest reach(const TablePlace& place) const;
  /// The place of these values.
  [[nodiscard]] TablePlace place(const std::array<std::uint32_t, kMaxAxes>& at) const;

 private:
  struct Tied {
    std::size_t size = 0;
    std::vector<double> values;  // beside the axis's
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
  TablePlace constant_{};        // of sizes that have one value
  std::uint32_t constants_ = 0;  // which sizes
  bool ties_ = false;            // some axis has sizes that grow with it
};

}  // namespace orrery::model
