// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/table_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "orrery/core/statistics/statistics.h"

namespace orrery::model {
namespace {

constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 21;
constexpr std::uint64_t kCellsPerPoint = 128;
constexpr std::uint64_t kFreeCells = 1024;
constexpr double kUnknownError = 0.5;  // of an axis without held-out points

}  // namespace

/// The estimates of all axes for one cell.
struct TableGrid::Sums {
  double weights = 0;
  double weighted = 0;  // of estimates of ln seconds
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  std::array<float, kMaxAxes> estimates{};  // ascending
  std::uint32_t count = 0;

  void add(double weight, double estimate, double one, double other) {
    weights += weight;
    weighted += weight * estimate;
    lower = std::max(lower, std::min(one, other));
    upper = std::min(upper, std::max(one, other));
    std::uint32_t at = count++;
    for (; at > 0 && static_cast<double>(estimates[at - 1]) > estimate; --at)
      estimates[at] = estimates[at - 1];
    estimates[at] = static_cast<float>(estimate);
  }
  [[nodiscard]] double middle() const {
    const float low = estimates[(count - 1) / 2], high = estimates[count / 2];
    return (static_cast<double>(low) + static_cast<double>(high)) / 2;
  }
  [[nodiscard]] double retained(double estimate) const {
    return lower <= upper ? std::clamp(estimate, lower, upper) : estimate;
  }
};

/// The nearest present cells before and after a cell along an axis; kNone: there is none.
struct TableGrid::Neighbors {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t cell = 0;
  std::size_t before = kNone;
  std::size_t after = kNone;
  double gap = 0;    // distance of both, in ln of the size
  double share = 0;  // position of the cell between both, 0 to 1
};

/// Calls `visit` for every cell with its neighbors on that axis, line by line.
template <class Visit>
void TableGrid::along(std::size_t axis, Visit visit) const {
  const std::size_t stride = stride_[axis], count = axes_.values(axis).size();
  const std::span<const double> at = axes_.logs(axis);
  std::vector<std::uint32_t> next(count);
  constexpr std::uint32_t kNoCell = ~std::uint32_t{0};
  for (std::size_t high = 0; high < states_.size(); high += stride * count) {
    for (std::size_t first = high; first < high + stride; ++first) {
      std::uint32_t seen = kNoCell;
      for (std::size_t i = count; i-- > 0;) {
        next[i] = seen;
        if (states_[first + i * stride] != State::absent) seen = static_cast<std::uint32_t>(i);
      }
      if (seen == kNoCell) continue;
      seen = kNoCell;
      for (std::uint32_t i = 0; i < count; ++i) {
        Neighbors near{first + i * stride};
        if (seen != kNoCell) near.before = first + seen * stride;
        if (next[i] != kNoCell) near.after = first + next[i] * stride;
        if (seen != kNoCell && next[i] != kNoCell) {
          near.gap = at[next[i]] - at[seen];
          near.share = (at[i] - at[seen]) / near.gap;
        }
        visit(near);
        if (states_[near.cell] != State::absent) seen = i;
      }
    }
  }
}

bool TableGrid::is_suitable(const TableAxes& axes, std::span<const TablePoint> points,
                            std::uint64_t room) {
  const std::uint64_t cells = axes.cells(), count = points.size();
  if (cells > std::min(room, kMaxCells) || cells > kCellsPerPoint * count + kFreeCells)
    return false;
  if (2 * count >= cells) return true;
  // Points between two others: neither first nor last of their line along any axis.
  std::vector<std::uint8_t> between(count, 0);
  std::vector<std::uint64_t> line(count);
  std::vector<std::uint32_t> order(count);
  for (std::size_t a = 0; a < axes.count(); ++a) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const TableCell spot = axes.locate(points[i].place);
      line[i] = 0;
      for (std::size_t b = 0; b < axes.count(); ++b)
        line[i] = line[i] * axes.values(b).size() + (a == b ? 0 : spot.low[b]);
      order[i] = i;
    }
    const std::size_t size = axes.size_of(a);
    std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
      return line[x] != line[y] ? line[x] < line[y] : points[x].place[size] < points[y].place[size];
    });
    for (std::size_t i = 1; i + 1 < count; ++i)
      if (line[order[i - 1]] == line[order[i]] && line[order[i]] == line[order[i + 1]])
        between[order[i]] = 1;
  }
  const auto number = static_cast<std::uint64_t>(std::count(between.begin(), between.end(), 1));
  return 5 * number >= 2 * count;
}

