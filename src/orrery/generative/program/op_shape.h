// SPDX-License-Identifier: Apache-2.0
//
// What a node does, without its sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/graph.h"

namespace orrery::generative {

/// The part of a node that all its occurrences share. A node is a shape and numbers (`OpValues`).
struct OpShape {
  std::string stem;  ///< name without layer and microbatch: "mlp_up.dgrad"
  graph::NodeKind kind = graph::NodeKind::invalid;
  std::uint16_t flags = 0;  ///< graph::NodeFlag bits
  bool has_duration = false;
  std::string group;  ///< collectives: the axis of the group, "tp"
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  graph::Format format = graph::Format::unsaid;
  std::uint8_t transport = 0;           ///< collectives: ExpertExchange::packed_transport
  std::optional<graph::Kernel> kernel;  ///< each size is 1 if the kernel states it, else 0
  bool has_kernel_counts = false;       ///< the kernel's FLOPs and bytes differ from the node's

  friend bool operator==(const OpShape&, const OpShape&) = default;
};

/// Numbers of a node, in this order. Work: operations, bytes, the stated sizes of the kernel, its
/// launches (of the device, the framework, loops), its own FLOPs and bytes if they differ.
/// Collectives: bytes, root; with a transport:
/// experts, bytes of a token, experts of a token. Messages: bytes, distance to the peer, tag
/// without the microbatch. Last, if the shape has one: the duration in picoseconds.
using OpValues = std::vector<std::int64_t>;

/// Number of values of a node of this shape.
[[nodiscard]] std::size_t value_count(const OpShape& shape);

/// Indices of the values that kernel sizes occupy; empty without a kernel.
struct SizeRange {
  std::size_t first = 0;
  std::size_t count = 0;
};
[[nodiscard]] SizeRange kernel_sizes(const OpShape& shape);

/// One line that parse_shape() reads.
[[nodiscard]] std::string to_text(const OpShape& shape);
/// Parses the result of to_text(); nullopt for any other text.
[[nodiscard]] std::optional<OpShape> parse_shape(std::string_view text);

/// A name, split: "mlp_up L12 mb3" is mlp_up of microbatch 3.
struct SplitName {
  std::string_view stem;
  std::int64_t microbatch = -1;  ///< -1: the name has none
};
[[nodiscard]] SplitName split_name(std::string_view name);

/// Shape and values of a node. `group`: the axis of its process group (collectives). `rank`: the
/// rank that executes it. Errc: input_unsupported for nodes that a shape cannot represent:
/// metadata, shares of buffers, collectives with dimensions or a priority.
struct ReadOp {
  OpShape shape;
  OpValues values;
};
[[nodiscard]] Result<ReadOp> read_op(const graph::Graph& graph, graph::NodeId node,
                                     std::string_view group, std::uint32_t rank,
                                     std::int64_t microbatch);

/// Fills everything of `node` except id and dependencies. Peers are distances
/// (graph::kPeerRelative). `microbatch`: -1 for nodes outside of microbatches.
void write_op(const OpShape& shape, std::span<const std::int64_t> values, std::int64_t microbatch,
              StringPool& pool, graph::KernelTable& kernels, graph::NodeSpec& node);

}  // namespace orrery::generative
