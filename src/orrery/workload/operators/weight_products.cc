// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/weight_products.h"

#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::Operation;

/// Outputs of one product.
struct OutputPiece {
  Amount features;
  Amount biases;
};

std::vector<OutputPiece> output_pieces(const Scope& scope, const Linear& shape, bool biased) {
  if (scope.spec->kernels.fusion().products)
    return {{shape.out(), biased ? shape.biases() : Amount(0)}};
  std::vector<OutputPiece> pieces;
  for (const Linear::Output& each : shape.outputs) {
    const Amount features = each.features / each.pieces;
    const Amount biases = biased && (shape.bias || each.bias) ? features : Amount(0);
    pieces.insert(pieces.end(), static_cast<std::size_t>(each.pieces),
                  OutputPiece{features, biases});
  }
  return pieces;
}

/// Casts `elements` activations to the format of the products, as stored and transposed, since
/// Hopper's fp8 products read both for the two gradients (Transformer Engine, user guide, "FP8
/// primer"). Scales per tensor need a separate pass.
Op cast_op(const Scope& scope, const char* name, Phase phase, Amount elements, Amount features) {
  const Precision& precision = scope.spec->precision;
  const bool two_passes = precision.scaling == Scaling::tensor;
  graph::Kernel kernel = elements_kernel(scope, Operation::cast, elements, features);
  kernel.out = product_format(*scope.spec);
  if (two_passes) kernel.launches = 2;
  return compute_op(name, OpClass::vector, phase, 0, elements * 2,
                    scope.activation(elements * (two_passes ? 2 : 1)) +
                        bytes(elements * 2, precision.product_type()),
                    kernel);
}

/// Row-wise scaling (pytorch/ao, torchao/float8/config.py, Float8LinearConfig.from_recipe_name, and
/// float8_linear.py): both inputs of each product are cast with one scale per row of that product.
/// The rows of a stored tensor are read once: its maximum and its cast are one kernel. Along its
/// columns (`columns`), the maxima need another pass. Each cast writes one layout.
Op scaled_cast_op(const Scope& scope, const char* name, Phase phase, Amount elements,
                  Amount features, bool columns, bool weights) {
  const std::int64_t passes = columns ? 2 : 1;
  graph::Kernel kernel = elements_kernel(scope, Operation::cast, elements, features);
  kernel.out = product_format(*scope.spec);
  kernel.launches = static_cast<std::uint32_t>(passes);
  const Amount read = weights ? scope.weight(elements) : scope.activation(elements);
  return compute_op(name, OpClass::vector, phase, 0, elements * 2,
                    read * passes + bytes(elements, scope.spec->precision.product_type()), kernel);
}

/// The casts of row-wise scaling. Weights are cast for each product anew. With rowwise_with_gw_hp
/// the product of weight gradients has inputs that are not cast, and the weights of the input
/// gradient have one scale, which needs two passes as well.
void add_scaled_casts(const Scope& scope, const Linear& shape, WeightProducts& all) {
  const Amount in = shape.tokens * shape.in, out = shape.tokens * shape.out();
  const Amount matrix = shape.copies * shape.in * shape.out();
  const OpName& name = shape.name;
  if (!shape.input_is_cast)
    all.casts.push_back(
        scaled_cast_op(scope, name.cast, Phase::forward, in, shape.in, false, false));
  all.forward.push_back(
      scaled_cast_op(scope, name.cast, Phase::forward, matrix, shape.in, false, true));
  if (!shape.gradient_is_cast)
    all.gradient_casts.push_back(
        scaled_cast_op(scope, name.cast_dgrad, Phase::input_grad, out, shape.out(), false, false));
  all.gradient_casts.push_back(
      scaled_cast_op(scope, name.cast_dgrad, Phase::input_grad, matrix, shape.in, true, true));
  if (scope.spec->precision.scaling == Scaling::rowwise_with_gw_hp) return;
  all.wgrad.push_back(
      scaled_cast_op(scope, name.transpose, Phase::weight_grad, in, shape.in, true, false));
  all.wgrad.push_back(scaled_cast_op(scope, name.transpose_dgrad, Phase::weight_grad, out,
                                     shape.out(), true, false));
}

/// Transformer Engine quantizes the rows of one expert after another in a loop (split_quantize):
/// current scaling with kernels that clear and find the largest number, compute the scale and cast
/// (csrc/extensions/cast.cpp, quantizer.cpp), others with one. One kernel casts all rows with
/// delayed scaling.
void cast_per_expert(const Scope& scope, const Linear& shape, Op& op) {
  constexpr std::uint32_t kCurrentScaling = 4;
  if (shape.expert_launches == 0 || scope.spec->precision.scaling == Scaling::delayed) return;
  const bool searches = scope.spec->precision.scaling == Scaling::tensor;
  op.kernel.host_launches = 1;
  op.kernel.looped_launches =
      static_cast<std::uint32_t>(shape.expert_launches) * (searches ? kCurrentScaling : 1);
}

