// SPDX-License-Identifier: Apache-2.0
//
// The ops after the last microbatch: the last gradient reductions, the gradient norm, the
// optimizer. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/assembly/data_parallel.h"
#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// The weights that one rank updates in a step.
struct OptimizerWork {
  Elements unsharded;  ///< weights on this rank before sharding
  Elements shard;      ///< the shard of `unsharded` that it updates
  Elements matrices;   ///< the matrices among `unsharded`: Muon updates them
  Amount replicated;   ///< elements of `unsharded.dense` that are the same on all tensor-parallel
                       ///< ranks
  Amount tied_table_elements;  ///< elements of a tied table whose other copy is on another stage;
                               ///< else 0
  std::int32_t twin_stage_offset =
      0;  ///< dual_pipe: distance to the stage with the same layers; 0: none
  std::vector<Elements> pending_gradients;  ///< gradients to reduce now, by bucket
};

/// The ops, in order:
///  1. reductions of `pending_gradients` over dp (with the additions of unfused_optimizer.h)
///  2. with sp, the sum over tp of gradients of replicated weights: each rank has processed only
///     its own tokens (Korthikanti et al., 2023, section 4.2.2)
///  3. the sum of the two copies of a tied table (Narayanan et al., SC21, section 5)
///  4. dual_pipe: the two stages with the same layers exchange all their gradients and add them
///  5. the gradient norm: squares are summed on this rank, then one number over all ranks with
///     different weights
///  6. the optimizer
///  7. zero1 and zero2: the all-gather of new weights, unless the next step gathers them
[[nodiscard]] std::vector<Op> optimizer_step_ops(const Spec& spec, const Mesh& mesh,
                                                 const DataParallel& data,
                                                 const OptimizerWork& work);

/// One update of `elements` weights, of which `matrices` belong to matrices. FLOPs per element:
/// Adam 12 (3 for the first moment, 4 for the second, 5 for the quotient and the step), AdamW 1
/// more for the decay (Kingma & Ba 2015; Loshchilov & Hutter 2019); SGD 2, momentum 2 more. Muon
/// (Jordan et al. 2024): momentum, then 5 Newton-Schulz steps of 4m + 2m²/n FLOPs per element of an
/// m × n matrix, m ≤ n. Assumes that all matrices have the shape of the MLP's, hidden × ffn (of
/// adapters: hidden × rank), and that one rank updates each of them entirely. AdamW updates the
/// other weights. Bytes: reads gradient, moments and weights (the fp32 copy if there is one),
/// writes moments and weights.
[[nodiscard]] Op optimizer_op(const Spec& spec, Amount elements, Amount matrices,
                              std::int64_t inner);

/// Whether matrices in fp8 are also stored transposed: products of input gradients read them so
/// (Transformer Engine, user guide, "FP8 primer").
[[nodiscard]] bool transposes_weights(const Precision& precision);

}  // namespace orrery::workload
