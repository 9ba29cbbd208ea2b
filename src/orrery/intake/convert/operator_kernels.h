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

/// What the operators of a recording compute: by their names and arguments, as a device trace or
/// an execution trace has them, and by where they stand. Under a node of autograd an operator makes
/// gradients; of a product, which of the two, by the sizes of the product with the same sequence
/// number. Under aten::linear a product reads its weights transposed.
class OperatorKernels {
 public:
  /// `profile` is indexed and stays as it is. O(events).
  explicit OperatorKernels(const profile::Profile& profile);

  /// Of an operator; nothing where its name or its arguments do not say.
  [[nodiscard]] std::optional<graph::Kernel> of(profile::EventId op);
  /// Of one by which a node of a graph was captured.
  [[nodiscard]] std::optional<graph::Kernel> of(const profile::CapturedOperator& captured);

 private:
  enum class Role : std::uint8_t { unseen, none, product, linear, accumulation, autograd };
  struct Gradient {
    graph::Pass pass = graph::Pass::forward;
    bool plain_weights = false;
  };
  using Texts = std::tuple<StringId, StringId, StringId, StringId>;

  [[nodiscard]] Role role_of(StringId name);
  /// The nearest event around one with that role, or kNoEvent.
  [[nodiscard]] profile::EventId around(profile::EventId op, Role role);
  void infer_gradients();
  void infer_gradients(profile::EventId node, std::span<const profile::EventId> products);
  [[nodiscard]] std::optional<graph::Kernel> plain(profile::EventId op);
  [[nodiscard]] std::optional<graph::Kernel> forward(profile::EventId op);
  [[nodiscard]] const std::optional<graph::Kernel>& known(
      const Texts& key, const trace::operators::ArgumentTexts& arguments);

  const profile::Profile& profile_;
  std::vector<Role> roles_;  // by StringId
  std::map<Texts, std::optional<graph::Kernel>> known_;
  std::optional<graph::Kernel> uncached_;
  std::unordered_map<std::int64_t, std::vector<profile::EventId>> products_;  // by sequence number
  std::unordered_map<profile::EventId, Gradient> gradients_;                  // of products
};

}  // namespace orrery::intake
