// SPDX-License-Identifier: Apache-2.0
//
// A collective written out: what every rank's thread blocks do with every chunk, step by step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::synthesis {

/// "allreduce" …, as plan files write it; "" of what no plan is of.
[[nodiscard]] std::string_view plan_name(CollectiveType type);
/// By what files call it ("allreduce", "all_reduce", "AllReduce"); `unknown` for any other name:
/// nothing says what such a plan should do.
[[nodiscard]] CollectiveType plan_collective(std::string_view name);
/// The collective of a workload that such a plan can run; all_reduce for `unknown`: its buffer is
/// the one that the node states.
[[nodiscard]] CollectiveType workload_type(CollectiveType type);

enum class PlanBuffer : std::uint8_t { input, output, scratch };
inline constexpr std::size_t kPlanBuffers = 3;
[[nodiscard]] std::string_view name(PlanBuffer buffer);

/// Chunks that lie side by side in a buffer of some rank.
struct PlanSpan {
  std::uint32_t rank = 0;
  PlanBuffer buffer = PlanBuffer::input;
  std::uint32_t first = 0;
  std::uint32_t count = 1;

  friend bool operator==(const PlanSpan&, const PlanSpan&) = default;
};

/// A step's place.
struct StepPosition {
  std::uint32_t rank = 0;
  std::uint32_t block = 0;
  std::uint32_t step = 0;

  friend auto operator<=>(const StepPosition&, const StepPosition&) = default;
};

/// How files call steps: MSCCL's types, then MSCCL++'s operations. What a step does is said by its
/// other members; the name is for people, and for writing it again.
enum class StepType : std::uint8_t {
  send,
  receive,
  receive_copy_send,
  receive_reduce_send,
  receive_reduce_copy,
  receive_reduce_copy_send,
  copy,
  reduce,
  nop,
  put,
  put_signal,
  put_signal_flush,
  get,
  reduce_send,
  read_reduce,
  read_reduce_send,
  put_packet,
  read_put_packet,
  copy_packet,
  to_packet,
  unpack_packet,
  reduce_packet,
  reduce_send_packet,
  reduce_copy_packet,
  reduce_copy_send_packet,
  group_load_reduce_store,
  group_store,
  signal,
  wait,
  relaxed_signal,
  relaxed_wait,
  flush,
  barrier,
  acquire,
  release
};
inline constexpr std::size_t kStepTypes = 35;
/// "rrcs", "ppkt" …
[[nodiscard]] std::string_view name(StepType type);
/// Of MSCCL's nine, by name.
[[nodiscard]] std::optional<StepType> msccl_step(std::string_view name);
/// Of MSCCL++'s, by any name that a release has given it.
[[nodiscard]] std::optional<StepType> mscclpp_step(std::string_view name);

/// Something that is counted up by some steps and waited for by others: a signal from a peer, a
/// barrier, a semaphore.
struct PlanCounter {
  std::uint32_t rank = 0;  ///< where it is waited for
  std::string what;        ///< "signals of gpu 1 on channel 0"

  friend bool operator==(const PlanCounter&, const PlanCounter&) = default;
};

/// The step begins when so many steps have counted that counter up.
struct PlanWait {
  std::uint32_t counter = 0;
  std::uint32_t level = 1;

  friend bool operator==(const PlanWait&, const PlanWait&) = default;
};

/// A message's two ends as the file states them. Where it says nothing of them, nothing is known.
struct MessageEnds {
  PlanBuffer from = PlanBuffer::input, to = PlanBuffer::input;
  std::uint32_t first_from = 0, first_to = 0;

  friend bool operator==(const MessageEnds&, const MessageEnds&) = default;
};

/// A step takes what its block's connection brings (`receives`) and what is in `reads`, adds all of
/// it chunk by chunk, and puts it into `writes` and on its block's connection (`sends`). Spans may
/// be of other ranks: then they are read or written across the network. It begins when the step
/// before it in its block, `after` and `waits` are done, and counts `posts` up when it is done.
struct PlanStep {
  StepType type = StepType::nop;
  bool receives = false;
  bool sends = false;
  /// What it reads of scratch was written there by a step that writes packets, and it waits for
  /// that.
  bool reads_packets = false;
  bool writes_packets = false;
  std::uint32_t count = 0;  ///< chunks; of each span, too
  std::vector<PlanSpan> reads, writes;
  std::vector<StepPosition> after;  ///< of its own rank
  std::vector<std::uint32_t> posts;
  std::vector<PlanWait> waits;
  std::optional<MessageEnds> ends;

  friend bool operator==(const PlanStep&, const PlanStep&) = default;
};

/// Steps one after the other. Messages between two ranks on one channel arrive in the order in
/// which they are sent.
struct PlanBlock {
  std::optional<std::uint32_t> to, from;  ///< whom it sends to and receives from
  std::uint32_t channel = 0;
  std::vector<PlanStep> steps;

  friend bool operator==(const PlanBlock&, const PlanBlock&) = default;
};

struct PlanRank {
  std::array<std::uint32_t, kPlanBuffers> chunks{};  ///< by buffer
  std::vector<PlanBlock> blocks;

  friend bool operator==(const PlanRank&, const PlanRank&) = default;
};

/// The plan of a collective among `ranks`, which chunks cut: how large they are is said when it
/// runs. It runs once over the whole buffer.
struct Plan {
  std::string name;
  std::string format;           ///< "MSCCL", "MSCCL++", "Chakra"; empty: made here
  std::string collective_name;  ///< as the file has it
  CollectiveType collective = CollectiveType::unknown;
  std::string protocol;       ///< "Simple", "LL" …; nothing here depends on it
  bool in_place = true;       ///< for buffers of input and output that are one
  bool out_of_place = false;  ///< for two
  std::uint32_t root = 0;     ///< of broadcast and reduce
  std::uint32_t channels = 1;
  std::uint32_t chunks_per_loop = 0;            ///< as stated; 0: not
  std::int64_t min_bytes = -1, max_bytes = -1;  ///< sizes it is meant for; -1: not said
  std::uint32_t cut = 1;                        ///< a chunk of the file is so many here
  std::vector<PlanRank> ranks;
  std::vector<PlanCounter> counters;

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// In how many chunks the whole buffer is cut: the larger of what a rank puts in and what it gets.
[[nodiscard]] std::uint32_t whole_chunks(const Plan& plan);
[[nodiscard]] std::uint64_t step_count(const Plan& plan);
[[nodiscard]] std::uint64_t block_count(const Plan& plan);
[[nodiscard]] const PlanStep& step_at(const Plan& plan, StepPosition at);
/// Chunks that a rank sends, over connections and into other ranks' buffers, and what others read
/// of its. By rank.
[[nodiscard]] std::vector<std::uint64_t> chunks_sent(const Plan& plan);

/// "gpu 3, block 2, step 5 (rrc)"
[[nodiscard]] std::string to_text(const Plan& plan, const StepPosition& at);
/// "input[4-7] of gpu 3"
[[nodiscard]] std::string to_text(const PlanSpan& span);

}  // namespace orrery::synthesis
