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
  wait        ///< waits for one that was begun before
};
inline constexpr std::size_t kCommKinds = 14;
/// "all_reduce", "send" …
[[nodiscard]] std::string_view name(CommKind kind);
/// From one rank to another.
[[nodiscard]] constexpr bool is_message(CommKind kind) {
  return kind == CommKind::send || kind == CommKind::recv;
}

/// From any of the spellings frameworks and libraries use: "allreduce", "_allgather_base",
/// "nccl:all_to_all", "all_to_allv", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(…)",
/// "c10d::allreduce_", "rcclGenericKernel…" (unknown) … `unknown` for everything else.
[[nodiscard]] CommKind comm_kind_named(std::string_view text);
/// True for names of kernels of a communication library (NCCL, RCCL, HCCL …), whatever they do.
[[nodiscard]] bool is_comm_kernel(std::string_view name);
/// Bytes of an element: "Float", "c10::BFloat16", "long int", "Byte" …; 0 for an unknown name.
[[nodiscard]] std::int32_t element_bytes(std::string_view dtype);

/// What the ranks of one group do together. -1 (or 0 bytes per element): the file does not say.
struct Comm {
  CommKind kind = CommKind::unknown;
  bool asynchronous = false;
  std::int32_t element_bytes = 0;
  std::int64_t in_elements = -1;   ///< of this rank's input buffer
  std::int64_t out_elements = -1;  ///< of this rank's output buffer
  std::int64_t sequence = -1;      ///< the file's own number of it, counted per group
  std::int32_t peer = -1;  ///< of a send or receive: a global rank; of a rooted collective: the
                           ///< root (its number in the group)
  std::int32_t group_size = -1;
  std::uint32_t group = ~0u;            ///< in Profile::groups
  StringId name = StringId::empty;      ///< as recorded
  StringId dtype = StringId::empty;     ///< as recorded
  StringId in_split = StringId::empty;  ///< all-to-all-v: elements per peer, "[1, 2, …]"
  StringId out_split = StringId::empty;

  /// Bytes as Chakra counts them: what this rank contributes to an all-gather, else its whole input
  /// buffer; of a broadcast or receive the buffer, whichever side is given. -1 = unknown.
  [[nodiscard]] std::int64_t bytes() const;
};

/// A process group as recorded.
struct Group {
  std::string name;         ///< pg_name: unique on a rank, not always across ranks
  std::string description;  ///< pg_desc: "default_pg", "mesh_tp" …
  std::string backend;
  std::vector<std::uint32_t> ranks;  ///< global, in group order; empty = not said (or all ranks)
  std::int32_t size = -1;

  friend bool operator==(const Group&, const Group&) = default;
};

}  // namespace orrery::profile
