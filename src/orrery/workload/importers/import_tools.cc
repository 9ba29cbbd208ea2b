// SPDX-License-Identifier: Apache-2.0
//
// DeepSpeed, Calculon, vTrain and SimAI.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/units.h"
#include "orrery/workload/importers/import_internal.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;
using config::Named;

namespace {

constexpr std::array kSharding = {
    Named<Sharding>{"0", Sharding::none}, Named<Sharding>{"1", Sharding::zero1},
    Named<Sharding>{"2", Sharding::zero2}, Named<Sharding>{"3", Sharding::zero3}};

/// DeepSpeed writes "auto" where another program decides.
Json without_auto(Json file) {
  for (auto it = file.begin(); it != file.end();) {
    if (it->is_object()) *it = without_auto(std::move(*it));
    it = it->is_string() && it->get_ref<const std::string&>() == "auto" ? file.erase(it) : ++it;
  }
  return file;
}

/// zero_optimization (DeepSpeed's documentation of its configuration JSON).
Result<void> read_zero(Spec& spec, const Json& file, const std::string& where, Findings& findings) {
  const auto section = file.find("zero_optimization");
  if (section == file.end() || !section->is_object()) return {};
  KeyReader keys(*section, where + ":/zero_optimization");
  const std::int64_t stage = whole(keys, "stage", 0);
  if (stage > 3)
    return fail(Errc::config_range, keys.place("stage"),
                fmt::format("there is no stage {}", stage));
  spec.parallel.sharding = kSharding[static_cast<std::size_t>(stage)].value;
  spec.parallel.shard_size = whole(keys, "zero_hpz_partition_size", 0);
  if (spec.parallel.shard_size == 1) spec.parallel.shard_size = 0;
  const std::int64_t elements = whole(keys, {"reduce_bucket_size"}, 500'000'000);
  spec.parallel.bucket = Bytes(
      static_cast<std::int64_t>(static_cast<double>(elements) * bytes_of(spec.precision.reduce)));
  // The default is stage 3's (deepspeed/runtime/zero/config.py).
  spec.parallel.overlap_gradients =
      keys.has("overlap_comm") ? keys.flag("overlap_comm") : stage == 3;
  pass_over(keys, {"contiguous_gradients", "allgather_partitions", "reduce_scatter",
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

}  // namespace

Result<void> import_deepspeed(Spec& spec, const Json& original, const std::string& where,
                              Findings& findings) {
  const Json file = without_auto(original);
  KeyReader keys(file, where);
  if (enabled(file, "fp16")) spec.precision.weights = spec.precision.activations = Dtype::fp16;
  if (enabled(file, "bf16")) spec.precision.weights = spec.precision.activations = Dtype::bf16;
  // Gradients travel in the type of the weights unless communication_data_type says otherwise.
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
      return fail(Errc::config_conflict, keys.place("train_batch_size"),
                  "is no multiple of train_micro_batch_size_per_gpu x gradient_accumulation_steps");
    spec.parallel.dp = spec.batch.global / step;
  } else if (spec.batch.global == 0 && steps != 0) {
    spec.batch.global =
        product({spec.batch.micro, steps, std::max<std::int64_t>(spec.parallel.dp, 1)});
  }
  if (keys.has("activation_checkpointing")) spec.recompute.kind = RecomputeKind::full;
  pass_over(keys, {"fp16", "bf16", "zero_optimization", "gradient_clipping", "optimizer",
                   "scheduler", "steps_per_print", "wall_clock_breakdown", "prescale_gradients",
                   "zero_allow_untested_optimizer", "data_types", "tensorboard", "dump_state"});
  return finish(keys, findings);
}

Result<void> import_calculon_model(Spec& spec, const Json& file, const std::string& where,
                                   Findings& findings) {
  KeyReader keys(file, where);
  Model model;
  model.name = "calculon model";
  model.hidden = whole(keys, "hidden", 1024);
  model.ffn = whole(keys, "feedforward", 0);
  model.heads = whole(keys, "attn_heads", 16);
  model.head_dim = whole(keys, "attn_size", 0);
  model.layers = whole(keys, "num_blocks", 1);
  model.dropout = true;  // its layers have dropout, always
  spec.batch.seq = whole(keys, "seq_size", spec.batch.seq);
  spec.kernels.flash_attention = false;
  if (auto fine = finish(keys, findings); !fine) return fine;
  model.vocab = 51200;  // its models end at the last block; Megatron's table stands in
  findings.add(FindingCode::default_assumed, where + ": vocab = 51200");
  spec.model = std::move(model);
  return {};
}

Result<void> import_calculon_run(Spec& spec, const Json& file, const std::string& where,
                                 Findings& findings) {
  constexpr std::array kRecompute = {Named<RecomputeKind>{"none", RecomputeKind::none},
                                     Named<RecomputeKind>{"attn_only", RecomputeKind::selective},
                                     Named<RecomputeKind>{"full", RecomputeKind::full}};
  constexpr std::array kTypes = {
      Named<Dtype>{"float32", Dtype::fp32}, Named<Dtype>{"float16", Dtype::fp16},
      Named<Dtype>{"bfloat16", Dtype::bf16}, Named<Dtype>{"float8", Dtype::fp8}};
  KeyReader keys(file, where);
  spec.parallel.tp = whole(keys, "tensor_par", 1);
  spec.parallel.pp = whole(keys, "pipeline_par", 1);
  spec.parallel.dp = whole(keys, "data_par", 1);
  spec.batch.global = whole(keys, "batch_size", 0);
  spec.batch.micro = whole(keys, "microbatch_size", 1);
  spec.schedule.chunks = std::max<std::int64_t>(whole(keys, "pipeline_interleaving", 1), 1);
  if (spec.schedule.chunks > 1) spec.schedule.kind = ScheduleKind::interleaved;
  spec.parallel.sharding = keys.flag("optimizer_sharding") ? Sharding::zero1 : Sharding::none;
  spec.parallel.overlap_gradients = keys.flag("data_par_overlap");
  spec.parallel.sp = spec.parallel.tp > 1 && keys.text("tensor_par_comm_type", "ar") != "ar";
  spec.kernels.fused = keys.flag("fused_activation");
  spec.recompute.kind =
      keys.choice<RecomputeKind>("activation_recompute", RecomputeKind::none, kRecompute);
  const Dtype type = keys.choice<Dtype>("datatype", Dtype::fp16, kTypes);
  spec.precision.weights = spec.precision.activations = spec.precision.reduce = type;
  if (keys.text("attention_type", "multihead") == "multiquery") spec.model.kv_heads = 1;
  for (const char* const offload : {"weight_offload", "activations_offload", "optimizer_offload"}) {
    if (keys.flag(offload)) findings.add(FindingCode::key_without_effect, keys.place(offload));
  }
  pass_over(keys, {"num_procs", "tensor_par_net", "pipeline_par_net", "data_par_net", "training"});
  note_others(keys, file, {{"tensor_par_overlap", "none"}, {"seq_par_ag_redo", true}}, findings);
  return finish(keys, findings);
}

Result<void> import_vtrain(Spec& spec, const Json& file, const std::string& where,
                           Findings& findings) {
  constexpr std::array kSchedules = {Named<ScheduleKind>{"1f1b", ScheduleKind::one_f_one_b},
                                     Named<ScheduleKind>{"gpipe", ScheduleKind::gpipe}};
  KeyReader keys(file, where);
  Model model;
  model.name = "vTrain model";
  model.layers = whole(keys, "num_layers", 1);
  model.hidden = whole(keys, "hidden_size", 1024);
  model.heads = whole(keys, "num_attention_heads", 16);
  model.vocab = whole(keys, "vocab_size", 51200);
  if (!keys.has("vocab_size"))
    findings.add(FindingCode::default_assumed, where + ": vocab = 51200");
  spec.batch.seq = whole(keys, "max_length", spec.batch.seq);
  spec.parallel.tp = whole(keys, "tensor_parallel_size", 1);
  spec.parallel.dp = whole(keys, "data_parallel_size", 1);
  spec.parallel.pp = whole(keys, "pipeline_parallel_size", 1);
  spec.batch.global = whole(keys, "global_batch_size", 0);
  spec.batch.micro = whole(keys, "micro_batch_size", 1);
  spec.parallel.overlap_gradients = keys.flag("use_gradient_bucket");
  if (keys.flag("use_checkpoint")) spec.recompute.kind = RecomputeKind::full;
  spec.schedule.kind =
      keys.choice<ScheduleKind>("pipeline_scheduling", ScheduleKind::one_f_one_b, kSchedules);
  spec.precision.weights = spec.precision.activations = Dtype::fp16;
  // Facts of the cluster and of its profiles.
  pass_over(keys, {"gpu_name", "inter_node_bandwidth", "intra_node_bandwidth", "node_size",
                   "trace_path", "model_arch", "num_gpus"});
  const std::int64_t world =
      product({spec.parallel.tp, spec.parallel.cp, spec.parallel.dp, spec.parallel.pp});
  const std::int64_t gpus = whole(keys, "num_gpus", world);
  if (auto fine = finish(keys, findings); !fine) return fine;
  spec.model = std::move(model);
  // Its files may count a copy of the cluster (3,360 for 16 x 2 x 105); the plan decides.
  if (gpus != world) findings.add(FindingCode::key_without_effect, where + ":/num_gpus");
  return {};
}

Result<void> import_simai(Spec& spec, std::string_view text, const std::string& where,
                          Findings& findings) {
  // First line: a word, then "name: value" pairs (aliyun/aicb, the header of its SimAI files).
  std::string_view head = text.substr(0, text.find('\n'));
  Json file = Json::object();
  std::string key;
  while (!head.empty()) {
    const std::size_t begin = head.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(head.find_first_of(" \t\r", begin), head.size());
    const std::string_view word = head.substr(begin, end - begin);
    head.remove_prefix(end);
    if (word.back() == ':') {
      key = word.substr(0, word.size() - 1);
    } else if (!key.empty()) {
      const auto value = parse_integer(word, where + ":1: " + key);
      if (!value) return tl::unexpected(value.error());
      file[std::exchange(key, "")] = *value;
    }
  }
  KeyReader keys(file, where);
  spec.parallel.tp = whole(keys, "model_parallel_NPU_group", 1);
  spec.parallel.ep = whole(keys, "ep", 1);
  spec.parallel.pp = whole(keys, "pp", 1);
  const std::int64_t steps = whole(keys, "ga", 1);
  const std::int64_t world = whole(keys, "all_gpus", 0);
  pass_over(keys, {"vpp", "checkpoints", "checkpoint_initiates", "pp_comm"});
  if (auto fine = finish(keys, findings); !fine) return fine;
  set_world(spec, world, where, findings);
  spec.batch.global = product({std::max<std::int64_t>(steps, 1), spec.batch.micro,
                               std::max<std::int64_t>(spec.parallel.dp, 1)});
  return {};
}

}  // namespace orrery::workload
