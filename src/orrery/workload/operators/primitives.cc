// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/primitives.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/operators/unfused_op.h"
#include "orrery/workload/operators/weight_products.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::Operation;

/// The register that remembers the second gather of the input, for the weight gradient.
constexpr Stream kGathered = stream::layer_register;

/// Total bytes of the inputs.
Amount bytes_of(const Tape& tape, const std::vector<Tensor>& x) {
  Amount sum;
  for (const Tensor tensor : x) sum += tape.bytes_of(tensor);
  return sum;
}

std::vector<Tensor> make_outputs(Tape& tape, const Scope& scope, const Linear& shape) {
  std::vector<Tensor> outputs;
  std::vector<Tape::Product> products;
  for (const Linear::Output& each : shape.outputs) {
    outputs.push_back(tape.output(each.name, scope.activation(shape.tokens * each.features)));
    const Amount result = scope.activation(shape.tokens * (each.features / each.pieces));
    products.insert(products.end(), static_cast<std::size_t>(each.pieces),
                    {outputs.back(), result});
  }
  if (shape.copies == Amount(1)) tape.set_products(std::move(products));
  return outputs;
}

/// Whether a product saves its cast input. Transformer Engine does (pytorch/module/linear.py,
/// layernorm_linear.py: the quantized input is saved for the weights' gradient); others cast it
/// again.
bool keeps_cast(const Scope& scope, const Linear& shape) {
  const Precision& precision = scope.spec->precision;
  return scope.spec->kernels.framework == Framework::megatron && shape.uses_product_format &&
         !scales_rows(precision.scaling) &&
         bytes_of(precision.product_type()) < bytes_of(precision.activations);
}

void begin_linear(Tape& tape, const Scope& scope, const Linear& shape,
                  const std::vector<Tensor>& x) {
  tape.begin(shape.group, x);
  if (shape.is_adapter) tape.mark_trained();
  if (shape.duplicate_ranks != 0) tape.set_duplicate_ranks(shape.duplicate_ranks);
  for (const Tensor tensor : x) {
    const Amount elements = tape.bytes_of(tensor) / scope.activation(1).value();
    if (keeps_cast(scope, shape)) {
      tape.save_for_weights(tensor, bytes(elements, scope.spec->precision.product_type()));
    } else {
      tape.save_for_weights(tensor);
    }
  }
  tape.add_weights(shape.weight_kind, shape.copies * shape.in * shape.out(), shape.hidden_matrix,
                   shape.is_adapter);
}

/// Number of pieces of a product that overlaps tensor-parallel communication. More than one only in
/// the framework's own modules, with at least one token per piece.
std::int64_t pieces_of(const Scope& scope, const Linear& shape, std::int64_t pieces) {
  const bool scaled = casts(scope, shape) && scales_rows(scope.spec->precision.scaling);
  const bool cut =
      !scaled && shape.uses_product_format && !shape.is_adapter && !(shape.tokens < Amount(pieces));
  return cut ? pieces : 1;
}

/// Turns matrix products into convolutions. Autograd accumulates their weight gradients separately.
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

/// Gathers the input, after every rank has cast its share, and multiplies it. With overlap, each
/// piece is multiplied when it arrives, the rank's own at once.
void gathered_forward(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                      const WeightProducts& all) {
  const Amount tokens = ceil_div(shape.tokens, scope.tp);
  if (gathers_casts(scope, shape)) {
    const GatheredCasts cast =
        gathered_casts(scope, shape.name.cast, Phase::forward, tokens, shape.tokens, shape.in);
    tape.forward(cast.share, all.cast_fuses ? scope.activation(tokens * shape.in) : Amount(-1));
  }
  tape.forward(gather(name, Phase::forward,
                      gathered_bytes(scope, shape, tokens * shape.in) +
                          scope.activation(tokens * shape.carried_features)));
  const std::int64_t pieces = pieces_of(scope, shape, gathered_pieces(*scope.spec));
  if (pieces == 1) {
    tape.join_forward(stream::tp);
    if (!gathers_casts(scope, shape))
      for (const Op& op : all.casts) tape.forward(op);
    for (const Op& op : all.forward) tape.forward(op);
    return;
  }
  const SlicedProduct sliced = sliced_forward(scope, shape, pieces, true);
  for (const Op& op : sliced.others) tape.forward(op);
  tape.join_forward(stream::tp);
  for (const Op& op : sliced.first) tape.forward(op);
}

