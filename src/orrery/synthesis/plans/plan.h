// SPDX-License-Identifier: Apache-2.0
//
// A collective algorithm step by step: what every rank's thread blocks do with every chunk.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::synthesis {

/// The name in plan files: "allreduce" …; "" for collectives without plans.
[[nodiscard]] std::string_view plan_name(CollectiveType type);
/// The collective with this name in plan files ("allreduce", "all_reduce", "AllReduce"); `unknown`
/// for any other name, whose result cannot be checked.
[[nodiscard]] CollectiveType plan_collective(std::string_view name);
/// The workload collective that such a plan can run; all_reduce for `unknown`, since its buffer has
/// the size that the node states.
[[nodiscard]] CollectiveType workload_type(CollectiveType type);

enum class PlanBuffer : std::uint8_t { input, output, scratch };
inline constexpr std::size_t kPlanBuffers = 3;
[[nodiscard]] std::string_view name(PlanBuffer buffer);

/// Consecutive chunks in a buffer of a rank.
struct PlanSpan {
  std::uint32_t rank = 0;
  PlanBuffer buffer = PlanBuffer::input;
  std::uint32_t first = 0;
  std::uint32_t count = 1;

  friend bool operator==(const PlanSpan&, const PlanSpan&) = default;
};

/// The position of a step.
struct StepPosition {
  std::uint32_t rank = 0;
  std::uint32_t block = 0;
  std::uint32_t step = 0;

  friend auto operator<=>(const StepPosition&, const StepPosition&) = default;
};

/// Step names in files: MSCCL's types, then MSCCL++'s operations. The other members of PlanStep
/// determine what a step does; the name is for messages and for writing files.
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
[[nodiscard]] inline bool is_one_of(StepType type, std::initializer_list<StepType> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// "rrcs", "ppkt" …
[[nodiscard]] std::string_view name(StepType type);
/// The MSCCL step type (one of nine) with this name.
[[nodiscard]] std::optional<StepType> msccl_step(std::string_view name);
/// The MSCCL++ operation with this name in any release.
[[nodiscard]] std::optional<StepType> mscclpp_step(std::string_view name);

/// A counter that some steps increment and others wait for: a signal from a peer, a barrier, a
/// semaphore.
struct PlanCounter {
  std::uint32_t rank = 0;  ///< the rank that waits for it
  std::string what;        ///< "signals of gpu 1 on channel 0"

  friend bool operator==(const PlanCounter&, const PlanCounter&) = default;
};

/// The step begins when the counter has reached `level`.
struct PlanWait {
  std::uint32_t counter = 0;
  std::uint32_t level = 1;

  friend bool operator==(const PlanWait&, const PlanWait&) = default;
};

/// The two ends of a message as the file states them; unknown if the file does not state them.
struct MessageEndpoints {
  PlanBuffer from = PlanBuffer::input, to = PlanBuffer::input;
  std::uint32_t first_from = 0, first_to = 0;

  friend bool operator==(const MessageEndpoints&, const MessageEndpoints&) = default;
};

/// A step reads the message of its block's connection (`receives`) and the chunks in `reads`, and
/// adds them chunk by chunk. It stores the sum in `writes` and sends it on its block's connection
/// (`sends`). Spans of other ranks are read or written across the network. It begins when the
/// previous step of its block, `after` and `waits` are done, and increments `posts` at its end.
struct PlanStep {
  StepType type = StepType::nop;
  bool receives = false;
  bool sends = false;
  /// It reads scratch chunks that another step writes as packets, and waits for that step.
  bool reads_packets = false;
  bool writes_packets = false;
  std::uint32_t count = 0;  ///< chunks; all spans have this size
  std::vector<PlanSpan> reads, writes;
  std::vector<StepPosition> after;  ///< steps of the same rank
  std::vector<std::uint32_t> posts;
  std::vector<PlanWait> waits;
  std::optional<MessageEndpoints> ends;

  friend bool operator==(const PlanStep&, const PlanStep&) = default;
};

/// A thread block: steps that run one after the other. Messages between two ranks on one channel
/// arrive in the order in which they are sent.
struct PlanBlock {
  std::optional<std::uint32_t> to, from;  ///< the ranks that it sends to and receives from
  std::uint32_t channel = 0;
  std::vector<PlanStep> steps;

  friend bool operator==(const PlanBlock&, const PlanBlock&) = default;
};

struct PlanRank {
  std::array<std::uint32_t, kPlanBuffers> chunks{};  ///< number of chunks, by buffer
  std::vector<PlanBlock> blocks;

  friend bool operator==(const PlanRank&, const PlanRank&) = default;
};

/// The plan of a collective among `ranks`, in chunks. The size of the buffer, and thus of chunks,
/// is set when it runs. It runs once over the entire buffer.
struct Plan {
  std::string name;
  std::string format;           ///< "MSCCL", "MSCCL++", "Chakra"; empty: generated by Orrery
  std::string collective_name;  ///< the name in the file
  CollectiveType collective = CollectiveType::unknown;
  std::string protocol;       ///< "Simple", "LL" …; without effect
  bool in_place = true;       ///< valid if input and output are one buffer
  bool out_of_place = false;  ///< valid if they are two buffers
  std::uint32_t root = 0;     ///< root rank of broadcast and reduce
  std::uint32_t channels = 1;
  std::uint32_t chunks_per_loop = 0;            ///< from the file; 0: not stated
  std::int64_t min_bytes = -1, max_bytes = -1;  ///< range of sizes for which it is intended; -1:
                                                ///< not stated
  std::uint32_t chunk_split = 1;                ///< number of chunks per chunk of the file
  std::vector<PlanRank> ranks;
  std::vector<PlanCounter> counters;

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Calls `act(position, block, step)` for all steps, by rank, block and step.
template <class Do>
void for_each_step(const Plan& plan, const Do& act) {
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const auto& blocks = plan.ranks[rank].blocks;
    for (std::uint32_t block = 0; block < blocks.size(); ++block)
      for (std::uint32_t step = 0; step < blocks[block].steps.size(); ++step)
        act(StepPosition{rank, block, step}, blocks[block], blocks[block].steps[step]);
  }
}

/// The number of chunks of the full buffer: the larger of a rank's input and output.
[[nodiscard]] std::uint32_t buffer_chunks(const Plan& plan);
[[nodiscard]] std::uint64_t step_count(const Plan& plan);
[[nodiscard]] std::uint64_t block_count(const Plan& plan);
[[nodiscard]] const PlanStep& step_at(const Plan& plan, StepPosition at);
/// Number of chunks that each rank sends, over connections and into other ranks' buffers, and that
/// others read from it. By rank.
[[nodiscard]] std::vector<std::uint64_t> chunks_sent(const Plan& plan);

/// "gpu 3, block 2, step 5 (rrc)"
[[nodiscard]] std::string to_text(const Plan& plan, const StepPosition& at);
/// "input[4-7] of gpu 3"
[[nodiscard]] std::string to_text(const PlanSpan& span);

}  // namespace orrery::synthesis
