// SPDX-License-Identifier: Apache-2.0

#include "orrery/workload/layers/embedding_head.h"
#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::Operation;

/// Features of the next token and of the activations, side by side.
Tensor concatenate(Tape& tape, const Scope& scope, Tensor next, Tensor x) {
  const Amount elements = scope.shard * scope.model().hidden * 2;
  const Amount size = scope.activation(elements);
  const graph::Kernel kernel =
      elements_kernel(scope, Operation::copy, elements, scope.model().hidden);
  tape.begin(Group::none, {next, x});
  tape.forward(compute_op("mtp.join", OpClass::vector, Phase::forward, 0, 0, size * 2, kernel));
  tape.backward(
      compute_op("mtp.join.dgrad", OpClass::vector, Phase::input_grad, 0, 0, size * 2, kernel));
  return tape.output("mtp.joined", size);
}

/// Column-parallel, and the outputs are gathered. With sp each rank keeps its own tokens.
Tensor project_joined(Tape& tape, const Scope& scope, Tensor x) {
  const Amount hidden = scope.model().hidden;
  Linear shape;
  shape.name = ORRERY_OP("mtp.project");
  shape.tokens = scope.tokens;
  shape.in = hidden * 2;
  shape.outputs = {{"mtp.projected", ceil_div(hidden, scope.tp)}};
  const Tensor made = column_linear(tape, scope, shape, ORRERY_COLUMN("mtp.project"), x).front();
  if (scope.tp == 1) return made;
  tape.begin(Group::none, {made});
  tape.forward(collective_op("mtp.gather", Phase::forward, CollectiveType::all_gather, Axis::tp,
                             stream::tp, tape.bytes_of(made)));
  tape.join_forward(stream::tp);
  const Amount own = scope.activation(scope.shard * hidden);
  if (scope.sp) {
    tape.backward(collective_op("mtp.gather.dgrad", Phase::input_grad, CollectiveType::all_gather,
                                Axis::tp, stream::tp, own));
    tape.join_backward(stream::tp);
    tape.add_scratch(scope.activation(scope.tokens * hidden));
  }
  return tape.output("mtp.gathered", own);
}

}  // namespace

Result<LoweredPart> lower_prediction_layer(const Scope& scope, const Layer& layer, bool first) {
  const Model& model = scope.model();
  const Amount size = scope.activation(scope.shard * model.hidden);
  Tape tape(scope, "mtp layer", true);
  // The head that follows the module before it retains its input.
  const Tensor past = tape.borrowed_input("mtp.main", size);
  const Tensor x = tape.borrowed_input("layer.input", size);
  const bool copies = first && !model.tied_embeddings && scope.spec->parallel.pp > 1;
  tape.add_weights(copies ? WeightKind::dense : WeightKind::tied,
                   ceil_div(model.vocab, scope.tp) * model.hidden);
  const Tensor next = embed_tokens(tape, scope);
  const Tensor left = hidden_norm(tape, scope, ORRERY_OP("mtp.token_norm"), next);
  const Tensor right = hidden_norm(tape, scope, ORRERY_OP("mtp.norm"), x, true);
  const Tensor projected = project_joined(tape, scope, concatenate(tape, scope, left, right));
  const Tensor out = transformer_layer(tape, scope, layer, projected);
  Result<LoweredPart> part = tape.finish({out, past});
  if (part) part->part.is_layer = false;
  return part;
}

Result<LoweredPart> lower_prediction_head(const Scope& scope) {
  const Amount size = scope.activation(scope.shard * scope.model().hidden);
  Tape tape(scope, "mtp head", false);
  const Tensor past = tape.borrowed_input("mtp.main", size);
  const Tensor x = tape.input("head.input", size);
  const Tensor normed = hidden_norm(tape, scope, ORRERY_OP("mtp.final_norm"), x);
  add_loss(tape, scope, normed, WeightKind::tied);
  return tape.finish({x, past});
}

}  // namespace orrery::workload
