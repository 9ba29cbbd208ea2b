// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/lstopo_distances.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/text.h"
#include "orrery/platform/topology/formats/reading.h"

namespace orrery::platform {
namespace {

/// All words of all children of that name.
std::vector<std::string_view> words_in(const pugi::xml_node& matrix, const char* name) {
  std::vector<std::string_view> all;
  for (const pugi::xml_node& part : matrix.children(name)) {
    Lines lines(part.child_value());
    while (lines.next()) all.insert(all.end(), lines.words().begin(), lines.words().end());
  }
  return all;
}

/// "OSDev:332" and "332" → 332.
std::optional<std::uint64_t> index_of(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  return whole_number(colon == std::string_view::npos ? word : word.substr(colon + 1));
}

Result<void> read_matrix(const pugi::xml_node& matrix, const XmlPlaces& places,
                         const std::map<std::uint64_t, NodeIndex>& by_index,
                         TopologyBuilder& builder, Findings& findings) {
  const std::vector<std::string_view> objects = words_in(matrix, "indexes");
  const std::vector<std::string_view> values = words_in(matrix, "u64values");
  const std::string place = places.of(matrix);
  if (values.size() != objects.size() * objects.size())
    return fail(Errc::input_truncated, place,
                fmt::format("a matrix of {} objects has {} values", objects.size(), values.size()));
  std::vector<NodeIndex> nodes;
  for (const std::string_view word : objects) {
    const auto index = index_of(word);
    const auto known = index ? by_index.find(*index) : by_index.end();
    nodes.push_back(known == by_index.end() ? builder.node_count() : known->second);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::string_view word = values[i * nodes.size() + k];
      const auto value = whole_number(word);
      if (!value || *value > 1'000'000'000'000)
        return fail(Errc::input_corrupt, place,
                    fmt::format("{} is no bandwidth in MB/s", in_quotes(word)));
      if (*value == 0 || i == k) continue;
      if (nodes[i] == builder.node_count() || nodes[k] == builder.node_count() ||
          nodes[i] == nodes[k]) {
        findings.add(FindingCode::fabric_link_dropped, place);
        continue;
      }
      builder.link(
          nodes[i], nodes[k],
          {Bandwidth(static_cast<double>(*value) * 1e6), std::nullopt, 1, LinkClass::scale_up});
    }
  }
  return {};
}

}  // namespace

Result<void> read_lstopo_distances(const pugi::xml_node& topology, const XmlPlaces& places,
                                   const std::map<std::uint64_t, NodeIndex>& by_index,
                                   TopologyBuilder& builder, Findings& findings) {
  for (const pugi::xml_node& child : topology.children()) {
    const std::string_view name = child.name();
    if (name != "distances2" && name != "distances2hetero") continue;
    if (!mentions(attribute(child, "name"), "bandwidth") ||
        mentions(attribute(child, "name"), "numa"))
      continue;
    if (name == "distances2" && attribute(child, "indexing") == "os") continue;
    if (auto done = read_matrix(child, places, by_index, builder, findings); !done) return done;
  }
  return {};
}

}  // namespace orrery::platform
