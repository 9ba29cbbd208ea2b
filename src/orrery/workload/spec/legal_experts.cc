// SPDX-License-Identifier: Apache-2.0
//
// Rules of mixtures of experts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/workload/spec/legal_internal.h"

namespace orrery::workload {
namespace {

std::string experts_given(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (spec.model.moe || (p.ep == 1 && p.etp == 0 && !p.ep_own_axis)) return {};
  return "is given, but the model has no experts";
}

std::string top_k(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.moe->top_k <= m.moe->experts) return {};
  return fmt::format("is {} of {} experts", m.moe->top_k, m.moe->experts);
}

std::string some_layer(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.expert_layers() > 0) return {};
  return fmt::format("no layer of {} has experts", m.layers);
}

std::string pattern(const Spec& spec) {
  if (!spec.model.moe || spec.model.moe->pattern.empty()) return {};
  for (const std::int64_t each : spec.model.moe->pattern) {
    if (each != 0 && each != 1) return fmt::format("lists {}", each);
  }
  const bool both = spec.model.moe->first_dense != 0 || spec.model.moe->every != 1;
  return both ? "is given beside first_dense or every" : "";
}

std::string shared(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.moe->shared_experts > 0) return {};
  return m.moe->shared_ffn > 0 || m.moe->shared_gate ? "is 0, but shared experts are described"
                                                     : "";
}

constexpr std::int64_t kMostSharedFeatures = 1 << 22;

std::string shared_size(const Spec& spec) {
  if (!spec.model.moe || spec.model.shared_inner() <= kMostSharedFeatures) return {};
  return fmt::format("together they are {} wide", spec.model.shared_inner());
}

std::string capacity(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || !m.moe->pad_to_capacity || m.moe->capacity_factor > 0) return {};
  return "is true, but capacity_factor is 0";
}

std::string imbalance(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.moe->imbalance <= static_cast<double>(spec.parallel.ep)) return {};
  return fmt::format("is {}, but ep is {}", m.moe->imbalance, spec.parallel.ep);
}

std::string experts_by_ep(const Spec& spec) {
  if (!spec.model.moe) return {};
  return no_multiple("model.moe.experts", spec.model.moe->experts, spec.parallel.ep, "ep");
}

std::string etp(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.etp == 0 || p.etp == 1 || p.etp == p.tp) return {};
  return fmt::format("is {}, tp is {}", p.etp, p.tp);
}

std::string etp_by_sp(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.expert_tp() == p.tp || p.sp) return {};
  return "is 1, but ranks of tp have the same tokens";
}

std::string ep_by_ranks(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.ep_own_axis || p.ep == 1) return {};
  return p.expert_tp() == p.tp ? no_multiple("cp x dp", p.cp * p.dp, p.ep, "ep")
                               : no_multiple("tp x cp x dp", p.tp * p.cp * p.dp, p.ep, "ep");
}

std::string expert_ffn_by_etp(const Spec& spec) {
  if (!spec.model.moe) return {};
  return no_multiple("an expert's ffn", spec.model.expert_inner(), spec.parallel.expert_tp(),
                     "etp");
}

std::string shared_ffn_by_tp(const Spec& spec) {
  if (!spec.model.moe) return {};
  return no_multiple("the shared experts' ffn", spec.model.shared_inner(), spec.parallel.tp, "tp");
}

constexpr double kWidestRow = 65535;

std::string dispatcher(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (!spec.model.moe || p.dispatcher == Dispatcher::all_to_all) return {};
  const Moe& moe = *spec.model.moe;
  const double row = static_cast<double>(spec.model.hidden) *
                     std::max(bytes_of(spec.precision.dispatch), bytes_of(spec.precision.combine));
  const bool fits = moe.experts <= 65535 && moe.top_k <= 255 && row <= kWidestRow;
  if (fits) return {};
  return fmt::format("sends tokens of {} bytes to {} of {} experts", row, moe.top_k, moe.experts);
}

constexpr std::array kExpertRules = {
    RuleCheck{{"ep-needs-moe", "`ep`, `etp` and `ep_own_axis` need a model with experts."},
              "parallel.ep",
              experts_given},
    RuleCheck{{"top-k", "A token goes to at most as many experts as there are."},
              "model.moe.top_k",
              top_k},
    RuleCheck{{"moe-layers", "Some layer has experts."}, "model.moe", some_layer},
    RuleCheck{{"moe-pattern", "`pattern` lists 0 and 1, and replaces `first_dense` and `every`."},
              "model.moe.pattern",
              pattern},
    RuleCheck{{"shared-experts", "`shared_ffn` and `shared_gate` describe `shared_experts`."},
              "model.moe.shared_experts",
              shared},
    RuleCheck{{"shared-size", "Shared experts together are at most 4194304 wide."},
              "model.moe.shared_experts",
              shared_size,
              Errc::config_range},
    RuleCheck{{"capacity", "`pad_to_capacity` needs a `capacity_factor`."},
              "model.moe.pad_to_capacity",
              capacity},
    RuleCheck{{"imbalance", "The busiest of ep ranks has at most ep times the mean."},
              "model.moe.imbalance",
              imbalance},
    RuleCheck{{"experts-by-ep", "Experts are a multiple of ep."}, "parallel.ep", experts_by_ep},
    RuleCheck{{"etp", "`etp` is 1 or tp."}, "parallel.etp", etp},
    RuleCheck{{"etp-by-sp", "`etp: 1` beside tp needs `sp`: each rank sends tokens of its own."},
              "parallel.etp",
              etp_by_sp},
    RuleCheck{{"ep-by-ranks", "Folded, ep divides cp x dp, or with `etp: 1` tp x cp x dp."},
              "parallel.ep",
              ep_by_ranks},
    RuleCheck{{"expert-ffn-by-etp", "An expert's inner size is a multiple of etp."},
              "parallel.etp",
              expert_ffn_by_etp},
    RuleCheck{{"dispatcher",
               "DeepEP sends tokens of at most 65535 bytes to at most 255 of 65535 experts."},
              "parallel.dispatcher",
              dispatcher,
              Errc::config_range},
    RuleCheck{{"shared-ffn-by-tp", "The shared experts' inner size is a multiple of tp."},
              "parallel.tp",
              shared_ffn_by_tp},
};

}  // namespace

std::span<const RuleCheck> expert_rules() { return kExpertRules; }

}  // namespace orrery::workload
