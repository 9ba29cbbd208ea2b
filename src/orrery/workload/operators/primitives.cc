// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/primitives.h"

#include "orrery/core/check.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/operators/unfused_op.h"
#include "orrery/workload/operators/weight_products.h"
#include "orrery/workload/spec/tensor_parallel_policy.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::Operation;

/// The register in which the input gathered again for the weights' gradient is remembered.
constexpr Stream kGathered = stream::mark;

/// Bytes of what goes in, all of `x` together.
Amount bytes_of(const Tape& tape, const std::vector<Tensor>& x) {
  Amount sum;
  for (const Tensor tensor : x) sum += tape.bytes_of(tensor);
  return sum;
}

std::vector<Tensor> make_outputs(Tape& tape, const Scope& scope, const Linear& shape) {
  std::vector<Tensor> outputs;
  for (const Linear::Output& each : shape.outputs)
    outputs.push_back(tape.output(each.name, scope.activation(shape.tokens * each.features)));
  return outputs;
}

/// Whether a product keeps the input that it cast: Transformer Engine's do (pytorch/module/
/// linear.py, layernorm_linear.py: the quantized input is saved for the weights' gradient), others
/// cast again.
bool keeps_cast(const Scope& scope, const Linear& shape) {
  const Precision& precision = scope.spec->precision;
  return scope.spec->kernels.framework == Framework::megatron && shape.narrow &&
         bytes_of(precision.product_type()) < bytes_of(precision.activations);
}

void begin_linear(Tape& tape, const Scope& scope, const Linear& shape,
                  const std::vector<Tensor>& x) {
  tape.begin(shape.group, x);
  if (shape.adapter) tape.trained();
  if (shape.repeated != 0) tape.repeated(shape.repeated);
  for (const Tensor tensor : x) {
    const Amount elements = tape.bytes_of(tensor) / scope.activation(1).value();
    if (keeps_cast(scope, shape)) {
      tape.save_for_weights(tensor, bytes(elements, scope.spec->precision.product_type()));
    } else {
      tape.save_for_weights(tensor);
    }
  }
  tape.add_weights(shape.share, shape.copies * shape.in * shape.out(), shape.hidden_matrix,
                   shape.adapter);
}

/// Into how many pieces a product beside tensor parallelism is cut: the framework's own modules
/// only, and never into less than a token each.
std::int64_t pieces_of(const Linear& shape, std::int64_t pieces) {
  const bool cut = shape.narrow && !shape.adapter && !(shape.tokens < Amount(pieces));
  return cut ? pieces : 1;
}

/// Autograd adds its weights' gradients up by itself.
void convolve(WeightProducts& all, const Linear& shape) {
  for (std::vector<Op>* ops : {&all.forward, &all.dgrad, &all.wgrad}) {
    for (Op& op : *ops) {
      if (op.kernel.operation != Operation::gemm) continue;
      op.kernel.operation = Operation::convolution;
      op.kernel.traits = 0;
      op.kernel.sizes = shape.convolution;
    }
  }
}

Op gather(const char* name, Phase phase, Amount share) {
  return collective_op(name, phase, CollectiveType::all_gather, Axis::tp, stream::tp, share);
}

/// Gathers the input, which every rank casts before, and multiplies: each piece when it is there,
/// the rank's own at once.
void gathered_forward(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                      const WeightProducts& all) {
  const Amount tokens = ceil_div(shape.tokens, scope.tp);
  if (casts(scope, shape)) {
    const GatheredCasts cast =
        gathered_casts(scope, shape.name.cast, Phase::forward, tokens, shape.tokens, shape.in);
    tape.forward(cast.share, all.cast_fuses ? scope.activation(tokens * shape.in) : Amount(-1));
  }
  tape.forward(gather(
      name, Phase::forward,
      gathered_bytes(scope, shape, tokens * shape.in) + scope.activation(tokens * shape.carried)));
  const std::int64_t pieces = pieces_of(shape, gathered_pieces(*scope.spec));
  if (pieces == 1) {
    tape.join_forward(stream::tp);
    for (const Op& op : all.forward) tape.forward(op);
    return;
  }
  const SlicedProduct sliced = sliced_forward(scope, shape, pieces, true);
  for (const Op& op : sliced.others) tape.forward(op);
  tape.join_forward(stream::tp);
  for (const Op& op : sliced.one) tape.forward(op);
}

