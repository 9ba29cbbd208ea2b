// SPDX-License-Identifier: Apache-2.0
//
// STAGE's operators. Each formula is derived from the generator's output (`stage_compat_test.cc`
// contains the totals of 23 runs) and from its published operator tables
// (astra-sim/symbolic_tensor_graph, sharding_spreadsheets/module3). Names begin with STAGE's class
// of operation.
#include "orrery/workload/stage_compat/stage_ops.h"

#include <algorithm>

namespace orrery::workload::stage_compat {

using graph::CollectiveType;

Wide StageSizes::layer_weights() const {
  const Wide attention = hidden * (hidden + 2 * kv) / tp + hidden * hidden / tp;
  const Wide mlp = (gated ? 3 : 2) * hidden * ffn / tp;
  if (experts == 0) return attention + mlp;
  return attention + experts / ep * mlp + hidden / ep * top_k;  // the router has top_k outputs
}

void OpList::wait(Stream stream) {
  if (std::find(pending_.begin(), pending_.end(), stream) == pending_.end())
    pending_.push_back(stream);
}

std::int64_t OpList::narrow(Wide value) {
  if (value <= Wide{1} << 62) return static_cast<std::int64_t>(value);
  fits_ = false;
  return 0;
}

void OpList::compute(Op op, Wide out) {
  op.phase = phase_;
  op.bytes = narrow(out);
  for (std::size_t i = 0; i < pending_.size() && i < op.waits.size(); ++i)
    op.waits[i] = pending_[i];
  pending_.clear();
  ops_.push_back(op);
}

void OpList::product(const char* name, Wide count, Wide out) {
  Op op;
  op.name = name;
  op.op_class = OpClass::matmul;
  op.matmul = narrow(count);
  compute(op, out);
}

void OpList::other(const char* name, Wide count, Wide out) {
  Op op;
  op.name = name;
  op.vector = narrow(count);
  compute(op, out);
}

void OpList::collective(const char* name, CollectiveType type, Axis axis, Stream stream, Wide size,
                        bool detached) {
  Op op;
  op.name = name;
  op.op_class = OpClass::communication;
  op.phase = phase_;
  op.kind = graph::NodeKind::coll;
  op.stream = stream;
  op.waits[0] = stream::compute;
  op.collective = type;
  op.axis = axis;
  op.size = narrow(size);
  ops_.push_back(op);
  if (!detached) wait(stream);
}

namespace {

/// Gathers tokens before a product that needs all of them.
void gather_tokens(const StageSizes& s, Wide whole, OpList& list) {
  if (s.tp > 1 && s.sp) {
    list.collective("gather", CollectiveType::all_gather, Axis::tp, stream::tp, whole / s.tp);
  }
}

/// Reduces the summands of all tp ranks after a product.
void reduce_tokens(const StageSizes& s, Wide whole, OpList& list) {
  if (s.tp == 1) return;
  list.collective("reduce", s.sp ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
                  Axis::tp, stream::tp, whole);
}

/// Gathers the weights of a sharded layer, once for the forward and once for the backward pass.
void gather_weights(const StageSizes& s, OpList& list) {
  if (s.shards > 1) {
    list.collective("weights", CollectiveType::all_gather, s.data, stream::gather,
                    s.layer_weights() / s.shards);
  }
}

/// Reduces a layer's gradients after each microbatch.
void reduce_gradients(const StageSizes& s, OpList& list) {
  list.phase(Phase::step);
  const Wide weights = s.layer_weights();
  if (s.shards == 1 && s.dp > 1) {
    list.collective("gradients", CollectiveType::all_reduce, s.data, stream::dp, weights, true);
  }
  if (s.cp > 1) {
    list.collective("gradients", CollectiveType::all_reduce, Axis::cp, stream::dp, weights, true);
  }
  if (s.shards > 1) {
    list.collective("gradients", CollectiveType::reduce_scatter, s.data, stream::dp, weights, true);
  }
}

void attention_forward(const StageSizes& s, OpList& list) {
  const Wide t = s.tokens, d = s.hidden;
  gather_tokens(s, t * d, list);
  list.product("M.qkv", t * d * (d + 2 * s.kv) / s.tp, t * (d + 2 * s.kv) / s.tp);
  list.each("SLICE.q", t * d / s.tp);
  list.each("SLICE.k", t * s.kv / s.tp);
  list.each("SLICE.v", t * s.kv / s.tp);
  if (s.cp > 1) {
    const Wide local = t * s.kv / s.tp;
    list.collective("gather_k", CollectiveType::all_gather, Axis::cp, stream::cp, local);
    list.collective("gather_v", CollectiveType::all_gather, Axis::cp, stream::cp, local);
  }
  // STAGE's error: linear in tokens
  list.other("CUSTOM.attention", 3 * t * d / s.tp, t * d / s.tp);
  list.product("M.out", t * d * d / s.tp, t * d);
  reduce_tokens(s, t * d, list);
}

void attention_backward(const StageSizes& s, OpList& list) {
  const Wide t = s.tokens, d = s.hidden, whole = t * s.cp * d / s.tp;
  gather_tokens(s, t * d, list);
  list.product("M.out.dgrad", t * d * d / s.tp, t * d / s.tp);
  list.phase(Phase::weight_grad);
  list.product("M.out.wgrad", t * d * d / s.tp, d * d / s.tp);
  list.phase(Phase::input_grad);
  list.other("CUSTOM.attention.dq", 6 * t * d / s.tp, t * d / s.tp);
  list.other("CUSTOM.attention.dk", 6 * t * d / s.tp, whole);
  list.other("CUSTOM.attention.dv", 6 * t * d / s.tp, whole);
  if (s.cp > 1) {
    list.collective("reduce_k", CollectiveType::reduce_scatter, Axis::cp, stream::cp, whole);
    list.collective("reduce_v", CollectiveType::reduce_scatter, Axis::cp, stream::cp, whole);
  }
  if (s.grouped) {
    list.each("SLICE.dk", t * s.kv / s.tp);
    list.each("SLICE.dv", t * s.kv / s.tp);
  }
  list.each("SLICE.dkv", t * 2 * s.kv / s.tp);
  list.each("SLICE.dqkv", t * (d + 2 * s.kv) / s.tp);
  gather_tokens(s, t * d, list);
  list.phase(Phase::weight_grad);
  list.product("M.qkv.wgrad", t * d * (d + 2 * s.kv) / s.tp, d * (d + 2 * s.kv) / s.tp);
  list.phase(Phase::input_grad);
  list.product("M.qkv.dgrad", t * d * (d + 2 * s.kv) / s.tp, t * d);
  reduce_tokens(s, t * d, list);
}

void norm_forward(const StageSizes& s, OpList& list) {
  list.other("E.norm", 5 * s.stream(), s.stream());
}

/// Adds the gradient of the residual to the block's before the norm.
void norm_backward(const StageSizes& s, OpList& list) {
  list.each("A.residual.grad", s.stream());
  list.other("E.norm.dgrad", 5 * s.stream(), s.stream());
}

}  // namespace

void mlp_forward(const StageSizes& s, Wide tokens, OpList& list) {
  const Wide inner = tokens * s.ffn / s.tp, in = tokens * s.hidden;
  gather_tokens(s, in, list);
  if (s.gated) list.product("M.up", inner * s.hidden, inner);
  list.product("M.gate", inner * s.hidden, inner);
  if (s.gated) list.product("M.gated", inner, inner);
  list.product("M.down", inner * s.hidden, in);
  reduce_tokens(s, in, list);
}

void mlp_backward(const StageSizes& s, Wide tokens, OpList& list) {
  const Wide inner = tokens * s.ffn / s.tp, in = tokens * s.hidden;
  const Wide weights = s.hidden * s.ffn / s.tp;
  gather_tokens(s, in, list);
  list.phase(Phase::weight_grad);
  list.product("M.down.wgrad", inner * s.hidden, weights);
  list.phase(Phase::input_grad);
  list.product("M.down.dgrad", inner * s.hidden, inner);
  if (s.gated) {
    list.product("M.gated.dup", inner, inner);
    list.product("M.gated.dgate", inner, inner);
  }
  gather_tokens(s, in, list);
  list.phase(Phase::weight_grad);
  if (s.gated) list.product("M.up.wgrad", inner * s.hidden, weights);
  list.product("M.gate.wgrad", inner * s.hidden, weights);
  list.phase(Phase::input_grad);
  if (s.gated) list.product("M.up.dgrad", inner * s.hidden, in);
  list.product("M.gate.dgrad", inner * s.hidden, in);
  if (s.gated) list.each("A.dgrad", in);
  reduce_tokens(s, in, list);
}

void layer_forward(const StageSizes& s, OpList& list) {
  gather_weights(s, list);
  norm_forward(s, list);
  attention_forward(s, list);
  list.each("A.residual", s.stream());
  norm_forward(s, list);
  s.experts == 0 ? mlp_forward(s, s.tokens, list) : experts_forward(s, list);
  list.each("A.residual", s.stream());
}

void layer_backward(const StageSizes& s, OpList& list) {
  gather_weights(s, list);
  s.experts == 0 ? mlp_backward(s, s.tokens, list) : experts_backward(s, list);
  norm_backward(s, list);
  attention_backward(s, list);
  norm_backward(s, list);
  reduce_gradients(s, list);
}

void layer_step(const StageSizes& s, OpList& list) {
  list.wait(stream::dp);
  list.each("CUSTOM.gradients", s.layer_weights() / s.shards);
  list.each("A.update", s.layer_weights() / s.shards);
}

// Tables are products with one-hot vectors, forward and backward, including the gradient of their
// input.

void embedding_forward(const StageSizes& s, OpList& list) {
  const Wide t = s.tokens;
  list.product("M.embedding", t * s.vocab * s.hidden / s.tp, s.stream());
  if (!s.sp) reduce_tokens(s, t * s.hidden, list);
}

void embedding_backward(const StageSizes& s, OpList& list) {
  const Wide count = s.tokens * s.vocab * s.hidden / s.tp;
  list.phase(Phase::weight_grad);
  list.product("M.embedding.wgrad", count, s.table_weights());
  list.phase(Phase::input_grad);
  list.product("M.embedding.dgrad", count, s.tokens * s.vocab / s.tp);
}

void head_forward(const StageSizes& s, OpList& list) {
  const Wide logits = s.tokens * s.vocab;
  list.product("M.head", logits * s.hidden / s.tp, s.sp ? logits / s.tp : logits);
  if (!s.sp) reduce_tokens(s, logits, list);
  list.other("E.loss", 5 * s.stream(), s.stream());
}

void head_backward(const StageSizes& s, OpList& list) {
  const Wide count = s.tokens * s.vocab * s.hidden / s.tp;
  list.other("E.loss.dgrad", 5 * s.stream(), s.stream());
  list.phase(Phase::weight_grad);
  list.product("M.head.wgrad", count, s.table_weights());
  list.phase(Phase::input_grad);
  list.product("M.head.dgrad", count, s.tokens * s.hidden / s.tp);
  if (!s.sp && s.tp > 1) {
    list.collective("gather", CollectiveType::all_gather, Axis::tp, stream::tp,
                    s.tokens * s.hidden / s.tp);
  }
}

void table_step(const StageSizes& s, OpList& list) {
  const Wide weights = s.table_weights();
  list.each("CUSTOM.gradients", weights);
  const auto reduce = [&](Axis axis) {
    list.collective("gradients", CollectiveType::all_reduce, axis, stream::dp, weights);
  };
  if (s.dp > 1) reduce(s.data);
  if (s.sp && s.tp > 1) reduce(Axis::tp);
  if (s.cp > 1) reduce(Axis::cp);
  list.each("A.update", weights);
}

}  // namespace orrery::workload::stage_compat
