// SPDX-License-Identifier: Apache-2.0
//
// Mixtures of experts.
#include <array>

#include "orrery/workload/spec/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kQwen3Experts =
    "Qwen Team 2025 (arXiv 2505.09388), table 2; config.json";
constexpr std::string_view kV2 = "DeepSeek-AI 2024 (arXiv 2405.04434), section 3.1; config.json";
constexpr std::string_view kV3 = "DeepSeek-AI 2024 (arXiv 2412.19437), section 4.2; config.json";
constexpr std::string_view kOss = "OpenAI 2025 (arXiv 2508.10925), section 2; config.json";
constexpr std::string_view kOssCount = "OpenAI 2025 (arXiv 2508.10925), table 1";
constexpr std::string_view kGlm = "GLM-4.5 Team 2025 (arXiv 2508.06471), table 1; config.json";

Model mixtral(LlamaShape shape) {
  Model model = llama(shape);
  model.moe = Moe{.experts = 8, .top_k = 2};
  return model;
}

Model qwen3_moe(LlamaShape shape, const Moe& moe) {
  Model model = llama(shape);
  model.head_dim = 128;
  model.qk_norm = true;
  model.moe = moe;
  return model;
}

Model qwen1_5_moe() {
  Model model = llama({24, 2048, 5632, 16, 16, 151936});
  model.qkv_bias = true;
  model.moe = Moe{.experts = 60,
                  .top_k = 4,
                  .ffn = 1408,
                  .shared_experts = 4,
                  .shared_ffn = 5632,
                  .shared_gate = true};
  return model;
}

Model deepseek_moe() {
  Model model = llama({28, 2048, 10944, 16, 16, 102400});
  model.moe = Moe{.experts = 64, .top_k = 6, .ffn = 1408, .shared_experts = 2, .first_dense = 1};
  return model;
}

Model deepseek_v2_lite() {
  Model model = llama({27, 2048, 10944, 16, 16, 102400});
  model.moe = Moe{.experts = 64, .top_k = 6, .ffn = 1408, .shared_experts = 2, .first_dense = 1};
  model.mla = Mla{};
  return model;
}

Model deepseek_v2() {
  Model model = llama({60, 5120, 12288, 128, 128, 102400});
  model.moe = Moe{.experts = 160, .top_k = 6, .ffn = 1536, .shared_experts = 2, .first_dense = 1};
  model.mla = Mla{.q_rank = 1536};
  return model;
}

/// DeepSeek-V3's architecture.
Model deepseek_v3(std::int64_t heads, std::int64_t vocab, std::int64_t experts,
                  std::int64_t first_dense) {
  Model model = llama({61, 7168, 18432, heads, heads, vocab});
  model.moe = Moe{.experts = experts,
                  .top_k = 8,
                  .ffn = 2048,
                  .shared_experts = 1,
                  .router_bias = true,
                  .first_dense = first_dense};
  model.mla = Mla{.q_rank = 1536};
  return model;
}

Model glm_4_5_air() {
  Model model = llama({46, 4096, 10944, 96, 8, 151552});
  model.head_dim = 128;
  model.qkv_bias = true;
  model.moe = Moe{.experts = 128,
                  .top_k = 8,
                  .ffn = 1408,
                  .shared_experts = 1,
                  .router_bias = true,
                  .first_dense = 1};
  return model;
}

/// Every second layer sees 128 tokens only; biases everywhere, and a sink for every head.
Model gpt_oss(std::int64_t layers, std::int64_t experts) {
  Model model = llama({layers, 2880, 2880, 64, 8, 201088});
  model.head_dim = 64;
  model.qkv_bias = model.out_bias = true;
  model.window = 128;
  model.full_every = 2;
  model.sinks = true;
  model.moe = Moe{.experts = experts, .top_k = 4, .router_bias = true, .expert_bias = true};
  return model;
}

