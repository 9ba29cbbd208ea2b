// SPDX-License-Identifier: Apache-2.0
//
// Operators that all families use: products with weights, norms, element-wise chains.
//
// FLOPs: a product of m×k with k×n is 2mnk, its backward twice that; the others as Calculon counts
// them per element (Isaev et al., SC23): layer norm 9 forward, 14 + 7 backward; GELU 8 and 13;
// dropout 1 and 1; an addition 1. What Calculon does not have is counted from its definition.
#pragma once

#include <array>
#include <vector>

#include "orrery/workload/operators/scope.h"
#include "orrery/workload/operators/tape.h"

namespace orrery::workload {

/// A weight matrix and what it is multiplied with: [tokens × in] · [in × Σ outputs], sizes of this
/// rank.
struct Linear {
  struct Output {
    const char* name = "";
    Amount features;
    bool bias = false;        ///< of this one
    std::int64_t pieces = 1;  ///< matrices side by side, where a framework keeps them apart
  };
  OpName name;
  Group group = Group::none;
  Amount tokens;
  Amount in;
  std::vector<Output> outputs;
  bool bias = false;  ///< of all outputs
  Share share = Share::dense;
  bool hidden_matrix = true;      ///< counts in Weights::matrices
  bool first_in_network = false;  ///< nobody wants its input's gradient: no dgrad
  Amount copies = 1;              ///< so many matrices (experts), which share the tokens out
  std::int64_t repeated = 0;      ///< ranks that multiply the same, see Tape::repeated; 0: twins
  bool narrow = true;  ///< false: never in less than the activations' format (Precision::products)
  bool adapter = false;  ///< its weights are trained where the model's are frozen
  /// What its products are, but for their passes and formats: a convolution. Sizes of 0: products.
  std::array<std::int64_t, graph::kKernelSizes> convolution{};
  std::int64_t slices = 1;  ///< so many products, one after another, share the tokens out
  Amount carried = 0;       ///< features that are gathered and reduced with the input, but not
                            ///< multiplied (column-parallel)

  [[nodiscard]] Amount out() const;
  [[nodiscard]] Amount biases() const;  ///< of the outputs, of one copy
};

/// What comes out, one tensor per output. `x` are its inputs side by side (usually one); they are
/// kept for the weights' gradient. No communication.
std::vector<Tensor> linear(Tape& tape, const Scope& scope, const Linear& shape,
                           const std::vector<Tensor>& x);

/// Column-parallel over tp (Shoeybi et al., 2019): every rank has all features of `x` and makes
/// some of the outputs. With sp `x` is cut by token: it is gathered before, and again in the
/// backward pass for the weights' gradient, beside dgrad (Korthikanti et al., 2023, section 4.2.2);
/// in the weight half where the backward pass is split.
/// Backward: all-reduce of the input's gradient (reduce-scatter with sp), beside wgrad. `gather`,
/// `reduce`: names of these ops.
struct ColumnNames {
  const char* gather;        ///< forward, sp
  const char* gather_again;  ///< backward, sp
  const char* reduce;        ///< backward
};
std::vector<Tensor> column_linear(Tape& tape, const Scope& scope, const Linear& shape,
                                  const ColumnNames& names, Tensor x);
#define ORRERY_COLUMN(text) \
  ::orrery::workload::ColumnNames { text ".gather", text ".gather.wgrad", text ".reduce.dgrad" }

/// Row-parallel over tp: every rank has some of the input features and makes a summand of the whole
/// output: all-reduce (reduce-scatter with sp); backward with sp: all-gather of the output's
/// gradient before dgrad. The bias is replicated.
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
/// Backward: both gradients; of frozen weights none.
[[nodiscard]] PerElement norm_flops(Norm norm, bool frozen);
[[nodiscard]] PerElement activation_flops(Mlp mlp);  ///< per element that comes out
inline constexpr PerElement softmax_flops{5, 8};
inline constexpr PerElement dropout_flops{1, 1};

/// A norm over `features` of each of `rows`; its weights are replicated (`weight_features` of them
/// without its bias; 0 = `features`). `beside_residual`: `x` is also the residual stream, whose
/// gradient is added behind.
struct NormShape {
  OpName name;
  Amount rows;
  Amount features;
  Amount weight_features = 0;
  Share share = Share::replicated;
  bool beside_residual = false;
  bool has_weights = true;
  bool rms = false;  ///< no bias, whatever the model's norms are
  Group group = Group::norm;
  const char* output = "normed";
};
Tensor norm(Tape& tape, const Scope& scope, const NormShape& shape, Tensor x);

/// stream + dropout(branch). `elements` of this rank; dropout as the model says.
Tensor residual(Tape& tape, const Scope& scope, const OpName& name, Group group, Amount elements,
                Tensor stream, Tensor branch);

/// Any element-wise operator: reads `x` (kept for its backward pass), makes `elements`.
struct Elementwise {
  OpName name;
  Group group = Group::none;
  Amount elements;      ///< that come out
  Amount features = 0;  ///< … for each row; 0: not said
  const char* output = "";
  PerElement flops;
  bool keeps_input = true;
};
Tensor elementwise(Tape& tape, const Scope& scope, const Elementwise& shape, Tensor x);

}  // namespace orrery::workload
