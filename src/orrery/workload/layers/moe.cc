// SPDX-License-Identifier: Apache-2.0
//
// The mixture of experts: router, copies of tokens to and from experts, experts, shared experts
// (Shazeer et al., ICLR 2017; Lepikhin et al., ICLR 2021; DeepSeek-V3, section 2.1.2).
//
// Token exchange. With ep within tp × cp × dp: two all-to-alls of copies of tokens. Kernels sort
// the copies that a rank received by expert (sorts_copies). DeepEP and HybridEP send a token once
// to each rank that has one of its experts (sends_tokens_once): the receiver makes the copies, and
// adds up their results before it returns them. HybridEP also gathers all routing decisions of the
// group. With sp and etp > 1 each rank of etp sends the copies of its own tokens. The received
// copies are gathered over etp before the experts and reduce-scattered after them, as in
// Megatron-Core's all-to-all dispatcher. Without an exchange (ep = 1, or a separate ep axis, whose
// ranks have the same tokens), tokens are gathered before they are copied. On a separate axis each
// rank computes the summand of its experts, followed by an all-reduce over ep. Otherwise routing
// decisions (indices, probabilities) are a few bytes per token and do not count as sent.
#include "orrery/workload/layers/moe.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "orrery/workload/layers/blocks.h"
#include "orrery/workload/layers/expert_kernels.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/spec/launch_policy.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {

namespace {

using graph::CollectiveType;

constexpr graph::ExpertTransport kWays[] = {
    graph::ExpertTransport::none, graph::ExpertTransport::deepep,
    graph::ExpertTransport::deepep_low_latency, graph::ExpertTransport::hybridep,
    graph::ExpertTransport::in_network};  // by Dispatcher

/// Writes the block to the tape.
class Experts {
 public:
  Experts(Tape& tape, const Scope& scope)
      : tape_(tape),
        scope_(scope),
        moe_(*scope.model().moe),
        tokens_(moe_tokens(scope)),
        hidden_(scope.model().hidden),
        etp_(scope.spec->parallel.expert_tp()),
        own_axis_(scope.spec->parallel.ep_own_axis && scope.spec->parallel.ep > 1),
        exchange_(!own_axis_ && scope.spec->parallel.ep > 1),
        fused_(fuses_experts(*scope.spec)),
        once_(exchange_ && sends_tokens_once(*scope.spec)),
        sorts_(exchange_ && sorts_copies(*scope.spec)),
        launches_(expert_launches(scope, tokens_)),
        copies_(exchange_ ? tokens_.sent : tokens_.computed),
        copied_(tokens_.gathers_tokens ? scope.tokens : tokens_.routed) {}

  Tensor write(Tensor x) {
    const Tensor probabilities = route(x);
    const Tensor here = gather(enter(x));
    const Tensor sent = send(once_ ? leave(here) : copy(here, probabilities));
    const Tensor common = share(x);  // during the exchange of copies
    const Tensor made = unsort(compute(sort(arrive(sent), probabilities)), probabilities);
    const Tensor returned = return_copies(made);
    const Tensor routed = sum_up(once_ ? returned : uncopy(returned, probabilities));
    return scope_.model().shared_inner() > 0 ? add_shared(routed, common, x) : routed;
  }

 private:
  // Bytes of `tokens` tokens or copies.
  [[nodiscard]] Amount activations(Amount tokens) const {
    return scope_.activation(tokens * hidden_);
  }
  [[nodiscard]] Amount to_experts(Amount copies) const {
    return bytes(copies * hidden_,
                 exchange_ ? scope_.spec->precision.dispatch : scope_.spec->precision.activations);
  }
  [[nodiscard]] Amount from_experts(Amount copies) const {
    return bytes(copies * hidden_,
                 exchange_ ? scope_.spec->precision.combine : scope_.spec->precision.activations);
  }
  /// Different tokens among `copies` that arrived at a rank: those that have one of its experts.
  [[nodiscard]] Amount tokens_of(Amount copies) const {
    const double here = graph::probability_any_expert_reached(static_cast<double>(tokens_.experts),
                                                              static_cast<int>(moe_.top_k),
                                                              static_cast<int>(moe_.experts));
    const double each = here * static_cast<double>(moe_.experts) /
                        static_cast<double>(moe_.top_k * tokens_.experts);
    return Amount(std::llround(static_cast<double>(copies.value()) * std::min(each, 1.0)));
  }
  /// Whether each rank of etp multiplies the copies of all of them.
  [[nodiscard]] bool gathers_copies() const { return exchange_ && scope_.sp && etp_ > 1; }

