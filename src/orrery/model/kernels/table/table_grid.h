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

/// What a table's points say of one place.
struct TableValue {
  double seconds = 0;
  double log_seconds = 0;
  bool measured = false;  ///< at a measured point; it is its time
  bool extrapolated = false;
  double log_step = 0;  ///< |ln| of how much more or less work than at the nearest place; beyond
};

/// Between the places of a grid, the logarithm of the time is linear in the logarithm of each size
/// with the others fixed (multilinear): exact at measured points, and it rises with a size wherever
/// what is around does.
///
/// Holes are filled when the grid is made. A hole between present places along some axes gets the
/// mean of what each of these axes says, weighted by how well that axis tells measured points that
/// are left out, or the median, whichever tells those better; it is kept between its neighbours
/// where these are in order. Along an axis, not time is taken to change evenly but time over
/// TableScale, which is flatter. Other holes (corners where nobody measured) get the time of the
/// nearest present places along axes, scaled by TableScale. Answers that lean mostly on those, or
/// are for places off the grid, are beyond; off the grid, the time of the nearest place of the grid
/// is scaled by TableScale.
class TableGrid {
 public:
  /// Whether points are better taken for a grid than for a cloud: at least half of its places are
  /// there, or two fifths of them lie between two others along an axis; and it has at most `room`
  /// places, 2^21, and 128 for each point and 1024 more.
  [[nodiscard]] static bool suits(const TableAxes& axes, std::span<const TablePoint> points,
                                  std::uint64_t room);

  /// Points are distinct.
  TableGrid(TableAxes axes, const TableScale& scale, std::span<const TablePoint> points);

  [[nodiscard]] TableValue value(const TablePlace& place) const;
  [[nodiscard]] const TableSpread& spread() const { return spread_; }

 private:
  enum class State : std::uint8_t { absent, measured, inside, outside };
  struct Sums;
  struct Neighbours;

  [[nodiscard]] std::size_t cell_of(const TablePlace& place) const;
  template <class Visit>
  void along(std::size_t axis, Visit visit) const;
  void learn_axes();
  void add_up(bool measured_only, std::vector<Sums>& sums) const;
  [[nodiscard]] double answer_of(const Sums& sums) const;
  [[nodiscard]] std::vector<HeldOutPoint> left_out() const;
  [[nodiscard]] std::vector<HeldOutPoint> edges() const;
  [[nodiscard]] bool fill_inside();
  [[nodiscard]] bool fill_outside();
  void settle();

  TableAxes axes_;
  std::array<std::size_t, kMaxAxes> stride_{};
  std::vector<double> logs_;    // ln seconds, by cell
  std::vector<State> states_;   // by cell
  std::vector<double> scales_;  // ln of TableScale, by cell; while it is made
  std::array<double, kMaxAxes> axis_error_{};
  std::optional<double> power_ = 2;  // of the weights; none: the median
  TableScale scale_;
  TableSpread spread_;
};

}  // namespace orrery::model
