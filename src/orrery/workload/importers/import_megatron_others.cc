// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments that do not shape a job here.
#include <algorithm>
#include <array>
#include <string_view>

#include "orrery/workload/importers/import_megatron.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;

namespace {

/// What changes the work and is not modelled, and the value that does not.
const std::vector<std::pair<const char*, Json>>& not_modelled() {
  static const std::vector<std::pair<const char*, Json>> kAll = {
      {"account_for_embedding_in_pipeline_split", false},
      {"account_for_loss_in_pipeline_split", false},
      {"apply_residual_connection_post_layernorm", false},
      {"cpu_offloading", false},
      {"ddp_num_buckets", nullptr},
      {"defer_embedding_wgrad_compute", false},
      {"distribute_saved_activations", false},
      {"encoder_num_layers", nullptr},
      {"encoder_tensor_model_parallel_size", 0},
      {"exp_avg_sq_dtype", "fp32"},
      {"fp32_residual_connection", false},
      {"fp4_format", nullptr},
      {"fp8", nullptr},
      {"fp8_format", nullptr},
      {"fp8_param_gather", false},
      {"hierarchical_context_parallel_sizes", nullptr},
      {"hybrid_attention_ratio", 0},
      {"hybrid_override_pattern", nullptr},
      {"main_params_dtype", "fp32"},
      {"moe_layer_recompute", false},
      {"moe_shared_expert_overlap", false},
      {"mtp_num_layers", 0},
      {"num_distributed_optimizer_instances", 1},
      {"optimizer_cpu_offload", false},
      {"overlap_moe_expert_parallel_comm", false},
      {"overlap_param_gather_with_optimizer_step", false},
      {"pipeline_model_parallel_layout", nullptr},
      {"rampup_batch_size", nullptr},
      {"standalone_embedding_stage", false},
      {"transformer_pipeline_model_parallel_size", nullptr},
      {"window_attn_skip_freq", nullptr}};
  return kAll;
}

/// Begins of names that say nothing about what is computed.
constexpr std::array<std::string_view, 34> kBegins = {"adam_",       "attention_softmax_",
                                                      "check_",      "ckpt_",
                                                      "data_",       "dataloader",
                                                      "decoupled_",  "dist_ckpt",
                                                      "eval_",       "exit_",
                                                      "init_",       "initial_loss",
                                                      "load",        "log_",
                                                      "loss_scale",  "lr",
                                                      "manual_gc",   "master_",
                                                      "min_l",       "mmap",
                                                      "moe_aux_",    "moe_router_",
                                                      "moe_token_",  "moe_z_",
                                                      "no_",         "node_",
                                                      "profile",     "rdzv_",
                                                      "rotary_",     "save",
                                                      "tensorboard", "tokenizer_",
                                                      "wandb_",      "weight_decay"};

constexpr std::string_view kShapeless[] = {"apply_layernorm_1p",
                                           "async_save",
                                           "bias_activation_fusion",
                                           "bias_dropout_fusion",
                                           "bias_swiglu_fusion",
                                           "calculate_per_token_loss",
                                           "distributed_backend",
                                           "distributed_timeout_minutes",
                                           "empty_unused_memory_level",
                                           "enable_experimental",
                                           "end_weight_decay",
                                           "eod_mask_loss",
                                           "finetune",
                                           "hysteresis",
                                           "layernorm_epsilon",
                                           "make_vocab_size_divisible_by",
                                           "merge_file",
                                           "mock_data",
                                           "moe_grouped_gemm",
                                           "moe_permute_fusion",
                                           "moe_use_legacy_grouped_gemm",
                                           "norm_epsilon",
                                           "num_workers",
                                           "overlap_p2p_communication",
                                           "reset_attention_mask",
                                           "reset_position_ids",
                                           "seed",
                                           "split",
                                           "start_weight_decay",
                                           "tiktoken_pattern",
                                           "timing_log_level",
                                           "train_iters",
                                           "train_samples",
                                           "transformer_impl",
                                           "use_mcore_models",
                                           "use_precision_aware_optimizer",
                                           "vocab_file"};

}  // namespace

void read_megatron_others(KeyReader& keys, const Json& file, Findings& findings) {
  note_others(keys, file, not_modelled(), findings);
  for (const std::string_view name : kShapeless) static_cast<void>(keys.has(name));
  for (const auto& [key, value] : file.items()) {
    const auto begins = [&name = key](std::string_view begin) { return name.rfind(begin, 0) == 0; };
    if (std::any_of(kBegins.begin(), kBegins.end(), begins)) static_cast<void>(keys.has(key));
  }
}

}  // namespace orrery::workload
