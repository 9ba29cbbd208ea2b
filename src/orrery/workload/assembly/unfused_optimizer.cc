// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/unfused_optimizer.h"

#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::Format;
using graph::Operation;

constexpr std::int64_t kWide = 4, kHalf = 2;  // bytes

Op over(const char* name, Operation operation, Amount elements, std::int64_t flops,
        std::int64_t bytes, Format from, Format to) {
  Op op;
  op.name = name;
  op.op_class = OpClass::vector;
  op.phase = Phase::step;
  op.vector = (elements * flops).value();
  op.bytes = (elements * bytes).value();
  op.kernel.operation = operation;
  op.kernel.traits = graph::kMultiTensor;
  op.kernel.sizes[0] = elements.value();
  op.kernel.a = from;
  op.kernel.out = to;
  return op;
}

}  // namespace

bool is_optimizer_unfused(const Spec& spec) {
  const Precision& types = spec.precision;
  return spec.kernels.framework == Framework::megatron_2021 && types.master_weights &&
         bytes_of(types.weights) == kHalf && bytes_of(types.gradients) >= kHalf &&
         bytes_of(types.optimizer) >= kWide && spec.parallel.sharding == Sharding::none &&
         !spec.offload.optimizer;
}

Op zero_gradients(const Spec& spec, Amount elements) {
  const Format format = format_of(spec.precision.gradients);
  const auto each = static_cast<std::int64_t>(bytes_of(spec.precision.gradients));
  return over("gradients.zero", Operation::elementwise, elements, 0, each, format, format);
}

Op average_gradients(const Spec& spec, Amount elements) {
  const Format format = format_of(spec.precision.gradients);
  const auto each = static_cast<std::int64_t>(bytes_of(spec.precision.gradients));
  return over("gradients.average", Operation::elementwise, elements, 1, each + each, format,
              format);
}

Op cast_gradients_op(const Spec& spec, Amount elements) {
  return over("gradients.widen", Operation::cast, elements, 0, kHalf + kWide,
              format_of(spec.precision.gradients), Format::fp32);
}

Op unscale_gradients(Amount elements) {
  return over("gradients.unscale", Operation::elementwise, elements, 1, kWide + kWide, Format::fp32,
              Format::fp32);
}

Op cast_weights_op(const Spec& spec, Amount elements) {
  return over("weights.narrow", Operation::cast, elements, 0, kWide + kHalf, Format::fp32,
              format_of(spec.precision.weights));
}

}  // namespace orrery::workload
