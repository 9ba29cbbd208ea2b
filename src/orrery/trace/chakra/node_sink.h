// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/reader.h"

namespace orrery::trace::chakra {

/// Where decoded nodes go: into a builder, after the checks that all encodings share.
class NodeSink {
 public:
  NodeSink(const ReadOptions& options, Findings& findings);

  /// Where NodeSpec::kernel is a number in.
  [[nodiscard]] graph::KernelTable& kernels() { return builder_.kernels(); }
  [[nodiscard]] bool empty() const { return builder_.size() == 0; }
  /// Errc: input_duplicate_id (two in a row), input_group, limit_exceeded.
  Result<void> add(const graph::NodeSpec& node, std::string_view input_values);
  /// Makes room for the rest, given that `seen` of `total` bytes have become the nodes there are.
  void expect(std::uint64_t seen, std::uint64_t total);
  /// Errc: input_empty and what GraphBuilder::finish says.
  Result<graph::Graph> finish() &&;

 private:
  Result<void> take_groups(const graph::NodeSpec& node, std::string_view input_values);
  [[nodiscard]] std::string place(const graph::NodeSpec& node) const;

  const ReadOptions& options_;
  Findings& findings_;
  graph::GraphBuilder builder_;
  std::uint64_t last_id_ = 0;
};

}  // namespace orrery::trace::chakra