TableGrid::TableGrid(TableAxes axes, const TableScale& scale, std::span<const TablePoint> points)
    : axes_(std::move(axes)), scale_(scale) {
  std::size_t cells = 1;
  for (std::size_t a = axes_.count(); a-- > 0;) {
    stride_[a] = cells;
    cells *= axes_.values(a).size();
  }
  logs_.assign(cells, 0);
  states_.assign(cells, State::absent);
  scales_.resize(cells);
  std::array<std::uint32_t, kMaxAxes> at{};
  for (std::size_t cell = 0; cell < cells; ++cell) {
    for (std::size_t a = 0; a < axes_.count(); ++a)
      at[a] = static_cast<std::uint32_t>(cell / stride_[a] % axes_.values(a).size());
    scales_[cell] = std::log(scale_(axes_.place(at)));
  }
  for (const TablePoint& point : points) {
    const std::size_t cell = cell_of(point.place);
    logs_[cell] = std::log(point.seconds);
    states_[cell] = State::measured;
  }
  fit_axis_errors();
  choose_power();
  while (fill_inside()) {
  }
  while (fill_outside()) {
  }
  scales_ = {};
}

std::size_t TableGrid::cell_of(const TablePlace& place) const {
  const TableCell spot = axes_.locate(place);
  std::size_t cell = 0;
  for (std::size_t a = 0; a < axes_.count(); ++a) cell += spot.low[a] * stride_[a];
  return cell;
}

/// Computes the error of each axis at measured points between two others: the median, normalized by
/// gap · √(share (1 - share)).
void TableGrid::fit_axis_errors() {
  for (std::size_t a = 0; a < axes_.count(); ++a) {
    std::vector<double> errors;
    along(a, [&](const Neighbors& near) {
      if (states_[near.cell] != State::measured || near.gap == 0) return;
      const double estimate = (1 - near.share) * (logs_[near.before] - scales_[near.before]) +
                              near.share * (logs_[near.after] - scales_[near.after]) +
                              scales_[near.cell];
      const double reach = near.gap * std::sqrt(near.share * (1 - near.share));
      errors.push_back(std::abs(estimate - logs_[near.cell]) / reach);
    });
    axis_error_[a] = errors.empty() ? kUnknownError : std::max(quantile_nearest(errors, 0.5), 1e-4);
  }
}

/// Collects the estimates of all axes for absent cells between two present ones, or for measured
/// cells as if they were absent (measured_only).
void TableGrid::accumulate(bool measured_only, std::vector<Sums>& sums) const {
  sums.assign(states_.size(), {});
  for (std::size_t a = 0; a < axes_.count(); ++a) {
    along(a, [&](const Neighbors& near) {
      const bool wanted = measured_only ? State::measured == states_[near.cell]
                                        : State::absent == states_[near.cell];
      if (!wanted || near.gap == 0) return;
      const double estimate = (1 - near.share) * (logs_[near.before] - scales_[near.before]) +
                              near.share * (logs_[near.after] - scales_[near.after]) +
                              scales_[near.cell];
      const double error =
          axis_error_[a] * near.gap * std::sqrt(near.share * (1 - near.share)) + 1e-9;
      sums[near.cell].add(std::pow(error, -power_.value_or(0)), estimate, logs_[near.before],
                          logs_[near.after]);
    });
  }
}

double TableGrid::estimate_of(const Sums& sums) const {
  return sums.retained(power_ ? sums.weighted / sums.weights : sums.middle());
}

std::vector<HeldOutPoint> TableGrid::held_out_points() const {
  std::vector<Sums> sums;
  accumulate(true, sums);
  std::vector<HeldOutPoint> points;
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    if (!(sums[cell].weights > 0)) continue;
    const double answer = estimate_of(sums[cell]);
    points.push_back({answer, logs_[cell] - answer, 0});
  }
  return points;
}

