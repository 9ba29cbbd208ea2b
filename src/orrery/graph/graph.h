// SPDX-License-Identifier: Apache-2.0
//
// What one rank does, as an immutable DAG stored in columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/core/collective_type.h"
#include "orrery/core/dependency_kind.h"
#include "orrery/core/quantity.h"
#include "orrery/core/step_scope.h"
#include "orrery/core/strings.h"
#include "orrery/graph/expert_exchange.h"
#include "orrery/graph/kernel.h"

namespace orrery::graph {

/// Index of a node in its Graph: 0 … size()-1, in ascending order of the trace's own ids.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

/// Chakra's node types (schema 0.0.3 and later), in its numbering.
enum class NodeKind : std::uint8_t {
  invalid,
  metadata,
  mem_load,
  mem_store,
  comp,
  send,
  recv,
  coll
};

using orrery::CollectiveType;
using orrery::name;

/// Whether its nodes have a Work.
[[nodiscard]] constexpr bool is_work(NodeKind kind) {
  return kind == NodeKind::comp || kind == NodeKind::mem_load || kind == NodeKind::mem_store;
}
[[nodiscard]] std::string_view name(NodeKind kind);

/// What a collective among `members` is said to be of, everywhere: the whole buffer, the larger of
/// what one rank puts in and what it gets (NVIDIA nccl-tests, doc/PERFORMANCE.md). Nodes state it
/// but for all-gathers, of which they state the shard that each rank contributes.
[[nodiscard]] Bytes full_buffer(CollectiveType type, Bytes stated, std::uint64_t members);

/// Which attributes a node's record carried (a default is not the same as a value).
enum NodeFlag : std::uint16_t {
  kIsCpu = 1u << 0,  ///< attribute is_cpu_op is true
  kHasNumOps = 1u << 1,
  kHasTensorSize = 1u << 2,
  kHasCommType = 1u << 3,
  kHasCommSize = 1u << 4,
  kHasSrc = 1u << 5,
  kHasDst = 1u << 6,
  kHasTag = 1u << 7,
  kHasDims = 1u << 8,  ///< attribute involved_dim
  kHasPriority = 1u << 9,
  kHasCpuAttr = 1u << 10,  ///< attribute is_cpu_op, whatever its value
  kHasTensors = 1u << 11,  ///< attributes inputs and outputs (see Graph::tensors)
  kIsCopy = 1u << 13,      ///< attribute is_copy: a device's copy or memset, which computes nothing
  kIsComm = 1u << 14,      ///< attribute is_comm: communicates, nobody knows what
  kIsWait = 1u << 15,      ///< attribute is_wait: stands for time in which nothing is done
  kPeerRelative = 1u << 12,  ///< src and dst of a message are distances from the rank's own number
};

/// What an edge of a recorded trace is when nothing is said.
[[nodiscard]] constexpr DependencyKind default_dependency_kind(bool from_host, bool to_host) {
  if (to_host) return from_host ? DependencyKind::thread : DependencyKind::sync;
  return from_host ? DependencyKind::launch : DependencyKind::stream;
}

/// Where a node was recorded to run: one after the other on a thread of the host or a stream of a
/// device.
struct Lane {
  std::int64_t id = 0;      ///< of the thread, or of the stream on its device
  std::int32_t device = 0;  ///< 0 for threads
  std::uint16_t row = 0;    ///< 1, 2 …: runs beside what the stream does at that time
  bool host = false;