/// Gathers the input once more, for the weights' gradient, beside the input's.
void gather_again(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                  WeightProducts& all) {
  const Amount share = ceil_div(shape.tokens, scope.tp);
  Op again = gather(name, Phase::weight_grad, gathered_bytes(scope, shape, share * shape.in));
  again.marks = kGathered;
  tape.backward(again);
  if (casts(scope, shape)) {
    all.wgrad.insert(all.wgrad.begin(), gathered_casts(scope, shape.name.turn, Phase::weight_grad,
                                                       share, shape.tokens, shape.in)
                                            .turn);
  }
  wait(all.wgrad.front(), kGathered);
}

/// Multiplies and reduces, or scatters: each piece when it has been multiplied.
void forward_reduced(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                     const WeightProducts& all) {
  const Amount whole = scope.activation(shape.tokens * shape.out());
  const auto type = scope.sp ? CollectiveType::reduce_scatter : CollectiveType::all_reduce;
  const auto reduce = [&](Amount size) {
    return collective_op(name, Phase::forward, type, Axis::tp, stream::tp, size);
  };
  const std::int64_t pieces = pieces_of(shape, reduced_pieces(*scope.spec));
  if (pieces == 1) {
    forward_products(tape, all);
    tape.forward(reduce(whole));
    tape.join_forward(stream::tp);
    return;
  }
  for (const Op& op : all.casts) tape.forward(op, all.cast_fuses ? all.cast_saves : Amount(-1));
  const SlicedProduct sliced = sliced_forward(scope, shape, pieces, false);
  // A ring passes sums on: the last product is the rank's own piece, which nobody waits for.
  const bool ring = tensor_overlap(*scope.spec) == TensorOverlap::ring;
  const Amount last = ring ? Amount(0) : whole / pieces;
  for (const Op& op : sliced.one) tape.forward(op);
  tape.forward(reduce(whole - last));
  for (const Op& op : sliced.others) tape.forward(op);
  if (!ring) tape.forward(reduce(last));
  tape.join_forward(stream::tp);
}

/// Gathers the output's gradient, which every rank casts before, and multiplies as
/// `gathered_forward` does.
void gathered_backward(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                       WeightProducts& all) {
  const Amount share = ceil_div(shape.tokens, scope.tp);
  if (casts(scope, shape)) {
    const GatheredCasts cast = gathered_casts(scope, shape.name.cast_dgrad, Phase::input_grad,
                                              share, shape.tokens, shape.out());
    tape.backward(cast.share);
    Op turn = cast.turn;
    turn.name = shape.name.transpose_dgrad;
    all.wgrad.insert(all.wgrad.begin(), turn);
  }
  tape.backward(gather(name, Phase::input_grad, gathered_bytes(scope, shape, share * shape.out())));
  const std::int64_t pieces = pieces_of(shape, gathered_pieces(*scope.spec));
  if (pieces == 1) {
    tape.join_backward(stream::tp);
    for (const Op& op : all.dgrad) tape.backward(op);
    return;
  }
  const SlicedProduct sliced = sliced_input_gradient(scope, shape, pieces);
  for (const Op& op : sliced.others) tape.backward(op);
  tape.join_backward(stream::tp);
  for (const Op& op : sliced.one) tape.backward(op);
}

}  // namespace

Amount Linear::out() const {
  Amount sum;
  for (const Output& each : outputs) sum += each.features;
  return sum;
}

Amount Linear::biases() const {
  Amount sum;
  for (const Output& each : outputs) sum += bias || each.bias ? each.features : Amount(0);
  return sum;
}

std::vector<Tensor> linear(Tape& tape, const Scope& scope, const Linear& shape,
                           const std::vector<Tensor>& x) {
  begin_linear(tape, scope, shape, x);
  tape.add_weights(shape.share, shape.copies * shape.biases());
  WeightProducts all = products(scope, shape, bytes_of(tape, x), true);
  if (shape.first_in_network) all.dgrad.clear();  // casts of the output's gradient stay, for wgrad
  if (shape.convolution[0] != 0) convolve(all, shape);
  forward_products(tape, all);
  input_gradients(tape, all);
  weight_gradients(tape, all);
  return make_outputs(tape, scope, shape);
}

