// SPDX-License-Identifier: Apache-2.0
//
// Low-rank adapters of frozen matrices (Hu et al., ICLR 2022, section 4.1): y = x·W + s·(x·A)·B.
// Forward: the product with W and the two small products; an element-wise kernel adds s·(…).
// Backward: the gradient of x is the sum of those from W, A and B; A and B have weight gradients, W
// has none. The gradient of x is computed in the first layer, too, as it is when activations are
// recomputed.
//
// Tensor parallelism as in PEFT (peft/tuners/lora/tp_layer.py, LoraParallelLinear). For a
// column-parallel W every rank has all of A and its columns of B. For a row-parallel W it has its
// rows of A and all of B. The activations between A and B (`rank` features wide) are summed over
// tp:
//   columns  backward all-reduce (with sp: forward all-gather, backward reduce-scatter)
//   rows     forward all-reduce (with sp: forward reduce-scatter, backward all-gather)
// With sp, matrices that all ranks hold multiply each rank's own tokens. Their gradients are summed
// over tp once per step, as those of norms.
//
// Adapters are stored and sent in the formats of Precision, as other trained weights.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// Names of the ops and tensors of one adapter.
struct AdapterNames {
  OpName a, b;
  ColumnNames columns;  ///< B of a column-parallel matrix
  RowNames rows;        ///< A of a row-parallel matrix
  const char* add;
  const char* scale;        ///< scaled gradient, backward
  const char* add_dgrad;    ///< sum of input gradients
  const char* rank_output;  ///< x·A
  const char* output;       ///< x·A·B
};
#define ORRERY_ADAPTER(text)                                                             \
  ::orrery::workload::AdapterNames {                                                     \
    ORRERY_OP(text ".lora_a"), ORRERY_OP(text ".lora_b"), ORRERY_COLUMN(text ".lora_b"), \
        ORRERY_ROW(text ".lora_a"), text ".lora.add", text ".lora.scale.dgrad",          \
        text ".lora.add.dgrad", text ".lora.middle", text ".lora"                        \
  }

/// How tensor parallelism splits the matrix.
enum class MatrixSplit : std::uint8_t { none, columns, rows };

/// An adapter of some outputs of a matrix.
struct Adapter {
  std::string_view matrix;  ///< name from lora_targets.h
  AdapterNames names;
  Amount features;        ///< input features on this rank
  std::size_t first = 0;  ///< index of its first output in Linear::outputs
  std::size_t count = 1;  ///< number of its outputs
  std::int64_t output_divisor =
      1;  ///< the adapter covers 1 / output_divisor of these outputs (gate, up)
};

/// Appends those of `adapters` that the specification selects. `base` has computed `made` from `x`;
/// afterwards `made` contains the outputs with adapters.
void add_adapters(Tape& tape, const Scope& scope, const Linear& base, MatrixSplit split,
                  const std::vector<Adapter>& adapters, Tensor x, std::vector<Tensor>& made);

/// The adapters `q`, `k`, `v`, `qkv` of a matrix with these three outputs first.
[[nodiscard]] std::vector<Adapter> qkv_adapters(Amount features);
/// The adapters `gate`, `up`, `mlp_up` of output `at`.
[[nodiscard]] std::vector<Adapter> mlp_adapters(Amount features, std::size_t at = 0);

}  // namespace orrery::workload