/// Predictions of the outermost points, each from its neighbor along an axis.
std::vector<HeldOutPoint> TableGrid::edge_points() const {
  std::vector<HeldOutPoint> points;
  for (std::size_t a = 0; a < axes_.count(); ++a) {
    along(a, [&](const Neighbors& near) {
      const bool first = near.before == Neighbors::kNone, last = near.after == Neighbors::kNone;
      if (states_[near.cell] != State::measured || first == last) return;
      const std::size_t from = first ? near.after : near.before;
      const double step = scales_[near.cell] - scales_[from];
      const double answer = logs_[from] + step;
      points.push_back({answer, logs_[near.cell] - answer, std::abs(step)});
    });
  }
  return points;
}

/// Chooses the exponent of the weights (or the median) that predicts held-out points best.
void TableGrid::choose_power() {
  std::vector<HeldOutPoint> best;
  double least_error = std::numeric_limits<double>::infinity();
  std::optional<double> power = 2;
  for (const std::optional<double> candidate :
       {std::optional(2.0), std::optional(1.0), std::optional(0.0), std::optional<double>()}) {
    power_ = candidate;
    std::vector<HeldOutPoint> points = held_out_points();
    if (points.empty()) break;
    std::vector<double> errors;
    for (const HeldOutPoint& point : points) errors.push_back(std::abs(point.log_error));
    const double error = quantile_nearest(errors, 0.5);
    if (!(error < least_error)) continue;
    least_error = error;
    power = candidate;
    best = std::move(points);
  }
  power_ = power;
  spread_ = TableSpread(std::move(best), edge_points());
}

bool TableGrid::fill_inside() {
  std::vector<Sums> sums;
  accumulate(false, sums);
  bool filled = false;
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    if (!(sums[cell].weights > 0)) continue;
    logs_[cell] = estimate_of(sums[cell]);
    states_[cell] = State::inside;
    filled = true;
  }
  return filled;
}

bool TableGrid::fill_outside() {
  std::vector<Sums> sums(states_.size());
  for (std::size_t a = 0; a < axes_.count(); ++a) {
    along(a, [&](const Neighbors& near) {
      if (states_[near.cell] != State::absent) return;
      for (const std::size_t from : {near.before, near.after}) {
        if (from == Neighbors::kNone) continue;
        const double step = scales_[near.cell] - scales_[from];
        Sums& sum = sums[near.cell];
        const double weight = 1 / (0.01 + step * step);
        sum.weights += weight;
        sum.weighted += weight * (logs_[from] + step);
      }
    });
  }
  bool filled = false;
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    if (!(sums[cell].weights > 0)) continue;
    logs_[cell] = sums[cell].weighted / sums[cell].weights;
    states_[cell] = State::outside;
    filled = true;
  }
  return filled;
}

TableValue TableGrid::value(const TablePlace& place) const {
  const TableCell spot = axes_.locate(place);
  std::size_t cell = 0, between = 0;
  std::array<std::size_t, kMaxAxes> step{};
  std::array<double, kMaxAxes> share{};
  for (std::size_t a = 0; a < axes_.count(); ++a) {
    cell += spot.low[a] * stride_[a];
    if (spot.share[a] == 0) continue;
    step[between] = stride_[a];
    share[between++] = spot.share[a];
  }
  TableValue value;
  double outside = 0;
  for (std::size_t corner = 0; corner < std::size_t{1} << between; ++corner) {
    std::size_t at = cell;
    double weight = 1;
    for (std::size_t i = 0; i < between; ++i) {
      const bool up = (corner >> i & 1) != 0;
      at += up ? step[i] : 0;
      weight *= up ? share[i] : 1 - share[i];
    }
    value.log_seconds += weight * logs_[at];
    if (states_[at] == State::outside) outside += weight;
  }
  value.measured = between == 0 && !spot.is_clamped && states_[cell] == State::measured;
  value.extrapolated = spot.is_clamped || outside > 0.5;
  if (spot.is_clamped) {
    const double more = std::log(scale_(place) / scale_(spot.nearest));
    value.log_seconds += more;
    value.log_step = std::abs(more);
  }
  value.seconds = std::exp(value.log_seconds);
  return value;
}

}  // namespace orrery::model
