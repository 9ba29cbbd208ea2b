// SPDX-License-Identifier: Apache-2.0
//
// torchtitan's TOML files. Names and defaults: pytorch/torchtitan, torchtitan/config/job_config.py
// (2025; before, torchtitan/config_manager.py), and the plans in torchtitan/models/*/infra.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/tables/tables.h"
#include "orrery/job_formats/importers/toml.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;
using config::Named;

namespace {

/// A model and flavor of torchtitan, and the catalog's name for it.
struct Flavor {
  std::string_view model, flavor, name;
};
constexpr std::array kFlavors = {
    Flavor{"llama2", "7B", "llama-2-7b"},
    Flavor{"llama2", "13B", "llama-2-13b"},
    Flavor{"llama2", "70B", "llama-2-70b"},
    Flavor{"llama3", "8B", "llama-3.1-8b"},
    Flavor{"llama3", "70B", "llama-3.1-70b"},
    Flavor{"llama3", "405B", "llama-3.1-405b"},
    Flavor{"deepseek_v3", "16B", "deepseek-v2-lite"},  // the same shape
    Flavor{"deepseek_v3", "671B", "deepseek-v3"},
    Flavor{"llama", "7B", "llama-2-7b"},  // its first versions
    Flavor{"llama", "13B", "llama-2-13b"},
    Flavor{"llama", "70B", "llama-2-70b"},
    Flavor{"qwen3", "0.6B", "qwen3-0.6b"},
    Flavor{"qwen3", "1.7B", "qwen3-1.7b"},
    Flavor{"qwen3", "4B", "qwen3-4b"},
    Flavor{"qwen3", "8B", "qwen3-8b"},
    Flavor{"qwen3", "14B", "qwen3-14b"},
    Flavor{"qwen3", "32B", "qwen3-32b"},
    Flavor{"qwen3", "30B-A3B", "qwen3-30b-a3b"},
    Flavor{"qwen3", "235B-A22B", "qwen3-235b-a22b"},
};

constexpr KeyRow kTorchtitanRows[] = {
    {"activation_checkpoint.debug"},
    {"activation_checkpoint.determinism_check"},
    {"activation_checkpoint.early_stop", KeyUse::read, "recompute.early_stop"},
    {"activation_checkpoint.memory_budget"},
    {"activation_checkpoint.mode", KeyUse::read, "recompute.kind: none, full, selective"},
    {"activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns", KeyUse::not_modeled,
     R"(["moe.router.gate"])"},
    {"activation_checkpoint.preserve_rng_state"},
    {"activation_checkpoint.selective_ac_option", KeyUse::read,
     "recompute.kind, recompute.every: op, or every n-th layer"},
    {"activation_checkpoint.visualize_memory_budget_pareto"},
    {"checkpoint.*"},
    {"comm.*"},
    {"compile.backend"},
    {"compile.components", KeyUse::read, "kernels.framework, kernels.loss: model, loss"},
    {"compile.enable", KeyUse::read, "kernels.framework, kernels.loss"},
    {"debug.*"},
    {"deepep.*"},
    {"experimental.context_parallel_degree", KeyUse::not_modeled, "1"},  // of 2024
    {"experimental.custom_args_module"},
    {"experimental.custom_import"},
    {"experimental.enable_async_tensor_parallel", KeyUse::not_modeled},
    {"experimental.pipeline_parallel_degree", KeyUse::not_modeled, "1"},
    {"fault_tolerance.*"},
    {"float8.emulate"},
    {"float8.enable_float8_linear", KeyUse::read, "precision.products: fp8"},
    {"float8.enable_fsdp_float8_all_gather", KeyUse::read,
     "precision.weights: fp8 with tensorwise scales"},
    {"float8.filter_fqns", KeyUse::read, "a finding unless it is [\"output\"] or empty"},
    {"float8.force_recompute_fp8_weight_in_bwd"},
    {"float8.precompute_float8_dynamic_scale_for_fsdp"},
    {"float8.recipe_name", KeyUse::read,
     "precision.scaling: tensorwise, rowwise, rowwise_with_gw_hp"},
    {"job.*"},
    {"lr_scheduler.*"},
    {"memory_estimation.*"},
    {"metrics.*"},
    {"model.converters", KeyUse::read, "precision.products, precision.scaling: float8, mx"},
    {"model.flavor", KeyUse::read, "the model, with its name"},
    {"model.hf_assets_path"},
    {"model.name", KeyUse::read, "the model, with its flavor"},
    {"model.norm_type"},
    {"model.print_after_conversion"},
    {"model.tokenizer_path"},
    {"optimizer.beta1"},
    {"optimizer.beta2"},
    {"optimizer.early_step_in_backward", KeyUse::not_modeled},
    {"optimizer.eps"},
    {"optimizer.fused"},
    {"optimizer.implementation"},
    {"optimizer.lr"},
    {"optimizer.name", KeyUse::read, "optimizer.kind: Adam, AdamW"},
    {"optimizer.weight_decay"},
    {"parallelism.context_parallel_degree", KeyUse::read, "parallel.cp"},
    {"parallelism.context_parallel_rotate_method", KeyUse::read,
     "parallel.cp_method: allgather, alltoall (a ring)"},
    {"parallelism.data_parallel_replicate_degree", KeyUse::read,
     "parallel.dp, parallel.shard_size"},
    {"parallelism.data_parallel_shard_degree", KeyUse::read,
     "parallel.sharding (zero3), parallel.dp, parallel.shard_size"},
    {"parallelism.disable_loss_parallel"},
    {"parallelism.enable_async_tensor_parallel", KeyUse::read, "parallel.tp_overlap: ring"},
    {"parallelism.enable_compiled_autograd"},
    {"parallelism.expert_parallel_degree", KeyUse::read, "parallel.ep"},
    {"parallelism.expert_tensor_parallel_degree", KeyUse::read, "parallel.etp of expert models"},
    {"parallelism.fsdp_reshard_after_forward", KeyUse::read, "parallel.keep_gathered"},
    {"parallelism.pipeline_parallel_degree", KeyUse::read, "parallel.pp"},
    {"parallelism.pipeline_parallel_first_stage_less_layers", KeyUse::read,
     "schedule.stage_layers"},
    {"parallelism.pipeline_parallel_last_stage_less_layers", KeyUse::read, "schedule.stage_layers"},
    {"parallelism.pipeline_parallel_layers_per_stage", KeyUse::read,
     "schedule.chunks, schedule.stage_layers"},
    {"parallelism.pipeline_parallel_microbatch_size", KeyUse::read, "batch.micro with stages"},
    {"parallelism.pipeline_parallel_schedule", KeyUse::read,
     "schedule.kind: 1F1B, GPipe, Interleaved1F1B, ZBVZeroBubble"},
    {"parallelism.tensor_parallel_degree", KeyUse::read, "parallel.tp"},
    {"profiling.*"},
    {"quantize.linear.float8", KeyUse::read, "as the section float8"},
    {"training.batch_size", KeyUse::read, "as training.local_batch_size"},
    {"training.compile", KeyUse::read, "kernels.framework"},
    {"training.dataset"},
    {"training.dataset_path"},
    {"training.debug_moe_force_load_balance"},
    {"training.deterministic"},
    {"training.dtype", KeyUse::read,
     "precision.gradients, precision.optimizer, precision.master_weights: bfloat16"},
    {"training.enable_cpu_offload", KeyUse::not_modeled},
    {"training.gc_debug"},
    {"training.gc_freq"},
    {"training.global_batch_size", KeyUse::read, "batch.global; -1: from the batch of a rank"},
    {"training.local_batch_size", KeyUse::read, "batch.micro without stages"},
    {"training.max_norm", KeyUse::read, "optimizer.gradient_norm: unless it is 0"},
    {"training.mixed_precision_param", KeyUse::read, "precision.weights, precision.activations"},
    {"training.mixed_precision_reduce", KeyUse::read, "precision.reduce"},
    {"training.seed"},
    {"training.seq_len", KeyUse::read, "batch.seq"},
    {"training.steps"},
    {"training.warmup_steps"},
    {"validation.*"},
};

/// Whether the rows have keys of this section.
bool is_section(std::string_view name) {
  return std::any_of(std::begin(kTorchtitanRows), std::end(kTorchtitanRows),
                     [&](const KeyRow& row) {
                       return row.key.size() > name.size() && row.key.starts_with(name) &&
                              row.key[name.size()] == '.';
                     });
}

class Torchtitan {
 public:
  Torchtitan(const Json& file, const std::string& where, Findings& findings)
      : file_(file), where_(where), findings_(findings) {}

