// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/exporters/write_megatron.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "orrery/job_formats/exporters/write_megatron_internal.h"
#include "orrery/workload/spec/data_parallel_policy.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {

namespace {

std::string word(auto value) { return std::string(config::enum_name(value)); }

void write_data_parallel(const Spec& spec, MegatronWriter& out) {
  const Parallel& plan = spec.parallel;
  if (plan.sharding != Sharding::none) out.flag("--use-distributed-optimizer");
  if (plan.sharding == Sharding::zero2 || plan.sharding == Sharding::zero3) {
    out.flag("--use-megatron-fsdp");
    out.add("--data-parallel-sharding-strategy",
            plan.sharding == Sharding::zero2 ? "optim_grads" : "optim_grads_params");
  }
  const std::int64_t sharers = plan.dp * plan.cp;
  if (plan.sharding != Sharding::none && plan.shard_size > 0 && plan.shard_size < sharers)
    out.add("--num-distributed-optimizer-instances", sharers / plan.shard_size);
  const DataParallelPolicy policy = data_parallel_policy(spec);
  out.flag("--overlap-grad-reduce", policy.overlap_gradients);
  out.flag("--overlap-param-gather", policy.overlap_weights && plan.sharding != Sharding::none);
  if (plan.bucket)
    out.add("--ddp-bucket-size",
            static_cast<std::int64_t>(static_cast<double>(plan.bucket->count()) /
                                      bytes_of(spec.precision.reduce)));
  out.unsupported("parallel.prefetch_backward", plan.prefetch_backward.has_value());
  out.unsupported("parallel.keep_gathered", plan.keep_gathered.value_or(false));
  out.unsupported("parallel.reduce_once", plan.reduce_once.has_value());
}

void write_parallel(const Spec& spec, MegatronWriter& out) {
  const Parallel& plan = spec.parallel;
  out.add("--tensor-model-parallel-size", plan.tp);
  out.flag("--sequence-parallel", plan.sp && plan.tp > 1);
  const TensorOverlap overlap = tensor_overlap(spec);
  out.flag("--tp-comm-overlap", overlap != TensorOverlap::none);
  out.unsupported("parallel.tp_overlap ring", overlap == TensorOverlap::ring);
  out.add("--pipeline-model-parallel-size", plan.pp);
  if (plan.cp > 1) {
    out.add("--context-parallel-size", plan.cp);
    out.add("--cp-comm-type", plan.cp_method == ContextMethod::ring         ? "p2p"
                              : plan.cp_method == ContextMethod::all_gather ? "all_gather"
                                                                            : "a2a");
  }
  if (plan.ep > 1) out.add("--expert-model-parallel-size", plan.ep);
  if (spec.model.moe && plan.expert_tp() != plan.tp)
    out.add("--expert-tensor-parallel-size", plan.expert_tp());
  out.unsupported("parallel.ep_own_axis", plan.ep_own_axis && plan.ep > 1);
  out.flag("--use-tp-pp-dp-mapping", plan.order == "tp-cp-ep-pp-dp");
  out.unsupported("parallel.order " + plan.order,
                  plan.order != "tp-cp-ep-dp-pp" && plan.order != "tp-cp-ep-pp-dp");
  write_data_parallel(spec, out);
}

/// Writes the layers of the first and last stage, if all stages between them have the same number.
void write_stages(const Spec& spec, MegatronWriter& out) {
  const std::int64_t stages = spec.parallel.pp, chunks = spec.schedule.chunks;
  const auto& layers = spec.schedule.stage_layers;
  if (layers.empty()) {
    out.unsupported(fmt::format("{} layers on {} parts: an unequal number per part",
                                spec.model.layers, stages * chunks),
                    spec.model.layers % (stages * chunks) != 0);
    return;
  }
  std::vector<std::int64_t> each(static_cast<std::size_t>(stages), 0);
  for (std::size_t i = 0; i < layers.size(); ++i) each[i % each.size()] += layers[i];
  const bool even = each.size() < 3 || std::all_of(each.begin() + 1, each.end() - 1,
                                                   [&](auto one) { return one == each[1]; });
  const auto apart = [&](std::size_t i) { return layers[i] != layers[i % each.size()]; };
  bool equivalent = true;
  for (std::size_t i = 0; i < layers.size(); ++i) equivalent = equivalent && !apart(i);
  out.unsupported("schedule.stage_layers", !even || !equivalent);
  if (!even || !equivalent) return;
  out.add("--decoder-first-pipeline-num-layers", each.front());
  if (each.size() > 1) out.add("--decoder-last-pipeline-num-layers", each.back());
}

void write_schedule(const Spec& spec, MegatronWriter& out) {
  const Schedule& schedule = spec.schedule;
  out.unsupported("schedule.overlap false", !schedule.overlap);
  if (spec.parallel.pp < 2) return;
  const bool known =
      schedule.kind == ScheduleKind::one_f_one_b || schedule.kind == ScheduleKind::interleaved;
  out.unsupported("schedule.kind " + word(schedule.kind), !known);
  out.unsupported("schedule.blocking_sends", schedule.blocking_sends);
  out.flag("--no-scatter-gather-tensors-in-pipeline", !schedule.scatter_sends.value_or(true));
  const std::int64_t parts = spec.parallel.pp * schedule.chunks;
  if (schedule.kind == ScheduleKind::interleaved && schedule.chunks > 1) {
    if (schedule.stage_layers.empty() && spec.model.layers % parts == 0)
      out.add("--num-layers-per-virtual-pipeline-stage", spec.model.layers / parts);
    else
      out.add("--num-virtual-stages-per-pipeline-rank", schedule.chunks);
  }
  if (known) write_stages(spec, out);
}

/// By default Megatron accumulates bf16 gradients in fp32 and fp16 gradients in fp16; writes the
/// flags for other types.
void write_gradients(const Precision& precision, MegatronWriter& out) {
  const auto both = [&](Dtype type) {
    return precision.gradients == type && precision.reduce == type;
  };
  if (both(Dtype::fp32)) {
    out.flag("--accumulate-allreduce-grads-in-fp32", precision.weights == Dtype::fp16);
  } else if (both(Dtype::bf16) && precision.weights == Dtype::bf16) {
    out.flag("--grad-reduce-in-bf16");
  } else {
    out.unsupported(fmt::format("gradients in {}, reduced in {}", word(precision.gradients),
                                word(precision.reduce)),
                    !both(Dtype::fp16) || precision.weights != Dtype::fp16);
  }
}

void write_precision(const Precision& precision, MegatronWriter& out) {
  out.flag("--bf16", precision.weights == Dtype::bf16);
  out.flag("--fp16", precision.weights == Dtype::fp16);
  const bool usual = bytes_of(precision.weights) >= 2 && precision.weights != Dtype::tf32;
  out.unsupported("weights in " + word(precision.weights), !usual);
  out.unsupported("activations in " + word(precision.activations),
                  precision.activations != precision.weights);
  write_gradients(precision, out);
  const Dtype products = precision.product_type();
  if (products == Dtype::fp8 && precision.activations == precision.weights) {
    out.add("--fp8-format", "hybrid");
    out.add("--fp8-recipe", precision.scaling == Scaling::delayed     ? "delayed"
                            : precision.scaling == Scaling::tensor    ? "tensorwise"
                            : precision.scaling == Scaling::blockwise ? "blockwise"
                                                                      : "mxfp8");
  } else if (products == Dtype::fp4 && precision.activations == precision.weights) {
    out.add("--fp4-format", "e2m1");
  } else {
    out.unsupported("products in " + word(products), products != precision.weights);
  }
  if (precision.optimizer == Dtype::bf16) {
    out.flag("--use-precision-aware-optimizer");
    out.add("--exp-avg-dtype", "bf16");
    out.add("--exp-avg-sq-dtype", "bf16");
  } else {
    out.unsupported("moments in " + word(precision.optimizer), precision.optimizer != Dtype::fp32);
  }
  out.unsupported("no fp32 copy of weights", !precision.master_weights);
}

void write_recompute(const Recompute& recompute, bool experts, MegatronWriter& out) {
  if (recompute.kind == RecomputeKind::none) return;
  if (recompute.kind == RecomputeKind::full) {
    out.add("--recompute-granularity", "full");
    out.add("--recompute-method", "uniform");
    out.add("--recompute-num-layers", 1);
    return;
  }
  if (recompute.kind == RecomputeKind::selective) {
    out.add("--recompute-granularity", "selective");
    return;
  }
  std::vector<std::string> ops = recompute.ops;
  const auto take = [&](std::vector<std::string> some) {
    for (const std::string& one : some)
      if (std::find(ops.begin(), ops.end(), one) == ops.end()) return false;
    std::erase_if(ops, [&](const std::string& op) {
      return std::find(some.begin(), some.end(), op) != some.end();
    });
    return true;
  };
  std::vector<std::string> modules;
  if (take({"attention"})) modules.emplace_back("core_attn");
  if (take({"norm"})) modules.emplace_back("layernorm");
  if (take({"mla_up_proj"})) modules.emplace_back("mla_up_proj");
  if (take({"moe_act"}) || (experts && take({"activation"}))) modules.emplace_back("moe_act");
  if (!experts && take({"mlp_up", "activation", "mlp_down"})) modules.emplace_back("mlp");
  if (!modules.empty()) {
    out.add("--recompute-granularity", "selective");
    out.add("--recompute-modules", std::move(modules));
  }
  for (const std::string& op : ops) out.unsupported("recompute.ops " + op);
}

void write_optimizer(const Spec& spec, MegatronWriter& out) {
  const OptimizerKind kind = spec.optimizer.kind;
  const bool sgd = kind == OptimizerKind::sgd || kind == OptimizerKind::sgd_momentum;
  out.add("--optimizer", sgd ? "sgd" : kind == OptimizerKind::muon ? "muon" : "adam");
  if (kind == OptimizerKind::sgd) out.add("--sgd-momentum", 0);
  if (!spec.optimizer.gradient_norm) out.add("--clip-grad", 0);
}

void write_others(const Spec& spec, MegatronWriter& out) {
  const Kernels& kernels = spec.kernels;
  if (!kernels.flash_attention) out.add("--attention-backend", "unfused");
  out.flag("--deterministic-mode", kernels.deterministic);
  out.unsupported("kernels of " + word(kernels.framework),
                  kernels.framework != Framework::none && kernels.framework != Framework::megatron);
  out.unsupported("kernels.graphs: its options differ between releases",
                  kernels.graphs.value_or(false));
  out.unsupported("kernels.loss", kernels.loss.has_value());
  out.unsupported("offload.optimizer: in Megatron, the host updates offloaded weights",
                  spec.offload.optimizer);
  out.unsupported("offload.weights", spec.offload.weights);
  out.unsupported("lora", spec.lora.has_value());
}

}  // namespace

