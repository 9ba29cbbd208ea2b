// SPDX-License-Identifier: Apache-2.0
//
// Complete layers.
#include "orrery/workload/layers/adapters.h"
#include "orrery/workload/layers/attention.h"
#include "orrery/workload/layers/blocks.h"
#include "orrery/workload/layers/mlp.h"

namespace orrery::workload {
namespace {

Tensor add(Tape& tape, const Scope& scope, const OpName& name, Group group, Tensor stream,
           Tensor branch) {
  return residual(tape, scope, name, group, scope.shard * scope.model().hidden, stream, branch);
}

/// Attention and MLP after one norm, with merged matrices: one product in, one product out, and one
/// sum over tp for both (as in PaLM, Chowdhery et al., 2022, section 2).
Tensor joint_branches(Tape& tape, const Scope& scope, const Attention& shape, Tensor x) {
  const Model& model = scope.model();
  Linear in;
  in.name = ORRERY_OP("qkv_mlp_up");
  in.group = Group::qkv;
  in.tokens = scope.tokens;
  in.in = model.hidden;
  in.outputs = qkv_outputs(scope);
  const Amount context_features = in.outputs[0].features;
  in.outputs.push_back(mlp_up_output(scope, model.inner()));
  std::vector<Tensor> made = column_linear(tape, scope, in, ORRERY_COLUMN("qkv_mlp_up"), x);
  add_adapters(tape, scope, in, MatrixSplit::columns, qkv_adapters(in.in), x, made);
  add_adapters(tape, scope, in, MatrixSplit::columns, mlp_adapters(in.in, 3), x, made);
  const Tensor context = attend(tape, scope, shape, {made[0], made[1], made[2]});
  const Tensor act = mlp_activation(tape, scope, model.inner(), made[3]);
  Linear out;
  out.name = ORRERY_OP("out_mlp_down");
  out.group = Group::out;
  out.tokens = scope.tokens;
  out.in = context_features + ceil_div(model.inner(), scope.tp);
  out.outputs = {{"block.out", model.hidden, model.out_bias || model.mlp_bias}};
  if (model.out_bias && model.mlp_bias) tape.add_weights(WeightKind::replicated, model.hidden);
  std::vector<Tensor> sum = {
      row_linear(tape, scope, out, ORRERY_ROW("out_mlp_down"), {context, act})};
  add_adapters(tape, scope, out, MatrixSplit::rows,
               {{"out", ORRERY_ADAPTER("out"), context_features}}, context, sum);
  add_adapters(tape, scope, out, MatrixSplit::rows,
               {{"mlp_down", ORRERY_ADAPTER("mlp_down"), ceil_div(model.inner(), scope.tp)}}, act,
               sum);
  return sum.front();
}

/// Attention and MLP or experts after one norm.
Tensor parallel_layer(Tape& tape, const Scope& scope, const Layer& layer, Tensor x) {
  const Model& model = scope.model();
  const Tensor normed = hidden_norm(tape, scope, ORRERY_OP("norm"), x, true);
  if (!layer.experts && !model.mla && !model.post_norms) {
    const Tensor both = joint_branches(tape, scope, layer.attention, normed);
    return add(tape, scope, ORRERY_OP("residual"), Group::out, x, both);
  }
  Tensor first = attention(tape, scope, layer.attention, normed);
  if (model.post_norms) first = hidden_norm(tape, scope, ORRERY_OP("attention_post_norm"), first);
  const Tensor sum = add(tape, scope, ORRERY_OP("attention_residual"), Group::out, x, first);
  Tensor second =
      layer.experts ? moe(tape, scope, normed) : mlp(tape, scope, model.inner(), normed);
  if (model.post_norms) second = hidden_norm(tape, scope, ORRERY_OP("mlp_post_norm"), second);
  return add(tape, scope, ORRERY_OP("mlp_residual"), Group::mlp_down, sum, second);
}

}  // namespace

Tensor attention_layer(Tape& tape, const Scope& scope, const Attention& shape, Tensor x) {
  const Tensor normed = hidden_norm(tape, scope, ORRERY_OP("attention_norm"), x, true);
  Tensor branch = attention(tape, scope, shape, normed);
  if (scope.model().post_norms)
    branch = hidden_norm(tape, scope, ORRERY_OP("attention_post_norm"), branch);
  return add(tape, scope, ORRERY_OP("attention_residual"), Group::out, x, branch);
}

Tensor cross_attention_layer(Tape& tape, const Scope& scope, const Scope& source_scope, Tensor x,
                             Tensor source) {
  const Tensor normed = hidden_norm(tape, scope, ORRERY_OP("cross_norm"), x, true);
  const Tensor branch = cross_attention(tape, scope, source_scope, normed, source);
  return add(tape, scope, ORRERY_OP("cross_residual"), Group::out, x, branch);
}

Tensor mlp_layer(Tape& tape, const Scope& scope, bool experts, Tensor x) {
  const Model& model = scope.model();
  const Tensor normed = hidden_norm(tape, scope, ORRERY_OP("mlp_norm"), x, true);
  Tensor branch = experts ? moe(tape, scope, normed) : mlp(tape, scope, model.inner(), normed);
  if (model.post_norms) branch = hidden_norm(tape, scope, ORRERY_OP("mlp_post_norm"), branch);
  return add(tape, scope, ORRERY_OP("mlp_residual"), Group::mlp_down, x, branch);
}

Tensor transformer_layer(Tape& tape, const Scope& scope, const Layer& layer, Tensor x) {
  if (scope.model().parallel_block) return parallel_layer(tape, scope, layer, x);
  return mlp_layer(tape, scope, layer.experts, attention_layer(tape, scope, layer.attention, x));
}

}  // namespace orrery::workload
