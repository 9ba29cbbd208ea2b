// SPDX-License-Identifier: Apache-2.0
//
// The work of one rank as an immutable DAG, stored in columns.
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

/// Index of a node in its Graph: 0 … size()-1, in ascending order of trace ids.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

/// Chakra's node types (schema 0.0.3 and later) with Chakra's numbers.
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
inline constexpr std::size_t kNodeKinds = static_cast<std::size_t>(NodeKind::coll) + 1;

using orrery::CollectiveType;
using orrery::name;

/// Whether it is a send or a receive.
[[nodiscard]] constexpr bool is_message(NodeKind kind) {
  return kind == NodeKind::send || kind == NodeKind::recv;
}
/// Whether nodes of this kind have a Work.
[[nodiscard]] constexpr bool is_work(NodeKind kind) {
  return kind == NodeKind::comp || kind == NodeKind::mem_load || kind == NodeKind::mem_store;
}
[[nodiscard]] std::string_view name(NodeKind kind);

/// Size of a collective among `members` as Orrery reports it: the full buffer, that is the larger
/// of a rank's input and output (NVIDIA nccl-tests, doc/PERFORMANCE.md). `stated` is the size in
/// the node, which for an all-gather is the shard that each rank contributes. Saturates at the
/// largest number.
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
  kHasCpuAttr = 1u << 10,    ///< attribute is_cpu_op is present, true or false
  kHasTensors = 1u << 11,    ///< attributes inputs and outputs (see Graph::tensors)
  kIsCopy = 1u << 13,        ///< attribute is_copy: a copy or memset of a device, no computation
  kIsComm = 1u << 14,        ///< attribute is_comm: communicates, operation unknown
  kIsWait = 1u << 15,        ///< attribute is_wait: represents idle time
  kPeerRelative = 1u << 12,  ///< src and dst are offsets from the rank's own number
};

/// Kind of an edge of a recorded trace that states none.
[[nodiscard]] constexpr DependencyKind default_dependency_kind(bool from_host, bool to_host) {
  if (to_host) return from_host ? DependencyKind::thread : DependencyKind::sync;
  return from_host ? DependencyKind::launch : DependencyKind::stream;
}

/// A host thread or a device stream that ran nodes of a recorded trace, one after another.
struct Lane {
  std::int64_t id = 0;      ///< of the thread, or of the stream on the device
  std::int32_t device = 0;  ///< 0 for threads
  std::uint16_t row = 0;    ///< 1, 2 …: work that overlaps other work of the same stream; else 0
  bool host = false;

  friend auto operator<=>(const Lane&, const Lane&) = default;
};
inline constexpr std::uint32_t kNoLane = ~std::uint32_t{0};

/// What a compute or memory node does.
struct Work {
  std::int64_t num_ops = 0;  ///< floating-point operations as the trace counts them
  Bytes tensor_size{};       ///< bytes moved

  friend bool operator==(const Work&, const Work&) = default;
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
  ExpertExchange exchange;         ///< transport of an all-to-all of tokens
  Format format = Format::unsaid;  ///< format of the elements that ranks send and reduce

  friend bool operator==(const Collective&, const Collective&) = default;
};
static_assert(sizeof(Collective) == 40);

/// A send or a receive as its node states it. The flags kHasSrc, kHasDst, kHasTag and kHasCommSize
/// show which attributes the trace has. With kPeerRelative, src and dst are offsets: dst = 8 is
/// rank + 8.
struct PointToPoint {
  Bytes size{};  ///< if `pieces` is not 0: the encoded share, see set_share()
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::uint32_t tag = 0;
  std::uint32_t pieces = 0;  ///< not 0: the message is a share of a buffer of so many pieces

  /// The message carries pieces [first, first + count) of a buffer that is cut into `all` (not 0).
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
  /// Bytes of this share of `buffer`. Piece i begins at byte floor(i·buffer/pieces), so that the
  /// sizes of adjacent shares add up. Saturates at the largest number.
  [[nodiscard]] Bytes share_of(Bytes buffer) const;

  friend bool operator==(const PointToPoint&, const PointToPoint&) = default;
};
static_assert(sizeof(PointToPoint) == 24);

/// One tensor a node reads or writes (attributes `inputs` and `outputs`: a flat list name, size,
/// name, size …).
struct TensorUse {
  Bytes size;
  StringId name;
  bool is_output;
};

