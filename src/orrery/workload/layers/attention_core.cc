// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/attention_core.h"

#include <algorithm>

#include "orrery/workload/layers/unfused_softmax.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using graph::Operation;

/// Twice the number of computed pairs of query and key, of one head and sequence.
Amount double_pairs(const Scope& scope, const CoreShape& core) {
  const Amount queries = core.queries, keys = core.keys;
  if (!scope.spec->kernels.flash_attention) return Amount(2) * queries * keys;
  const std::int64_t seen = core.window != 0 ? std::min(core.window, core.keys) : core.keys;
  if (!core.causal) return Amount(2) * queries * seen;
  return Amount(2) * queries * seen - Amount(seen) * seen;
}

/// FLOPs and bytes of the core on this rank.
struct Sizes {
  Amount pairs;             ///< number of scores
  Amount flops;             ///< FLOPs of both products
  Amount key_flops;         ///< FLOPs of queries × keys
  Amount q, k, v, context;  ///< bytes
  Amount statistics;        ///< bytes of the softmax's normalizers
  Amount widening = 1;      ///< bytes of a gradient of q, k or v per byte of q, k or v
};

Sizes sizes(const Scope& scope, const CoreShape& core, Amount q, Amount k, Amount v) {
  const Amount doubled = Amount(scope.micro) * core.heads * double_pairs(scope, core);
  const Amount query_tokens = ceil_div(Amount(scope.micro) * core.queries, scope.cp);
  Sizes all;
  all.pairs = doubled / 2 / scope.cp;
  all.key_flops = doubled * core.key_dim / scope.cp;
  all.flops = core_flops(scope, core);
  all.q = q;
  all.k = k;
  all.v = v;
  all.context = scope.activation(query_tokens * core.heads * core.value_dim);
  all.statistics = Amount(4) * query_tokens * core.heads;
  if (attends_in_8_bits(*scope.spec)) all.widening = scope.activation(1);
  return all;
}

/// The share of block `index` of `blocks`; the first one also has the remainder.
Amount share(Amount whole, std::int64_t blocks, std::int64_t index) {
  const Amount part = whole / blocks;
  return index == 0 ? whole - part * (blocks - 1) : part;
}

/// The ops of one block.
class Block {
 public:
  Block(const Scope& scope, const CoreShape& core, const Sizes& all, std::int64_t blocks,
        std::int64_t index)
      : scope_(scope),
        pairs_(share(all.pairs, blocks, index)),
        key_flops_(share(all.key_flops, blocks, index)),
        value_flops_(share(all.flops, blocks, index) - key_flops_),
        scores_(scope.activation(pairs_)),
        q_(all.q),
        k_(all.k / blocks),
        v_(all.v / blocks),
        context_(all.context),
        statistics_(all.statistics),
        widening_(all.widening),
        biased_(core.biased),
        dropout_(scope.model().dropout),
        batch_(scope.micro),
        heads_(core.heads),
        kv_heads_(core.kv_heads),
        queries_(ceil_div(Amount(core.queries), scope.cp)),
        keys_(ceil_div(Amount(core.keys), blocks)),
        key_dim_(core.key_dim),
        value_dim_(core.value_dim),
        window_(core.window),
        rows_(batch_ * heads_ * queries_),
        causal_(core.causal),
        in_pieces_(is_softmax_unfused(scope, core)) {
    // The contexts of two blocks are scaled by their normalizers and added.
    if (index > 0) merge_ = Amount(3) * (context_ / scope.activation(1).value());
  }

  void forward(Tape& tape) const {
    if (scope_.spec->kernels.flash_attention) {
      tape.forward(compute_op("attention", OpClass::attention, Phase::forward,
                              key_flops_ + value_flops_, pairs_ * per_score(false) + merge_,
                              q_ + k_ + v_ + context_ + statistics_, flash(graph::Pass::forward)));
      return;
    }
    tape.forward(compute_op("attention.scores", OpClass::attention, Phase::forward, key_flops_, 0,
                            q_ + k_ + scores_, product(keys_, key_dim_, 1)));
    if (in_pieces_) {
      unfused_softmax_forward(tape, scope_, rows_, keys_);
    } else {
      tape.forward(compute_op("attention.softmax", OpClass::vector, Phase::forward, 0,
                              pairs_ * (softmax_flops.forward + (biased_ ? 1 : 0)),
                              scores_ + scores_, softmax()));
    }
    if (dropout_)
      tape.forward(compute_op("attention.dropout", OpClass::vector, Phase::forward, 0,
                              pairs_ * dropout_flops.forward, scores_ + scores_ + pairs_,
                              elements_kernel(scope_, Operation::dropout, pairs_)),
                   scores_);
    tape.forward(compute_op("attention.context", OpClass::attention, Phase::forward, value_flops_,
                            merge_, scores_ + v_ + context_, product(value_dim_, keys_, 1)));
  }

