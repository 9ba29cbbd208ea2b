// SPDX-License-Identifier: Apache-2.0
//
// What ranks with the same weights do together: sums of gradients, weights gathered from shards.
// Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/data_parallel_policy.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Weights by who has the same ones: dense ones over Axis::dp, experts over Axis::edp.
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

/// Moves bytes between the device's memory and a remote one.
[[nodiscard]] Op transfer_op(const char* name, Phase phase, graph::NodeKind kind, Amount size);

/// Bytes of what the optimizer keeps between steps of `own` elements that this rank updates, of
/// which `others` are no matrices: moments, and fp32 weights beside those of another type.
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
///   zero2  … reduce-scatter in every backward pass, or, with reduce_once, in the last
///   zero3  … and all-gather of weights before a layer is used, in place of that after the
///   optimizer
///
/// With Spec::offload.weights a shard is loaded before it is gathered and its gradients are stored
/// when they are reduced (ZeRO-Infinity: Rajbhandari et al., SC21, section 5); what nobody shares
/// stays on the device.
///
/// Experts are shared out over all of edp, whatever `shard_size` says. Shards are as large as the
/// first: sizes are rounded up to a multiple of the group.
class DataParallel {
 public:
  DataParallel(const Spec& spec, const Mesh& mesh);

  /// Whether a layer's weights have to be gathered before use.
  [[nodiscard]] bool gathers() const {
    return sharding_ == Sharding::zero3 && (dense_ranks_ > 1 || expert_ranks_ > 1);
  }
  /// Whether new weights are gathered in a step's first forward passes, not at the end of the one
  /// before.
  [[nodiscard]] bool gathers_ahead() const {
    const bool at_the_end = sharding_ == Sharding::zero1 || sharding_ == Sharding::zero2;
    return policy_.overlap_weights && at_the_end && (dense_ranks_ > 1 || expert_ranks_ > 1);
  }
  /// Whether every backward pass sums up gradients, not only the last.
  [[nodiscard]] bool reduces_every_pass() const {
    return sharding_ >= Sharding::zero2 && !policy_.reduce_once;
  }
  /// Whether nothing is summed up before all backward passes have ended.
  [[nodiscard]] bool reduces_after_backward() const {
    return !policy_.overlap_gradients && !reduces_every_pass();
  }
  /// Bytes of gradients that are sent together, and of those that are sent first.
  [[nodiscard]] std::int64_t bucket(bool first = false) const {
    return sharding_ == Sharding::zero3 ? 0 : first ? policy_.first_bucket : policy_.bucket;
  }
  /// Whether a bucket may end within a layer.
  [[nodiscard]] bool splits_layers() const {
    return policy_.splits_layers && sharding_ != Sharding::zero3;
  }
  /// Whether this chunk's weights and gradients are one bucket, however large.
  [[nodiscard]] bool one_bucket(std::int64_t stage, std::size_t chunk) const {
    return policy_.front_buckets && sharding_ != Sharding::zero3 && (stage > 0 || chunk > 0);
  }
  [[nodiscard]] const DataParallelPolicy& policy() const { return policy_; }

  /// What is left of `whole` when only a shard is held: optimizer state, sums of gradients.
  [[nodiscard]] Elements shard(Elements whole) const;
  /// Of `whole`, what does not lie in remote memory between its uses, and what of a shard does.
  [[nodiscard]] Elements resident_part(Elements whole) const;
  [[nodiscard]] Elements offloaded(Elements part) const;
  /// Of `whole`, what anybody else holds, too; the rest needs no sum.
  [[nodiscard]] Elements shared(Elements whole) const;
  /// Ranks that hold the optimizer's state of experts together: all of edp, but under Megatron-Core
  /// those of one instance of its optimizer, as of dense weights (core/parallel_state.py, the
  /// intra-partial expert data-parallel group).
  [[nodiscard]] std::int64_t expert_owners() const {
    const bool instances = instances_ && expert_ranks_ % copies_ == 0;
    return instances ? expert_ranks_ / copies_ : expert_ranks_;
  }
  [[nodiscard]] Amount reduce_bytes(Amount elements) const { return bytes(elements, reduce_); }

  /// All-gather of weights on stream::gather, behind stream::compute.
  [[nodiscard]] std::vector<Op> gather(Elements whole, Phase phase) const;
  /// The sum of gradients on stream::dp, behind stream::compute; on stream::compute itself when
  /// nothing is to overlap.
  [[nodiscard]] std::vector<Op> reduce(Elements whole, Phase phase) const;

 private:
  Sharding sharding_;
  Dtype weights_, gradients_, reduce_;
  DataParallelPolicy policy_;
  bool offload_ = false;                             ///< shards lie in remote memory
  bool in_switch_ = false;                           ///< … whose switches gather and reduce them
  std::int64_t dense_ranks_ = 1, expert_ranks_ = 1;  ///< that shards are spread over
  std::int64_t copies_ = 1;                          ///< of dense shards
  bool instances_ = false;                           ///< … and of experts' optimizer state
  std::int64_t dense_all_ = 1, expert_all_ = 1;      ///< with the same weights
};

/// Gradients become ready tensor by tensor and are sent when a bucket is full. A tensor's stay
/// together, and so do a part's unless layers are split: a bucket is at least as large as it has to
/// be, as in PyTorch's DDP (Li et al., VLDB 2020, section 3.2.3).
class Buckets {
 public:
  /// `whole`: all that is added is one bucket.
  explicit Buckets(const DataParallel& data, bool whole = false) : data_(data), whole_(whole) {}

  /// More gradients are ready: what is to be sent now, often nothing.
  Elements add(Elements ready);
  /// What is still waiting.
  Elements flush();

 private:
  const DataParallel& data_;
  bool whole_;
  bool first_ = true;
  Elements waiting_;
};

}  // namespace orrery::workload
