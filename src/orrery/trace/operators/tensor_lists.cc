// SPDX-License-Identifier: Apache-2.0
//
// Operators on lists of tensors: concatenation, optimizers. Source of argument orders: PyTorch's
// native_functions.yaml.
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using graph::Pass;

MaybeKernel list_kernel(const Arguments& args, Operation operation, std::int64_t bytes) {
  if (args.elements(0) == 0) return std::nullopt;
  Kernel kernel = simple_kernel(operation, Pass::forward, args.format(0), args.format(0));
  kernel.sizes = {args.elements(0)};
  kernel.bytes = bytes;
  return kernel;
}

MaybeKernel concatenation(const Arguments& args) {
  return list_kernel(args, Operation::copy, 2 * args.bytes(0));
}

/// Reads lists [0, reads) and writes the first, or a list of the same sizes.
template <std::size_t reads>
MaybeKernel elementwise_lists(const Arguments& args) {
  std::int64_t bytes = args.bytes(0);
  for (std::size_t i = 0; i < reads; ++i) bytes += args.bytes(i);
  auto kernel = list_kernel(args, Operation::elementwise, bytes);
  if (kernel) kernel->traits = graph::kMultiTensor;
  return kernel;
}

MaybeKernel fill_lists(const Arguments& args) { return elementwise_lists<0>(args); }
MaybeKernel copy_lists(const Arguments& args) {
  auto kernel = list_kernel(args, Operation::copy, args.bytes(0) + args.bytes(1));
  if (!kernel) return kernel;
  kernel->traits = graph::kMultiTensor;
  kernel->a = args.format(1);
  if (kernel->a != kernel->out) kernel->operation = Operation::cast;
  return kernel;
}
MaybeKernel list_norms(const Arguments& args) {
  auto kernel = list_kernel(args, Operation::reduction, args.bytes(0));
  if (!kernel) return kernel;
  kernel->traits = graph::kMultiTensor;
  kernel->flops = 2 * kernel->sizes[0];
  return kernel;
}

/// Updates weights from gradients and `moments` lists of state, with `flops` operations per weight.
template <std::size_t moments, std::int64_t flops>
MaybeKernel optimizer_step(const Arguments& args) {
  std::int64_t bytes = args.bytes(1) + 2 * args.bytes(0);
  for (std::size_t i = 0; i < moments; ++i) bytes += 2 * args.bytes(2 + i);
  auto kernel = list_kernel(args, Operation::optimizer, bytes);
  if (!kernel) return kernel;
  kernel->traits = graph::kMultiTensor;
  kernel->a = args.format(1);
  kernel->flops = flops * kernel->sizes[0];
  return kernel;
}

// Operations per weight are those of generated optimizers (workload/assembly/optimizer_step.cc).
constexpr std::array kLists = {NamedOperator{"aten::cat", concatenation},
                               NamedOperator{"aten::stack", concatenation},
                               NamedOperator{"aten::_foreach_add_", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_add", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_sub_", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_mul_", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_mul", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_div_", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_div", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_lerp_", elementwise_lists<2>},
                               NamedOperator{"aten::_foreach_addcmul_", elementwise_lists<3>},
                               NamedOperator{"aten::_foreach_addcdiv_", elementwise_lists<3>},
                               NamedOperator{"aten::_foreach_sqrt", elementwise_lists<1>},
                               NamedOperator{"aten::_foreach_sqrt_", elementwise_lists<1>},
                               NamedOperator{"aten::_foreach_neg", elementwise_lists<1>},
                               NamedOperator{"aten::_foreach_zero_", fill_lists},
                               NamedOperator{"aten::_foreach_copy_", copy_lists},
                               NamedOperator{"aten::_foreach_norm", list_norms},
                               NamedOperator{"aten::_fused_adam_", optimizer_step<2, 12>},
                               NamedOperator{"aten::_fused_adamw_", optimizer_step<2, 13>},
                               NamedOperator{"aten::_fused_adagrad_", optimizer_step<1, 6>},
                               NamedOperator{"aten::_fused_sgd_", optimizer_step<1, 4>}};

}  // namespace

const NamedOperator* tensor_list_operator(std::string_view name) { return find_in(kLists, name); }

}  // namespace orrery::trace::operators
