// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/topology_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using platform::Link;
using platform::LinkIndex;
using platform::MetricRange;
using platform::NodeClass;
using platform::NodeIndex;
using platform::Topology;
using platform::TopologyMetrics;
using report::JsonWriter;
using study::TopologyAnswer;

namespace {

/// `open`: some links that it counts do not state theirs.
std::string rate_text(const MetricRange& range, bool open, std::string_view about) {
  if (open && range.maximum == 0) return "not stated";
  const std::string minimum = format_bandwidth(Bandwidth(range.minimum));
  return fmt::format("{}{}{}{}", open ? "at least " : "", minimum,
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

std::string nodes_text(const TopologyMetrics& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.nodes.size(); ++i) {
    if (facts.nodes[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", facts.nodes[i],
                        platform::name(static_cast<NodeClass>(i)));
  }
  return text;
}

std::string links_text(const TopologyMetrics& facts, report::Style style) {
  report::Table table({{"links"}, {"number", true}, {"bandwidth", true}, {"latency", true}});
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < std::min(kMost, facts.links.size()); ++i) {
    const platform::LinkGroup& one = facts.links[i];
    const std::string bundle =
        one.figures.count > 1 ? fmt::format("{} x ", one.figures.count) : std::string();
    table.row({std::string(platform::name(one.figures.kind)), fmt::format("{}", one.links),
               one.figures.bandwidth.count() > 0 ? bundle + format_bandwidth(one.figures.bandwidth)
                                                 : "not stated",
               one.figures.latency ? format_time(*one.figures.latency) : "not stated"});
  }
  std::string text = table.text(style);
  if (facts.links.size() > kMost)
    text += fmt::format("and {} more kinds (--json)\n", facts.links.size() - kMost);
  return text;
}

/// "8 on each of 16 hosts, in order", or how many hosts there are.
std::string seats_text(const TopologyAnswer& answer) {
  const Topology& topology = answer.topology;
  const MetricRange& each = answer.facts.devices_per_host;
  if (answer.rank_devices.empty()) return "none";
  if (each.maximum == 0) return fmt::format("{}, one on each device", answer.rank_devices.size());
  bool in_order = true;
  for (std::size_t rank = 1; rank < answer.rank_devices.size(); ++rank) {
    const auto before = topology.host(answer.rank_devices[rank - 1]);
    in_order &= topology.host(answer.rank_devices[rank]) >= before;
  }
  const std::string on = each.minimum == each.maximum
                             ? fmt::format("{} on each host", each.minimum)
                             : fmt::format("{} to {} on a host", each.minimum, each.maximum);
  return fmt::format("{}: {}, {}", answer.rank_devices.size(), on,
                     in_order ? "host by host" : "across hosts");
}

std::string way_text(const TopologyAnswer& answer, report::Style style) {
  const study::FabricRoute& way = *answer.way;
  report::Table table({{"from"}, {"to"}, {"link"}, {"bandwidth", true}, {"latency", true}});
  for (const platform::RouteLink& step : way.steps) {
    const Link& link = answer.topology.link(step.link);
    table.row({printable(answer.topology.name(link.from)), printable(answer.topology.name(link.to)),
               std::string(platform::name(link.figures.kind)),
               link.capacity() > 0 ? format_bandwidth(Bandwidth(link.capacity())) : "not stated",
               link.figures.latency ? format_time(*link.figures.latency) : "not stated"});
  }
  const std::string others =
      way.choices == 1 ? std::string("no other is as short and wide")
                       : fmt::format("one of {} that are as short and wide", count(way.choices));
  return fmt::format("\nThe way ({}; {}):\n{}", answer.policy, others, table.text(style));
}

std::string all_nodes(const TopologyAnswer& answer, report::Style style) {
  report::Table table({{"node"}, {"class"}, {"host", true}, {"rank", true}, {"links", true}});
  const Topology& topology = answer.topology;
  std::vector<std::uint32_t> ranks(topology.node_count(), Topology::kNoRank);
  for (std::uint32_t rank = 0; rank < answer.rank_devices.size(); ++rank)
    ranks[answer.rank_devices[rank]] = rank;
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    const auto [first, last] = topology.out(node);
    table.row(
        {printable(topology.name(node)), std::string(platform::name(topology.kind(node))),
         topology.host(node) == Topology::kNoHost ? "" : fmt::format("{}", topology.host(node)),
         ranks[node] == Topology::kNoRank ? "" : fmt::format("{}", ranks[node]),
         fmt::format("{}", last - first)});
  }
  return "\n" + table.text(style);
}

}  // namespace

