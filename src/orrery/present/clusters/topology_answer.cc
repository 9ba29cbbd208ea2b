// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/topology_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using platform::Link;
using platform::LinkGroup;
using platform::MetricRange;
using platform::NodeClass;
using platform::NodeIndex;
using platform::Topology;
using platform::TopologyMetrics;
using study::TopologyAnswer;

namespace {

/// `has_unknown`: some links that it counts state no bandwidth.
std::string rate_text(const MetricRange& range, bool has_unknown, std::string_view about) {
  if (has_unknown && range.maximum == 0) return "not stated";
  const std::string minimum = format_bandwidth(Bandwidth(range.minimum));
  return fmt::format("{}{}{}{}", has_unknown ? "at least " : "", minimum,
                     range.minimum == range.maximum
                         ? std::string()
                         : " to " + format_bandwidth(Bandwidth(range.maximum)),
                     about);
}

std::string ratio_text(const MetricRange& range) {
  return range.minimum == range.maximum
             ? fmt::format("{:.3g} to 1", range.minimum)
             : fmt::format("{:.3g} to {:.3g} to 1", range.minimum, range.maximum);
}

std::array<double, 2> limits(const MetricRange& range) { return {range.minimum, range.maximum}; }

void state_nodes(report::Answer& answer, const TopologyMetrics& facts) {
  std::string text;
  answer.object("nodes_by_class", [&] {
    for (std::size_t i = 0; i < facts.nodes.size(); ++i) {
      if (facts.nodes[i] == 0) continue;
      const std::string_view name = platform::name(static_cast<NodeClass>(i));
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", facts.nodes[i], name);
      answer.field(name, facts.nodes[i]);
    }
  });
  answer.line("nodes", text);
}

/// "8 on each of 16 hosts, in order", or the number of hosts.
std::string ranks_text(const TopologyAnswer& fabric) {
  const Topology& topology = fabric.topology;
  const MetricRange& each = fabric.facts.devices_per_host;
  if (fabric.rank_devices.empty()) return "none";
  if (each.maximum == 0) return fmt::format("{}, one on each device", fabric.rank_devices.size());
  const bool in_order = std::ranges::is_sorted(
      fabric.rank_devices, {}, [&](NodeIndex device) { return topology.host(device); });
  const std::string on = each.minimum == each.maximum
                             ? fmt::format("{} on each host", each.minimum)
                             : fmt::format("{} to {} on a host", each.minimum, each.maximum);
  return fmt::format("{}: {}, {}", fabric.rank_devices.size(), on,
                     in_order ? "host by host" : "across hosts");
}

void state_bandwidths(report::Answer& answer, const TopologyAnswer& fabric) {
  constexpr std::string_view kDevice = "device_bandwidth_bytes_per_s";
  constexpr std::string_view kHost = "host_bandwidth_bytes_per_s";
  constexpr std::string_view kBisection = "bisection_bytes_per_s";
  const TopologyMetrics& facts = fabric.facts;
  if (!fabric.rank_devices.empty())
    answer.line("per device",
                rate_text(facts.device_bandwidth, facts.device_unknown, " over all its links"));
  answer.list(kDevice, limits(facts.device_bandwidth));
  if (facts.host_bandwidth.maximum > 0 || facts.host_unknown)
    answer.line(facts.devices_per_host.maximum > 0 ? "host uplink" : "network uplink",
                rate_text(facts.host_bandwidth, facts.host_unknown, " per device"));
  answer.list(kHost, limits(facts.host_bandwidth));
  if (facts.bisection)
    answer.row("bisection", kBisection, *facts.bisection,
               rate_text({*facts.bisection, *facts.bisection}, facts.any_unknown,
                         " from the first half of ranks to the second"));
  std::vector<std::string_view> at_least;
  if (facts.device_unknown) at_least.push_back(kDevice);
  if (facts.host_unknown) at_least.push_back(kHost);
  if (facts.any_unknown && facts.bisection) at_least.push_back(kBisection);
  answer.list("at_least", at_least);
}

void state_oversubscription(report::Answer& answer, const TopologyMetrics& facts) {
  const auto& leaves = facts.leaf_oversubscription;
  const auto& spines = facts.spine_oversubscription;
  if (leaves)
    answer
        .line("oversubscription",
              "leaves " + ratio_text(*leaves) + (spines ? ", spines " + ratio_text(*spines) : ""))
        .list("leaf_oversubscription_ratios", limits(*leaves));
  if (spines) answer.list("spine_oversubscription_ratios", limits(*spines));
}

/// Adds the columns about figures of links; `bandwidth_text(row)` is for links that state theirs.
template <class Row, class BandwidthText>
void add_figures(report::Columns<Row>& columns, const BandwidthText& bandwidth_text) {
  columns
      .add(
          "bandwidth", "bandwidth_bytes_per_s",
          [](const Row& row) { return row.figures.bandwidth; },
          [bandwidth_text](const Row& row) {
            return row.figures.bandwidth.count() > 0 ? bandwidth_text(row) : "not stated";
          })
      .field("parallel_links", [](const Row& row) { return row.figures.count; })
      .add(
          "latency", "latency_ns", [](const Row& row) { return row.figures.latency; },
          [](const Row& row) {
            return row.figures.latency ? format_time(*row.figures.latency) : "not stated";
          })
      .align(report::Align::right)
      .omit_null();
}

report::Columns<LinkGroup> group_columns() {
  report::Columns<LinkGroup> columns;
  columns
      .add("links", "class", [](const auto& group) { return platform::name(group.figures.kind); })
      .show_number("number", [](const auto& group) { return std::to_string(group.links); })
      .field("links", &LinkGroup::links);
  add_figures(columns, [](const LinkGroup& group) {
    const std::uint32_t number = group.figures.count;
    return (number > 1 ? fmt::format("{} x ", number) : std::string()) +
           format_bandwidth(group.figures.bandwidth);
  });
  return columns;
}

report::Columns<Link> link_columns(const Topology& topology) {
  report::Columns<Link> columns;
  columns.show("from", [&](const Link& link) { return printable(topology.name(link.from)); })
      .show("to", [&](const Link& link) { return printable(topology.name(link.to)); })
      .field("from_node", &Link::from)
      .field("to_node", &Link::to)
      .add("link", "class", [](const Link& link) { return platform::name(link.figures.kind); });
  add_figures(columns,
              [](const Link& link) { return format_bandwidth(Bandwidth(link.capacity())); });
  return columns;
}

void state_route(report::Answer& answer, const TopologyAnswer& fabric) {
  if (!fabric.route) return;
  const study::FabricRoute& route = *fabric.route;
  std::vector<Link> links;
  std::vector<std::string> names;
  for (const platform::RouteLink& step : route.steps) {
    links.push_back(fabric.topology.link(step.link));
    names.push_back(fabric.topology.link_name(step.link));
  }
  const std::string others =
      route.choices == 1
          ? std::string("no other has equal hops and bandwidth")
          : fmt::format("one of {} with equal hops and bandwidth", count(route.choices));
  answer.heading(fmt::format("Route ({}; {}):", fabric.policy, others));
  answer.table("", links, link_columns(fabric.topology));
  answer.list("route", names).field("routes", route.choices);
}

/// Every node, and for programs every link.
void state_graph(report::Answer& answer, const TopologyAnswer& fabric) {
  const Topology& topology = fabric.topology;
  std::vector<std::uint32_t> ranks(topology.node_count(), Topology::kNoRank);
  for (std::uint32_t rank = 0; rank < fabric.rank_devices.size(); ++rank)
    ranks[fabric.rank_devices[rank]] = rank;
  std::vector<NodeIndex> nodes(topology.node_count());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  const auto value = [](std::uint32_t number, std::uint32_t none) {
    return number == none ? report::Value().shown("") : id_value(number);
  };
  report::Columns<NodeIndex> columns;
  columns.add("node", "name", [&](NodeIndex node) { return topology.name(node); })
      .add("class", "class", [&](NodeIndex node) { return platform::name(topology.kind(node)); })
      .add("host", "host",
           [&](NodeIndex node) { return value(topology.host(node), Topology::kNoHost); })
      .omit_null()
      .add("rank", "", [&](NodeIndex node) { return value(ranks[node], Topology::kNoRank); })
      .add("links", "", [&](NodeIndex node) {
        const auto [first, last] = topology.out(node);
        return value(last - first, Topology::kNoRank);
      });
  answer.object("graph", [&] {
    answer.table("node_list", nodes, columns);
    answer.rows("link_list", topology.links(), link_columns(topology));
  });
}

}  // namespace

