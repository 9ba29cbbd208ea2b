// SPDX-License-Identifier: Apache-2.0
//
// Checks the rules of a specification. The rules are in rules/*.cc.
#include <fmt/format.h>

#include <array>

#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {
namespace {

constexpr Rule kRanges{"ranges", "Every value is in the range of its key."};

std::array<std::span<const RuleCheck>, 6> all_checks() {
  return {model_rules(),  lora_rules(),     parallel_rules(),
          expert_rules(), schedule_rules(), size_rules()};
}

}  // namespace

bool has_dense_layer(const Model& model) {
  if (!model.pattern.empty()) return model.layers_of(LayerSymbol::mlp) > 0;
  if (!model.moe) return true;
  return model.expert_layers() < model.layers;
}

std::int64_t tokens_per_sequence(const Spec& spec) {
  if (reads_text(spec.model)) return spec.batch.seq;
  const std::int64_t side = spec.model.vision->image / spec.model.vision->patch;
  const bool token = spec.model.kind == ModelKind::vit && spec.model.vision->class_token;
  return side * side + (token ? 1 : 0);
}

std::int64_t virtual_stage_count(const Spec& spec) {
  const ScheduleEntry* schedule = find_schedule(spec.schedule.kind);
  const bool copies = schedule != nullptr && schedule->placement == Placement::bidirectional;
  return spec.parallel.pp * (copies ? 1 : spec.schedule.chunks);
}

std::int64_t layer_count(const Model& model) {
  return model.layers + (model.kind == ModelKind::encoder_decoder ? model.encoder_layers : 0);
}

std::string divisibility_error(std::string_view what, std::int64_t value, std::int64_t of,
                               std::string_view divisor) {
  if (value % of == 0) return {};
  return fmt::format("{} is {}, which is not a multiple of {} ({})", what, value, of, divisor);
}

Result<void> check_spec(const Spec& spec) {
  if (Result<void> fine = check_ranges(spec); !fine) {
    Error error = std::move(fine.error());
    error.hint = fmt::format("rule {}: {}", kRanges.name, kRanges.sentence);
    return tl::unexpected(std::move(error));
  }
  for (const std::span<const RuleCheck> checks : all_checks()) {
    for (const RuleCheck& check : checks) {
      std::string what = check.violation(spec);
      if (what.empty()) continue;
      return fail(check.code, std::string(check.key), std::move(what),
                  fmt::format("rule {}: {}", check.rule.name, check.rule.sentence));
    }
  }
  return {};
}

std::vector<Rule> rules() {
  std::vector<Rule> all = {kRanges};
  for (const std::span<const RuleCheck> checks : all_checks()) {
    for (const RuleCheck& check : checks) all.push_back(check.rule);
  }
  return all;
}

}  // namespace orrery::workload
