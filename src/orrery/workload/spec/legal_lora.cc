// SPDX-License-Identifier: Apache-2.0
//
// Rules of low-rank adapters.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/config/document.h"
#include "orrery/core/suggest.h"
#include "orrery/core/text.h"
#include "orrery/workload/spec/legal_internal.h"
#include "orrery/workload/spec/lora.h"

namespace orrery::workload {
namespace {

std::string families(const Spec& spec) {
  if (!spec.lora || !adaptable(spec.model).empty()) return {};
  return "is given, but this family has no matrices for it";
}

std::string targets(const Spec& spec) {
  if (!spec.lora) return {};
  const std::vector<std::string_view> known = adaptable(spec.model);
  for (const std::string& word : spec.lora->targets) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    return fmt::format("{} is not one of {}", in_quotes(word), join(known));
  }
  return {};
}

/// What a word that stands for several matrices stands for.
struct Whole {
  std::string_view word;
  std::array<std::string_view, 3> parts;
};
constexpr std::array kWholes = {Whole{"qkv", {"q", "k", "v"}}, Whole{"mlp_up", {"gate", "up", ""}}};

std::string once(const Spec& spec) {
  if (!spec.lora) return {};
  const std::vector<std::string>& list = spec.lora->targets;
  const auto times = [&](std::string_view word) {
    return std::count(list.begin(), list.end(), word);
  };
  for (const std::string& word : list) {
    if (times(word) > 1) return fmt::format("lists {} twice", word);
  }
  for (const Whole& whole : kWholes) {
    for (const std::string_view part : whole.parts) {
      if (times(whole.word) > 0 && times(part) > 0)
        return fmt::format("lists {} and {}", whole.word, part);
    }
  }
  return {};
}

constexpr std::array kRules = {
    RuleCheck{{"lora-families", "Decoders, encoders, encoder-decoders and ViTs have adapters."},
              "lora",
              families},
    RuleCheck{{"lora-targets", "`lora.targets` lists matrices that the model has."},
              "lora.targets",
              targets,
              Errc::config_range},
    RuleCheck{{"lora-once", "A matrix has one adapter: its own, or one together with others."},
              "lora.targets",
              once},
    RuleCheck{{"lora-compat", "With `compat: stage` everything is trained: there is no `lora`."},
              "compat",
              [](const Spec& spec) -> std::string {
                const bool wrong = spec.lora && spec.compat == Compat::stage;
                return wrong ? "is stage, which knows no adapters" : "";
              }},
};

}  // namespace

std::span<const RuleCheck> lora_rules() { return kRules; }

}  // namespace orrery::workload
