// SPDX-License-Identifier: Apache-2.0
//
// Builds the graph of one rank from sends, receives, waits and computation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/builder.h"

namespace orrery::intake {

/// One rank, node by node. Sends do not wait for each other, also those to one receiver: they have
/// a stream of their own whose work overlaps (graph::Lane::row).
class MessageGraph {
 public:
  /// Ids of nodes.
  using Deps = std::vector<std::uint64_t>;

  /// `where` names the rank in errors.
  MessageGraph(const std::string& where, std::shared_ptr<StringPool> strings)
      : builder_(where, std::move(strings), graph::Repair::refuse) {}

  void send(std::uint64_t id, std::uint32_t to, Bytes size, std::uint32_t tag, Deps deps,
            std::string_view name = "send");
  void receive(std::uint64_t id, std::uint32_t from, Bytes size, std::uint32_t tag, Deps deps,
               std::string_view name = "recv");
  /// Time in which the rank does nothing.
  void wait(std::uint64_t id, Time duration, Deps deps);
  /// Computation on one of several processors, one after another on each.
  void compute(std::uint64_t id, Time duration, std::uint32_t processor, Deps deps,
               std::string_view name = "calc");
  /// Takes no time.
  void joint(std::uint64_t id, Deps deps, std::string_view name = "joint");

  /// Errc: as GraphBuilder::finish.
  [[nodiscard]] Result<graph::Graph> finish(Findings& findings) && {
    return std::move(builder_).finish(findings);
  }

 private:
  graph::NodeSpec& start(std::uint64_t id, graph::NodeKind kind, std::string_view name, Deps deps);
  void add_message(std::uint64_t id, graph::NodeKind kind, std::uint32_t peer, Bytes size,
                   std::uint32_t tag, Deps deps, std::string_view name);

  graph::GraphBuilder builder_;
  graph::NodeSpec node_;
};

/// The graph of a rank that does nothing: a node that takes no time, because a trace has nodes.
[[nodiscard]] Result<graph::Graph> idle_graph(const std::string& where,
                                              std::shared_ptr<StringPool> strings);

}  // namespace orrery::intake
