// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/table_cloud.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "orrery/core/statistics/statistics.h"

namespace orrery::model {
namespace {

constexpr std::uint32_t kMostNear = 12;
constexpr std::uint32_t kNobodyLeftOut = ~std::uint32_t{0};
constexpr std::size_t kMostTried = 4096;  // left-out points that the spread is learned from

}  // namespace

/// The nearest points so far, nearest first; one more than count, which gives R. Each is a number
/// whose upper half is the square of its distance, the lower half the point, so that they are put
/// in order without branches, which nobody could predict.
struct TableCloud::Near {
  static constexpr std::size_t kSlots = kMostNear + 2;
  static constexpr std::uint32_t kNormal =
      0x00100000;  // added: no number is too small to be normal

  std::array<double, kSlots> slots;
  std::uint32_t wanted = 0;
  std::uint32_t without = kNobodyLeftOut;
  float limit = std::numeric_limits<float>::infinity();

  Near() { slots.fill(packed(limit, kNobodyLeftOut)); }
  static double packed(float square, std::uint32_t point) {
    const std::uint64_t upper = std::bit_cast<std::uint32_t>(square) + kNormal;
    return std::bit_cast<double>(upper << 32 | point);
  }
  [[nodiscard]] float square(std::size_t slot) const {
    const auto upper = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(slots[slot]) >> 32);
    return std::bit_cast<float>(upper - kNormal);
  }
  [[nodiscard]] std::uint32_t point(std::size_t slot) const {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(slots[slot]));
  }
  void add(float square_between, std::uint32_t point) {
    const double added = packed(square_between, point);
    const std::array<double, kSlots> before = slots;
    slots[0] = std::min(before[0], added);
    for (std::size_t i = 1; i < kSlots; ++i)
      slots[i] = std::max(before[i - 1], std::min(before[i], added));
    limit = square(wanted - 1);
  }
  [[nodiscard]] std::uint32_t size() const {
    std::uint32_t found = 0;
    while (found < wanted && point(found) != kNobodyLeftOut) ++found;
    return found;
  }
};

TableCloud::TableCloud(TableAxes axes, const TableScale& scale, std::span<const TablePoint> points)
    : axes_(std::move(axes)), scale_(scale) {
  const auto size = static_cast<std::uint32_t>(points.size());
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  points_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) points_[i] = logs_of(points[i].place);
  // The tree is built over (point, number) pairs in place: log_rates_ carries the numbers.
  log_rates_.assign(order.begin(), order.end());
  count_ = std::min<std::uint32_t>(kMostNear, static_cast<std::uint32_t>(axes_.count()) * 2 + 2);
  nodes_.reserve(size / 2 + 1);
  (void)build(0, size);
  log_scales_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    const TablePoint& point = points[static_cast<std::size_t>(log_rates_[i])];
    log_scales_[i] = std::log(scale_(point.place));
    log_rates_[i] = std::log(point.seconds) - log_scales_[i];
  }
  fit_spread();
}

TableCloud::Logs TableCloud::logs_of(const TablePlace& place) const {
  Logs logs{};
  for (std::size_t a = 0; a < axes_.count(); ++a)
    logs[a] = static_cast<float>(std::log(place[axes_.size_of(a)]));
  return logs;
}

/// Splits [first, last) at the median of its widest axis.
std::uint32_t TableCloud::build(std::uint32_t first, std::uint32_t last) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({first, last});
  if (last - first <= kLeafPoints) {
    nodes_[index].lanes = static_cast<std::uint32_t>(lanes_.size());
    for (std::size_t a = 0; a < axes_.count(); ++a) {
      Lanes& lanes = lanes_.emplace_back();
      lanes.fill(std::numeric_limits<float>::infinity());
      for (std::uint32_t i = first; i < last; ++i) lanes[i - first] = points_[i][a];
    }
    return index;
  }
  std::size_t widest = 0;
  float width = -1;
  for (std::size_t a = 0; a < axes_.count(); ++a) {
    float low = points_[first][a], high = low;
    for (std::uint32_t i = first; i < last; ++i) {
      low = std::min(low, points_[i][a]);
      high = std::max(high, points_[i][a]);
    }
    if (high - low > width) {
      width = high - low;
      widest = a;
    }
  }
  std::vector<std::pair<Logs, double>> sorted;
  for (std::uint32_t i = first; i < last; ++i) sorted.emplace_back(points_[i], log_rates_[i]);
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return a.first[widest] != b.first[widest] ? a.first[widest] < b.first[widest]
                                              : a.second < b.second;
  });
  for (std::uint32_t i = first; i < last; ++i)
    std::tie(points_[i], log_rates_[i]) = sorted[i - first];
  sorted = {};
  const std::uint32_t middle = first + (last - first) / 2;
  nodes_[index].axis = static_cast<std::uint8_t>(widest);
  nodes_[index].split = points_[middle][widest];
  (void)build(first, middle);
  const std::uint32_t right = build(middle, last);
  nodes_[index].right = right;
  return index;
}

