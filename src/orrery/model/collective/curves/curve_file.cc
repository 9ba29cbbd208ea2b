// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/curves/curve_file.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "orrery/config/built_in_list.h"
#include "orrery/config/parameters.h"
#include "orrery/config/yaml_writer.h"
#include "orrery/core/check.h"
#include "orrery/model/collective/curves/curve_file_internal.h"

namespace orrery::model {

extern const std::string_view kCollectivesText;  // data/collectives/nccl.yaml

namespace {

using namespace curve_files;

double gigabytes_per_second(const std::optional<Bandwidth>& rate) {
  return rate ? rate->count() / 1e9 : 0;
}

std::optional<Bandwidth> rate_of(double gigabytes) {
  return gigabytes > 0 ? std::optional(Bandwidth(gigabytes * 1e9)) : std::nullopt;
}

double microseconds(Time time) { return static_cast<double>(time.count()) / 1e6; }

/// The segment of a section that follows `before`; null: it is the first.
CurveSegment segment_of(const SegmentSection& one, const CurveSegment* before) {
  CurveSegment made{one.to.count(), 0, 0};
  if (!one.time) {
    made.latency_us = microseconds(one.latency.value_or(Time{}));
    made.us_per_byte = one.bandwidth ? 1e6 / one.bandwidth->count() : 0;
    return made;
  }
  made.latency_us = microseconds(*one.time);
  if (before == nullptr) return made;
  const double from = static_cast<double>(before->to);
  const double begin = before->latency_us + before->us_per_byte * from;
  made.us_per_byte = (made.latency_us - begin) / static_cast<double>(made.to - before->to);
  made.latency_us = begin - made.us_per_byte * from;
  return made;
}

CollectiveCurve curve_of(const CurveSection& section) {
  CollectiveCurve curve{.name = section.name,
                        .device = section.device,
                        .library = section.library,
                        .type = section.collective,
                        .nodes = section.nodes,
                        .ranks = section.ranks,
                        .intra = gigabytes_per_second(section.links),
                        .inter = gigabytes_per_second(section.network),
                        .source = section.source.value_or(""),
                        .driver = section.driver.value_or(""),
                        .dtype = section.dtype.value_or(""),
                        .dropped = section.dropped.value_or(0)};
  std::vector<CurveSegment> segments;
  for (const SegmentSection& one : section.segments)
    segments.push_back(segment_of(one, segments.empty() ? nullptr : &segments.back()));
  curve.curve = SizeCurve(std::move(segments), section.from.count());
  if (section.held_back)
    curve.error = {section.held_back->median, section.held_back->p90.value_or(0),
                   section.held_back->lower, section.held_back->upper, section.held_back->points};
  return curve;
}

/// Rounds to `digits` significant decimal digits, about the precision of a measurement.
double rounded(double value, int digits) {
  if (!(value != 0) || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::vector<SegmentSection> sections_of(const SizeCurve& curve) {
  std::vector<SegmentSection> sections;
  const bool through_points = curve.is_continuous();
  for (const CurveSegment& one : curve.segments()) {
    SegmentSection& made = sections.emplace_back();
    made.to = Bytes(one.to);
    const auto time = [](double us, int digits) {
      return Time(std::max<std::int64_t>(std::llround(rounded(us, digits) * 1e6), 1));
    };
    if (through_points) {
      made.time = time(one.latency_us + one.us_per_byte * static_cast<double>(one.to), 5);
    } else {
      made.latency = time(one.latency_us, 4);
      if (one.us_per_byte > 0) made.bandwidth = Bandwidth(rounded(1e6 / one.us_per_byte, 5));
    }
  }
  return sections;
}

/// An error in the range and precision of files.
double share(double error) { return rounded(std::clamp(error, -1.0, 1e3), 3); }

CurveSection section_of(const CollectiveCurve& curve) {
  CurveSection section{.name = curve.name,
                       .device = curve.device,
                       .library = curve.library,
                       .collective = curve.type,
                       .nodes = curve.nodes,
                       .ranks = curve.ranks,
                       .links = rate_of(curve.intra),
                       .network = rate_of(curve.inter),
                       .from = Bytes(curve.curve.from()),
                       .segments = sections_of(curve.curve),
                       .driver = unless_empty(curve.driver),
                       .dtype = unless_empty(curve.dtype),
                       .source = unless_empty(curve.source)};
  if (curve.dropped > 0) section.dropped = curve.dropped;
  if (curve.error.points > 0)
    section.held_back = {share(curve.error.median), share(curve.error.lower),
                         share(curve.error.upper), curve.error.points, std::nullopt};
  if (curve.error.p90 > 0) section.held_back->p90 = share(curve.error.p90);
  return section;
}

Result<void> in_order(const CurveSection& section, const std::string& where, std::size_t i) {
  std::int64_t last = -1;
  const std::string place = where + ":/curves/" + std::to_string(i) + "/stretches";
  for (const SegmentSection& one : section.segments) {
    if (one.to.count() <= last) return fail(Errc::config_range, place, "are not sorted by size");
    last = one.to.count();
    if (one.time.has_value() == one.latency.has_value() || (one.time && one.bandwidth))
      return fail(Errc::config_conflict, place,
                  "need either a latency (with or without a bandwidth) or a time");
  }
  if (section.ranks < section.nodes)
    return fail(Errc::config_range, where + ":/curves/" + std::to_string(i) + "/ranks",
                "are fewer than nodes");
  return {};
}

/// The entries of the built-in list, with names without quotes.
std::vector<config::EntryText> entries() {
  std::vector<config::EntryText> found = config::split_entries(kCollectivesText);
  for (config::EntryText& entry : found) {
    if (entry.name.size() > 2 && entry.name.front() == '"')
      entry.name = entry.name.substr(1, entry.name.size() - 2);
  }
  return found;
}

}  // namespace

Result<std::vector<CollectiveCurve>> parse_curves(std::string_view text, const std::string& where) {
  auto tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(std::move(tree.error()));
  config::Reading reading{where};
  CurvesFile file;
  if (tree->is_array()) {
    config::read_value(*tree, "/curves", config::between(1, 100'000), file.curves, reading);
  } else {
    config::read_value(*tree, "", {}, file, reading);
  }
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  std::vector<CollectiveCurve> curves;
  for (std::size_t i = 0; i < file.curves.size(); ++i) {
    if (auto ok = in_order(file.curves[i], where, i); !ok) return tl::unexpected(ok.error());
    curves.push_back(curve_of(file.curves[i]));
  }
  return curves;
}

Result<std::vector<CollectiveCurve>> read_curves(const std::string& path) {
  auto text = config::read_text(path);
  if (!text) return tl::unexpected(std::move(text.error()));
  return parse_curves(*text, path);
}

std::string write_curves(std::span<const CollectiveCurve> curves) {
  std::string text;
  for (const CollectiveCurve& curve : curves) {
    const std::string entry = config::to_yaml(config::write_value(section_of(curve)), 1);
    bool first = true;
    for (std::size_t at = 0; at < entry.size();) {
      const std::size_t end = std::min(entry.find('\n', at), entry.size());
      text += (first ? "- " : "  ") + entry.substr(at, end - at) + '\n';
      first = false;
      at = end + 1;
    }
  }
  return text;
}

std::string write_curve_file(const CurveNotes& notes, std::span<const CollectiveCurve> curves) {
  NotesSection section;
  section.made_by = notes.made_by;
  section.made_on = unless_empty(notes.made_on);
  section.tools = notes.tools;
  for (const CurveNotes::File& one : notes.made_from)
    section.made_from.push_back({one.name, one.sha256});
  for (const CurveNotes::Dropped& one : notes.dropped)
    section.dropped.push_back({one.why, one.count});
  for (const CurveNotes::LeftOut& one : notes.left_out)
    section.left_out.push_back({one.what, one.why});
  return config::to_yaml(config::write_value(section), 1) + "curves:\n" + write_curves(curves);
}

std::vector<CollectiveCurve> built_in_curves(std::string_view device) {
  const std::string begin = std::string(device) + ' ';
  std::vector<CollectiveCurve> curves;
  for (const config::EntryText& text : entries()) {
    if (!text.name.starts_with(begin)) continue;
    auto section = config::read_entry<CurveSection>(text);
    ORRERY_CHECK(section.has_value());
    curves.push_back(curve_of(*section));
  }
  return curves;
}

std::vector<std::string> measured_devices() {
  std::vector<std::string> devices;
  for (const config::EntryText& text : entries()) {
    std::string device(text.name.substr(0, text.name.find(' ')));
    if (std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace orrery::model
