// SPDX-License-Identifier: Apache-2.0
//
// Low-rank adapters beside frozen matrices (Hu et al., ICLR 2022, section 4.1): y = x·W +
// s·(x·A)·B. Forward: the product with W and the two small ones; s·(…) is added in an element-wise
// kernel. Backward: the gradient of x from W, A and B, added up; gradients of A and B; none of W.
// That of x is computed in the first layer, too, as where activations are computed again.
//
// Tensor parallelism as in PEFT (peft/tuners/lora/tp_layer.py, LoraParallelLinear): beside a
// column-parallel W every rank has all of A, and its columns of B; beside a row-parallel W its rows
// of A, and all of B. What goes between A and B is summed up over tp, rank features wide:
//   columns  backward all-reduce (with sp: all-gather, and back a reduce-scatter)
//   rows     forward all-reduce (with sp: reduce-scatter, and back an all-gather)
// With sp, what all ranks have multiplies each rank's own tokens, and its gradients are summed up
// over tp once a step, as those of norms are.
//
// Adapters are kept and sent in the types of Precision, as weights that are trained.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// What the ops of one adapter are called.
struct AdapterNames {
  OpName a, b;
  ColumnNames columns;  ///< of B, beside a column-parallel matrix
  RowNames rows;        ///< of A, beside a row-parallel matrix
  const char* add;
  const char* scale;      ///< backward
  const char* add_dgrad;  ///< of the input's gradient
  const char* middle;     ///< x·A
  const char* made;       ///< x·A·B
};
#define ORRERY_ADAPTER(text)                                                             \
  ::orrery::workload::AdapterNames {                                                     \
    ORRERY_OP(text ".lora_a"), ORRERY_OP(text ".lora_b"), ORRERY_COLUMN(text ".lora_b"), \
        ORRERY_ROW(text ".lora_a"), text ".lora.add", text ".lora.scale.dgrad",          \
        text ".lora.add.dgrad", text ".lora.middle", text ".lora"                        \
  }

/// How tensor parallelism cuts the matrix.
enum class Cut : std::uint8_t { none, columns, rows };

/// An adapter beside some of a matrix' outputs.
struct Adapter {
  std::string_view matrix;  ///< word of lora_targets.h
  AdapterNames names;
  Amount features;           ///< that go in, on this rank
  std::size_t first = 0;     ///< of the matrix' outputs
  std::size_t count = 1;     ///< … so many
  std::int64_t part_of = 1;  ///< beside one of so many equal pieces of them (gate, up)
};

/// Puts those of `adapters` that the specification asks for behind the matrix `base`, which made
/// `made` of `x`; `made` is then what comes out with them.
void add_adapters(Tape& tape, const Scope& scope, const Linear& base, Cut cut,
                  const std::vector<Adapter>& adapters, Tensor x, std::vector<Tensor>& made);

/// … of `q`, `k`, `v`, `qkv` beside a matrix whose first outputs these are.
[[nodiscard]] std::vector<Adapter> qkv_adapters(Amount features);
/// … of `gate`, `up`, `mlp_up`, beside the output `at`.
[[nodiscard]] std::vector<Adapter> mlp_adapters(Amount features, std::size_t at = 0);

}  // namespace orrery::workload
