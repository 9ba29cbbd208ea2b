// SPDX-License-Identifier: Apache-2.0
//
// Reads the configuration of Hugging Face accelerate (src/accelerate/commands/config: names;
// utils/dataclasses.py: defaults). It has a plan, but no model.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/job_formats/importers/tables/fine_tuning.h"

namespace orrery::workload {
namespace accelerate {
namespace {

using config::Json;

constexpr KeyWord kMixed[] = {
    {"bf16", "bf16"}, {"fp16", "fp16"}, {"no", "fp32"}, {kOtherWords, ""}};
constexpr KeyWord kZero[] = {{"0", "none"}, {"1", "zero1"}, {"2", "zero2"}, {"3", "zero3"}};
constexpr KeyWord kFullIf[] = {{"true", "full"}, {"false", "none"}};
constexpr KeyWord kKept[] = {{"true", "false"}, {"false", "true"}};

constexpr KeyRow kRows[] = {
    {"deepspeed_config.deepspeed_config_file", KeyUse::read, "DeepSpeed's file"},
    {"deepspeed_config.gradient_accumulation_steps", KeyUse::sets, kAccumulated},
    {"deepspeed_config.offload_optimizer_device", KeyUse::read, "offload.optimizer"},
    {"deepspeed_config.offload_param_device", KeyUse::read, "offload.weights"},
    {"deepspeed_config.zero_stage", KeyUse::sets, "parallel.sharding", kZero},
    {"deepspeed_config.*"},
    {"distributed_type", KeyUse::read, "parallel.sharding, kernels.framework"},
    {"fsdp_config.fsdp_activation_checkpointing", KeyUse::sets, "recompute.kind", kFullIf},
    {"fsdp_config.fsdp_offload_params", KeyUse::sets, "offload.weights offload.optimizer"},
    {"fsdp_config.fsdp_reshard_after_forward", KeyUse::read,
     "parallel.keep_gathered, or a strategy"},
    {"fsdp_config.fsdp_sharding_strategy", KeyUse::sets, "parallel.sharding", kFsdpStrategies},
    {"fsdp_config.*"},
    {"gradient_accumulation_steps", KeyUse::sets, kAccumulated},
    {"megatron_lm_config.megatron_lm_pp_degree", KeyUse::sets, "parallel.pp"},
    {"megatron_lm_config.megatron_lm_recompute_activations", KeyUse::read,
     "recompute.kind selective"},
    {"megatron_lm_config.megatron_lm_sequence_parallelism", KeyUse::read, "parallel.sp"},
    {"megatron_lm_config.megatron_lm_tp_degree", KeyUse::sets, "parallel.tp"},
    {"megatron_lm_config.megatron_lm_use_distributed_optimizer", KeyUse::read, "parallel.sharding"},
    {"megatron_lm_config.*"},
    {"mixed_precision", KeyUse::sets, "precision.weights precision.activations", kMixed},
    {"num_machines"},
    {"num_processes", KeyUse::sets, kWorld},
    {"parallelism_config.parallelism_config_cp_size", KeyUse::sets, "parallel.cp"},
    {"parallelism_config.parallelism_config_dp_replicate_size", KeyUse::read, "copies"},
    {"parallelism_config.parallelism_config_dp_shard_size", KeyUse::read, "parallel.shard_size"},
    {"parallelism_config.parallelism_config_tp_size", KeyUse::sets, "parallel.tp"},
    {"parallelism_config.*"},
    {"use_parallelism_config"},
};

constexpr std::string_view kIgnored[] = {
    "command_file",  "commands", "compute_environment", "debug",
    "downcast_bf16", "dynamo_",  "enable_cpu_affinity", "fp8_config",
    "gpu_ids",       "ipex_",    "machine_rank",        "main_",
    "mpirun_",       "rdzv_",    "same_network",        "tpu_",
    "use_cpu"};
constexpr KnownKeys kKeys{kRows, kIgnored};

/// FSDP2's key is a flag, FSDP1's a strategy.
void read_fsdp(const Json& flat, Spec& made) {
  made.parallel.sharding = made.parallel.sharding == Sharding::none &&
                                   !flat.contains("fsdp_config.fsdp_sharding_strategy")
                               ? Sharding::zero3
                               : made.parallel.sharding;
  const auto reshard = flat.find("fsdp_config.fsdp_reshard_after_forward");
  if (reshard == flat.end()) return;
  if (*reshard == false) made.parallel.keep_gathered = true;
  if (*reshard == "SHARD_GRAD_OP") made.parallel.sharding = Sharding::zero2;
  if (*reshard == "NO_SHARD") made.parallel.sharding = Sharding::none;
}

void read_megatron(const Json& flat, Spec& made) {
  const std::string begin = "megatron_lm_config.megatron_lm_";
  made.parallel.sp = flag_at(flat, begin + "sequence_parallelism") && made.parallel.tp > 1;
  if (flag_at(flat, begin + "use_distributed_optimizer")) made.parallel.sharding = Sharding::zero1;
  if (flag_at(flat, begin + "recompute_activations"))
    made.recompute.kind = RecomputeKind::selective;
}

void settle(const Json& flat, Spec& made) {
  const std::string type = text_at(flat, "distributed_type");
  made.kernels.framework = type == "DEEPSPEED"     ? Framework::deepspeed
                           : type == "MEGATRON_LM" ? Framework::megatron
                                                   : Framework::pytorch;
  if (type == "FSDP") read_fsdp(flat, made);
  if (type == "MEGATRON_LM") read_megatron(flat, made);
  const auto offloaded = [&](const char* key) {
    const std::string device = text_at(flat, key, "none");
    return device != "none";
  };
  if (offloaded("deepspeed_config.offload_optimizer_device")) made.offload.optimizer = true;
  if (offloaded("deepspeed_config.offload_param_device")) made.offload.weights = true;
  const std::string begin = "parallelism_config.parallelism_config_";
  if (whole_at(flat, begin + "dp_replicate_size", 1) > 1)
    made.parallel.shard_size = whole_at(flat, begin + "dp_shard_size", 0);
}

Result<void> import_accelerate(Spec& spec, const Json& file, const std::string& where,
                               Findings& findings) {
  Spec made = spec;
  const Json flat = flat_paths(file);
  const auto inner = flat.find("deepspeed_config.deepspeed_config_file");
  if (inner != flat.end())
    if (auto read =
            read_deepspeed_file(made, *inner, where + ":/deepspeed_config", where, findings);
        !read)
      return read;
  const auto world = apply_keys(kKeys, flat, where, made, findings);
  if (!world) return tl::unexpected(world.error());
  settle(flat, made);
  set_world_size(made, *world, where, findings);
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace accelerate

const Importer kAccelerateImporter{
    .name = "accelerate",
    .tool = "Hugging Face accelerate",
    .files = "its YAML",
    .reads = "FSDP's, DeepSpeed's or Megatron's plan, precision; not the model",
    .is_document =
        [](const config::Json& document) {
          return document.contains("distributed_type") &&
                 has_any(document, {"compute_environment", "num_processes", "fsdp_config",
                                    "deepspeed_config", "mixed_precision"});
        },
    .import_document = accelerate::import_accelerate};
constinit const ImporterTable kAccelerateTable{&kAccelerateImporter, accelerate::kKeys};

}  // namespace orrery::workload
