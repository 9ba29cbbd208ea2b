// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/operator_kernel.h"

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

/// "aten::add_.Tensor" → "aten::add_"; names of C++ types stay unchanged.
std::string_view without_overload(std::string_view name) {
  const std::size_t scope = name.rfind("::");
  if (scope == std::string_view::npos || name.find('<') != std::string_view::npos) return name;
  return name.substr(0, name.find('.', scope));
}

const NamedOperator* find_operator(std::string_view name) {
  name = without_overload(name);
  for (const auto& table :
       {product_operator, convolution_operator, attention_operator, row_operator,
        embedding_operator, elementwise_operator, tensor_list_operator})
    if (const NamedOperator* found = table(name)) return found;
  return nullptr;
}

}  // namespace

graph::Kernel simple_kernel(graph::Operation operation, graph::Pass pass, graph::Format a,
                            graph::Format out) {
  graph::Kernel kernel;
  kernel.operation = operation;
  kernel.pass = pass;
  kernel.a = a;
  kernel.out = out;
  return kernel;
}

std::int64_t bytes_of(std::int64_t elements, graph::Format format) {
  return elements * graph::bits_of(format) / 8;
}

std::int64_t window_count(std::int64_t in, std::int64_t window, std::int64_t stride,
                          std::int64_t padding, std::int64_t dilation) {
  constexpr std::int64_t kMost = 1 << 30;
  for (const std::int64_t each : {in, window, stride, dilation})
    if (each < 1 || each > kMost) return 0;
  if (padding < 0 || padding > kMost) return 0;
  const std::int64_t room = in + 2 * padding - dilation * (window - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

std::optional<graph::Kernel> kernel_of_operator(std::string_view name, const Arguments& arguments) {
  if (arguments.size() == 0) return std::nullopt;
  const NamedOperator* known = find_operator(name);
  return known == nullptr ? std::nullopt : known->make(arguments);
}

std::optional<std::array<std::size_t, 2>> factors_of_product(std::string_view name) {
  const NamedOperator* const product = product_operator(without_overload(name));
  if (product == nullptr) return std::nullopt;
  const std::size_t first = product->name.find("add") == std::string_view::npos ? 0 : 1;
  return std::array{first, first + 1};
}

bool reads_values(std::string_view name) {
  const NamedOperator* known = find_operator(name);
  return known != nullptr && known->reads_values;
}

}  // namespace orrery::trace::operators