MegatronJob to_megatron(const Spec& spec) {
  MegatronJob job;
  MegatronWriter out(job);
  write_megatron_model(spec, out);
  write_parallel(spec, out);
  write_schedule(spec, out);
  out.add("--micro-batch-size", spec.batch.micro);
  out.add("--global-batch-size", spec.global_batch());
  if (spec.model.kind == ModelKind::decoder) out.add("--seq-length", spec.batch.seq);
  write_precision(spec.precision, out);
  write_recompute(spec.recompute, spec.model.moe.has_value(), out);
  write_optimizer(spec, out);
  write_others(spec, out);
  return job;
}

std::string MegatronJob::text() const {
  // special characters of a shell; arguments contain no '
  constexpr std::string_view kSpecial = " '\"()[]*$`\\!&;|<>?~#{}";
  std::string out;
  for (const MegatronArgument& one : arguments) {
    out += (out.empty() ? "" : " \\\n") + one.name;
    for (const std::string& value : one.values) {
      const bool plain = value.find_first_of(kSpecial) == std::string::npos;
      out += plain ? " " + value : " '" + value + "'";
    }
  }
  return out + "\n";
}

namespace {

/// The layers with experts as a Python list: "([0]*3+[1]*58)".
std::string layer_list(const Model& model) {
  std::string text = "(";
  for (std::int64_t begin = 0; begin < model.layers;) {
    std::int64_t end = begin + 1;
    while (end < model.layers && model.has_experts(end) == model.has_experts(begin)) ++end;
    text += fmt::format("{}[{}]*{}", begin == 0 ? "" : "+", model.has_experts(begin) ? 1 : 0,
                        end - begin);
    begin = end;
  }
  return text + ")";
}

void write_attention(const Model& model, MegatronWriter& out) {
  out.add("--num-attention-heads", model.heads);
  if (model.mla) {
    const Mla& mla = *model.mla;
    out.flag("--multi-latent-attention");
    if (mla.q_rank > 0) out.add("--q-lora-rank", mla.q_rank);
    out.add("--kv-lora-rank", mla.kv_rank);
    out.add("--qk-head-dim", mla.nope_dim);
    out.add("--qk-pos-emb-head-dim", mla.rope_dim);
    out.add("--v-head-dim", mla.v_dim);
    return;
  }
  if (model.kv() != model.heads) {
    out.flag("--group-query-attention");
    out.add("--num-query-groups", model.kv());
  }
  if (model.head_size() * model.heads != model.hidden) out.add("--kv-channels", model.head_size());
  out.flag("--qk-layernorm", model.qk_norm);
  // Window before and after a token.
  if (model.window > 0) out.add("--window-size", fmt::format("{},0", model.window - 1));
  if (model.window > 0 && model.full_every > 0)
    out.add("--window-attn-skip-freq", model.full_every);
}

void write_biases(const Model& model, MegatronWriter& out) {
  const bool linear = model.out_bias && model.mlp_bias;
  out.flag("--disable-bias-linear", !linear);
  out.flag("--add-qkv-bias", !linear && model.qkv_bias);
  out.unsupported("biases of only some linear layers",
                  model.out_bias != model.mlp_bias || (linear && !model.qkv_bias));
}

void write_ends(const Spec& spec, MegatronWriter& out) {
  const Model& model = spec.model;
  out.add("--vocab-size", model.vocab);
  // Megatron pads the vocabulary to a multiple of 128 for each tensor-parallel rank.
  if (model.vocab % (128 * spec.parallel.tp) != 0) out.add("--make-vocab-size-divisible-by", 1);
  out.add("--max-position-embeddings",
          model.max_positions > 0 ? model.max_positions : spec.batch.seq);
  const char* positions = model.positions == Positions::rope       ? "rope"
                          : model.positions == Positions::relative ? "relative"
                          : model.positions == Positions::learned  ? "learned_absolute"
                                                                   : "none";
  out.add("--position-embedding-type", positions);
  out.unsupported("ALiBi positions", model.positions == Positions::alibi);
  out.flag("--untie-embeddings-and-output-weights", !model.tied_embeddings);
}

void write_experts(const Spec& spec, MegatronWriter& out) {
  const Model& model = spec.model;
  const Moe& moe = *model.moe;
  out.add("--num-experts", moe.experts);
  out.add("--moe-router-topk", moe.top_k);
  out.add("--moe-ffn-hidden-size", model.expert_inner());
  if (moe.shared_experts > 0)
    out.add("--moe-shared-expert-intermediate-size", model.shared_inner());
  out.flag("--moe-shared-expert-gate", moe.shared_gate);
  if (moe.router_bias) {  // Megatron supports it with sigmoid scores only
    out.add("--moe-router-score-function", "sigmoid");
    out.flag("--moe-router-enable-expert-bias");
  }
  if (model.expert_layers() != model.layers) out.add("--moe-layer-freq", layer_list(model));
  if (moe.capacity_factor > 0) {
    out.add("--moe-expert-capacity-factor", moe.capacity_factor);
    out.flag("--moe-pad-expert-input-to-capacity", moe.pad_to_capacity);
  }
  const Dispatcher dispatcher = dispatcher_of(spec);
  const bool flex = dispatcher == Dispatcher::deepep || dispatcher == Dispatcher::hybridep;
  out.add("--moe-token-dispatcher-type", flex ? "flex" : "alltoall");
  if (flex) out.add("--moe-flex-dispatcher-backend", config::enum_name(dispatcher));
  out.flag("--moe-grouped-gemm", spec.kernels.fusion().grouped);
  out.unsupported(
      "parallel.dispatcher " + std::string(config::enum_name(dispatcher)),
      dispatcher == Dispatcher::deepep_low_latency || dispatcher == Dispatcher::in_network);
  out.unsupported("biases of experts only", moe.expert_bias && !model.mlp_bias);
  out.unsupported("model.moe.clamp", moe.clamp);
  out.unsupported("model.moe.imbalance: the result of the router", moe.imbalance != 1);
}

void write_parts_without(const Model& model, MegatronWriter& out) {
  out.unsupported("a bias of the head", model.head_bias);
  out.unsupported("a norm after the embedding", model.embedding_norm);
  out.unsupported("no norm after the last layer", !model.final_norm);
  out.unsupported("norms of queries and keys with weights for every head", model.qk_norm_wide);
  out.unsupported("attention sinks", model.sinks);
  out.unsupported("norms after attention and MLP", model.post_norms);
  out.unsupported("parallel attention and MLP", model.parallel_block);
  out.unsupported("a table of token types", model.token_types > 0);
  out.unsupported("a pooler", model.pooler);
}

}  // namespace

void write_megatron_model(const Spec& spec, MegatronWriter& out) {
  const Model& model = spec.model;
  if (model.kind != ModelKind::decoder) {
    out.unsupported(fmt::format("model.kind {}: pretrain_gpt.py trains only decoders",
                                std::string(config::enum_name(model.kind))));
    return;
  }
  out.add("--num-layers", model.layers);
  out.add("--hidden-size", model.hidden);
  out.add("--ffn-hidden-size", model.inner());
  write_attention(model, out);
  out.flag("--swiglu", model.mlp == Mlp::swiglu);
  out.unsupported("an MLP with " + std::string(config::enum_name(model.mlp)),
                  model.mlp == Mlp::relu || model.mlp == Mlp::geglu);
  out.add("--normalization", model.norm == Norm::rmsnorm ? "RMSNorm" : "LayerNorm");
  write_biases(model, out);
  write_ends(spec, out);
  if (!model.dropout) {
    out.add("--hidden-dropout", 0);
    out.add("--attention-dropout", 0);
  }
  if (model.moe) write_experts(spec, out);
  write_parts_without(model, out);
}

}  // namespace orrery::workload
