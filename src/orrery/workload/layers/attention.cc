// SPDX-License-Identifier: Apache-2.0
//
// Attention with its projections. Several query heads share a head of keys and values (Ainslie et
// al., 2023). Tensor parallelism splits heads (Shoeybi et al., 2019).
#include "orrery/workload/layers/attention.h"

#include <algorithm>

#include "orrery/workload/layers/adapters.h"
#include "orrery/workload/layers/attention_core.h"
#include "orrery/workload/layers/mla.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/operators/unfused_op.h"

namespace orrery::workload {
namespace {

/// Rotary positions (Su et al., 2021): two products and an addition per element.
constexpr std::int64_t kRopeFlops = 3;

void rope(Tape& tape, const Scope& scope, HeadTensors& heads) {
  tape.begin(Group::qkv, {heads.q, heads.k});
  const Amount q = tape.bytes_of(heads.q), k = tape.bytes_of(heads.k);
  const Amount elements = (q + k) / heads.element;
  for (const bool back : {false, true}) {
    const Op whole = compute_op(
        back ? "rope.dgrad" : "rope", OpClass::vector, back ? Phase::input_grad : Phase::forward, 0,
        elements * kRopeFlops, Amount(2) * (q + k),
        elements_kernel(scope, graph::Operation::rotary, elements,
                        elements / std::max<std::int64_t>(1, scope.tokens.value())));
    const Op op = unfused_op(whole, scope, elements, back);
    if (back) {
      tape.backward(op);
    } else {
      tape.forward(op);
    }
  }
  heads.q = tape.output("attention.q", q);
  heads.k = tape.output("attention.k", k);
}

Tensor head_norm(Tape& tape, const Scope& scope, const OpName& name, std::int64_t heads,
                 const char* output, Tensor x) {
  NormShape shape;
  shape.name = name;
  shape.rows = scope.tokens * heads;
  shape.features = scope.model().head_size();
  shape.output = output;
  if (scope.model().qk_norm_wide) {
    shape.weight_features = shape.features * heads;
    shape.weight_kind = WeightKind::dense;
    shape.rms = true;
  }
  return norm(tape, scope, shape, x);
}

/// The shape of the model's attention core.
CoreShape core_of(const Scope& scope, const Attention& shape) {
  const Model& model = scope.model();
  CoreShape core;
  core.heads = heads_per_rank(scope, model.heads);
  core.kv_heads = heads_per_rank(scope, model.kv());
  core.key_dim = model.head_size();
  core.value_dim = model.head_size();
  core.queries = core.keys = scope.seq;
  core.causal = shape.causal;
  core.window = shape.window;
  core.biased = model.positions == Positions::relative || model.positions == Positions::alibi;
  return core;
}

}  // namespace

std::int64_t heads_per_rank(const Scope& scope, std::int64_t heads) {
  return (heads + scope.tp - 1) / scope.tp;
}

std::vector<Linear::Output> qkv_outputs(const Scope& scope) {
  const Model& model = scope.model();
  const Amount q = Amount(heads_per_rank(scope, model.heads)) * model.head_size();
  const Amount kv = Amount(heads_per_rank(scope, model.kv())) * model.head_size();
  return {{"attention.q", q, model.qkv_bias},
          {"attention.k", kv, model.qkv_bias},
          {"attention.v", kv, model.qkv_bias}};
}

Tensor attend(Tape& tape, const Scope& scope, const Attention& shape, HeadTensors heads) {
  const Model& model = scope.model();
  heads.element = scope.activation(1).value();
  const CoreShape core = core_of(scope, shape);
  if (shape.relative_table)
    tape.add_weights(WeightKind::dense, Amount(kRelativeBuckets) * core.heads);
  if (model.sinks) tape.add_weights(WeightKind::dense, Amount(core.heads));
  if (model.qk_norm) {
    heads.q = head_norm(tape, scope, ORRERY_OP("q_norm"), core.heads, "attention.q", heads.q);
    heads.k = head_norm(tape, scope, ORRERY_OP("k_norm"), core.kv_heads, "attention.k", heads.k);
  }
  if (model.positions == Positions::rope) rope(tape, scope, heads);
  return attention_core(tape, scope, core, heads.q, heads.k, heads.v);
}

Tensor attention(Tape& tape, const Scope& scope, const Attention& shape, Tensor x) {
  const Model& model = scope.model();
  if (model.mla) return mla(tape, scope, shape, x);
  Linear in;
  in.name = ORRERY_OP("qkv");
  in.group = Group::qkv;
  in.tokens = scope.tokens;
  in.in = model.hidden;
  in.outputs = qkv_outputs(scope);
  std::vector<Tensor> made = column_linear(tape, scope, in, ORRERY_COLUMN("qkv"), x);
  add_adapters(tape, scope, in, MatrixSplit::columns, qkv_adapters(in.in), x, made);
  const Tensor context = attend(tape, scope, shape, {made[0], made[1], made[2]});
  return project_out(tape, scope, in.outputs[0].features, context);
}

Tensor project_out(Tape& tape, const Scope& scope, Amount features, Tensor context) {
  const Model& model = scope.model();
  Linear out;
  out.name = ORRERY_OP("out");
  out.group = Group::out;
  out.tokens = scope.tokens;
  out.in = features;
  out.outputs = {{"attention.out", model.hidden, model.out_bias}};
  std::vector<Tensor> made = {row_linear(tape, scope, out, ORRERY_ROW("out"), {context})};
  add_adapters(tape, scope, out, MatrixSplit::rows, {{"out", ORRERY_ADAPTER("out"), features}},
               context, made);
  return made.front();
}

Tensor cross_attention(Tape& tape, const Scope& scope, const Scope& source_scope, Tensor x,
                       Tensor source) {
  const Model& model = scope.model();
  const std::vector<Linear::Output> all = qkv_outputs(scope);
  Linear q;
  q.name = ORRERY_OP("cross.q");
  q.group = Group::qkv;
  q.tokens = scope.tokens;
  q.in = model.hidden;
  q.outputs = {all[0]};
  Linear kv = q;
  kv.name = ORRERY_OP("cross.kv");
  kv.tokens = source_scope.tokens;
  kv.outputs = {all[1], all[2]};
  // The gradient of the source is the sum over the decoder's layers.
  tape.begin(Group::none, {source});
  const Amount size = tape.bytes_of(source);
  tape.backward(compute_op("cross.source.add", OpClass::vector, Phase::input_grad, 0,
                           source_scope.shard * model.hidden, Amount(3) * size));
  std::vector<Tensor> queries = column_linear(tape, scope, q, ORRERY_COLUMN("cross.q"), x);
  add_adapters(tape, scope, q, MatrixSplit::columns,
               {{"q", ORRERY_ADAPTER("cross.q"), q.in}, {"qkv", ORRERY_ADAPTER("cross.q"), q.in}},
               x, queries);
  std::vector<Tensor> made = column_linear(tape, scope, kv, ORRERY_COLUMN("cross.kv"), source);
  add_adapters(tape, source_scope, kv, MatrixSplit::columns,
               {{"k", ORRERY_ADAPTER("cross.k"), kv.in, 0},
                {"v", ORRERY_ADAPTER("cross.v"), kv.in, 1},
                {"qkv", ORRERY_ADAPTER("cross.kv"), kv.in, 0, 2}},
               source, made);
  CoreShape core = core_of(scope, {});
  core.causal = false;
  core.keys = source_scope.seq;
  core.biased = false;
  const Tensor context = attention_core(tape, scope, core, queries.front(), made[0], made[1]);
  return project_out(tape, scope, all[0].features, context);
}

}  // namespace orrery::workload