/// Adds new weight gradients to those of earlier microbatches; with 2 passes copies them into the
/// buffer.
Op add_op(const Scope& scope, const char* name, Amount elements, std::int64_t passes) {
  graph::Kernel kernel = elements_kernel(scope, Operation::elementwise, elements);
  kernel.a = kernel.out = format_of(scope.spec->precision.gradients);
  if (passes == 2) kernel.operation = Operation::copy;
  return compute_op(name, OpClass::vector, Phase::weight_grad, 0,
                    passes == 2 ? Amount(0) : elements, scope.gradient(elements * passes), kernel);
}

}  // namespace

Op bias_gradient_op(const Scope& scope, const OpName& name, Amount rows, Amount features) {
  Op op = compute_op(name.bias, OpClass::vector, Phase::weight_grad, 0, rows * features,
                     scope.activation(rows * features) + scope.gradient(features),
                     elements_kernel(scope, Operation::reduction, rows * features));
  op.kernel.pass = graph::Pass::forward;  // traces record it as an ordinary sum
  return op;
}

namespace {

void add_piece(const Scope& scope, const Linear& shape, const OutputPiece& piece, Amount x_bytes,
               WeightProducts& all) {
  const Amount flops = Amount(2) * shape.tokens * shape.in * piece.features;
  const Amount y = scope.activation(shape.tokens * piece.features);
  const Amount matrix = shape.copies * shape.in * piece.features;
  const Amount added = shape.tokens * piece.biases;
  const auto kernel = [&](graph::Pass pass) {
    graph::Kernel made = product_kernel(
        scope, pass, {shape.tokens, shape.in, piece.features, shape.copies, !(added == Amount(0))});
    const bool high_precision = pass == graph::Pass::weight_grad &&
                                scope.spec->precision.scaling == Scaling::rowwise_with_gw_hp;
    if (!shape.uses_product_format || high_precision) {
      made.a = made.b = vector_format(*scope.spec);
      made.traits &= static_cast<std::uint16_t>(~graph::kQuantized);
    }
    if (pass != graph::Pass::weight_grad)
      made.launches = static_cast<std::uint32_t>(made.launches * shape.slices);
    if (shape.expert_launches > 0) {
      made.host_launches = static_cast<std::uint32_t>(shape.expert_launches);
      // The scales of both inputs are reordered, in a kernel each.
      if (made.a == graph::Format::fp8_mx) made.looped_launches = 2;
    }
    return made;
  };
  const Amount weights = scope.weight(matrix) * shape.slices;
  all.forward.push_back(compute_op(shape.name.forward, OpClass::matmul, Phase::forward, flops,
                                   added, x_bytes + y + weights, kernel(graph::Pass::forward)));
  all.dgrad.push_back(compute_op(shape.name.dgrad, OpClass::matmul, Phase::input_grad, flops, 0,
                                 x_bytes + y + weights, kernel(graph::Pass::input_grad)));
  if (all.dgrad.size() > 1) {
    const Amount elements = shape.tokens * shape.in;
    all.dgrad.push_back(
        compute_op(shape.name.dgrad, OpClass::vector, Phase::input_grad, 0, elements, x_bytes * 3,
                   elements_kernel(scope, Operation::elementwise, elements, shape.in)));
  }
  const Fusion fusion = scope.spec->kernels.fusion();
  const bool sums = !fusion.bias_gradients && !(added == Amount(0));
  all.wgrad.push_back(compute_op(shape.name.wgrad, OpClass::matmul, Phase::weight_grad, flops,
                                 sums ? Amount(0) : added, x_bytes + y + scope.gradient(matrix),
                                 kernel(graph::Pass::weight_grad)));
  if (sums) all.wgrad.push_back(bias_gradient_op(scope, shape.name, shape.tokens, piece.biases));
  const bool to_zeros = fusion.adds_to_zeros && scope.spec->parallel.sharding == Sharding::none;
  if (!fusion.adds_gradients && (to_zeros || scope.spec->microbatches() > 1)) {
    all.wgrad.push_back(add_op(scope, shape.name.add, matrix, 3));
  } else if (fusion.copies_gradients) {
    all.wgrad.push_back(add_op(scope, shape.name.add, matrix, 2));
  }
}

/// Products over `tokens` tokens, in `slices` slices.
WeightProducts slices_of(const Scope& scope, const Linear& shape, Amount tokens,
                         std::int64_t slices, bool biased) {
  Linear slice = shape;
  slice.tokens = tokens;
  slice.slices = slices;
  return products(scope, slice, scope.activation(tokens * shape.in), biased);
}

}  // namespace

