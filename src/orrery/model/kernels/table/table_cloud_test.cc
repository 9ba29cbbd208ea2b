// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/table_cloud.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "orrery/model/kernels/table/measured_table_testing.h"

namespace orrery::model {
namespace {

std::vector<TablePoint> drawn_points(std::size_t count, std::size_t axes, std::mt19937_64& random) {
  std::set<TablePlace> places;
  for (std::size_t i = 0; i < count; ++i) {
    TablePlace place;
    place.fill(1);
    place[0] = place[1] = place[2] = 64;
    for (std::size_t a = 0; a < axes; ++a)
      place[a] = std::floor(64 * std::exp2(static_cast<double>(random() % 100000) / 1e4));
    places.insert(place);
  }
  std::vector<TablePoint> points;
  for (const TablePlace& place : places)
    points.push_back({place, 1e-6 * (1 + static_cast<double>(random() % 1000))});
  return points;
}

/// Modified Shepard over all points, as the header says it.
double shepard(const std::vector<TablePoint>& points, const TableScale& scale, std::size_t count,
               const TablePlace& at) {
  std::vector<std::pair<double, double>> near;  // distance, ln (seconds / scale)
  for (const TablePoint& point : points) {
    double square = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {  // places are kept as logarithms in fp32
      const auto there = static_cast<float>(std::log(point.place[i]));
      square += std::pow(double{there} - double{static_cast<float>(std::log(at[i]))}, 2);
    }
    near.emplace_back(std::sqrt(square), std::log(point.seconds / scale(point.place)));
  }
  std::sort(near.begin(), near.end());
  const bool all = near.size() <= count;
  const double reach = all ? 2 * near.back().first : near[count].first;
  if (!all) near.resize(count);
  double weights = 0, weighted = 0;
  for (const auto& [distance, rate] : near) {
    const double lean = std::pow((reach - distance) / (reach * distance), 2);
    weights += lean;
    weighted += lean * rate;
  }
  return std::exp(weighted / weights) * scale(at);
}

RC_GTEST_PROP(TableCloud, FindsThePointsThatAreNearest, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const auto axes = *rc::gen::inRange<std::size_t>(1, 4);
  const std::vector<TablePoint> points =
      drawn_points(*rc::gen::inRange<std::size_t>(3, 400), axes, random);
  const TableAxes spanned(points);
  RC_PRE(spanned.count() == axes);
  const TableScale scale(testing_tables::toy_gemm(64, 64, 64), points);
  const TableCloud cloud(spanned, scale, points);
  for (int i = 0; i < 20; ++i) {
    TablePlace at = points.front().place;
    for (std::size_t a = 0; a < axes; ++a) {
      const auto values = spanned.values(a);
      const double share = static_cast<double>(random() % 10000 + 1) / 10001;
      at[a] = values.front() * std::pow(values.back() / values.front(), share);
    }
    const TableValue value = cloud.value(at);
    if (value.measured) continue;  // at a point, but for less than fp32 tells
    RC_ASSERT(std::abs(value.seconds / shepard(points, scale, axes * 2 + 2, at) - 1) < 1e-3);
  }
  for (const TablePoint& point : points) {
    RC_ASSERT(cloud.value(point.place).measured);
    RC_ASSERT(std::abs(cloud.value(point.place).seconds / point.seconds - 1) < 1e-9);
  }
}

}  // namespace
}  // namespace orrery::model
