// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/operators/arguments.h"

namespace orrery::intake {

/// Infers the kernels (graph::Kernel) of recorded operators from their names and arguments, as a
/// device trace or an execution trace contains them, and from enclosing operators. Under a node of
/// autograd, an operator computes gradients. For a matrix product, the sizes of the forward product
/// with the same sequence number show which gradient it computes. Under aten::linear, a product
/// reads its weights transposed.
class OperatorKernels {
 public:
  /// `profile` is indexed and must not change. O(events).
  explicit OperatorKernels(const profile::Profile& profile);

  /// The kernel of an operator; empty if its name or its arguments do not determine it.
  [[nodiscard]] std::optional<graph::Kernel> of(profile::EventId op);
  /// True if the recording states the kernel of such an operator, as it does for those of compiled
  /// programs (XPlane): CapturedOperator::concrete is no list but graph::to_text of the kernel.
  [[nodiscard]] bool states_kernel(const profile::CapturedOperator& captured) const;
  /// The kernel of an operator that captured a node of a graph.
  [[nodiscard]] std::optional<graph::Kernel> of(const profile::CapturedOperator& captured);

 private:
  enum class Role : std::uint8_t { unseen, none, product, linear, accumulation, autograd };
  struct Gradient {
    graph::Pass pass = graph::Pass::forward;
    bool plain_weights = false;
  };
  using Texts = std::tuple<StringId, StringId, StringId, StringId>;

  [[nodiscard]] Role role_of(StringId name);
  /// The innermost enclosing event with that role, or kNoEvent.
  [[nodiscard]] profile::EventId enclosing(profile::EventId op, Role role);
  void infer_gradients();
  void infer_gradients(profile::EventId node, std::span<const profile::EventId> products);
  [[nodiscard]] std::optional<graph::Kernel> recorded_kernel(profile::EventId op);
  [[nodiscard]] std::optional<graph::Kernel> forward_kernel(profile::EventId op);
  [[nodiscard]] const std::optional<graph::Kernel>& cached_kernel(
      const Texts& key, const trace::operators::ArgumentTexts& arguments);

  const profile::Profile& profile_;
  std::vector<Role> roles_;  // by StringId
  std::map<Texts, std::optional<graph::Kernel>> kernel_of_texts_;
  std::optional<graph::Kernel> uncached_;
  std::unordered_map<std::int64_t, std::vector<profile::EventId>> products_;  // by sequence number
  std::unordered_map<profile::EventId, Gradient> gradients_;                  // of products
};

}  // namespace orrery::intake
