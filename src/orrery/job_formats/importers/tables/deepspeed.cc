// SPDX-License-Identifier: Apache-2.0
//
// DeepSpeed (ds_config.json).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/job_formats/importers/importer_internal.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;
using config::Named;

namespace {

constexpr std::array kSharding = {
    Named<Sharding>{"0", Sharding::none}, Named<Sharding>{"1", Sharding::zero1},
    Named<Sharding>{"2", Sharding::zero2}, Named<Sharding>{"3", Sharding::zero3}};

/// DeepSpeed accepts "auto" for values that another program sets.
Json without_auto(Json file) {
  for (auto it = file.begin(); it != file.end();) {
    if (it->is_object()) *it = without_auto(std::move(*it));
    it = it->is_string() && it->get_ref<const std::string&>() == "auto" ? file.erase(it) : ++it;
  }
  return file;
}

/// Offloaded state leaves the device: to the host's memory, and from NVMe it is modeled as if it
/// were there. DeepSpeed's optimizer then runs on the host, here on the device.
void read_offload(KeyReader& keys, const Json& section, const char* what, bool& offloaded,
                  Findings& findings) {
  const auto found = section.find(what);
  if (!keys.has(what) || !found->is_object()) return;
  const Json device = found->value("device", Json("none"));
  offloaded = device != "none";
  if (offloaded && device != "cpu")
    findings.add(FindingCode::key_without_effect,
                 keys.place(what) + "/device: modeled as the host's memory");
}

/// zero_optimization (DeepSpeed's documentation of its configuration JSON).
Result<void> read_zero(Spec& spec, const Json& file, const std::string& where, Findings& findings) {
  const auto section = file.find("zero_optimization");
  if (section == file.end() || !section->is_object()) return {};
  KeyReader keys(*section, where + ":/zero_optimization");
  const std::int64_t stage = whole(keys, "stage", 0);
  if (stage > 3)
    return fail(Errc::config_range, keys.place("stage"),
                fmt::format("is {}, but must be from 0 to 3", stage));
  spec.parallel.sharding = kSharding[static_cast<std::size_t>(stage)].value;
  spec.parallel.shard_size = whole(keys, "zero_hpz_partition_size", 0);
  if (spec.parallel.shard_size == 1) spec.parallel.shard_size = 0;
  const std::int64_t elements = whole(keys, {"reduce_bucket_size"}, 500'000'000);
  spec.parallel.bucket = Bytes(
      static_cast<std::int64_t>(static_cast<double>(elements) * bytes_of(spec.precision.reduce)));
  // The default is stage 3's (deepspeed/runtime/zero/config.py).
  spec.parallel.overlap_gradients =
      keys.has("overlap_comm") ? keys.flag("overlap_comm") : stage == 3;
  if (keys.has("cpu_offload") && keys.flag("cpu_offload"))
    spec.offload.optimizer = true;  // before 2021
  read_offload(keys, *section, "offload_optimizer", spec.offload.optimizer, findings);
  read_offload(keys, *section, "offload_param", spec.offload.weights, findings);
  ignore_keys(keys, {"contiguous_gradients", "allgather_partitions", "reduce_scatter",
                     "allgather_bucket_size", "sub_group_size", "round_robin_gradients",
                     "stage3_gather_16bit_weights_on_model_save", "stage3_max_live_parameters",
                     "stage3_max_reuse_distance", "stage3_prefetch_bucket_size",
                     "stage3_param_persistence_threshold"});
  return finish(keys, findings);
}

bool enabled(const Json& file, const char* section) {
  const auto found = file.find(section);
  return found != file.end() && found->is_object() && found->value("enabled", Json(false)) == true;
}

Result<void> import_deepspeed(Spec& spec, const Json& original, const std::string& where,
                              Findings& findings) {
  const Json file = without_auto(original);
  KeyReader keys(file, where);
  if (enabled(file, "fp16")) spec.precision.weights = spec.precision.activations = Dtype::fp16;
  if (enabled(file, "bf16")) spec.precision.weights = spec.precision.activations = Dtype::bf16;
  // Gradients are sent in the type of the weights unless communication_data_type is given.
  spec.precision.reduce = spec.precision.weights;
  const std::string reduce = keys.text("communication_data_type", "");
  if (reduce == "fp32") spec.precision.reduce = Dtype::fp32;
  if (auto fine = read_zero(spec, file, where, findings); !fine) return fine;
  spec.batch.micro = whole(keys, "train_micro_batch_size_per_gpu", spec.batch.micro);
  const std::int64_t steps = whole(keys, "gradient_accumulation_steps", 0);
  spec.batch.global = whole(keys, "train_batch_size", 0);
  if (spec.batch.global != 0 && steps != 0) {
    const std::int64_t step = product({spec.batch.micro, steps});
    if (step == 0 || spec.batch.global % step != 0)
      return fail(
          Errc::config_conflict, keys.place("train_batch_size"),
          "is not a multiple of train_micro_batch_size_per_gpu x gradient_accumulation_steps");
    spec.parallel.dp = spec.batch.global / step;
  }
  spec.batch.accumulated = spec.batch.global == 0 ? steps : 0;
  if (const auto split = file.find("tensor_parallel"); split != file.end() && split->is_object()) {
    KeyReader inner(*split, where + ":/tensor_parallel");
    const std::int64_t degree = whole(inner, "autotp_size", 0);
    if (degree > 0) spec.parallel.tp = degree;
    if (auto fine = finish(inner, findings); !fine) return fine;
    static_cast<void>(keys.has("tensor_parallel"));
  }
  if (keys.has("activation_checkpointing")) spec.recompute.kind = RecomputeKind::full;
  ignore_keys(keys, {"fp16", "bf16", "zero_optimization", "gradient_clipping", "optimizer",
                     "scheduler", "steps_per_print", "wall_clock_breakdown", "prescale_gradients",
                     "zero_allow_untested_optimizer", "data_types", "tensorboard", "dump_state"});
  return finish(keys, findings);
}

}  // namespace

const Importer kDeepspeedImporter{
    .name = "deepspeed",
    .tool = "DeepSpeed",
    .files = "`ds_config.json`",
    .reads = "ZeRO stage, offloaded state, tensor parallelism, buckets, batch, precision",
    .refuses = "stages above 3",
    .is_document =
        [](const Json& document) {
          return has_any(document, {"zero_optimization", "train_micro_batch_size_per_gpu",
                                    "train_batch_size"});
        },
    .import_document = import_deepspeed};

}  // namespace orrery::workload
