// SPDX-License-Identifier: Apache-2.0
//
// GPT-2 and those built like it.
#include <array>

#include "orrery/workload/spec/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kGpt2 = "Radford et al. 2019, table 2; config.json";
constexpr std::string_view kGpt3 = "Brown et al. 2020 (arXiv 2005.14165), table 2.1";
constexpr std::string_view kGpt3Count = "Brown et al. 2020, table D.1";
constexpr std::string_view kMegatron = "Narayanan et al. 2021 (arXiv 2104.04473), table 1";
constexpr std::string_view kKorthikanti = "Korthikanti et al. 2022 (arXiv 2205.05198), table 3";
constexpr std::string_view kBloom = "BigScience 2022 (arXiv 2211.05100), table 3; config.json";
constexpr std::string_view kBloomCard = "model card";
constexpr std::string_view kPythia =
    "Biderman et al. 2023 (arXiv 2304.01373), table 1; config.json";
constexpr std::string_view kPythiaCount =
    "Hugging Face, num_parameters(); Biderman et al. 2023, table 1 without tables";
constexpr std::string_view kOpt = "Zhang et al. 2022 (arXiv 2205.01068), table 1; config.json";

/// GPT-NeoX: rotary positions, tables not tied. Its attention and MLP stand side by side, each
/// behind a norm of its own; here they follow each other, with the same weights and products.
Model neox(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocab) {
  Model model = gpt(layers, hidden, heads, vocab, 0);
  model.positions = Positions::rope;
  model.tied_embeddings = false;
  return model;
}

Model gpt_j() {
  Model model = neox(28, 4096, 16, 50400);
  model.parallel_block = true;
  model.qkv_bias = model.out_bias = false;
  model.head_bias = true;
  return model;
}

Model bloom(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Model model = gpt(layers, hidden, heads, 250880, 0);
  model.positions = Positions::alibi;
  model.embedding_norm = true;
  return model;
}

/// Two rows of the table of positions are for padding.
Model opt(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Model model = gpt(layers, hidden, heads, 50272, 2050);
  model.mlp = Mlp::relu;
  return model;
}

/// The vocabulary is padded to a multiple of 1024.
Model megatron(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  return gpt(layers, hidden, heads, 51200, 2048);
}

