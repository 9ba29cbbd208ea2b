// SPDX-License-Identifier: Apache-2.0
//
// How data parallelism communicates during the passes: as the job specifies, else as its framework
// does.
#pragma once

#include <cstdint>
#include <limits>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// The keys of Parallel that have a default per framework, with their final values.
struct DataParallelPolicy {
  std::int64_t bucket = 0;        ///< bytes of gradients per bucket
  std::int64_t first_bucket = 0;  ///< bytes of the first bucket
  bool splits_layers = false;     ///< a bucket may end within a layer
  bool only_first_chunk_has_buckets =
      false;                      ///< only the first chunk of the first stage has several buckets;
                                  ///< every other chunk sends all its gradients in one
  bool overlap_gradients = true;  ///< this and the following: see Parallel
  bool overlap_weights = false;
  bool keep_gathered = false;
  bool reduce_once = false;  ///< false with one microbatch
  std::int64_t prefetch_backward = 1;

  static constexpr std::int64_t kNoBuckets =
      std::numeric_limits<std::int64_t>::max();  ///< no buckets
};

/// Returns the job's values, else the framework's defaults:
///
///   none      one bucket per layer, of 25 MiB or more; weights are gathered after the optimizer
///   pytorch   DistributedDataParallel: buckets of 25 MiB, the first of 1 MiB
///             (torch/nn/parallel/distributed.py, bucket_cap_mb; torch/csrc/distributed/c10d/
///             reducer.hpp, kDefaultFirstBucketBytes)
///   torchtitan…  replicate(bucket_cap_mb=100) in its parallelize_llama.py. With pp > 1 weights
///             stay gathered (get_fsdp_reshard_after_forward_policy, "default": not with pp);
///             they are resharded, and gradients reduced, once per step (torch/distributed/
///             pipelining/stage.py: set_reshard_after_backward(False),
///             set_requires_gradient_sync(False))
///   deepspeed reduce_bucket_size of 5e8 elements; overlap_comm in stage 3 only
///             (deepspeed/runtime/zero/config.py)
///   megatron  buckets of 40 million elements, or 1 million × dp × cp if that is more; several
///             buckets in the first stage's first chunk only; one per chunk if nothing overlaps
///             (megatron/core/distributed/distributed_data_parallel.py). Gradients and weights
///             overlap, as NeMo and Megatron-Bridge set it for dp > 1 (comm_overlap.py);
///             weights overlap only if gradients do
///   megatron_2021  one bucket, reduced after all backward passes
[[nodiscard]] DataParallelPolicy data_parallel_policy(const Spec& spec);

}  // namespace orrery::workload
