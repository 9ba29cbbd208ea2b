// SPDX-License-Identifier: Apache-2.0
//
// LLaMA and those built like it.
#include <array>

#include "orrery/workload/spec/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kLlama1 = "Touvron et al. 2023 (arXiv 2302.13971), table 2; config.json";
constexpr std::string_view kLlama2 = "Touvron et al. 2023 (arXiv 2307.09288); config.json";
constexpr std::string_view kLlama3 =
    "Grattafiori et al. 2024 (arXiv 2407.21783), table 3; config.json";
constexpr std::string_view kQwen25 = "Qwen Team 2024 (arXiv 2412.15115), table 1; config.json";
constexpr std::string_view kQwen3 = "Qwen Team 2025 (arXiv 2505.09388), table 1; config.json";

Model mistral(LlamaShape shape, std::int64_t head_dim, std::int64_t window) {
  Model model = llama(shape);
  model.head_dim = head_dim;
  model.window = window;
  return model;
}

/// Queries, keys and values have biases.
Model qwen2_5(LlamaShape shape) {
  Model model = llama(shape);
  model.qkv_bias = true;
  return model;
}

/// Queries and keys are normed; heads are 128 wide.
Model qwen3(LlamaShape shape) {
  Model model = llama(shape);
  model.head_dim = 128;
  model.qk_norm = true;
  return model;
}

