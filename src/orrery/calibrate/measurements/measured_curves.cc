// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/measured_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/core/statistics/statistics.h"

namespace orrery::calibrate {
namespace {

constexpr std::size_t kFewestPoints = 4;
constexpr double kOutlier = 1.5;
constexpr double kAgain = 1.05;  // times of equal sizes that are the same but for noise

auto curve_key(const MeasuredCollective& row) {
  return std::tie(row.device, row.library, row.version, row.collective, row.dtype, row.nodes,
                  row.ranks, row.algorithm, row.protocol, row.in_place);
}

struct KeyLess {
  bool operator()(const MeasuredCollective* a, const MeasuredCollective* b) const {
    return curve_key(*a) < curve_key(*b);
  }
};

using Sizes = std::map<std::int64_t, std::vector<double>>;

std::string curve_name(const MeasuredCollective& row) {
  std::string name;
  for (const std::string& word : {row.device, row.library, row.version, row.collective, row.dtype})
    if (!word.empty()) name += (name.empty() ? "" : " ") + word;
  for (const std::string& word : {row.algorithm, row.protocol})
    if (!word.empty()) name += " " + word;
  if (row.ranks > 0) name += fmt::format(", {} ranks", row.ranks);
  if (row.nodes > 0) name += fmt::format(", {} nodes", row.nodes);
  return name + (row.in_place ? ", in place" : "");
}

MeasuredCurve curve_of(const MeasuredCollective& row, Sizes sizes, const std::string& where,
                       Findings& findings) {
  MeasuredCurve curve{row.device, row.library,   row.version,  row.collective,
                      row.dtype,  row.algorithm, row.protocol, row.nodes,
                      row.ranks,  row.in_place,  {},           0};
  const std::string name = where + ": " + curve_name(row);
  std::vector<std::pair<std::int64_t, double>> all;
  for (auto& [bytes, times] : sizes) {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    if (*most > kAgain * *least)
      findings.add(FindingCode::measured_again,
                   fmt::format("{}, {} bytes: {:.5g} to {:.5g} us", name, bytes, *least, *most));
    all.emplace_back(bytes, median(std::move(times)));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool before_last = i + 1 < all.size();
    const double around =
        before_last ? std::max(i > 0 ? all[i - 1].second : 0.0, all[i + 1].second) : 0;
    if (before_last && all[i].second > kOutlier * around) {
      findings.add(FindingCode::outlier_dropped,
                   fmt::format("{}, {} bytes: {:.5g} us", name, all[i].first, all[i].second));
      ++curve.dropped;
    } else {
      curve.points.push_back(all[i]);
    }
  }
  if (curve.points.size() < kFewestPoints)
    findings.add(FindingCode::curve_too_short,
                 fmt::format("{}: {} sizes", name, curve.points.size()));
  return curve;
}

/// The same collective in place and out of place.
bool only_place_differs(const MeasuredCurve& a, const MeasuredCurve& b) {
  const auto key = [](const MeasuredCurve& one) {
    return std::tie(one.device, one.library, one.version, one.collective, one.dtype, one.nodes,
                    one.ranks, one.algorithm, one.protocol);
  };
  return key(a) == key(b);
}

}  // namespace

std::vector<MeasuredCurve> measured_curves(const MeasurementSet& set, Findings& findings) {
  std::map<const MeasuredCollective*, Sizes, KeyLess> groups;
  for (const MeasuredCollective& row : set.rows) groups[&row][row.bytes].push_back(row.time_us);
  std::vector<MeasuredCurve> curves;
  for (auto& [row, sizes] : groups) {
    MeasuredCurve curve = curve_of(*row, std::move(sizes), set.where, findings);
    if (curve.points.size() < kFewestPoints) continue;
    // The one out of place came before.
    if (!curves.empty() && only_place_differs(curves.back(), curve)) continue;
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace orrery::calibrate
