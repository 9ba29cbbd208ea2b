// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/recompute_policy.h"

#include <array>
#include <initializer_list>

namespace orrery::workload {
namespace {

constexpr std::uint32_t bits(std::initializer_list<Group> groups) {
  std::uint32_t made = 0;
  for (const Group group : groups) made |= std::uint32_t{1} << static_cast<unsigned>(group);
  return made;
}

constexpr std::array kWords = {
    RecomputeWord{"norm", bits({Group::norm})},
    RecomputeWord{"qkv", bits({Group::qkv, Group::latent_up})},
    RecomputeWord{"attention", bits({Group::attention})},
    RecomputeWord{"out", bits({Group::out})},
    RecomputeWord{"mlp_up", bits({Group::mlp_up})},
    RecomputeWord{"activation", bits({Group::activation, Group::expert_activation})},
    RecomputeWord{"mlp_down", bits({Group::mlp_down})},
    RecomputeWord{"router", bits({Group::router})},
    RecomputeWord{"experts", bits({Group::experts})},
    RecomputeWord{"core_attn", bits({Group::attention})},
    RecomputeWord{"layernorm", bits({Group::norm})},
    RecomputeWord{"mlp", bits({Group::mlp_up, Group::activation, Group::mlp_down})},
    RecomputeWord{"moe_act", bits({Group::expert_activation})},
    RecomputeWord{"mla_up_proj", bits({Group::latent_up})},
};

}  // namespace

std::span<const RecomputeWord> recompute_words() { return kWords; }

std::uint32_t groups_of(std::string_view word) {
  for (const RecomputeWord& one : kWords)
    if (one.name == word) return one.groups;
  return 0;
}

bool stops_recompute_early(const Spec& spec) {
  if (spec.compat != Compat::none) return false;
  switch (spec.kernels.framework) {
    case Framework::pytorch:
    case Framework::torchtitan:
    case Framework::torchtitan_compiled:
      return spec.recompute.early_stop.value_or(true);
    case Framework::none:
    case Framework::deepspeed:
    case Framework::megatron:
    case Framework::megatron_2021:
      break;
  }
  return spec.recompute.early_stop.value_or(false);
}

}  // namespace orrery::workload