const std::array kLlamaModels = {
    ModelEntry{.name = "llama-7b",
               .title = "LLaMA 7B",
               .seq = 2048,
               .published = "6,738,415,616",
               .source = kLlama1,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({32, 4096, 11008, 32, 32, 32000});
                   }},
    ModelEntry{.name = "llama-13b",
               .title = "LLaMA 13B",
               .seq = 2048,
               .published = "13,015,864,320",
               .source = kLlama1,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({40, 5120, 13824, 40, 40, 32000});
                   }},
    ModelEntry{.name = "llama-33b",
               .title = "LLaMA 33B",
               .seq = 2048,
               .published = "32,528,943,616",
               .source = kLlama1,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({60, 6656, 17920, 52, 52, 32000});
                   }},
    ModelEntry{.name = "llama-65b",
               .title = "LLaMA 65B",
               .seq = 2048,
               .published = "65,285,660,672",
               .source = kLlama1,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({80, 8192, 22016, 64, 64, 32000});
                   },
               .note = "table 2 cuts off: 65.2B"},
    ModelEntry{.name = "llama-2-7b",
               .title = "Llama 2 7B",
               .seq = 4096,
               .published = "6,738,415,616",
               .source = kLlama2,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({32, 4096, 11008, 32, 32, 32000});
                   }},
    ModelEntry{.name = "llama-2-13b",
               .title = "Llama 2 13B",
               .seq = 4096,
               .published = "13,015,864,320",
               .source = kLlama2,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({40, 5120, 13824, 40, 40, 32000});
                   }},
    ModelEntry{.name = "llama-2-70b",
               .title = "Llama 2 70B",
               .seq = 4096,
               .published = "68,976,648,192",
               .source = kLlama2,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({80, 8192, 28672, 64, 8, 32000});
                   }},
    ModelEntry{.name = "llama-3-8b",
               .title = "Llama 3 8B",
               .seq = 8192,
               .published = "8,030,261,248",
               .source = kLlama3,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({32, 4096, 14336, 32, 8, 128256});
                   }},
    ModelEntry{.name = "llama-3-70b",
               .title = "Llama 3 70B",
               .seq = 8192,
               .published = "70,553,706,496",
               .source = kLlama3,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({80, 8192, 28672, 64, 8, 128256});
                   }},
    ModelEntry{.name = "llama-3.1-8b",
               .title = "Llama 3.1 8B",
               .seq = 8192,
               .published = "8,030,261,248",
               .source = kLlama3,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({32, 4096, 14336, 32, 8, 128256});
                   }},
    ModelEntry{.name = "llama-3.1-70b",
               .title = "Llama 3.1 70B (and 3.3)",
               .seq = 8192,
               .published = "70,553,706,496",
               .source = kLlama3,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({80, 8192, 28672, 64, 8, 128256});
                   }},
    ModelEntry{.name = "llama-3.1-405b",
               .title = "Llama 3.1 405B",
               .seq = 8192,
               .published = "405,853,388,800",
               .source = kLlama3,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({126, 16384, 53248, 128, 8, 128256});
                   }},
    ModelEntry{.name = "llama-3.2-1b",
               .title = "Llama 3.2 1B",
               .seq = 8192,
               .published = "1,235,814,400",
               .source = kConfig,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({16, 2048, 8192, 32, 8, 128256, true});
                   }},
    ModelEntry{.name = "llama-3.2-3b",
               .title = "Llama 3.2 3B",
               .seq = 8192,
               .published = "3,212,749,824",
               .source = kConfig,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({28, 3072, 8192, 24, 8, 128256, true});
                   }},
    ModelEntry{.name = "mistral-7b",
               .title = "Mistral 7B v0.1",
               .seq = 8192,
               .published = "7,241,732,096",
               .source = "Jiang et al. 2023 (arXiv 2310.06825), table 1",
               .count_source = kHub,
               .model =
                   [] {
                     return mistral({32, 4096, 14336, 32, 8, 32000}, 128, 4096);
                   }},
    ModelEntry{.name = "mistral-nemo-12b",
               .title = "Mistral NeMo 12B",
               .seq = 131072,
               .published = "12,247,782,400",
               .source = kConfig,
               .count_source = kHub,
               .model =
                   [] {
                     return mistral({40, 5120, 14336, 32, 8, 131072}, 128, 0);
                   },
               .note = "the model card: trained with a 128k context window"},
    ModelEntry{.name = "mistral-small-24b",
               .title = "Mistral Small 3 24B",
               .seq = 32768,
               .published = "23,572,403,200",
               .source = kConfig,
               .count_source = kHub,
               .model =
                   [] {
                     return mistral({40, 5120, 32768, 32, 8, 131072}, 128, 0);
                   },
               .note = "the authors do not say how long the sequences were that it was trained "
                       "on: 32,768 is what it reads"},
    ModelEntry{.name = "qwen2.5-0.5b",
               .title = "Qwen2.5 0.5B",
               .seq = 4096,
               .published = "494,032,768",
               .source = kQwen25,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen2_5({24, 896, 4864, 14, 2, 151936, true});
                   }},
    ModelEntry{.name = "qwen2.5-1.5b",
               .title = "Qwen2.5 1.5B",
               .seq = 4096,
               .published = "1,543,714,304",
               .source = kQwen25,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen2_5({28, 1536, 8960, 12, 2, 151936, true});
                   }},
    ModelEntry{.name = "qwen2.5-3b",
               .title = "Qwen2.5 3B",
               .seq = 4096,
               .published = "3,085,938,688",
               .source = kQwen25,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen2_5({36, 2048, 11008, 16, 2, 151936, true});
                   }},
    ModelEntry{.name = "qwen2.5-7b",
               .title = "Qwen2.5 7B",
               .seq = 4096,
               .published = "7,615,616,512",
               .source = kQwen25,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen2_5({28, 3584, 18944, 28, 4, 152064});
                   }},
    ModelEntry{.name = "qwen2.5-14b",
               .title = "Qwen2.5 14B",
               .seq = 4096,
               .published = "14,770,033,664",
               .source = kQwen25,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen2_5({48, 5120, 13824, 40, 8, 152064});
                   }},
    ModelEntry{.name = "qwen2.5-32b",
               .title = "Qwen2.5 32B",
               .seq = 4096,
               .published = "32,763,876,352",
               .source = kQwen25,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen2_5({64, 5120, 27648, 40, 8, 152064});
                   }},
    ModelEntry{.name = "qwen2.5-72b",
               .title = "Qwen2.5 72B",
               .seq = 4096,
               .published = "72,706,203,648",
               .source = kQwen25,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen2_5({80, 8192, 29568, 64, 8, 152064});
                   }},
    ModelEntry{.name = "qwen3-0.6b",
               .title = "Qwen3 0.6B",
               .seq = 4096,
               .published = "596,049,920",
               .source = kQwen3,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3({28, 1024, 3072, 16, 8, 151936, true});
                   }},
    ModelEntry{.name = "qwen3-1.7b",
               .title = "Qwen3 1.7B",
               .seq = 4096,
               .published = "1,720,574,976",
               .source = kQwen3,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3({28, 2048, 6144, 16, 8, 151936, true});
                   }},
    ModelEntry{.name = "qwen3-4b",
               .title = "Qwen3 4B",
               .seq = 4096,
               .published = "4,022,468,096",
               .source = kQwen3,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3({36, 2560, 9728, 32, 8, 151936, true});
                   }},
    ModelEntry{.name = "qwen3-8b",
               .title = "Qwen3 8B",
               .seq = 4096,
               .published = "8,190,735,360",
               .source = kQwen3,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3({36, 4096, 12288, 32, 8, 151936});
                   }},
    ModelEntry{.name = "qwen3-14b",
               .title = "Qwen3 14B",
               .seq = 4096,
               .published = "14,768,307,200",
               .source = kQwen3,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3({40, 5120, 17408, 40, 8, 151936});
                   }},
    ModelEntry{.name = "qwen3-32b",
               .title = "Qwen3 32B",
               .seq = 4096,
               .published = "32,762,123,264",
               .source = kQwen3,
               .count_source = kHub,
               .model =
                   [] {
                     return qwen3({64, 5120, 25600, 64, 8, 151936});
                   }},
    ModelEntry{.name = "yi-34b",
               .title = "Yi 34B",
               .seq = 4096,
               .published = "34,388,917,248",
               .source = "Young et al. 2024 (arXiv 2403.04652), table 1; config.json",
               .count_source = kHub,
               .model =
                   [] {
                     return llama({60, 7168, 20480, 56, 8, 64000});
                   }},
    ModelEntry{.name = "smollm3-3b",
               .title = "SmolLM3 3B",
               .seq = 4096,
               .published = "3,075,098,624",
               .source = kConfig,
               .count_source = kHub,
               .model =
                   [] {
                     return llama({36, 2048, 11008, 16, 4, 128256, true});
                   }},
};

}  // namespace

std::span<const ModelEntry> llama_models() { return kLlamaModels; }

}  // namespace orrery::workload
