// SPDX-License-Identifier: Apache-2.0
//
// Mixtures of experts.
#include <array>

#include "orrery/workload/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kHub = "Hugging Face, num_parameters()";

Model mixtral_8x7b() {
  Model model = llama({32, 4096, 14336, 32, 8, 32000});
  model.moe = Moe{.experts = 8, .top_k = 2};
  return model;
}

Model deepseek_v3() {
  Model model = llama({61, 7168, 18432, 128, 128, 129280});
  model.moe = Moe{.experts = 256,
                  .top_k = 8,
                  .ffn = 2048,
                  .shared_experts = 1,
                  .router_bias = true,
                  .first_dense = 3};
  model.mla = Mla{.q_rank = 1536};
  return model;
}

const std::array kModels = {
    ModelEntry{.name = "mixtral-8x7b",
               .title = "Mixtral 8x7B",
               .seq = 32768,
               .published = "46,702,792,704",
               .source = "Jiang et al. 2024 (arXiv 2401.04088), table 1; config.json",
               .count_source = kHub,
               .model = mixtral_8x7b,
               .active = "12.9B"},
    ModelEntry{.name = "deepseek-v3",
               .title = "DeepSeek-V3 (and R1)",
               .seq = 4096,
               .published = "671B",
               .source = "DeepSeek-AI 2024 (arXiv 2412.19437), section 4.2; config.json",
               .count_source = "DeepSeek-AI 2024, section 4.2",
               .model = deepseek_v3,
               .active = "37B",
               .active_counted = Counted::without_input_table,
               .note = "the main model, without the multi-token prediction module (14B more); 37B "
                       "per token leave the input table out"},
};

}  // namespace

std::span<const ModelEntry> expert_models() { return kModels; }

}  // namespace orrery::workload