  void backward(Tape& tape) const {
    if (scope_.spec->kernels.flash_attention) {
      // Recomputes the scores; then the gradients of values, probabilities, queries and keys.
      Op op =
          compute_op("attention.dgrad", OpClass::attention, Phase::input_grad,
                     Amount(3) * key_flops_ + Amount(2) * value_flops_, pairs_ * per_score(true),
                     (q_ + k_ + v_) * (widening_ + 1) + Amount(2) * context_ + statistics_,
                     flash(graph::Pass::backward));
      op.repeated_flops = key_flops_.value();
      tape.backward(op);
      return;
    }
    // Gradients of probabilities, then of values.
    tape.backward(compute_op("attention.context.dgrad", OpClass::attention, Phase::input_grad,
                             value_flops_, 0, scores_ + v_ + context_,
                             product(keys_, value_dim_, 1)));
    tape.backward(compute_op("attention.context.dgrad", OpClass::attention, Phase::input_grad,
                             value_flops_, 0, scores_ + v_, product(value_dim_, keys_, 1)));
    if (dropout_)
      tape.backward(compute_op("attention.dropout.dgrad", OpClass::vector, Phase::input_grad, 0,
                               pairs_ * dropout_flops.backward, scores_ + scores_ + pairs_,
                               elements_kernel(scope_, Operation::dropout, pairs_)));
    if (in_pieces_) {
      unfused_softmax_backward(tape, scope_, rows_, keys_);
    } else {
      tape.backward(compute_op("attention.softmax.dgrad", OpClass::vector, Phase::input_grad, 0,
                               pairs_ * (softmax_flops.backward + (biased_ ? 1 : 0)),
                               Amount(3) * scores_, softmax()),
                    scores_);
    }
    tape.backward(compute_op("attention.scores.dgrad", OpClass::attention, Phase::input_grad,
                             Amount(2) * key_flops_, 0, scores_ + Amount(2) * (q_ + k_),
                             product(key_dim_, keys_, 2)));
  }

 private:
  [[nodiscard]] std::int64_t per_score(bool back) const {
    std::int64_t flops = back ? softmax_flops.backward : softmax_flops.forward;
    if (dropout_) flops += back ? dropout_flops.backward : dropout_flops.forward;
    return flops + (biased_ ? 1 : 0);
  }

  [[nodiscard]] graph::Kernel of(Operation operation, graph::Pass pass) const {
    graph::Kernel kernel;
    kernel.operation = operation;
    kernel.pass = pass;
    kernel.a = kernel.b = kernel.out = vector_format(*scope_.spec);
    return kernel;
  }
  [[nodiscard]] graph::Kernel flash(graph::Pass pass) const {
    graph::Kernel kernel = of(Operation::attention, pass);
    kernel.sizes = {batch_.value(), heads_.value(),   kv_heads_.value(),  queries_.value(),
                    keys_.value(),  key_dim_.value(), value_dim_.value(), window_.value()};
    if (attends_in_8_bits(*scope_.spec)) kernel.a = kernel.b = graph::Format::fp8;
    if (causal_) kernel.traits = graph::kCausal;
    const AttentionKernels own = scope_.spec->kernels.attention_kernels();
    if (own != AttentionKernels::newest) kernel.traits |= graph::kPortable;
    if (own == AttentionKernels::flash_attention_triton) kernel.traits |= graph::kFlashAttention1;
    return kernel;
  }
  /// `products` batched products over all heads, of size queries × `n` × `k`, one launch each.
  [[nodiscard]] graph::Kernel product(Amount n, Amount k, std::int64_t products) const {
    // compute_op sets the pass
    graph::Kernel kernel = of(Operation::batched_gemm, graph::Pass::forward);
    kernel.launches = static_cast<std::uint32_t>(products);
    kernel.sizes = {(batch_ * heads_ * products).value(), queries_.value(), n.value(), k.value()};
    return kernel;
  }
  [[nodiscard]] graph::Kernel softmax() const {
    return rows_kernel(scope_, Operation::softmax, rows_, keys_);
  }

