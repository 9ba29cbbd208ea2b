// SPDX-License-Identifier: Apache-2.0
//
// Writes one pass of one microbatch through one chunk: messages, layers, gathers of weights,
// reductions of gradients. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/assembly/body_table.h"
#include "orrery/workload/assembly/data_parallel.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// A message between neighboring virtual stages.
struct Message {
  std::int64_t size = 0;  ///< bytes; 0: the neighbor is on the same rank, or there is none
  std::int32_t peer_offset = 0;
  std::uint32_t message_id = 0;
  Stream stream = stream::none;
  bool is_scattered = false;  ///< each tp rank receives a share of this size, then all gather the
                              ///< shares
  graph::Format format = graph::Format::unsaid;  ///< format of the gathered data
};

/// The parts on a chunk, and its messages to and from its neighbors.
struct Chunk {
  std::vector<PartRun> parts;  ///< indices into Program::parts, in the model's order
  Message receive_activations, send_activations;
  Message receive_gradients, send_gradients;
  bool has_one_bucket = false;  ///< see DataParallel::has_one_bucket
};

/// Kind of a pass, and its data-parallel communication.
struct PassKind {
  TaskKind kind = TaskKind::forward;
  bool gather = false;  ///< weights are sharded: the pass gathers them
  bool reduce = false;  ///< the pass reduces gradients as they become ready
  // Used with DataParallel::gathers_in_next_step and `gather`:
  bool is_first_bucket_gathered = false;  ///< another pass has already gathered the first bucket
  const Chunk* next = nullptr;  ///< the chunk whose first bucket this pass gathers during its last
                                ///< bucket
};

/// Writes passes as segments over bodies.
///
/// Gathering (FSDP): before its first layer a pass gathers `prefetch` layers. Each layer then
/// starts the gather of the layer `prefetch` further on, after the layer before it has ended, so
/// that at most prefetch + 1 gathered layers are held. Each layer waits for its own gather through
/// a register: stream::gather_register + i remembers the gather of the layer i further on. Weights
/// that an optimizer has just updated (DataParallel::gathers_in_next_step) are gathered bucket by
/// bucket, one bucket ahead, from chunk to chunk.
///
/// Offloaded activations (Part::offloaded) are stored after their layer's forward pass. A layer
/// begins when the activations of the layer `window` + 1 before it have left, so that the device
/// holds those of `window` layers and its own. The backward pass loads them `window` layers ahead,
/// after all earlier stores; registers remember the loads of later layers.
class PassWriter {
 public:
  PassWriter(const std::vector<LoweredPart>& parts, const DataParallel& data, std::int64_t prefetch,
             std::size_t window, BodyTable& bodies)
      : parts_(parts), data_(data), prefetch_(prefetch), window_(window), bodies_(bodies) {}

  [[nodiscard]] std::vector<Segment> pass(const Chunk& chunk, const PassKind& kind);

 private:
  /// Gradients that become ready, or are sent, after an op.
  struct ReductionPoint {
    std::size_t after = kEnd;
    Elements sum;

    friend bool operator==(const ReductionPoint&, const ReductionPoint&) = default;
  };
  static constexpr std::size_t kEnd = static_cast<std::size_t>(-1);  ///< after all ops

  /// One part in the order of the pass.
  struct PartExecution {
    std::uint32_t part = 0;
    std::int32_t layer = -1;
    Elements gather;                      ///< weights of later parts that are gathered during this
                                          ///< turn
    std::size_t gathers_in_flight = 0;    ///< number of gathers in progress before it begins
    Stream message = stream::none;        ///< receive (or its gather) that its first op waits for
    Stream weights = stream::none;        ///< gather that its first computation waits for
    Stream awaited_store = stream::none;  ///< its first op waits for this store of activations
    std::int64_t load = 0;                ///< bytes of activations that it loads for a later turn
    bool loads_pending = false;           ///< loads for later turns are in progress
    std::vector<ReductionPoint> reduce;   ///< gradients that it sends

    [[nodiscard]] bool same(const PartExecution& other) const;
  };

  [[nodiscard]] std::vector<PartExecution> executions(const Chunk& chunk,
                                                      const PassKind& kind) const;
  [[nodiscard]] std::vector<Op> ops_of(std::uint32_t part, TaskKind kind) const;
  [[nodiscard]] std::vector<ReductionPoint> ready(std::uint32_t part, TaskKind kind) const;
  [[nodiscard]] std::uint32_t body_of(const PartExecution& turn, TaskKind kind);
  void add_gathers(Elements whole, Phase phase, std::size_t held, std::vector<Op>& before) const;
  void plan_gathering(std::vector<PartExecution>& executions, TaskKind kind,
                      std::vector<Op>& before) const;
  void plan_buckets(std::vector<PartExecution>& executions, const Chunk& chunk,
                    const PassKind& kind, std::vector<Op>& before) const;
  [[nodiscard]] std::vector<Elements> buckets_from(const std::vector<PartExecution>& executions,
                                                   bool has_one_bucket) const;
  void plan_offload(std::vector<PartExecution>& executions, TaskKind kind,
                    std::vector<Op>& before) const;
  void plan_reduction(std::vector<PartExecution>& executions, TaskKind kind,
                      bool has_one_bucket) const;

  const std::vector<LoweredPart>& parts_;
  const DataParallel& data_;
  std::int64_t prefetch_;
  std::size_t window_;
  BodyTable& bodies_;
};

/// Gradients of `chunks` by bucket, in the order in which they become ready.
[[nodiscard]] std::vector<Elements> buckets_of(const std::vector<LoweredPart>& parts,
                                               const std::vector<Chunk>& chunks,
                                               const DataParallel& data);

/// Makes `op` also wait for `stream`.
void wait_for(Op& op, Stream stream);

/// A send or a receive of `message` along Axis::pp.
[[nodiscard]] Op message_op(const char* name, Phase phase, graph::NodeKind kind,
                            const Message& message);

}  // namespace orrery::workload
