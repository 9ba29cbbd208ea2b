// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/networks/air.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/json_text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/switch_tiers.h"

namespace orrery::platform {
namespace {

using config::Json;

bool is_switch_of_air(std::string_view name, const Json& node) {
  if (mentions_any(text_at(node, "os"),
                   {"cumulus", "sonic", "nvos", "onyx", "nxos", "eos", "junos"}))
    return true;
  const std::string role = text_at(node, "function");
  const std::string_view word = role.empty() ? name : std::string_view(role);
  return mentions_any(word, {"leaf", "spine", "switch", "tor", "core", "exit", "border"}) &&
         !mentions_any(word, {"server", "host", "storage"});
}

/// The node at an end of a link; empty: it is outside ("unconnected", a plain word).
std::string node_at_end(const Json& end) {
  if (end.is_string()) {
    const std::string text = end.get<std::string>();
    const std::size_t colon = text.find(':');
    return colon == std::string::npos ? std::string() : text.substr(0, colon);
  }
  return end.is_object() ? text_at(end, "node") : std::string();
}

}  // namespace

Result<Topology> read_air(const Json& file, const std::string& where, Findings& findings) {
  const bool wrapped = file.contains("content");
  const Json& content = wrapped ? file["content"] : file;
  const std::string base = where + (wrapped ? ":/content" : ":");
  if (!content.is_object() || !content.contains("nodes") || !content["nodes"].is_object())
    return fail(Errc::input_missing_attr, base + "/nodes", "contains no nodes",
                "export the topology of a simulation as JSON");
  if (!content.contains("links") || !content["links"].is_array())
    return fail(Errc::input_missing_attr, base + "/links", "contains no list of links",
                "export the topology of a simulation as JSON");
  const std::string title = text_at(file, "name");
  TopologyBuilder builder(title.empty() ? "Air topology" : title, "NVIDIA Air");
  std::map<std::string, NodeIndex, std::less<>> nodes;
  for (const auto& [name, node] : content["nodes"].items()) {
    const bool is_switch = is_switch_of_air(name, node);
    const bool is_firewall = mentions(name, "firewall") || name.starts_with("fw");
    const NodeIndex index = builder.add(is_switch     ? NodeClass::switched
                                        : is_firewall ? NodeClass::other
                                                      : NodeClass::device,
                                        name);
    if (!is_switch) builder.set_host(index, builder.add_host());
    if (!is_switch)
      findings.add(FindingCode::fabric_class_guessed, where + ": " + printable(name, kShownBytes));
    nodes.emplace(name, index);
  }
  std::size_t number = 0;
  for (const Json& link : content["links"]) {
    const std::string place = fmt::format("{}/links/{}", base, number++);
    if (!link.is_array() || link.size() != 2)
      return fail(Errc::input_corrupt, place, "a link must have two ends",
                  "write each end as {interface: ..., node: ...}");
    const auto a = nodes.find(node_at_end(link[0])), b = nodes.find(node_at_end(link[1]));
    if (a == nodes.end() || b == nodes.end() || a == b) {
      findings.add(FindingCode::fabric_link_dropped, place);
      continue;
    }
    builder.join(a->second, b->second, {Bandwidth(0), std::nullopt, 1, LinkClass::network});
  }
  if (content.contains("oob") && content["oob"].is_object())
    findings.add(FindingCode::fabric_part_ignored, base + "/oob: the management network");
  assign_tiers(builder);
  return builder.finish(where);
}

}  // namespace orrery::platform
