// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/expert_kernels.h"

#include <algorithm>

#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/spec/launch_policy.h"

namespace orrery::workload {

std::int64_t expert_launches(const Scope& scope, const MoeTokens& tokens) {
  if (!launches_per_expert(*scope.spec)) return 0;
  return std::clamp<std::int64_t>(tokens.computed.value(), 1, tokens.experts);
}

Op count_op(const Scope& scope, Amount tokens, bool exchange) {
  constexpr std::uint32_t kLocal = 2, kGlobal = 11;  // sums, parts, gathers, copies to the host
  const Amount map = tokens * scope.model().moe->experts;
  graph::Kernel kernel = elements_kernel(scope, graph::Operation::reduction, map);
  kernel.launches = exchange ? kGlobal : kLocal;
  kernel.host_waits = true;
  return compute_op("moe.count", OpClass::vector, Phase::forward, 0, map, map, kernel);
}

void add_padding(Tape& tape, const Scope& scope, const std::pair<const char*, const char*>& names,
                 Amount elements, const BytesOf& size) {
  if (scope.spec->precision.product_type() != Dtype::fp8) return;
  const graph::Kernel kernel = elements_kernel(scope, graph::Operation::permute, elements);
  tape.forward(
      compute_op(names.first, OpClass::vector, Phase::forward, 0, 0, size.tensor * 2, kernel));
  tape.backward(compute_op(names.second, OpClass::vector, Phase::input_grad, 0, 0,
                           size.gradient * 2, kernel));
}

Tensor add_clamp(Tape& tape, const Scope& scope, Group group, Amount elements, Tensor up) {
  constexpr std::int64_t kForwardBytes = 16, kBackwardBytes = 30;
  constexpr std::uint32_t kForwardLaunches = 3, kBackwardLaunches = 7;
  constexpr std::int64_t kUsualBytes = 6;  // of an element-wise sum in bf16
  const auto kernel_of = [&](std::int64_t bytes, std::uint32_t launches) {
    graph::Kernel kernel = elements_kernel(scope, graph::Operation::elementwise,
                                           ceil_div(elements * bytes, kUsualBytes));
    kernel.launches = launches;
    return kernel;
  };
  tape.begin(group, {up});
  tape.save(up);
  graph::Kernel forward = kernel_of(kForwardBytes, kForwardLaunches);
  forward.host_launches = kForwardLaunches + 1;
  forward.host_waits = true;
  tape.forward(compute_op("experts.clamp", OpClass::vector, Phase::forward, 0, elements * 3,
                          elements * kForwardBytes, forward));
  tape.backward(compute_op("experts.clamp.dgrad", OpClass::vector, Phase::input_grad, 0,
                           elements * 6, elements * kBackwardBytes,
                           kernel_of(kBackwardBytes, kBackwardLaunches)));
  return tape.output("experts.clamped", tape.bytes_of(up));
}

}  // namespace orrery::workload