std::vector<Tensor> column_linear(Tape& tape, const Scope& scope, const Linear& shape,
                                  const ColumnNames& names, Tensor x) {
  if (scope.tp == 1) return linear(tape, scope, shape, {x});
  begin_linear(tape, scope, shape, {x});
  tape.add_weights(shape.share, shape.biases());
  const Amount whole = scope.activation(shape.tokens * shape.in);
  const Amount moved = scope.activation(shape.tokens * (shape.in + shape.carried));
  WeightProducts all = products(scope, shape, whole, true);
  if (scope.sp) {
    gathered_forward(tape, scope, shape, names.gather, all);
    gather_again(tape, scope, shape, names.gather_again, all);
    tape.scratch(moved);
  } else {
    forward_products(tape, all);
  }
  const bool beside = reduces_beside_weights(*scope.spec);
  input_gradients(tape, all);
  if (!beside) weight_gradients(tape, all);
  tape.backward(
      collective_op(names.reduce, Phase::input_grad,
                    scope.sp ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
                    Axis::tp, stream::tp, moved));
  if (beside) weight_gradients(tape, all);
  tape.join_backward(stream::tp);
  return make_outputs(tape, scope, shape);
}

Tensor row_linear(Tape& tape, const Scope& scope, const Linear& shape, const RowNames& names,
                  const std::vector<Tensor>& x) {
  ORRERY_CHECK(shape.outputs.size() == 1);
  if (scope.tp == 1) return linear(tape, scope, shape, x).front();
  begin_linear(tape, scope, shape, x);
  const Amount whole = scope.activation(shape.tokens * shape.out());
  const Amount rows = scope.sp ? ceil_div(shape.tokens, scope.tp) : shape.tokens;
  const Amount shard = scope.activation(rows * shape.out());
  WeightProducts all = products(scope, shape, bytes_of(tape, x), false);
  forward_reduced(tape, scope, shape, names.reduce, all);
  if (!(shape.biases() == Amount(0))) {
    // Behind the sum, on every rank: its weights are replicated.
    tape.add_weights(Share::replicated, shape.out());
    tape.forward(compute_op(
        names.bias, OpClass::vector, Phase::forward, 0, rows * shape.out(), Amount(2) * shard,
        elements_kernel(scope, Operation::elementwise, rows * shape.out(), shape.out())));
    if (scope.spec->kernels.fusion().bias_gradients) {
      all.wgrad.front().vector = (rows * shape.out()).value();
    } else {
      all.wgrad.push_back(bias_gradient_op(scope, shape.name, rows, shape.out()));
    }
  }
  if (scope.sp) {
    gathered_backward(tape, scope, shape, names.gather, all);
    tape.scratch(whole);
  } else {
    input_gradients(tape, all);
  }
  weight_gradients(tape, all);
  const Tensor out = tape.output(shape.outputs.front().name, shard);
  tape.gradient_bytes(out, whole);  // both products want it of all tokens
  return out;
}

PerElement norm_flops(Norm norm, bool frozen) {
  // Layer norm: Calculon's 9, and 14 + 7 for the two gradients. RMS norm, from its definition
  // (Zhang and Sennrich, 2019, equation 4): square, add, scale, weigh; backward: weigh the
  // gradient, its product with x, add, scale both, subtract; weights: product with x, scale, add.
  if (norm == Norm::layernorm) return {9, frozen ? 14 : 14 + 7};
  return {4, frozen ? 6 : 6 + 3};
}

PerElement activation_flops(Mlp mlp) {
  switch (mlp) {
    case Mlp::gelu:
      return {8, 13};  // Calculon
    case Mlp::relu:
      return {1, 1};
    case Mlp::swiglu:
      // silu(x)·u: exp, add, divide, two products; backward computes these but the last again,
      // then du = d·silu and dx = d·u·(s + silu·(1 − s)).
      return {5, 10};
    case Mlp::geglu:
      // gelu(x)·u; backward: gelu(x)·d, and gelu'(x)·u·d.
      return {9, 8 + 1 + 13 + 1};
  }
  return {};
}

