// SPDX-License-Identifier: Apache-2.0
//
// Reads llm-foundry's YAML (mosaicml/llm-foundry, llmfoundry/models/mpt/configuration_mpt.py and
// scripts/train/train.py: names and defaults).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace llm_foundry {
namespace {

using config::Json;

constexpr KeyWord kNorms[] = {{"layernorm", "layernorm"},
                              {"low_precision_layernorm", "layernorm"},
                              {"rmsnorm", "rmsnorm"},
                              {"low_precision_rmsnorm", "rmsnorm"},
                              {"triton_rmsnorm", "rmsnorm"}};
constexpr KeyWord kAmp[] = {{"amp_bf16", "bf16"}, {"amp_fp16", "fp16"}, {"fp32", "fp32"}};
constexpr KeyWord kFullIf[] = {{"true", "full"}, {"false", "none"}};
constexpr KeyWord kNoBias[] = {{"true", "false"}, {"false", "true"}};
constexpr KeyWord kAttention[] = {
    {"flash", "true"}, {"triton", "true"}, {"torch", "false"}, {"flex", "true"}, {kOtherWords, ""}};

constexpr KeyRow kRows[] = {
    {"device_train_microbatch_size", KeyUse::sets, "batch.micro"},
    {"fsdp_config.activation_checkpointing", KeyUse::sets, "recompute.kind", kFullIf},
    {"fsdp_config.activation_cpu_offload", KeyUse::not_modeled, "false"},
    {"fsdp_config.mixed_precision", KeyUse::read, "types of gathered weights and sent gradients"},
    {"fsdp_config.sharding_strategy", KeyUse::sets, "parallel.sharding", kFsdpStrategies},
    {"fsdp_config.*"},
    {"global_train_batch_size", KeyUse::sets, "batch.global"},
    {"max_seq_len", KeyUse::sets, "batch.seq"},
    {"model.attn_config.alibi", KeyUse::read, "model.positions"},
    {"model.attn_config.attn_impl", KeyUse::sets, "kernels.flash_attention", kAttention},
    {"model.attn_config.attn_pdrop"},
    {"model.attn_config.attn_type", KeyUse::read, "model.kv_heads"},
    {"model.attn_config.kv_n_heads", KeyUse::sets, "model.kv_heads"},
    {"model.attn_config.qk_ln", KeyUse::sets, "model.qk_norm"},
    {"model.attn_config.rope", KeyUse::read, "model.positions"},
    {"model.attn_config.sliding_window_size", KeyUse::read, "model.window"},
    {"model.attn_config.*"},
    {"model.attn_impl", KeyUse::sets, "kernels.flash_attention", kAttention},
    {"model.d_model", KeyUse::sets, "model.hidden"},
    {"model.expansion_ratio", KeyUse::read, "model.ffn"},
    {"model.ffn_config.ffn_hidden_size", KeyUse::read, "model.ffn"},
    {"model.ffn_config.ffn_type", KeyUse::read, "model.mlp; experts are refused"},
    {"model.ffn_config.*"},
    {"model.learned_pos_emb", KeyUse::read, "model.positions"},
    {"model.max_seq_len", KeyUse::read, "model.max_positions"},
    {"model.mlp_ratio", KeyUse::read, "model.ffn"},
    {"model.n_heads", KeyUse::sets, "model.heads"},
    {"model.n_layers", KeyUse::sets, "model.layers"},
    {"model.name", KeyUse::read, "MPT's model, or one of Hugging Face"},
    {"model.no_bias", KeyUse::sets, "model.qkv_bias model.out_bias model.mlp_bias", kNoBias},
    {"model.config_overrides.n_positions", KeyUse::sets, "model.max_positions"},
    {"model.norm_type", KeyUse::sets, "model.norm", kNorms},
    {"model.pretrained_model_name_or_path", KeyUse::read, "the model, by its name or its folder"},
    {"model.tie_word_embeddings", KeyUse::sets, "model.tied_embeddings"},
    {"model.vocab_size", KeyUse::sets, "model.vocab"},
    {"model.*"},
    {"precision", KeyUse::sets, "precision.weights precision.activations", kAmp},
};

constexpr std::string_view kIgnored[] = {"accumulate_train",
                                         "algorithms.",
                                         "autoresume",
                                         "callbacks.",
                                         "compute_loss",
                                         "console_log",
                                         "data_local",
                                         "data_remote",
                                         "dataset",
                                         "device_eval",
                                         "dist_timeout",
                                         "eval",
                                         "expt_name",
                                         "global_seed",
                                         "icl_",
                                         "load_",
                                         "log_",
                                         "loggers.",
                                         "max_duration",
                                         "only_",
                                         "optimizer.",
                                         "profiler",
                                         "progress_bar",
                                         "python_log_level",
                                         "run_name",
                                         "save_",
                                         "scheduler.",
                                         "seed",
                                         "tokenizer",
                                         "tokenizer_name",
                                         "tp_config",
                                         "train_loader.",
                                         "variables."};
constexpr KnownKeys kKeys{kRows, kIgnored};

bool is_mpt(const std::string& name) {
  return name.find("mpt") != std::string::npos || name == "mosaic_gpt";
}

Result<void> settle_model(const Json& flat, const std::string& where, Model& model) {
  model.name = "MPT model";
  const double ratio =
      flat.value("model.expansion_ratio", flat.value("model.mlp_ratio", Json(4))).is_number()
          ? flat.value("model.expansion_ratio", flat.value("model.mlp_ratio", Json(4)))
                .get<double>()
          : 4;
  model.ffn = whole_at(flat, "model.ffn_config.ffn_hidden_size",
                       static_cast<std::int64_t>(ratio * static_cast<double>(model.hidden)));
  const std::string type = text_at(flat, "model.ffn_config.ffn_type", "mptmlp");
  if (type.find("moe") != std::string::npos)
    return fail(Errc::input_unsupported, where + ":/model/ffn_config/ffn_type",
                "describes experts, which are not read from llm-foundry's files",
                "give the model as its config.json before this file");
  if (type == "mptglu") model.mlp = Mlp::geglu;
  if (flag_at(flat, "model.attn_config.alibi"))
    model.positions = Positions::alibi;
  else if (flag_at(flat, "model.attn_config.rope"))
    model.positions = Positions::rope;
  else
    model.positions =
        flag_at(flat, "model.learned_pos_emb", true) ? Positions::learned : Positions::none;
  if (model.positions == Positions::learned)
    model.max_positions = whole_at(flat, "model.max_seq_len", 0);
  if (text_at(flat, "model.attn_config.attn_type") == "multiquery_attention") model.kv_heads = 1;
  const std::int64_t window = whole_at(flat, "model.attn_config.sliding_window_size", -1);
  if (window > 0) model.window = window;
  return {};
}

Result<void> import_llm_foundry(Spec& spec, const Json& original, const std::string& where,
                                Findings& findings) {
  // Jobs for Mosaic's platform have the configuration below `parameters`.
  const Json document =
      resolved(original.contains("parameters") ? original["parameters"] : original);
  const Json flat = flat_paths(document);
  Spec made = spec;
  const bool own = is_mpt(text_at(flat, "model.name"));
  const std::string hub = text_at(flat, "model.pretrained_model_name_or_path");
  if (own) {
    made.model = Model{};
    made.model.vocab = 50368;  // configuration_mpt.py
  } else if (auto named = use_named_model(
                 made, hub, where + ":/model/pretrained_model_name_or_path", where, findings);
             !named) {
    return named;
  }
  if (auto done = apply_keys(kKeys, flat, where, made, findings); !done)
    return tl::unexpected(done.error());
  if (own)
    if (auto fine = settle_model(flat, where, made.model); !fine) return fine;
  if (text_at(flat, "fsdp_config.mixed_precision") == "PURE") made.precision.reduce = Dtype::bf16;
  made.kernels.framework = Framework::pytorch;
  spec = std::move(made);
  return {};
}

bool is_llm_foundry(const Json& document) {
  const Json& file = document.contains("parameters") ? document["parameters"] : document;
  if (!file.is_object()) return false;
  const auto model = file.find("model");
  return model != file.end() && model->is_object() && model->contains("name") &&
         has_any(file,
                 {"train_loader", "global_train_batch_size", "device_train_microbatch_size"}) &&
         (is_mpt(text_at(*model, "name")) || model->contains("pretrained_model_name_or_path"));
}

}  // namespace
}  // namespace llm_foundry

const Importer kLlmFoundryImporter{.name = "llm_foundry",
                                   .tool = "llm-foundry",
                                   .files = "the YAML of a training, also below `parameters`",
                                   .reads = "model (MPT or Hugging Face's), FSDP, batch",
                                   .refuses = "experts",
                                   .is_document = llm_foundry::is_llm_foundry,
                                   .import_document = llm_foundry::import_llm_foundry};
constinit const ImporterTable kLlmFoundryTable{&kLlmFoundryImporter, llm_foundry::kKeys};

}  // namespace orrery::workload
