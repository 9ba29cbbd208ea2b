// SPDX-License-Identifier: Apache-2.0
//
// Faults and reducing switches of a fabric.

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/fabric/fabric_internal.h"

namespace orrery::platform {

bool LinkFault::is_active(Time at) const {
  if (at < start || (end && at >= *end)) return false;
  return every == Time{} || (at - start).count() % every.count() < duration.count();
}

std::optional<Time> LinkFault::next_change(Time at) const {
  if (at < start) return start;
  if (end && at >= *end) return std::nullopt;
  if (every == Time{}) return end;
  const Time since((at - start).count() % every.count());
  const Time next = since < duration ? at - since + duration : at - since + every;
  return end && *end < next ? *end : next;
}

std::vector<NodeIndex> nodes_named(const Topology& topology, std::string_view pattern) {
  const bool open = pattern.ends_with('*');
  const std::string_view begin = open ? pattern.substr(0, pattern.size() - 1) : pattern;
  std::vector<NodeIndex> found;
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    const std::string_view name = topology.name(node);
    if (open ? name.starts_with(begin) : name == pattern) found.push_back(node);
  }
  return found;
}

void report_unknown_node(const std::string& path, std::string_view pattern, Reading& reading) {
  reading.fail(Errc::config_range, path, "the fabric has no node " + in_quotes(pattern),
               "`orrery network show` lists the names of its nodes");
}

namespace {

std::vector<LinkIndex> links_of(const FaultSection& section, const Topology& topology,
                                const std::string& path, Reading& reading) {
  std::vector<LinkIndex> links;
  if (section.node) {
    if (section.from || section.to) {
      reading.fail(Errc::config_conflict, path, "names both a node and a link", "give one of them");
      return links;
    }
    const std::vector<NodeIndex> nodes = nodes_named(topology, *section.node);
    if (nodes.empty()) report_unknown_node(path + "/node", *section.node, reading);
    for (const NodeIndex node : nodes) {
      const auto [first, last] = topology.out(node);
      for (LinkIndex link = first; link < last; ++link) links.push_back(link);
      const auto in = topology.in(node);
      links.insert(links.end(), in.begin(), in.end());
    }
  } else {
    if (!section.from || !section.to) {
      reading.fail(Errc::config_missing_key, path + (section.from ? "/to" : "/from"), "is missing",
                   "a fault needs a `node`, or links `from` one node `to` another");
      return links;
    }
    const std::vector<NodeIndex> from = nodes_named(topology, *section.from);
    const std::vector<NodeIndex> to = nodes_named(topology, *section.to);
    if (from.empty()) report_unknown_node(path + "/from", *section.from, reading);
    if (to.empty()) report_unknown_node(path + "/to", *section.to, reading);
    for (const NodeIndex a : from) {
      for (const NodeIndex b : to) {
        for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
          const auto [first, end] = topology.between(x, y);
          const auto maximum = static_cast<std::uint64_t>(section.links);
          const auto last =
              maximum == 0 ? end
                           : static_cast<LinkIndex>(std::min<std::uint64_t>(end, first + maximum));
          for (LinkIndex link = first; link < last; ++link) links.push_back(link);
        }
      }
    }
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  if (links.empty() && !reading.error)
    reading.fail(Errc::config_range, path, "the fabric has no such link");
  return links;
}

}  // namespace

void set_faults(const std::vector<FaultSection>& sections, const std::string& path, Fabric& fabric,
                Reading& reading) {
  for (std::size_t i = 0; i < sections.size() && !reading.error; ++i) {
    const FaultSection& section = sections[i];
    const std::string place = pointer(path, i);
    LinkFault fault{links_of(section, fabric.topology, place, reading),
                    section.bandwidth,
                    section.start,
                    section.end,
                    section.every.value_or(Time{}),
                    section.duration.value_or(Time{})};
    if (fault.end && *fault.end <= fault.start)
      return reading.fail(Errc::config_range, place + "/end", "is not after its start");
    if (section.every.has_value() != section.duration.has_value() ||
        (section.every && !(Time{} < fault.duration && fault.duration < fault.every)))
      return reading.fail(Errc::config_conflict, place + (section.duration ? "/lasts" : "/every"),
                          "a recurring fault needs `every` and a shorter `lasts`");
    fabric.faults.push_back(std::move(fault));
  }
}

void set_reducers(const std::vector<ReducerSection>& sections, const std::string& path,
                  Fabric& fabric, Reading& reading) {
  for (std::size_t i = 0; i < sections.size() && !reading.error; ++i) {
    const std::string place = pointer(path, i) + "/switches";
    std::vector<NodeIndex> nodes = nodes_named(fabric.topology, sections[i].switches);
    std::erase_if(nodes, [&](NodeIndex node) { return !is_switch(fabric.topology.kind(node)); });
    if (nodes.empty()) {
      return reading.fail(Errc::config_range, place,
                          "the fabric has no switch " + in_quotes(sections[i].switches),
                          "`orrery network show` lists the names of its nodes");
    }
    for (const NodeIndex node : nodes) fabric.reducers.push_back({node, sections[i].figures});
  }
  const auto lower = [](const Reducer& a, const Reducer& b) { return a.node < b.node; };
  std::stable_sort(fabric.reducers.begin(), fabric.reducers.end(), lower);
  const auto twice =
      std::adjacent_find(fabric.reducers.begin(), fabric.reducers.end(),
                         [](const Reducer& a, const Reducer& b) { return a.node == b.node; });
  if (twice != fabric.reducers.end() && !reading.error) {
    reading.fail(Errc::config_conflict, path,
                 "describes " + in_quotes(fabric.topology.name(twice->node)) + " twice");
  }
}

std::vector<bool> permanently_down(const Fabric& fabric) {
  std::vector<bool> down(fabric.topology.link_count());
  for (const LinkFault& fault : fabric.faults) {
    for (const LinkIndex link : fault.links) {
      if (fault.is_permanent() && fault.bandwidth == 0) down[link] = true;
    }
  }
  return down;
}

}  // namespace orrery::platform
