// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/measured/curve_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "orrery/config/built_in.h"
#include "orrery/config/parameters.h"
#include "orrery/config/yaml_writer.h"
#include "orrery/core/check.h"
#include "orrery/core/limits.h"

namespace orrery::config {

template <>
struct Words<graph::CollectiveType> {
  using Word = WordTable<graph::CollectiveType>;
  static constexpr std::array names = {
      Word{"all_reduce", graph::CollectiveType::all_reduce},
      Word{"all_gather", graph::CollectiveType::all_gather},
      Word{"reduce_scatter", graph::CollectiveType::reduce_scatter},
      Word{"all_to_all", graph::CollectiveType::all_to_all},
      Word{"broadcast", graph::CollectiveType::broadcast},
      Word{"reduce", graph::CollectiveType::reduce}};
};

}  // namespace orrery::config

namespace orrery::model {

extern const std::string_view kCollectivesText;  // data/collectives/nccl.yaml

namespace {

using config::at_least;
using config::between;
using config::field;
using config::positive;

struct StretchSection {
  Bytes to{};
  Time latency{};
  std::optional<Bandwidth> bandwidth;

  static constexpr auto fields =
      std::tuple{field("to", &StretchSection::to, "largest size", positive()).required(),
                 field("latency", &StretchSection::latency, "of any size up to it").required(),
                 field("bandwidth", &StretchSection::bandwidth,
                       "of the buffer; none: any size takes as long", positive())};
};

struct ErrorSection {
  double median = 0, least = 0, most = 0;
  std::int64_t points = 0;

  static constexpr auto fields = std::tuple{
      field("median", &ErrorSection::median, "of |predicted / measured - 1|", at_least(0)),
      field("least", &ErrorSection::least, "10th percentile of measured / predicted - 1",
            between(-1, 1e3)),
      field("most", &ErrorSection::most, "90th percentile", between(-1, 1e3)),
      field("points", &ErrorSection::points, "held back", at_least(0))};
};

struct CurveSection {
  std::string name, device, library;
  graph::CollectiveType collective = graph::CollectiveType::all_reduce;
  std::int64_t nodes = 1, ranks = 2;
  std::optional<Bandwidth> links, network;
  Bytes from{};
  std::vector<StretchSection> stretches;
  std::optional<ErrorSection> held_back;
  std::string source;

  static constexpr auto fields = std::tuple{
      field("name", &CurveSection::name, "for people"),
      field("device", &CurveSection::device, "of the catalogue").required(),
      field("library", &CurveSection::library, "and its version"),
      field("collective", &CurveSection::collective, "what was measured").required(),
      field("nodes", &CurveSection::nodes, "of the ranks", between(1, limits::kRanks)),
      field("ranks", &CurveSection::ranks, "in all", between(2, limits::kRanks)).required(),
      field("links", &CurveSection::links, "of one GPU inside its node", positive()),
      field("network", &CurveSection::network, "of one GPU between nodes", positive()),
      field("from", &CurveSection::from, "smallest size that was measured"),
      field("stretches", &CurveSection::stretches, "a line each", between(1, 64)).required(),
      field("held_back", &CurveSection::held_back, "error at sizes that were left out"),
      field("source", &CurveSection::source, "where it was measured")};
};

struct CurvesFile {
  std::int64_t version = 1;
  std::string made_from, made_on;
  std::vector<CurveSection> curves;

