// SPDX-License-Identifier: Apache-2.0
//
// GPT-2 and those built like it.
#include <array>

#include "orrery/workload/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kGpt2 =
    "Radford et al. 2019, table 2; openai-community/gpt2 config.json";
constexpr std::string_view kHub = "Hugging Face, num_parameters()";
constexpr std::string_view kGpt3 = "Brown et al. 2020 (arXiv 2005.14165), table 2.1";
constexpr std::string_view kGpt3Count = "Brown et al. 2020, table D.1";

const std::array kModels = {
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
    ModelEntry{.name = "gpt3-175b",
               .title = "GPT-3 175B",
               .seq = 2048,
               .published = "174.6B",
               .source = kGpt3,
               .count_source = kGpt3Count,
               .model = [] { return gpt(96, 12288, 96, 50257, 2048); },
               .note = "table D.1 prints 174,600 million; table 2.1 rounds to 175.0B"},
};

}  // namespace

std::span<const ModelEntry> gpt_models() { return kModels; }

}  // namespace orrery::workload
