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

constexpr std::uint32_t kMaxNear = 12;
constexpr std::uint32_t kNoneLeftOut = ~std::uint32_t{0};
constexpr std::size_t kMaxTried = 4096;  // maximum number of held-out points for the spread

}  // namespace

/// The nearest points so far, nearest first: count_ + 1 points, because the last gives R. Each is a
/// number whose upper half is the squared distance and whose lower half is the point, so that they
/// are sorted without unpredictable branches.
struct TableCloud::Near {
  static constexpr std::size_t kSlots = kMaxNear + 2;
  static constexpr std::uint32_t kNormal =
      0x00100000;  // added to the upper half, so that no double is subnormal

  std::array<double, kSlots> slots;
  std::uint32_t wanted = 0;
  std::uint32_t without = kNoneLeftOut;
  float limit = std::numeric_limits<float>::infinity();

  Near() { slots.fill(packed(limit, kNoneLeftOut)); }
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
    while (found < wanted && point(found) != kNoneLeftOut) ++found;
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
  // build() sorts points_ together with log_rates_, which contains the numbers of points until
  // then.
  log_rates_.assign(order.begin(), order.end());
  count_ = std::min<std::uint32_t>(kMaxNear, static_cast<std::uint32_t>(axes_.count()) * 2 + 2);
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

/// Builds the subtree of [first, last), split at the median of its widest axis.
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

/// `outside`: the distance of `at` from the node's box on each axis; `square`: the square of the
/// total distance.
void TableCloud::search(std::uint32_t index, const Logs& at, Logs outside, float square,
                        Near& near) const {
  const Node& node = nodes_[index];
  if (node.right == 0) {
    Lanes squares{};  // of all points of the leaf at once, so that the loop is vectorized
    for (std::size_t a = 0; a < axes_.count(); ++a) {
      const Lanes& lanes = lanes_[node.lanes + a];
      for (std::size_t i = 0; i < kLeafPoints; ++i) {
        const float apart = lanes[i] - at[a];
        squares[i] += apart * apart;
      }
    }
    for (std::uint32_t i = 0; i < kLeafPoints; ++i)  // missing points are infinitely far
      if (squares[i] < near.limit && node.first + i != near.without)
        near.add(squares[i], node.first + i);
    return;
  }
  const float step = at[node.axis] - node.split;
  search(step < 0 ? index + 1 : node.right, at, outside, square, near);
  float& before = outside[node.axis];
  square += step * step - before * before;
  before = step;
  // The margin covers rounding errors, so that no point is missed.
  if (square <= near.limit * 1.0001f)
    search(step < 0 ? node.right : index + 1, at, outside, square, near);
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
  // If there are fewer points than wanted, all count, and R is twice the distance of the last.
  const bool all = size <= count_;
  const double farthest = std::sqrt(static_cast<double>(near.square(size - 1)));
  const double reached = 1 / (farthest * (all ? 2 : 1));
  double weights = 0, weighted = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const double close = 1 / std::sqrt(static_cast<double>(near.square(i)));
    // If all distances are equal, all points have a small equal weight.
    const double lean = std::max(close - reached, 1e-6 * close);
    weights += lean * lean;
    weighted += lean * lean * log_rates_[near.point(i)];
  }
  return weighted / weights;
}

void TableCloud::fit_spread() {
  std::vector<HeldOutPoint> inside, edges;
  std::vector<float> distances;
  const std::size_t step = (points_.size() + kMaxTried - 1) / kMaxTried;
  for (std::size_t i = 0; i < points_.size() && points_.size() > 1; i += step) {
    const Near near = nearest(points_[i], static_cast<std::uint32_t>(i));
    const double error = log_rates_[i] - rate(near);
    const double answer = log_scales_[i] + log_rates_[i] - error;
    inside.push_back({answer, error, 0});
    distances.push_back(std::sqrt(near.square(0)));
    // Points with neighbors on only one side represent extrapolated places.
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
  const TableNearest reach = axes_.nearest_place(place);
  const Near near = nearest(logs_of(reach.nearest), kNoneLeftOut);
  TableValue value;
  if (points_.empty()) return value;
  const double scale = scale_(place);
  value.log_seconds = rate(near) + std::log(scale);
  const double distance = std::sqrt(static_cast<double>(near.square(0)));
  value.measured = !reach.is_clamped && distance == 0;
  value.extrapolated = reach.is_clamped || (distance > far_ && !value.measured);
  if (value.extrapolated) value.log_step = std::abs(std::log(scale) - log_scales_[near.point(0)]);
  value.seconds = std::exp(value.log_seconds);
  return value;
}

}  // namespace orrery::model
