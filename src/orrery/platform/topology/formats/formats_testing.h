// SPDX-License-Identifier: Apache-2.0
//
// What tests of fabrics' readers share.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "orrery/core/text/text.h"
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

inline void expect_survives(std::string_view text) {
  Findings findings;
  const auto read = read_topology(text, "damaged", findings);
  if (read) return;
  std::size_t bad = 0;
  EXPECT_TRUE(is_utf8(to_string(read.error()), bad)) << to_string(read.error());
  EXPECT_TRUE(read.error().where.starts_with("damaged")) << read.error().where;
  EXPECT_FALSE(read.error().what.empty());
  EXPECT_LT(to_string(read.error()).size(), 1000U);
}

/// A small file, cut everywhere and with every byte changed, ends in an error that states where and
/// what, or in another fabric; never in a crash or a hang.
inline void expect_survives_damage(std::string_view text) {
  const auto start = std::chrono::steady_clock::now();
  Findings findings;
  const auto read = read_topology(text, "whole", findings);
  EXPECT_TRUE(read) << to_string(read.error());
  for (std::size_t i = 0; i < text.size(); ++i) {
    expect_survives(text.substr(0, i));
    for (const char byte : {'\0', '\xff', '9', ' ', '\n', '[', '<', '-'}) {
      std::string damaged(text);
      damaged[i] = byte;
      expect_survives(damaged);
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1)) << "hangs";
}

}  // namespace orrery::platform::formats_testing