  Result<void> read(Spec& spec);

 private:
  [[nodiscard]] const Json& section(const char* name) const {
    static const Json kEmpty = Json::object();
    const auto found = file_.find(name);
    return found != file_.end() && found->is_object() ? *found : kEmpty;
  }
  [[nodiscard]] KeyReader reader(const char* name) const {
    return {section(name), where_ + ":/" + name};
  }
  /// Applies the rows of a section that the code does not read.
  Result<void> apply(const char* name, KeyReader& keys, Spec& spec) {
    const auto done =
        apply_other_keys({kTorchtitanRows}, keys, section(name), name, spec, findings_);
    if (!done) return tl::unexpected(done.error());
    return {};
  }
  Result<void> read_model(Spec& spec);
  Result<void> read_training(Spec& spec);
  Result<void> read_parallelism(Spec& spec);
  Result<void> read_pipeline(KeyReader& keys, Spec& spec) const;
  Result<void> read_data_parallel(KeyReader& keys, Spec& spec) const;
  Result<void> read_checkpointing(Spec& spec);
  Result<void> read_precision(Spec& spec);
  Result<void> read_kernels(Spec& spec);
  Result<void> settle_batch(Spec& spec) const;

  const Json& file_;
  const std::string& where_;
  Findings& findings_;
  bool is_float8_ = false, is_mx_ = false;
  bool compiles_ = false;
  std::int64_t local_batch_ = 0;
};

Result<void> Torchtitan::read_model(Spec& spec) {
  KeyReader keys = reader("model");
  if (auto done = apply("model", keys, spec); !done) return done;
  const std::string name = keys.text("name", ""), flavor = keys.text("flavor", "");
  // The first versions state one name.
  const Json converters = section("model").value("converters", Json());
  for (const std::string& converter : converters.is_string()
                                          ? std::vector{keys.text("converters", "")}
                                          : keys.texts("converters")) {
    if (converter == "float8" || converter.rfind("quantize.linear.float8", 0) == 0)
      is_float8_ = true;
    else if (converter == "mx" || converter.rfind("quantize.linear.mx", 0) == 0)
      is_mx_ = true;
    else
      findings_.add(FindingCode::key_without_effect,
                    keys.place("converters") + " " + in_quotes(converter));
  }
  if (keys.error()) return tl::unexpected(*keys.error());
  const auto known = std::find_if(kFlavors.begin(), kFlavors.end(), [&](const Flavor& each) {
    return each.model == name && each.flavor == flavor;
  });
  const ModelEntry* const entry = known == kFlavors.end() ? nullptr : find_model(known->name);
  if (entry != nullptr) {
    spec.model = entry->model;
    spec.model.is = spec.model.name = std::string(known->name);
  } else if (!has_model(spec)) {
    return fail(Errc::input_unsupported, keys.place("flavor"),
                fmt::format("{} {} is not a known model of torchtitan", name, flavor),
                "give the model: --model NAME, or a specification before this file");
  }
  return finish(keys, findings_);
}

Result<void> Torchtitan::read_training(Spec& spec) {
  KeyReader keys = reader("training");
  if (auto done = apply("training", keys, spec); !done) return done;
  local_batch_ = whole(keys, {"local_batch_size", "batch_size"}, 8);
  const std::int64_t global =
      keys.has("global_batch_size") ? keys.integer("global_batch_size", -1, -1, 1 << 30) : -1;
  spec.batch.global = std::max<std::int64_t>(global, 0);
  spec.batch.seq = whole(keys, "seq_len", 2048);
  constexpr std::array kTypes = {Named<Dtype>{"bfloat16", Dtype::bf16},
                                 Named<Dtype>{"float32", Dtype::fp32}};
  spec.precision.weights = spec.precision.activations =
      keys.choice<Dtype>("mixed_precision_param", Dtype::bf16, kTypes);
  spec.precision.reduce = keys.choice<Dtype>("mixed_precision_reduce", Dtype::fp32, kTypes);
  if (keys.text("dtype", "float32") == "bfloat16") {  // parameters, gradients and moments
    spec.precision.gradients = spec.precision.optimizer = Dtype::bf16;
    spec.precision.master_weights = false;
  }
  compiles_ = keys.flag("compile");
  spec.optimizer.gradient_norm = !keys.has("max_norm") || keys.number("max_norm", 1) > 0;
  return finish(keys, findings_);
}

/// The schedule, and the layers of each (virtual) stage: the embedding and the head count as one
/// layer each (torchtitan/distributed/pipeline_parallel.py, generate_llm_fqn_per_model_part).
Result<void> Torchtitan::read_pipeline(KeyReader& keys, Spec& spec) const {
  constexpr std::array kKinds = {Named<ScheduleKind>{"1F1B", ScheduleKind::one_f_one_b},
                                 Named<ScheduleKind>{"GPipe", ScheduleKind::gpipe},
                                 Named<ScheduleKind>{"Interleaved1F1B", ScheduleKind::interleaved},
                                 Named<ScheduleKind>{"ZBVZeroBubble", ScheduleKind::zb_v}};
  spec.parallel.pp = whole(keys, "pipeline_parallel_degree", 1);
  const std::int64_t micro = whole(keys, "pipeline_parallel_microbatch_size", 1);
  const std::int64_t per_stage = whole(keys, "pipeline_parallel_layers_per_stage", 0);
  const std::int64_t first = whole(keys, "pipeline_parallel_first_stage_less_layers", 1);
  const std::int64_t last = whole(keys, "pipeline_parallel_last_stage_less_layers", 1);
  const ScheduleKind kind =
      keys.choice<ScheduleKind>("pipeline_parallel_schedule", ScheduleKind::one_f_one_b, kKinds);
  if (keys.error() || spec.parallel.pp <= 1) return {};
  spec.schedule.kind = kind;
  spec.batch.micro = micro;
  const bool several = kind == ScheduleKind::interleaved || kind == ScheduleKind::zb_v;
  std::int64_t stages = product({spec.parallel.pp, several ? 2 : 1});
  const std::int64_t layers = spec.model.layers + first + last;
  if (per_stage > 0) stages = (layers - 1) / per_stage + 1;
  if (stages > layers || stages % spec.parallel.pp != 0)
    return fail(Errc::config_conflict, keys.place("pipeline_parallel_degree"),
                fmt::format("{} layers cannot be split into {} stages on {} ranks",
                            spec.model.layers, stages, spec.parallel.pp));
  spec.schedule.chunks = stages / spec.parallel.pp;
  std::vector<std::int64_t> each(static_cast<std::size_t>(stages), layers / stages);
  for (std::int64_t i = 0; i < layers % stages; ++i) ++each[static_cast<std::size_t>(i)];
  each.front() -= first;
  each.back() -= last;
  spec.schedule.stage_layers = std::move(each);
  return {};
}

Result<void> Torchtitan::read_data_parallel(KeyReader& keys, Spec& spec) const {
  const std::int64_t copies = whole(keys, "data_parallel_replicate_degree", 1);
  const std::int64_t shards =
      keys.has("data_parallel_shard_degree")
          ? keys.integer("data_parallel_shard_degree", -1, -1, std::int64_t{1} << 24)
          : -1;
  const std::string reshard = keys.text("fsdp_reshard_after_forward", "default");
  Parallel& plan = spec.parallel;
  if (shards != 1) plan.sharding = Sharding::zero3;
  if (shards > 0) plan.dp = product({copies, shards});
  if (shards > 1 && copies > 1) plan.shard_size = product({shards, plan.cp});
  if (shards < 1 && copies > 1)
    return fail(Errc::config_missing_key, keys.place("data_parallel_shard_degree"),
                "is -1 (all remaining devices), but weights are replicated",
                "give the number of devices that share one copy");
  if (reshard == "always" || reshard == "never") plan.keep_gathered = reshard == "never";
  return {};
}

Result<void> Torchtitan::read_parallelism(Spec& spec) {
  KeyReader keys = reader("parallelism");
  if (auto done = apply("parallelism", keys, spec); !done) return done;
  constexpr std::array kMethods = {Named<ContextMethod>{"allgather", ContextMethod::all_gather},
                                   Named<ContextMethod>{"alltoall", ContextMethod::ring}};
  Parallel& plan = spec.parallel;
  plan.tp = whole(keys, "tensor_parallel_degree", 1);
  plan.sp = plan.tp > 1;
  plan.cp = whole(keys, "context_parallel_degree", 1);
  plan.cp_method = keys.choice<ContextMethod>("context_parallel_rotate_method",
                                              ContextMethod::all_gather, kMethods);
  plan.ep = whole(keys, "expert_parallel_degree", 1);
  const std::int64_t etp = whole(keys, "expert_tensor_parallel_degree", 1);
  if (spec.model.moe) plan.etp = etp;
  const bool async = keys.flag("enable_async_tensor_parallel");
  if (plan.sp && async) plan.tp_overlap = TensorOverlap::ring;
  if (auto fine = read_data_parallel(keys, spec); !fine) return fine;
  if (auto fine = read_pipeline(keys, spec); !fine) return fine;
  return finish(keys, findings_);
}

/// [activation_checkpoint]. Mode `selective` with an integer n recomputes every n-th layer
/// entirely; 0 all of them (_apply_layer_sac).
Result<void> Torchtitan::read_checkpointing(Spec& spec) {
  KeyReader keys = reader("activation_checkpoint");
  if (auto done = apply("activation_checkpoint", keys, spec); !done) return done;
  const std::string mode = keys.text("mode", "selective");
  const std::string option = keys.text("selective_ac_option", "2");
  if (!keys.has("mode"))
    findings_.add(FindingCode::default_assumed,
                  where_ + ": activation_checkpoint.mode = selective, selective_ac_option = 2");
  if (keys.has("early_stop")) spec.recompute.early_stop = keys.flag("early_stop");
  if (keys.error()) return tl::unexpected(*keys.error());
  Recompute& recompute = spec.recompute;
  recompute.every = 1;
  if (mode == "none") {
    recompute.kind = RecomputeKind::none;
  } else if (mode == "full") {
    recompute.kind = RecomputeKind::full;
  } else if (mode == "selective" && option == "op") {
    recompute.kind = RecomputeKind::torchtitan_op;
  } else if (mode == "selective" && !option.empty() && option.size() < 6 &&
             option.find_first_not_of("0123456789") == std::string::npos) {
    recompute.kind = RecomputeKind::full;
    recompute.every = std::max<std::int64_t>(std::stoll(option), 1);
  } else if (mode == "selective") {
    return fail(Errc::config_range, keys.place("selective_ac_option"),
                in_quotes(option) + " is neither \"op\" nor a number of layers");
  } else {
    return fail(Errc::input_unsupported, keys.place("mode"), in_quotes(mode) + " is not supported",
                "use none, full or selective; a compiler chooses what memory_budget recomputes");
  }
  return finish(keys, findings_);
}

/// float8 (torchao's recipes) and MXFP8. Sections: [float8], later [quantize.linear.float8].
Result<void> Torchtitan::read_precision(Spec& spec) {
  const Json& quantize = section("quantize");
  const auto linear = quantize.find("linear");
  const bool nested = linear != quantize.end() && linear->is_object() &&
                      linear->contains("float8") && (*linear)["float8"].is_object();
  const Json& options = nested ? (*linear)["float8"] : section("float8");
  for (const auto& [group, kinds] : quantize.items())
    for (const auto& [kind, ignored] : kinds.items())
      if (group != "linear" || kind != "float8")
        findings_.add(FindingCode::key_without_effect,
                      fmt::format("{}:/quantize/{}/{}", where_, group, kind));
  KeyReader keys(options, where_ + (nested ? ":/quantize/linear/float8" : ":/float8"));
  if (auto done = apply_other_keys({kTorchtitanRows}, keys, options, "float8", spec, findings_);
      !done)
    return tl::unexpected(done.error());
  constexpr std::array kRecipes = {
      Named<Scaling>{"tensorwise", Scaling::tensor}, Named<Scaling>{"rowwise", Scaling::rowwise},
      Named<Scaling>{"rowwise_with_gw_hp", Scaling::rowwise_with_gw_hp}};
  const Scaling scaling = keys.choice<Scaling>("recipe_name", Scaling::tensor, kRecipes);
  const bool gathers = keys.flag("enable_fsdp_float8_all_gather");
  is_float8_ = is_float8_ || keys.flag("enable_float8_linear");
  if (keys.has("filter_fqns") && is_float8_ && options["filter_fqns"] != Json::array() &&
      options["filter_fqns"] != Json{"output"})
    findings_.add(FindingCode::key_without_effect, keys.place("filter_fqns"));
  if (auto fine = finish(keys, findings_); !fine) return fine;
  if (is_float8_ || is_mx_) spec.precision.products = Dtype::fp8;
  if (is_float8_) spec.precision.scaling = scaling;
  if (is_mx_) spec.precision.scaling = Scaling::mx;
  // Shards are cast before they are gathered, with one scale per tensor.
  if (is_float8_ && gathers && scaling == Scaling::tensor) spec.precision.weights = Dtype::fp8;
  return {};
}

/// [compile] compiles the components "model" and "loss". The older training.compile compiles the
/// model only ("compiling loss function causes CUDA errors", train.py of 2024).
Result<void> Torchtitan::read_kernels(Spec& spec) {
  KeyReader compile = reader("compile");
  if (auto done = apply("compile", compile, spec); !done) return done;
  const bool enabled = compile.flag("enable");
  const std::vector<std::string> components = compile.texts("components");
  const auto compiles = [&](const char* component) {
    const bool listed =
        std::find(components.begin(), components.end(), component) != components.end();
    return enabled && (listed || !compile.has("components"));
  };
  if (auto fine = finish(compile, findings_); !fine) return fine;
  const bool model = compiles_ || compiles("model"), loss = compiles("loss");
  spec.kernels.framework = model ? Framework::torchtitan_compiled : Framework::torchtitan;
  if (model != loss) spec.kernels.loss = loss ? Loss::compiled : Loss::eager;
  KeyReader keys = reader("optimizer");
  if (auto done = apply("optimizer", keys, spec); !done) return done;
  constexpr std::array kKinds = {Named<OptimizerKind>{"Adam", OptimizerKind::adam},
                                 Named<OptimizerKind>{"AdamW", OptimizerKind::adamw}};
  spec.optimizer.kind = keys.choice<OptimizerKind>("name", OptimizerKind::adamw, kKinds);
  return finish(keys, findings_);
}

/// The batch of a rank is one microbatch, and with stages a microbatch per
/// pipeline_parallel_microbatch_size.
Result<void> Torchtitan::settle_batch(Spec& spec) const {
  if (spec.parallel.pp <= 1) spec.batch.micro = local_batch_;
  if (spec.batch.global != 0) return {};
  const Json& plan = section("parallelism");
  const bool known = plan.value("data_parallel_shard_degree", Json(-1)) != -1;
  if (known) {
    spec.batch.global = product({local_batch_, spec.parallel.dp});
  } else if (spec.parallel.pp > 1) {
    return fail(Errc::config_missing_key, where_ + ":/parallelism/data_parallel_shard_degree",
                "is -1 (all remaining devices), so the number of microbatches is unknown",
                "give the number of devices, or training.global_batch_size");
  }
  return {};
}

Result<void> Torchtitan::read(Spec& spec) {
  for (const auto& [key, value] : file_.items())
    if (!is_section(key)) findings_.add(FindingCode::key_ignored, where_ + ":/" + key);
  Spec made = spec;
  KeyReader old = reader("experimental");
  if (auto done = apply("experimental", old, made); !done) return done;
  if (auto fine = finish(old, findings_); !fine) return fine;
  for (const auto step :
       {&Torchtitan::read_model, &Torchtitan::read_training, &Torchtitan::read_parallelism,
        &Torchtitan::read_checkpointing, &Torchtitan::read_precision, &Torchtitan::read_kernels})
    if (auto fine = (this->*step)(made); !fine) return fine;
  if (auto fine = settle_batch(made); !fine) return fine;
  spec = std::move(made);
  return {};
}

bool looks_like_torchtitan(std::string_view text) {
  const auto has_line = [text](std::string_view line) {
    const std::size_t at = text.find(line);
    return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n');
  };
  return has_line("[training]") && (has_line("[model]") || has_line("[parallelism]"));
}

Result<void> import_torchtitan(Spec& spec, std::string_view text, const std::string& where,
                               Findings& findings) {
  const auto file = parse_toml(text, where);
  if (!file) return tl::unexpected(file.error());
  return Torchtitan(*file, where, findings).read(spec);
}

}  // namespace

const Importer kTorchtitanImporter{.name = "torchtitan",
                                   .tool = "torchtitan",
                                   .files = "its TOML",
                                   .reads = "model, plan, schedule, batch, checkpointing, float8",
                                   .refuses = "its registry in Python",
                                   .is_text = looks_like_torchtitan,
                                   .import_text = import_torchtitan};
constinit const ImporterTable kTorchtitanTable{&kTorchtitanImporter, {kTorchtitanRows}};

}  // namespace orrery::workload