/// The columns of a Graph. Holder is GrowingColumn in the builder and FinishedColumn in a Graph.
template <template <class> class Holder>
struct Columns {
  // Ids use no memory if they are consecutive, 4 bytes each if they span less than 2^32, else 8.
  Holder<std::uint32_t> id_offsets;  ///< id - first id
  Holder<std::uint64_t> ids;
  Holder<NodeKind> kinds;
  Holder<std::uint16_t> flags;
  Holder<Time> durations;
  Holder<StringId> names;
  /// Index into the table of the node's kind; nodes can share rows. kNoNode: no row.
  Holder<std::uint32_t> payloads;
  Holder<std::uint32_t> in_degrees;
  Holder<std::uint32_t> first_succ;
  Holder<NodeId> succ;
  Holder<Work> works;
  Holder<KernelId> work_kernels;  ///< parallel to works; empty: no work states its kernel
  Holder<Collective> collectives;
  Holder<PointToPoint> messages;
  Holder<NodeId> tensor_nodes;  ///< ascending
  Holder<std::uint32_t> first_tensor;
  Holder<TensorUse> tensors;
  // The columns below are empty if no node of the graph has the attribute.
  Holder<std::uint32_t> lane_numbers;  ///< by node: index in `lanes`, or kNoLane
  Holder<Lane> lanes;
  Holder<std::uint32_t> scope_numbers;  ///< by node: index in `scopes`
  Holder<StepScope> scopes;
  Holder<DependencyKind> edge_kinds;  ///< parallel to succ
  Holder<Time> lags;                  ///< parallel to succ
};

template <class T>
using GrowingColumn = std::vector<T>;
template <class T>
using FinishedColumn = std::span<const T>;

/// An immutable DAG of one rank, stored as columns. All columns lie in one block of memory, or in a
/// file (see Spill).
///
/// Nodes are ordered by trace id. Data and control dependencies are one set of edges, without
/// duplicates. Successors of node n are `succ[first_succ[n] … first_succ[n+1])`, ascending.
/// Invariants (checked once, by GraphBuilder::finish): acyclic, no dangling edge, no self edge, ids
/// unique.
class Graph {
 public:
  [[nodiscard]] NodeId size() const { return static_cast<NodeId>(columns_.kinds.size()); }
  [[nodiscard]] std::size_t edge_count() const { return columns_.succ.size(); }

  /// The node's id in the trace.
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
  /// Whether the node has any of these flags.
  [[nodiscard]] bool has_any(NodeId n, unsigned flags) const {
    return (columns_.flags[n] & flags) != 0;
  }
  /// Whether both nodes have, or both lack, each of these flags.
  [[nodiscard]] bool same_flags(NodeId a, NodeId b, unsigned flags) const {
    return ((columns_.flags[a] ^ columns_.flags[b]) & flags) == 0;
  }
  /// Whether some node, metadata excluded, does not run on the host.
  [[nodiscard]] bool has_device() const { return has_device_; }
  /// The recorded lane of the node: an index in lanes(), or kNoLane.
  [[nodiscard]] std::uint32_t lane(NodeId n) const {
    return columns_.lane_numbers.empty() ? kNoLane : columns_.lane_numbers[n];
  }
  /// The distinct lanes; empty if the trace states none.
  [[nodiscard]] std::span<const Lane> lanes() const { return columns_.lanes; }
  /// Whether some node states its scope: step, phase or layer.
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
  /// Whether some edge has a lag.
  [[nodiscard]] bool has_lags() const { return !columns_.lags.empty(); }
  /// By successor: the least time from this node's end to the successor's start. A lag belongs to
  /// neither node and occupies no lane. Empty: all lags are 0.
  [[nodiscard]] std::span<const Time> lags(NodeId n) const {
    if (!has_lags()) return {};
    return {columns_.lags.data() + columns_.first_succ[n],
            columns_.first_succ[n + 1] - columns_.first_succ[n]};
  }
  /// Whether some edge states its kind.
  [[nodiscard]] bool has_edge_kinds() const { return !columns_.edge_kinds.empty(); }
  /// By successor: the kind of its dependency on this node. Empty: no edge of the graph states its
  /// kind.
  [[nodiscard]] std::span<const DependencyKind> edge_kinds(NodeId n) const {
    if (!has_edge_kinds()) return {};
    return {columns_.edge_kinds.data() + columns_.first_succ[n],
            columns_.first_succ[n + 1] - columns_.first_succ[n]};
  }
  /// Lag of the edge to successor `i` of `n`.
  [[nodiscard]] Time lag(NodeId n, std::size_t i) const { return has_lags() ? lags(n)[i] : Time{}; }
  /// Kind that the edge to successor `i` of `n` states.
  [[nodiscard]] DependencyKind stated_edge_kind(NodeId n, std::size_t i) const {
    return has_edge_kinds() ? edge_kinds(n)[i] : DependencyKind::unsaid;
  }
  /// Index of `to` among the successors of `from`; kNoNode if it is none. O(log successors).
  [[nodiscard]] std::uint32_t edge(NodeId from, NodeId to) const;
  /// By node: the number of nodes that it waits for.
  [[nodiscard]] std::span<const std::uint32_t> in_degrees() const { return columns_.in_degrees; }