  Op on_tp(const char* name, Phase phase, CollectiveType type, Amount size) const {
    return collective_op(name, phase, type, Axis::etp, stream::tp, size);
  }
  Op on_ep(const char* name, Phase phase, CollectiveType type, Amount size) const {
    return collective_op(name, phase, type, Axis::ep, stream::ep, size);
  }
  /// The all-to-all of copies to experts (`combine`: back), with the size of the busiest rank.
  [[nodiscard]] Op carry(const char* name, Phase phase, bool combine) const {
    const Amount size = combine ? from_experts(tokens_.exchanged) : to_experts(tokens_.exchanged);
    Op op = on_ep(name, phase, CollectiveType::all_to_all, size);
    if (exchange_)
      op.format =
          format_of(combine ? scope_.spec->precision.combine : scope_.spec->precision.dispatch);
    const graph::ExpertTransport way = kWays[static_cast<int>(dispatcher_of(*scope_.spec))];
    if (way == graph::ExpertTransport::none) return op;
    op.exchange.set(way, combine);
    op.exchange.experts = static_cast<std::uint16_t>(moe_.experts);
    op.exchange.top_k = static_cast<std::uint8_t>(moe_.top_k);
    op.exchange.token_bytes = static_cast<std::uint16_t>(
        (combine ? from_experts(Amount(1)) : to_experts(Amount(1))).value());
    return op;
  }

  Tensor route(Tensor x);
  Tensor enter(Tensor x);
  Tensor gather(Tensor x);
  Tensor leave(Tensor x);
  Tensor copy(Tensor x, Tensor probabilities);
  Tensor send(Tensor copies);
  Tensor share(Tensor x);
  Tensor arrive(Tensor sent);
  Tensor sort(Tensor arrived, Tensor probabilities);
  Tensor unsort(Tensor made, Tensor probabilities);
  Tensor compute(Tensor x);
  Tensor activate(Tensor up, Amount rows, Amount features);
  Tensor add_biases(Tensor made);
  Tensor return_copies(Tensor made);
  Tensor uncopy(Tensor copies, Tensor probabilities);
  Tensor sum_up(Tensor routed);
  Tensor add_shared(Tensor routed, Tensor common, Tensor x);

