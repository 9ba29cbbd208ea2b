// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's deviations: which ranks, and whether they and their ports exist.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/file/cluster_file.h"

namespace orrery::platform {
namespace {

using Range = std::pair<std::uint32_t, std::uint32_t>;

constexpr Time kLongest(1'000'000 * kPsPerSecond);

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "12" or "0-7".
std::optional<Range> parse_range(std::string_view text) {
  const char* const end = text.data() + text.size();
  Range range;
  std::from_chars_result parsed = std::from_chars(text.data(), end, range.first);
  range.second = range.first;
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '-')
    parsed = std::from_chars(parsed.ptr + 1, end, range.second);
  if (parsed.ec != std::errc{} || parsed.ptr != end || range.second < range.first)
    return std::nullopt;
  return range;
}

void read_ranges(std::string_view text, const std::string& path, RankRanges& out,
                 Reading& reading) {
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma));
    const std::optional<Range> range = parse_range(item);
    if (!range) {
      return reading.fail(Errc::config_range, path,
                          in_quotes(std::string(item)) + " is no rank or range of ranks",
                          "write it like \"0-7,12\"");
    }
    out.list.push_back(*range);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
}

void read_entry(const Json& value, const std::string& path, RankRanges& out, Reading& reading) {
  if (value.is_string())
    return read_ranges(value.get_ref<const std::string&>(), path, out, reading);
  if (!value.is_number()) return reading.wrong_kind(path, value, "a rank or text such as \"0-7\"");
  std::int64_t rank = 0;
  read_value(value, path, between(0, static_cast<double>(limits::kRanks - 1)), rank, reading);
  if (!reading.error) out.list.emplace_back(rank, rank);
}

/// Where a range of ranks was written.
struct Claim {
  Range range;
  std::size_t deviation;
};

/// Every rank exists and deviates once.
void check_ranks(const std::vector<DeviationSection>& sections, std::int64_t npus,
                 Reading& reading) {
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (const Range& range : sections[i].ranks.list) {
      if (range.second >= npus) {
        return reading.fail(Errc::config_range, pointer("/deviations", i) + "/ranks",
                            fmt::format("there is no rank {} among {}", range.second, npus));
      }
      claims.push_back({range, i});
    }
  }
  std::stable_sort(claims.begin(), claims.end(),
                   [](const Claim& a, const Claim& b) { return a.range.first < b.range.first; });
  for (std::size_t i = 1; i < claims.size(); ++i) {
    if (claims[i].range.first > claims[i - 1].range.second) continue;
    const auto [first, second] = std::minmax(claims[i - 1].deviation, claims[i].deviation);
    return reading.fail(Errc::config_conflict, pointer("/deviations", second) + "/ranks",
                        fmt::format("rank {} is {} already", claims[i].range.first,
                                    first == second ? "here" : pointer("in /deviations", first)),
                        "say all about a rank in one place");
  }
}

void set_ports(const std::vector<PortSection>& sections, const std::string& path,
               const Platform& platform, Deviation& deviation, Reading& reading) {
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const PortSection& section = sections[i];
    const std::string here = pointer(path, i);
    const auto dim = static_cast<std::uint32_t>(section.dimension);
    if (dim >= platform.dims.size()) {
      return reading.fail(Errc::config_range, here + "/dimension",
                          fmt::format("there is no dimension {}: the network has {}, counted from "
                                      "0",
                                      dim, platform.dims.size()));
    }
    const bool twice = std::any_of(deviation.ports.begin(), deviation.ports.end(),
                                   [dim](const Deviation::Port& port) { return port.dim == dim; });
    if (twice) {
      return reading.fail(Errc::config_conflict, here + "/dimension",
                          fmt::format("dimension {} is here already", dim));
    }
    if (section.latency > kLongest)
      return reading.fail(Errc::config_range, here + "/latency", "is more than 1000000 s");
    deviation.ports.push_back(
        {dim, section.bandwidth, static_cast<double>(section.latency.count()) / kPsPerNs});
  }
}

