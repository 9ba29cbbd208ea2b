// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/inferred_kernels.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "orrery/trace/operators/kernel_parts.h"
#include "orrery/trace/operators/operator_kernel.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::size_t kMaxCachedTexts = 1 << 16;  // maximum number of cached texts

/// "aten::mm(Tensor self …" and "aten::mm(0)" → "aten::mm"; empty for other text.
std::string_view operator_name(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("(<"));
  const bool plain = name.size() == text.size() || text[name.size()] == '(';
  return plain && name.find("::") != std::string_view::npos &&
                 name.find(' ') == std::string_view::npos
             ? name
             : std::string_view();
}

std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

/// A cheap hash: nodes that differ in other texts only evict each other.
std::size_t place_of(const NodeOperator& node) {
  std::uint64_t head = 0, tail = 0;
  const std::size_t edge = std::min<std::size_t>(node.shapes.size(), 8);
  if (edge > 0) {
    std::memcpy(&head, node.shapes.data(), edge);
    std::memcpy(&tail, node.shapes.data() + node.shapes.size() - edge, edge);
  }
  const std::uint64_t mixed = head ^ (tail * 0xD6E8FEB86659FD93ull) ^ node.shapes.size() ^
                              (static_cast<std::uint64_t>(node.name_id) << 20);
  return static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15ull) >> 40);
}

bool has_texts(std::string_view texts, const NodeOperator& node) {
  if (texts.size() != node.schema.size() + node.shapes.size() + node.types.size()) return false;
  for (const std::string_view text : {node.schema, node.shapes, node.types}) {
    if (!texts.starts_with(text)) return false;
    texts.remove_prefix(text.size());
  }
  return true;
}

graph::KernelId kernel_of(std::string_view operation, const NodeOperator& node,
                          graph::KernelTable& kernels) {
  const auto arguments = operators::Arguments::read({node.shapes, node.types, node.values});
  if (!arguments) return graph::kNoKernel;
  auto kernel = operators::kernel_of_operator(operation, *arguments);
  if (!kernel) return graph::kNoKernel;
  // The trace does not show which other kernels the operator launched.
  if (operator_name(node.name) != operation)
    kernel =
        operators::kernel_parts(*kernel, std::array<std::string_view, 2>{node.name, ""}).front();
  return kernel ? kernels.intern(*kernel) : graph::kNoKernel;
}

}  // namespace

void InferredKernels::remember_host(const NodeOperator& node) {
  const std::string_view name = operator_name(node.name);
  if (name.empty()) return;
  Host& host = recent_[node.id % kRecent];
  host.id = node.id;
  host.shapes = hash_of(node.shapes);
  host.name.assign(name);
}

std::string_view InferredKernels::parent_of(const NodeOperator& node,
                                            std::span<const std::uint64_t> control) const {
  for (const std::uint64_t id : control) {
    const Host& host = recent_[id % kRecent];
    if (host.id == id && host.shapes == hash_of(node.shapes)) return host.name;
  }
  return {};
}

graph::KernelId InferredKernels::kernel_of_operation(std::string_view operation,
                                                     const NodeOperator& node,
                                                     graph::KernelTable& kernels) {
  key_.assign(operation);
  for (const std::string_view text : {node.name, node.shapes, node.types}) {
    key_ += '\n';
    key_ += text;
  }
  const auto found = kernel_of_texts_.find(key_);
  if (found != kernel_of_texts_.end()) return found->second;
  const graph::KernelId kernel = kernel_of(operation, node, kernels);
  if (!operators::reads_values(operation) && kernel_of_texts_.size() < kMaxCachedTexts)
    kernel_of_texts_.emplace(key_, kernel);
  return kernel;
}

graph::KernelId InferredKernels::infer(const NodeOperator& node,
                                       std::span<const std::uint64_t> control,
                                       graph::KernelTable& kernels) {
  CachedKernel& cached = cache_[place_of(node) % kRecent];
  if (cached.name == node.name_id && has_texts(cached.texts, node)) return cached.kernel;
  std::string_view operation = operator_name(node.schema);
  if (operation.empty()) operation = operator_name(node.name);
  const bool is_cacheable = !operation.empty() && !operators::reads_values(operation);
  if (operation.empty()) operation = parent_of(node, control);
  if (operation.empty()) return graph::kNoKernel;
  const graph::KernelId kernel = kernel_of_operation(operation, node, kernels);
  if (is_cacheable) {
    cached.name = node.name_id;
    cached.kernel = kernel;
    cached.texts.assign(node.schema).append(node.shapes).append(node.types);
  }
  return kernel;
}

}  // namespace orrery::trace::chakra
