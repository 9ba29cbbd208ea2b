// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/embedding_head.h"
#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;

constexpr std::int64_t kTokenBytes = 8;  ///< token numbers have 64 bits

/// Looks up token rows: no FLOPs, rows are read and written.
Tensor look_up(Tape& tape, const Scope& scope) {
  const Amount elements = scope.tokens * scope.model().hidden;
  const Amount whole = scope.activation(elements);
  const Amount shard = scope.activation(scope.shard * scope.model().hidden);
  graph::Kernel kernel = elements_kernel(scope, graph::Operation::embedding, scope.tokens);
  kernel.sizes[1] = ceil_div(scope.model().vocab, scope.tp).value();
  kernel.sizes[2] = scope.model().hidden;
  tape.begin(Group::none, {});
  tape.save("tokens", scope.tokens * kTokenBytes);
  tape.forward(compute_op("embedding", OpClass::lookup, Phase::forward, 0, 0,
                          scope.weight(elements) + whole, kernel));
  if (scope.tp > 1) {
    tape.forward(
        collective_op("embedding.reduce", Phase::forward,
                      scope.sp ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
                      Axis::tp, stream::tp, whole));
    tape.join_forward(stream::tp);
  }
  Op scatter = compute_op("embedding.wgrad", OpClass::lookup, Phase::weight_grad, 0, 0,
                          whole + scope.gradient(elements), kernel);
  if (scope.sp) {
    Op gather = collective_op("embedding.gather.wgrad", Phase::weight_grad,
                              CollectiveType::all_gather, Axis::tp, stream::tp, shard);
    gather.marks = stream::layer_register;
    tape.backward(gather);
    wait(scatter, stream::layer_register);
  }
  tape.backward(scatter);
  return tape.output("embedded", shard);
}

/// Adds rows of small tables: positions and token types.
Tensor add_tables(Tape& tape, const Scope& scope, std::int64_t tables, Tensor x) {
  const Amount elements = scope.shard * scope.model().hidden;
  const Amount size = scope.activation(elements);
  tape.begin(Group::none, {x});
  tape.set_gradient_bytes(x, 0);  // shares the gradient of the sum
  tape.forward(compute_op("embedding.add", OpClass::vector, Phase::forward, 0, elements * tables,
                          Amount(2) * size + scope.weight(elements * tables)));
  tape.backward(compute_op("embedding.add.wgrad", OpClass::vector, Phase::weight_grad, 0,
                           elements * tables, size + scope.gradient(elements * tables)));
  return tape.output("embedded", size);
}

Tensor drop(Tape& tape, const Scope& scope, Tensor x) {
  const Amount elements = scope.shard * scope.model().hidden;
  const Amount size = scope.activation(elements);
  const graph::Kernel kernel = elements_kernel(scope, graph::Operation::dropout, elements);
  tape.begin(Group::none, {x});
  tape.save("embedding.dropout.mask", elements);
  tape.forward(compute_op("embedding.dropout", OpClass::vector, Phase::forward, 0,
                          elements * dropout_flops.forward, Amount(2) * size + elements, kernel),
               size);
  tape.backward(compute_op("embedding.dropout.dgrad", OpClass::vector, Phase::input_grad, 0,
                           elements * dropout_flops.backward, Amount(2) * size + elements, kernel));
  return tape.output("embedded", size);
}

/// The complete embedding of the tokens of `scope`.
Tensor embed(Tape& tape, const Scope& scope) {
  const Model& model = scope.model();
  Tensor x = look_up(tape, scope);
  const std::int64_t tables =
      (model.positions == Positions::learned ? 1 : 0) + (model.token_types > 0 ? 1 : 0);
  if (tables > 0) x = add_tables(tape, scope, tables, x);
  if (model.embedding_norm) {
    NormShape shape;
    shape.name = ORRERY_OP("embedding_norm");
    shape.rows = scope.shard;
    shape.features = model.hidden;
    shape.has_weights = false;  // its weights are counted once, below
    x = norm(tape, scope, shape, x);
  }
  if (model.dropout) x = drop(tape, scope, x);
  return x;
}

}  // namespace

Tensor embed_tokens(Tape& tape, const Scope& scope) { return look_up(tape, scope); }

Result<LoweredPart> lower_embedding(const Scope& scope, const Scope* source) {
  const Model& model = scope.model();
  Tape tape(scope, "embedding", false);
  tape.add_weights(WeightKind::dense, ceil_div(model.vocab, scope.tp) * model.hidden);
  if (model.positions == Positions::learned) {
    const std::int64_t rows = model.max_positions != 0 ? model.max_positions : scope.seq;
    tape.add_weights(WeightKind::replicated, Amount(rows) * model.hidden);
  }
  tape.add_weights(WeightKind::replicated, Amount(model.token_types) * model.hidden);
  if (model.embedding_norm)
    tape.add_weights(WeightKind::replicated,
                     Amount(model.norm == Norm::layernorm ? 2 : 1) * model.hidden);
  const Tensor own = embed(tape, scope);
  const Tensor first = source != nullptr ? embed(tape, *source) : own;
  if (scope.is_frozen()) tape.end_gradients();
  if (source == nullptr) return tape.finish({own});
  return tape.finish({first, own});
}

}  // namespace orrery::workload