/// Gathers the input again for the weight gradient, overlapping the input gradient.
void gather_for_wgrad(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                      WeightProducts& all) {
  const Amount share = ceil_div(shape.tokens, scope.tp);
  Op again = gather(name, Phase::weight_grad, gathered_bytes(scope, shape, share * shape.in));
  again.marks = kGathered;
  tape.backward(again);
  if (gathers_casts(scope, shape)) {
    all.wgrad.insert(all.wgrad.begin(),
                     gathered_casts(scope, shape.name.transpose, Phase::weight_grad, share,
                                    shape.tokens, shape.in)
                         .transpose);
  }
  wait(all.wgrad.front(), kGathered);
}

/// Multiplies, and reduces or reduce-scatters the result. With overlap, each piece is reduced after
/// its product.
void forward_reduced(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                     const WeightProducts& all) {
  const Amount whole = scope.activation(shape.tokens * shape.out());
  const auto type = scope.sp ? CollectiveType::reduce_scatter : CollectiveType::all_reduce;
  const auto reduce = [&](Amount size) {
    return collective_op(name, Phase::forward, type, Axis::tp, stream::tp, size);
  };
  const std::int64_t pieces = pieces_of(scope, shape, reduced_pieces(*scope.spec));
  if (pieces == 1) {
    forward_products(tape, all);
    tape.forward(reduce(whole));
    tape.join_forward(stream::tp);
    return;
  }
  for (const Op& op : all.casts) tape.forward(op, all.cast_fuses ? all.cast_saves : Amount(-1));
  const SlicedProduct sliced = sliced_forward(scope, shape, pieces, false);
  // A ring forwards partial sums: the last product is the rank's own piece, for which no other rank
  // waits.
  const bool ring = tensor_overlap(*scope.spec) == TensorOverlap::ring;
  const Amount last = ring ? Amount(0) : whole / pieces;
  for (const Op& op : sliced.first) tape.forward(op);
  tape.forward(reduce(whole - last));
  for (const Op& op : sliced.others) tape.forward(op);
  if (!ring) tape.forward(reduce(last));
  tape.join_forward(stream::tp);
}

/// Gathers the output gradient, after every rank has cast its share, and multiplies it as
/// `gathered_forward` does.
void gathered_backward(Tape& tape, const Scope& scope, const Linear& shape, const char* name,
                       WeightProducts& all) {
  const Amount share = ceil_div(shape.tokens, scope.tp);
  if (gathers_casts(scope, shape)) {
    const GatheredCasts cast = gathered_casts(scope, shape.name.cast_dgrad, Phase::input_grad,
                                              share, shape.tokens, shape.out());
    tape.backward(cast.share);
    Op turn = cast.transpose;
    turn.name = shape.name.transpose_dgrad;
    all.wgrad.insert(all.wgrad.begin(), turn);
  }
  tape.backward(gather(name, Phase::input_grad, gathered_bytes(scope, shape, share * shape.out())));
  const std::int64_t pieces = pieces_of(scope, shape, gathered_pieces(*scope.spec));
  if (pieces == 1) {
    tape.join_backward(stream::tp);
    if (!gathers_casts(scope, shape))
      for (const Op& op : all.gradient_casts) tape.backward(op);
    for (const Op& op : all.dgrad) tape.backward(op);
    return;
  }
  const SlicedProduct sliced = sliced_input_gradient(scope, shape, pieces);
  for (const Op& op : sliced.others) tape.backward(op);
  tape.join_backward(stream::tp);
  for (const Op& op : sliced.first) tape.backward(op);
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
  tape.add_weights(shape.weight_kind, shape.copies * shape.biases());
  WeightProducts all = products(scope, shape, bytes_of(tape, x), true);
  if (shape.first_in_network)
    all.dgrad.clear();  // wgrad still needs the casts of the output
                        // gradient
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
  tape.add_weights(shape.weight_kind, shape.biases());
  const Amount whole = scope.activation(shape.tokens * shape.in);
  const Amount moved = scope.activation(shape.tokens * (shape.in + shape.carried_features));
  WeightProducts all = products(scope, shape, whole, true);
  if (scope.sp) {
    gathered_forward(tape, scope, shape, names.gather, all);
    gather_for_wgrad(tape, scope, shape, names.gather_for_wgrad, all);
    tape.add_scratch(moved);
  } else {
    forward_products(tape, all);
  }
  const bool overlaps = overlaps_weight_gradients(*scope.spec);
  input_gradients(tape, all);
  if (!overlaps) weight_gradients(tape, all);
  tape.backward(
      collective_op(names.reduce, Phase::input_grad,
                    scope.sp ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
                    Axis::tp, stream::tp, moved));
  if (overlaps) weight_gradients(tape, all);
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
    // After the sum, on every rank: the bias is replicated.
    tape.add_weights(WeightKind::replicated, shape.out());
    tape.forward(compute_op(
        names.bias, OpClass::vector, Phase::forward, 0, rows * shape.out(), Amount(2) * shard,
        elements_kernel(scope, Operation::elementwise, rows * shape.out(), shape.out())));
    if (scope.spec->kernels.fusion().bias_gradients) {
      const auto is_product = [](const Op& op) { return op.op_class == OpClass::matmul; };
      std::find_if(all.wgrad.begin(), all.wgrad.end(), is_product)->vector =
          (rows * shape.out()).value();
    } else {
      all.wgrad.push_back(bias_gradient_op(scope, shape.name, rows, shape.out()));
    }
  }
  if (scope.sp) {
    gathered_backward(tape, scope, shape, names.gather, all);
    tape.add_scratch(whole);
  } else {
    input_gradients(tape, all);
  }
  weight_gradients(tape, all);
  const Tensor out = tape.output(shape.outputs.front().name, shard);
  tape.set_products({{Tensor{}, whole}});
  tape.set_gradient_bytes(out, whole);  // both backward products need it for all tokens
  return out;
}

