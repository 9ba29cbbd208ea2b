// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/mamba.h"

#include <algorithm>

#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::Operation;

constexpr std::int64_t kFp32Bytes = 4;  ///< bytes of fp32: dt, decays, states, C times B
constexpr std::int64_t kSiluFlops = 4, kSoftplusFlops = 4;  // exponential, sum, quotient …
constexpr std::int64_t kGateFlops = kSiluFlops + 1;

/// Sizes of the mixer on one rank.
class Mixer {
 public:
  Mixer(Tape& tape, const Scope& scope) : tape_(tape), scope_(scope) {
    const Mamba& mamba = *scope.model().mamba;
    heads_ = ceil_div(scope.model().mamba_heads(), scope.tp);
    groups_ = ceil_div(mamba.groups, scope.tp);
    inner_ = heads_ * mamba.head_dim;
    group_features_ = groups_ * mamba.state;
    convolved_ = inner_ + group_features_ * 2;
    chunk_ = std::min(mamba.chunk, scope.seq);
    chunks_ = ceil_div(Amount(scope.seq), chunk_) * scope.micro;
    states_ = chunks_ * heads_ * mamba.head_dim * mamba.state;
    scores_ = chunks_ * groups_ * chunk_ * chunk_;
  }

  [[nodiscard]] Tensor project_in(Tensor x);
  [[nodiscard]] Tensor mix(Tensor x);
  [[nodiscard]] Tensor normalize(Tensor x);
  [[nodiscard]] Tensor project_out(Tensor x);

 private:
  [[nodiscard]] const Mamba& shape() const { return *scope_.model().mamba; }
  [[nodiscard]] Amount bytes(Amount features) const {
    return scope_.activation(scope_.tokens * features);
  }
  /// A kernel over `features` numbers per token.
  [[nodiscard]] Op vector(const char* name, Phase phase, Amount features, std::int64_t flops,
                          Amount moved, Operation operation = Operation::elementwise) const {
    return compute_op(name, OpClass::vector, phase, 0, scope_.tokens * features * flops, moved,
                      elements_kernel(scope_, operation, scope_.tokens * features, features));
  }
  /// `count` products of m × k and k × n.
  [[nodiscard]] Op product(const char* name, Phase phase, Amount count, Amount m, Amount n,
                           Amount k, Amount moved, bool repeats = false) const {
    const Amount flops = Amount(2) * count * m * n * k;
    graph::Kernel kernel;
    kernel.operation = Operation::batched_gemm;
    kernel.a = kernel.b = kernel.out = vector_format(*scope_.spec);
    kernel.sizes = {count.value(), m.value(), n.value(), k.value()};
    Op op = compute_op(name, OpClass::attention, phase, flops, 0, moved, kernel);
    if (repeats) op.repeated_flops = flops.value();
    return op;
  }
  /// C times B, and the states of chunks. `repeats`: in the backward pass.
  [[nodiscard]] std::vector<Op> prepare(bool repeats) const;
  [[nodiscard]] Op scan() const;
  void differentiate();
  void turn(const char* name, Phase phase, Amount features);
  /// Products of the tokens of one chunk are causal: half of them, and the diagonal.
  [[nodiscard]] Amount causal_keys() const { return ceil_div(Amount(chunk_) + 1, 2); }

  Tape& tape_;
  const Scope& scope_;
  Amount heads_, groups_, inner_, group_features_, convolved_, chunks_, states_, scores_;
  std::int64_t chunk_ = 1;
};

Tensor Mixer::project_in(Tensor x) {
  Linear in;
  in.name = ORRERY_OP("mamba.in");
  in.tokens = scope_.tokens;
  in.in = scope_.model().hidden;
  in.outputs = {{"mamba.zxbcdt", inner_ + convolved_ + heads_}};
  in.hidden_matrix = false;  // Megatron-Core excludes it from Muon (use_muon = False)
  return column_linear(tape_, scope_, in, ORRERY_COLUMN("mamba.in"), x).front();
}

/// Activations of several sequences are transposed: the kernels store a sequence contiguously.
void Mixer::turn(const char* name, Phase phase, Amount features) {
  if (scope_.micro == 1) return;
  const Op op = vector(name, phase, features, 0, bytes(features) * 2, Operation::copy);
  if (phase == Phase::forward) {
    tape_.forward(op);
  } else {
    tape_.backward(op);
  }
}

std::vector<Op> Mixer::prepare(bool repeats) const {
  const Phase phase = repeats ? Phase::input_grad : Phase::forward;
  const Amount wide_states = states_ * kFp32Bytes;
  return {
      vector(repeats ? "mamba.conv.again" : "mamba.conv", phase, convolved_,
             2 * shape().conv + kSiluFlops, bytes(convolved_) * 2),
      vector(repeats ? "mamba.decay.again" : "mamba.decay", phase, heads_, kSoftplusFlops + 2,
             bytes(heads_) + scope_.tokens * heads_ * (2 * kFp32Bytes)),
      product(repeats ? "mamba.states.again" : "mamba.states", phase, chunks_ * heads_,
              shape().head_dim, shape().state, chunk_,
              bytes(inner_ + group_features_) + wide_states, repeats),
      compute_op(repeats ? "mamba.passing.again" : "mamba.passing", OpClass::vector, phase, 0,
                 states_ * 2, wide_states + scope_.activation(states_),
                 elements_kernel(scope_, Operation::elementwise, states_)),
      product(repeats ? "mamba.scores.again" : "mamba.scores", phase, chunks_ * groups_, chunk_,
              chunk_, shape().state, bytes(group_features_ * 2) + scores_ * kFp32Bytes, repeats)};
}

