// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/networks/htsim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform {
namespace {

/// What stands in the file, by key in lower case.
using TopoKeys = std::map<std::string, double, std::less<>>;

struct FatTier {
  std::uint64_t down = 0, up = 0, bundle = 1;
  double speed = 0;  ///< Gb/s
  Time link_latency{}, switch_latency{};
};

struct FatTree {
  std::uint64_t nodes = 0, tiers = 0, pod = 0;
  std::array<FatTier, 3> tier;
  // What follows from it.
  std::uint64_t pods = 0, tors = 0, aggs = 0, cores = 0;  ///< tors and aggs: in a pod
};

struct TopoFile {
  TopoKeys head;
  std::array<TopoKeys, 3> tier;
};

constexpr std::array<std::string_view, 9> kTierKeys{
    "downlink_speed_gbps", "radix_down",          "radix_up", "oversubscribed", "bundle",
    "switch_latency_ns",   "downlink_latency_ns", "queue_up", "queue_down"};

Result<TopoFile> read_keys(std::string_view text, const std::string& where, Findings& findings) {
  TopoFile file;
  LineReader lines(text);
  TopoKeys* keys = &file.head;
  while (lines.next_content_line()) {
    const std::string place = at_line(where, lines.number());
    const std::string key = lower_case(lines.words()[0]);
    const std::optional<double> value =
        lines.words().size() > 1 ? real_number(lines.words()[1]) : std::nullopt;
    if (!value)
      return fail(Errc::input_corrupt, place,
                  fmt::format("{} without a number", in_quotes(lines.words()[0])),
                  "each line must be a key and a number");
    if (*value < 0)
      return fail(Errc::input_range, place, fmt::format("{} is negative", in_quotes(key)));
    if (key == "tier") {
      if (*value != 0 && *value != 1 && *value != 2)
        return fail(Errc::input_range, place, "only tiers 0, 1 and 2 exist");
      keys = &file.tier[static_cast<std::size_t>(*value)];
      continue;
    }
    const bool known = keys == &file.head
                           ? key == "nodes" || key == "tiers" || key == "podsize"
                           : std::find(kTierKeys.begin(), kTierKeys.end(), key) != kTierKeys.end();
    if (!known || key.starts_with("queue"))
      findings.add(FindingCode::fabric_part_ignored, place + ": " + printable(key, kShownBytes));
    if (!keys->emplace(key, *value).second)
      return fail(Errc::input_corrupt, place, fmt::format("{} is given twice", in_quotes(key)),
                  "keep one of the lines");
  }
  return file;
}

/// A whole number from 1; 0: the key is not there.
Result<std::uint64_t> count_of(const TopoKeys& keys, std::string_view key,
                               const std::string& place) {
  const auto found = keys.find(key);
  if (found == keys.end()) return 0;
  const double value = found->second;
  if (value >= 1 && value <= 1e9 && value == static_cast<double>(static_cast<std::uint64_t>(value)))
    return static_cast<std::uint64_t>(value);
  return fail(Errc::input_range, place,
              fmt::format("{} is {}, but must be a whole number of at least 1", key, value));
}

Result<void> require_count(std::uint64_t& out, const TopoKeys& keys, std::string_view key,
                           const std::string& place) {
  Result<std::uint64_t> value = count_of(keys, key, place);
  if (!value) return tl::unexpected(value.error());
  if (*value == 0)
    return fail(Errc::input_missing_attr, place, fmt::format("{} is missing", key), "add it");
  out = *value;
  return {};
}

Result<void> read_tier(const TopoKeys& keys, bool top, const std::string& place, FatTier& out) {
  if (keys.empty()) return fail(Errc::input_missing_attr, place, "this tier is not described");
  if (auto done = require_count(out.down, keys, "radix_down", place); !done) return done;
  if (!top) {
    if (auto done = require_count(out.up, keys, "radix_up", place); !done) return done;
  }
  if (keys.contains("bundle")) {
    if (auto done = require_count(out.bundle, keys, "bundle", place); !done) return done;
  }
  for (const std::string_view key : {"downlink_speed_gbps", "downlink_latency_ns"}) {
    if (!keys.contains(key))
      return fail(Errc::input_missing_attr, place, fmt::format("{} is missing", key), "add it");
  }
  out.speed = keys.find("downlink_speed_gbps")->second;
  if (auto rate = read_rate(out.speed, kGigabit, place); !rate) return tl::unexpected(rate.error());
  Result<Time> link = read_delay(keys.find("downlink_latency_ns")->second, 1e3, place);
  if (!link) return tl::unexpected(link.error());
  out.link_latency = *link;
  const auto through = keys.find("switch_latency_ns");
  Result<Time> own = read_delay(through == keys.end() ? 0 : through->second, 1e3, place);
  if (!own) return tl::unexpected(own.error());
  out.switch_latency = *own;
  return {};
}

tl::unexpected<Error> tree_error(const std::string& where, std::string what) {
  return fail(Errc::input_mismatch, where, std::move(what),
              "htsim does not build such a tree either; correct one of the values");
}

/// How many switches there are, when everything goes into everything.
Result<void> derive_counts(FatTree& tree, const std::string& where) {
  const FatTier &tor = tree.tier[0], &agg = tree.tier[1], &core = tree.tier[2];
  if (tree.nodes % tree.pod != 0)
    return tree_error(where, fmt::format("{} nodes are not a multiple of the {} nodes of a pod",
                                         tree.nodes, tree.pod));
  tree.pods = tree.nodes / tree.pod;
  if (tree.tiers == 2 && tree.pods != 1)
    return tree_error(where, "a tree of two tiers has one pod: Podsize must be Nodes");
  if (tor.bundle != 1) return tree_error(where, "a node has one link: Bundle of tier 0 must be 1");
  if (tree.pod % tor.down != 0)
    return tree_error(where,
                      fmt::format("{} nodes of a pod are not a multiple of Radix_Down {} of tier 0",
                                  tree.pod, tor.down));
  tree.tors = tree.pod / tor.down;
  if (tor.up % agg.bundle != 0)
    return tree_error(
        where, fmt::format("Radix_Up {} of tier 0 is not a multiple of Bundle {} of tier 1", tor.up,
                           agg.bundle));
  tree.aggs = tor.up / agg.bundle;
  if (agg.down != saturating_product(tree.tors, agg.bundle))
    return tree_error(where,
                      fmt::format("Radix_Down of tier 1 is {}, but the {} switches below need {}",
                                  agg.down, tree.tors, saturating_product(tree.tors, agg.bundle)));
  if (tree.tiers == 2) return {};
  if (agg.up % core.bundle != 0)
    return tree_error(
        where, fmt::format("Radix_Up {} of tier 1 is not a multiple of Bundle {} of tier 2", agg.up,
                           core.bundle));
  tree.cores = saturating_product(tree.aggs, agg.up / core.bundle);
  if (core.down != saturating_product(tree.pods, core.bundle))
    return tree_error(
        where, fmt::format("Radix_Down of tier 2 is {}, but the {} pods below need {}", core.down,
                           tree.pods, saturating_product(tree.pods, core.bundle)));
  return {};
}

/// Where the file states how far a tier is oversubscribed, its radices and speeds say the same.
Result<void> check_oversubscribed(const TopoFile& file, const FatTree& tree,
                                  const std::string& where) {
  for (std::size_t i = 0; i + 1 < tree.tiers; ++i) {
    const auto stated = file.tier[i].find("oversubscribed");
    if (stated == file.tier[i].end()) continue;
    const FatTier &low = tree.tier[i], &high = tree.tier[i + 1];
    const double is =
        static_cast<double>(low.down) * low.speed / (static_cast<double>(low.up) * high.speed);
    if (is != stated->second)
      return tree_error(where, fmt::format("tier {} is oversubscribed {} to 1 according to its "
                                           "radices and speeds, but Oversubscribed is {}",
                                           i, is, stated->second));
  }
  return {};
}

Result<FatTree> read_fat_tree(std::string_view text, const std::string& where, Findings& findings) {
  Result<TopoFile> file = read_keys(text, where, findings);
  if (!file) return tl::unexpected(file.error());
  FatTree tree;
  for (const auto& [key, value] : {std::pair{"nodes", &tree.nodes}, std::pair{"tiers", &tree.tiers},
                                   std::pair{"podsize", &tree.pod}}) {
    if (auto done = require_count(*value, file->head, key, where); !done)
      return tl::unexpected(done.error());
  }
  if (tree.tiers != 2 && tree.tiers != 3)
    return fail(Errc::input_range, where, fmt::format("{} tiers; a tree has 2 or 3", tree.tiers));
  for (std::size_t i = 0; i < tree.tiers; ++i) {
    const std::string place = fmt::format("{}:tier {}", where, i);
    if (auto done = read_tier(file->tier[i], i + 1 == tree.tiers, place, tree.tier[i]); !done)
      return tl::unexpected(done.error());
  }
  if (auto done = derive_counts(tree, where); !done) return tl::unexpected(done.error());
  if (auto done = check_oversubscribed(*file, tree, where); !done)
    return tl::unexpected(done.error());
  const std::uint64_t switches = saturating_sum(
      saturating_product(tree.pods, saturating_sum(tree.tors, tree.aggs)), tree.cores);
  const std::uint64_t cables = saturating_sum(
      saturating_sum(tree.nodes,
                     saturating_product(saturating_product(tree.pods, tree.tors), tree.aggs)),
      saturating_product(saturating_product(tree.pods, tree.aggs),
                         tree.tiers == 3 ? tree.cores / tree.aggs : 0));
  if (auto fits = check_parts(saturating_sum(saturating_sum(tree.nodes, switches), cables),
                              text.size(), where);
      !fits)
    return tl::unexpected(fits.error());
  return tree;
}

class FatTreeBuilder {
 public:
  explicit FatTreeBuilder(const FatTree& tree) : tree_(tree), builder_("fat tree", "htsim .topo") {}