  /// Attributes by kind. Work: comp, mem_load, mem_store. Collective: coll. PointToPoint: send,
  /// recv.
  [[nodiscard]] Work work(NodeId n) const {
    return columns_.payloads[n] == kNoNode ? Work{} : columns_.works[columns_.payloads[n]];
  }
  /// The kernel that the node runs: an index in kernels(), or kNoKernel.
  [[nodiscard]] KernelId kernel(NodeId n) const {
    return columns_.work_kernels.empty() || columns_.payloads[n] == kNoNode || !is_work(kind(n))
               ? kNoKernel
               : columns_.work_kernels[columns_.payloads[n]];
  }
  /// The same kernel; null: none.
  [[nodiscard]] const Kernel* kernel_of(NodeId n) const {
    const KernelId id = kernel(n);
    return id == kNoKernel ? nullptr : &(*kernels_)[id];
  }
  /// The kernel table, which ranks share; null if no node has a kernel.
  [[nodiscard]] const KernelTable* kernels() const { return kernels_.get(); }
  [[nodiscard]] const Collective& collective(NodeId n) const {
    return columns_.collectives[columns_.payloads[n]];
  }
  [[nodiscard]] const PointToPoint& point_to_point(NodeId n) const {
    return columns_.messages[columns_.payloads[n]];
  }
  /// The message with absolute ranks: adds `rank` to offsets (kPeerRelative). Peers beyond the
  /// range of the type become its least or largest number, which no rank has.
  [[nodiscard]] PointToPoint message(NodeId n, std::uint32_t rank) const {
    PointToPoint meant = columns_.messages[columns_.payloads[n]];
    if (has(n, kPeerRelative)) {
      meant.src = moved(meant.src, rank);
      meant.dst = moved(meant.dst, rank);
    }
    return meant;
  }
  /// Tensors that the node reads and writes; empty if the trace states none. O(log nodes with
  /// tensors).
  [[nodiscard]] std::span<const TensorUse> tensors(NodeId n) const;

  /// Hash of ids, kinds, durations, attributes and edges, without node names. Graphs with equal
  /// content have equal hashes.
  [[nodiscard]] std::uint64_t content_hash() const { return content_hash_; }

  /// The same graph with these durations, by node. Of a graph in a file, only the durations are in
  /// memory.
  [[nodiscard]] Graph with_durations(const std::vector<Time>& durations) const;
  /// The same graph with these durations, by node, and these lags, by edge in the order of
  /// successors. Requires a graph in memory that has_lags().
  [[nodiscard]] Graph with_times(const std::vector<Time>& durations,
                                 const std::vector<Time>& lags) const;

  /// Memory of columns, tables and edges in bytes, without the text of names.
  [[nodiscard]] std::size_t resident_bytes() const {
    return sizeof(Graph) + (spilled() ? 0 : block_bytes_);
  }
  /// Bytes of the graph in a file; 0 for a graph in memory. Only the pages being read are in
  /// memory.
  [[nodiscard]] std::size_t spilled_bytes() const { return spilled() ? block_bytes_ : 0; }
  /// Frees the memory of pages that were read from the file; reading them again is slightly slower.
  /// No effect on a graph in memory. Thread-safe.
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
  std::shared_ptr<const StringPool> strings_;  // null: graph and strings are in a file
  FinishedColumn<std::uint64_t> string_ends_;
  FinishedColumn<char> string_text_;
  std::shared_ptr<const std::byte> block_;  // memory of the columns
  std::size_t block_bytes_ = 0;
};

using GraphRef = std::shared_ptr<const Graph>;

}  // namespace orrery::graph
