// SPDX-License-Identifier: Apache-2.0
//
// Reads the plan from Megatron-LM's arguments (megatron/training/arguments.py: names and defaults),
// also in NeMo's spelling.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "orrery/job_formats/importers/megatron/megatron.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;
using config::Named;

namespace {

/// Values of --data-parallel-sharding-strategy.
constexpr std::array kStrategies = {Named<Sharding>{"no_shard", Sharding::none},
                                    Named<Sharding>{"optim", Sharding::zero1},
                                    Named<Sharding>{"optim_grads", Sharding::zero2},
                                    Named<Sharding>{"optim_grads_params", Sharding::zero3}};

void read_sharding(KeyReader& keys, Parallel& plan) {
  const bool fsdp = keys.flag("use_custom_fsdp") || keys.flag("use_megatron_fsdp");
  const bool torch = keys.flag("use_torch_fsdp2");
  const Sharding strategy =
      keys.choice<Sharding>("data_parallel_sharding_strategy", Sharding::zero3, kStrategies);
  const bool distributed = keys.flag("use_distributed_optimizer") ||
                           keys.text("optimizer", "adam") == "distributed_fused_adam";
  // Megatron-DeepSpeed states ZeRO's stage.
  constexpr std::array kStages = {Sharding::none, Sharding::zero1, Sharding::zero2,
                                  Sharding::zero3};
  if (const std::int64_t stage = whole(keys, "zero_stage", -1);
      stage >= 0 && stage < static_cast<std::int64_t>(kStages.size()))
    plan.sharding = kStages[static_cast<std::size_t>(stage)];
  if (torch || fsdp || distributed)
    plan.sharding = torch ? Sharding::zero3 : fsdp ? strategy : Sharding::zero1;
}

/// Megatron-Core's `flex` token dispatcher uses DeepEP's kernels, unless another backend is given.
/// Without any of its keys the dispatcher stays open.
void read_dispatcher(KeyReader& keys, Parallel& plan, Findings& findings) {
  const bool stated = keys.has("moe_token_dispatcher_type");
  const bool flex = keys.text("moe_token_dispatcher_type", "alltoall") == "flex";
  const std::string backend = keys.text("moe_flex_dispatcher_backend", "deepep");
  const bool enabled = keys.flag("moe_enable_deepep");
  if (enabled || (flex && backend == "deepep")) {
    plan.dispatcher = Dispatcher::deepep;
  } else if (flex && backend == "hybridep") {
    plan.dispatcher = Dispatcher::hybridep;
  } else if (stated) {
    plan.dispatcher = Dispatcher::all_to_all;
  }
  if (flex && backend != "deepep" && backend != "hybridep")
    findings.add(FindingCode::key_without_effect, keys.place("moe_flex_dispatcher_backend"));
}

void read_parallel(KeyReader& keys, Spec& spec, Findings& findings) {
  constexpr std::array kMethods = {Named<ContextMethod>{"p2p", ContextMethod::ring},
                                   Named<ContextMethod>{"a2a+p2p", ContextMethod::ring},
                                   Named<ContextMethod>{"all_gather", ContextMethod::all_gather},
                                   Named<ContextMethod>{"allgather", ContextMethod::all_gather},
                                   Named<ContextMethod>{"a2a", ContextMethod::ulysses}};
  Parallel& plan = spec.parallel;
  plan.sp = plan.sp && plan.tp > 1;
  read_dispatcher(keys, plan, findings);
  plan.cp_method = keys.choice<ContextMethod>("cp_comm_type", plan.cp_method, kMethods);
  if (keys.text("cp_comm_type", "") == "a2a+p2p")
    findings.add(FindingCode::key_without_effect, keys.place("cp_comm_type"));
  read_sharding(keys, plan);
}

/// Off by default; before NeMo 2 the key was ub_….
void read_tensor_overlap(KeyReader& keys, Parallel& plan) {
  const bool asked = keys.flag("tp_comm_overlap"), before = keys.flag("ub_tp_comm_overlap");
  if (plan.sp) plan.tp_overlap = asked || before ? TensorOverlap::pipelined : TensorOverlap::none;
}

/// Overlap of data parallelism, with the keys of Megatron and of the first NeMo (…_sync,
/// bucket_cap_mb). Off by default in both.
void read_data_overlap(KeyReader& keys, Spec& spec) {
  Parallel& plan = spec.parallel;
  const bool sync = keys.flag("overlap_grad_sync"), params = keys.flag("overlap_param_sync");
  plan.overlap_gradients = keys.flag("overlap_grad_reduce") || sync;
  plan.overlap_weights = keys.flag("overlap_param_gather") || params;
  const auto width = static_cast<std::int64_t>(bytes_of(spec.precision.reduce));
  if (keys.has("ddp_bucket_size"))
    plan.bucket = Bytes(product({whole(keys, "ddp_bucket_size", 0), width}));
  else if (keys.has("bucket_cap_mb"))
    plan.bucket = Bytes(product({whole(keys, "bucket_cap_mb", 0), std::int64_t{1} << 20}));
}

/// Sets Megatron-Core's default buckets (DistributedDataParallel), which depend on dp.
void settle_buckets(Parallel& plan, const Precision& precision) {
  if (plan.bucket || !*plan.overlap_gradients || plan.sharding == Sharding::zero3 || plan.dp < 1)
    return;
  const std::int64_t ranks = product({plan.dp, plan.cp, 1'000'000});
  const auto width = static_cast<std::int64_t>(bytes_of(precision.reduce));
  plan.bucket = Bytes(product({std::max<std::int64_t>(40'000'000, ranks), width}));
}

/// Reads the numbers of layers of the first and the last stage. The other stages share the
/// remaining layers evenly, and the chunks of a stage share its layers evenly. Megatron:
/// get_num_layers_to_build.
Result<void> read_uneven_stages(KeyReader& keys, Spec& spec) {
  constexpr const char* kFirst = "decoder_first_pipeline_num_layers";
  constexpr const char* kLast = "decoder_last_pipeline_num_layers";
  const std::int64_t first = whole(keys, kFirst, 0), last = whole(keys, kLast, 0);
  const std::int64_t stages = spec.parallel.pp, chunks = spec.schedule.chunks;
  if (first + last == 0 || stages < 2) return {};
  if (stages > spec.model.layers || chunks > spec.model.layers / stages) return {};
  const std::int64_t others = stages - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
  const std::int64_t rest = spec.model.layers - first - last;
  const bool even = rest >= 0 && (others > 0 ? rest % (others * chunks) == 0 : rest == 0) &&
                    first % chunks == 0 && last % chunks == 0;
  if (!even)
    return fail(Errc::config_conflict, keys.place(first > 0 ? kFirst : kLast),
                fmt::format("{} layers cannot be split into {} and {} at the ends and equal parts "
                            "between, on {} stages of {} chunks",
                            spec.model.layers, first, last, stages, chunks));
  std::vector<std::int64_t> each(static_cast<std::size_t>(stages),
                                 others > 0 ? rest / others / chunks : 0);
  if (first > 0) each.front() = first / chunks;
  if (last > 0) each.back() = last / chunks;
  spec.schedule.stage_layers.clear();
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    spec.schedule.stage_layers.insert(spec.schedule.stage_layers.end(), each.begin(), each.end());
  return {};
}

/// Reads the number of chunks, directly or from the number of layers per chunk.
Result<void> read_schedule(KeyReader& keys, Spec& spec) {
  std::int64_t chunks =
      whole(keys, {"virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank"},
            spec.schedule.chunks);
  const std::int64_t layers = whole(keys, "num_layers_per_virtual_pipeline_stage", 0);
  if (layers > 0 && spec.parallel.pp > 0) {
    const std::int64_t parts = product({spec.parallel.pp, layers});
    if (spec.model.layers % parts != 0)
      return fail(Errc::config_conflict, keys.place("num_layers_per_virtual_pipeline_stage"),
                  fmt::format("{} layers cannot be split into parts of {} on {} stages",
                              spec.model.layers, layers, spec.parallel.pp));
    chunks = spec.model.layers / parts;
  }
  spec.schedule.chunks = std::max<std::int64_t>(chunks, 1);
  if (spec.schedule.chunks > 1) spec.schedule.kind = ScheduleKind::interleaved;
  return read_uneven_stages(keys, spec);
}

/// Reads the types of weights, activations, gradients and moments.
void read_precision(KeyReader& keys, const std::string& where, Precision& precision,
                    Findings& findings) {
  const std::string type = keys.text("precision", "");
  const bool half = keys.flag("fp16") || (type.rfind("16", 0) == 0);
  const bool brain = keys.flag("bf16") || (type.rfind("bf16", 0) == 0);
  const bool full = type.rfind("32", 0) == 0;
  // A command line with --micro-batch-size is complete, and then trains in fp32 by default.
  const bool silent = !half && !brain && type.empty() && keys.has("micro_batch_size");
  if (silent)
    findings.add(FindingCode::default_assumed,
                 where + ": fp32, because neither --bf16 nor --fp16 is given");
  if (half) precision.weights = precision.activations = Dtype::fp16;
  if (brain) precision.weights = precision.activations = Dtype::bf16;
  if (full || silent) precision.weights = precision.activations = Dtype::fp32;
  // By default fp16 gradients accumulate in fp16, bf16 gradients in fp32.
  const bool in_fp32 = keys.flag("accumulate_allreduce_grads_in_fp32");
  if (keys.flag("fp16") && !in_fp32) precision.gradients = precision.reduce = Dtype::fp16;
  if (keys.flag("grad_reduce_in_bf16")) precision.gradients = precision.reduce = Dtype::bf16;
  if (keys.text("main_grads_dtype", "fp32") == "bf16") precision.gradients = Dtype::bf16;
  if (keys.text("exp_avg_dtype", "fp32") == "bf16") precision.optimizer = Dtype::bf16;
}

/// Reads the types of fp8 and fp4 training: --fp8-format, --fp8-recipe (default `delayed`),
/// --fp8-param-gather (weights stored and gathered in fp8), --fp4-format. In NeMo's YAML, fp8 may
/// be a flag.
void read_narrow_precision(KeyReader& keys, const Json& file, Precision& precision,
                           Findings& findings) {
  constexpr std::array kRecipes = {
      Named<Scaling>{"delayed", Scaling::delayed}, Named<Scaling>{"tensorwise", Scaling::tensor},
      Named<Scaling>{"blockwise", Scaling::blockwise}, Named<Scaling>{"mxfp8", Scaling::mx}};
  const auto format = [&](const char* key) -> std::string {
    const auto found = file.find(key);
    if (found == file.end()) return {};
    if (found->is_boolean()) return keys.flag(key) ? "hybrid" : "";
    return keys.text(key, "");
  };
  const std::string first = format("fp8_format"), second = format("fp8");
  const std::string& fp8 = first.empty() ? second : first;
  const std::string recipe = keys.text("fp8_recipe", "delayed");
  const bool in_fp8 = !fp8.empty() && fp8 != "none";
  if (in_fp8) {
    precision.products = Dtype::fp8;
    const auto known = std::find_if(kRecipes.begin(), kRecipes.end(),
                                    [&](const auto& each) { return each.name == recipe; });
    if (known != kRecipes.end())
      precision.scaling = known->value;
    else
      findings.add(FindingCode::key_without_effect, keys.place("fp8_recipe") + " " + recipe);
  }
  const bool gather = keys.flag("fp8_param_gather");
  // MXFP8 gathers 16 bits, since neither layout follows from the other (arguments.py,
  // --reuse-grad-buf-for-mxfp8-param-ag), and casts them to both.
  if (in_fp8 && gather && precision.scaling != Scaling::mx) precision.weights = Dtype::fp8;
  if (const std::string fp4 = format("fp4_format"); !fp4.empty() && fp4 != "none")
    precision.products = Dtype::fp4;
}

/// Reads the layers whose activations are offloaded to the host: --cpu-offloading-num-layers, the
/// first layers (Transformer Engine, get_cpu_offload_context).
void read_activation_offload(KeyReader& keys, Offload& offload, Findings& findings) {
  const std::int64_t layers = whole(keys, "cpu_offloading_num_layers", 0);
  const bool on = keys.flag("cpu_offloading") || layers > 0;
  const bool activations =
      !keys.has("cpu_offloading_activations") || keys.flag("cpu_offloading_activations");
  if (on && activations && layers > 0) offload.activations = layers;
  if (on && layers == 0)
    findings.add(FindingCode::key_without_effect,
                 keys.place("cpu_offloading") + ": no cpu_offloading_num_layers");
  if (keys.flag("cpu_offloading_weights"))
    findings.add(FindingCode::key_without_effect, keys.place("cpu_offloading_weights"));
}

/// Reads --recompute-modules as operators.
void read_modules(KeyReader& keys, Recompute& recompute, Findings& findings) {
  if (!keys.has("recompute_modules")) return;
  std::string rest = keys.text("recompute_modules", "") + " ";
  if (recompute.kind != RecomputeKind::selective) return;
  std::vector<std::string> ops;
  for (std::size_t end = rest.find(' '); end != std::string::npos; end = rest.find(' ')) {
    const std::string module = rest.substr(0, end);
    rest.erase(0, end + 1);
    if (module.empty()) continue;
    const auto add = [&](std::initializer_list<const char*> some) {
      ops.insert(ops.end(), some.begin(), some.end());
    };
    if (module == "core_attn")
      add({"attention"});
    else if (module == "layernorm")
      add({"norm"});
    else if (module == "moe_act" || module == "mla_up_proj")
      add({module.c_str()});
    else if (module == "mlp")
      add({"mlp_up", "activation", "mlp_down"});
    else if (module == "moe")
      add({"router", "experts", "activation"});
    else
      findings.add(FindingCode::key_without_effect, keys.place("recompute_modules") + " " + module);
  }
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  if (ops == std::vector<std::string>{"attention"}) return;
  recompute.kind = ops.empty() ? RecomputeKind::none : RecomputeKind::ops;
  recompute.ops = std::move(ops);
}

void read_recompute(KeyReader& keys, Recompute& recompute, Findings& findings) {
  const std::string older = keys.text("activations_checkpoint_granularity", "");
  const std::string retained = keys.text("recompute_granularity", older);
  const bool complete = keys.flag("checkpoint_activations");  // before 2022, and Megatron-DeepSpeed
  if (retained == "full" || (retained.empty() && complete)) recompute.kind = RecomputeKind::full;
  if (keys.flag("recompute_activations") || retained == "selective")
    recompute.kind = RecomputeKind::selective;
  read_modules(keys, recompute, findings);
  const std::string method = keys.text("recompute_method", "uniform");
  const std::int64_t layers = whole(keys, "recompute_num_layers", 1);
  if (retained != "full") return;
  // Orrery stores the input of every layer. Megatron's `block` stores some layers entirely; groups
  // of several layers store fewer inputs.
  if (method == "block")
    findings.add(FindingCode::key_without_effect, keys.place("recompute_method"));
  else if (layers > 1)
    findings.add(FindingCode::key_without_effect, keys.place("recompute_num_layers"));
}

void read_kernels(KeyReader& keys, Spec& spec) {
  const std::string backend = keys.text("attention_backend", "");
  if (!backend.empty()) spec.kernels.flash_attention = backend != "unfused" && backend != "local";
  const std::string optimizer = keys.text("optimizer", "adam");
  spec.optimizer.kind = optimizer == "sgd"                            ? OptimizerKind::sgd_momentum
                        : optimizer.find("muon") != std::string::npos ? OptimizerKind::muon
                                                                      : OptimizerKind::adamw;
  // arguments.py, --cross-entropy-fusion-impl: `native` by default
  if (keys.flag("cross_entropy_loss_fusion"))
    spec.kernels.loss = keys.text("cross_entropy_fusion_impl", "native") == "te"
                            ? Loss::in_place
                            : Loss::megatron_compiled;
  if (keys.has("clip_grad")) spec.optimizer.gradient_norm = keys.number("clip_grad", 1) > 0;
}

/// A number of the launcher; 0 for its ranges and words ("1:4", "gpu").
std::int64_t launched(KeyReader& keys, const Json& file, const char* key, Findings& findings) {
  const auto found = file.find(key);
  if (found == file.end() || !found->is_string()) return whole(keys, key, 0);
  static_cast<void>(keys.has(key));
  findings.add(FindingCode::key_ignored, keys.place(key));
  return 0;
}

/// The number of devices from any of its keys; 0 if none is given.
std::int64_t read_world(KeyReader& keys, const Json& file, Findings& findings) {
  std::int64_t nodes = 0, each = 0;
  for (const char* const key : {"nnodes", "num_nodes"})
    nodes = std::max(nodes, launched(keys, file, key, findings));
  for (const char* const key : {"nproc_per_node", "devices"})
    each = std::max(each, launched(keys, file, key, findings));
  const std::int64_t world = launched(keys, file, "world_size", findings);
  return world != 0 ? world : product({nodes, each});
}

}  // namespace

Result<void> read_megatron_plan(KeyReader& keys, const Json& file, const std::string& where,
                                Spec& spec, Findings& findings) {
  read_precision(keys, where, spec.precision, findings);
  read_narrow_precision(keys, file, spec.precision, findings);
  read_activation_offload(keys, spec.offload, findings);
  read_parallel(keys, spec, findings);
  read_data_overlap(keys, spec);
  read_tensor_overlap(keys, spec.parallel);
  if (auto fine = read_schedule(keys, spec); !fine) return fine;
  read_recompute(keys, spec.recompute, findings);
  read_kernels(keys, spec);
  const std::int64_t world = read_world(keys, file, findings);
  if (keys.error()) return {};
  set_world_size(spec, world, where, findings);
  settle_buckets(spec.parallel, spec.precision);
  return {};
}

}  // namespace orrery::workload