/// `beside`: how far outside of the node's box `at` lies on each axis, `square` in all.
void TableCloud::search(std::uint32_t index, const Logs& at, Logs beside, float square,
                        Near& near) const {
  const Node& node = nodes_[index];
  if (node.right == 0) {
    Lanes squares{};  // of all its points side by side, as processors like it
    for (std::size_t a = 0; a < axes_.count(); ++a) {
      const Lanes& lanes = lanes_[node.lanes + a];
      for (std::size_t i = 0; i < kLeafPoints; ++i) {
        const float apart = lanes[i] - at[a];
        squares[i] += apart * apart;
      }
    }
    for (std::uint32_t i = 0; i < kLeafPoints; ++i)  // none of those that a leaf lacks is near
      if (squares[i] < near.limit && node.first + i != near.without)
        near.add(squares[i], node.first + i);
    return;
  }
  const float step = at[node.axis] - node.split;
  search(step < 0 ? index + 1 : node.right, at, beside, square, near);
  float& before = beside[node.axis];
  square += step * step - before * before;
  before = step;
  // What is rounded away must not hide a point.
  if (square <= near.limit * 1.0001f)
    search(step < 0 ? node.right : index + 1, at, beside, square, near);
}

TableCloud::Near TableCloud::nearest(const Logs& at, std::uint32_t without) const {
  Near near;
  near.wanted = count_ + 1;
  near.without = without;
  search(0, at, Logs{}, 0, near);
  return near;
}

/// ln (seconds / scale) from the nearest points.
double TableCloud::rate(const Near& near) const {
  const std::uint32_t size = near.size();
  if (size == 0) return 0;
  if (near.square(0) == 0) return log_rates_[near.point(0)];
  // With fewer points than wanted all count: R lies behind the last.
  const bool all = size <= count_;
  const double farthest = std::sqrt(static_cast<double>(near.square(size - 1)));
  const double reached = 1 / (farthest * (all ? 2 : 1));
  double weights = 0, weighted = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const double close = 1 / std::sqrt(static_cast<double>(near.square(i)));
    // All equally far: each counts a little.
    const double lean = std::max(close - reached, 1e-6 * close);
    weights += lean * lean;
    weighted += lean * lean * log_rates_[near.point(i)];
  }
  return weighted / weights;
}

void TableCloud::fit_spread() {
  std::vector<HeldOutPoint> inside, edges;
  std::vector<float> distances;
  const std::size_t step = (points_.size() + kMostTried - 1) / kMostTried;
  for (std::size_t i = 0; i < points_.size() && points_.size() > 1; i += step) {
    const Near near = nearest(points_[i], static_cast<std::uint32_t>(i));
    const double error = log_rates_[i] - rate(near);
    const double answer = log_scales_[i] + log_rates_[i] - error;
    inside.push_back({answer, error, 0});
    distances.push_back(std::sqrt(near.square(0)));
    // What only one side has neighbours of stands for places outside.
    bool outermost = false;
    for (std::size_t a = 0; a < axes_.count(); ++a) {
      const auto logs = axes_.logs(a);
      outermost |= points_[i][a] == static_cast<float>(logs.front()) ||
                   points_[i][a] == static_cast<float>(logs.back());
    }
    if (outermost)
      edges.push_back({answer, error, std::abs(log_scales_[i] - log_scales_[near.point(0)])});
  }
  if (!distances.empty()) {
    far_ = 2.0 * static_cast<double>(quantile_next_rank(distances, 0.95));
  }
  spread_ = TableSpread(std::move(inside), std::move(edges));
}

TableValue TableCloud::value(const TablePlace& place) const {
  const TableNearest reach = axes_.reach(place);
  const Near near = nearest(logs_of(reach.nearest), kNobodyLeftOut);
  TableValue value;
  if (points_.empty()) return value;
  const double scale = scale_(place);
  value.log_seconds = rate(near) + std::log(scale);
  const double distance = std::sqrt(static_cast<double>(near.square(0)));
  value.measured = !reach.off && distance == 0;
  value.extrapolated = reach.off || (distance > far_ && !value.measured);
  if (value.extrapolated) value.log_step = std::abs(std::log(scale) - log_scales_[near.point(0)]);
  value.seconds = std::exp(value.log_seconds);
  return value;
}

}  // namespace orrery::model
