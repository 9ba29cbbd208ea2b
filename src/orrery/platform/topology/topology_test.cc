// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/topology.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace orrery::platform {
namespace {

LinkFigures figures(double rate, std::int64_t latency_ns) {
  return {Bandwidth(rate), ns(latency_ns), 1, LinkClass::network};
}

TEST(Topology, LinksAreOrderedByTheirEnds) {
  TopologyBuilder builder("small", "test");
  const NodeIndex a = builder.add(NodeClass::device, "a"), b = builder.add(NodeClass::device, "b");
  const NodeIndex s = builder.add(NodeClass::leaf, "s");
  builder.join(b, s, figures(1e9, 500));
  builder.join(a, s, figures(2e9, 600));
  builder.join(a, s, figures(3e9, 600));
  builder.link(a, b, figures(4e9, 100));
  const auto made = builder.finish("small");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->link_count(), 7U);
  EXPECT_EQ(made->out(a), (std::pair<LinkIndex, LinkIndex>{0, 3}));
  EXPECT_EQ(made->between(a, s), (std::pair<LinkIndex, LinkIndex>{1, 3}));
  EXPECT_EQ(made->between(s, b), (std::pair<LinkIndex, LinkIndex>{6, 7}));
  EXPECT_EQ(made->link(2).capacity(), 3e9);
  EXPECT_EQ(made->in(s).size(), 3U);
  EXPECT_EQ(made->link_name(0), "a -> b");
  EXPECT_EQ(std::vector<NodeIndex>(made->devices().begin(), made->devices().end()),
            (std::vector<NodeIndex>{a, b}));
}

TEST(Topology, RanksAreAsStatedAndThenInOrder) {
  TopologyBuilder builder("ranks", "test");
  for (const char* name : {"x", "y", "z"}) builder.add(NodeClass::device, name);
  builder.set_rank(2, 0);
  const auto made = builder.finish("ranks");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->rank(2), 0U);
  EXPECT_EQ(made->rank(0), 1U);
  EXPECT_EQ(made->rank(1), 2U);
}

TEST(Topology, WhatCannotBeIsAnError) {
  const auto error = [](const std::function<void(TopologyBuilder&)>& spoil) {
    TopologyBuilder builder("bad", "test");
    builder.add(NodeClass::device, "a");
    builder.add(NodeClass::device, "b");
    builder.add(NodeClass::leaf, "s");
    builder.join(0, 2, figures(1e9, 1));
    spoil(builder);
    const auto made = builder.finish("bad.yaml");
    return made ? std::string() : made.error().what;
  };
  EXPECT_EQ(error([](TopologyBuilder&) {}), "");
  EXPECT_EQ(error([](TopologyBuilder& b) { b.link(1, 1, figures(1e9, 1)); }),
            "b -> b joins a node to itself");
  EXPECT_EQ(error([](TopologyBuilder& b) { b.link(1, 7, figures(1e9, 1)); }),
            "a link names a node that does not exist");
  EXPECT_EQ(error([](TopologyBuilder& b) { b.link(1, 2, figures(-1, 1)); }),
            "b -> s has an invalid bandwidth");
  EXPECT_EQ(error([](TopologyBuilder& b) { b.link(1, 2, figures(1e9, -1)); }),
            "b -> s has a negative latency");
  EXPECT_EQ(error([](TopologyBuilder& b) { b.set_rank(2, 0); }),
            "s has rank 0 but is not a device");
  EXPECT_EQ(error([](TopologyBuilder& b) { b.set_rank(1, 1); }),
            "a device has rank 1, but no device has rank 0");
  EXPECT_EQ(error([](TopologyBuilder& b) {
              b.set_rank(0, 0);
              b.set_rank(1, 0);
            }),
            "two devices have rank 0");
}

TEST(Topology, FiguresThatLackAreNamed) {
  TopologyBuilder builder("open", "test");
  builder.add(NodeClass::device, "a");
  builder.add(NodeClass::leaf, "s");
  builder.join(0, 1, {Bandwidth(0), std::nullopt, 1, LinkClass::network});
  const auto made = builder.finish("open.yaml");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->check_figures("open.yaml").error().what,
            "2 of 2 links have no bandwidth; the first is a -> s (network)");
  const LinkFigures rates[] = {{Bandwidth(1e9), std::nullopt, 1, LinkClass::network}};
  EXPECT_EQ(made->with_defaults(rates).check_figures("open.yaml").error().what,
            "2 of 2 links have no latency; the first is a -> s (network)");
  const LinkFigures all[] = {figures(1e9, 500)};
  EXPECT_TRUE(made->with_defaults(all).check_figures("open.yaml"));
  const LinkFigures others[] = {{Bandwidth(1e9), ns(1), 1, LinkClass::pcie}};
  EXPECT_FALSE(made->with_defaults(others).check_figures("open.yaml"));
}

}  // namespace
}  // namespace orrery::platform
