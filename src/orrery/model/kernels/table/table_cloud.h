// SPDX-License-Identifier: Apache-2.0
//
// Measured points without a grid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/model/kernels/table/table_grid.h"

namespace orrery::model {

/// Interpolates time / TableScale (about the inverse of the achieved rate) between scattered
/// points. The nearest points have modified Shepard weights ((R - r) / (R r))². r is the distance
/// in logarithms of sizes, R that of the first point that does not count. The result is exact at
/// points and continuous. Places outside the box of all points, or much farther from the nearest
/// point than points are from each other, are extrapolated. Source: Franke and Nielson, Smooth
/// interpolation of large sets of scattered data, 1980.
class TableCloud {
 public:
  /// Points are distinct.
  TableCloud(TableAxes axes, const TableScale& scale, std::span<const TablePoint> points);

  [[nodiscard]] TableValue value(const TablePlace& place) const;
  [[nodiscard]] const TableSpread& spread() const { return spread_; }

 private:
  struct Near;
  struct Node {  // of a k-d tree over points_; the left child is [first, middle)
    std::uint32_t first = 0, last = 0;
    std::uint32_t right = 0;  // index of the right child; the left one follows; 0: a leaf
    std::uint32_t lanes = 0;  // in a leaf: index of its first axis in lanes_
    std::uint8_t axis = 0;
    float split = 0;
  };
  static constexpr std::uint32_t kLeafPoints = 20;
  using Lanes = std::array<float, kLeafPoints>;
  using Logs = std::array<float, kMaxAxes>;

  std::uint32_t build(std::uint32_t first, std::uint32_t last);
  void search(std::uint32_t node, const Logs& at, Logs outside, float square, Near& near) const;
  [[nodiscard]] Logs logs_of(const TablePlace& place) const;
  [[nodiscard]] Near nearest(const Logs& at, std::uint32_t without) const;
  [[nodiscard]] double rate(const Near& near) const;
  void fit_spread();

  TableAxes axes_;
  TableScale scale_;
  std::vector<Logs> points_;       // in tree order
  std::vector<Lanes> lanes_;       // points by leaf and axis; missing points are infinity
  std::vector<double> log_rates_;  // ln (seconds / scale)
  std::vector<double> log_scales_;
  std::vector<Node> nodes_;
  std::uint32_t count_ = 0;  // number of nearest points that count
  double far_ = 0;           // greater distances to the nearest point are extrapolated
  TableSpread spread_;
};

}  // namespace orrery::model