PerElement norm_flops(Norm norm, bool frozen) {
  // Layer norm: Calculon's 9, and 14 + 7 for the two gradients. RMS norm, from its definition
  // (Zhang and Sennrich, 2019, equation 4): square, add, scale, multiply by the weight; backward:
  // multiply the gradient by the weight, product with x, add, scale both, subtract; weights:
  // product with x, scale, add.
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
      // silu(x)·u: exp, add, divide, two products; backward recomputes these except the last, then
      // du = d·silu and dx = d·u·(s + silu·(1 − s)).
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
  const PerElement flops = norm_flops(is_rms ? Norm::rmsnorm : Norm::layernorm, scope.is_frozen());
  Amount weights;
  if (shape.has_weights) {
    weights = shape.weight_features == Amount(0) ? shape.features : shape.weight_features;
    if (!is_rms) weights = weights + weights;
    tape.add_weights(shape.weight_kind, weights);
  }
  graph::Kernel kernel = rows_kernel(scope, is_rms ? Operation::rms_norm : Operation::layer_norm,
                                     shape.rows, shape.features);
  graph::Kernel back = kernel;
  back.pass = scope.is_frozen() ? graph::Pass::input_grad : graph::Pass::backward;
  tape.begin(shape.group, {x});
  tape.save(x);
  const Op forward =
      compute_op(shape.name.forward, OpClass::vector, Phase::forward, 0, elements * flops.forward,
                 size + size + scope.weight(weights), kernel);
  const Op backward =
      compute_op(shape.name.dgrad, OpClass::vector, Phase::input_grad, 0, elements * flops.backward,
                 Amount(3) * size + scope.weight(weights) +
                     scope.gradient(scope.is_frozen() ? Amount(0) : weights),
                 back);
  tape.forward(unfused_op(forward, scope, elements, false), size);
  tape.backward(unfused_op(backward, scope, elements, true));
  if (shape.adds_to_residual) {
    tape.backward(
        compute_op("residual.dgrad", OpClass::vector, Phase::input_grad, 0, elements,
                   Amount(3) * size,
                   elements_kernel(scope, Operation::elementwise, elements, shape.features)),
        Amount(2) * size);
  }
  return tape.output(shape.output, size);
}

Tensor hidden_norm(Tape& tape, const Scope& scope, const OpName& name, Tensor x,
                   bool adds_to_residual) {
  NormShape shape;
  shape.name = name;
  shape.rows = scope.shard;
  shape.features = scope.model().hidden;
  shape.adds_to_residual = adds_to_residual;
  return norm(tape, scope, shape, x);
}

Tensor residual(Tape& tape, const Scope& scope, const OpName& name, Group group, Amount elements,
                Tensor stream, Tensor branch) {
  const Amount size = scope.activation(elements);
  tape.begin(group, {stream, branch});
  Amount saves = Amount(2) * size;
  if (scope.model().dropout) {
    const graph::Kernel drops = elements_kernel(scope, Operation::dropout, elements);
    tape.save("dropout.mask", elements, true);  // 1 byte each; retained despite recompute
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
  if (!shape.fused) {
    tape.forward(unfused_op(forward, scope, shape.elements, false));
    tape.backward(unfused_op(backward, scope, shape.elements, true));
  }
  if (shape.saves_input) tape.save(x);
  const Tensor y = tape.output(shape.output, out);
  if (!shape.saves_input) tape.save(y);
  return y;
}

}  // namespace orrery::workload