void set_kernels(const DeviationSection& section, const std::string& path, Deviation& deviation,
                 Reading& reading) {
  if (!section.kernels) return;
  for (const KernelSection& kernel : *section.kernels) {
    if (kernel.name.empty()) {
      return reading.fail(Errc::config_range, pointer(path, deviation.kernels.size()) + "/name",
                          "is empty", "compute_time is for all of them");
    }
    deviation.kernels.push_back({kernel.name, kernel.time});
  }
}

}  // namespace

void read_value(const Json& value, const std::string& path, const Limits&, RankRanges& out,
                Reading& reading) {
  if (!value.is_array()) return read_entry(value, path, out, reading);
  if (value.empty()) return reading.fail(Errc::config_range, path, "names no rank");
  for (std::size_t i = 0; i < value.size() && !reading.error; ++i)
    read_entry(value[i], pointer(path, i), out, reading);
}

OrderedJson schema_of(Kind<RankRanges>, const Limits&) {
  const OrderedJson rank{{"type", "integer"}, {"minimum", 0}};
  const OrderedJson text{{"type", "string"},
                         {"pattern", "^ *[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)* *$"}};
  const OrderedJson list{{"type", "array"},
                         {"minItems", 1},
                         {"items", OrderedJson{{"anyOf", OrderedJson::array({rank, text})}}}};
  return {{"anyOf", OrderedJson::array({rank, text, list})}};
}

OrderedJson write_value(const RankRanges& value) {
  std::string text;
  for (const auto& [first, last] : value.list) {
    if (!text.empty()) text += ",";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

void set_deviations(const std::vector<DeviationSection>& sections, Platform& platform,
                    Reading& reading) {
  check_ranks(sections, platform.npu_count(), reading);
  for (std::size_t i = 0; i < sections.size() && !reading.error; ++i) {
    const DeviationSection& section = sections[i];
    const std::string path = pointer("/deviations", i);
    if (section.start > kLongest)
      return reading.fail(Errc::config_range, path + "/start", "is more than 1000000 s");
    Deviation deviation;
    std::vector<Range> ranges = section.ranks.list;
    std::sort(ranges.begin(), ranges.end());
    for (const auto& [first, last] : ranges) {
      for (std::uint32_t rank = first; rank <= last; ++rank) deviation.ranks.push_back(rank);
    }
    deviation.compute_time = section.compute_time;
    deviation.host_time = section.host_time;
    deviation.copy_time = section.copy_time;
    deviation.communication_time = section.communication_time;
    set_kernels(section, path + "/kernels", deviation, reading);
    deviation.start = section.start;
    if (section.ports && platform.fabric != nullptr)
      return reading.fail(Errc::config_conflict, path + "/ports",
                          "are of dimensions, and the network is a fabric",
                          "say what is wrong with its links under `fabric: {faults: ...}`");
    if (section.ports) set_ports(*section.ports, path + "/ports", platform, deviation, reading);
    platform.deviations.push_back(std::move(deviation));
  }
}

std::vector<DeviationSection> deviation_sections(const Platform& platform) {
  std::vector<DeviationSection> sections;
  for (const Deviation& deviation : platform.deviations) {
    DeviationSection& section = sections.emplace_back();
    std::vector<Range>& ranges = section.ranks.list;
    for (const std::uint32_t rank : deviation.ranks) {
      if (!ranges.empty() && ranges.back().second + 1 == rank) {
        ranges.back().second = rank;
      } else {
        ranges.emplace_back(rank, rank);
      }
    }
    section.compute_time = deviation.compute_time;
    section.host_time = deviation.host_time;
    section.copy_time = deviation.copy_time;
    section.communication_time = deviation.communication_time;
    if (!deviation.kernels.empty()) section.kernels.emplace();
    for (const Deviation::Kernel& kernel : deviation.kernels)
      section.kernels->push_back({kernel.name, kernel.time});
    section.start = deviation.start;
    if (!deviation.ports.empty()) section.ports.emplace();
    for (const Deviation::Port& port : deviation.ports) {
      const Time latency(std::llround(port.latency_ns * kPsPerNs));
      section.ports->push_back({port.dim, port.bandwidth, latency});
    }
  }
  return sections;
}

}  // namespace orrery::platform
