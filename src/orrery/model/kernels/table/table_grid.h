// SPDX-License-Identifier: Apache-2.0
//
// Measured points that form a grid, with or without holes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/model/kernels/table/table_axes.h"
#include "orrery/model/kernels/table/table_spread.h"

namespace orrery::model {

/// The prediction of a table for one place.
struct TableValue {
  double seconds = 0;
  double log_seconds = 0;
  bool measured = false;  ///< the place is a measured point, and `seconds` is its time
  bool extrapolated = false;
  double log_step = 0;  ///< if extrapolated: |ln| of the ratio of work to the nearest place
};

/// Interpolates between the places of a grid. The logarithm of the time is linear in the logarithm
/// of each size with the others fixed (multilinear). The result is exact at measured points, and it
/// rises with a size if the surrounding times do.
///
/// The constructor fills holes. For a hole between present places along some axes, each of these
/// axes gives an estimate; along an axis, time / TableScale is interpolated, which varies less than
/// the time. The hole gets the weighted mean of the estimates, or their median, whichever predicts
/// held-out measured points better. The weight of an axis depends on its error at held-out points.
/// The result is clamped to the range of the neighbors if the ranges of all axes overlap. Other
/// holes (corners without measurements) get the time of the nearest present places along axes,
/// scaled by TableScale.
///
/// Answers that depend mainly on the latter, and answers for places off the grid, are extrapolated.
/// Off the grid, the time of the nearest place of the grid is scaled by TableScale.
class TableGrid {
 public:
  /// Whether a grid suits the points better than a cloud. At least half of the places have points,
  /// or two fifths of the points lie between two others along an axis. The grid has at most `room`
  /// places, at most 2^21, and at most 128 per point and 1024 more.
  [[nodiscard]] static bool is_suitable(const TableAxes& axes, std::span<const TablePoint> points,
                                        std::uint64_t room);

  /// Points are distinct.
  TableGrid(TableAxes axes, const TableScale& scale, std::span<const TablePoint> points);

  [[nodiscard]] TableValue value(const TablePlace& place) const;
  [[nodiscard]] const TableSpread& spread() const { return spread_; }

 private:
  enum class State : std::uint8_t { absent, measured, inside, outside };
  struct Sums;
  struct Neighbors;

  [[nodiscard]] std::size_t cell_of(const TablePlace& place) const;
  template <class Visit>
  void along(std::size_t axis, Visit visit) const;
  void fit_axis_errors();
  void accumulate(bool measured_only, std::vector<Sums>& sums) const;
  [[nodiscard]] double estimate_of(const Sums& sums) const;
  [[nodiscard]] std::vector<HeldOutPoint> held_out_points() const;
  [[nodiscard]] std::vector<HeldOutPoint> edge_points() const;
  [[nodiscard]] bool fill_inside();
  [[nodiscard]] bool fill_outside();
  void choose_power();

  TableAxes axes_;
  std::array<std::size_t, kMaxAxes> stride_{};
  std::vector<double> logs_;    // ln seconds, by cell
  std::vector<State> states_;   // by cell
  std::vector<double> scales_;  // ln of TableScale, by cell; only during construction
  std::array<double, kMaxAxes> axis_error_{};
  std::optional<double> power_ = 2;  // exponent of the weights; empty: median
  TableScale scale_;
  TableSpread spread_;
};

}  // namespace orrery::model
