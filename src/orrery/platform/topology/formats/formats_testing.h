// SPDX-License-Identifier: Apache-2.0
//
// What tests of fabrics' readers share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::platform::formats_testing {

/// What became of a text.
struct Reading {
  explicit Reading(std::string_view text) : topology(read_topology(text, "f", findings)) {}

  /// "f:3: what (E2003)", without the hint; "read": there was none.
  [[nodiscard]] std::string error() const {
    if (topology) return "read";
    const std::string all = to_string(topology.error());
    return all.substr(0, all.find('\n'));
  }
  [[nodiscard]] NodeIndex node(std::string_view name) const {
    for (NodeIndex i = 0; i < topology->node_count(); ++i) {
      if (topology->name(i) == name) return i;
    }
    ADD_FAILURE() << "no node " << name;
    return 0;
  }
  /// The only link from one to the other.
  [[nodiscard]] LinkFigures link(std::string_view from, std::string_view to) const {
    const auto [first, last] = topology->between(node(from), node(to));
    if (last != first + 1) ADD_FAILURE() << last - first << " links from " << from << " to " << to;
    return first < last ? topology->link(first).figures : LinkFigures{};
  }
  [[nodiscard]] std::size_t count(NodeClass kind) const {
    std::size_t found = 0;
    for (NodeIndex i = 0; i < topology->node_count(); ++i) found += topology->kind(i) == kind;
    return found;
  }

  Findings findings;
  Result<Topology> topology;
};

/// A text with something in it replaced.
inline std::string changed(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const std::size_t at = out.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "not there: " << from;
    return out;
  }
  return out.replace(at, from.size(), to);
}

}  // namespace orrery::platform::formats_testing