bool casts(const Scope& scope, const Linear& shape) {
  const Precision& precision = scope.spec->precision;
  return shape.uses_product_format &&
         bytes_of(precision.product_type()) < bytes_of(precision.activations);
}

bool gathers_casts(const Scope& scope, const Linear& shape) {
  return casts(scope, shape) && !scales_rows(scope.spec->precision.scaling);
}

GatheredCasts gathered_casts(const Scope& scope, const char* name, Phase phase, Amount share,
                             Amount whole, Amount features) {
  const Precision& precision = scope.spec->precision;
  const bool two_passes = precision.scaling == Scaling::tensor;
  const Amount own = share * features, all = whole * features;
  graph::Kernel kernel = elements_kernel(scope, Operation::cast, own, features);
  kernel.out = product_format(*scope.spec);
  if (two_passes) kernel.launches = 2;
  const Op cast = compute_op(
      name, OpClass::vector, phase, 0, own,
      scope.activation(own * (two_passes ? 2 : 1)) + bytes(own, precision.product_type()), kernel);
  graph::Kernel turning = elements_kernel(scope, Operation::copy, all);
  turning.a = turning.out = product_format(*scope.spec);
  return {cast, compute_op(name, OpClass::vector, Phase::weight_grad, 0, 0,
                           bytes(all * 2, precision.product_type()), turning)};
}

Amount gathered_bytes(const Scope& scope, const Linear& shape, Amount elements) {
  return gathers_casts(scope, shape) ? bytes(elements, scope.spec->precision.product_type())
                                     : scope.activation(elements);
}

SlicedProduct sliced_forward(const Scope& scope, const Linear& shape, std::int64_t pieces,
                             bool biased) {
  const Amount one = ceil_div(shape.tokens, pieces);
  return {slices_of(scope, shape, one, 1, biased).forward,
          slices_of(scope, shape, shape.tokens - one, pieces - 1, biased).forward};
}

SlicedProduct sliced_input_gradient(const Scope& scope, const Linear& shape, std::int64_t pieces) {
  const Amount one = ceil_div(shape.tokens, pieces);
  return {slices_of(scope, shape, one, 1, false).dgrad,
          slices_of(scope, shape, shape.tokens - one, pieces - 1, false).dgrad};
}

WeightProducts products(const Scope& scope, const Linear& shape, Amount x_bytes, bool biased) {
  WeightProducts all;
  const Precision& precision = scope.spec->precision;
  if (casts(scope, shape) && scales_rows(precision.scaling)) {
    add_scaled_casts(scope, shape, all);
    all.cast_fuses = true;
    all.cast_saves = scope.activation(shape.tokens * shape.in);
  } else if (casts(scope, shape)) {
    const Amount in = shape.tokens * shape.in;
    if (!shape.input_is_cast)
      all.casts.push_back(cast_op(scope, shape.name.cast, Phase::forward, in, shape.in));
    if (!shape.gradient_is_cast)
      all.gradient_casts.push_back(cast_op(scope, shape.name.cast_dgrad, Phase::input_grad,
                                           shape.tokens * shape.out(), shape.out()));
    for (std::vector<Op>* ops : {&all.casts, &all.gradient_casts})
      for (Op& op : *ops) cast_per_expert(scope, shape, op);
    all.cast_fuses = precision.scaling != Scaling::tensor && shape.expert_launches == 0;
    all.cast_saves = scope.activation(in);
  }
  for (const OutputPiece& piece : output_pieces(scope, shape, biased))
    add_piece(scope, shape, piece, x_bytes, all);
  return all;
}

void forward_products(Tape& tape, const WeightProducts& all) {
  for (const Op& op : all.casts) tape.forward(op, all.cast_fuses ? all.cast_saves : Amount(-1));
  for (const Op& op : all.forward) tape.forward(op);
}

void input_gradients(Tape& tape, const WeightProducts& all) {
  for (const Op& op : all.gradient_casts) tape.backward(op);
  for (const Op& op : all.dgrad) tape.backward(op);
}

void weight_gradients(Tape& tape, const WeightProducts& all) {
  for (const Op& op : all.wgrad) tape.backward(op);
}

}  // namespace orrery::workload