Tensor norm(Tape& tape, const Scope& scope, const NormShape& shape, Tensor x) {
  const Amount elements = shape.rows * shape.features;
  const Amount size = scope.activation(elements);
  const bool is_rms = shape.rms || scope.model().norm != Norm::layernorm;
  const PerElement flops = norm_flops(is_rms ? Norm::rmsnorm : Norm::layernorm, scope.frozen());
  Amount weights;
  if (shape.has_weights) {
    weights = shape.weight_features == Amount(0) ? shape.features : shape.weight_features;
    if (!is_rms) weights = weights + weights;
    tape.add_weights(shape.share, weights);
  }
  graph::Kernel kernel = rows_kernel(scope, is_rms ? Operation::rms_norm : Operation::layer_norm,
                                     shape.rows, shape.features);
  graph::Kernel back = kernel;
  back.pass = scope.frozen() ? graph::Pass::input_grad : graph::Pass::backward;
  tape.begin(shape.group, {x});
  tape.save(x);
  const Op forward =
      compute_op(shape.name.forward, OpClass::vector, Phase::forward, 0, elements * flops.forward,
                 size + size + scope.weight(weights), kernel);
  const Op backward =
      compute_op(shape.name.dgrad, OpClass::vector, Phase::input_grad, 0, elements * flops.backward,
                 Amount(3) * size + scope.weight(weights) +
                     scope.gradient(scope.frozen() ? Amount(0) : weights),
                 back);
  tape.forward(unfused_op(forward, scope, elements, false), size);
  tape.backward(unfused_op(backward, scope, elements, true));
  if (shape.beside_residual) {
    tape.backward(
        compute_op("residual.dgrad", OpClass::vector, Phase::input_grad, 0, elements,
                   Amount(3) * size,
                   elements_kernel(scope, Operation::elementwise, elements, shape.features)),
        Amount(2) * size);
  }
  return tape.output(shape.output, size);
}

Tensor residual(Tape& tape, const Scope& scope, const OpName& name, Group group, Amount elements,
                Tensor stream, Tensor branch) {
  const Amount size = scope.activation(elements);
  tape.begin(group, {stream, branch});
  Amount saves = Amount(2) * size;
  if (scope.model().dropout) {
    const graph::Kernel drops = elements_kernel(scope, Operation::dropout, elements);
    tape.save("dropout.mask", elements, true);  // a byte each; no reason to multiply again
    tape.forward(compute_op(name.forward, OpClass::vector, Phase::forward, 0,
                            elements * dropout_flops.forward, Amount(2) * size + elements, drops),
                 saves, true);
    tape.backward(compute_op(name.dgrad, OpClass::vector, Phase::input_grad, 0,
                             elements * dropout_flops.backward, Amount(2) * size + elements,
                             drops));
  }
  tape.forward(
      compute_op(name.forward, OpClass::vector, Phase::forward, 0, elements, Amount(3) * size,
                 elements_kernel(scope, Operation::elementwise, elements, scope.model().hidden)),
      saves, true);
  return tape.output("residual", size);
}

Tensor elementwise(Tape& tape, const Scope& scope, const Elementwise& shape, Tensor x) {
  tape.begin(shape.group, {x});
  const Amount in = tape.bytes_of(x), out = scope.activation(shape.elements);
  graph::Kernel kernel =
      elements_kernel(scope, Operation::activation, shape.elements, shape.features);
  if (out < in) kernel.traits = graph::kGated;
  const Op forward = compute_op(shape.name.forward, OpClass::vector, Phase::forward, 0,
                                shape.elements * shape.flops.forward, in + out, kernel);
  const Op backward = compute_op(shape.name.dgrad, OpClass::vector, Phase::input_grad, 0,
                                 shape.elements * shape.flops.backward, in + in + out, kernel);
  tape.forward(unfused_op(forward, scope, shape.elements, false));
  tape.backward(unfused_op(backward, scope, shape.elements, true));
  if (shape.keeps_input) tape.save(x);
  const Tensor y = tape.output(shape.output, out);
  if (!shape.keeps_input) tape.save(y);
  return y;
}

}  // namespace orrery::workload
