// SPDX-License-Identifier: Apache-2.0
//
// What follows the last microbatch: the last sums of gradients, their norm, the optimizer. Private
// to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/assembly/data_parallel.h"
#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// What one rank has to update.
struct OptimizerWork {
  Elements whole;         ///< weights on this rank before they are sharded
  Elements held;          ///< … and the shard that it updates
  Elements matrices;      ///< of `whole`: what Muon updates
  Amount replicated;      ///< of `whole.dense`: the same on all tensor-parallel ranks
  Amount table;           ///< elements of a tied table whose other copy another stage holds; or 0
  std::int32_t twin = 0;  ///< dual_pipe: distance to the stage with the same layers; 0: none
  std::vector<Elements> late;  ///< gradients that are only summed up now, by bucket
};

/// The ops, in order:
///  1. sums of `late` gradients over dp (unfused_optimizer.h says what Megatron of 2021 does beside
///  these)
///  2. with sp, the sum over tp of gradients of replicated weights: each rank has seen only its
///     tokens (Korthikanti et al., 2023, section 4.2.2)
///  3. the sum of the two copies of a tied table (Narayanan et al., SC21, section 5)
///  4. dual_pipe: the two stages with the same layers exchange all their gradients and add them up
///  5. the norm: squares added up here, then one number over everybody with different weights
///  6. the optimizer
///  7. zero1 and zero2: new weights from all shards, unless the next step gathers them
[[nodiscard]] std::vector<Op> optimizer_step_ops(const Spec& spec, const Mesh& mesh,
                                                 const DataParallel& data,
                                                 const OptimizerWork& work);

/// One update of `elements` weights, of which `matrices` are matrices. FLOPs per element: Adam 12
/// (3 for the first moment, 4 for the second, 5 for the quotient and the step), AdamW 1 more for
/// the decay (Kingma & Ba 2015; Loshchilov & Hutter 2019); SGD 2, momentum 2 more. Muon (Jordan et
/// al. 2024): momentum, then 5 Newton-Schulz steps of 4m + 2m²/n FLOPs per element of an m × n
/// matrix, m ≤ n; all matrices are taken to be those of the MLP, hidden × ffn (of adapters: hidden
/// × rank), and each is updated whole by one rank. What is no matrix is updated by AdamW. Bytes:
/// gradient, moments and weights (the fp32 copy if there is one) are read, moments and weights
/// written.
[[nodiscard]] Op optimizer_op(const Spec& spec, Amount elements, Amount matrices,
                              std::int64_t inner);

}  // namespace orrery::workload
