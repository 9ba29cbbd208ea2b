// SPDX-License-Identifier: Apache-2.0
//
// Reads GPT-NeoX's YAML (EleutherAI/gpt-neox, megatron/neox_arguments/neox_args.py: names and
// defaults). DeepSpeed's keys in it go through its importer.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/job_formats/importers/tables/tables.h"
#include "orrery/job_formats/importers/vocabulary.h"

namespace orrery::workload {
namespace gpt_neox {
namespace {

using config::Json;

constexpr KeyWord kPositions[] = {{"rotary", "rope"},  {"learned", "learned"},
                                  {"none", "none"},    {"alibi", "alibi"},
                                  {"rpe", "relative"}, {"sinusoidal", "none"}};
constexpr KeyWord kNorms[] = {
    {"layernorm", "layernorm"},    {"rmsnorm", "rmsnorm"},
    {"te_layernorm", "layernorm"}, {"te_rmsnorm", "rmsnorm"},
    {"scalenorm", "rmsnorm"},      {"non_parametric_layernorm", "layernorm"}};
constexpr KeyWord kActivations[] = {{"gelu", "gelu"}, {"geglu", "geglu"},   {"swiglu", "swiglu"},
                                    {"relu", "relu"}, {"softsign", "gelu"}, {"swish", "gelu"},
                                    {"mish", "gelu"}, {"silu", "swiglu"}};
constexpr KeyWord kUntied[] = {{"true", "false"}, {"false", "true"}};
constexpr KeyWord kFullIf[] = {{"true", "full"}, {"false", "none"}};

constexpr KeyRow kRows[] = {
    {"activation", KeyUse::sets, "model.mlp", kActivations},
    {"attention_config", KeyUse::read, "layers of attention; others are refused"},
    {"attention_dropout", KeyUse::read, "model.dropout"},
    {"checkpoint_activations", KeyUse::sets, "recompute.kind", kFullIf},
    {"gpt_j_residual"},  // two branches with a norm each are the same work
    {"gpt_j_tied", KeyUse::sets, "model.parallel_block"},
    {"gradient_accumulation_steps", KeyUse::read, kAccumulated},
    {"hidden_dropout", KeyUse::read, "model.dropout"},
    {"hidden_size", KeyUse::sets, "model.hidden"},
    {"intermediate_size", KeyUse::read, "model.ffn"},
    {"is_pipe_parallel"},
    {"make_vocab_size_divisible_by"},
    {"max_position_embeddings", KeyUse::read, "model.max_positions with learned positions"},
    {"mlp_type", KeyUse::read, "the width of a gated MLP: with llama, intermediate_size"},
    {"model_parallel_size", KeyUse::read, "parallel.tp"},
    {"moe_num_experts", KeyUse::refused, "give the model as a specification with model.moe"},
    {"no_weight_tying", KeyUse::sets, "model.tied_embeddings", kUntied},
    {"norm", KeyUse::sets, "model.norm", kNorms},
    {"num_attention_heads", KeyUse::sets, "model.heads"},
    {"num_experts", KeyUse::refused, "give the model as a specification with model.moe"},
    {"num_gpus"},
    {"num_kv_heads", KeyUse::sets, "model.kv_heads"},
    {"num_layers", KeyUse::sets, "model.layers"},
    {"optimizer", KeyUse::read, "optimizer.kind"},
    {"padded_vocab_size", KeyUse::read, "model.vocab"},
    {"pipe_parallel_size", KeyUse::read, "parallel.pp"},
    {"pos_emb", KeyUse::sets, "model.positions", kPositions},
    {"precision", KeyUse::sets, "precision.weights precision.activations precision.reduce",
     kTorchTypes},
    {"seq_length", KeyUse::sets, "batch.seq"},
    {"sequence_parallel", KeyUse::read, "parallel.sp"},
    {"sliding_window_width", KeyUse::sets, "model.window"},
    {"sparsity_config", KeyUse::not_modeled},
    {"train_batch_size", KeyUse::read, "batch.global"},
    {"train_micro_batch_size_per_gpu", KeyUse::read, "batch.micro"},
    {"use_bias_in_attn_linear", KeyUse::sets, "model.qkv_bias model.out_bias"},
    {"use_bias_in_mlp", KeyUse::sets, "model.mlp_bias"},
    {"use_qk_layernorm", KeyUse::sets, "model.qk_norm"},
    {"zero_optimization", KeyUse::read, "as in DeepSpeed's configuration"},
};

constexpr std::string_view kIgnored[] = {"attention_softmax",
                                         "autoresume",
                                         "batch_size",
                                         "bf16",
                                         "bias_dropout",
                                         "bias_gelu",
                                         "char_level",
                                         "checkpoint",
                                         "comment",
                                         "comms_",
                                         "communication_data_type",
                                         "config_",
                                         "coord_check",
                                         "curriculum",
                                         "data_",
                                         "dataset",
                                         "deepscale",
                                         "deepspeed",
                                         "detect",
                                         "dist",
                                         "do_",
                                         "dump",
                                         "dynamic_loss",
                                         "eod",
                                         "eval",
                                         "exit",
                                         "extra_save",
                                         "extract",
                                         "finetune",
                                         "flops",
                                         "fp16",
                                         "fp32_allreduce",
                                         "gas",
                                         "global_",
                                         "gradient_",
                                         "hostfile",
                                         "hysteresis",
                                         "include",
                                         "init_",
                                         "initial_",
                                         "iteration",
                                         "keep",
                                         "label",
                                         "launcher",
                                         "layernorm",
                                         "load",
                                         "local_rank",
                                         "log",
                                         "loss_scale",
                                         "lr",
                                         "master_",
                                         "maximum",
                                         "memory",
                                         "merge",
                                         "min_lr",
                                         "min_scale",
                                         "mmap",
                                         "mup",
                                         "no_load",
                                         "no_save",
                                         "no_ssh",
                                         "norm_eps",
                                         "num_samples",
                                         "num_workers",
                                         "onnx",
                                         "opt_",
                                         "output_layer",
                                         "override",
                                         "pack_",
                                         "partition_activations",
                                         "patience",
                                         "peak",
                                         "prescale",
                                         "profile",
                                         "rank",
                                         "recompute",
                                         "reset_",
                                         "rms_norm",
                                         "rope",
                                         "rotary",
                                         "s3_",
                                         "save",
                                         "scaled",
                                         "scheduler",
                                         "seed",
                                         "short_seq",
                                         "slurm",
                                         "soft",
                                         "sparse_grad",
                                         "split",
                                         "steps",
                                         "strict",
                                         "sync",
                                         "temperature",
                                         "tensorboard",
                                         "test",
                                         "text_gen",
                                         "tokenizer",
                                         "top_",
                                         "train_",
                                         "umup",
                                         "use_checkpoint",
                                         "use_cpu",
                                         "use_shared",
                                         "use_wandb",
                                         "user_script",
                                         "valid",
                                         "vocab_file",
                                         "wall",
                                         "wandb",
                                         "warmup",
                                         "weight_",
                                         "world_size",
                                         "zero_allow"};
constexpr KnownKeys kKeys{kRows, kIgnored};

/// Names have hyphens or underscores.
Json with_underscores(const Json& document) {
  Json made = Json::object();
  for (const auto& [key, value] : document.items()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '-', '_');
    if (!value.is_null()) made[name] = value;
  }
  return made;
}

/// The configuration of DeepSpeed in the file, without what is not its own.
Json deepspeed_part(const Json& file) {
  Json part = Json::object();
  for (const char* const key :
       {"zero_optimization", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps",
        "train_batch_size", "bf16", "communication_data_type"})
    if (file.contains(key)) part[key] = file[key];
  if (const auto half = file.find("fp16"); half != file.end() && half->is_object()) {
    const bool brain = half->value("type", Json("")) == "bfloat16";
    part[brain ? "bf16" : "fp16"] = Json{{"enabled", half->value("enabled", Json(false))}};
  }
  return part;
}

/// Errc: input_unsupported for layers that are not attention.
Result<void> check_layers(const Json& file, const std::string& where) {
  const std::string text = file.value("attention_config", Json()).dump();
  for (const std::string_view other : {"mamba", "rwkv", "gmlp", "amlp"})
    if (text.find(other) != std::string::npos)
      return fail(Errc::input_unsupported, where + ":/attention_config",
                  fmt::format("has layers of {}, which are not read from GPT-NeoX files", other),
                  "give the model as a specification or as its config.json");
  return {};
}

/// The width of a gated MLP: with `mlp_type: llama` as stated, or else 8/3 of the hidden size. A
/// regular one divides the stated width, or four times the hidden size, by 3, so that the two
/// products together have two thirds of it. Multiples of 256 (megatron/model/transformer.py).
std::int64_t gated_width(const Json& file, std::int64_t hidden) {
  constexpr std::int64_t kMultiple = 256;
  const std::int64_t stated = whole_at(file, "intermediate_size", 0);
  const bool llama = text_at(file, "mlp_type") == "llama";
  if (llama && stated > 0) return stated;
  const std::int64_t width =
      llama ? hidden * 8 / 3 : (stated > 0 ? stated : 4 * hidden) * 2 / 3 / 2;
  return (width + kMultiple - 1) / kMultiple * kMultiple;
}

void settle_model(const Json& file, const std::string& where, Model& model, Findings& findings) {
  model.name = "GPT-NeoX model";
  if (model.positions == Positions::learned)
    model.max_positions = whole_at(file, "max_position_embeddings", 0);
  model.ffn = whole_at(file, "intermediate_size", 0);
  const bool gated = model.mlp == Mlp::swiglu || model.mlp == Mlp::geglu;
  if (gated) {
    const std::int64_t width = gated_width(file, model.hidden);
    if (width != model.ffn)
      findings.add(FindingCode::chosen_by_default,
                   fmt::format("{}: intermediate size of the gated MLP = {}", where, width));
    model.ffn = width;
  }
  if (gated && text_at(file, "mlp_type") == "llama") model.mlp_bias = false;
  const auto above_zero = [&](const char* key) {
    const auto found = file.find(key);
    return found != file.end() && found->is_number() && found->get<double>() > 0;
  };
  model.dropout = above_zero("hidden_dropout") || above_zero("attention_dropout");
  model.vocab = whole_at(file, "padded_vocab_size", 0);
  if (model.vocab > 0) return;
  // The tokenizer of GPT-NeoX-20B (50,277 tokens) or GPT-2 (50,257), in multiples of 128.
  constexpr std::int64_t kUsual = 50304;
  choose_vocabulary(model, {{text_at(file, "vocab_file"), text_at(file, "tokenizer_type")}}, kUsual,
                    where, findings);
}

void settle_plan(const Json& file, Spec& made) {
  const auto degree = [&](const char* key, std::int64_t now) {
    return std::max<std::int64_t>(whole_at(file, key, now), 1);  // 0: off
  };
  made.parallel.tp = degree("model_parallel_size", made.parallel.tp);
  made.parallel.pp = degree("pipe_parallel_size", made.parallel.pp);
  made.parallel.sp = flag_at(file, "sequence_parallel") && made.parallel.tp > 1;
  made.kernels.framework = Framework::megatron_2021;
  const auto optimizer = file.find("optimizer");
  if (optimizer != file.end() && optimizer->is_object() && text_at(*optimizer, "type") == "sgd")
    made.optimizer.kind = OptimizerKind::sgd_momentum;
}

Result<void> import_neox(Spec& spec, const Json& document, const std::string& where,
                         Findings& findings) {
  const Json file = with_underscores(document);
  if (auto fine = check_layers(file, where); !fine) return fine;
  Spec made = spec;
  if (const Json part = deepspeed_part(file); !part.empty())
    if (auto read = kDeepspeedImporter.import_document(made, part, where, findings); !read)
      return read;
  const bool described = has(file, {"num_layers", "hidden_size", "num_attention_heads"});
  if (described) made.model = Model{};
  if (auto done = apply_keys(kKeys, file, where, made, findings); !done)
    return tl::unexpected(done.error());
  if (described) settle_model(file, where, made.model, findings);
  settle_plan(file, made);
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace gpt_neox

const Importer kGptNeoxImporter{
    .name = "gpt_neox",
    .tool = "GPT-NeoX",
    .files = "its YAML",
    .reads = "model, plan, batch, DeepSpeed's keys",
    .refuses = "experts; layers that are not attention",
    .is_document =
        [](const config::Json& document) {
          return has_any(document, {"pipe-parallel-size", "pipe_parallel_size",
                                    "model-parallel-size", "model_parallel_size", "data-path"});
        },
    .import_document = gpt_neox::import_neox};
constinit const ImporterTable kGptNeoxTable{&kGptNeoxImporter, gpt_neox::kKeys};

}  // namespace orrery::workload
