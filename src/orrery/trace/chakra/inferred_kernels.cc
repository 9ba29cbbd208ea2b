// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/inferred_kernels.h"

#include <functional>

#include "orrery/trace/operators/operator_kernel.h"
#include "orrery/trace/operators/parts.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::size_t kMostKnown = 1 << 16;  // texts kept

/// "aten::mm(Tensor self …" and "aten::mm(0)" → "aten::mm"; nothing for what is no operator.
std::string_view operator_name(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("(<"));
  const bool plain = name.size() == text.size() || text[name.size()] == '(';
  return plain && name.find("::") != std::string_view::npos &&
                 name.find(' ') == std::string_view::npos
             ? name
             : std::string_view();
}

std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

graph::KernelId kernel_of(std::string_view operation, const NodeOperator& node,
                          graph::KernelTable& kernels) {
  const auto arguments = operators::Arguments::read({node.shapes, node.types, node.values});
  if (!arguments) return graph::kNoKernel;
  auto kernel = operators::kernel_of_operator(operation, *arguments);
  if (!kernel) return graph::kNoKernel;
  // Which others the operator launched is not known.
  if (operator_name(node.name) != operation)
    kernel = operators::parts_of(*kernel, std::array<std::string_view, 2>{node.name, ""}).front();
  return kernel ? kernels.intern(*kernel) : graph::kNoKernel;
}

}  // namespace

void InferredKernels::note_host(const NodeOperator& node) {
  const std::string_view name = operator_name(node.name);
  if (name.empty()) return;
  Host& host = recent_[node.id % kRecent];
  host.id = node.id;
  host.shapes = hash_of(node.shapes);
  host.name.assign(name);
}

std::string_view InferredKernels::operator_of(const NodeOperator& node,
                                              std::span<const std::uint64_t> control) const {
  if (const auto name = operator_name(node.schema); !name.empty()) return name;
  if (const auto name = operator_name(node.name); !name.empty()) return name;
  for (const std::uint64_t id : control) {
    const Host& host = recent_[id % kRecent];
    if (host.id == id && host.shapes == hash_of(node.shapes)) return host.name;
  }
  return {};
}

graph::KernelId InferredKernels::of(const NodeOperator& node,
                                    std::span<const std::uint64_t> control,
                                    graph::KernelTable& kernels) {
  const std::string_view operation = operator_of(node, control);
  if (operation.empty()) return graph::kNoKernel;
  key_.assign(operation);
  for (const std::string_view text : {node.name, node.shapes, node.types}) {
    key_ += '\n';
    key_ += text;
  }
  const auto found = known_.find(key_);
  if (found != known_.end()) return found->second;
  const graph::KernelId kernel = kernel_of(operation, node, kernels);
  if (!operators::reads_values(operation) && known_.size() < kMostKnown)
    known_.emplace(key_, kernel);
  return kernel;
}

}  // namespace orrery::trace::chakra
