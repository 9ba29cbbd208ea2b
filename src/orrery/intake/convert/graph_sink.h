// SPDX-License-Identifier: Apache-2.0
//
// Nodes of a trace that was never written, as a graph.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/decode.h"

namespace orrery::intake {

/// Takes one node after the other. The graph is what reading their file would give.
class GraphSink {
 public:
  /// `where` names the rank in errors and findings.
  GraphSink(std::string where, std::shared_ptr<StringPool> strings,
            std::shared_ptr<graph::KernelTable> kernels, Findings& findings);

  /// So many will come, about.
  void expect(std::size_t nodes, std::size_t edges) { builder_.expect(nodes, edges); }
  void take(const trace::chakra::MetadataRecord& metadata);
  [[nodiscard]] Result<void> add(const trace::chakra::NodeRecord& record);
  /// Errc: as GraphBuilder::finish.
  [[nodiscard]] Result<graph::Graph> finish() &&;

 private:
  std::string where_;
  Findings& findings_;
  trace::chakra::Decoding decoding_;
  trace::chakra::NodeDecoder decoder_;
  graph::GraphBuilder builder_;
  graph::NodeSpec node_;
};

}  // namespace orrery::intake
