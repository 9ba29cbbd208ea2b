// SPDX-License-Identifier: Apache-2.0
//
// A communication as a framework records it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/core/strings.h"

namespace orrery::profile {

enum class CommKind : std::uint8_t {
  unknown,
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  barrier,
  send,
  recv,
  coalesced,  ///< several sends and receives, or collectives, in one kernel
  wait        ///< waits for a communication that an earlier call started
};
inline constexpr std::size_t kCommKinds = 14;
/// "all_reduce", "send" …
[[nodiscard]] std::string_view name(CommKind kind);
/// True for point-to-point communication: send and recv.
[[nodiscard]] constexpr bool is_message(CommKind kind) {
  return kind == CommKind::send || kind == CommKind::recv;
}
/// True for one operation whose kind is known.
[[nodiscard]] constexpr bool is_operation(CommKind kind) {
  return kind != CommKind::unknown && kind != CommKind::coalesced && kind != CommKind::wait;
}
/// True for collectives that no rank can finish before all ranks have begun.
[[nodiscard]] constexpr bool is_symmetric(CommKind kind) {
  return kind == CommKind::all_reduce || kind == CommKind::all_gather ||
         kind == CommKind::all_to_all || kind == CommKind::reduce_scatter ||
         kind == CommKind::barrier;
}
/// True for collectives with a root.
[[nodiscard]] constexpr bool is_rooted(CommKind kind) {
  return kind == CommKind::broadcast || kind == CommKind::reduce || kind == CommKind::gather ||
         kind == CommKind::scatter;
}

/// The kind that a name denotes, in any spelling of frameworks and libraries: "allreduce",
/// "_allgather_base", "nccl:all_to_all", "all_to_allv",
/// "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(…)", "c10d::allreduce_". Returns `unknown` for
/// "rcclGenericKernel…" and every other name.
[[nodiscard]] CommKind comm_kind_of_name(std::string_view text);
/// The kind of a coalesced operation: "allreduce_coalesced" is an all_reduce; `coalesced` if the
/// name does not give one.
[[nodiscard]] CommKind coalesced_kind(std::string_view name);
/// True if `name` is a kernel of a communication library (NCCL, RCCL, HCCL …), of any kind.
[[nodiscard]] bool is_comm_kernel(std::string_view name);
/// Bytes per element of a data type: "Float", "c10::BFloat16", "long int", "Byte" …; 0 for an
/// unknown name.
[[nodiscard]] std::int32_t element_bytes(std::string_view dtype);

/// One communication of the ranks of a group. -1 (or 0 bytes per element): the file does not
/// contain the value.
struct Comm {
  CommKind kind = CommKind::unknown;
  bool asynchronous = false;
  std::int32_t element_bytes = 0;
  std::int64_t in_elements = -1;   ///< in this rank's input buffer
  std::int64_t out_elements = -1;  ///< in this rank's output buffer
  std::int64_t sequence = -1;      ///< sequence number in the file, counted per group
  std::int32_t peer = -1;  ///< send, receive: global rank of the peer; rooted collective: number of
                           ///< the root in the group
  std::int32_t group_size = -1;
  std::uint32_t group = ~0u;            ///< in Profile::groups
  StringId name = StringId::empty;      ///< as recorded
  StringId dtype = StringId::empty;     ///< as recorded
  StringId in_split = StringId::empty;  ///< all-to-all-v: elements per peer, "[1, 2, …]"
  StringId out_split = StringId::empty;

  /// Bytes as Chakra counts them: the size of this rank's input buffer (all-gather: its
  /// contribution), or of its output buffer if the input is unknown. Broadcast, receive, scatter
  /// and coalesced: the larger of both buffers. Barrier: 0. Unknown: -1.
  [[nodiscard]] std::int64_t bytes() const;
  /// Bytes of the complete buffer, as nccl-tests count them: for an all-gather its output, else
  /// bytes(). `as`: the kind, which may come from the name of the kernel. Unknown: -1.
  [[nodiscard]] std::int64_t complete_bytes(CommKind as) const;
};

/// A process group as recorded.
struct Group {
  std::string name;         ///< pg_name: unique on a rank, not always across ranks
  std::string description;  ///< pg_desc: "default_pg", "mesh_tp" …
  std::string backend;
  std::vector<std::uint32_t> ranks;  ///< global, in group order; empty: not recorded (or all ranks)
  std::int32_t size = -1;

  friend bool operator==(const Group&, const Group&) = default;
};

}  // namespace orrery::profile
