// SPDX-License-Identifier: Apache-2.0
//
// Rules as rows of a table. A check answers what is wrong, or nothing; it may rely on the rows
// before its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

struct RuleCheck {
  Rule rule;
  std::string_view place;  ///< the key to change
  std::string (*broken)(const Spec&);
  Errc code = Errc::config_conflict;
  const ScheduleEntry* schedule =
      nullptr;  ///< whose rule `schedule_rule` is; then `broken` is null
  const ScheduleRule* schedule_rule = nullptr;

  /// What is wrong, or nothing.
  [[nodiscard]] std::string violation(const Spec& spec) const {
    if (schedule == nullptr) return broken(spec);
    if (spec.schedule.kind != schedule->kind) return {};
    return schedule_rule->broken({spec.parallel.pp, spec.microbatches(), spec.schedule.chunks});
  }
};

// One file each, checked in this order.
[[nodiscard]] std::span<const RuleCheck> model_rules();
[[nodiscard]] std::span<const RuleCheck> lora_rules();
[[nodiscard]] std::span<const RuleCheck> parallel_rules();
[[nodiscard]] std::span<const RuleCheck> expert_rules();
[[nodiscard]] std::span<const RuleCheck> schedule_rules();
[[nodiscard]] std::span<const RuleCheck> size_rules();

/// Specifications need not come from text: every value is in the range of its key; with
/// `may_be_open`, what nobody has given yet (defaults.h) is fine, too. In spec.cc.
[[nodiscard]] Result<void> check_ranges(const Spec& spec, bool may_be_open = false);

/// Families with attention.
[[nodiscard]] inline bool has_attention(const Model& model) {
  return model.kind != ModelKind::resnet && model.kind != ModelKind::dlrm;
}
/// Families that read tokens.
[[nodiscard]] inline bool reads_text(const Model& model) {
  return has_attention(model) && model.kind != ModelKind::vit && model.kind != ModelKind::dit;
}
/// Whether a layer without experts exists.
[[nodiscard]] bool has_dense_layer(const Model& model);
/// Tokens that attention sees in one sequence or picture.
[[nodiscard]] std::int64_t tokens_of(const Spec& spec);
/// Pieces that the layers are dealt out to; schedules both ways have all of them twice.
[[nodiscard]] std::int64_t virtual_stages(const Spec& spec);
/// Layers that are dealt out.
[[nodiscard]] std::int64_t layer_count(const Model& model);

/// "32 is no multiple of 3", or nothing.
[[nodiscard]] std::string divisibility_error(std::string_view what, std::int64_t value,
                                             std::int64_t of, std::string_view divisor);

}  // namespace orrery::workload
