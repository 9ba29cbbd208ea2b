// SPDX-License-Identifier: Apache-2.0
//
// Kernels of nodes that say none, in traces that other tools made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "orrery/core/strings.h"
#include "orrery/graph/kernel.h"

namespace orrery::trace::chakra {

/// What a compute node says of the operator it belongs to. Views into its record.
struct NodeOperator {
  std::uint64_t id = 0;
  StringId name_id = StringId::empty;
  std::string_view name;    ///< the node's: an operator's, or a device kernel's
  std::string_view schema;  ///< attribute op_schema: "aten::mm(Tensor self, Tensor mat2) -> Tensor"
  std::string_view values, shapes, types;  ///< inputs
  bool started = false;                    ///< when it began is recorded
};

/// Chakra's linker gives a kernel on the device its operator's inputs and, newer versions,
/// attributes; its control dependency is that operator's node (Sridharan et al., "Chakra", 2023).
/// So its operator is known by its schema, by its own name if that is an operator's, or by the
/// control dependency that has the same inputs and came not long before.
class InferredKernels {
 public:
  /// A node of the host, which others may be children of.
  void note_host(const NodeOperator& node);
  /// The kernel of a node of the device. A kernel that by its name is a helper of its operator has
  /// none. Of a product it is not known whose gradient it is: it is forward.
  [[nodiscard]] graph::KernelId of(const NodeOperator& node, std::span<const std::uint64_t> control,
                                   graph::KernelTable& kernels);

 private:
  static constexpr std::size_t kRecent = 4096;
  struct Host {
    std::uint64_t id = 0;
    std::size_t shapes = 0;  // hash
    std::string name;
  };
  /// The answer for a node that said the same: most do, layer after layer.
  struct Answer {
    StringId name = StringId::empty;
    std::string texts;  // schema, shapes, types
    graph::KernelId kernel = graph::kNoKernel;
  };
  [[nodiscard]] std::string_view parent_of(const NodeOperator& node,
                                           std::span<const std::uint64_t> control) const;
  [[nodiscard]] graph::KernelId infer_kernel(std::string_view operation, const NodeOperator& node,
                                             graph::KernelTable& kernels);

  std::unordered_map<std::string, graph::KernelId> known_;
  std::string key_;
  std::array<Host, kRecent> recent_;     // by id
  std::array<Answer, kRecent> answers_;  // by what a cheap hash makes of a node
};

}  // namespace orrery::trace::chakra
