// SPDX-License-Identifier: Apache-2.0
//
// Builds a graph from converted nodes without writing a trace file.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/decode.h"

namespace orrery::intake {

/// Accepts nodes one by one. The graph is identical to that of a written and read file.
class GraphSink {
 public:
  /// `where` names the rank in errors and findings.
  GraphSink(std::string where, std::shared_ptr<StringPool> strings,
            std::shared_ptr<graph::KernelTable> kernels, Findings& findings);

  /// Approximate number of nodes and edges that follow.
  void reserve(std::size_t nodes, std::size_t edges) { builder_.reserve(nodes, edges); }
  void set_metadata(const trace::chakra::MetadataRecord& metadata);
  [[nodiscard]] Result<void> add(const trace::chakra::NodeRecord& record);
  /// Errc: as GraphBuilder::finish.
  [[nodiscard]] Result<graph::Graph> finish() &&;

 private:
  std::string where_;
  Findings& findings_;
  trace::chakra::DecodeContext context_;
  trace::chakra::NodeDecoder decoder_;
  graph::GraphBuilder builder_;
  graph::NodeSpec node_;
};

}  // namespace orrery::intake
