// SPDX-License-Identifier: Apache-2.0
//
// LLaMA and those built like it.
#include <array>

#include "orrery/workload/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kHub = "Hugging Face, num_parameters()";
constexpr std::string_view kLlama2 = "Touvron et al. 2023 (arXiv 2307.09288); config.json";
constexpr std::string_view kLlama3 =
    "Grattafiori et al. 2024 (arXiv 2407.21783), table 3; config.json";

const std::array kModels = {
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
               .title = "Llama 3.1 70B",
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
};

}  // namespace

std::span<const ModelEntry> llama_models() { return kModels; }

}  // namespace orrery::workload
