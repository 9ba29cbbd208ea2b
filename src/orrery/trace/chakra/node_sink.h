// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/reader.h"

namespace orrery::trace::chakra {

/// Adds decoded nodes to a builder, after the checks that all encodings share.
class NodeSink {
 public:
  NodeSink(const ReadOptions& options, Findings& findings);

  /// The table that NodeSpec::kernel refers to.
  [[nodiscard]] graph::KernelTable& kernels() { return builder_.kernels(); }
  [[nodiscard]] bool empty() const { return builder_.size() == 0; }
  /// Counts a record that is dropped. Errc: limit_exceeded, so that an endless file of damaged
  /// records ends.
  Result<void> drop(FindingCode why, const std::string& place);
  /// Errc: input_duplicate_id (two consecutive nodes with one id), input_group, limit_exceeded.
  Result<void> add(const graph::NodeSpec& node, std::string_view input_values);
  /// Reserves memory for the remaining nodes: `seen` of `total` bytes have been read.
  void expect(std::uint64_t seen, std::uint64_t total);
  /// Errc: input_empty, and as GraphBuilder::finish.
  Result<graph::Graph> finish() &&;

 private:
  Result<void> add_groups(const graph::NodeSpec& node, std::string_view input_values);
  [[nodiscard]] std::string place(const graph::NodeSpec& node) const;

  const ReadOptions& options_;
  Findings& findings_;
  graph::GraphBuilder builder_;
  std::uint64_t last_id_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace orrery::trace::chakra
