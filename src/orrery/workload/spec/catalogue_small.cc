// SPDX-License-Identifier: Apache-2.0
//
// Dense decoders that are built like neither.
#include <array>

#include "orrery/workload/spec/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kGemma = "Gemma Team 2024 (arXiv 2403.08295), table 1; config.json";
constexpr std::string_view kGemma2 = "Gemma Team 2024 (arXiv 2408.00118), table 1; config.json";
constexpr std::string_view kGemma3 = "Gemma Team 2025 (arXiv 2503.19786), table 1; config.json";
constexpr std::string_view kGemma3Count = "Gemma Team 2025, table 1";
constexpr std::string_view kPalm = "Chowdhery et al. 2022 (arXiv 2204.02311), table 1";

Model gemma(LlamaShape shape, std::int64_t head_dim) {
  shape.tied = true;
  Model model = llama(shape);
  model.mlp = Mlp::geglu;
  model.head_dim = head_dim;
  return model;
}

/// Every second layer sees 4096 tokens only; norms before and after attention and MLP.
Model gemma2(LlamaShape shape, std::int64_t head_dim) {
  Model model = gemma(shape, head_dim);
  model.post_norms = true;
  model.window = 4096;
  model.full_every = 2;
  return model;
}

/// One layer in six sees everything; queries and keys are normed.
Model gemma3(LlamaShape shape, std::int64_t head_dim, std::int64_t window) {
  Model model = gemma2(shape, head_dim);
  model.window = window;
  model.full_every = 6;
  model.qk_norm = true;
  return model;
}

/// Attention and MLP side by side behind one norm; one head of keys and values.
Model palm(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Model model = gemma({layers, hidden, 4 * hidden, heads, 1, 256000}, 256);
  model.mlp = Mlp::swiglu;
  model.parallel_block = true;
  return model;
}

Model phi_2() {
  Model model = gpt(32, 2560, 32, 51200, 0);
  model.positions = Positions::rope;
  model.parallel_block = true;
  model.tied_embeddings = false;
  model.head_bias = true;
  return model;
}

/// No biases but the norms'. The larger model has a norm each for attention and MLP; they stand
/// side by side nevertheless, here one after the other.
Model falcon(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads,
             bool one_norm) {
  Model model = gpt(layers, hidden, heads, 65024, 0);
  model.kv_heads = kv_heads;
  model.positions = Positions::rope;
  model.qkv_bias = model.out_bias = model.mlp_bias = false;
  model.parallel_block = one_norm;
  model.tied_embeddings = false;
  return model;
}

Model starcoder() {
  Model model = gpt(40, 6144, 48, 49152, 8192);
  model.kv_heads = 1;
  return model;
}