/// The output: of the states before each chunk, and of the tokens in it; times the gate.
Op Mixer::scan() const {
  const Amount moved = scores_ * kFp32Bytes + scope_.activation(states_) +
                       bytes(inner_ * 4 + group_features_) +
                       scope_.tokens * heads_ * (2 * kFp32Bytes);
  Op op = product("mamba.scan", Phase::forward, chunks_ * heads_, chunk_, shape().head_dim,
                  causal_keys() + shape().state, moved);
  op.vector = (scope_.tokens * inner_ * (kGateFlops + 2)).value();
  return op;
}

/// The kernels of _mamba_chunk_scan_combined_bwd, then of the convolution.
void Mixer::differentiate() {
  const Amount all = chunks_ * heads_, wide_states = states_ * kFp32Bytes;
  const Amount head_dim = shape().head_dim, state = shape().state;
  const Phase back = Phase::input_grad;
  for (const Op& op : prepare(true)) tape_.backward(op);
  tape_.backward(vector("mamba.gate.dgrad", back, inner_, 2 * kGateFlops, bytes(inner_ * 5)));
  tape_.backward(product("mamba.states.dgrad", back, all, state, head_dim, chunk_,
                         bytes(inner_ + group_features_) + wide_states));
  tape_.backward(compute_op("mamba.passing.dgrad", OpClass::vector, back, 0, states_ * 2,
                            wide_states * 2 + scope_.activation(states_),
                            elements_kernel(scope_, Operation::elementwise, states_)));
  tape_.backward(product("mamba.x.dgrad", back, all, chunk_, head_dim, causal_keys() + state,
                         scores_ * kFp32Bytes + wide_states + bytes(inner_ * 3 + group_features_)));
  tape_.backward(product("mamba.b.dgrad", back, all, chunk_, state, head_dim,
                         wide_states + bytes(inner_ + group_features_)));
  tape_.backward(product("mamba.c.dgrad", back, all, chunk_, state, head_dim,
                         scope_.activation(states_) + bytes(inner_ + group_features_)));
  tape_.backward(product("mamba.scores.dgrad", back, all, chunk_, causal_keys(), head_dim,
                         bytes(inner_ * 2) + scores_ * kFp32Bytes));
  for (const char* const name : {"mamba.scores.b.dgrad", "mamba.scores.c.dgrad"})
    tape_.backward(product(name, back, chunks_ * groups_, chunk_, state, chunk_,
                           scores_ * kFp32Bytes + bytes(group_features_ * 3)));
  tape_.backward(vector("mamba.decay.dgrad", back, heads_, 2 * kSoftplusFlops,
                        bytes(heads_ * 2) + scope_.tokens * heads_ * (2 * kFp32Bytes)));
  tape_.backward(vector("mamba.conv.dgrad", back, convolved_, 4 * shape().conv + 2 * kSiluFlops,
                        bytes(convolved_ * 3)));
}

/// Saves its input and the output before the gate; all else is computed again
/// (MambaSplitConv1dScanCombinedFn, ctx.save_for_backward).
Tensor Mixer::mix(Tensor x) {
  tape_.begin(Group::none, {x});
  const Amount features = inner_ + convolved_ + heads_;
  // Convolution with bias; dt_bias, A and D of each head.
  tape_.add_weights(WeightKind::dense, convolved_ * (shape().conv + 1) + heads_ * 3);
  tape_.save(x);
  turn("mamba.in.turn", Phase::forward, features);
  for (const Op& op : prepare(false)) tape_.forward(op);
  tape_.forward(scan());
  turn("mamba.out.turn", Phase::forward, inner_);
  turn("mamba.out.turn.dgrad", Phase::input_grad, inner_);
  differentiate();
  turn("mamba.in.turn.dgrad", Phase::input_grad, features);
  tape_.save("mamba.scanned", bytes(inner_));
  tape_.add_scratch(states_ * kFp32Bytes + scope_.activation(states_) + scores_ * kFp32Bytes +
                    bytes(convolved_));
  return tape_.output("mamba.gated", bytes(inner_));
}

/// An RMS norm over each group's channels.
Tensor Mixer::normalize(Tensor x) {
  NormShape shape;
  shape.name = ORRERY_OP("mamba.norm");
  shape.rows = scope_.tokens * groups_;
  shape.features = ceil_div(inner_, groups_.value());
  shape.weight_features = inner_;
  shape.weight_kind = WeightKind::dense;
  shape.rms = true;
  shape.output = "mamba.normed";
  return norm(tape_, scope_, shape, x);
}

Tensor Mixer::project_out(Tensor x) {
  Linear out;
  out.name = ORRERY_OP("mamba.out");
  out.tokens = scope_.tokens;
  out.in = inner_;
  out.outputs = {{"mamba.out", scope_.model().hidden}};
  return row_linear(tape_, scope_, out, ORRERY_ROW("mamba.out"), {x});
}

}  // namespace

Tensor mamba_layer(Tape& tape, const Scope& scope, Tensor x) {
  const Amount elements = scope.shard * scope.model().hidden;
  const Tensor normed = hidden_norm(tape, scope, ORRERY_OP("mamba.input_norm"), x, true);
  Mixer mixer(tape, scope);
  const Tensor mixed = mixer.project_out(mixer.normalize(mixer.mix(mixer.project_in(normed))));
  return residual(tape, scope, ORRERY_OP("mamba.residual"), Group::none, elements, x, mixed);
}

}  // namespace orrery::workload