void state_topology(report::Answer& answer, const TopologyAnswer& fabric, bool nodes,
                    const Findings& findings) {
  const TopologyMetrics& facts = fabric.facts;
  const std::string& name = fabric.topology.name();
  const std::string& origin = fabric.topology.origin();
  answer.label_width(16).title(fmt::format("{} ({})", printable(name), printable(origin)));
  answer.field("name", name).field("origin", origin);
  state_nodes(answer, facts);
  answer.field("hosts", facts.hosts);
  answer.row("ranks", "ranks", fabric.rank_devices.size(), ranks_text(fabric));
  if (fabric.rank_devices.size() > 1)
    answer.line("diameter",
                fmt::format("{}{} hops{}", facts.sampled ? "at least " : "", facts.diameter,
                            facts.farthest ? ", " + format_time(*facts.farthest) : ""));
  answer.field("diameter_hops", facts.diameter).field("sampled", facts.sampled);
  answer.optional_field("diameter_ns", facts.farthest).field("connected", facts.connected);
  state_bandwidths(answer, fabric);
  state_oversubscription(answer, facts);
  answer.findings(findings);
  answer.table("links_by_class", facts.links, group_columns(),
               {.limit = 12, .rest = "more kinds (--json)"});
  state_route(answer, fabric);
  if (nodes) state_graph(answer, fabric);
  std::string warnings;
  for (const std::string& warning : fabric.warnings)
    warnings += answer.style().warn(printable(warning)) + "\n";
  answer.block(warnings).list("warnings", fabric.warnings);
}

}  // namespace orrery::present
