// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/network_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "orrery/calibrate/maker_hardware.h"
#include "orrery/core/text/text.h"
#include "orrery/model/collective/curves/lin_curve.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::calibrate {
namespace {

using graph::CollectiveType;
using model::SizedTime;

constexpr std::size_t kMaxPoints = 1024;

/// The numbers of a version such as "2.29.7", so that 2.9 precedes 2.29.
std::vector<std::int64_t> version_numbers(std::string_view version) {
  std::vector<std::int64_t> numbers(1, 0);
  for (const char c : version) {
    if (c >= '0' && c <= '9') {
      numbers.back() = std::min<std::int64_t>(numbers.back() * 10 + (c - '0'), 1'000'000'000);
    } else {
      numbers.push_back(0);
    }
  }
  return numbers;
}

/// Half precision precedes others, because training mostly sends it.
int rank_of_dtype(std::string_view dtype) {
  constexpr std::array<std::string_view, 4> kUsual = {"bfloat16", "half", "float16", "float"};
  const auto found = std::find(kUsual.begin(), kUsual.end(), dtype);
  return static_cast<int>(found - kUsual.begin());
}

/// A sort key: the preferred curve comes first.
auto preference(const MeasuredCurve& curve) {
  std::vector<std::int64_t> version = version_numbers(curve.version);
  for (std::int64_t& number : version) number = -number;
  return std::tuple(curve.is_forced(), version, -static_cast<std::int64_t>(curve.points.size()),
                    rank_of_dtype(curve.dtype), curve.dtype, curve.library, curve.in_place);
}

std::string words(std::initializer_list<std::string_view> all) {
  std::string text;
  for (const std::string_view word : all)
    if (!word.empty()) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

/// Text that distinguishes the curves of a device, for messages.
std::string kind_text(const MeasuredSeries& curve) {
  return words({curve.library, curve.version, curve.dtype, curve.algorithm, curve.protocol,
                curve.in_place ? "in place" : ""});
}

/// The key of a curve in the result.
struct Group {
  std::string device;  ///< name in the catalog, or as measured
  CollectiveType type = CollectiveType::all_reduce;
  std::int64_t nodes = 1, ranks = 2;

  friend auto operator<=>(const Group&, const Group&) = default;
  [[nodiscard]] std::string text() const {
    return fmt::format("{} {} {}x{}", device, graph::name(type), nodes,
                       ranks % nodes == 0 ? ranks / nodes : ranks);
  }
};

std::vector<SizedTime> points_of(const MeasuredCurve& curve) {
  std::vector<SizedTime> points = curve.points;
  while (points.size() > kMaxPoints) {
    std::vector<SizedTime> fewer;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i % 2 == 0 || i + 1 == points.size()) fewer.push_back(points[i]);
    points = std::move(fewer);
  }
  return points;
}

CalibratedCurve calibrated(const Group& group, const MeasuredCurve& measured,
                           std::vector<SizedTime> points) {
  CalibratedCurve made;
  made.algorithm = measured.algorithm;
  made.protocol = measured.protocol;
  model::CollectiveCurve& curve = made.curve;
  curve.name = group.text();
  curve.device = group.device;
  curve.library = words({measured.library, measured.version});
  curve.type = group.type;
  curve.nodes = group.nodes;
  curve.ranks = group.ranks;
  curve.driver = measured.device;
  curve.dtype = measured.dtype;
  curve.dropped = measured.dropped;
  const model::CurveMaker make =
      curve_maker(measured, group.device, group.type, {group.ranks, group.nodes});
  curve.curve = make(points);
  made.held_out = model::held_out_sizes(points, make);
  curve.error = model::error_of(made.held_out);
  if (measured.in_place) curve.source = "in place";
  made.points = std::move(points);
  return made;
}

/// The shortest time of several curves at each size.
std::vector<SizedTime> fastest(const std::vector<const MeasuredCurve*>& curves) {
  std::map<std::int64_t, double> least;
  for (const MeasuredCurve* curve : curves)
    for (const SizedTime& point : points_of(*curve)) {
      const auto [at, added] = least.try_emplace(point.bytes, point.us);
      if (!added) at->second = std::min(at->second, point.us);
    }
  std::vector<SizedTime> points;
  for (const auto& [bytes, us] : least) points.push_back({bytes, us});
  return points;
}

class Calibration {
 public:
  Calibration(const MeasurementSet& set, const NetworkOptions& options, Findings& findings)
      : set_(set), options_(options), findings_(findings) {}

  Result<NetworkCalibration> make() {
    const std::vector<MeasuredCurve> all = measured_curves(set_, findings_);
    if (auto named = name_devices(all); !named) return tl::unexpected(named.error());
    std::map<Group, std::vector<const MeasuredCurve*>> groups;
    for (const MeasuredCurve& curve : all) {
      const auto group = group_of(curve);
      if (!group) return tl::unexpected(group.error());
      if (*group) groups[**group].push_back(&curve);
    }
    for (auto& [group, curves] : groups) add(group, curves);
    if (made_.curves.empty())
      return fail(Errc::input_empty, set_.where,
                  "no collective was measured with four sizes or more",
                  "sweep sizes, as with nccl-tests' -b 8 -e 8G -f 2");
    add_notes();
    return std::move(made_);
  }

 private:
  Result<void> name_devices(const std::vector<MeasuredCurve>& curves) {
    std::set<std::string> unknown;
    for (const MeasuredCurve& curve : curves) {
      const platform::DeviceEntry* entry = platform::find_device_by_driver(curve.device);
      if (entry == nullptr) entry = platform::find_device(curve.device);
      if (entry == nullptr) unknown.insert(curve.device);
      names_[curve.device] = entry == nullptr ? curve.device : entry->name;
    }
    if (unknown.empty()) return only_for_unknown();
    if (unknown.contains("") && options_.device.empty())
      return fail(Errc::input_missing_attr, set_.where, "the measured device is not given",
                  "give it, for example --device h100-sxm");
    if (options_.device.empty()) return {};
    if (unknown.size() > 1)
      return fail(Errc::usage, "--device",
                  fmt::format("{} and {} cannot both be {}", in_quotes(*unknown.begin()),
                              in_quotes(*std::next(unknown.begin())), in_quotes(options_.device)),
                  "calibrate one device at a time");
    names_[*unknown.begin()] = options_.device;
    return {};
  }

  /// Fails if options.device differs from a device that the catalog contains.
  Result<void> only_for_unknown() {
    if (options_.device.empty()) return {};
    for (const auto& [measured, name] : names_) {
      if (name != options_.device)
        return fail(Errc::usage, "--device",
                    in_quotes(measured) + " is " + name + ", not " + in_quotes(options_.device),
                    "remove it; it is only for devices that are not in the catalog");
    }
    return {};
  }

  /// Empty: no curve is built for this measurement (the notes explain why).
  Result<std::optional<Group>> group_of(const MeasuredCurve& curve) {
    const std::string what = words({curve.device, curve.collective, kind_text(curve)});
    const auto type = collective_type(curve.collective);
    if (!type) {
      left_out(what, "sends and receives use the network's latency and bandwidth");
      return std::nullopt;
    }
    Group group{names_[curve.device], *type, curve.nodes, curve.ranks};
    if (curve.ranks == 0)
      return fail(Errc::input_missing_attr, set_.where,
                  "the number of ranks of " + what + " is not given",
                  "give it, for example --ranks 8");
    if (curve.ranks == 1) {
      left_out(what, "a single rank does not communicate");
      return std::nullopt;
    }
    if (curve.nodes == 0) {
      const platform::DeviceEntry* entry = platform::find_device(group.device);
      if (entry == nullptr || curve.ranks > entry->build.island)
        return fail(
            Errc::input_missing_attr, set_.where,
            fmt::format("the number of nodes of {} among {} ranks is not given", what, curve.ranks),
            "give it, for example --nodes 2");
      findings_.add(FindingCode::default_assumed,
                    fmt::format("{} among {} ranks: one node", what, curve.ranks));
      group.nodes = 1;
    }
    if (group.ranks < group.nodes)
      return fail(Errc::input_mismatch, set_.where,
                  fmt::format("{}: {} ranks on {} nodes", what, group.ranks, group.nodes));
    return group;
  }

  void add(const Group& group, std::vector<const MeasuredCurve*>& curves) {
    std::stable_sort(curves.begin(), curves.end(),
                     [](const auto* a, const auto* b) { return preference(*a) < preference(*b); });
    const MeasuredCurve& best = *curves.front();
    std::vector<const MeasuredCurve*> forced;
    for (const MeasuredCurve* curve : curves) {
      if (!curve->is_forced()) continue;
      made_.forced.push_back(calibrated(group, *curve, points_of(*curve)));
      forced.push_back(curve);
    }
    if (best.is_forced() && forced.size() > 1) {
      CalibratedCurve& made = made_.curves.emplace_back(calibrated(group, best, fastest(forced)));
      made.algorithm.clear();
      made.protocol.clear();
      made.curve.source = fmt::format("the fastest of {} algorithms and protocols", forced.size());
      return;
    }
    made_.curves.push_back(calibrated(group, best, points_of(best)));
    for (std::size_t i = 1; i < curves.size(); ++i) {
      left_out(words({group.text(), kind_text(*curves[i])}),
               curves[i]->is_forced() ? "the library's own choice is also measured"
                                      : "the curve is of " + kind_text(best));
    }
  }

  void left_out(const std::string& what, std::string why) {
    made_.notes.left_out.push_back({printable(what), std::move(why)});
  }

  void add_notes() {
    std::set<std::string> tools;
    for (const MeasuredCollective& row : set_.rows) {
      if (!row.tool.empty() && !tools.contains(row.tool)) tools.insert(row.tool);
      if (row.date > made_.notes.made_on) made_.notes.made_on = row.date;
    }
    made_.notes.tools.assign(tools.begin(), tools.end());
    for (const Finding& finding : findings_.list()) {
      switch (finding.code) {
        case FindingCode::outlier_dropped:
        case FindingCode::cold_measurement_dropped:
        case FindingCode::measurement_left_out:
        case FindingCode::corrupt_record_dropped:
        case FindingCode::truncated_tail_dropped:
        case FindingCode::curve_too_short:
          made_.notes.dropped.push_back(
              {std::string(describe(finding.code).name), static_cast<std::int64_t>(finding.count)});
          break;
        default:
          break;
      }
    }
  }

  const MeasurementSet& set_;
  const NetworkOptions& options_;
  Findings& findings_;
  std::map<std::string, std::string, std::less<>> names_;  // measured name → name in the catalog
  NetworkCalibration made_;
};

}  // namespace

model::CurveMaker curve_maker(const MeasuredSeries& measured, std::string_view device,
                              CollectiveType type, const model::nccl::Shape& shape) {
  const bool nccl = measured.library.empty() || measured.library == "nccl";
  if (measured.is_forced() || !nccl) return model::curve_through;
  return [runs_at = nccl_choices(device, type, shape)](std::span<const SizedTime> points) {
    return model::curve_with_protocol_changes(points, runs_at);
  };
}

double CalibratedCurve::peak_bus_bandwidth() const {
  double most = 0;
  for (const SizedTime& point : points)
    most = std::max(most, static_cast<double>(point.bytes) / (point.us * 1e3));
  return most * orrery::bus_factor(curve.type, static_cast<double>(curve.ranks));
}

Result<NetworkCalibration> calibrate_network(const MeasurementSet& set,
                                             const NetworkOptions& options, Findings& findings) {
  return Calibration(set, options, findings).make();
}

}  // namespace orrery::calibrate