const std::array kGptModels = {
    ModelEntry{.name = "gpt2",
               .title = "GPT-2 small",
               .seq = 1024,
               .published = "124,439,808",
               .source = kGpt2,
               .count_source = kHub,
               .model = [] { return gpt(12, 768, 12, 50257, 1024); }},
    ModelEntry{.name = "gpt2-medium",
               .title = "GPT-2 medium",
               .seq = 1024,
               .published = "354,823,168",
               .source = kGpt2,
               .count_source = kHub,
               .model = [] { return gpt(24, 1024, 16, 50257, 1024); }},
    ModelEntry{.name = "gpt2-large",
               .title = "GPT-2 large",
               .seq = 1024,
               .published = "774,030,080",
               .source = kGpt2,
               .count_source = kHub,
               .model = [] { return gpt(36, 1280, 20, 50257, 1024); }},
    ModelEntry{.name = "gpt2-xl",
               .title = "GPT-2 XL",
               .seq = 1024,
               .published = "1,557,611,200",
               .source = kGpt2,
               .count_source = kHub,
               .model = [] { return gpt(48, 1600, 25, 50257, 1024); }},
    ModelEntry{.name = "gpt3-125m",
               .title = "GPT-3 Small",
               .seq = 2048,
               .published = "125M",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(12, 768, 12, 50257, 2048); }},
    ModelEntry{.name = "gpt3-350m",
               .title = "GPT-3 Medium",
               .seq = 2048,
               .published = "356M",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(24, 1024, 16, 50257, 2048); }},
    ModelEntry{.name = "gpt3-760m",
               .title = "GPT-3 Large",
               .seq = 2048,
               .published = "760M",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(24, 1536, 16, 50257, 2048); }},
    ModelEntry{.name = "gpt3-2.7b",
               .title = "GPT-3 2.7B",
               .seq = 2048,
               .published = "2.65B",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(32, 2560, 32, 50257, 2048); },
               .note = "printed in millions, \"2,650\""},
    ModelEntry{.name = "gpt3-6.7b",
               .title = "GPT-3 6.7B",
               .seq = 2048,
               .published = "6.66B",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(32, 4096, 32, 50257, 2048); },
               .note = "printed in millions, \"6,660\""},
    ModelEntry{.name = "gpt3-13b",
               .title = "GPT-3 13B",
               .seq = 2048,
               .published = "12.85B",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(40, 5120, 40, 50257, 2048); },
               .note = "printed in millions, \"12,850\"; table 2.1 has a hidden size of 5140 by "
                       "mistake: its 40 heads of 128 make 5120"},
    ModelEntry{.name = "gpt3-175b",
               .title = "GPT-3 175B",
               .seq = 2048,
               .published = "174.6B",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(96, 12288, 96, 50257, 2048); },
               .note = "printed in millions, \"174,600\"; table 2.1 says 175.0B"},
    ModelEntry{.name = "megatron-1.7b",
               .title = "Megatron 1.7B",
               .seq = 2048,
               .published = "1.7B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(24, 2304, 24); }},
    ModelEntry{.name = "megatron-3.6b",
               .title = "Megatron 3.6B",
               .seq = 2048,
               .published = "3.6B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(30, 3072, 32); }},
    ModelEntry{.name = "megatron-7.5b",
               .title = "Megatron 7.5B",
               .seq = 2048,
               .published = "7.5B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(36, 4096, 32); }},
    ModelEntry{.name = "megatron-18b",
               .title = "Megatron 18.4B",
               .seq = 2048,
               .published = "18.4B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(40, 6144, 48); }},
    ModelEntry{.name = "megatron-39b",
               .title = "Megatron 39.1B",
               .seq = 2048,
               .published = "39.1B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(48, 8192, 64); }},
    ModelEntry{.name = "megatron-76b",
               .title = "Megatron 76.1B",
               .seq = 2048,
               .published = "76.1B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(60, 10240, 80); }},
    ModelEntry{.name = "megatron-145b",
               .title = "Megatron 145.6B",
               .seq = 2048,
               .published = "145.6B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(80, 12288, 96); }},
    ModelEntry{.name = "megatron-310b",
               .title = "Megatron 310.1B",
               .seq = 2048,
               .published = "310.1B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(96, 16384, 128); }},
    ModelEntry{.name = "megatron-530b",
               .title = "Megatron 530B, MT-NLG",
               .seq = 2048,
               .published = "529.6B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(105, 20480, 128); }},
    ModelEntry{.name = "megatron-1t",
               .title = "Megatron 1T",
               .seq = 2048,
               .published = "1008.0B",
               .source = kMegatron,
               .count_source = kMegatron,
               .model = [] { return megatron(128, 25600, 160); }},
    ModelEntry{.name = "megatron-22b",
               .title = "Megatron 22B",
               .seq = 2048,
               .published = "22B",
               .source = kKorthikanti,
               .count_source = kKorthikanti,
               .model = [] { return megatron(48, 6144, 64); }},
    ModelEntry{.name = "megatron-175b",
               .title = "Megatron 175B",
               .seq = 2048,
               .published = "175B",
               .source = kKorthikanti,
               .count_source = kKorthikanti,
               .model = [] { return megatron(96, 12288, 96); }},
    ModelEntry{.name = "bloom-560m",
               .title = "BLOOM 560M",
               .seq = 2048,
               .published = "559,214,592",
               .source = kBloom,
               .count_source = kBloomCard,
               .model = [] { return bloom(24, 1024, 16); }},
    ModelEntry{.name = "bloom-7b1",
               .title = "BLOOM 7.1B",
               .seq = 2048,
               .published = "7,069,016,064",
               .source = kBloom,
               .count_source = kBloomCard,
               .model = [] { return bloom(30, 4096, 32); }},
    ModelEntry{.name = "bloom-176b",
               .title = "BLOOM 176B",
               .seq = 2048,
               .published = "176,247,271,424",
               .source = kBloom,
               .count_source = kBloomCard,
               .model = [] { return bloom(70, 14336, 112); }},
    ModelEntry{.name = "opt-125m",
               .title = "OPT 125M",
               .seq = 2048,
               .published = "125,239,296",
               .source = kOpt,
               .count_source = kHub,
               .model = [] { return opt(12, 768, 12); }},
    ModelEntry{.name = "opt-1.3b",
               .title = "OPT 1.3B",
               .seq = 2048,
               .published = "1,315,758,080",
               .source = kOpt,
               .count_source = kHub,
               .model = [] { return opt(24, 2048, 32); }},
    ModelEntry{.name = "opt-6.7b",
               .title = "OPT 6.7B",
               .seq = 2048,
               .published = "6,658,473,984",
               .source = kOpt,
               .count_source = kHub,
               .model = [] { return opt(32, 4096, 32); }},
    ModelEntry{.name = "opt-13b",
               .title = "OPT 13B",
               .seq = 2048,
               .published = "12,853,473,280",
               .source = kOpt,
               .count_source = kHub,
               .model = [] { return opt(40, 5120, 40); }},
    ModelEntry{.name = "pythia-160m",
               .title = "Pythia 160M",
               .seq = 2048,
               .published = "162,322,944",
               .source = kPythia,
               .count_source = kPythiaCount,
               .model = [] { return neox(12, 768, 12, 50304); }},
    ModelEntry{.name = "pythia-410m",
               .title = "Pythia 410M",
               .seq = 2048,
               .published = "405,334,016",
               .source = kPythia,
               .count_source = kPythiaCount,
               .model = [] { return neox(24, 1024, 16, 50304); }},
    ModelEntry{.name = "pythia-1b",
               .title = "Pythia 1B",
               .seq = 2048,
               .published = "1,011,781,632",
               .source = kPythia,
               .count_source = kPythiaCount,
               .model = [] { return neox(16, 2048, 8, 50304); }},
    ModelEntry{.name = "pythia-1.4b",
               .title = "Pythia 1.4B",
               .seq = 2048,
               .published = "1,414,647,808",
               .source = kPythia,
               .count_source = kPythiaCount,
               .model = [] { return neox(24, 2048, 16, 50304); }},
    ModelEntry{.name = "pythia-2.8b",
               .title = "Pythia 2.8B",
               .seq = 2048,
               .published = "2,775,208,960",
               .source = kPythia,
               .count_source = kPythiaCount,
               .model = [] { return neox(32, 2560, 32, 50304); }},
    ModelEntry{.name = "pythia-6.9b",
               .title = "Pythia 6.9B",
               .seq = 2048,
               .published = "6,857,302,016",
               .source = kPythia,
               .count_source = kPythiaCount,
               .model = [] { return neox(32, 4096, 32, 50432); }},
    ModelEntry{.name = "pythia-12b",
               .title = "Pythia 12B",
               .seq = 2048,
               .published = "11,846,072,320",
               .source = kPythia,
               .count_source = kPythiaCount,
               .model = [] { return neox(36, 5120, 40, 50688); }},
    ModelEntry{.name = "gpt-neox-20b",
               .title = "GPT-NeoX 20B",
               .seq = 2048,
               .published = "20,554,567,680",
               .source = "Black et al. 2022 (arXiv 2204.06745), section 2; config.json",
               .count_source = kBloomCard,
               .model = [] { return neox(44, 6144, 64, 50432); }},
    ModelEntry{
        .name = "gpt-j-6b",
        .title = "GPT-J 6B",
        .seq = 2048,
        .published = "6.05B",
        .source = "EleutherAI/gpt-j-6b model card; config.json",
        .count_source = kBloomCard,
        .model = gpt_j,
        .note = "the card prints 6,053,381,344, 2,498,560 more than the published tensors have"},
};

}  // namespace

std::span<const ModelEntry> gpt_models() { return kGptModels; }

}  // namespace orrery::workload