const std::array kSmallModels = {
    ModelEntry{.name = "gemma-2b",
               .title = "Gemma 2B",
               .seq = 8192,
               .published = "2,506,172,416",
               .source = kGemma,
               .count_source = kHub,
               .model =
                   [] {
                     return gemma({18, 2048, 16384, 8, 1, 256000}, 256);
                   }},
    ModelEntry{.name = "gemma-7b",
               .title = "Gemma 7B",
               .seq = 8192,
               .published = "8,537,680,896",
               .source = kGemma,
               .count_source = kHub,
               .model =
                   [] {
                     return gemma({28, 3072, 24576, 16, 16, 256000}, 256);
                   }},
    ModelEntry{.name = "gemma-2-2b",
               .title = "Gemma 2 2B",
               .seq = 8192,
               .published = "2,614,341,888",
               .source = kGemma2,
               .count_source = kHub,
               .model =
                   [] {
                     return gemma2({26, 2304, 9216, 8, 4, 256000}, 256);
                   }},
    ModelEntry{.name = "gemma-2-9b",
               .title = "Gemma 2 9B",
               .seq = 8192,
               .published = "9,241,705,984",
               .source = kGemma2,
               .count_source = kHub,
               .model =
                   [] {
                     return gemma2({42, 3584, 14336, 16, 8, 256000}, 256);
                   }},
    ModelEntry{.name = "gemma-2-27b",
               .title = "Gemma 2 27B",
               .seq = 8192,
               .published = "27,227,128,320",
               .source = kGemma2,
               .count_source = kHub,
               .model =
                   [] {
                     return gemma2({46, 4608, 36864, 32, 16, 256000}, 128);
                   }},
    ModelEntry{.name = "gemma-3-1b",
               .title = "Gemma 3 1B",
               .seq = 32768,
               .published = "999,885,952",
               .source = kGemma3,
               .count_source = kHub,
               .model =
                   [] {
                     return gemma3({26, 1152, 6912, 4, 1, 262144}, 256, 512);
                   }},
    ModelEntry{.name = "gemma-3-4b",
               .title = "Gemma 3 4B, text",
               .seq = 32768,
               .published = "3,209M",
               .source = kGemma3,
               .count_source = kGemma3Count,
               .model =
                   [] {
                     return gemma3({34, 2560, 10240, 8, 4, 262208}, 256, 1024);
                   },
               .counted = Counted::without_tables,
               .note = "without the vision encoder; the published count leaves the table out"},
    ModelEntry{.name = "gemma-3-12b",
               .title = "Gemma 3 12B, text",
               .seq = 32768,
               .published = "10,759M",
               .source = kGemma3,
               .count_source = kGemma3Count,
               .model =
                   [] {
                     return gemma3({48, 3840, 15360, 16, 8, 262208}, 256, 1024);
                   },
               .counted = Counted::without_tables,
               .note = "without the vision encoder; the published count leaves the table out"},
    ModelEntry{.name = "gemma-3-27b",
               .title = "Gemma 3 27B, text",
               .seq = 32768,
               .published = "25,600M",
               .source = kGemma3,
               .count_source = kGemma3Count,
               .model =
                   [] {
                     return gemma3({62, 5376, 21504, 32, 16, 262208}, 128, 1024);
                   },
               .counted = Counted::without_tables,
               .note = "without the vision encoder; the published count leaves the table out"},
    ModelEntry{.name = "palm-8b",
               .title = "PaLM 8B",
               .seq = 2048,
               .published = "8.63B",
               .source = kPalm,
               .count_source = kPalm,
               .model = [] { return palm(32, 4096, 16); }},
    ModelEntry{.name = "palm-62b",
               .title = "PaLM 62B",
               .seq = 2048,
               .published = "62.50B",
               .source = kPalm,
               .count_source = kPalm,
               .model = [] { return palm(64, 8192, 32); }},
    ModelEntry{.name = "palm-540b",
               .title = "PaLM 540B",
               .seq = 2048,
               .published = "540B",
               .source = kPalm,
               .count_source = "Chowdhery et al. 2022, title and abstract",
               .model = [] { return palm(118, 18432, 48); },
               .note = "table 1 says 540.35B, which is the count cut off after two decimals"},
    ModelEntry{.name = "phi-2",
               .title = "Phi-2",
               .seq = 2048,
               .published = "2,779,683,840",
               .source = kConfig,
               .count_source = kHub,
               .model = phi_2},
    ModelEntry{.name = "phi-3-mini",
               .title = "Phi-3 mini",
               .seq = 4096,
               .published = "3,821,079,552",
               .source = "Abdin et al. 2024 (arXiv 2404.14219), section 2; config.json",
               .count_source = kHub,
               .model =
                   [] {
                     return llama({32, 3072, 8192, 32, 32, 32064});
                   }},
    ModelEntry{.name = "phi-3-medium",
               .title = "Phi-3 medium",
               .seq = 4096,
               .published = "13,960,238,080",
               .source = "Abdin et al. 2024 (arXiv 2404.14219), section 2; config.json",
               .count_source = kHub,
               .model =
                   [] {
                     return llama({40, 5120, 17920, 40, 10, 32064});
                   }},
    ModelEntry{.name = "phi-4",
               .title = "Phi-4",
               .seq = 4096,
               .published = "14,659,507,200",
               .source = "Abdin et al. 2024 (arXiv 2412.08905), section 3; config.json",
               .count_source = kHub,
               .model =
                   [] {
                     return llama({40, 5120, 17920, 40, 10, 100352});
                   }},
    ModelEntry{.name = "falcon-7b",
               .title = "Falcon 7B",
               .seq = 2048,
               .published = "7,217,189,760",
               .source = "Almazrouei et al. 2023 (arXiv 2311.16867); config.json",
               .count_source = "Hugging Face, safetensors",
               .model = [] { return falcon(32, 4544, 71, 1, true); },
               .note = "the published files hold table and head apart"},
    ModelEntry{.name = "falcon-180b",
               .title = "Falcon 180B",
               .seq = 2048,
               .published = "179,522,565,120",
               .source = "Almazrouei et al. 2023 (arXiv 2311.16867); config.json",
               .count_source = "Hugging Face, safetensors",
               .model = [] { return falcon(80, 14848, 232, 8, false); },
               .note = "attention and MLP stand side by side, each behind a norm of its own; here "
                       "they follow each other"},
    ModelEntry{.name = "starcoder-15b",
               .title = "StarCoder 15.5B",
               .seq = 8192,
               .published = "15,517,456,384",
               .source = "Li et al. 2023 (arXiv 2305.06161), table 5; config.json",
               .count_source = kHub,
               .model = starcoder},
};

}  // namespace

std::span<const ModelEntry> small_models() { return kSmallModels; }

}  // namespace orrery::workload
