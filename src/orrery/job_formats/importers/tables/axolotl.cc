// SPDX-License-Identifier: Apache-2.0
//
// Reads axolotl's YAML (axolotl-ai-cloud/axolotl, docs/config-reference and
// src/axolotl/utils/schemas: names and defaults).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/tables/fine_tuning.h"

namespace orrery::workload {
namespace axolotl {
namespace {

using config::Json;

constexpr KeyRow kRows[] = {
    {"adapter", KeyUse::read, "lora, qlora, or none"},
    {"base_model", KeyUse::read, "the model, by its name or its folder"},
    {"bf16", KeyUse::read, "precision"},
    {"context_parallel_size", KeyUse::sets, "parallel.cp"},
    {"deepspeed", KeyUse::read, "DeepSpeed's file, from the job's folder upwards"},
    {"dp_replicate_size", KeyUse::read, "copies of the sharded model"},
    {"dp_shard_size", KeyUse::read, "parallel.sharding zero3 over that many ranks"},
    {"flash_attention", KeyUse::sets, "kernels.flash_attention"},
    {"fp16", KeyUse::read, "precision"},
    {"fp8", KeyUse::not_modeled},
    {"fsdp", KeyUse::read, "parallel.sharding"},
    {"fsdp_config.activation_checkpointing", KeyUse::read, "recompute.kind"},
    {"fsdp_config.fsdp_activation_checkpointing", KeyUse::read, "recompute.kind"},
    {"fsdp_config.fsdp_offload_params", KeyUse::read, "offload.weights, offload.optimizer"},
    {"fsdp_config.fsdp_sharding_strategy", KeyUse::sets, "parallel.sharding", kFsdpStrategies},
    {"fsdp_config.offload_params", KeyUse::read, "offload.weights, offload.optimizer"},
    {"fsdp_config.*"},
    {"fsdp_version"},
    {"gradient_accumulation_steps", KeyUse::sets, kAccumulated},
    {"gradient_checkpointing", KeyUse::read, "recompute.kind"},
    {"load_in_4bit", KeyUse::not_modeled},
    {"load_in_8bit", KeyUse::not_modeled},
    {"lora_r", KeyUse::read, "lora.rank"},
    {"lora_target_linear", KeyUse::read, "lora.targets: every matrix"},
    {"lora_target_modules", KeyUse::read, "lora.targets"},
    {"micro_batch_size", KeyUse::sets, "batch.micro"},
    {"optimizer", KeyUse::sets, "optimizer.kind", kOptimizerNames},
    {"plugins", KeyUse::not_modeled},
    {"rl", KeyUse::refused, "give the policy's step as a job of its own, without rl"},
    {"sequence_len", KeyUse::sets, "batch.seq"},
    {"sequence_parallel_degree", KeyUse::sets, "parallel.cp"},
    {"tensor_parallel_size", KeyUse::sets, "parallel.tp"},
};

constexpr std::string_view kIgnored[] = {"adam_",
                                         "base_model_",
                                         "chat_template",
                                         "cosine",
                                         "dataset",
                                         "ddp_",
                                         "debug",
                                         "do_",
                                         "early_stop",
                                         "eval",
                                         "flash_attn",
                                         "gradient_checkpointing_kwargs",
                                         "group_by",
                                         "hub_",
                                         "include_tokens",
                                         "is_",
                                         "learning_rate",
                                         "liger",
                                         "load_best",
                                         "local_rank",
                                         "log",
                                         "lora_alpha",
                                         "lora_dropout",
                                         "lora_fan",
                                         "lora_mlp",
                                         "lora_model",
                                         "lora_modules",
                                         "lora_o_",
                                         "lora_on",
                                         "lora_qkv",
                                         "loss_watchdog",
                                         "lr_",
                                         "max_grad",
                                         "max_steps",
                                         "merge_lora",
                                         "mlflow",
                                         "model_type",
                                         "num_epochs",
                                         "output_dir",
                                         "overrides_of",
                                         "pad_to",
                                         "peft_",
                                         "push_",
                                         "resize_token",
                                         "resume",
                                         "revision",
                                         "roles",
                                         "s2_",
                                         "sample_packing",
                                         "save",
                                         "sdp_attention",
                                         "seed",
                                         "shuffle",
                                         "special_tokens",
                                         "strict",
                                         "template",
                                         "test",
                                         "tf32",
                                         "tokenizer",
                                         "tokens",
                                         "torch_compile",
                                         "torch_dtype",
                                         "train_on_inputs",
                                         "trust_remote",
                                         "unfrozen",
                                         "use_tensorboard",
                                         "val_",
                                         "wandb",
                                         "warmup",
                                         "weight_decay",
                                         "xformers"};
constexpr KnownKeys kKeys{kRows, kIgnored};

void read_sharding(const Json& file, const Json& flat, Spec& made) {
  const auto fsdp = file.find("fsdp");
  const bool listed = fsdp != file.end() && fsdp->is_array() && !fsdp->empty();
  if ((listed || file.contains("fsdp_config")) && made.parallel.sharding == Sharding::none) {
    const bool gradients = listed && fsdp->dump().find("shard_grad_op") != std::string::npos;
    made.parallel.sharding = gradients ? Sharding::zero2 : Sharding::zero3;
  }
  for (const char* const key : {"fsdp_config.fsdp_offload_params", "fsdp_config.offload_params"})
    if (flag_at(flat, key)) made.offload.weights = made.offload.optimizer = true;
  const std::int64_t shards = whole_at(file, "dp_shard_size", 0);
  const std::int64_t copies = std::max<std::int64_t>(whole_at(file, "dp_replicate_size", 1), 1);
  if (shards <= 1) return;
  made.parallel.sharding = Sharding::zero3;
  made.parallel.dp = product({shards, copies});
  if (copies > 1) made.parallel.shard_size = shards;
}

/// `gradient_checkpointing` is a flag or a word ("unsloth", "offload").
bool recomputes(const Json& file, const Json& flat) {
  return flag_at(file, "gradient_checkpointing") ||
         !text_at(file, "gradient_checkpointing").empty() ||
         flag_at(flat, "fsdp_config.activation_checkpointing") ||
         flag_at(flat, "fsdp_config.fsdp_activation_checkpointing");
}

Result<void> add_lora(const Json& file, const std::string& where, Spec& made, Findings& findings) {
  const std::string adapter = text_at(file, "adapter");
  if (adapter.empty()) return {};
  if (adapter != "lora" && adapter != "qlora")
    return fail(Errc::input_unsupported, where + ":/adapter",
                fmt::format("is {}, which is not supported", in_quotes(adapter)),
                "use lora or qlora");
  Adapters adapters{whole_at(file, "lora_r", 8), "all-linear"};
  const auto modules = file.find("lora_target_modules");
  if (modules != file.end() && modules->is_array() && !flag_at(file, "lora_target_linear"))
    adapters.modules = *modules;
  return add_adapters(made, adapters, where + ":/lora_target_modules", findings);
}

Result<void> import_axolotl(Spec& spec, const Json& file, const std::string& where,
                            Findings& findings) {
  // Before the model: what else is wrong does not matter then.
  if (const std::string method = text_at(file, "rl"); !method.empty())
    return fail(Errc::input_unsupported, where + ":/rl",
                fmt::format("is {}: reinforcement learning and preferences are not read",
                            in_quotes(method)),
                "give the policy's step as a job of its own");
  if (flag_at(file, "reward_model") ||
      text_at(file, "model_type").find("SequenceClassification") != std::string::npos)
    return fail(Errc::input_unsupported, where, "trains a reward model, which is not read",
                "give the model's body as a job of its own");
  if (file.contains("processor_type"))
    return fail(Errc::input_unsupported, where + ":/processor_type",
                "trains on images, which is not read",
                "give the language model as a job of its own, without processor_type");
  Spec made = spec;
  if (auto read = read_fine_tuning(made, file, "base_model", kKeys, where, findings); !read)
    return read;
  const Json flat = flat_paths(file);
  const bool half = flag_at(file, "fp16") && !flag_at(file, "bf16");
  made.precision.weights = made.precision.activations = half ? Dtype::fp16 : Dtype::bf16;
  read_sharding(file, flat, made);
  made.recompute.kind = recomputes(file, flat) ? RecomputeKind::full : RecomputeKind::none;
  made.kernels.framework = file.contains("deepspeed") ? Framework::deepspeed : Framework::pytorch;
  if (auto done = add_lora(file, where, made, findings); !done) return done;
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace axolotl

const Importer kAxolotlImporter{
    .name = "axolotl",
    .tool = "axolotl",
    .files = "its YAML, and DeepSpeed's file that it names",
    .reads = "model by name, adapters, FSDP, batch, recomputation",
    .refuses = "reinforcement learning, rewards, images; other adapters",
    .is_document =
        [](const config::Json& document) {
          return document.contains("base_model") &&
                 has_any(document, {"sequence_len", "datasets", "adapter", "micro_batch_size"});
        },
    .import_document = axolotl::import_axolotl};
constinit const ImporterTable kAxolotlTable{&kAxolotlImporter, axolotl::kKeys};

}  // namespace orrery::workload