  Result<Topology> build(const std::string& where) {
    for (std::uint64_t i = 0; i < tree_.nodes; ++i)
      builder_.add(NodeClass::device, fmt::format("node{}", i));
    const auto add_nodes = [&](std::uint64_t count, NodeClass kind, std::string_view name) {
      const NodeIndex first = builder_.node_count();
      for (std::uint64_t i = 0; i < count; ++i) builder_.add(kind, fmt::format("{}{}", name, i));
      return first;
    };
    const NodeIndex tors = add_nodes(tree_.pods * tree_.tors, NodeClass::leaf, "tor");
    const NodeIndex aggs =
        add_nodes(tree_.pods * tree_.aggs, NodeClass::spine, tree_.tiers == 2 ? "spine" : "agg");
    const NodeIndex cores = add_nodes(tree_.cores, NodeClass::core, "core");
    for (std::uint64_t i = 0; i < tree_.nodes; ++i)
      join(i, tors + i / tree_.tier[0].down, 0, Time{});
    for (std::uint64_t tor = 0; tor < tree_.pods * tree_.tors; ++tor) {
      for (std::uint64_t j = 0; j < tree_.aggs; ++j)
        join(tors + tor, aggs + tor / tree_.tors * tree_.aggs + j, 1, tree_.tier[0].switch_latency);
    }
    const std::uint64_t up = tree_.cores == 0 ? 0 : tree_.cores / tree_.aggs;
    for (std::uint64_t agg = 0; agg < tree_.pods * tree_.aggs; ++agg) {
      for (std::uint64_t j = 0; j < up; ++j)
        join(aggs + agg, cores + agg % tree_.aggs * up + j, 2, tree_.tier[1].switch_latency);
    }
    return builder_.finish(where);
  }

 private:
  /// Both directions of what leads down from `tier`; `lower_latency`: of the lower switch.
  void join(std::uint64_t low, std::uint64_t high, std::size_t tier, Time lower_latency) {
    const FatTier& is = tree_.tier[tier];
    LinkFigures figures{Bandwidth(is.speed * kGigabit), is.link_latency + lower_latency,
                        static_cast<std::uint32_t>(is.bundle), LinkClass::network};
    builder_.link(static_cast<NodeIndex>(low), static_cast<NodeIndex>(high), figures);
    figures.latency = is.link_latency + is.switch_latency;
    builder_.link(static_cast<NodeIndex>(high), static_cast<NodeIndex>(low), figures);
  }

  const FatTree& tree_;
  TopologyBuilder builder_;
};

}  // namespace

Result<Topology> read_htsim(std::string_view text, const std::string& where, Findings& findings) {
  Result<FatTree> tree = read_fat_tree(text, where, findings);
  if (!tree) return tl::unexpected(tree.error());
  return FatTreeBuilder(*tree).build(where);
}

}  // namespace orrery::platform