  const Scope& scope_;
  Amount pairs_, key_flops_, value_flops_, scores_, q_, k_, v_, context_, statistics_, widening_,
      merge_;
  bool biased_;
  bool dropout_;
  Amount batch_, heads_, kv_heads_, queries_, keys_, key_dim_, value_dim_, window_, rows_;
  bool causal_;
  bool in_pieces_;
};

/// Whether casts to fp8 also write each tensor transposed, for the gradients' products: blocks of
/// scales follow the rows that a product reads (Transformer Engine, user guide, "MXFP8").
bool casts_twice(const Scope& scope) { return scope.spec->precision.scaling == Scaling::mx; }

Op cast_op(const Scope& scope, const char* name, Phase phase, Amount elements) {
  const bool two_passes = scope.spec->precision.scaling == Scaling::tensor;
  graph::Kernel kernel = elements_kernel(scope, Operation::cast, elements);
  kernel.out = casts_twice(scope) ? graph::Format::fp8_mx : graph::Format::fp8;
  if (two_passes) kernel.launches = 2;
  return compute_op(
      name, OpClass::vector, phase, 0, elements * 2,
      scope.activation(elements * (two_passes ? 2 : 1)) + elements * (casts_twice(scope) ? 2 : 1),
      kernel);
}

/// Queries, keys or values in fp8.
Tensor cast_to_fp8(Tape& tape, const Scope& scope, const char* name, Tensor from) {
  const Amount elements = tape.bytes_of(from) / scope.activation(1).value();
  tape.begin(Group::attention, {from});
  tape.forward(cast_op(scope, "attention.cast", Phase::forward, elements));
  if (casts_twice(scope)) tape.save("attention.transposed", elements);
  const Tensor narrow = tape.output(name, elements);
  tape.set_gradient_bytes(narrow, tape.bytes_of(from));
  return narrow;
}

/// The cast of the context's gradient, before the blocks of the backward pass.
void cast_gradient(Tape& tape, const Scope& scope, const Sizes& all) {
  if (!attends_in_8_bits(*scope.spec)) return;
  tape.backward(cast_op(scope, "attention.cast.dgrad", Phase::input_grad,
                        all.context / scope.activation(1).value()));
}

/// Saves the tensors that the backward pass reads. Without flash attention and in half precision
/// these are the 5as/h of Korthikanti et al., equation 1: probabilities, the dropout mask and the
/// dropout result.
void save_for_backward(Tape& tape, const Scope& scope, const CoreShape& core, const Sizes& all,
                       std::initializer_list<Tensor> inputs) {
  for (const Tensor tensor : inputs) tape.save(tensor);
  if (scope.spec->kernels.flash_attention) {
    tape.save("attention.statistics", all.statistics);
    return;
  }
  // Without dropout's copy, the product of probabilities and values saves its input.
  const bool in_pieces = is_softmax_unfused(scope, core), dropout = scope.model().dropout;
  if (in_pieces) tape.save(tape.output("attention.softmax", unfused_softmax_saved(all.pairs)));
  if (!in_pieces || !dropout)
    tape.save(tape.output("attention.probabilities", scope.activation(all.pairs)));
  if (!dropout) return;
  tape.save("attention.dropout.mask", all.pairs);
  tape.save(tape.output("attention.dropout", scope.activation(all.pairs)));
}

Tensor make_context(Tape& tape, const Scope& scope, const Sizes& all) {
  const Tensor context = tape.lasting_output("attention.context", all.context);
  if (scope.spec->kernels.flash_attention) tape.save(context);
  return context;
}

Tensor whole(Tape& tape, const Scope& scope, const CoreShape& core, const Sizes& all,
             std::initializer_list<Tensor> inputs) {
  tape.begin(Group::attention, inputs);
  const Block block(scope, core, all, 1, 0);
  block.forward(tape);
  cast_gradient(tape, scope, all);
  block.backward(tape);
  save_for_backward(tape, scope, core, all, inputs);
  return make_context(tape, scope, all);
}

