// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"

namespace orrery::platform {

std::string_view name(NodeClass kind) {
  constexpr std::array<std::string_view, kNodeClasses> kNames{
      "device", "cpu",   "memory", "nic",    "port",    "pcie_switch", "nvswitch",
      "leaf",   "spine", "core",   "switch", "optical", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_switch(NodeClass kind) {
  switch (kind) {
    case NodeClass::pcie_switch:
    case NodeClass::nvswitch:
    case NodeClass::leaf:
    case NodeClass::spine:
    case NodeClass::core:
    case NodeClass::switched:
    case NodeClass::optical:
      return true;
    default:
      return false;
  }
}

int switch_tier(NodeClass kind) {
  switch (kind) {
    case NodeClass::leaf:
      return 1;
    case NodeClass::spine:
      return 2;
    case NodeClass::core:
      return 3;
    default:
      return 0;
  }
}

std::string_view name(LinkClass kind) {
  constexpr std::array<std::string_view, kLinkClasses> kNames{
      "scale-up", "pcie", "network", "host", "inside", "memory", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::pair<LinkIndex, LinkIndex> Topology::between(NodeIndex from, NodeIndex to) const {
  const auto begin = links_.begin() + first_out_[from];
  const auto end = links_.begin() + first_out_[from + 1];
  const auto first = std::lower_bound(
      begin, end, to, [](const Link& link, NodeIndex node) { return link.to < node; });
  auto last = first;
  while (last != end && last->to == to) ++last;
  return {static_cast<LinkIndex>(first - links_.begin()),
          static_cast<LinkIndex>(last - links_.begin())};
}

std::string Topology::link_name(LinkIndex link) const {
  return names_[links_[link].from] + " -> " + names_[links_[link].to];
}

Topology Topology::with_defaults(std::span<const LinkFigures> by_class) const {
  Topology made = *this;
  for (Link& link : made.links_) {
    for (const LinkFigures& one : by_class) {
      if (one.kind != link.figures.kind) continue;
      if (link.figures.bandwidth.count() == 0) link.figures.bandwidth = one.bandwidth;
      if (!link.figures.latency) link.figures.latency = one.latency;
    }
  }
  return made;
}

Topology Topology::scaled(double bandwidth, double latency) const {
  Topology made = *this;
  for (Link& link : made.links_) {
    link.figures.bandwidth = Bandwidth(link.figures.bandwidth.count() * bandwidth);
    if (link.figures.latency)
      link.figures.latency =
          Time(std::llround(static_cast<double>(link.figures.latency->count()) * latency));
  }
  return made;
}

namespace {

/// The keys of a cluster file that state what links lack, by class; "…" are for the user to fill
/// in.
std::string defaults_example(const Topology& topology, const std::string& where) {
  std::set<LinkClass> bandwidths, latencies;
  for (LinkIndex i = 0; i < topology.link_count(); ++i) {
    const LinkFigures& figures = topology.link(i).figures;
    if (figures.bandwidth.count() == 0) bandwidths.insert(figures.kind);
    if (!figures.latency) latencies.insert(figures.kind);
  }
  std::set<LinkClass> classes = bandwidths;
  classes.insert(latencies.begin(), latencies.end());
  std::string text;
  for (const LinkClass one : classes)
    text += fmt::format("{}{{class: {}{}{}}}", text.empty() ? "" : ", ", platform::name(one),
                        bandwidths.contains(one) ? ", bandwidth: …" : "",
                        latencies.contains(one) ? ", latency: …" : "");
  return fmt::format(
      "fabric: {{file: {}, defaults: [{}]}}; per link, NVLink 4 has 25 GB/s and "
      "NVLink 5 50 GB/s, and 'orrery list links' shows others",
      where, text);
}

}  // namespace

Result<void> Topology::check_figures(const std::string& where) const {
  const auto check = [&](const auto& lacks, std::string_view what) -> Result<void> {
    LinkIndex first = 0, count = 0;
    for (LinkIndex i = 0; i < link_count(); ++i) {
      if (!lacks(links_[i].figures)) continue;
      if (count++ == 0) first = i;
    }
    if (count == 0) return {};
    return tl::unexpected(Error{
        Errc::config_missing_key, where,
        fmt::format("{} of {} links have no {}; the first is {} ({})", count, link_count(), what,
                    printable(link_name(first)),
                    orrery::platform::name(links_[first].figures.kind)),
        "add it in the file, or as defaults in a cluster file: " + defaults_example(*this, where)});
  };
  if (Result<void> bandwidth =
          check([](const LinkFigures& one) { return one.bandwidth.count() == 0; }, "bandwidth");
      !bandwidth)
    return bandwidth;
  return check([](const LinkFigures& one) { return !one.latency; }, "latency");
}

TopologyBuilder::TopologyBuilder(std::string name, std::string origin) {
  made_.name_ = std::move(name);
  made_.origin_ = std::move(origin);
}

TopologyBuilder::TopologyBuilder(const Topology& topology) : made_(topology) {
  for (std::uint32_t rank = 0; rank < topology.devices_.size(); ++rank)
    stated_ranks_.emplace_back(topology.devices_[rank], rank);
}

NodeIndex TopologyBuilder::add(NodeClass kind, std::string name, std::uint32_t host) {
  if (made_.kinds_.size() >= limits::kFabricNodes) {
    exceeds_limits_ = true;
    return static_cast<NodeIndex>(made_.kinds_.size() - 1);
  }
  made_.kinds_.push_back(kind);
  made_.names_.push_back(std::move(name));
  made_.hosts_.push_back(host);
  return static_cast<NodeIndex>(made_.kinds_.size() - 1);
}

bool TopologyBuilder::has_room(double links, double nodes) {
  if (static_cast<double>(made_.links_.size()) + links >
          static_cast<double>(limits::kFabricLinks) ||
      static_cast<double>(made_.kinds_.size()) + nodes > static_cast<double>(limits::kFabricNodes))
    exceeds_limits_ = true;
  return !exceeds_limits_;
}

void TopologyBuilder::link(NodeIndex from, NodeIndex to, const LinkFigures& figures) {
  if (made_.links_.size() >= limits::kFabricLinks) {
    exceeds_limits_ = true;
    return;
  }
  made_.links_.push_back({from, to, figures});
}

void TopologyBuilder::join(NodeIndex a, NodeIndex b, const LinkFigures& figures) {
  link(a, b, figures);
  link(b, a, figures);
}

void TopologyBuilder::set_rank(NodeIndex device, std::uint32_t rank) {
  stated_ranks_.emplace_back(device, rank);
}

std::optional<Error> TopologyBuilder::find_error(const std::string& where) const {
  if (exceeds_limits_)
    return Error{Errc::limit_exceeded, where,
                 fmt::format("the fabric has more than {} nodes or {} links", limits::kFabricNodes,
                             limits::kFabricLinks),
                 "describe a smaller fabric"};
  for (const Link& link : made_.links_) {
    const bool known = link.from < made_.kinds_.size() && link.to < made_.kinds_.size();
    const std::string which =
        known ? printable(made_.names_[link.from] + " -> " + made_.names_[link.to])
              : std::string("a link");
    if (!known)
      return Error{Errc::input_range, where, "a link names a node that does not exist", {}};
    if (link.from == link.to)
      return Error{Errc::input_range, where, which + " joins a node to itself", {}};
    const double rate = link.figures.bandwidth.count();
    if (!(rate >= 0) || !std::isfinite(rate) || !std::isfinite(link.capacity()))
      return Error{Errc::input_range, where, which + " has an invalid bandwidth", {}};
    if (link.figures.count == 0)
      return Error{Errc::input_range, where, which + " is a bundle of 0 links", {}};
    if (link.figures.latency && *link.figures.latency < Time{})
      return Error{Errc::input_range, where, which + " has a negative latency", {}};
  }
  return std::nullopt;
}

Result<std::vector<NodeIndex>> TopologyBuilder::order_devices(const std::string& where) const {
  std::vector<bool> stated(made_.kinds_.size());
  auto order = stated_ranks_;
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<NodeIndex> devices;
  for (const auto& [node, rank] : order) {
    if (made_.kinds_[node] != NodeClass::device)
      return tl::unexpected(Error{
          Errc::config_conflict,
          where,
          fmt::format("{} has rank {} but is not a device", printable(made_.names_[node]), rank),
          {}});
    if (stated[node] || rank != devices.size()) {
      const std::string what = stated[node] ? printable(made_.names_[node]) + " has two ranks"
                               : rank < devices.size()
                                   ? fmt::format("two devices have rank {}", rank)
                                   : fmt::format("a device has rank {}, but no device has rank {}",
                                                 rank, devices.size());
      return tl::unexpected(
          Error{Errc::config_conflict, where, what, "number the devices from 0, without gaps"});
    }
    stated[node] = true;
    devices.push_back(node);
  }
  for (NodeIndex node = 0; node < made_.kinds_.size(); ++node) {
    if (made_.kinds_[node] == NodeClass::device && !stated[node]) devices.push_back(node);
  }
  return devices;
}

namespace {

/// Links by `from`, then `to`, then insertion. O(nodes + links), if no node has many links out of
/// order.
std::vector<Link> sorted(std::vector<Link> links, NodeIndex nodes) {
  const auto before = [](const Link& a, const Link& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  };
  if (std::is_sorted(links.begin(), links.end(), before)) return links;
  std::vector<LinkIndex> next(nodes + std::size_t{1}, 0);
  for (const Link& link : links) ++next[link.from + std::size_t{1}];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Link> ordered(links.size());
  for (const Link& link : links) ordered[next[link.from]++] = link;
  for (auto first = ordered.begin(); first != ordered.end();) {
    const auto last = std::find_if(first, ordered.end(),
                                   [&](const Link& link) { return link.from != first->from; });
    if (!std::is_sorted(first, last, before)) std::stable_sort(first, last, before);
    first = last;
  }
  return ordered;
}

}  // namespace

Result<Topology> TopologyBuilder::finish(const std::string& where) {
  if (std::optional<Error> error = find_error(where)) return tl::unexpected(std::move(*error));
  Result<std::vector<NodeIndex>> devices = order_devices(where);
  if (!devices) return tl::unexpected(devices.error());
  Topology made = std::move(made_);
  made.links_ = sorted(std::move(made.links_), made.node_count());
  made.devices_ = std::move(*devices);
  made.ranks_.assign(made.kinds_.size(), Topology::kNoRank);
  for (std::uint32_t rank = 0; rank < made.devices_.size(); ++rank)
    made.ranks_[made.devices_[rank]] = rank;
  made.first_out_.assign(made.kinds_.size() + 1, 0);
  made.first_in_ = made.first_out_;
  for (const Link& link : made.links_) {
    ++made.first_out_[link.from + 1];
    ++made.first_in_[link.to + 1];
  }
  std::partial_sum(made.first_out_.begin(), made.first_out_.end(), made.first_out_.begin());
  std::partial_sum(made.first_in_.begin(), made.first_in_.end(), made.first_in_.begin());
  made.in_.resize(made.links_.size());
  std::vector<LinkIndex> next = made.first_in_;
  for (LinkIndex i = 0; i < made.links_.size(); ++i) made.in_[next[made.links_[i].to]++] = i;
  return made;
}

}  // namespace orrery::platform