const std::array kExpertModels = {
    ModelEntry{.name = "mixtral-8x7b",
               .title = "Mixtral 8x7B",
               .seq = 32768,
               .published = "46,702,792,704",
               .source = "Jiang et al. 2024 (arXiv 2401.04088), table 1; config.json",
               .count_source = kHub,
               .model =
                   [] {
                     return mixtral({32, 4096, 14336, 32, 8, 32000});
                   },
               .active = "12.9B",
               .note = "trained on sequences of 32k tokens (arXiv 2401.04088, section 1); "
                       "benchmarks of training mostly take 4,096"},
    ModelEntry{.name = "mixtral-8x22b",
               .title = "Mixtral 8x22B",
               .seq = 8192,
               .published = "140,620,634,112",
               .source = kConfig,
               .count_source = kHub,
               .model =
                   [] {
                     return mixtral({56, 6144, 16384, 48, 8, 32000});
                   },
               .active = "39B",
               .note = "the authors do not say how long the sequences were that it was trained on "
                       "(it reads up to 65,536 tokens): 8,192 as in AMD's published training runs "
                       "(Primus)"},
    ModelEntry{.name = "qwen1.5-moe-a2.7b",
               .title = "Qwen1.5-MoE A2.7B",
               .seq = 4096,
               .published = "14,315,784,192",
               .source = kConfig,
               .count_source = kHub,
               .model = qwen1_5_moe,
               .active = "2.7B",
               .note = "four shared experts stand as one of their whole width"},
    ModelEntry{.name = "qwen3-30b-a3b",
               .title = "Qwen3 30B-A3B",
               .seq = 4096,
               .published = "30,532,122,624",
               .source = kQwen3Experts,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3_moe({48, 2048, 6144, 32, 4, 151936},
                                      Moe{.experts = 128, .top_k = 8, .ffn = 768});
                   },
               .active = "3B",
               .note = "the card prints 3.3B per token, which is cut off"},
    ModelEntry{.name = "qwen3-235b-a22b",
               .title = "Qwen3 235B-A22B",
               .seq = 4096,
               .published = "235,093,634,560",
               .source = kQwen3Experts,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3_moe({94, 4096, 12288, 64, 4, 151936},
                                      Moe{.experts = 128, .top_k = 8, .ffn = 1536});
                   },
               .active = "22B"},
    ModelEntry{.name = "qwen3-coder-480b-a35b",
               .title = "Qwen3-Coder 480B-A35B",
               .seq = 4096,
               .published = "480,154,875,392",
               .source = kConfig,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3_moe({62, 6144, 8192, 96, 8, 151936},
                                      Moe{.experts = 160, .top_k = 8, .ffn = 2560});
                   },
               .active = "35B"},
    ModelEntry{.name = "deepseek-moe-16b",
               .title = "DeepSeekMoE 16B",
               .seq = 4096,
               .published = "16,375,728,128",
               .source = "Dai et al. 2024 (arXiv 2401.06066), section 5.1; config.json",
               .count_source = kHub,
               .model = deepseek_moe,
               .active = "2.8B"},
    ModelEntry{.name = "deepseek-v2-lite",
               .title = "DeepSeek-V2-Lite",
               .seq = 4096,
               .published = "15,706,484,224",
               .source = "DeepSeek-AI 2024 (arXiv 2405.04434), appendix B; config.json",
               .count_source = kHub,
               .model = deepseek_v2_lite,
               .note = "the paper prints 2.4B per token; all weights that a token visits are "
                       "2.66B, without the input table 2.45B"},
    ModelEntry{.name = "deepseek-v2",
               .title = "DeepSeek-V2",
               .seq = 4096,
               .published = "235,741,434,880",
               .source = kV2,
               .count_source = kHub,
               .model = deepseek_v2,
               .active = "21B"},
    ModelEntry{.name = "deepseek-v3",
               .title = "DeepSeek-V3",
               .seq = 4096,
               .published = "671B",
               .source = kV3,
               .count_source = kV3,
               .model = [] { return deepseek_v3(128, 129280, 256, 3); },
               .active = "37B",
               .active_counted = Counted::without_input_table,
               .note = "the main model, without the module for multi-token prediction (14B more in "
                       "the published files); 37B per token leave the input table out"},
    ModelEntry{.name = "deepseek-r1",
               .title = "DeepSeek-R1",
               .seq = 4096,
               .published = "671B",
               .source = kV3,
               .count_source = kV3,
               .model = [] { return deepseek_v3(128, 129280, 256, 3); },
               .active = "37B",
               .active_counted = Counted::without_input_table,
               .note = "the main model, without the module for multi-token prediction (14B more in "
                       "the published files); 37B per token leave the input table out"},
    ModelEntry{.name = "kimi-k2",
               .title = "Kimi K2",
               .seq = 4096,
               .published = "1T",
               .source = "Kimi Team 2025 (arXiv 2507.20534), table 2; config.json",
               .count_source = "Kimi Team 2025, abstract",
               .model = [] { return deepseek_v3(64, 163840, 384, 1); },
               .active = "32B",
               .active_counted = Counted::without_input_table,
               .note = "an architecture like DeepSeek-V3; 32B per token leave the input table out. "
                       "Table 2 prints 1.04T, the published files hold 1.03T"},
    ModelEntry{
        .name = "glm-4.5-air",
        .title = "GLM-4.5-Air (INTELLECT-3)",
        .seq = 4096,
        .published = "106,852,251,264",
        .source = kGlm,
        .count_source = "Hugging Face, safetensors of PrimeIntellect/INTELLECT-3",
        .model = glm_4_5_air,
        .active = "12B",
        .active_counted = Counted::without_tables,
        .note = "without the layer for multi-token prediction, as in INTELLECT-3; the paper prints "
                "106B, which is cut off. 12B per token leave input table and head out"},
    ModelEntry{.name = "gpt-oss-20b",
               .title = "gpt-oss-20b",
               .seq = 4096,
               .published = "20.91B",
               .source = kOss,
               .count_source = kOssCount,
               .model = [] { return gpt_oss(24, 32); },
               .active = "3.61B",
               .active_counted = Counted::without_input_table,
               .note = "what a token visits is printed without the input table"},
    ModelEntry{.name = "gpt-oss-120b",
               .title = "gpt-oss-120b",
               .seq = 4096,
               .published = "116.83B",
               .source = kOss,
               .count_source = kOssCount,
               .model = [] { return gpt_oss(36, 128); },
               .active = "5.13B",
               .active_counted = Counted::without_input_table,
               .note = "what a token visits is printed without the input table"},
};

}  // namespace

std::span<const ModelEntry> expert_models() { return kExpertModels; }

}  // namespace orrery::workload
