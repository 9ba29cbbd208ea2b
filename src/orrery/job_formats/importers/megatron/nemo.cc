// SPDX-License-Identifier: Apache-2.0
//
// Reads NeMo's YAML: Megatron's arguments in sections.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "orrery/job_formats/importers/megatron/megatron.h"
#include "orrery/job_formats/importers/named_file.h"

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
  if (section->value("type", Json("")) == "GPT2BPETokenizer")
    flat["tokenizer_type"] = "GPT2BPETokenizer";
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

constexpr KeyRow kNemoRows[] = {
    {"defaults", KeyUse::read, "the files of this folder that it names, below this one"},
    {"exp_manager", KeyUse::read, "names that may identify the model"},
    {"model", KeyUse::read, "its keys are Megatron's"},
    {"model.optim.bucket_cap_mb", KeyUse::read, "parallel.bucket: MiB"},
    {"model.optim.grad_sync_dtype", KeyUse::read, "precision.gradients, precision.reduce: bf16"},
    {"model.optim.name", KeyUse::read,
     "optimizer.kind; parallel.sharding: zero1 with distributed_fused_adam"},
    {"model.optim.overlap_grad_sync", KeyUse::read, "parallel.overlap_gradients"},
    {"model.optim.overlap_param_sync", KeyUse::read, "parallel.overlap_weights"},
    {"model.peft", KeyUse::read, "lora: the scheme lora, with its section lora_tuning"},
    {"model.tokenizer", KeyUse::read, "model.vocab, if its name or path identifies it"},
    {"num_query_groups", KeyUse::read, "model.kv_heads, also with one group"},
    {"override_vocab_size", KeyUse::other_name, "pad_vocab_size_to"},
    {"qkv_bias", KeyUse::other_name, "add_qkv_bias"},
    {"trainer", KeyUse::read, "its keys are Megatron's"},
    {"use_flash_attention", KeyUse::other_name, "use_flash_attn"},
};

/// Beginnings of NeMo's names that do not affect a step.
constexpr std::string_view kNemoIgnored[] = {"accelerator",
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
  if (flat.contains("num_query_groups")) flat["group_query_attention"] = true;  // 1 group, too
  return renamed({kNemoRows, kNemoIgnored}, std::move(flat));
}

/// Errc: input_unsupported for models that are not decoders, and for inference.
Result<void> refuse_other_models(const Json& file, const std::string& where) {
  const Json& model = file["model"];
  const auto part = [&](const char* key) { return model.contains(key) && model[key].is_object(); };
  const std::string what = model.contains("bert_binary_head")   ? "BERT"
                           : part("encoder") && part("decoder") ? "an encoder and a decoder (T5)"
                           : part("vision")                     ? "a vision model"
                           : file.contains("gpt_model_file")    ? "inference"
                                                                : "";
  if (what.empty()) return {};
  return fail(
      Errc::input_unsupported, where,
      fmt::format("describes {}; of NeMo's files only those that train decoders are read", what),
      "give the model's config.json or --model NAME, and the plan");
}

/// The file over those of Hydra's `defaults` that lie beside it.
Json with_defaults(const Json& file, const std::string& where, Findings& findings) {
  const auto defaults = file.find("defaults");
  if (defaults == file.end() || !defaults->is_array()) return file;
  Json merged = Json::object();
  for (const Json& each : *defaults) {
    if (!each.is_string() || each == "_self_") continue;
    const auto name = each.get<std::string>() + ".yaml";
    const auto base = file_beside(where, name);
    const auto read = base ? config::parse_yaml(base->text, base->path) : Result<Json>(Json());
    if (read && read->is_object())
      merged.merge_patch(*read);
    else
      findings.add(FindingCode::key_ignored, fmt::format("{}:/defaults: {}", where, name));
  }
  merged.merge_patch(file);
  return merged;
}

Result<void> import_nemo(Spec& spec, const Json& original, const std::string& where,
                         Findings& findings) {
  const Json file = with_defaults(original, where, findings);
  if (auto fine = refuse_other_models(file, where); !fine) return fine;
  MegatronArguments arguments{nemo_arguments(file)};
  add_names(file, "", arguments);
  if (auto read = import_megatron(spec, arguments, where, findings); !read) return read;
  return import_nemo_lora(spec, file, where, findings);
}

}  // namespace

const Importer kNemoImporter{
    .name = "nemo",
    .tool = "NeMo",
    .files = "its YAML",
    .reads = "as Megatron-LM; low-rank adapters",
    .refuses = "other adapters; BERT, T5, vision models, inference",
    .is_document =
        [](const Json& document) {
          const auto model = document.find("model");
          return model != document.end() && model->is_object() &&
                 (has_any(*model, {"tensor_model_parallel_size", "encoder_seq_length",
                                   "num_attention_heads"}));
        },
    .import_document = import_nemo};
constinit const ImporterTable kNemoTable{
    &kNemoImporter, {kNemoRows, kNemoIgnored}, &kMegatronTable};

}  // namespace orrery::workload
