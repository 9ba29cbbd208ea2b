// SPDX-License-Identifier: Apache-2.0
//
// Operators on lists of tensors: joined ones, optimizers. Source of argument orders: PyTorch's
// native_functions.yaml.
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using graph::Pass;

MaybeKernel of_lists(const Arguments& is, Operation operation, std::int64_t bytes) {
  if (is.elements(0) == 0) return std::nullopt;
  Kernel kernel = simple_kernel(operation, Pass::forward, is.format(0), is.format(0));
  kernel.sizes = {is.elements(0)};
  kernel.bytes = bytes;
  return kernel;
}

MaybeKernel joined(const Arguments& is) { return of_lists(is, Operation::copy, 2 * is.bytes(0)); }

/// Lists [0, reads) are read and the first, or one like it, is written.
template <std::size_t reads>
MaybeKernel each_list(const Arguments& is) {
  std::int64_t bytes = is.bytes(0);
  for (std::size_t i = 0; i < reads; ++i) bytes += is.bytes(i);
  auto kernel = of_lists(is, Operation::elementwise, bytes);
  if (kernel) kernel->traits = graph::kMultiTensor;
  return kernel;
}

MaybeKernel filled(const Arguments& is) { return each_list<0>(is); }
MaybeKernel copied(const Arguments& is) {
  auto kernel = of_lists(is, Operation::copy, is.bytes(0) + is.bytes(1));
  if (!kernel) return kernel;
  kernel->traits = graph::kMultiTensor;
  kernel->a = is.format(1);
  if (kernel->a != kernel->out) kernel->operation = Operation::cast;
  return kernel;
}
MaybeKernel norms(const Arguments& is) {
  auto kernel = of_lists(is, Operation::reduction, is.bytes(0));
  if (!kernel) return kernel;
  kernel->traits = graph::kMultiTensor;
  kernel->flops = 2 * kernel->sizes[0];
  return kernel;
}

/// Weights, gradients, `moments` lists of state and so many operations a weight.
template <std::size_t moments, std::int64_t flops>
MaybeKernel step(const Arguments& is) {
  std::int64_t bytes = is.bytes(1) + 2 * is.bytes(0);
  for (std::size_t i = 0; i < moments; ++i) bytes += 2 * is.bytes(2 + i);
  auto kernel = of_lists(is, Operation::optimizer, bytes);
  if (!kernel) return kernel;
  kernel->traits = graph::kMultiTensor;
  kernel->a = is.format(1);
  kernel->flops = flops * kernel->sizes[0];
  return kernel;
}

// Operations a weight as generated optimizers have them (workload/assembly/optimizer_step.cc).
constexpr std::array kLists = {NamedOperator{"aten::cat", joined},
                               NamedOperator{"aten::stack", joined},
                               NamedOperator{"aten::_foreach_add_", each_list<2>},
                               NamedOperator{"aten::_foreach_add", each_list<2>},
                               NamedOperator{"aten::_foreach_sub_", each_list<2>},
                               NamedOperator{"aten::_foreach_mul_", each_list<2>},
                               NamedOperator{"aten::_foreach_mul", each_list<2>},
                               NamedOperator{"aten::_foreach_div_", each_list<2>},
                               NamedOperator{"aten::_foreach_div", each_list<2>},
                               NamedOperator{"aten::_foreach_lerp_", each_list<2>},
                               NamedOperator{"aten::_foreach_addcmul_", each_list<3>},
                               NamedOperator{"aten::_foreach_addcdiv_", each_list<3>},
                               NamedOperator{"aten::_foreach_sqrt", each_list<1>},
                               NamedOperator{"aten::_foreach_sqrt_", each_list<1>},
                               NamedOperator{"aten::_foreach_neg", each_list<1>},
                               NamedOperator{"aten::_foreach_zero_", filled},
                               NamedOperator{"aten::_foreach_copy_", copied},
                               NamedOperator{"aten::_foreach_norm", norms},
                               NamedOperator{"aten::_fused_adam_", step<2, 12>},
                               NamedOperator{"aten::_fused_adamw_", step<2, 13>},
                               NamedOperator{"aten::_fused_adagrad_", step<1, 6>},
                               NamedOperator{"aten::_fused_sgd_", step<1, 4>}};

}  // namespace

const NamedOperator* list_operator(std::string_view name) { return find_in(kLists, name); }

}  // namespace orrery::trace::operators