  Tape& tape_;
  const Scope& scope_;
  const Moe& moe_;
  MoeTokens tokens_;
  Amount hidden_;
  std::int64_t etp_;
  bool own_axis_;          ///< ranks of ep have the same tokens, and compute a summand each
  bool exchange_;          ///< ranks of ep exchange copies
  bool fused_;             ///< products include biases, activation and casts
  bool once_;              ///< tokens are sent once to each rank; the receiver makes the copies
  bool sorts_;             ///< kernels sort received copies by expert
  std::int64_t launches_;  ///< launches of one product of all experts; 0: one
  Amount copies_;          ///< copies that this rank makes of its tokens
  Amount copied_;          ///< tokens that it copies
};

/// Computes the scores of all experts, in fp32.
Tensor Experts::route(Tensor x) {
  const Amount rows = scope_.shard, scores = rows * moe_.experts;
  const Amount matrix = hidden_ * moe_.experts, product = Amount(2) * rows * matrix;
  tape_.begin(Group::router, {x});
  tape_.set_duplicate_ranks(scope_.equivalent_ranks());
  tape_.save_for_weights(x);
  const Tensor probabilities = tape_.output("router.probabilities", scores * 4);
  tape_.save(probabilities);
  const Amount moved = activations(rows) + scores * 4;
  const auto product_of = [&](graph::Pass pass) {
    graph::Kernel kernel = product_kernel(scope_, pass, {rows, hidden_, moe_.experts});
    kernel.a = kernel.b = vector_format(*scope_.spec);  // fp8 is not used: the product is small and
                                                        // sensitive
    if (pass != graph::Pass::input_grad) kernel.out = graph::Format::fp32;
    return kernel;
  };
  graph::Kernel choose = elements_kernel(scope_, graph::Operation::router, rows);
  choose.sizes[1] = moe_.experts;
  choose.sizes[2] = moe_.top_k;
  tape_.forward(compute_op("router", OpClass::matmul, Phase::forward, product, 0,
                           moved + scope_.weight(matrix), product_of(graph::Pass::forward)));
  tape_.forward(compute_op("router.softmax", OpClass::vector, Phase::forward, 0,
                           scores * softmax_flops.forward, scores * 8, choose));
  tape_.backward(compute_op("router.softmax.dgrad", OpClass::vector, Phase::input_grad, 0,
                            scores * softmax_flops.backward, scores * 12, choose));
  tape_.backward(compute_op("router.dgrad", OpClass::matmul, Phase::input_grad, product, 0,
                            moved + scope_.weight(matrix), product_of(graph::Pass::input_grad)));
  tape_.backward(compute_op("router.wgrad", OpClass::matmul, Phase::weight_grad, product, 0,
                            moved + scope_.gradient(matrix), product_of(graph::Pass::weight_grad)));
  tape_.add_weights(WeightKind::replicated, matrix, true);
  if (moe_.router_bias) tape_.add_weights(WeightKind::replicated, moe_.experts);
  return probabilities;
}

/// Forward: nothing. Backward: sums the gradient, of which each rank has a summand.
Tensor Experts::enter(Tensor x) {
  const bool reduces = etp_ > 1 && !scope_.sp;
  if (!reduces && !own_axis_) return x;
  tape_.begin(Group::none, {x});
  if (reduces) {
    tape_.backward(on_tp("moe.reduce.dgrad", Phase::input_grad, CollectiveType::all_reduce,
                         activations(scope_.tokens)));
  }
  if (own_axis_) {
    Op sum = on_ep("moe.sum.dgrad", Phase::input_grad, CollectiveType::all_reduce,
                   activations(tokens_.routed));
    if (etp_ > 1) wait(sum, stream::tp);
    tape_.backward(sum);
  }
  tape_.join_backward(own_axis_ ? stream::ep : stream::tp);
  return x;
}

/// Gathers the tokens of all tp ranks if there is no exchange.
Tensor Experts::gather(Tensor x) {
  if (!tokens_.gathers_tokens) return x;
  tape_.begin(Group::none, {x});
  const Tensor gathered = tape_.output("moe.gathered", activations(scope_.tokens));
  tape_.forward(
      on_tp("moe.gather", Phase::forward, CollectiveType::all_gather, activations(scope_.shard)));
  tape_.join_forward(stream::tp);
  tape_.backward(on_tp("moe.gather.dgrad", Phase::input_grad, CollectiveType::reduce_scatter,
                       activations(scope_.tokens)));
  tape_.join_backward(stream::tp);
  return gathered;
}

/// Copies each token for each of its experts, in the order of experts. Backward: the sum of the
/// copies' gradients.
Tensor Experts::copy(Tensor x, Tensor probabilities) {
  tape_.begin(Group::none, {x, probabilities});
  const Tensor copies = tape_.output("moe.copies", to_experts(copies_));
  graph::Kernel kernel = elements_kernel(scope_, graph::Operation::permute, copies_ * hidden_);
  if (reads_token_counts(*scope_.spec)) tape_.forward(count_op(scope_, copied_, exchange_));
  if (launches_ > 0) kernel.host_launches = host_launches::permute + (exchange_ ? 2 : 0);
  tape_.forward(compute_op("moe.permute", OpClass::vector, Phase::forward, 0, 0,
                           activations(copied_) + to_experts(copies_), kernel));
  if (exchange_) tape_.join_backward(stream::ep);
  if (launches_ > 0) kernel.host_launches = 1 + (exchange_ ? 2 : 0);
  tape_.backward(compute_op("moe.permute.dgrad", OpClass::vector, Phase::input_grad, 0,
                            copies_ * hidden_, from_experts(copies_) + activations(copied_),
                            kernel));
  return copies;
}

/// Tokens are sent as they are. Backward: the exchange returned the sum of the copies' gradients.
Tensor Experts::leave(Tensor x) {
  tape_.begin(Group::none, {x});
  if (reads_token_counts(*scope_.spec)) tape_.forward(count_op(scope_, copied_, exchange_));
  tape_.join_backward(stream::ep);
  return x;
}

Tensor Experts::send(Tensor copies) {
  if (!exchange_) return copies;
  tape_.begin(Group::none, {copies});
  const Amount arriving = once_ ? tokens_of(tokens_.arriving) : tokens_.arriving;
  const Tensor arrived = tape_.output("moe.arrived", to_experts(arriving));
  if (dispatcher_of(*scope_.spec) == Dispatcher::hybridep) {
    // A byte for each token and expert (docs/Hybrid-EP_Implementation.md, routing_map). Backward
    // passes use the result again.
    tape_.forward(on_ep("moe.routing", Phase::forward, CollectiveType::all_gather,
                        tokens_.routed * moe_.experts));
  }
  tape_.forward(carry("moe.dispatch", Phase::forward, false));
  return arrived;
}

/// The shared experts: an MLP without biases, in addition to the routed experts.
Tensor Experts::share(Tensor x) {
  const std::int64_t inner = scope_.model().shared_inner();
  if (inner == 0) return {};
  Spec plain = *scope_.spec;
  plain.model.mlp_bias = false;
  Scope scope = scope_;
  scope.spec = &plain;
  return mlp(tape_, scope, inner, x);
}

/// Receives the copies that the experts multiply.
Tensor Experts::arrive(Tensor sent) {
  if (!exchange_) return sent;
  tape_.begin(Group::none, {sent});
  Tensor arrived = sent;
  Op back = carry("moe.dispatch.dgrad", Phase::input_grad, true);
  if (gathers_copies()) {
    arrived = tape_.output("moe.gathered", to_experts(tokens_.computed));
    Op all = on_tp("moe.gather", Phase::forward, CollectiveType::all_gather,
                   to_experts(tokens_.arriving));
    wait(all, stream::ep);
    tape_.forward(all);
    tape_.join_forward(stream::tp);
    tape_.backward(on_tp("moe.gather.dgrad", Phase::input_grad, CollectiveType::reduce_scatter,
                         from_experts(tokens_.computed)));
    wait(back, stream::tp);
  } else {
    tape_.join_forward(stream::ep);
  }
  tape_.backward(back);
  return arrived;
}

/// The copies that the experts multiply, in the order of experts: of the tokens that arrived once,
/// or of copies in the order of senders. Backward: the tokens' sums, or the order of senders.
Tensor Experts::sort(Tensor arrived, Tensor probabilities) {
  if (!once_ && !sorts_) return arrived;
  tape_.begin(Group::none, {arrived, probabilities});
  const Amount copies = tokens_.computed, before = once_ ? tokens_of(copies) : copies;
  const Tensor sorted = tape_.output("moe.sorted", to_experts(copies));
  graph::Kernel kernel = elements_kernel(scope_, graph::Operation::permute, copies * hidden_);
  if (launches_ > 0) kernel.host_launches = once_ ? host_launches::permute : host_launches::sort;
  tape_.forward(compute_op(once_ ? "moe.permute" : "moe.sort", OpClass::vector, Phase::forward, 0,
                           0, to_experts(before) + to_experts(copies), kernel));
  kernel.host_launches = 0;
  tape_.backward(compute_op(once_ ? "moe.permute.dgrad" : "moe.sort.dgrad", OpClass::vector,
                            Phase::input_grad, 0, once_ ? copies * hidden_ : Amount(0),
                            from_experts(copies) + from_experts(before), kernel));
  if (!once_)
    add_padding(tape_, scope_, {"moe.pad", "moe.pad.dgrad"}, copies * hidden_,
                {to_experts(copies), from_experts(copies)});
  return sorted;
}

/// The reverse of sort(), before copies return.
Tensor Experts::unsort(Tensor made, Tensor probabilities) {
  if (!once_ && !sorts_) return made;
  tape_.begin(Group::none, {made, probabilities});
  const Amount copies = tokens_.computed, after = once_ ? tokens_of(copies) : copies;
  if (once_) {
    tape_.save(made);
    tape_.save(probabilities);
  }
  const Tensor sums = tape_.output("moe.unsorted", from_experts(after));
  if (!once_)
    add_padding(tape_, scope_, {"moe.unpad", "moe.unpad.dgrad"}, copies * hidden_,
                {from_experts(copies), to_experts(copies)});
  const Amount elements = once_ ? copies * hidden_ : Amount(0);
  const graph::Kernel kernel = elements_kernel(scope_, graph::Operation::permute, copies * hidden_);
  const Amount again = once_ ? to_experts(copies) : Amount(0);  // for gradients of probabilities
  tape_.forward(compute_op(once_ ? "moe.unpermute" : "moe.unsort", OpClass::vector, Phase::forward,
                           0, elements * 2, from_experts(copies) + from_experts(after), kernel));
  tape_.backward(compute_op(once_ ? "moe.unpermute.dgrad" : "moe.unsort.dgrad", OpClass::vector,
                            Phase::input_grad, 0, elements * 3,
                            to_experts(copies) + to_experts(after) + again, kernel));
  return sums;
}

Tensor Experts::compute(Tensor x) {
  const Model& model = scope_.model();
  const Amount inner = Amount(model.expert_inner()) / etp_;
  Linear up;
  up.name = ORRERY_OP("experts.up");
  up.group = Group::experts;
  up.tokens = tokens_.computed;
  up.in = hidden_;
  up.outputs = {{"experts.up", inner * (is_gated(model.mlp) ? 2 : 1), moe_.expert_bias,
                 is_gated(model.mlp) ? 2 : 1}};
  up.weight_kind = WeightKind::expert;
  up.copies = tokens_.experts;
  up.duplicate_ranks = 1;  // each rank has other experts
  up.gradient_is_cast = fused_;
  up.expert_launches = launches_;
  const Tensor made = linear(tape_, scope_, up, {x}).front();
  const Tensor active = activate(made, tokens_.computed, inner);
  // The returned copies are stored for the gradient of the probabilities, so this output is not
  // needed again.
  Linear down;
  down.name = ORRERY_OP("experts.down");
  down.group = exchange_ ? Group::none : Group::experts;
  down.tokens = tokens_.computed;
  down.in = inner;
  down.outputs = {{"experts.down", hidden_}};
  down.weight_kind = WeightKind::expert;
  down.copies = tokens_.experts;
  down.duplicate_ranks = 1;
  down.input_is_cast = fused_;
  down.expert_launches = launches_;
  // Ranks of etp compute summands: each adds its part of the bias.
  if (moe_.expert_bias) tape_.add_weights(WeightKind::expert, hidden_ * tokens_.experts / etp_);
  const Tensor result = linear(tape_, scope_, down, {active}).front();
  const bool adds = moe_.expert_bias && scope_.spec->kernels.framework == Framework::megatron;
  return adds && !fused_ ? add_biases(result) : result;
}

/// Megatron-Core adds the biases of the second product itself (core/transformer/moe/experts.py,
/// TEGroupedMLP._apply_bias): for each expert it multiplies them by the probabilities of the
/// tokens, which are fp32, and adds the product. It joins the results and casts them. Bytes per
/// number, by the kernels that PyTorch runs: forward 4 (product), 2 + 4 + 4 (sum), 4 + 4 (joined)
/// and 4 + 2 (cast). Backward 2 + 4 (cast), 4 + 2 and 2 + 2 (gradient of the product's output, cast
/// and joined), 4 + 4 and 4 (gradient of the biases, times probabilities and summed), 4 + 4 and 4
/// (gradient of the probabilities, times biases and summed).
Tensor Experts::add_biases(Tensor made) {
  constexpr std::int64_t kForwardBytes = 28, kBackwardBytes = 40;
  constexpr std::int64_t kForwardLaunches = 2, kBackwardLaunches = 5;  // per expert, and 2 more
  constexpr std::int64_t kUsualBytes = 6;  // of an element-wise sum in bf16
  const Amount elements = tokens_.computed * hidden_;
  const auto kernel_of = [&](std::int64_t bytes, std::int64_t launches) {
    graph::Kernel kernel = elements_kernel(scope_, graph::Operation::elementwise,
                                           ceil_div(elements * bytes, kUsualBytes), hidden_);
    kernel.launches = static_cast<std::uint32_t>(tokens_.experts * launches + 2);
    return kernel;
  };
  tape_.begin(Group::none, {made});
  tape_.add_scratch(elements * 8);  // two tensors in fp32
  tape_.forward(compute_op("experts.bias", OpClass::vector, Phase::forward, 0, elements * 2,
                           elements * kForwardBytes, kernel_of(kForwardBytes, kForwardLaunches)));
  tape_.backward(compute_op("experts.bias.dgrad", OpClass::vector, Phase::input_grad, 0,
                            elements * 4, elements * kBackwardBytes,
                            kernel_of(kBackwardBytes, kBackwardLaunches)));
  return tape_.output("experts.biased", tape_.bytes_of(made));
}

Tensor Experts::activate(Tensor up, Amount rows, Amount features) {
  const Mlp kind = scope_.model().mlp;
  const std::vector<std::string>& again = scope_.spec->recompute.ops;
  const bool whole = std::find(again.begin(), again.end(), "experts") != again.end();
  const Group group = whole ? Group::experts : Group::expert_activation;
  if (clamps_experts(*scope_.spec)) up = add_clamp(tape_, scope_, group, rows * features, up);
  Elementwise shape;
  shape.name = ORRERY_OP("experts.activation");
  shape.group = group;
  shape.elements = rows * features;
  shape.features = features;
  shape.output = "experts.activation";
  shape.flops = activation_flops(kind);
  shape.saves_input = kind != Mlp::relu;
  shape.fused = fused_;
  const Tensor active = elementwise(tape_, scope_, shape, up);
  // Megatron-Core multiplies by the probabilities here (core/transformer/moe/experts.py), in a
  // separate kernel unless the activation is gated. It passes on the product, and stores the factor
  // for the gradient of the probabilities.
  if (scope_.spec->kernels.framework == Framework::megatron && !is_gated(kind))
    tape_.save("experts.unweighted", scope_.activation(shape.elements));
  return active;
}

/// Sends copies back to the ranks of their tokens.
Tensor Experts::return_copies(Tensor made) {
  if (!exchange_) return made;
  tape_.begin(Group::none, {made});
  const Tensor returned =
      tape_.output("moe.returned", once_ ? activations(copied_) : from_experts(copies_));
  Op back = carry("moe.combine", Phase::forward, true);
  tape_.backward(carry("moe.combine.dgrad", Phase::input_grad, false));
  if (gathers_copies()) {
    tape_.forward(on_tp("moe.scatter", Phase::forward, CollectiveType::reduce_scatter,
                        from_experts(tokens_.computed)));
    wait(back, stream::tp);
    Op all = on_tp("moe.scatter.dgrad", Phase::input_grad, CollectiveType::all_gather,
                   to_experts(tokens_.arriving));
    wait(all, stream::ep);
    tape_.backward(all);
    tape_.join_backward(stream::tp);
  } else {
    tape_.join_backward(stream::ep);
  }
  tape_.forward(back);
  tape_.join_forward(stream::ep);
  return returned;
}

/// The sum of a token's copies, weighted by their probabilities. Backward: the copies' gradients
/// and those of the probabilities, a dot product each.
Tensor Experts::uncopy(Tensor copies, Tensor probabilities) {
  tape_.begin(Group::none, {copies, probabilities});
  tape_.save(copies);
  tape_.save(probabilities);
  const Tensor routed = tape_.output("moe.routed", activations(copied_));
  const Amount elements = copies_ * hidden_;
  const Amount moved = from_experts(copies_) + activations(copied_);
  graph::Kernel kernel = elements_kernel(scope_, graph::Operation::permute, elements);
  if (launches_ > 0 && exchange_) kernel.host_launches = 2;  // the exchange before, or after it
  tape_.forward(
      compute_op("moe.unpermute", OpClass::vector, Phase::forward, 0, elements * 2, moved, kernel));
  tape_.backward(compute_op("moe.unpermute.dgrad", OpClass::vector, Phase::input_grad, 0,
                            elements * 3, moved + to_experts(copies_), kernel));
  return routed;
}

/// Completes the sums over ranks, for the tokens between blocks.
Tensor Experts::sum_up(Tensor routed) {
  const bool reduces = etp_ > 1 && !gathers_copies();
  if (!reduces && !own_axis_) return routed;
  tape_.begin(Group::none, {routed});
  if (reduces) {
    tape_.forward(on_tp("moe.reduce", Phase::forward,
                        scope_.sp ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
                        activations(scope_.tokens)));
    if (scope_.sp) {
      tape_.backward(on_tp("moe.reduce.gather", Phase::input_grad, CollectiveType::all_gather,
                           activations(scope_.shard)));
      tape_.join_backward(stream::tp);
    }
  }
  if (own_axis_) {
    Op sum =
        on_ep("moe.sum", Phase::forward, CollectiveType::all_reduce, activations(tokens_.routed));
    if (reduces) wait(sum, stream::tp);
    tape_.forward(sum);
  }
  tape_.join_forward(own_axis_ ? stream::ep : stream::tp);
  return tape_.output("moe.sum", activations(scope_.shard));
}

/// Routed + shared; with a gate the shared part is multiplied by sigmoid(x · gate) (Qwen2-MoE).
Tensor Experts::add_shared(Tensor routed, Tensor common, Tensor x) {
  const Amount rows = scope_.shard, elements = rows * hidden_;
  const Amount three = activations(rows) * 3;
  if (!moe_.shared_gate) {
    tape_.begin(Group::none, {routed, common});
    const Tensor sum = tape_.output("moe.output", activations(rows));
    tape_.forward(compute_op("moe.add", OpClass::vector, Phase::forward, 0, elements, three));
    return sum;
  }
  Linear shape;
  shape.name = ORRERY_OP("shared_gate");
  shape.tokens = rows;
  shape.in = hidden_;
  shape.outputs = {{"shared_gate", 1}};
  shape.uses_product_format = false;
  shape.weight_kind = WeightKind::replicated;
  shape.hidden_matrix = false;
  shape.duplicate_ranks = scope_.equivalent_ranks();
  const Tensor gate = linear(tape_, scope_, shape, {x}).front();
  tape_.begin(Group::none, {routed, common, gate});
  tape_.save(common);
  tape_.save(gate);
  const Tensor sum = tape_.output("moe.output", activations(rows));
  tape_.forward(compute_op("moe.add", OpClass::vector, Phase::forward, 0, elements * 2, three));
  tape_.backward(
      compute_op("moe.add.dgrad", OpClass::vector, Phase::input_grad, 0, elements * 3, three));
  return sum;
}

}  // namespace

