// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/mla.h"

#include "orrery/workload/layers/adapters.h"
#include "orrery/workload/layers/attention.h"
#include "orrery/workload/layers/attention_core.h"
#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

Linear down(const Scope& scope, const OpName& name, std::vector<Linear::Output> outputs) {
  Linear shape;
  shape.name = name;
  shape.tokens = scope.shard;
  shape.in = scope.model().hidden;
  shape.outputs = std::move(outputs);
  shape.weight_kind = WeightKind::replicated;
  shape.duplicate_ranks = scope.equivalent_ranks();
  return shape;
}

Linear up(const Scope& scope, const OpName& name, Amount in, std::vector<Linear::Output> outputs) {
  Linear shape;
  shape.name = name;
  shape.group = Group::latent_up;
  shape.tokens = scope.tokens;
  shape.in = in;
  shape.outputs = std::move(outputs);
  return shape;
}

Tensor latent_norm(Tape& tape, const Scope& scope, const OpName& name, Amount rank,
                   const char* output, Tensor x) {
  NormShape shape;
  shape.name = name;
  shape.rows = scope.shard;
  shape.features = rank;
  shape.rms = true;
  shape.output = output;
  return norm(tape, scope, shape, x);
}

Tensor queries(Tape& tape, const Scope& scope, Amount features, Tensor x) {
  const std::int64_t rank = scope.model().mla->q_rank;
  const std::vector<Linear::Output> made = {{"mla.q", features}};
  if (rank == 0) {
    const Linear shape = up(scope, ORRERY_OP("q"), scope.model().hidden, made);
    std::vector<Tensor> q = column_linear(tape, scope, shape, ORRERY_COLUMN("q"), x);
    add_adapters(tape, scope, shape, MatrixSplit::columns, {{"q", ORRERY_ADAPTER("q"), shape.in}},
                 x, q);
    return q.front();
  }
  const Linear first = down(scope, ORRERY_OP("q_down"), {{"mla.q.latent", rank}});
  std::vector<Tensor> latent = linear(tape, scope, first, {x});
  add_adapters(tape, scope, first, MatrixSplit::none,
               {{"q_down", ORRERY_ADAPTER("q_down"), first.in}}, x, latent);
  const Tensor normed =
      latent_norm(tape, scope, ORRERY_OP("q_latent_norm"), rank, "mla.q.normed", latent.front());
  const Linear second = up(scope, ORRERY_OP("q_up"), rank, made);
  std::vector<Tensor> q = column_linear(tape, scope, second, ORRERY_COLUMN("q_up"), normed);
  add_adapters(tape, scope, second, MatrixSplit::columns, {{"q_up", ORRERY_ADAPTER("q_up"), rank}},
               normed, q);
  return q.front();
}

/// Rotates the rotary parts, and appends the shared one of the keys to every head.
HeadTensors rotate(Tape& tape, const Scope& scope, Amount heads, Tensor q,
                   const std::vector<Tensor>& kv, Tensor k_rope) {
  const Mla& mla = *scope.model().mla;
  const Amount turned = scope.tokens * (heads + 1) * mla.rope_dim;
  const Amount keys = scope.activation(scope.tokens * heads * (mla.nope_dim + mla.rope_dim));
  const Amount moved = Amount(2) * scope.activation(turned) + tape.bytes_of(kv[0]) + keys;
  tape.begin(Group::latent_up, {q, kv[0], k_rope});
  const graph::Kernel kernel =
      elements_kernel(scope, graph::Operation::rotary, turned, (heads + 1) * mla.rope_dim);
  tape.forward(
      compute_op("rope", OpClass::vector, Phase::forward, 0, Amount(3) * turned, moved, kernel));
  tape.backward(compute_op("rope.dgrad", OpClass::vector, Phase::input_grad, 0, Amount(3) * turned,
                           moved, kernel));
  return {tape.output("attention.q", tape.bytes_of(q)), tape.output("attention.k", keys), kv[1]};
}

}  // namespace

Tensor mla(Tape& tape, const Scope& scope, const Attention& shape, Tensor x) {
  const Mla& mla = *scope.model().mla;
  const std::int64_t heads = heads_per_rank(scope, scope.model().heads);
  const Tensor q = queries(tape, scope, Amount(heads) * (mla.nope_dim + mla.rope_dim), x);

  const Linear first = down(scope, ORRERY_OP("kv_down"),
                            {{"mla.kv.latent", mla.kv_rank}, {"mla.k_rope", mla.rope_dim}});
  std::vector<Tensor> latent = linear(tape, scope, first, {x});
  add_adapters(tape, scope, first, MatrixSplit::none,
               {{"kv_down", ORRERY_ADAPTER("kv_down"), first.in, 0, 2}}, x, latent);
  const Tensor normed = latent_norm(tape, scope, ORRERY_OP("kv_latent_norm"), mla.kv_rank,
                                    "mla.kv.normed", latent[0]);
  Linear second =
      up(scope, ORRERY_OP("kv_up"), mla.kv_rank,
         {{"mla.k", Amount(heads) * mla.nope_dim}, {"attention.v", Amount(heads) * mla.v_dim}});
  second.carried_features = mla.rope_dim;
  std::vector<Tensor> kv = column_linear(tape, scope, second, ORRERY_COLUMN("kv_up"), normed);
  add_adapters(tape, scope, second, MatrixSplit::columns,
               {{"kv_up", ORRERY_ADAPTER("kv_up"), mla.kv_rank, 0, 2}}, normed, kv);
  const HeadTensors made = rotate(tape, scope, heads, q, kv, latent[1]);

  CoreShape core;
  core.heads = core.kv_heads = heads;
  core.key_dim = mla.nope_dim + mla.rope_dim;
  core.value_dim = mla.v_dim;
  core.queries = core.keys = scope.seq;
  core.causal = shape.causal;
  core.window = shape.window;
  const Tensor context = attention_core(tape, scope, core, made.q, made.k, made.v);
  return project_out(tape, scope, Amount(heads) * mla.v_dim, context);
}

}  // namespace orrery::workload