  friend auto operator<=>(const Lane&, const Lane&) = default;
};
inline constexpr std::uint32_t kNoLane = ~std::uint32_t{0};

/// What a compute or memory node does.
struct Work {
  std::int64_t num_ops = 0;  ///< floating-point operations as the trace counts them
  Bytes tensor_size{};       ///< bytes moved
};

/// A collective as its node states it. Sizes: all_gather = bytes contributed per rank; others = the
/// full input buffer.
struct Collective {
  Bytes size{};
  StringId group = StringId::empty;  ///< attribute pg_name; empty = all ranks
  std::int32_t priority = 0;
  std::int32_t root = 0;
  std::uint32_t dims_mask = ~0u;  ///< bit d: dimension d takes part (without kHasDims: dims 0-3)
  std::uint8_t dims_count = 0;    ///< length of involved_dim
  CollectiveType type = CollectiveType::all_reduce;
  ExpertExchange exchange;          ///< what an all-to-all of tokens is done by
  Format numbers = Format::unsaid;  ///< that are sent, and summed
};
static_assert(sizeof(Collective) == 40);

/// A send or a receive as its node states it; kHasSrc, kHasDst, kHasTag, kHasCommSize say what was
/// given. With kPeerRelative they are distances: dst = 8 is the rank eight further on.
struct PointToPoint {
  Bytes size{};  ///< of a share: its pieces; see set_share()
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::uint32_t tag = 0;
  std::uint32_t pieces = 0;  ///< not 0: a share of the buffer of the collective that it is part of

  /// `count` pieces, from the one numbered `first`, of a buffer cut into `all` (not 0).
  void set_share(std::uint32_t first, std::uint32_t count, std::uint32_t all) {
    size = Bytes(static_cast<std::int64_t>(std::uint64_t{first & 0x7fffffffu} << 32 | count));
    pieces = all;
  }
  [[nodiscard]] std::uint32_t first_piece() const {
    return static_cast<std::uint32_t>(size.count() >> 32);
  }
  [[nodiscard]] std::uint32_t piece_count() const {
    return static_cast<std::uint32_t>(size.count());
  }
  /// The bytes of a share of `buffer`. Piece i begins at byte floor(i·buffer/pieces): shares side
  /// by side add up to what they cover. At most the largest number.
  [[nodiscard]] Bytes share_of(Bytes buffer) const;
};
static_assert(sizeof(PointToPoint) == 24);

/// One tensor a node reads or writes (attributes `inputs` and `outputs`: a flat list name, size,
/// name, size …).
struct TensorUse {
  Bytes size;
  StringId name;
  bool output;
};

/// What a Graph is made of. Each column is in a Holder: one that grows, or one that is finished.
template <template <class> class Holder>
struct Columns {
  // Ids take no room when they follow each other; 4 bytes when they span less than 2^32; else 8.
  Holder<std::uint32_t> id_offsets;  ///< from the first id
  Holder<std::uint64_t> ids;
  Holder<NodeKind> kinds;
  Holder<std::uint16_t> flags;
  Holder<Time> durations;
  Holder<StringId> names;
  /// Index into the table of the node's kind (rows may be shared); kNoNode = none.
  Holder<std::uint32_t> payloads;
  Holder<std::uint32_t> in_degrees;
  Holder<std::uint32_t> first_succ;
  Holder<NodeId> succ;
  Holder<Work> works;
  Holder<KernelId> work_kernels;  ///< as works; empty where no work says its kernel
  Holder<Collective> collectives;
  Holder<PointToPoint> messages;
  Holder<NodeId> tensor_nodes;  ///< ascending
  Holder<std::uint32_t> first_tensor;
  Holder<TensorUse> tensors;
  // Empty where no node of the graph has any.
  Holder<std::uint32_t> lane_numbers;  ///< by node: in `lanes`, or kNoLane
  Holder<Lane> lanes;
  Holder<std::uint32_t> scope_numbers;  ///< by node: in `scopes`
  Holder<StepScope> scopes;
  Holder<DependencyKind> edge_kinds;  ///< as succ
  Holder<Time> lags;                  ///< as succ
};

template <class T>
using GrowingColumn = std::vector<T>;
template <class T>
using FinishedColumn = std::span<const T>;

/// An immutable DAG of one rank, stored as columns. They lie in one block of memory, or in a file
/// (see Spill).
///
/// Nodes are ordered by trace id. Data and control dependencies are one set of edges, without
/// duplicates. Successors of node n are `succ[first_succ[n] … first_succ[n+1])`, ascending.
/// Invariants (checked once, by GraphBuilder::finish): acyclic, no dangling edge, no self edge, ids
/// unique.
class Graph {
 public:
  [[nodiscard]] NodeId size() const { return static_cast<NodeId>(columns_.kinds.size()); }
  [[nodiscard]] std::size_t edge_count() const { return columns_.succ.size(); }

