// SPDX-License-Identifier: Apache-2.0
//
// Infers kernels of nodes without a kernel attribute, in traces of other tools.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "orrery/core/strings.h"
#include "orrery/graph/kernel.h"

namespace orrery::trace::chakra {

/// The operator of a compute node, as far as its record contains it. Views into the record.
struct NodeOperator {
  std::uint64_t id = 0;
  StringId name_id = StringId::empty;
  std::string_view name;    ///< of the node: an operator or a device kernel
  std::string_view schema;  ///< attribute op_schema: "aten::mm(Tensor self, Tensor mat2) -> Tensor"
  std::string_view values, shapes, types;  ///< inputs
  bool started = false;                    ///< the record has a start time
};

/// Chakra's linker copies the operator's inputs, and in newer versions its attributes, to its
/// device kernel. The control dependency of the kernel is the operator's node (Sridharan et al.,
/// "Chakra", 2023). Therefore the operator is known from the schema, from the node's name if that
/// is an operator, or from a recent control dependency with the same inputs.
class InferredKernels {
 public:
  /// Remembers a host node, which may be the parent of later nodes.
  void remember_host(const NodeOperator& node);
  /// The kernel of a device node. A kernel whose name shows that it is a helper of its operator has
  /// none. A matrix product is forward, because the trace does not show whether it is a gradient.
  [[nodiscard]] graph::KernelId infer(const NodeOperator& node,
                                      std::span<const std::uint64_t> control,
                                      graph::KernelTable& kernels);

 private:
  static constexpr std::size_t kRecent = 4096;
  struct Host {
    std::uint64_t id = 0;
    std::size_t shapes = 0;  // hash
    std::string name;
  };
  /// A cached result for nodes with equal texts; most layers repeat them.
  struct CachedKernel {
    StringId name = StringId::empty;
    std::string texts;  // schema, shapes, types
    graph::KernelId kernel = graph::kNoKernel;
  };
  [[nodiscard]] std::string_view parent_of(const NodeOperator& node,
                                           std::span<const std::uint64_t> control) const;
  [[nodiscard]] graph::KernelId kernel_of_operation(std::string_view operation,
                                                    const NodeOperator& node,
                                                    graph::KernelTable& kernels);

  std::unordered_map<std::string, graph::KernelId> kernel_of_texts_;
  std::string key_;
  std::array<Host, kRecent> recent_;         // by id
  std::array<CachedKernel, kRecent> cache_;  // by a cheap hash of the node
};

}  // namespace orrery::trace::chakra
