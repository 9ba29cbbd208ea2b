// SPDX-License-Identifier: Apache-2.0
//
// Reads NeMo's YAML: Megatron's arguments in sections.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "orrery/job_formats/importers/megatron/megatron.h"

namespace orrery::workload {

using config::Json;

namespace {

/// The number 16 as "16", since NeMo writes both.
Json enum_name(const Json& value) { return value.is_number() ? Json(value.dump()) : value; }

/// Texts below `value` at keys that name a tokenizer or a model.
void add_names(const Json& value, const std::string& key, MegatronArguments& arguments) {
  if (value.is_object()) {
    for (const auto& [inner, each] : value.items()) add_names(each, inner, arguments);
  } else if (value.is_string() &&
             (key == "name" || key == "results_dir" || key == "explicit_log_dir" ||
              key == "restore_from_path" || key == "exp_dir")) {
    arguments.names.push_back(value.get<std::string>());
  }
}

/// The tokenizer's section: its name or path under Megatron's key.
void add_tokenizer(const Json& file, Json& flat) {
  const auto model = file.find("model");
  if (model == file.end() || !model->is_object()) return;
  const auto section = model->find("tokenizer");
  if (section == model->end() || !section->is_object()) return;
  for (const char* const key : {"type", "model", "tokenizer_model", "vocab_file"}) {
    const auto found = section->find(key);
    if (found == section->end() || !found->is_string()) continue;
    const bool path = found->get_ref<const std::string&>().find('/') != std::string::npos;
    if (path || !flat.contains("tokenizer_model")) flat["tokenizer_model"] = *found;
  }
}

/// The section model.optim: the optimizer, and how gradients and weights move.
void add_optimizer(const Json& section, Json& flat) {
  if (const auto name = section.find("name"); name != section.end()) {
    flat["optimizer"] = *name;
    if (name->is_string() &&
        name->get_ref<const std::string&>().find("distributed") != std::string::npos)
      flat["use_distributed_optimizer"] = true;
  }
  for (const char* const key : {"overlap_grad_sync", "overlap_param_sync", "bucket_cap_mb"})
    if (section.contains(key) && !section[key].is_null()) flat[key] = section[key];
  if (section.value("grad_sync_dtype", Json()) == "bf16") flat["grad_reduce_in_bf16"] = true;
}

/// Beginnings of NeMo's names that do not affect a step.
constexpr std::string_view kIgnored[] = {"accelerator",
                                         "apex_transformer_log_level",
                                         "apply_query_key_layer_scaling",
                                         "apply_rope_fusion",
                                         "attention_type",
                                         "barrier",
                                         "batch_p2p",
                                         "benchmark",
                                         "bias_dropout_add_fusion",
                                         "bias_gelu_fusion",
                                         "check_val_every",
                                         "do_layer_norm_weight_decay",
                                         "enable_checkpointing",
                                         "enable_model_summary",
                                         "ffn_dropout",
                                         "fp16_lm_cross_entropy",
                                         "fp8_amax",
                                         "fp8_e4m3",
                                         "fp8_hybrid",
                                         "fp8_interval",
                                         "fp8_margin",
                                         "gc_interval",
                                         "gc_on_validation",
                                         "grad_allreduce_chunk_size_mb",
                                         "grad_div_ar_fusion",
                                         "gradient_accumulation_fusion",
                                         "gradient_as_bucket_view",
                                         "gradient_clip_val",
                                         "headscale",
                                         "limit_",
                                         "log_every",
                                         "log_reduced",
                                         "logger",
                                         "masked_softmax_fusion",
                                         "max_epochs",
                                         "max_steps",
                                         "max_time",
                                         "mcore_gpt",
                                         "megatron_amp_O2",
                                         "native_amp_",
                                         "nccl_communicator_config_path",
                                         "normalize_attention_scores",
                                         "num_sanity",
                                         "onnx_safe",
                                         "openai_gelu",
                                         "persist_layer_norm",
                                         "post_process",
                                         "pre_process",
                                         "precision_plugin",
                                         "replace_sampler",
                                         "restore_from_path",
                                         "resume",
                                         "scale_positional_embedding",
                                         "seq_len_interpolation_factor",
                                         "sync_batch_comm",
                                         "transformer_block_type",
                                         "transformer_engine",
                                         "use_cpu_initialization",
                                         "use_distributed_sampler",
                                         "use_emha",
                                         "use_scaled_init_method",
                                         "val_check_interval"};

/// Keys that only NeMo has: dropped, or under Megatron's names.
void rename_own_keys(Json& flat) {
  if (const auto found = flat.find("use_flash_attention"); found != flat.end()) {
    flat["use_flash_attn"] = *found;
    flat.erase("use_flash_attention");
  }
  for (auto it = flat.begin(); it != flat.end();) {
    const bool ignored =
        std::any_of(std::begin(kIgnored), std::end(kIgnored),
                    [&](std::string_view begin) { return it.key().starts_with(begin); });
    it = ignored ? flat.erase(it) : ++it;
  }
}

/// NeMo's sections as arguments of Megatron.
Json nemo_arguments(const Json& file) {
  Json sections = Json::object();
  for (const char* const section : {"model", "trainer"}) {
    if (file.contains(section)) sections[section] = file[section];
  }
  Json flat = flat_sections(sections, {"model", "trainer"});
  for (auto it = flat.begin(); it != flat.end();) it = it->is_array() ? flat.erase(it) : ++it;
  if (flat.contains("precision")) flat["precision"] = enum_name(flat["precision"]);
  const auto model = file.find("model");
  if (model != file.end() && model->is_object() && model->contains("optim") &&
      (*model)["optim"].is_object())
    add_optimizer((*model)["optim"], flat);
  add_tokenizer(file, flat);
  rename_own_keys(flat);
  return flat;
}

Result<void> import_nemo(Spec& spec, const Json& file, const std::string& where,
                         Findings& findings) {
  MegatronArguments arguments{nemo_arguments(file)};
  add_names(file, "", arguments);
  if (auto read = import_megatron(spec, arguments, where, findings); !read) return read;
  return import_nemo_lora(spec, file, where, findings);
}

}  // namespace

const Importer kNemoImporter{.name = "nemo",
                             .tool = "NeMo",
                             .files = "its YAML",
                             .reads = "as Megatron-LM; low-rank adapters",
                             .refuses = "other adapters",
                             .is_document =
                                 [](const Json& document) {
                                   const auto model = document.find("model");
                                   return model != document.end() && model->is_object() &&
                                          has_any(*model,
                                                  {"tensor_model_parallel_size",
                                                   "encoder_seq_length", "num_attention_heads"});
                                 },
                             .import_document = import_nemo};

}  // namespace orrery::workload
