// SPDX-License-Identifier: Apache-2.0
//
// The rules of `check_spec` as rows of tables. A check returns the error text, or an empty text. It
// may rely on the rows before its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

struct RuleCheck {
  Rule rule;
  std::string_view key;  ///< the key that the user should change
  std::string (*find_violation)(const Spec&);
  Errc code = Errc::config_conflict;
  const ScheduleEntry* schedule =
      nullptr;  ///< the schedule of `schedule_rule`; with it, `find_violation` is null
  const ScheduleRule* schedule_rule = nullptr;

  /// The error text, or an empty text.
  [[nodiscard]] std::string violation(const Spec& spec) const {
    if (schedule == nullptr) return find_violation(spec);
    if (spec.schedule.kind != schedule->kind) return {};
    return schedule_rule->find_violation(
        {spec.parallel.pp, spec.microbatches(), spec.schedule.chunks});
  }
};

// Each table is in one file; they are checked in this order.
[[nodiscard]] std::span<const RuleCheck> model_rules();
[[nodiscard]] std::span<const RuleCheck> lora_rules();
[[nodiscard]] std::span<const RuleCheck> parallel_rules();
[[nodiscard]] std::span<const RuleCheck> expert_rules();
[[nodiscard]] std::span<const RuleCheck> schedule_rules();
[[nodiscard]] std::span<const RuleCheck> size_rules();

/// Checks that every value is in the range of its key, since specifications need not come from
/// text. With `may_be_unresolved`, keys without a value (defaults.h) pass, too. In spec.cc.
[[nodiscard]] Result<void> check_ranges(const Spec& spec, bool may_be_unresolved = false);

/// Whether the family has attention.
[[nodiscard]] inline bool has_attention(const Model& model) {
  return model.kind != ModelKind::resnet && model.kind != ModelKind::dlrm;
}
/// Whether the family reads tokens.
[[nodiscard]] inline bool reads_text(const Model& model) {
  return has_attention(model) && model.kind != ModelKind::vit && model.kind != ModelKind::dit;
}
/// Whether the model has a layer without experts.
[[nodiscard]] bool has_dense_layer(const Model& model);
/// Number of tokens in one sequence or image for attention.
[[nodiscard]] std::int64_t tokens_per_sequence(const Spec& spec);
/// Virtual stages over which the layers are distributed. Schedules with two directions hold each of
/// them twice.
[[nodiscard]] std::int64_t virtual_stage_count(const Spec& spec);
/// Number of layers that are distributed over virtual stages.
[[nodiscard]] std::int64_t layer_count(const Model& model);

/// "32 is no multiple of 3", or an empty text.
[[nodiscard]] std::string divisibility_error(std::string_view what, std::int64_t value,
                                             std::int64_t of, std::string_view divisor);

}  // namespace orrery::workload