std::string topology_text(const TopologyAnswer& answer, bool nodes, const Findings& findings,
                          report::Style style) {
  const TopologyMetrics& facts = answer.facts;
  report::Sheet sheet(style, 16);
  sheet.line(style.strong(fmt::format("{} ({})", printable(answer.topology.name()),
                                      printable(answer.topology.origin()))));
  sheet.add("nodes", nodes_text(facts));
  sheet.add("ranks", seats_text(answer));
  if (answer.rank_devices.size() > 1)
    sheet.add("diameter",
              fmt::format("{}{} hops{}", facts.sampled ? "at least " : "", facts.diameter,
                          facts.farthest ? ", " + format_time(*facts.farthest) : ""));
  if (!answer.rank_devices.empty())
    sheet.add("per device",
              rate_text(facts.device_bandwidth, facts.device_unknown, " over all its links"));
  if (facts.host_bandwidth.maximum > 0 || facts.host_unknown)
    sheet.add(facts.devices_per_host.maximum > 0 ? "out of a host" : "into network",
              rate_text(facts.host_bandwidth, facts.host_unknown, " for each device"));
  if (facts.bisection)
    sheet.add("bisection", rate_text({*facts.bisection, *facts.bisection}, facts.any_unknown,
                                     " from the first half of ranks to the second"));
  if (facts.leaf_oversubscription)
    sheet.add("oversubscribed", "leaves " + ratio_text(*facts.leaf_oversubscription) +
                                    (facts.spine_oversubscription
                                         ? ", spines " + ratio_text(*facts.spine_oversubscription)
                                         : ""));
  report::add_findings(sheet, findings, style);
  std::string text = sheet.text() + "\n" + links_text(facts, style);
  if (answer.way) text += way_text(answer, style);
  if (nodes) text += all_nodes(answer, style);
  if (!answer.warnings.empty()) text += "\n";
  for (const std::string& warning : answer.warnings) text += style.warn(printable(warning)) + "\n";
  return text;
}

namespace {

void write_range(JsonWriter& json, std::string_view key, const MetricRange& range) {
  json.key(key).begin_array().value(range.minimum).value(range.maximum).end_array();
}

void write_link(JsonWriter& json, const platform::LinkFigures& figures) {
  json.field("class", platform::name(figures.kind))
      .field("bandwidth_bytes_per_s", figures.bandwidth.count());
  json.field("parallel_links", std::uint64_t{figures.count});
  if (figures.latency) json.nanoseconds("latency", *figures.latency);
}

void write_graph(JsonWriter& json, const TopologyAnswer& answer) {
  const Topology& topology = answer.topology;
  json.key("graph").begin_object().key("node_list").begin_array();
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    json.begin_object().field("name", std::string_view(topology.name(node)));
    json.field("class", platform::name(topology.kind(node)));
    if (topology.host(node) != Topology::kNoHost)
      json.field("host", std::uint64_t{topology.host(node)});
    json.end_object();
  }
  json.end_array().key("link_list").begin_array();
  for (const Link& link : topology.links()) {
    json.begin_object().field("from_node", std::uint64_t{link.from});
    json.field("to_node", std::uint64_t{link.to});
    write_link(json, link.figures);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string topology_json(const TopologyAnswer& answer, bool nodes, const Findings& findings) {
  return report::envelope("topology", findings, [&](JsonWriter& json) {
    const TopologyMetrics& facts = answer.facts;
    json.begin_object().field("name", std::string_view(answer.topology.name()));
    json.field("origin", std::string_view(answer.topology.origin()));
    json.key("nodes_by_class").begin_object();
    for (std::size_t i = 0; i < facts.nodes.size(); ++i) {
      if (facts.nodes[i] > 0)
        json.field(platform::name(static_cast<NodeClass>(i)), std::uint64_t{facts.nodes[i]});
    }
    json.end_object().key("links_by_class").begin_array();
    for (const platform::LinkGroup& one : facts.links) {
      json.begin_object().field("links", std::uint64_t{one.links});
      write_link(json, one.figures);
      json.end_object();
    }
    json.end_array().field("hosts", std::uint64_t{facts.hosts});
    json.field("ranks", std::uint64_t{answer.rank_devices.size()});
    json.field("diameter_hops", std::uint64_t{facts.diameter}).field("sampled", facts.sampled);
    if (facts.farthest) json.nanoseconds("diameter", *facts.farthest);
    json.field("connected", facts.connected);
    json.key("at_least").begin_array();  // some of their links do not state what they carry
    if (facts.device_unknown) json.value(std::string_view("device_bandwidth_bytes_per_s"));
    if (facts.host_unknown) json.value(std::string_view("host_bandwidth_bytes_per_s"));
    if (facts.any_unknown && facts.bisection) json.value(std::string_view("bisection_bytes_per_s"));
    json.end_array();
    write_range(json, "device_bandwidth_bytes_per_s", facts.device_bandwidth);
    write_range(json, "host_bandwidth_bytes_per_s", facts.host_bandwidth);
    if (facts.bisection) json.field("bisection_bytes_per_s", *facts.bisection);
    if (facts.leaf_oversubscription)
      write_range(json, "leaf_oversubscription_ratios", *facts.leaf_oversubscription);
    if (facts.spine_oversubscription)
      write_range(json, "spine_oversubscription_ratios", *facts.spine_oversubscription);
    json.key("warnings").begin_array();
    for (const std::string& warning : answer.warnings) json.value(std::string_view(warning));
    json.end_array();
    if (answer.way) {
      json.key("route").begin_array();
      for (const platform::RouteLink& step : answer.way->steps)
        json.value(std::string_view(answer.topology.link_name(step.link)));
      json.end_array().field("routes", answer.way->choices);
    }
    if (nodes) write_graph(json, answer);
    json.end_object();
  });
}

}  // namespace orrery::present