/// A collective of queries, keys or values, in the format in which they are attended.
Op attended(const Scope& scope, Op op) {
  if (attends_in_8_bits(*scope.spec)) op.format = graph::Format::fp8;
  return op;
}

Tensor gathered(Tape& tape, const Scope& scope, const CoreShape& core, Sizes all, Tensor q,
                Tensor k, Tensor v) {
  const Amount local = all.k + all.v, everything = local * scope.cp;
  tape.begin(Group::attention, {k, v});
  tape.forward(
      attended(scope, collective_op("attention.gather", Phase::forward, CollectiveType::all_gather,
                                    Axis::cp, stream::cp, local)));
  tape.join_forward(stream::cp);
  tape.backward(collective_op("attention.gather.dgrad", Phase::input_grad,
                              CollectiveType::reduce_scatter, Axis::cp, stream::cp,
                              everything * all.widening));
  tape.join_backward(stream::cp);
  const Tensor kv = tape.output("attention.gathered", everything);
  all.k = all.k * scope.cp;
  all.v = all.v * scope.cp;
  return whole(tape, scope, core, all, {q, kv});
}

Op send(const char* name, Phase phase, std::int32_t shift, Amount size) {
  return message_op(name, phase, NodeKind::send, Axis::cp, shift, stream::other, size);
}
Op receive(const char* name, Phase phase, std::int32_t shift, Amount size) {
  return message_op(name, phase, NodeKind::recv, Axis::cp, -shift, stream::cp, size);
}
Op waiting(Op op, std::initializer_list<Stream> streams) {
  for (const Stream each : streams) wait(op, each);
  return op;
}

/// Messages are received on stream::cp and sent on stream::other: ranks that all send before they
/// receive would deadlock on one stream. A block waits for all messages received before it; the
/// message received during it is issued after it, or before it when nothing may overlap.
class Ring {
 public:
  Ring(Tape& tape, const Scope& scope, const CoreShape& core, const Sizes& all, Amount hop)
      : tape_(tape), scope_(scope), core_(core), all_(all), hop_(hop) {}

  void forward() const {
    const Phase phase = Phase::forward;
    tape_.forward(waiting(send("attention.kv.send", phase, 1, hop_), {stream::compute}));
    tape_.forward(waiting(receive("attention.kv.recv", phase, 1, hop_), {stream::compute}));
    block(0).forward(tape_);
    for (std::int64_t i = 1; i < scope_.cp; ++i) {
      const bool more = i + 1 < scope_.cp;
      const Op next = receive("attention.kv.recv", phase, 1, hop_);
      if (more) tape_.forward(waiting(send("attention.kv.send", phase, 1, hop_), {stream::cp}));
      tape_.join_forward(stream::cp);
      if (more && !overlap()) tape_.forward(next);
      block(i).forward(tape_);
      if (more && overlap()) tape_.forward(next);
    }
  }

  void backward() const {
    const Phase phase = Phase::input_grad;
    cast_gradient(tape_, scope_, all_);
    tape_.backward(waiting(send("attention.kv.send", phase, -1, hop_), {stream::compute}));
    tape_.backward(waiting(receive("attention.kv.recv", phase, -1, hop_), {stream::compute}));
    block(0).backward(tape_);
    for (std::int64_t i = 1; i < scope_.cp; ++i) {
      const bool more = i + 1 < scope_.cp;
      if (more) tape_.backward(waiting(send("attention.kv.send", phase, -1, hop_), {stream::cp}));
      tape_.backward(waiting(send("attention.dkv.send", phase, -1, gradients()),
                             {stream::compute, stream::cp}));
      tape_.join_backward(stream::cp);
      if (!overlap()) receive_gradients(more);
      block(i).backward(tape_);
      if (overlap()) receive_gradients(more);
    }
    // The gradients that arrived last are added to those computed last.
    tape_.join_backward(stream::cp);
    tape_.backward(compute_op("attention.dkv.add", OpClass::vector, phase, 0,
                              gradients() / scope_.activation(1).value(), Amount(3) * gradients()));
  }

 private:
  /// Bytes of the gradients of one block of keys and values.
  [[nodiscard]] Amount gradients() const { return hop_ * all_.widening; }
  [[nodiscard]] bool overlap() const { return scope_.spec->schedule.overlap; }
  [[nodiscard]] Block block(std::int64_t index) const {
    return {scope_, core_, all_, scope_.cp, index};
  }
  void receive_gradients(bool more) const {
    const Phase phase = Phase::input_grad;
    if (more) tape_.backward(receive("attention.kv.recv", phase, -1, hop_));
    tape_.backward(receive("attention.dkv.recv", phase, -1, gradients()));
  }

