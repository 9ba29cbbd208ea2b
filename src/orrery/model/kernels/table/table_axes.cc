// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/table_axes.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {
namespace {

/// Whether two tied sizes are equal up to rounding to integers.
bool about_equal(double a, double b) { return std::abs(a - b) <= 1.0 + 1e-6 * std::abs(b); }

std::uint32_t index_in(std::span<const double> values, double value) {
  return static_cast<std::uint32_t>(std::lower_bound(values.begin(), values.end(), value) -
                                    values.begin());
}

}  // namespace

TableAxes::TableAxes(std::span<const TablePoint> points) {
  if (points.empty()) return;
  constant_ = points.front().place;
  for (std::size_t size = 0; size < kMaxAxes; ++size) add(size, points);
}

void TableAxes::add(std::size_t size, std::span<const TablePoint> points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const TablePoint& point : points) values.push_back(point.place[size]);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  values.shrink_to_fit();
  if (values.size() == 1) {
    constants_ |= 1u << size;
    return;
  }
  for (Axis& axis : axes_) {
    if (axis.values.size() != values.size()) continue;
    const bool tied = std::all_of(points.begin(), points.end(), [&](const TablePoint& point) {
      return index_in(values, point.place[size]) == index_in(axis.values, point.place[axis.size]);
    });
    if (!tied) continue;
    axis.tied.push_back({size, std::move(values)});
    ties_ = true;
    return;
  }
  Axis axis;
  axis.size = size;
  axis.values = std::move(values);
  for (const double value : axis.values) axis.logs.push_back(std::log(value));
  for (std::size_t i = 0; i + 1 < axis.logs.size(); ++i)
    axis.per_gap.push_back(1 / (axis.logs[i + 1] - axis.logs[i]));
  axes_.push_back(std::move(axis));
}

std::uint64_t TableAxes::cells() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  std::uint64_t cells = 1;
  for (const Axis& axis : axes_) {
    if (cells > kMost / axis.values.size()) return kMost;
    cells *= axis.values.size();
  }
  return cells;
}

TableCell TableAxes::locate(const TablePlace& place) const {
  TableCell cell;
  cell.nearest = place;
  for (std::uint32_t rest = constants_; rest != 0; rest &= rest - 1) {
    const auto size = static_cast<std::size_t>(__builtin_ctz(rest));
    cell.is_clamped |= place[size] != constant_[size];
    cell.nearest[size] = constant_[size];
  }
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    const double value = place[axis.size];
    std::uint32_t low = index_in(axis.values, value);
    double share = 0;
    if (low == axis.values.size()) {
      cell.is_clamped = true;
      --low;
    } else if (axis.values[low] != value) {
      if (low == 0) {
        cell.is_clamped = true;
      } else {
        --low;
        share = (std::log(value) - axis.logs[low]) * axis.per_gap[low];
      }
    }
    cell.low[a] = low;
    cell.share[a] = share;
    if (share == 0) cell.nearest[axis.size] = axis.values[low];
    for (const Tied& tied : axis.tied) {
      double there = tied.values[low];
      if (share > 0) there *= std::pow(tied.values[low + 1] / there, share);
      if (!(share > 0 ? about_equal(place[tied.size], there) : place[tied.size] == there))
        cell.is_clamped = true;
      else
        there = place[tied.size];
      cell.nearest[tied.size] = there;
    }
  }
  return cell;
}

TableNearest TableAxes::nearest_place(const TablePlace& place) const {
  if (ties_) {
    const TableCell at = locate(place);
    return {at.nearest, at.is_clamped};
  }
  TableNearest reach{place};
  for (std::uint32_t rest = constants_; rest != 0; rest &= rest - 1) {
    const auto size = static_cast<std::size_t>(__builtin_ctz(rest));
    reach.nearest[size] = constant_[size];
  }
  for (const Axis& axis : axes_)
    reach.nearest[axis.size] =
        std::clamp(place[axis.size], axis.values.front(), axis.values.back());
  reach.is_clamped = reach.nearest != place;
  return reach;
}

TablePlace TableAxes::place(const std::array<std::uint32_t, kMaxAxes>& at) const {
  TablePlace place = constant_;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    place[axes_[a].size] = axes_[a].values[at[a]];
    for (const Tied& tied : axes_[a].tied) place[tied.size] = tied.values[at[a]];
  }
  return place;
}

}  // namespace orrery::model