  static constexpr auto fields =
      std::tuple{field("version", &CurvesFile::version, "of this format", between(1, 1)),
                 field("made_from", &CurvesFile::made_from, "files that were read"),
                 field("made_on", &CurvesFile::made_on, "a date"),
                 field("curves", &CurvesFile::curves, "one each", between(1, 100'000)).required()};
};

double gigabytes_per_second(const std::optional<Bandwidth>& rate) {
  return rate ? rate->count() / 1e9 : 0;
}

std::optional<Bandwidth> rate_of(double gigabytes) {
  return gigabytes > 0 ? std::optional(Bandwidth(gigabytes * 1e9)) : std::nullopt;
}

MeasuredCollective curve_of(const CurveSection& section) {
  MeasuredCollective curve{.name = section.name,
                           .device = section.device,
                           .library = section.library,
                           .type = section.collective,
                           .nodes = section.nodes,
                           .ranks = section.ranks,
                           .intra = gigabytes_per_second(section.links),
                           .inter = gigabytes_per_second(section.network),
                           .source = section.source};
  std::vector<Stretch> stretches;
  for (const StretchSection& one : section.stretches)
    stretches.push_back({one.to.count(), static_cast<double>(one.latency.count()) / 1e6,
                         one.bandwidth ? 1e6 / one.bandwidth->count() : 0});
  curve.curve = SizeCurve(std::move(stretches), section.from.count());
  if (section.held_back)
    curve.error = {section.held_back->median, section.held_back->least, section.held_back->most,
                   section.held_back->points};
  return curve;
}

/// To `digits` significant decimal digits: as much as a measurement says.
double rounded(double value, int digits) {
  if (!(value != 0) || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

CurveSection section_of(const MeasuredCollective& curve) {
  CurveSection section{.name = curve.name,
                       .device = curve.device,
                       .library = curve.library,
                       .collective = curve.type,
                       .nodes = curve.nodes,
                       .ranks = curve.ranks,
                       .links = rate_of(curve.intra),
                       .network = rate_of(curve.inter),
                       .from = Bytes(curve.curve.from()),
                       .source = curve.source};
  for (const Stretch& one : curve.curve.stretches()) {
    StretchSection stretch{.to = Bytes(one.to),
                           .latency = Time(std::llround(rounded(one.latency_us, 4) * 1e6))};
    if (one.us_per_byte > 0) stretch.bandwidth = Bandwidth(rounded(1e6 / one.us_per_byte, 5));
    section.stretches.push_back(stretch);
  }
  if (curve.error.points > 0)
    section.held_back = {rounded(curve.error.median, 3), rounded(curve.error.least, 3),
                         rounded(curve.error.most, 3), curve.error.points};
  return section;
}

Result<void> in_order(const CurveSection& section, const std::string& where, std::size_t i) {
  std::int64_t last = -1;
  for (const StretchSection& one : section.stretches) {
    if (one.to.count() <= last)
      return fail(Errc::config_range, where + ":/curves/" + std::to_string(i) + "/stretches",
                  "are not in the order of their sizes");
    last = one.to.count();
  }
  if (section.ranks < section.nodes)
    return fail(Errc::config_range, where + ":/curves/" + std::to_string(i) + "/ranks",
                "are fewer than nodes");
  return {};
}

/// The built-in list, names without their quotes.
std::vector<config::EntryText> entries() {
  std::vector<config::EntryText> found = config::split_entries(kCollectivesText);
  for (config::EntryText& entry : found) {
    if (entry.name.size() > 2 && entry.name.front() == '"')
      entry.name = entry.name.substr(1, entry.name.size() - 2);
  }
  return found;
}

}  // namespace

Result<std::vector<MeasuredCollective>> parse_curves(std::string_view text,
                                                     const std::string& where) {
  auto tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(std::move(tree.error()));
  config::Reading reading{where};
  CurvesFile file;
  if (tree->is_array()) {
    config::read_value(*tree, "/curves", between(1, 100'000), file.curves, reading);
  } else {
    config::read_value(*tree, "", {}, file, reading);
  }
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  std::vector<MeasuredCollective> curves;
  for (std::size_t i = 0; i < file.curves.size(); ++i) {
    if (auto ok = in_order(file.curves[i], where, i); !ok) return tl::unexpected(ok.error());
    curves.push_back(curve_of(file.curves[i]));
  }
  return curves;
}

Result<std::vector<MeasuredCollective>> read_curves(const std::string& path) {
  auto text = config::read_text(path);
  if (!text) return tl::unexpected(std::move(text.error()));
  return parse_curves(*text, path);
}

std::string write_curves(std::span<const MeasuredCollective> curves) {
  std::string text;
  for (const MeasuredCollective& curve : curves) {
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

std::vector<MeasuredCollective> built_in_curves(std::string_view device) {
  const std::string begin = std::string(device) + ' ';
  std::vector<MeasuredCollective> curves;
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
