// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's deviations: ranges of ranks, and checks of ranks and ports.
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
                          in_quotes(std::string(item)) + " is not a rank or a range of ranks",
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

/// Every rank exists and is in only one deviation.
void check_ranks(const std::vector<DeviationSection>& sections, std::int64_t npus,
                 Reading& reading) {
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (const Range& range : sections[i].rank_ranges.list) {
      if (range.second >= npus) {
        return reading.fail(
            Errc::config_range, pointer("/deviations", i) + "/ranks",
            fmt::format("rank {} does not exist: the cluster has {} ranks", range.second, npus));
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
                        fmt::format("rank {} is already {}", claims[i].range.first,
                                    first == second ? "here" : pointer("in /deviations", first)),
                        "use one deviation per rank");
  }
}

void set_ports(const std::vector<PortSection>& sections, const std::string& path,
               const Platform& platform, Deviation& deviation, Reading& reading) {
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const PortSection& section = sections[i];
    const std::string here = pointer(path, i);
    const auto dim = static_cast<std::uint32_t>(section.dimension);
    if (dim >= platform.dims.size()) {
      return reading.fail(
          Errc::config_range, here + "/dimension",
          fmt::format("dimension {} does not exist: the network has {}, numbered from 0", dim,
                      platform.dims.size()));
    }
    const bool twice = std::any_of(deviation.ports.begin(), deviation.ports.end(),
                                   [dim](const Deviation::Port& port) { return port.dim == dim; });
    if (twice) {
      return reading.fail(Errc::config_conflict, here + "/dimension",
                          fmt::format("dimension {} is given twice", dim));
    }
    if (section.latency > kLongest)
      return reading.fail(Errc::config_range, here + "/latency", "is more than 1000000 s");
    deviation.ports.push_back(
        {dim, section.bandwidth, static_cast<double>(section.latency.count()) / kPsPerNs});
  }
}

void check_kernels(const Deviation& deviation, const std::string& path, Reading& reading) {
  for (std::size_t i = 0; i < deviation.kernels.size(); ++i) {
    if (deviation.kernels[i].name.empty())
      return reading.fail(Errc::config_range, pointer(path, i) + "/name", "is empty",
                          "for all kernels, use compute_time");
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
    Deviation deviation = section;
    std::vector<Range> ranges = section.rank_ranges.list;
    std::sort(ranges.begin(), ranges.end());
    for (const auto& [first, last] : ranges) {
      for (std::uint32_t rank = first; rank <= last; ++rank) deviation.ranks.push_back(rank);
    }
    check_kernels(deviation, path + "/kernels", reading);
    if (section.port_sections && platform.fabric != nullptr)
      return reading.fail(Errc::config_conflict, path + "/ports",
                          "apply to dimensions, but the network is a fabric",
                          "describe faulty links under `fabric: {faults: ...}`");
    if (section.port_sections)
      set_ports(*section.port_sections, path + "/ports", platform, deviation, reading);
    platform.deviations.push_back(std::move(deviation));
  }
}

std::vector<DeviationSection> deviation_sections(const Platform& platform) {
  std::vector<DeviationSection> sections;
  for (const Deviation& deviation : platform.deviations) {
    DeviationSection& section = sections.emplace_back(DeviationSection{deviation, {}, {}});
    std::vector<Range>& ranges = section.rank_ranges.list;
    for (const std::uint32_t rank : deviation.ranks) {
      if (!ranges.empty() && ranges.back().second + 1 == rank) {
        ranges.back().second = rank;
      } else {
        ranges.emplace_back(rank, rank);
      }
    }
    if (!deviation.ports.empty()) section.port_sections.emplace();
    for (const Deviation::Port& port : deviation.ports) {
      const Time latency(std::llround(port.latency_ns * kPsPerNs));
      section.port_sections->push_back({port.dim, port.bandwidth, latency});
    }
  }
  return sections;
}

}  // namespace orrery::platform
