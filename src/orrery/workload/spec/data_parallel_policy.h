// SPDX-License-Identifier: Apache-2.0
//
// What data parallelism does beside the passes, as the job says and else as its framework does.
#pragma once

#include <cstdint>
#include <limits>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// The keys of Parallel that a framework decides, decided.
struct DataParallelPolicy {
  std::int64_t bucket = 0;        ///< bytes of gradients that are sent together
  std::int64_t first_bucket = 0;  ///< of those that are sent first
  bool splits_layers = false;     ///< a bucket may end within a layer
  bool front_buckets = false;     ///< only the first chunk of the first stage has buckets; others
                                  ///< send all their gradients together
  bool overlap_gradients = true;  ///< see Parallel
  bool overlap_weights = false;
  bool keep_gathered = false;
  bool reduce_once = false;  ///< … and there are several microbatches
  std::int64_t prefetch_backward = 1;

  static constexpr std::int64_t kWhole = std::numeric_limits<std::int64_t>::max();  ///< no buckets
};

/// What nobody says of a job is as in
///
///   none      one bucket of 25 MiB or more at the end of a layer; gathers after the optimizer
///   pytorch   DistributedDataParallel: buckets of 25 MiB, the first of 1 MiB
///             (torch/nn/parallel/distributed.py, bucket_cap_mb; torch/csrc/distributed/c10d/
///             reducer.hpp, kDefaultFirstBucketBytes)
///   torchtitan…  replicate(bucket_cap_mb=100) in its parallelize_llama.py; with stages weights
///             stay whole (get_fsdp_reshard_after_forward_policy, "default": not with pp) and are
///             resharded, and gradients reduced, once a step (torch/distributed/pipelining/
///             stage.py: set_reshard_after_backward(False), set_requires_gradient_sync(False))
///   deepspeed reduce_bucket_size of 5e8 elements; overlap_comm in stage 3 only
///             (deepspeed/runtime/zero/config.py)
///   megatron  buckets of 40 million elements, or of a million for each rank of dp x cp where that
///             is more, in the first stage's first chunk only, none where nothing overlaps
///             (megatron/core/distributed/distributed_data_parallel.py); gradients and weights
///             overlapped, as NeMo and Megatron-Bridge set it where dp > 1 (comm_overlap.py);
///             weights not without gradients
[[nodiscard]] DataParallelPolicy data_parallel_policy(const Spec& spec);

}  // namespace orrery::workload
