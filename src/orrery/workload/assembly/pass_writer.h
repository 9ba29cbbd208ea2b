// SPDX-License-Identifier: Apache-2.0
//
// One pass of one microbatch through one chunk: messages, layers, gathered weights, gradients sent
// off. Private to the assembly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/workload/assembly/body_table.h"
#include "orrery/workload/assembly/data_parallel.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// A message between neighbouring virtual stages.
struct Message {
  std::int64_t size = 0;  ///< 0: the neighbour is the same rank, or nobody
  std::int32_t shift = 0;
  std::uint32_t edge = 0;
  Stream stream = stream::none;
  bool is_scattered = false;  ///< each rank of tp gets such a share, and gathers all of them
  graph::Format numbers = graph::Format::unsaid;  ///< of what is gathered
};

/// What lies on a chunk and who its neighbours are.
struct Chunk {
  std::vector<PartRun> parts;  ///< of Program::parts, in the model's order
  Message receive_activations, send_activations;
  Message receive_gradients, send_gradients;
  bool one_bucket = false;  ///< see DataParallel::one_bucket
};

/// Which pass, and what data parallelism does beside it.
struct PassKind {
  TaskKind kind = TaskKind::forward;
  bool gather = false;  ///< weights are in shards and have to be gathered
  bool reduce = false;  ///< gradients are sent off as they become ready
  // DataParallel::gathers_ahead, and gather:
  bool first_bucket_gathered = false;  ///< another pass has gathered the first bucket already
  const Chunk* next = nullptr;  ///< the chunk whose first bucket is gathered beside the last one
};

/// Writes passes as segments over bodies.
///
/// Gathering (FSDP): before its first layer a pass gathers `prefetch` of them; each layer starts
/// the gathering of the one `prefetch` further on, behind the layer before, so that no more than
/// prefetch + 1 are held; and waits for its own. Which is known from registers: stream::held + i
/// remembers the gathering of the layer i further on. Weights that an optimizer has made anew
/// (DataParallel::gathers_ahead) come bucket by bucket, one ahead, from chunk to chunk.
///
/// Activations that lie elsewhere (Part::offloaded) are stored behind their layer's forward pass; a
/// layer begins when those of the layer `window` + 1 before it are away, so that beside its own
/// `window` layers' are on the device. Backward they are loaded `window` layers ahead, behind all
/// that was stored before; registers remember the loading of the layers further on.
class PassWriter {
 public:
  PassWriter(const std::vector<LoweredPart>& parts, const DataParallel& data, std::int64_t prefetch,
             std::size_t window, BodyTable& bodies)
      : parts_(parts), data_(data), prefetch_(prefetch), window_(window), bodies_(bodies) {}

  [[nodiscard]] std::vector<Segment> pass(const Chunk& chunk, const PassKind& kind);

 private:
  /// Gradients that are ready, or sent off, after an op.
  struct ReductionPoint {
    std::size_t after = kEnd;
    Elements sum;

    friend bool operator==(const ReductionPoint&, const ReductionPoint&) = default;
  };
  static constexpr std::size_t kEnd = static_cast<std::size_t>(-1);  ///< after all ops

  /// One part's turn.
  struct Turn {
    std::uint32_t part = 0;
    std::int32_t layer = -1;
    Elements gather;                     ///< of other parts, gathered beside it
    std::size_t ahead = 0;               ///< how many gatherings are under way before it begins
    Stream message = stream::none;       ///< what its first op waits for
    Stream weights = stream::none;       ///< what its first computation waits for
    Stream room = stream::none;          ///< what its first op waits for: activations that leave
    std::int64_t load = 0;               ///< bytes of activations that are loaded beside it
    bool awaits = false;                 ///< activations of later turns are on their way
    std::vector<ReductionPoint> reduce;  ///< gradients sent off in it

    [[nodiscard]] bool same(const Turn& other) const;
  };

  [[nodiscard]] std::vector<Turn> turns(const Chunk& chunk, const PassKind& kind) const;
  [[nodiscard]] std::vector<Op> ops_of(std::uint32_t part, TaskKind kind) const;
  [[nodiscard]] std::vector<ReductionPoint> ready(std::uint32_t part, TaskKind kind) const;
  [[nodiscard]] std::uint32_t body_of(const Turn& turn, TaskKind kind);
  void add_gathers(Elements whole, Phase phase, std::size_t held, std::vector<Op>& before) const;
  void plan_gathering(std::vector<Turn>& turns, TaskKind kind, std::vector<Op>& before) const;
  void plan_buckets(std::vector<Turn>& turns, const Chunk& chunk, const PassKind& kind,
                    std::vector<Op>& before) const;
  [[nodiscard]] std::vector<Elements> buckets_from(const std::vector<Turn>& turns,
                                                   bool one_bucket) const;
  void plan_offload(std::vector<Turn>& turns, TaskKind kind, std::vector<Op>& before) const;
  void plan_reduction(std::vector<Turn>& turns, TaskKind kind, bool one_bucket) const;
  void append(std::vector<Segment>& segments, const Turn& turn, TaskKind kind);

  const std::vector<LoweredPart>& parts_;
  const DataParallel& data_;
  std::int64_t prefetch_;
  std::size_t window_;
  BodyTable& bodies_;
};

/// Gradients of `chunks`, in the order in which they become ready, as they are sent off together.
[[nodiscard]] std::vector<Elements> buckets_of(const std::vector<LoweredPart>& parts,
                                               const std::vector<Chunk>& chunks,
                                               const DataParallel& data);

/// Makes an op wait for one more stream.
void wait_for(Op& op, Stream stream);

/// A send or a receive of `message` along Axis::pp.
[[nodiscard]] Op message_op(const char* name, Phase phase, graph::NodeKind kind,
                            const Message& message);

}  // namespace orrery::workload
