// SPDX-License-Identifier: Apache-2.0
//
// Reads nanotron's YAML (huggingface/nanotron, src/nanotron/config/config.py: names and defaults).
#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace nanotron {
namespace {

using config::Json;

constexpr KeyWord kTypes[] = {
    {"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}, {kOtherWords, ""}};  // float8
constexpr KeyWord kModes[] = {{"REDUCE_SCATTER", "true"}, {"ALL_REDUCE", "false"}};
constexpr KeyWord kEngines[] = {{"1f1b", "1f1b"}, {"afab", "gpipe"}};
constexpr KeyWord kStages[] = {{"0", "none"}, {"1", "zero1"}};
constexpr KeyWord kAccumulation[] = {{"true", "fp32"}, {"false", "bf16"}};
constexpr KeyWord kOptimizers[] = {{"adamW", "adamw"}, {"sgd", "sgd"}, {kOtherWords, ""}};
constexpr KeyWord kFullIf[] = {{"true", "full"}, {"false", "none"}};

constexpr KeyRow kRows[] = {
    {"checkpoints.*"},
    {"data_stages.*"},
    {"domino.*", KeyUse::not_modeled},
    {"general.*"},
    {"lighteval.*"},
    {"logging.*"},
    {"metrics_logging.*"},
    {"model.ddp_bucket_cap_mb", KeyUse::read, "parallel.bucket"},
    {"model.dtype", KeyUse::sets, "precision.weights precision.activations precision.reduce",
     kTypes},
    {"model.init_method.*"},
    {"model.make_vocab_size_divisible_by"},
    {"model.model_config.*", KeyUse::read, "the model, as Hugging Face's config.json of a LLaMA"},
    {"optimizer.accumulate_grad_in_fp32", KeyUse::sets, "precision.gradients", kAccumulation},
    {"optimizer.optimizer_factory.name", KeyUse::sets, "optimizer.kind", kOptimizers},
    {"optimizer.zero_stage", KeyUse::sets, "parallel.sharding", kStages},
    {"optimizer.*"},
    {"parallelism.context_parallel_size", KeyUse::sets, "parallel.cp"},
    {"parallelism.dp", KeyUse::sets, "parallel.dp"},
    {"parallelism.expert_parallel_size", KeyUse::sets, "parallel.ep"},
    {"parallelism.moe_layer_recompute", KeyUse::not_modeled, "false"},
    {"parallelism.pp", KeyUse::sets, "parallel.pp"},
    {"parallelism.pp_engine", KeyUse::sets, "schedule.kind", kEngines},
    {"parallelism.recompute_layer", KeyUse::sets, "recompute.kind", kFullIf},
    {"parallelism.tp", KeyUse::sets, "parallel.tp"},
    {"parallelism.tp_linear_async_communication", KeyUse::not_modeled, "false"},
    {"parallelism.tp_mode", KeyUse::sets, "parallel.sp", kModes},
    {"parallelism.tp_recompute_allgather"},
    {"profiler.*"},
    {"s3_upload.*"},
    {"tokenizer.*"},
    {"tokens.batch_accumulation_per_replica", KeyUse::sets, kAccumulated},
    {"tokens.micro_batch_size", KeyUse::sets, "batch.micro"},
    {"tokens.sequence_length", KeyUse::sets, "batch.seq"},
    {"tokens.*"},
};

/// The model: names as in transformers' LlamaConfig, and flags that name other families.
Result<void> read_model(Spec& spec, const Json& section, const std::string& where,
                        Findings& findings) {
  Json model = section;
  model["model_type"] = "llama";
  for (const char* const name :
       {"is_llama_config", "is_qwen2_config", "is_starcoder2_config", "_attn_implementation",
        "_fused_rms_norm", "_fused_rotary_emb", "_use_doc_masking", "_use_qkv_packed",
        "flex_attention_mask", "interleaved_rotary", "rope_interleaved",
        "rope_seq_len_interpolation_factor", "rope_theta", "z_loss_coefficient", "z_loss_enabled",
        "log_attn_probs", "ring_attn_heads_k_stride", "no_rope_layer"})
    model.erase(name);
  if (const auto experts = section.find("moe_config"); experts != section.end()) {
    if (!experts->is_null() && !experts->empty())
      return fail(Errc::input_unsupported, where + ":/model/model_config/moe_config",
                  "describes experts, which are not read from nanotron's files",
                  "give the model's config.json before this file, and remove model_config");
    model.erase("moe_config");
  }
  if (const auto window = section.find("sliding_window_size"); window != section.end()) {
    model.erase("sliding_window_size");
    if (window->is_number_integer() && *window > 0) {
      model["model_type"] = "mistral";
      model["sliding_window"] = *window;
    }
  }
  for (auto it = model.begin(); it != model.end();) it = it->is_null() ? model.erase(it) : ++it;
  return kHuggingFaceImporter.import_document(spec, model, where + ":/model/model_config",
                                              findings);
}

Result<void> import_nanotron(Spec& spec, const Json& document, const std::string& where,
                             Findings& findings) {
  Spec made = spec;
  const auto section = document.find("model");
  if (section != document.end() && section->is_object() && section->contains("model_config")) {
    if (auto read = read_model(made, (*section)["model_config"], where, findings); !read)
      return read;
  }
  const Json flat = flat_paths(document);
  if (auto done = apply_keys({kRows}, flat, where, made, findings); !done)
    return tl::unexpected(done.error());
  made.parallel.sp = made.parallel.sp && made.parallel.tp > 1;
  made.kernels.framework = Framework::pytorch;
  if (const std::int64_t megabytes = whole_at(flat, "model.ddp_bucket_cap_mb", 0); megabytes > 0)
    made.parallel.bucket = Bytes(product({megabytes, std::int64_t{1} << 20}));
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace nanotron

const Importer kNanotronImporter{
    .name = "nanotron",
    .tool = "nanotron",
    .files = "its YAML",
    .reads = "model, plan, schedule, batch",
    .refuses = "experts",
    .is_document =
        [](const config::Json& document) {
          return has(document, {"parallelism", "tokens"}) && document["parallelism"].is_object();
        },
    .import_document = nanotron::import_nanotron};
constinit const ImporterTable kNanotronTable{&kNanotronImporter, {nanotron::kRows}};

}  // namespace orrery::workload
