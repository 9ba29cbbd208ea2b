// SPDX-License-Identifier: Apache-2.0
//
// Two matrices (Vaswani et al., 2017), or three with a gate (Shazeer, arXiv 2002.05202). Tensor
// parallelism splits the first by column and the last by row.
#include "orrery/workload/layers/mlp.h"

#include "orrery/workload/layers/adapters.h"

namespace orrery::workload {

Linear::Output mlp_up_output(const Scope& scope, std::int64_t inner) {
  const Model& model = scope.model();
  return {"mlp.up", ceil_div(inner, scope.tp) * (is_gated(model.mlp) ? 2 : 1), model.mlp_bias,
          is_gated(model.mlp) ? 2 : 1};
}

Tensor mlp_activation(Tape& tape, const Scope& scope, std::int64_t inner, Tensor up) {
  const Model& model = scope.model();
  Elementwise act;
  act.name = ORRERY_OP("activation");
  act.group = Group::activation;
  act.features = ceil_div(inner, scope.tp);
  act.elements = scope.tokens * act.features;
  act.output = "mlp.activation";
  act.flops = activation_flops(model.mlp);
  act.saves_input = model.mlp != Mlp::relu;  // relu: its output shows which inputs were positive
  return elementwise(tape, scope, act, up);
}

Tensor mlp(Tape& tape, const Scope& scope, std::int64_t inner, Tensor x) {
  const Model& model = scope.model();
  Linear up;
  up.name = ORRERY_OP("mlp_up");
  up.group = Group::mlp_up;
  up.tokens = scope.tokens;
  up.in = model.hidden;
  up.outputs = {mlp_up_output(scope, inner)};
  std::vector<Tensor> made = column_linear(tape, scope, up, ORRERY_COLUMN("mlp_up"), x);
  add_adapters(tape, scope, up, MatrixSplit::columns, mlp_adapters(up.in), x, made);
  const Tensor act = mlp_activation(tape, scope, inner, made.front());
  Linear down;
  down.name = ORRERY_OP("mlp_down");
  down.group = Group::mlp_down;
  down.tokens = scope.tokens;
  down.in = ceil_div(inner, scope.tp);
  down.outputs = {{"mlp.down", model.hidden, model.mlp_bias}};
  std::vector<Tensor> out = {row_linear(tape, scope, down, ORRERY_ROW("mlp_down"), {act})};
  add_adapters(tape, scope, down, MatrixSplit::rows,
               {{"mlp_down", ORRERY_ADAPTER("mlp_down"), down.in}}, act, out);
  return out.front();
}

}  // namespace orrery::workload