  /// The trace's own id.
  [[nodiscard]] std::uint64_t id(NodeId n) const {
    if (!columns_.id_offsets.empty()) return first_id_ + columns_.id_offsets[n];
    return columns_.ids.empty() ? first_id_ + n : columns_.ids[n];
  }
  /// The node with this trace id, or kNoNode. O(log size).
  [[nodiscard]] NodeId find(std::uint64_t id) const;
  [[nodiscard]] NodeKind kind(NodeId n) const { return columns_.kinds[n]; }
  [[nodiscard]] std::span<const NodeKind> kinds() const { return columns_.kinds; }
  [[nodiscard]] bool is_cpu(NodeId n) const { return (columns_.flags[n] & kIsCpu) != 0; }
  [[nodiscard]] bool has(NodeId n, NodeFlag flag) const { return (columns_.flags[n] & flag) != 0; }
  /// Whether it has any of these flags.
  [[nodiscard]] bool has_any(NodeId n, unsigned flags) const {
    return (columns_.flags[n] & flags) != 0;
  }
  /// Whether both nodes have, or both lack, each of these flags.
  [[nodiscard]] bool same_flags(NodeId a, NodeId b, unsigned flags) const {
    return ((columns_.flags[a] ^ columns_.flags[b]) & flags) == 0;
  }
  /// Some node does not run on the host.
  [[nodiscard]] bool has_device() const { return has_device_; }
  /// Where the node was recorded to run: a number in lanes(), or kNoLane.
  [[nodiscard]] std::uint32_t lane(NodeId n) const {
    return columns_.lane_numbers.empty() ? kNoLane : columns_.lane_numbers[n];
  }
  /// Each once; none where the trace does not say.
  [[nodiscard]] std::span<const Lane> lanes() const { return columns_.lanes; }
  /// Of some node it is said where in the job it stands.
  [[nodiscard]] bool has_scopes() const { return !columns_.scope_numbers.empty(); }
  [[nodiscard]] StepScope scope(NodeId n) const {
    return has_scopes() ? columns_.scopes[columns_.scope_numbers[n]] : StepScope{};
  }
  /// Recorded duration (0 when the trace has none).
  [[nodiscard]] Time duration(NodeId n) const { return columns_.durations[n]; }
  [[nodiscard]] std::string_view name(NodeId n) const { return string(columns_.names[n]); }
  [[nodiscard]] std::string_view string(StringId id) const {
    return strings_ ? strings_->view(id) : spilled_string(id);
  }

  [[nodiscard]] std::span<const NodeId> successors(NodeId n) const {
    return {columns_.succ.data() + columns_.first_succ[n],
            columns_.first_succ[n + 1] - columns_.first_succ[n]};
  }
  /// Some edge has a lag.
  [[nodiscard]] bool has_lags() const { return !columns_.lags.empty(); }
  /// By successor: how long after this node's end it may begin at the earliest. That time is
  /// nobody's work: not this node's, nor its successor's, and it takes no lane. Empty: at once.
  [[nodiscard]] std::span<const Time> lags(NodeId n) const {
    if (!has_lags()) return {};
    return {columns_.lags.data() + columns_.first_succ[n],
            columns_.first_succ[n + 1] - columns_.first_succ[n]};
  }
  /// Of some edge it is said why it is there.
  [[nodiscard]] bool has_edge_kinds() const { return !columns_.edge_kinds.empty(); }
  /// By successor: why it waits for this node. Empty: no edge of the graph says.
  [[nodiscard]] std::span<const DependencyKind> edge_kinds(NodeId n) const {
    if (!has_edge_kinds()) return {};
    return {columns_.edge_kinds.data() + columns_.first_succ[n],
            columns_.first_succ[n + 1] - columns_.first_succ[n]};
  }
  /// Where `to` stands among the successors of `from`; kNoNode: it does not. O(log successors).
  [[nodiscard]] std::uint32_t edge(NodeId from, NodeId to) const;
  /// How many nodes each node waits for.
  [[nodiscard]] std::span<const std::uint32_t> in_degrees() const { return columns_.in_degrees; }

