// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/op_kernels.h"

#include <algorithm>

namespace orrery::workload {

using graph::Format;
using graph::Kernel;
using graph::Operation;

Format format_of(Dtype type) {
  switch (type) {
    case Dtype::fp32:
      return Format::fp32;
    case Dtype::tf32:
      return Format::tf32;
    case Dtype::bf16:
      return Format::bf16;
    case Dtype::fp16:
      return Format::fp16;
    case Dtype::fp8:
      return Format::fp8;
    case Dtype::fp4:
      break;
  }
  return Format::fp4_block;
}

Format product_format(const Spec& spec) {
  const Format format = format_of(spec.precision.product_type());
  if (format != Format::fp8) return format;
  switch (spec.precision.scaling) {
    case Scaling::delayed:
    case Scaling::tensor:
    case Scaling::rowwise:
    case Scaling::rowwise_with_gw_hp:
      break;
    case Scaling::blockwise:
      return Format::fp8_block;
    case Scaling::mx:
      return Format::fp8_mx;
  }
  return format;
}

Format vector_format(const Spec& spec) {
  const Dtype type = spec.precision.activations;
  return bytes_of(type) < 2 ? Format::bf16 : format_of(type);
}

Kernel product_kernel(const Scope& scope, graph::Pass pass, const ProductShape& shape) {
  Kernel kernel;
  kernel.pass = pass;
  kernel.a = kernel.b = product_format(*scope.spec);
  kernel.out = vector_format(*scope.spec);
  Amount m = shape.rows, n = shape.out, k = shape.in;
  if (pass == graph::Pass::forward) {
    kernel.traits =
        static_cast<std::uint16_t>(graph::kTransposedB | (shape.bias ? graph::kBias : 0));
  } else if (pass == graph::Pass::input_grad) {
    n = shape.in;
    k = shape.out;
  } else {
    m = shape.out;
    n = shape.in;
    k = shape.rows;
    kernel.traits = graph::kTransposedA;
    kernel.out = format_of(scope.spec->precision.gradients);
    if (scope.spec->kernels.fusion().adds_gradients) {
      kernel.traits |= graph::kAccumulates;
    }
  }
  if (shape.copies == Amount(1)) {
    kernel.operation = Operation::gemm;
    kernel.sizes = {m.value(), n.value(), k.value()};
    // Casts are separate kernels.
    if (graph::bits_of(kernel.a) < 16) kernel.traits |= graph::kQuantized;
    return kernel;
  }
  if (!scope.spec->kernels.fusion().grouped) {  // one product per expert that has tokens
    const std::int64_t experts = shape.copies.value(), rows = shape.rows.value();
    const std::int64_t launched = std::clamp<std::int64_t>(rows, 1, experts);
    const std::int64_t each = (rows - 1) / launched + 1;
    kernel.operation = Operation::batched_gemm;
    kernel.launches = static_cast<std::uint32_t>(std::min<std::int64_t>(launched, 0xffffffff));
    kernel.sizes = {launched, pass == graph::Pass::weight_grad ? m.value() : each, n.value(),
                    pass == graph::Pass::weight_grad ? each : k.value()};
    return kernel;
  }
  kernel.operation = Operation::grouped_gemm;
  kernel.sizes = {shape.copies.value(), shape.rows.value(), n.value(),
                  (pass == graph::Pass::weight_grad ? m : k).value()};
  return kernel;
}

Kernel rows_kernel(const Scope& scope, Operation operation, Amount rows, Amount features) {
  return elements_kernel(scope, operation, rows, features);
}

Kernel elements_kernel(const Scope& scope, Operation operation, Amount elements, Amount features) {
  Kernel kernel;
  kernel.operation = operation;
  kernel.a = kernel.out = vector_format(*scope.spec);
  kernel.sizes[0] = elements.value();
  kernel.sizes[1] = features.value();
  return kernel;
}

graph::Operation default_operation(OpClass op_class) {
  switch (op_class) {
    case OpClass::vector:
      return graph::Operation::elementwise;
    case OpClass::lookup:
      return graph::Operation::embedding;
    case OpClass::optimizer:
      return graph::Operation::optimizer;
    default:
      return graph::Operation::unsaid;
  }
}

graph::Pass pass_of(Phase phase) {
  switch (phase) {
    case Phase::input_grad:
      return graph::Pass::input_grad;
    case Phase::weight_grad:
      return graph::Pass::weight_grad;
    default:
      return graph::Pass::forward;
  }
}

void fuse(graph::Kernel& into, const graph::Kernel& from) {
  using graph::Operation;
  const auto work = [](const graph::Kernel& kernel) {
    if (kernel.operation == Operation::elementwise || kernel.operation == Operation::cast) return 0;
    return kernel.operation == Operation::dropout ? 1 : 2;
  };
  const bool waits = into.host_waits || from.host_waits;
  if (work(into) < 2 && work(from) > work(into)) into = from;
  into.traits |= graph::kEpilogue;
  into.host_waits = waits;
}

}  // namespace orrery::workload