  Tape& tape_;
  const Scope& scope_;
  const CoreShape& core_;
  const Sizes& all_;
  Amount hop_;
};

Tensor ring(Tape& tape, const Scope& scope, const CoreShape& core, Sizes all, Tensor q, Tensor k,
            Tensor v) {
  const Amount hop = all.k + all.v;
  all.k = all.k * scope.cp;  // bytes that all blocks read in total
  all.v = all.v * scope.cp;
  tape.begin(Group::attention, {q, k, v});
  const Ring around(tape, scope, core, all, hop);
  around.forward();
  around.backward();
  // Two blocks of keys and values, and two of their gradients.
  tape.add_scratch(Amount(2) * hop * (all.widening + 1));
  save_for_backward(tape, scope, core, all, {q, k, v});
  return make_context(tape, scope, all);
}

/// All-to-all from shards of tokens to shards of heads; the gradient moves in the other direction.
void exchange(Tape& tape, const Scope& scope, const char* forward, const char* backward,
              Amount size, Amount gradient) {
  tape.forward(attended(scope, collective_op(forward, Phase::forward, CollectiveType::all_to_all,
                                             Axis::cp, stream::cp, size)));
  tape.backward(collective_op(backward, Phase::input_grad, CollectiveType::all_to_all, Axis::cp,
                              stream::cp, gradient));
}

Tensor ulysses(Tape& tape, const Scope& scope, const CoreShape& core, const Sizes& all, Tensor q,
               Tensor k, Tensor v) {
  tape.begin(Group::qkv, {q, k, v});
  exchange(tape, scope, "attention.q.exchange", "attention.q.exchange.dgrad", all.q,
           all.q * all.widening);
  exchange(tape, scope, "attention.k.exchange", "attention.k.exchange.dgrad", all.k,
           all.k * all.widening);
  exchange(tape, scope, "attention.v.exchange", "attention.v.exchange.dgrad", all.v,
           all.v * all.widening);
  tape.join_forward(stream::cp);
  tape.join_backward(stream::cp);
  const Tensor by_head[] = {tape.output("attention.q", all.q), tape.output("attention.k", all.k),
                            tape.output("attention.v", all.v)};
  const Tensor context = whole(tape, scope, core, all, {by_head[0], by_head[1], by_head[2]});
  tape.begin(Group::none, {context});
  tape.forward(collective_op("attention.context.exchange", Phase::forward,
                             CollectiveType::all_to_all, Axis::cp, stream::cp, all.context));
  tape.backward(collective_op("attention.context.exchange.dgrad", Phase::input_grad,
                              CollectiveType::all_to_all, Axis::cp, stream::cp, all.context));
  tape.join_forward(stream::cp);
  tape.join_backward(stream::cp);
  return tape.output("attention.context", all.context);
}

}  // namespace

Amount core_flops(const Scope& scope, const CoreShape& core) {
  return Amount(scope.micro) * core.heads * double_pairs(scope, core) *
         (core.key_dim + core.value_dim) / scope.cp;
}

Tensor attention_core(Tape& tape, const Scope& scope, const CoreShape& core, Tensor q, Tensor k,
                      Tensor v) {
  if (attends_in_8_bits(*scope.spec)) {
    q = cast_to_fp8(tape, scope, "attention.q.fp8", q);
    k = cast_to_fp8(tape, scope, "attention.k.fp8", k);
    v = cast_to_fp8(tape, scope, "attention.v.fp8", v);
  }
  const Sizes all = sizes(scope, core, tape.bytes_of(q), tape.bytes_of(k), tape.bytes_of(v));
  if (scope.cp == 1) return whole(tape, scope, core, all, {q, k, v});
  switch (scope.spec->parallel.cp_method) {
    case ContextMethod::all_gather:
      return gathered(tape, scope, core, all, q, k, v);
    case ContextMethod::ring:
      return ring(tape, scope, core, all, q, k, v);
    case ContextMethod::ulysses:
      break;
  }
  return ulysses(tape, scope, core, all, q, k, v);
}

}  // namespace orrery::workload