  /// Attributes by kind. Work: comp, mem_load, mem_store. Collective: coll. PointToPoint: send,
  /// recv.
  [[nodiscard]] Work work(NodeId n) const {
    return columns_.payloads[n] == kNoNode ? Work{} : columns_.works[columns_.payloads[n]];
  }
  /// What it computes, said precisely: a number in kernels(), or kNoKernel.
  [[nodiscard]] KernelId kernel(NodeId n) const {
    return columns_.work_kernels.empty() || columns_.payloads[n] == kNoNode || !is_work(kind(n))
               ? kNoKernel
               : columns_.work_kernels[columns_.payloads[n]];
  }
  /// What kernels are numbered in, shared with other ranks; null where no node has one.
  [[nodiscard]] const KernelTable* kernels() const { return kernels_.get(); }
  [[nodiscard]] const Collective& collective(NodeId n) const {
    return columns_.collectives[columns_.payloads[n]];
  }
  [[nodiscard]] const PointToPoint& point_to_point(NodeId n) const {
    return columns_.messages[columns_.payloads[n]];
  }
  /// The same as `rank` means it: distances (kPeerRelative) are ranks. One that no number can have
  /// becomes the least or the largest number, which is no rank's.
  [[nodiscard]] PointToPoint message(NodeId n, std::uint32_t rank) const {
    PointToPoint meant = columns_.messages[columns_.payloads[n]];
    if (has(n, kPeerRelative)) {
      meant.src = moved(meant.src, rank);
      meant.dst = moved(meant.dst, rank);
    }
    return meant;
  }
  /// Tensors the node reads and writes; empty when the trace does not say. O(log nodes with
  /// tensors).
  [[nodiscard]] std::span<const TensorUse> tensors(NodeId n) const;

  /// Equal content, equal hash: over ids, kinds, durations, attributes and edges. Names do not
  /// count.
  [[nodiscard]] std::uint64_t content_hash() const { return content_hash_; }

  /// The same graph with another duration for each of its nodes. Of one in a file only these are in
  /// memory.
  [[nodiscard]] Graph with_durations(const std::vector<Time>& durations) const;
  /// … and with other lags, one for each edge in the order of successors; of a graph in memory that
  /// has_lags().
  [[nodiscard]] Graph with_times(const std::vector<Time>& durations,
                                 const std::vector<Time>& lags) const;

  /// Bytes of memory that columns, tables and edges take (names' text excluded).
  [[nodiscard]] std::size_t resident_bytes() const {
    return sizeof(Graph) + (spilled() ? 0 : block_bytes_);
  }
  /// Bytes in a file instead. Of these only what is being read is in memory.
  [[nodiscard]] std::size_t spilled_bytes() const { return spilled() ? block_bytes_ : 0; }
  /// Gives back the memory of what has been read from the file; reading it again is a little
  /// slower. Does nothing to a graph in memory. Any thread may call it at any time.
  void release() const;

 private:
  friend class GraphBuilder;
  friend class Spill;
  [[nodiscard]] static std::int32_t moved(std::int32_t distance, std::uint32_t rank) {
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t peer = std::int64_t{rank} + distance;
    return static_cast<std::int32_t>(std::clamp(peer, least, most));
  }
  [[nodiscard]] bool spilled() const { return strings_ == nullptr; }
  [[nodiscard]] std::string_view spilled_string(StringId id) const;
  /// Moves all columns into one block.
  void take(Columns<GrowingColumn>&& columns);

  std::uint64_t first_id_ = 0;
  std::uint64_t content_hash_ = 0;
  bool has_device_ = false;
  Columns<FinishedColumn> columns_;
  std::shared_ptr<const KernelTable> kernels_;
  std::shared_ptr<const StringPool> strings_;  // null: spilled, and the strings too
  FinishedColumn<std::uint64_t> string_ends_;
  FinishedColumn<char> string_text_;
  std::shared_ptr<const std::byte> block_;  // where the columns lie
  std::size_t block_bytes_ = 0;
};

using GraphRef = std::shared_ptr<const Graph>;

}  // namespace orrery::graph
