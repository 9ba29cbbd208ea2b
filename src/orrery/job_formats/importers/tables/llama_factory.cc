// SPDX-License-Identifier: Apache-2.0
//
// Reads LLaMA-Factory's YAML (hiyouga/LLaMA-Factory, src/llamafactory/hparams: names and
// defaults; the rest are transformers' TrainingArguments).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/tables/fine_tuning.h"

namespace orrery::workload {
namespace llama_factory {
namespace {

using config::Json;

constexpr KeyWord kFlash[] = {{"auto", "true"}, {"fa2", "true"},       {"fa3", "true"},
                              {"sdpa", "true"}, {"disabled", "false"}, {kOtherWords, ""}};

constexpr KeyRow kRows[] = {
    {"bf16", KeyUse::read, "precision"},
    {"cutoff_len", KeyUse::sets, "batch.seq"},
    {"deepspeed", KeyUse::read, "DeepSpeed's file, from the job's folder upwards"},
    {"disable_gradient_checkpointing", KeyUse::read, "recompute.kind: full unless this is true"},
    {"finetuning_type", KeyUse::read, "full or lora; others are refused"},
    {"flash_attn", KeyUse::sets, "kernels.flash_attention", kFlash},
    {"fp16", KeyUse::read, "precision"},
    {"fp8", KeyUse::not_modeled},
    {"fsdp", KeyUse::not_modeled},
    {"gradient_accumulation_steps", KeyUse::sets, kAccumulated},
    {"gradient_checkpointing"},
    {"lora_rank", KeyUse::read, "lora.rank"},
    {"lora_target", KeyUse::read, "lora.targets"},
    {"model_name_or_path", KeyUse::read, "the model, by its name or its folder"},
    {"neat_packing"},
    {"optim", KeyUse::sets, "optimizer.kind", kOptimizerNames},
    {"per_device_train_batch_size", KeyUse::sets, "batch.micro"},
    {"pure_bf16", KeyUse::read, "precision, without fp32 weights"},
    {"quantization_bit", KeyUse::not_modeled},
    {"stage", KeyUse::read, "pt and sft; others are refused"},
    {"use_badam", KeyUse::not_modeled},
    {"use_dora", KeyUse::not_modeled},
    {"use_galore", KeyUse::not_modeled},
    {"use_unsloth", KeyUse::not_modeled},
};

constexpr std::string_view kIgnored[] = {"adam_",
                                         "adapter_name",
                                         "cache_dir",
                                         "compute_accuracy",
                                         "create_new",
                                         "data",
                                         "ddp_",
                                         "do_",
                                         "enable_thinking",
                                         "eval",
                                         "export",
                                         "hf_hub",
                                         "ignore",
                                         "image_",
                                         "include_",
                                         "infer_",
                                         "init_special",
                                         "learning_rate",
                                         "load_best",
                                         "log",
                                         "lora_alpha",
                                         "lora_dropout",
                                         "loraplus",
                                         "lr_",
                                         "mask_history",
                                         "max_grad",
                                         "max_new",
                                         "max_samples",
                                         "max_steps",
                                         "media_dir",
                                         "metric_for",
                                         "mix_strategy",
                                         "ms_hub",
                                         "num_train",
                                         "om_hub",
                                         "output_dir",
                                         "overwrite",
                                         "packing",
                                         "per_device_eval",
                                         "pissa",
                                         "plot_loss",
                                         "predict",
                                         "preprocessing",
                                         "print_param",
                                         "push_to",
                                         "ray_",
                                         "report_to",
                                         "resume",
                                         "rope_scaling",
                                         "save",
                                         "seed",
                                         "streaming",
                                         "swanlab",
                                         "template",
                                         "tf32",
                                         "tokenized",
                                         "tool_format",
                                         "train_on_prompt",
                                         "trust_remote",
                                         "upcast",
                                         "use_fast",
                                         "use_rslora",
                                         "use_swanlab",
                                         "val_size",
                                         "video_",
                                         "warmup",
                                         "weight_decay"};
constexpr KnownKeys kKeys{kRows, kIgnored};

Result<void> refuse_others(const Json& file, const std::string& where) {
  const std::string stage = text_at(file, "stage", "sft");
  const std::string tuning = text_at(file, "finetuning_type", "lora");
  if (stage != "sft" && stage != "pt")
    return fail(
        Errc::input_unsupported, where + ":/stage",
        fmt::format("is {}, which trains with a second model or a reward", in_quotes(stage)),
        "sft and pt are read; give the policy's step as a job of its own");
  if (tuning != "lora" && tuning != "full")
    return fail(Errc::input_unsupported, where + ":/finetuning_type",
                fmt::format("is {}, which is not supported", in_quotes(tuning)),
                "use full or lora");
  return {};
}

Result<void> add_lora(const Json& file, const std::string& where, Spec& made, Findings& findings) {
  if (text_at(file, "finetuning_type", "lora") != "lora") return {};
  Adapters adapters{whole_at(file, "lora_rank", 8), "all-linear"};
  const std::string target = text_at(file, "lora_target", "all");
  if (target != "all") {
    adapters.modules = Json::array();
    for (std::size_t begin = 0; begin < target.size();) {
      const std::size_t end = std::min(target.find(',', begin), target.size());
      adapters.modules.push_back(target.substr(begin, end - begin));
      begin = target.find_first_not_of(" ,", end);
    }
  }
  return add_adapters(made, adapters, where + ":/lora_target", findings);
}

void settle(const Json& file, Spec& made) {
  const bool half = flag_at(file, "fp16");
  made.precision.weights = made.precision.activations = half ? Dtype::fp16 : Dtype::bf16;
  if (flag_at(file, "pure_bf16")) {
    made.precision.master_weights = false;
    made.precision.gradients = made.precision.reduce = made.precision.optimizer = Dtype::bf16;
  }
  const bool stored = flag_at(file, "disable_gradient_checkpointing");
  made.recompute.kind = stored ? RecomputeKind::none : RecomputeKind::full;
  made.kernels.framework =
      made.parallel.sharding == Sharding::none ? Framework::pytorch : Framework::deepspeed;
}

Result<void> import_llama_factory(Spec& spec, const Json& file, const std::string& where,
                                  Findings& findings) {
  if (auto fine = refuse_others(file, where); !fine) return fine;
  Spec made = spec;
  if (auto read = read_fine_tuning(made, file, "model_name_or_path", kKeys, where, findings); !read)
    return read;
  settle(file, made);
  if (auto done = add_lora(file, where, made, findings); !done) return done;
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace llama_factory

const Importer kLlamaFactoryImporter{
    .name = "llama_factory",
    .tool = "LLaMA-Factory",
    .files = "the YAML of a training, and DeepSpeed's file that it names",
    .reads = "model by name, adapters, batch, recomputation",
    .refuses = "stages with a second model or a reward; other tunings",
    .is_document =
        [](const config::Json& document) {
          return document.contains("model_name_or_path") &&
                 has_any(document, {"finetuning_type", "stage", "cutoff_len"});
        },
    .import_document = llama_factory::import_llama_factory};
constinit const ImporterTable kLlamaFactoryTable{&kLlamaFactoryImporter, llama_factory::kKeys};

}  // namespace orrery::workload