Tensor moe(Tape& tape, const Scope& scope, Tensor x) { return Experts(tape, scope).write(x); }

namespace {

/// Copies that each of the ep ranks receives.
struct Shares {
  Amount busiest;
  Amount other;
};

Shares share_out(Amount total, std::int64_t ranks, double imbalance) {
  if (ranks == 1 || imbalance <= 1) return {total / ranks, total / ranks};
  const auto all = static_cast<double>(total.value());
  const double left = std::max(all - all / static_cast<double>(ranks) * imbalance, 0.0);
  const Amount other(static_cast<std::int64_t>(left / static_cast<double>(ranks - 1)));
  return {total - other * (ranks - 1), other};
}

/// The maximum number of copies that one expert accepts from one rank.
Amount capacity(const Moe& moe, Amount copies) {
  const double mean = static_cast<double>(copies.value()) / static_cast<double>(moe.experts);
  const double most = std::ceil(moe.capacity_factor * mean);
  return most < 0x1p62 ? Amount(static_cast<std::int64_t>(most)) : Amount(Amount::too_large);
}

Amount smaller(Amount a, Amount b) { return a < b ? a : b; }

}  // namespace

MoeTokens moe_tokens(const Scope& scope) {
  const Parallel& parallel = scope.spec->parallel;
  const Moe& moe = *scope.model().moe;
  MoeTokens made;
  made.routed = scope.shard;
  made.experts = moe.experts / parallel.ep;

  // The number of ranks that send to a rank's experts: all of ep, or only itself on a separate
  // axis.
  const std::int64_t senders = parallel.ep_own_axis ? 1 : parallel.ep;
  made.gathers_tokens = scope.sp && parallel.expert_tp() > 1 && senders == 1;
  const Amount copies = made.routed * moe.top_k;
  Shares shares = share_out(copies * senders, parallel.ep, moe.imbalance);
  if (moe.capacity_factor > 0) {
    const Amount most = capacity(moe, copies) * made.experts * senders;
    shares.busiest = moe.pad_to_capacity ? most : smaller(shares.busiest, most);
    shares.other = moe.pad_to_capacity ? most : smaller(shares.other, most);
  }
  made.exchanged = shares.busiest;
  made.arriving = scope.where.expert == 1 ? shares.other : shares.busiest;
  made.sent = (shares.busiest + shares.other * (parallel.ep - 1)) / senders;
  made.computed = made.arriving * (scope.sp ? parallel.expert_tp() : 1);
  return made;
}

}  // namespace orrery::workload
