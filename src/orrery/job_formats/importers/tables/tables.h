// SPDX-License-Identifier: Apache-2.0
//
// The importers of this folder. Private to it and its parent.
#pragma once

#include <array>

#include "orrery/job_formats/importers/key_table.h"
#include "orrery/job_formats/importers/megatron/megatron.h"

namespace orrery::workload {

/// PyTorch's and JAX's names of types.
inline constexpr KeyWord kTorchTypes[] = {
    {"bfloat16", "bf16"}, {"torch.bfloat16", "bf16"}, {"bf16", "bf16"},
    {"float16", "fp16"},  {"torch.float16", "fp16"},  {"fp16", "fp16"},
    {"float32", "fp32"},  {"fp32", "fp32"},           {"torch.float32", "fp32"}};
/// Strategies of PyTorch's FSDP: its names, and the numbers of accelerate.
inline constexpr KeyWord kFsdpStrategies[] = {{"FULL_SHARD", "zero3"},
                                              {"SHARD_GRAD_OP", "zero2"},
                                              {"NO_SHARD", "none"},
                                              {"HYBRID_SHARD", "zero3"},
                                              {"HYBRID_SHARD_ZERO2", "zero2"},
                                              {"_HYBRID_SHARD_ZERO2", "zero2"},
                                              {"1", "zero3"},
                                              {"2", "zero2"},
                                              {"3", "none"},
                                              {"4", "zero3"},
                                              {"5", "zero2"}};
inline constexpr KeyWord kOptimizerNames[] = {
    {"adamw_torch", "adamw"}, {"adamw_torch_fused", "adamw"},
    {"adamw_hf", "adamw"},    {"adamw", "adamw"},
    {"adam", "adam"},         {"decoupled_adamw", "adamw"},
    {"sgd", "sgd"},           {"muon", "muon"},
    {"adam_pax", "adam"},     {kOtherWords, ""}};

extern const ImporterTable kNanotronTable, kGptNeoxTable, kLlamaFactoryTable, kAxolotlTable,
    kAccelerateTable, kLlmFoundryTable, kOlmoTable, kMaxTextTable, kCalculonModelTable,
    kCalculonRunTable, kVtrainTable, kSimaiTable, kDeepspeedTable, kPeftTable, kTorchtitanTable,
    kMegatronBridgeTable;

/// All of them, in the order of the documentation.
inline constexpr std::array kImporterTables{
    &kGptNeoxTable,       &kNanotronTable,       &kLlmFoundryTable,   &kOlmoTable,
    &kMaxTextTable,       &kAccelerateTable,     &kLlamaFactoryTable, &kAxolotlTable,
    &kCalculonModelTable, &kCalculonRunTable,    &kVtrainTable,       &kSimaiTable,
    &kDeepspeedTable,     &kPeftTable,           &kTorchtitanTable,   &kMegatronTable,
    &kNemoTable,          &kMegatronBridgeTable, &kHuggingFaceTable};

}  // namespace orrery::workload
