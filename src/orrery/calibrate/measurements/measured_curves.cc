// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/measured_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/core/statistics/statistics.h"

namespace orrery::calibrate {
namespace {

constexpr std::size_t kMinPoints = 4;
constexpr double kMinOutlierRatio = 1.5;
constexpr double kMaxNoiseRatio = 1.05;  // maximum ratio of times of one size that counts as noise

using Sizes = std::map<std::int64_t, std::vector<double>>;

std::string series_name(const MeasuredSeries& row) {
  std::string name;
  for (const std::string& word : {row.device, row.library, row.version, row.collective, row.dtype})
    if (!word.empty()) name += (name.empty() ? "" : " ") + word;
  for (const std::string& word : {row.algorithm, row.protocol})
    if (!word.empty()) name += " " + word;
  if (row.ranks > 0) name += fmt::format(", {} ranks", row.ranks);
  if (row.nodes > 0) name += fmt::format(", {} nodes", row.nodes);
  return name + (row.in_place ? ", in place" : "");
}

MeasuredCurve curve_of(const MeasuredSeries& series, Sizes sizes, const std::string& where,
                       Findings& findings) {
  MeasuredCurve curve{series, {}, 0};
  const std::string name = where + ": " + series_name(series);
  std::vector<model::SizedTime> all;
  for (auto& [bytes, times] : sizes) {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    if (*most > kMaxNoiseRatio * *least)
      findings.add(FindingCode::measured_again,
                   fmt::format("{}, {} bytes: {:.5g} to {:.5g} us", name, bytes, *least, *most));
    all.push_back({bytes, median(std::move(times))});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool before_last = i + 1 < all.size();
    const double around = before_last ? std::max(i > 0 ? all[i - 1].us : 0.0, all[i + 1].us) : 0;
    if (before_last && all[i].us > kMinOutlierRatio * around) {
      findings.add(FindingCode::outlier_dropped,
                   fmt::format("{}, {} bytes: {:.5g} us", name, all[i].bytes, all[i].us));
      ++curve.dropped;
    } else {
      curve.points.push_back(all[i]);
    }
  }
  if (curve.points.size() < kMinPoints)
    findings.add(FindingCode::curve_too_short,
                 fmt::format("{}: {} sizes", name, curve.points.size()));
  return curve;
}

}  // namespace

std::vector<MeasuredCurve> measured_curves(const MeasurementSet& set, Findings& findings) {
  std::map<MeasuredSeries, Sizes> groups;
  for (const MeasuredCollective& row : set.rows) groups[row][row.bytes].push_back(row.time_us);
  std::vector<MeasuredCurve> curves;
  for (auto& [series, sizes] : groups) {
    MeasuredCurve curve = curve_of(series, std::move(sizes), set.where, findings);
    if (curve.points.size() < kMinPoints) continue;
    // The out-of-place curve precedes the in-place curve and takes precedence.
    MeasuredSeries out_of_place = series;
    out_of_place.in_place = false;
    if (!curves.empty() && curves.back() == out_of_place) continue;
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace orrery::calibrate
