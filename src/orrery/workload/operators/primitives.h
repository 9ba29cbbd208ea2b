// SPDX-License-Identifier: Apache-2.0
//
// Operators that all families use: products with weights, norms, element-wise chains.
//
// FLOPs: a product of m×k with k×n costs 2mnk, its backward twice that. Other operators use
// Calculon's counts per element (Isaev et al., SC23): layer norm 9 forward, 14 + 7 backward; GELU 8
// and 13; dropout 1 and 1; an addition 1. Operators that Calculon does not have are counted from
// their definition.
#pragma once

#include <array>
#include <vector>

#include "orrery/workload/operators/scope.h"
#include "orrery/workload/operators/tape.h"

namespace orrery::workload {

/// A weight matrix and its input: [tokens × in] · [in × Σ outputs], sizes of this rank.
struct Linear {
  struct Output {
    const char* name = "";
    Amount features;
    bool bias = false;        ///< this output has a bias
    std::int64_t pieces = 1;  ///< number of separate matrices in frameworks that do not merge them
  };
  OpName name;
  Group group = Group::none;
  Amount tokens;
  Amount in;
  std::vector<Output> outputs;
  bool bias = false;  ///< all outputs have biases
  WeightKind weight_kind = WeightKind::dense;
  bool hidden_matrix = true;         ///< counts in Weights::matrices
  bool first_in_network = false;     ///< no gradient of its input, hence no dgrad
  Amount copies = 1;                 ///< number of matrices (experts) over which the tokens are
                                     ///< distributed
  std::int64_t duplicate_ranks = 0;  ///< ranks that compute the same products, see
                                     ///< Tape::set_duplicate_ranks; 0: Scope::duplicate_ranks
  bool uses_product_format = true;   ///< false: computes at least in the activations' format (see
                                     ///< Precision::products)
  bool input_is_cast = false;        ///< the kernel before it casts its input
  bool gradient_is_cast = false;     ///< the kernel before it casts its output gradient
  bool is_adapter = false;           ///< trained even if the model's weights are frozen
  /// For a convolution: kernel sizes of its products, without passes and formats. Zeros: matrix
  /// products.
  std::array<std::int64_t, graph::kKernelSizes> convolution{};
  std::int64_t expert_launches = 0;  ///< products that the host launches for one grouped product;
                                     ///< 0: one kernel, see launches_per_expert
  std::int64_t slices = 1;      ///< number of consecutive products over which the tokens are
                                ///< distributed
  Amount carried_features = 0;  ///< features that are gathered and reduced with the input, but not
                                ///< multiplied (column-parallel)

  [[nodiscard]] Amount out() const;
  [[nodiscard]] Amount biases() const;  ///< biases of all outputs of one copy
};

/// Returns one tensor per output. `x`: the inputs, concatenated (usually one); they are retained
/// for the weight gradient. No communication.
std::vector<Tensor> linear(Tape& tape, const Scope& scope, const Linear& shape,
                           const std::vector<Tensor>& x);

/// Column-parallel over tp (Shoeybi et al., 2019): every rank has all features of `x` and computes
/// some of the outputs. With sp `x` is sharded by token. It is gathered before the product, and
/// again in the backward pass for the weight gradient, overlapping dgrad (Korthikanti et al., 2023,
/// section 4.2.2). A split backward pass gathers it again in the weight half. Backward: all-reduce
/// of the input gradient (reduce-scatter with sp), overlapping wgrad. `gather`, `reduce`: names of
/// these ops.
struct ColumnNames {
  const char* gather;            ///< forward, sp
  const char* gather_for_wgrad;  ///< backward, sp
  const char* reduce;            ///< backward
};
std::vector<Tensor> column_linear(Tape& tape, const Scope& scope, const Linear& shape,
                                  const ColumnNames& names, Tensor x);
#define ORRERY_COLUMN(text) \
  ::orrery::workload::ColumnNames { text ".gather", text ".gather.wgrad", text ".reduce.dgrad" }

/// Row-parallel over tp: every rank has some of the input features and computes a summand of the
/// full output. Forward: all-reduce (reduce-scatter with sp). Backward with sp: all-gather of the
/// output gradient before dgrad. The bias is replicated.
struct RowNames {
  const char* reduce;  ///< forward
  const char* gather;  ///< backward, sp
  const char* bias;    ///< forward, tp > 1
};
Tensor row_linear(Tape& tape, const Scope& scope, const Linear& shape, const RowNames& names,
                  const std::vector<Tensor>& x);
#define ORRERY_ROW(text) \
  ::orrery::workload::RowNames { text ".reduce", text ".gather.dgrad", text ".bias" }

/// FLOPs per element.
struct PerElement {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
};
/// Backward: gradients of input and weights; with frozen weights only of the input.
[[nodiscard]] PerElement norm_flops(Norm norm, bool frozen);
[[nodiscard]] PerElement activation_flops(Mlp mlp);  ///< per output element
inline constexpr PerElement softmax_flops{5, 8};
inline constexpr PerElement dropout_flops{1, 1};

/// A norm over the `features` of each of `rows` rows; its weights are replicated.
/// `weight_features`: number of its weights without bias; 0: `features`. `adds_to_residual`: `x` is
/// also the residual stream, and its gradient is added after the norm's.
struct NormShape {
  OpName name;
  Amount rows;
  Amount features;
  Amount weight_features = 0;
  WeightKind weight_kind = WeightKind::replicated;
  bool adds_to_residual = false;
  bool has_weights = true;
  bool rms = false;  ///< an RMS norm (no bias), regardless of the model's norms
  Group group = Group::norm;
  const char* output = "normed";
};
Tensor norm(Tape& tape, const Scope& scope, const NormShape& shape, Tensor x);
/// A norm over the features of the tokens between blocks.
Tensor hidden_norm(Tape& tape, const Scope& scope, const OpName& name, Tensor x,
                   bool adds_to_residual = false);

/// stream + dropout(branch), of `elements` elements on this rank. Dropout only if the model has it.
Tensor residual(Tape& tape, const Scope& scope, const OpName& name, Group group, Amount elements,
                Tensor stream, Tensor branch);

/// An element-wise operator: reads `x` (retained for its backward pass) and writes `elements`.
struct Elementwise {
  OpName name;
  Group group = Group::none;
  Amount elements;      ///< output elements
  Amount features = 0;  ///< output elements per row; 0: unknown
  const char* output = "";
  PerElement flops;
  bool saves_input = true;
  bool fused = false;  ///< the products before and after it compute it
};
Tensor elementwise(Tape& tape, const Scope& scope, const Elementwise& shape, Tensor x);

}  // namespace orrery::workload
