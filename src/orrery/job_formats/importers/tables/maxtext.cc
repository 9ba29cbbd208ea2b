// SPDX-License-Identifier: Apache-2.0
//
// Reads MaxText's YAML (AI-Hypercomputer/maxtext, configs/base.yml: names and defaults): a model's
// file, a run's file, or both.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace maxtext {
namespace {

using config::Json;

constexpr KeyWord kRemat[] = {{"full", "full"},
                              {"none", "none"},
                              {"minimal", "none"},
                              {"qkv_proj_offloaded", ""},
                              {kOtherWords, ""}};
constexpr KeyWord kProducts[] = {{"fp8", "fp8"},
                                 {"nanoo_fp8", "fp8"},
                                 {"fp8_full", "fp8"},
                                 {"te_fp8_delayedscaling", "fp8"},
                                 {"", ""}};

constexpr std::string_view kDegrees = "a degree of parallelism: ici within, dcn between slices";

constexpr KeyRow kRows[] = {
    {"attention"},
    {"base_emb_dim", KeyUse::sets, "model.hidden"},
    {"base_mlp_dim", KeyUse::sets, "model.ffn"},
    {"base_moe_mlp_dim", KeyUse::read, "model.moe.ffn"},
    {"base_num_decoder_layers", KeyUse::sets, "model.layers"},
    {"base_num_kv_heads", KeyUse::sets, "model.kv_heads"},
    {"base_num_query_heads", KeyUse::sets, "model.heads"},
    {"dcn_autoregressive_parallelism", KeyUse::not_modeled, "1"},
    {"dcn_context_autoregressive_parallelism", KeyUse::not_modeled, "1"},
    {"dcn_context_parallelism", KeyUse::read, kDegrees},
    {"dcn_data_parallelism", KeyUse::read, kDegrees},
    {"dcn_expert_parallelism", KeyUse::read, kDegrees},
    {"dcn_fsdp_parallelism", KeyUse::read, kDegrees},
    {"dcn_fsdp_transpose_parallelism", KeyUse::not_modeled, "1"},
    {"dcn_pipeline_parallelism", KeyUse::read, kDegrees},
    {"dcn_sequence_parallelism", KeyUse::not_modeled, "1"},
    {"dcn_tensor_parallelism", KeyUse::read, kDegrees},
    {"dcn_tensor_sequence_parallelism", KeyUse::not_modeled, "1"},
    {"dcn_tensor_transpose_parallelism", KeyUse::not_modeled, "1"},
    {"decoder_block", KeyUse::read, "norms, positions and biases of the family"},
    {"dtype", KeyUse::sets, "precision.activations precision.weights", kTorchTypes},
    {"first_num_dense_layers", KeyUse::read, "model.moe.first_dense"},
    {"global_parameter_scale", KeyUse::refused, "give the sizes of the scaled model themselves"},
    {"gradient_accumulation_steps", KeyUse::read, kAccumulated},
    {"head_dim", KeyUse::sets, "model.head_dim"},
    {"ici_autoregressive_parallelism", KeyUse::not_modeled, "1"},
    {"ici_context_autoregressive_parallelism", KeyUse::not_modeled, "1"},
    {"ici_context_parallelism", KeyUse::read, kDegrees},
    {"ici_data_parallelism", KeyUse::read, kDegrees},
    {"ici_expert_parallelism", KeyUse::read, kDegrees},
    {"ici_fsdp_parallelism", KeyUse::read, kDegrees},
    {"ici_fsdp_transpose_parallelism", KeyUse::not_modeled, "1"},
    {"ici_pipeline_parallelism", KeyUse::read, kDegrees},
    {"ici_sequence_parallelism", KeyUse::not_modeled, "1"},
    {"ici_tensor_parallelism", KeyUse::read, kDegrees},
    {"ici_tensor_sequence_parallelism", KeyUse::not_modeled, "1"},
    {"ici_tensor_transpose_parallelism", KeyUse::not_modeled, "1"},
    {"logits_via_embedding", KeyUse::sets, "model.tied_embeddings"},
    {"max_target_length", KeyUse::sets, "batch.seq"},
    {"mlp_activations", KeyUse::read, "model.mlp"},
    {"model_name", KeyUse::read, "a model's file in this folder, or one of the catalog"},
    {"num_experts", KeyUse::read, "model.moe.experts"},
    {"num_experts_per_tok", KeyUse::read, "model.moe.top_k"},
    {"num_layers_per_pipeline_stage", KeyUse::not_modeled},
    {"num_pipeline_microbatches", KeyUse::read, "microbatches; by default one for each stage"},
    {"per_device_batch_size", KeyUse::read, "batch.micro: sequences per device"},
    {"quantization", KeyUse::sets, "precision.products", kProducts},
    {"remat_policy", KeyUse::sets, "recompute.kind", kRemat},
    {"shared_experts", KeyUse::read, "model.moe.shared_experts"},
    {"sliding_window_size", KeyUse::sets, "model.window"},
    {"use_qk_norm", KeyUse::sets, "model.qk_norm"},
    {"vocab_size", KeyUse::sets, "model.vocab"},
    {"weight_dtype"},
};

constexpr std::string_view kIgnored[] = {
    "adam_",
    "add_bos",
    "add_eos",
    "allow_split",
    "async_checkpointing",
    "attn_logits",
    "base_config",
    "base_output_directory",
    "beta",
    "capture",
    "checkpoint_",
    "compile_",
    "compiled_",
    "convert_checkpoint",
    "cosine",
    "cost_estimate",
    "data_sharding",
    "data_shuffle",
    "dataset",
    "decode_",
    "dpo_",
    "dropout",
    "enable_",
    "eval_",
    "expansion_factor",
    "final_logits",
    "float32_",
    "gcs_",
    "generate_",
    "gradient_clipping",
    "grain_",
    "hardware",
    "hf_",
    "hide_profiler",
    "init_weights",
    "jax_",
    "learning_rate",
    "load_",
    "load_balance",
    "log_",
    "logical_axis_rules",
    "logits_dot",
    "max_checkify",
    "megablox",
    "mesh_axes",
    "metrics_file",
    "monitor",
    "mu_dtype",
    "normalization_layer_epsilon",
    "num_epoch",
    "num_slices",
    "opt_type",
    "packing",
    "prefill_",
    "profile",
    "profiler",
    "prometheus",
    "prompt",
    "quant_cfg",
    "rampup",
    "reuse_example",
    "rope_",
    "routed_",
    "run_name",
    "sa_",
    "save_",
    "scan_layers",
    "sharding_tolerance",
    "skip_first",
    "sparse_matmul",
    "stack_",
    "steps",
    "target_eval",
    "tensorboard",
    "tokenize",
    "tokenizer",
    "trainable_position",
    "upload",
    "use_chat_template",
    "use_iota",
    "use_random_routing",
    "use_vertex",
    "vertex",
    "warmup",
    "weight_decay",
    "z_loss",
    "zero_loss",
};
constexpr KnownKeys kKeys{kRows, kIgnored};

Mlp mlp_of(const Json& activations) {
  const std::string text = activations.dump();
  const bool gated = activations.is_array() && activations.size() > 1;
  if (text.find("relu") != std::string::npos) return Mlp::relu;
  if (!gated) return Mlp::gelu;
  return text.find("gelu") != std::string::npos ? Mlp::geglu : Mlp::swiglu;
}

/// What base.yml has for a decoder, before the file's keys.
Model usual_model() {
  Model model;
  model.name = "MaxText model";
  model.norm = Norm::rmsnorm;
  model.positions = Positions::rope;
  model.mlp = Mlp::swiglu;
  model.tied_embeddings = false;
  model.qkv_bias = model.out_bias = model.mlp_bias = false;
  return model;
}

Result<void> settle_model(const Json& file, const std::string& where, Model& model) {
  if (file.contains("mlp_activations")) model.mlp = mlp_of(file["mlp_activations"]);
  const std::string block = text_at(file, "decoder_block", "llama2");
  if (block.starts_with("deepseek"))
    return fail(Errc::input_unsupported, where + ":/decoder_block",
                "has latent attention, which is not read from MaxText's files",
                "give --model deepseek-v3, or the model's config.json, without the model's file");
  if (block.starts_with("qwen3_next"))
    return fail(Errc::input_unsupported, where + ":/decoder_block",
                "has layers of linear attention, which are not read from MaxText's files",
                "give the model as a specification, without the model's file");
  if (block == "gemma2") model.layers *= 2;  // MaxText's layer is a local and a global one
  if (block == "gpt3") {
    model.norm = Norm::layernorm;
    model.positions = Positions::learned;
    model.qkv_bias = model.out_bias = model.mlp_bias = true;
  }
  if (block.starts_with("qwen3")) model.qk_norm = true;
  const std::int64_t experts = whole_at(file, "num_experts", 1);
  if (experts <= 1) return {};
  Moe moe;
  moe.experts = experts;
  moe.top_k = whole_at(file, "num_experts_per_tok", 1);
  moe.ffn = whole_at(file, "base_moe_mlp_dim", 0);
  moe.shared_experts = whole_at(file, "shared_experts", 0);
  moe.first_dense = whole_at(file, "first_num_dense_layers", 0);
  model.moe = moe;
  return {};
}

/// The product of a degree within and between slices; 0: the remaining devices.
std::int64_t degree_of(const Json& file, const std::string& name) {
  const std::int64_t inside = whole_at(file, "ici_" + name + "_parallelism", 1);
  const std::int64_t between = whole_at(file, "dcn_" + name + "_parallelism", 1);
  return inside < 1 || between < 1 ? 0 : product({inside, between});
}

/// per_device_batch_size counts the sequences of a device; those of all devices that share a copy
/// of the model are one batch, which a pipeline divides into microbatches.
void settle_batch(const Json& file, Spec& made) {
  const std::int64_t steps =
      std::max<std::int64_t>(whole_at(file, "gradient_accumulation_steps", 1), 1);
  const std::int64_t stated = whole_at(file, "num_pipeline_microbatches", -1);
  const std::int64_t pieces = stated > 0 ? stated : made.parallel.pp;
  const auto each = file.find("per_device_batch_size");
  if (each != file.end() && each->is_number()) {
    const double devices = static_cast<double>(made.parallel.tp) *
                           static_cast<double>(made.parallel.pp) *
                           static_cast<double>(made.parallel.cp);
    constexpr double kMost = 1 << 24;
    made.batch.micro = static_cast<std::int64_t>(
        std::clamp(each->get<double>() * devices / static_cast<double>(pieces), 1.0, kMost));
  }
  if (product({steps, pieces}) > 1) made.batch.accumulated = product({steps, pieces});
}

void settle_plan(const Json& file, Spec& made) {
  const auto at_least_one = [](std::int64_t degree) { return std::max<std::int64_t>(degree, 1); };
  made.parallel.tp = at_least_one(degree_of(file, "tensor"));
  made.parallel.pp = at_least_one(degree_of(file, "pipeline"));
  made.parallel.cp = at_least_one(degree_of(file, "context"));
  made.parallel.ep = at_least_one(degree_of(file, "expert"));
  const std::int64_t shards = degree_of(file, "fsdp"), copies = degree_of(file, "data");
  if (shards != 1) made.parallel.sharding = Sharding::zero3;
  if (shards > 0 && copies > 0 && shards * copies > 1)
    made.parallel.dp = product({shards, copies, made.parallel.ep});
  if (shards > 1 && copies > 1) made.parallel.shard_size = shards;
  settle_batch(file, made);
}

/// YAML 1.1, which MaxText reads, has whole numbers such as 262_144.
Json with_numbers(const Json& document) {
  Json made = document;
  for (Json& value : made) {
    if (!value.is_string()) continue;
    std::string text = value.get<std::string>();
    if (text.empty() || text.front() == '_' || text.find_first_not_of("0123456789_") != text.npos)
      continue;
    std::erase(text, '_');
    if (constexpr std::size_t kLongest = 15; text.size() <= kLongest) value = std::stoll(text);
  }
  return made;
}

Result<void> import_maxtext(Spec& spec, const Json& document, const std::string& where,
                            Findings& findings);

/// Errc: config_missing_key if the model is nowhere.
Result<void> add_named_model(const std::string& name, const std::string& where, Spec& made,
                             Findings& findings) {
  const auto file = file_beside(where, "models/" + name + ".yml");
  if (!file) return use_named_model(made, name, where + ":/model_name", where, findings);
  std::vector<std::string> repeated;
  auto read = config::parse_yaml(file->text, file->path, &repeated);
  if (!read) return tl::unexpected(read.error());
  if (!read->is_object()) return {};
  read->erase("model_name");  // often its own name
  report_repeated(repeated, findings);
  return import_maxtext(made, *read, file->path, findings);
}

Result<void> import_maxtext(Spec& spec, const Json& document, const std::string& where,
                            Findings& findings) {
  const Json file = with_numbers(document);
  Spec made = spec;
  const bool whole_model = has(file, {"base_emb_dim", "base_num_decoder_layers", "vocab_size"});
  const std::string name = text_at(file, "model_name", "default");
  if (name != "default" && !name.empty() && !whole_model)
    if (auto named = add_named_model(name, where, made, findings); !named) return named;
  const bool described = has(file, {"base_emb_dim", "base_num_decoder_layers"});
  if (described) made.model = usual_model();
  if (auto done = apply_keys(kKeys, file, where, made, findings); !done)
    return tl::unexpected(done.error());
  if (described)
    if (auto fine = settle_model(file, where, made.model); !fine) return fine;
  settle_plan(file, made);
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace maxtext

const Importer kMaxTextImporter{
    .name = "maxtext",
    .tool = "MaxText",
    .files = "the YAML of a model or a run",
    .reads = "model, plan, batch, recomputation",
    .refuses = "latent and linear attention; scaled sizes",
    .is_document =
        [](const config::Json& document) {
          return has_any(document,
                         {"base_emb_dim", "base_num_decoder_layers", "per_device_batch_size",
                          "ici_fsdp_parallelism", "dcn_data_parallelism"});
        },
    .import_document = maxtext::import_maxtext};
constinit const ImporterTable kMaxTextTable{&kMaxTextImporter, maxtext::kKeys};

}  // namespace orrery::workload
