// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/changes/network_changes.h"

#include <fmt/format.h>

#include <vector>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/placement/node_dimensions.h"

namespace orrery::study {

using platform::Dimension;
using platform::Platform;

namespace {

constexpr double kMaxLinkFactor = 1000;

constexpr std::array<std::pair<LinkValue, std::string_view>, 3> kLinkValues{
    {{LinkValue::bandwidth, "bandwidth"},
     {LinkValue::latency, "latency"},
     {LinkValue::link, "link"}}};

/// "0 (switch of 8, 450 GB/s), 1 (switch of 8, 50 GB/s)"
std::string dimension_list(const Platform& platform) {
  std::string text;
  for (std::size_t d = 0; d < platform.dims.size(); ++d) {
    const Dimension& dim = platform.dims[d];
    text +=
        fmt::format("{}{} ({} of {}, {})", text.empty() ? "" : ", ", d, platform::name(dim.block),
                    format_count(dim.size), format_bandwidth(dim.bandwidth));
  }
  return text;
}

/// The first dimension and the one after the last.
struct Dimensions {
  std::size_t first = 0, end = 0;
};

Result<Dimensions> dimensions_of(std::string_view dim, const std::string& where,
                                 const Platform& platform) {
  const std::size_t inside = platform::node_dimensions(platform), all = platform.dims.size();
  if (dim == "intra") {
    if (inside > 0) return Dimensions{0, inside};
    return fail(Errc::usage, where, "the cluster has no dimension inside nodes",
                "its dimensions are " + dimension_list(platform));
  }
  if (dim == "inter") {
    if (inside < all) return Dimensions{inside, all};
    return fail(Errc::usage, where, "the cluster has no network between nodes: it is one node",
                "its dimensions are " + dimension_list(platform));
  }
  const auto number = parse_integer(dim);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < all) {
    const auto d = static_cast<std::size_t>(*number);
    return Dimensions{d, d + 1};
  }
  const std::array<std::string_view, 2> words{"intra", "inter"};
  const std::string near = did_you_mean(dim, words);
  return fail(Errc::usage, where, fmt::format("the cluster has no dimension {}", in_quotes(dim)),
              near.empty() ? "intra, inter, or one of " + dimension_list(platform) : near);
}

/// A number without a unit.
std::optional<double> plain_factor(const std::string& value) {
  const auto number = parse_number(value);
  return number ? std::optional(*number) : std::nullopt;
}

Result<void> bad_value(LinkValue what, const std::string& value, const std::string& where) {
  return fail(Errc::usage, where,
              fmt::format("{} is not a {}", in_quotes(value),
                          what == LinkValue::bandwidth ? "bandwidth" : "latency"),
              what == LinkValue::bandwidth
                  ? "inter=25GB/s, inter=400Gb/s, or a factor above 0: inter=0.5"
                  : "inter=2us, inter=500ns, or a factor: inter=2");
}

void set_values(LinkValue what, const std::string& value, Dimension& dim) {
  if (what == LinkValue::link) {
    const platform::LinkEntry& link = *platform::find_link(value);
    dim.bandwidth = link.bandwidth;
    dim.unknown_pcie.clear();
    dim.latency_ns = static_cast<double>(link.latency.count()) / kPsPerNs;
    return;
  }
  const auto factor = plain_factor(value);
  if (what == LinkValue::bandwidth) {
    if (!factor) dim.unknown_pcie.clear();
    dim.bandwidth = factor ? Bandwidth(dim.bandwidth.count() * *factor) : *parse_bandwidth(value);
  } else {
    dim.latency_ns = factor ? dim.latency_ns * *factor
                            : static_cast<double>(parse_time(value)->count()) / kPsPerNs;
  }
}

}  // namespace

std::string_view name(LinkValue what) { return kLinkValues[static_cast<std::size_t>(what)].second; }

std::optional<LinkValue> link_value_of(std::string_view change) {
  for (const auto& [what, word] : kLinkValues)
    if (change.starts_with(word) && change.substr(word.size()).starts_with(':')) return what;
  return std::nullopt;
}

LinkValue link_value_in(const std::string& value) {
  if (platform::find_link(value) != nullptr) return LinkValue::link;
  return !parse_number(value) && parse_time(value) ? LinkValue::latency : LinkValue::bandwidth;
}

Result<std::pair<std::string, std::string>> parse_dimension_value(const std::string& text,
                                                                  const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return fail(Errc::usage, option,
                fmt::format("{} names no dimension and value", in_quotes(text)),
                fmt::format("{} inter={}", option,
                            option.ends_with("link")      ? "roce-400"
                            : option.ends_with("latency") ? "2us"
                                                          : "25GB/s"));
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

Result<void> check_link_value(LinkValue what, const std::string& value, const std::string& where) {
  if (what == LinkValue::link) {
    if (platform::find_link(value) != nullptr) return {};
    return fail(Errc::usage, where, in_quotes(value) + " is not a link of the catalog",
                platform::link_hint(value));
  }
  const double least = what == LinkValue::latency ? 0 : 1 / kMaxLinkFactor;
  if (const auto factor = plain_factor(value)) {
    if (*factor >= least && *factor <= kMaxLinkFactor) return {};
    return bad_value(what, value, where);
  }
  if (what == LinkValue::latency ? parse_time(value).has_value()
                                 : parse_bandwidth(value).value_or(Bandwidth{}).count() > 0)
    return {};
  return bad_value(what, value, where);
}

Result<void> change_links(LinkValue what, std::string_view dim, const std::string& value,
                          const std::string& where, Platform& platform) {
  if (auto fine = check_link_value(what, value, where); !fine) return fine;
  if (platform.fabric != nullptr)
    return fail(Errc::config_conflict, where,
                "the cluster's network is a fabric, whose links have their own values",
                "change its file; orrery whatif --change bandwidth=0.5 scales all of its links");
  const auto chosen = dimensions_of(dim, where, platform);
  if (!chosen) return tl::unexpected(chosen.error());
  for (std::size_t d = chosen->first; d < chosen->end; ++d)
    set_values(what, value, platform.dims[d]);
  return {};
}

std::string dimension_label(const Platform& platform, std::size_t dim) {
  const std::size_t inside = platform::node_dimensions(platform), all = platform.dims.size();
  if (dim < inside && inside == 1) return "intra";
  if (dim >= inside && all - inside == 1) return "inter";
  return fmt::format("dimension {}", dim);
}

}  // namespace orrery::study
