// SPDX-License-Identifier: Apache-2.0
//
// Reads OLMo's YAML (allenai/OLMo, olmo/config.py: names and defaults).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace olmo {
namespace {

using config::Json;

constexpr KeyWord kNorms[] = {{"default", "layernorm"},
                              {"low_precision", "layernorm"},
                              {"rms", "rmsnorm"},
                              {"amd_compatible", "layernorm"}};
constexpr KeyWord kActivations[] = {{"swiglu", "swiglu"}, {"gelu", "gelu"}, {"relu", "relu"}};
constexpr KeyWord kAmp[] = {{"amp_bf16", "bf16"}, {"amp_fp16", "fp16"}, {"fp32", "fp32"}};
constexpr KeyWord kCheckpoints[] = {
    {"whole_layer", "full"}, {"fine_grained", "selective"}, {kOtherWords, ""}};
constexpr KeyWord kStrategies[] = {{"fsdp", ""}, {"ddp", "none"}, {"single", "none"}};

constexpr KeyRow kRows[] = {
    {"activation_checkpointing", KeyUse::sets, "recompute.kind", kCheckpoints},
    {"device_train_microbatch_size", KeyUse::sets, "batch.micro"},
    {"distributed_strategy", KeyUse::sets, "parallel.sharding", kStrategies},
    {"fsdp.hybrid_sharding_num_model_replicas", KeyUse::not_modeled},
    {"fsdp.precision", KeyUse::read, "precision.reduce: `pure` sends 16 bits"},
    {"fsdp.sharding_strategy", KeyUse::read, "parallel.sharding; without it zero3"},
    {"fsdp.*"},
    {"global_train_batch_size", KeyUse::sets, "batch.global"},
    {"model.activation_type", KeyUse::sets, "model.mlp", kActivations},
    {"model.alibi", KeyUse::read, "model.positions"},
    {"model.attention_layer_norm", KeyUse::sets, "model.qk_norm model.qk_norm_wide"},
    {"model.block_group_size"},
    {"model.block_type", KeyUse::read, "sequential and llama; others are refused"},
    {"model.clip_qkv"},
    {"model.d_model", KeyUse::sets, "model.hidden"},
    {"model.embedding_size", KeyUse::read, "model.vocab, padded"},
    {"model.flash_attention", KeyUse::sets, "kernels.flash_attention"},
    {"model.include_bias", KeyUse::sets, "model.qkv_bias model.out_bias model.mlp_bias"},
    {"model.layer_norm_type", KeyUse::sets, "model.norm", kNorms},
    {"model.max_sequence_length", KeyUse::sets, "batch.seq"},
    {"model.mlp_hidden_size", KeyUse::read, "model.ffn; of a gated MLP both halves together"},
    {"model.mlp_ratio", KeyUse::read, "model.ffn; of a gated MLP both halves together"},
    {"model.multi_query_attention", KeyUse::read, "model.kv_heads"},
    {"model.n_heads", KeyUse::sets, "model.heads"},
    {"model.n_kv_heads", KeyUse::sets, "model.kv_heads"},
    {"model.n_layers", KeyUse::sets, "model.layers"},
    {"model.rope", KeyUse::read, "model.positions"},
    {"model.vocab_size", KeyUse::read, "model.vocab"},
    {"model.weight_tying", KeyUse::sets, "model.tied_embeddings"},
    {"model.*"},
    {"precision", KeyUse::sets, "precision.weights precision.activations", kAmp},
};

constexpr std::string_view kIgnored[] = {"auxiliary_loss",
                                         "canceled_check",
                                         "compile",
                                         "console_log",
                                         "data.",
                                         "ddp.",
                                         "device_eval",
                                         "dry_run",
                                         "early_stop",
                                         "eval",
                                         "evaluators",
                                         "extra_steps",
                                         "fast_forward",
                                         "force_save",
                                         "fused_loss",
                                         "gen1_gc",
                                         "hf_",
                                         "load_",
                                         "max_duration",
                                         "max_grad",
                                         "model_",
                                         "module_outputs",
                                         "new_style",
                                         "no_pre",
                                         "optimizer.",
                                         "python_profiling",
                                         "remote_save",
                                         "reset",
                                         "restore",
                                         "run_name",
                                         "save_",
                                         "scheduler.",
                                         "seed",
                                         "sharded_checkpointer",
                                         "softmax_aux",
                                         "speed_monitor",
                                         "stop_",
                                         "time_limit",
                                         "tokenizer.",
                                         "torch_profiling",
                                         "try_load",
                                         "wandb."};
constexpr KnownKeys kKeys{kRows, kIgnored};

void settle_model(const Json& flat, Model& model) {
  model.name = "OLMo model";
  const auto ratio = flat.find("model.mlp_ratio");
  const double times = ratio != flat.end() && ratio->is_number() ? ratio->get<double>() : 4;
  model.ffn = whole_at(flat, "model.mlp_hidden_size",
                       static_cast<std::int64_t>(times * static_cast<double>(model.hidden)));
  if (model.mlp == Mlp::swiglu) model.ffn /= 2;
  model.positions = flag_at(flat, "model.rope")    ? Positions::rope
                    : flag_at(flat, "model.alibi") ? Positions::alibi
                                                   : Positions::learned;
  if (model.positions == Positions::learned)
    model.max_positions = whole_at(flat, "model.max_sequence_length", 1024);
  model.vocab = std::max(whole_at(flat, "model.vocab_size", 50257),
                         whole_at(flat, "model.embedding_size", 0));
  if (flag_at(flat, "model.multi_query_attention")) model.kv_heads = 1;
}

Result<void> import_olmo(Spec& spec, const Json& original, const std::string& where,
                         Findings& findings) {
  const Json document = resolved(original);
  const Json flat = flat_paths(document);
  const std::string block = text_at(flat, "model.block_type", "sequential");
  if (block != "sequential" && block != "llama")
    return fail(Errc::input_unsupported, where + ":/model/block_type",
                fmt::format("is {}, which is not supported", in_quotes(block)),
                "blocks of attention and MLP are read: sequential, llama");
  if (const std::string name = text_at(flat, "model.model_name"); !flat.contains("model.n_heads"))
    return fail(Errc::input_unsupported, where + ":/model",
                fmt::format("has no attention{}; OLMo's blocks of attention and MLP are read",
                            name.empty() ? "" : fmt::format(" ({})", name)),
                "give the model as a specification");
  Spec made = spec;
  made.model = Model{};
  made.model.mlp = Mlp::swiglu;
  made.model.qkv_bias = made.model.out_bias = made.model.mlp_bias = false;
  // Files of its first months have Composer's algorithms, and models with GELU and biases.
  if (document.contains("algorithms") && !flat.contains("model.activation_type")) {
    made.model.mlp = Mlp::gelu;
    made.model.qkv_bias = made.model.out_bias = made.model.mlp_bias = true;
    findings.add(FindingCode::default_assumed, where + ": activation_type = gelu, include_bias");
  }
  made.parallel.sharding = Sharding::zero3;
  if (auto done = apply_keys(kKeys, flat, where, made, findings); !done)
    return tl::unexpected(done.error());
  if (const std::string strategy = text_at(flat, "fsdp.sharding_strategy"); !strategy.empty())
    for (const KeyWord& word : kFsdpStrategies)
      if (word.theirs == strategy)
        if (auto done = set(made, "parallel.sharding", word.ours); !done) return done;
  if (text_at(flat, "fsdp.precision") == "pure") made.precision.reduce = Dtype::bf16;
  settle_model(flat, made.model);
  made.kernels.framework = Framework::pytorch;
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace olmo

const Importer kOlmoImporter{.name = "olmo",
                             .tool = "OLMo",
                             .files = "the YAML of a training",
                             .reads = "model, FSDP, batch",
                             .refuses = "blocks that are not attention and MLP",
                             .is_document =
                                 [](const config::Json& document) {
                                   const auto model = document.find("model");
                                   return model != document.end() && model->is_object() &&
                                          has(*model, {"d_model", "n_layers"}) &&
                                          !model->contains("name");
                                 },
                             .import_document = olmo::import_olmo};
constinit const ImporterTable kOlmoTable{&kOlmoImporter, olmo::kKeys};

}  // namespace orrery::workload
