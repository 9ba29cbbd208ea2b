// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/front/front.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace orrery::explore {

namespace {

std::vector<std::size_t> sorted(const std::vector<Scores>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  return order;
}

}  // namespace

bool dominates(const Scores& a, const Scores& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

std::vector<bool> front_of(const std::vector<Scores>& points) {
  std::vector<bool> front(points.size(), false);
  std::vector<std::size_t> stored;
  // In this order, no point is dominated by a later one. With up to two objectives, it suffices to
  // compare with the last point of the front.
  for (const std::size_t i : sorted(points)) {
    const bool flat = points[i].size() <= 2 && !stored.empty();
    const auto begin = flat ? stored.end() - 1 : stored.begin();
    front[i] = std::none_of(begin, stored.end(),
                            [&](std::size_t k) { return dominates(points[k], points[i]); });
    if (front[i]) stored.push_back(i);
  }
  return front;
}

std::vector<std::uint32_t> layers_of(const std::vector<Scores>& points) {
  std::vector<std::uint32_t> layers(points.size(), 0), beaten_by(points.size(), 0);
  std::vector<std::vector<std::uint32_t>> beats(points.size());
  for (std::size_t a = 0; a < points.size(); ++a)
    for (std::size_t b = 0; b < points.size(); ++b)
      if (dominates(points[a], points[b])) {
        beats[a].push_back(static_cast<std::uint32_t>(b));
        ++beaten_by[b];
      }
  std::vector<std::uint32_t> layer;
  for (std::uint32_t i = 0; i < points.size(); ++i)
    if (beaten_by[i] == 0) layer.push_back(i);
  for (std::uint32_t depth = 0; !layer.empty(); ++depth) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t i : layer) {
      layers[i] = depth;
      for (const std::uint32_t beaten : beats[i])
        if (--beaten_by[beaten] == 0) next.push_back(beaten);
    }
    layer = std::move(next);
  }
  return layers;
}

std::vector<double> crowding_of(const std::vector<Scores>& points,
                                const std::vector<std::uint32_t>& layers) {
  std::vector<double> crowding(points.size(), 0);
  const std::size_t objectives = points.empty() ? 0 : points.front().size();
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t o = 0; o < objectives; ++o) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(layers[a], points[a][o]) < std::pair(layers[b], points[b][o]);
    });
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && layers[order[end]] == layers[order[begin]]) ++end;
      const double range = points[order[end - 1]][o] - points[order[begin]][o];
      crowding[order[begin]] = crowding[order[end - 1]] = std::numeric_limits<double>::infinity();
      for (std::size_t i = begin + 1; i + 1 < end; ++i)
        if (range > 0)
          crowding[order[i]] += (points[order[i + 1]][o] - points[order[i - 1]][o]) / range;
    }
  }
  return crowding;
}

}  // namespace orrery::explore
