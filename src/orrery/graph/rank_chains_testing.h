// SPDX-License-Identifier: Apache-2.0
//
// Workloads for tests: on each rank, every node waits for the previous one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Builds chains of nodes, one per rank.
class RankChains {
 public:
  using Fill = std::function<void(std::uint32_t rank, RankChains&)>;

  static Workload workload(std::uint32_t ranks, const Fill& fill) {
    Workload made;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      RankChains chain;
      fill(rank, chain);
      Findings findings;
      auto graph = std::move(chain.builder_).finish(findings);
      EXPECT_TRUE(graph.has_value());
      made.graph_of_rank.push_back(rank);
      made.files.push_back("w." + std::to_string(rank) + ".et");
      made.graphs.push_back(std::make_shared<const Graph>(*std::move(graph)));
    }
    return made;
  }

  void work(const std::string& name) {
    add(NodeKind::comp, name, [](NodeSpec&) {});
  }
  void message(NodeKind kind, std::uint32_t rank, std::uint32_t peer) {
    add(kind, "message", [&](NodeSpec& node) {
      node.flags = kHasSrc | kHasDst | kHasTag | kHasCommSize;
      node.message.size = Bytes(100);
      node.message.src = static_cast<std::int32_t>(kind == NodeKind::send ? rank : peer);
      node.message.dst = static_cast<std::int32_t>(kind == NodeKind::send ? peer : rank);
      node.message.tag = 5;
    });
  }
  void collective(CollectiveType type, const std::string& group, std::int64_t size) {
    add(NodeKind::coll, "collective", [&](NodeSpec& node) {
      node.flags = kHasCommType | kHasCommSize;
      node.collective.type = type;
      node.collective.size = Bytes(size);
      node.collective.group = strings_->intern(group);
    });
  }

 private:
  template <class Set>
  void add(NodeKind kind, const std::string& name, const Set& set) {
    NodeSpec node;
    node.id = next_++;
    node.kind = kind;
    node.duration = Time(1'000);
    node.name = strings_->intern(name);
    if (node.id > 0) {
      node.deps = {node.id - 1};
      node.notes = {{node.id - 1, Time(10), DependencyKind::stream}};
    }
    set(node);
    builder_.add(node);
  }

  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  GraphBuilder builder_{"chain", strings_, Repair::refuse};
  std::uint64_t next_ = 0;
};

}  // namespace orrery::graph
