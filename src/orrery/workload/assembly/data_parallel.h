// SPDX-License-Identifier: Apache-2.0
//
// Communication between ranks with the same weights: reduction of gradients, gathering of sharded
// weights. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/data_parallel_policy.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Numbers of weights by the group whose ranks hold the same weights: dense ones over Axis::dp,
/// experts over Axis::edp.
struct Elements {
  Amount dense;
  Amount expert;

  friend Elements operator+(Elements a, Elements b) {
    return {a.dense + b.dense, a.expert + b.expert};
  }
  friend bool operator==(Elements a, Elements b) {
    return a.dense == b.dense && a.expert == b.expert;
  }
  [[nodiscard]] bool none() const { return *this == Elements{}; }
  [[nodiscard]] Amount total() const { return dense + expert; }
};
[[nodiscard]] Elements elements_of(const Weights& weights);

/// An op that moves bytes between device memory and remote memory.
[[nodiscard]] Op transfer_op(const char* name, Phase phase, graph::NodeKind kind, Amount size);

/// Bytes of optimizer state for the `own` elements that this rank updates: moments, and fp32 copies
/// of weights of other types. `others`: elements of `own` that do not belong to matrices.
[[nodiscard]] Amount optimizer_state(const Precision& types, OptimizerKind kind, Amount own,
                                     Amount others);

/// Collectives of data parallelism. Source: ZeRO (Rajbhandari et al., SC20), section 5; FSDP (Zhao
/// et al., VLDB 2023), section 3: hybrid sharding reduces within a copy, then between copies.
///
///   none   all-reduce of gradients
///   zero1  reduce-scatter of gradients once a step; all-gather of weights after the optimizer, or,
///          with overlap_weights, bucket by bucket in each chunk's first forward pass
///          (Megatron-Core, distributed/param_and_grad_buffer.py: finish_param_sync starts the next
///          bucket's)
///   zero2  as zero1, but reduce-scatter in every backward pass, or, with reduce_once, in the last
///   zero3  as zero2, but all-gather of weights before a layer uses them, not after the optimizer
///
/// With Spec::offload.weights a shard is loaded before it is gathered, and its gradients are stored
/// after they are reduced (ZeRO-Infinity: Rajbhandari et al., SC21, section 5). Weights that no
/// other rank shares stay on the device.
///
/// Experts are sharded over all ranks of edp, regardless of `shard_size`. All shards have the size
/// of the first one: sizes are rounded up to a multiple of the group.
class DataParallel {
 public:
  DataParallel(const Spec& spec, const Mesh& mesh);

  /// Whether the ranks gather a layer's weights before they use them.
  [[nodiscard]] bool gathers_weights() const {
    return sharding_ == Sharding::zero3 && (dense_ranks_ > 1 || expert_ranks_ > 1);
  }
  /// Whether updated weights are gathered in the first forward passes of the next step, not at the
  /// end of this one.
  [[nodiscard]] bool gathers_in_next_step() const {
    const bool at_the_end = sharding_ == Sharding::zero1 || sharding_ == Sharding::zero2;
    return policy_.overlap_weights && at_the_end && (dense_ranks_ > 1 || expert_ranks_ > 1);
  }
  /// Whether every backward pass reduces gradients, not only the last.
  [[nodiscard]] bool reduces_every_pass() const {
    return sharding_ >= Sharding::zero2 && !policy_.reduce_once;
  }
  /// Whether gradients are reduced only after all backward passes have ended.
  [[nodiscard]] bool reduces_after_backward() const {
    return !policy_.overlap_gradients && !reduces_every_pass();
  }
  /// Bytes of gradients per bucket, or of the first bucket.
  [[nodiscard]] std::int64_t bucket(bool first = false) const {
    return sharding_ == Sharding::zero3 ? 0 : first ? policy_.first_bucket : policy_.bucket;
  }
  /// Whether a bucket may end within a layer.
  [[nodiscard]] bool splits_layers() const {
    return policy_.splits_layers && sharding_ != Sharding::zero3;
  }
  /// Whether all weights and gradients of this chunk are one bucket, regardless of size.
  [[nodiscard]] bool has_one_bucket(std::int64_t stage, std::size_t chunk) const {
    return policy_.only_first_chunk_has_buckets && sharding_ != Sharding::zero3 &&
           (stage > 0 || chunk > 0);
  }
  [[nodiscard]] const DataParallelPolicy& policy() const { return policy_; }

  /// The part of `whole` that one shard holds: of the optimizer state, of accumulated gradients.
  [[nodiscard]] Elements shard(Elements whole) const;
  /// `resident_part`: the elements of `whole` that stay in device memory between uses. `offloaded`:
  /// the elements of `part` that are in remote memory.
  [[nodiscard]] Elements resident_part(Elements whole) const;
  [[nodiscard]] Elements offloaded(Elements part) const;
  /// The elements of `whole` that other ranks also hold. The other elements need no reduction.
  [[nodiscard]] Elements shared(Elements whole) const;
  /// Ranks over which the optimizer state of experts is sharded: all of edp. With Megatron-Core
  /// only those of one optimizer instance, as for dense weights (core/parallel_state.py, the
  /// intra-partial expert data-parallel group).
  [[nodiscard]] std::int64_t expert_owners() const {
    const bool instances = instances_ && expert_ranks_ % copies_ == 0;
    return instances ? expert_ranks_ / copies_ : expert_ranks_;
  }
  [[nodiscard]] Amount reduce_bytes(Amount elements) const { return bytes(elements, reduce_); }

  /// All-gather of weights on stream::gather, after stream::compute.
  [[nodiscard]] std::vector<Op> gather(Elements whole, Phase phase) const;
  /// Reduction of gradients on stream::dp, after stream::compute; on stream::compute itself without
  /// overlap.
  [[nodiscard]] std::vector<Op> reduce(Elements whole, Phase phase) const;

 private:
  Sharding sharding_;
  Dtype weights_, gradients_, reduce_;
  DataParallelPolicy policy_;
  bool offload_ = false;                             ///< shards are in remote memory
  bool in_switch_ = false;                           ///< the switches of the remote memory gather
                                                     ///< and reduce them
  std::int64_t dense_ranks_ = 1, expert_ranks_ = 1;  ///< ranks over which weights are sharded
  std::int64_t copies_ = 1;                          ///< copies of the dense shards
  bool instances_ = false;                           ///< also copies of the optimizer state of
                                                     ///< experts
  std::int64_t dense_all_ = 1, expert_all_ = 1;      ///< ranks with the same weights
};

/// Groups gradients into buckets. Gradients become ready tensor by tensor, and a bucket is sent
/// when it is full. A bucket never splits a tensor, and splits a part only with splits_layers. It
/// is thus at least as large as its nominal size, as in PyTorch's DDP (Li et al., VLDB 2020,
/// section 3.2.3).
class Buckets {
 public:
  /// `whole`: all gradients are one bucket.
  explicit Buckets(const DataParallel& data, bool whole = false) : data_(data), whole_(whole) {}

  /// Adds gradients that are ready. Returns those to send now, often none.
  Elements add(Elements ready);
  /// Returns the gradients that are not yet sent.
  Elements flush();

 private:
  const DataParallel& data_;
  bool whole_;
  bool first_ = true;
  Elements waiting_;
};

}  // namespace orrery::workload
