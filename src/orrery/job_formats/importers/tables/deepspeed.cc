// SPDX-License-Identifier: Apache-2.0
//
// Reads DeepSpeed's ds_config.json (its documentation, "DeepSpeed Configuration JSON").
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {

namespace deepspeed {
namespace {

using config::Json;
using config::KeyReader;
using config::Named;

constexpr KeyRow kRows[] = {
    {"activation_checkpointing", KeyUse::read, "recompute.kind: full, if the section is there"},
    {"bf16", KeyUse::read, "precision.weights, precision.activations, if it is enabled"},
    {"communication_data_type", KeyUse::read, "precision.reduce: fp32, else that of the weights"},
    {"data_types"},
    {"dump_state"},
    {"fp16", KeyUse::read, "precision.weights, precision.activations, if it is enabled"},
    {"gradient_accumulation_steps", KeyUse::read, kAccumulated},
    {"gradient_clipping"},
    {"optimizer"},
    {"prescale_gradients"},
    {"scheduler"},
    {"steps_per_print"},
    {"tensor_parallel.autotp_size", KeyUse::read, "parallel.tp, unless it is 0"},
    {"tensorboard"},
    {"train_batch_size", KeyUse::sets, "batch.global"},
    {"train_micro_batch_size_per_gpu", KeyUse::sets, "batch.micro"},
    {"wall_clock_breakdown"},
    {"zero_allow_untested_optimizer"},
    {"zero_optimization.allgather_bucket_size"},
    {"zero_optimization.allgather_partitions"},
    {"zero_optimization.contiguous_gradients"},
    {"zero_optimization.cpu_offload", KeyUse::read, "offload.optimizer"},
    {"zero_optimization.offload_optimizer", KeyUse::read, "offload.optimizer; NVMe as the host's"},
    {"zero_optimization.offload_param", KeyUse::read, "offload.weights; NVMe as the host's"},
    {"zero_optimization.overlap_comm", KeyUse::read, "parallel.overlap_gradients; on in stage 3"},
    {"zero_optimization.reduce_bucket_size", KeyUse::read, "parallel.bucket"},
    {"zero_optimization.reduce_scatter"},
    {"zero_optimization.round_robin_gradients"},
    {"zero_optimization.stage", KeyUse::read, "parallel.sharding"},
    {"zero_optimization.stage3_gather_16bit_weights_on_model_save"},
    {"zero_optimization.stage3_max_live_parameters"},
    {"zero_optimization.stage3_max_reuse_distance"},
    {"zero_optimization.stage3_param_persistence_threshold"},
    {"zero_optimization.stage3_prefetch_bucket_size"},
    {"zero_optimization.sub_group_size"},
    {"zero_optimization.zero_hpz_partition_size", KeyUse::read, "parallel.shard_size"},
};

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
  if (auto done = apply_other_keys({kRows}, keys, *section, "zero_optimization", spec, findings);
      !done)
    return tl::unexpected(done.error());
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
  for (const char* const key : {"fp16", "bf16", "zero_optimization", "tensor_parallel"})
    static_cast<void>(keys.has(key));  // sections
  spec.batch.global = 0;
  if (auto done = apply_other_keys({kRows}, keys, file, "", spec, findings); !done)
    return tl::unexpected(done.error());
  if (enabled(file, "fp16")) spec.precision.weights = spec.precision.activations = Dtype::fp16;
  if (enabled(file, "bf16")) spec.precision.weights = spec.precision.activations = Dtype::bf16;
  // Gradients are sent in the type of the weights unless communication_data_type is given.
  spec.precision.reduce = spec.precision.weights;
  const std::string reduce = keys.text("communication_data_type", "");
  if (reduce == "fp32") spec.precision.reduce = Dtype::fp32;
  if (auto fine = read_zero(spec, file, where, findings); !fine) return fine;
  const std::int64_t steps = whole(keys, "gradient_accumulation_steps", 0);
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
  }
  if (keys.has("activation_checkpointing")) spec.recompute.kind = RecomputeKind::full;
  return finish(keys, findings);
}

}  // namespace
}  // namespace deepspeed

const Importer kDeepspeedImporter{
    .name = "deepspeed",
    .tool = "DeepSpeed",
    .files = "`ds_config.json`",
    .reads = "ZeRO stage, offloaded state, tensor parallelism, buckets, batch, precision",
    .refuses = "stages above 3",
    .is_document =
        [](const config::Json& document) {
          return has_any(document, {"zero_optimization", "train_micro_batch_size_per_gpu",
                                    "train_batch_size"});
        },
    .import_document = deepspeed::import_deepspeed};
constinit const ImporterTable kDeepspeedTable{&kDeepspeedImporter, {deepspeed::kRows}};

}  // namespace orrery::workload
