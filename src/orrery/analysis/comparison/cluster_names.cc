// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/comparison/cluster_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/core/text/text_lines.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

namespace {

using result::Dimension;
using Clusters = std::span<const ClusterTraits>;
using Names = std::vector<std::string>;

constexpr std::size_t kMostLines = 2;  // of a configuration, in a name

/// Whether not all clusters have an equal value.
template <class Get>
bool differ(Clusters clusters, const Get& get) {
  return std::any_of(clusters.begin(), clusters.end(), [&](const ClusterTraits& one) {
    return !(get(one) == get(clusters.front()));
  });
}

bool all_empty(const Names& names) {
  return std::all_of(names.begin(), names.end(), [](const auto& name) { return name.empty(); });
}

void append(std::string& name, const std::string& text) {
  if (text.empty()) return;
  name += (name.empty() ? "" : ", ") + text;
}

/// Appends a value to each name, if it differs.
template <class Get, class Text>
void append_if_different(Clusters clusters, const Get& get, const Text& text, Names& names) {
  if (!differ(clusters, get)) return;
  for (std::size_t i = 0; i < clusters.size(); ++i) append(names[i], text(get(clusters[i])));
}

std::string latency_text(double ns) { return format_time(Time(std::llround(ns * kPsPerNs))); }

/// Names of one dimension, which all clusters have.
Names dimension_names(Clusters clusters, std::size_t d) {
  Names names(clusters.size());
  append_if_different(
      clusters, [d](const auto& one) { return one.dims[d].block; },
      [](const std::string& block) { return block; }, names);
  append_if_different(
      clusters, [d](const auto& one) { return one.dims[d].bandwidth; }, format_bandwidth, names);
  append_if_different(
      clusters, [d](const auto& one) { return one.dims[d].latency_ns; }, latency_text, names);
  return names;
}

/// Names of clusters with equal devices and sizes; empty: their networks are equal.
Names network_names(Clusters clusters) {
  std::vector<Names> by_dim;
  std::size_t different = 0;
  for (std::size_t d = 0; d < clusters.front().dims.size(); ++d) {
    by_dim.push_back(dimension_names(clusters, d));
    if (!all_empty(by_dim.back())) ++different;
  }
  Names names(clusters.size());
  for (std::size_t d = 0; d < by_dim.size(); ++d)
    for (std::size_t i = 0; i < clusters.size(); ++i)
      if (!by_dim[d][i].empty())
        append(names[i],
               different > 1 ? fmt::format("dimension {} {}", d, by_dim[d][i]) : by_dim[d][i]);
  const auto with = [](std::string_view what) {
    return [what](const std::string& model) {
      return model.empty() ? std::string() : fmt::format("{} {}", what, model);
    };
  };
  append_if_different(
      clusters, [](const auto& one) { return one.network_model; }, with("network"), names);
  if (all_empty(names))
    append_if_different(
        clusters, [](const auto& one) { return one.collective_model; }, with("collectives"), names);
  return names;
}

/// A line of YAML without its indentation, list mark and quotes.
std::string bare_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" -");
  if (first == std::string_view::npos) return {};
  std::string text(line.substr(first));
  std::erase(text, '"');
  return text;
}

/// The lines of a configuration, without the cluster's name.
std::vector<std::string> configured_lines(std::string_view config) {
  std::vector<std::string> lines;
  for (const std::string_view one : text_lines(config)) {
    std::string line = bare_line(one);
    if (!line.empty() && !line.starts_with("name:")) lines.push_back(std::move(line));
  }
  return lines;
}

/// Names from lines that not all configurations have. A cluster without one has its own name.
Names config_names(Clusters clusters) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::set<std::string>> sets;
  for (const ClusterTraits& one : clusters) {
    lines.push_back(configured_lines(one.config));
    sets.emplace_back(lines.back().begin(), lines.back().end());
  }
  Names names(clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    std::size_t count = 0;
    for (const std::string& line : lines[i]) {
      const bool everywhere = std::all_of(sets.begin(), sets.end(),
                                          [&](const auto& set) { return set.contains(line); });
      if (!everywhere && !line.ends_with(':') && count++ < kMostLines) append(names[i], line);
    }
  }
  if (all_empty(names)) return names;
  for (std::size_t i = 0; i < clusters.size(); ++i)
    if (names[i].empty()) names[i] = clusters[i].name;
  return names;
}

/// "8 switch at 450 GB/s, 8 switch at 50 GB/s"
std::string size_text(const std::vector<Dimension>& dims) {
  std::string text;
  for (const Dimension& dim : dims)
    append(text, fmt::format("{} of {} at {}", dim.block, format_count(dim.size),
                             format_bandwidth(dim.bandwidth)));
  return text;
}

bool have_equal_sizes(Clusters clusters) {
  const auto sizes = [](const ClusterTraits& one) {
    std::vector<std::int64_t> all;
    for (const Dimension& dim : one.dims) all.push_back(dim.size);
    return all;
  };
  return !differ(clusters, sizes);
}

}  // namespace

ClusterTraits cluster_traits(const result::Run& run) {
  return {std::string(run.fact("cluster")),
          run.device,
          run.dims,
          std::string(run.fact("network_model")),
          std::string(run.fact("collective_model")),
          std::string(run.fact("cluster_config"))};
}

Names difference_names(Clusters clusters) {
  if (clusters.empty()) return {};
  const bool other_device = differ(clusters, [](const auto& one) { return one.device; });
  if (!other_device && have_equal_sizes(clusters)) {
    Names names = network_names(clusters);
    return all_empty(names) ? config_names(clusters) : names;
  }
  Names names;
  for (const ClusterTraits& one : clusters) names.push_back(one.name);
  if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) return names;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    names[i] = other_device ? clusters[i].device : "";
    if (!have_equal_sizes(clusters)) append(names[i], size_text(clusters[i].dims));
  }
  return names;
}

Names difference_names(const std::vector<const result::Run*>& runs) {
  std::vector<ClusterTraits> traits;
  for (const result::Run* run : runs) traits.push_back(cluster_traits(*run));
  return difference_names(traits);
}

}  // namespace orrery::analysis
