// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments (megatron/training/arguments.py: names and defaults), as NeMo spells
// them, too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <utility>

#include "orrery/workload/import_internal.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;
using config::Named;

namespace {

/// "1", or a Python list such as "([0]*3+[1]*58)": how many dense layers come first, and then every
/// how-manieth has experts.
Result<void> read_layer_frequency(KeyReader& keys, const Json& file, Moe& moe) {
  if (!keys.has("moe_layer_freq")) return {};
  const Json& value = file["moe_layer_freq"];
  if (value.is_number()) {
    moe.every = std::max<std::int64_t>(whole(keys, "moe_layer_freq", 1), 1);
    return {};
  }
  std::string text = keys.text("moe_layer_freq", "");
  std::erase_if(text, [](char c) { return c == ' ' || c == '(' || c == ')' || c == '\''; });
  long long dense = 0, sparse = 0;
  int read = 0;
  const bool plain =
      std::sscanf(text.c_str(), "[0]*%lld+[1]*%lld%n", &dense, &sparse, &read) == 2 &&
      static_cast<std::size_t>(read) == text.size();
  if (!plain || dense < 0 || dense > 65536) {
    return fail(Errc::config_range, keys.place("moe_layer_freq"),
                "only a number or [0]*A+[1]*B is understood");
  }
  moe.first_dense = dense;
  return {};
}

Result<void> read_experts(KeyReader& keys, const Json& file, Model& model) {
  const std::int64_t experts = whole(keys, {"num_experts", "num_moe_experts"}, 0);
  Moe moe = model.moe.value_or(Moe{});
  moe.experts = experts;
  moe.top_k = whole(keys, "moe_router_topk", 2);
  moe.ffn = whole(keys, "moe_ffn_hidden_size", 0);
  moe.shared_ffn = whole(keys, "moe_shared_expert_intermediate_size", 0);
  moe.shared_experts = moe.shared_ffn > 0 ? 1 : 0;
  moe.router_bias = keys.flag("moe_router_enable_expert_bias");
  if (keys.has("moe_expert_capacity_factor"))
    moe.capacity_factor = keys.number("moe_expert_capacity_factor", 0);
  moe.pad_to_capacity = keys.flag("moe_pad_expert_input_to_capacity");
  if (auto fine = read_layer_frequency(keys, file, moe); !fine) return fine;
  if (experts > 1) model.moe = moe;
  return {};
}

void read_latent_attention(KeyReader& keys, Model& model) {
  const bool latent = keys.flag("multi_latent_attention");
  Mla mla;
  mla.q_rank = whole(keys, "q_lora_rank", 0);
  mla.kv_rank = whole(keys, "kv_lora_rank", 512);
  mla.nope_dim = whole(keys, "qk_head_dim", 128);
  mla.rope_dim = whole(keys, "qk_pos_emb_head_dim", 64);
  mla.v_dim = whole(keys, "v_head_dim", 128);
  if (!latent) return;
  model.mla = mla;
  model.head_dim = 0;
}

bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

void read_shape(KeyReader& keys, Model& model) {
  model.layers = whole(keys, "num_layers", model.layers);
  model.hidden = whole(keys, "hidden_size", model.hidden);
  model.ffn = whole(keys, "ffn_hidden_size", 0);
  model.heads = whole(keys, "num_attention_heads", model.heads);
  model.head_dim = whole(keys, "kv_channels", 0);
  const std::int64_t groups = whole(keys, "num_query_groups", 0);
  if (keys.flag("group_query_attention") || !keys.has("tensor_model_parallel_size") || groups > 1)
    model.kv_heads = groups;
  model.vocab = whole(keys, {"padded_vocab_size", "vocab_size"}, model.vocab);
  model.max_positions = whole(keys, "max_position_embeddings", 0);
  const std::string activation = keys.text("activation", "gelu");
  model.mlp = keys.flag("swiglu") || mentions(activation, "swiglu")       ? Mlp::swiglu
              : mentions(activation, "geglu")                             ? Mlp::geglu
              : mentions(activation, "relu") || keys.flag("squared_relu") ? Mlp::relu
                                                                          : Mlp::gelu;
  std::string norm = keys.text("normalization", "LayerNorm");
  std::transform(norm.begin(), norm.end(), norm.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  model.norm = norm == "rmsnorm" ? Norm::rmsnorm : Norm::layernorm;
  const std::string positions = keys.text("position_embedding_type", "learned_absolute");
  model.positions = keys.flag("use_rotary_position_embeddings") || positions == "rope"
                        ? Positions::rope
                    : positions == "none" ? Positions::none
                                          : Positions::learned;
  const bool biases = !keys.flag("disable_bias_linear") && (!keys.has("bias") || keys.flag("bias"));
  model.out_bias = model.mlp_bias = biases;
  model.qkv_bias = biases || keys.flag("add_qkv_bias");
  model.tied_embeddings = !keys.flag("untie_embeddings_and_output_weights");
  if (keys.has("share_embeddings_and_output_weights"))
    model.tied_embeddings = keys.flag("share_embeddings_and_output_weights");
  model.qk_norm = keys.flag("qk_layernorm");
  // Both dropouts are 0.1 unless somebody says otherwise.
  model.dropout =
      keys.number("hidden_dropout", 0.1) > 0 || keys.number("attention_dropout", 0.1) > 0;
}

void read_plan(KeyReader& keys, Spec& spec) {
  constexpr std::array kMethods = {Named<ContextMethod>{"p2p", ContextMethod::ring},
                                   Named<ContextMethod>{"all_gather", ContextMethod::all_gather},
                                   Named<ContextMethod>{"a2a", ContextMethod::ulysses}};
  Parallel& plan = spec.parallel;
  plan.tp = whole(keys, "tensor_model_parallel_size", 1);
  plan.pp = whole(keys, "pipeline_model_parallel_size", 1);
  plan.cp = whole(keys, "context_parallel_size", 1);
  plan.ep = whole(keys, "expert_model_parallel_size", 1);
  plan.etp = whole(keys, "expert_tensor_parallel_size", 0);
  plan.sp = keys.flag("sequence_parallel") || keys.flag("enable_sequence_parallel");
  plan.sp = plan.sp && plan.tp > 1;
  plan.cp_method = keys.choice<ContextMethod>("cp_comm_type", ContextMethod::ring, kMethods);
  const bool fsdp = keys.flag("use_torch_fsdp2") || keys.flag("use_custom_fsdp") ||
                    keys.flag("use_megatron_fsdp");
  const bool distributed = keys.flag("use_distributed_optimizer") ||
                           keys.text("optimizer", "adam") == "distributed_fused_adam";
  plan.sharding = fsdp ? Sharding::zero3 : distributed ? Sharding::zero1 : Sharding::none;
  plan.overlap_gradients = keys.flag("overlap_grad_reduce") || keys.flag("overlap_grad_sync");
  if (keys.has("ddp_bucket_size"))
    plan.bucket = Bytes(whole(keys, "ddp_bucket_size", 0) *
                        static_cast<std::int64_t>(bytes_of(spec.precision.reduce)));
}

Result<void> read_schedule(KeyReader& keys, Spec& spec) {
  std::int64_t chunks = whole(
      keys, {"virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank"}, 1);
  const std::int64_t layers = whole(keys, "num_layers_per_virtual_pipeline_stage", 0);
  if (layers > 0 && spec.parallel.pp > 0) {
    const std::int64_t parts = product({spec.parallel.pp, layers});
    if (spec.model.layers % parts != 0)
      return fail(Errc::config_conflict, keys.place("num_layers_per_virtual_pipeline_stage"),
                  fmt::format("{} layers cannot be cut into parts of {} on {} stages",
                              spec.model.layers, layers, spec.parallel.pp));
    chunks = spec.model.layers / parts;
  }
  spec.schedule.chunks = std::max<std::int64_t>(chunks, 1);
  if (spec.schedule.chunks > 1) spec.schedule.kind = ScheduleKind::interleaved;
  return {};
}

void read_memory(KeyReader& keys, Spec& spec) {
  const std::string kept =
      keys.text("recompute_granularity", keys.text("activations_checkpoint_granularity", ""));
  if (kept == "full") spec.recompute.kind = RecomputeKind::full;
  if (kept == "selective" || keys.flag("recompute_activations"))
    spec.recompute.kind = RecomputeKind::selective;
  if (keys.flag("fp16")) spec.precision.weights = spec.precision.activations = Dtype::fp16;
  if (keys.flag("bf16")) spec.precision.weights = spec.precision.activations = Dtype::bf16;
  const std::string type = keys.text("precision", "");
  if (type.rfind("16", 0) == 0) spec.precision.weights = spec.precision.activations = Dtype::fp16;
  if (type.rfind("32", 0) == 0) spec.precision.weights = spec.precision.activations = Dtype::fp32;
  if (keys.text("grad_reduce_in_bf16", "") == "true" || keys.has("grad_reduce_in_bf16"))
    spec.precision.reduce = Dtype::bf16;
  if (keys.text("exp_avg_dtype", "fp32") == "bf16") spec.precision.optimizer = Dtype::bf16;
  if (keys.has("use_flash_attn")) spec.kernels.flash_attention = keys.flag("use_flash_attn");
  const std::string optimizer = keys.text("optimizer", "adam");
  spec.optimizer.kind = optimizer == "sgd" ? OptimizerKind::sgd_momentum : OptimizerKind::adamw;
  if (keys.has("clip_grad")) spec.optimizer.gradient_norm = keys.number("clip_grad", 1) > 0;
}

void read_batch(KeyReader& keys, Spec& spec) {
  spec.batch.micro = whole(keys, {"micro_batch_size", "micro_batch"}, 1);
  spec.batch.global = whole(keys, {"global_batch_size", "global_batch"}, 0);
  spec.batch.seq = whole(keys, {"seq_length", "encoder_seq_length"}, spec.batch.seq);
}

/// The number of devices, by whatever says so; 0 = nothing does.
std::int64_t read_world(KeyReader& keys) {
  const std::int64_t nodes = whole(keys, {"nnodes", "num_nodes"}, 0);
  const std::int64_t each = whole(keys, {"nproc_per_node", "devices"}, 0);
  const std::int64_t world = whole(keys, "world_size", 0);
  return world != 0 ? world : product({nodes, each});
}

/// What "${.seq}" or "${model.seq}" stands for: the last word's value in `section`, else nothing.
const Json& reference(const Json& value, const Json& section) {
  static const Json kNothing;
  if (!value.is_string()) return value;
  const std::string& text = value.get_ref<const std::string&>();
  if (text.rfind("${", 0) != 0 || text.back() != '}') return value;
  const std::size_t begin = text.find_last_of("{.") + 1;
  const auto found = section.find(text.substr(begin, text.size() - 1 - begin));
  return found == section.end() || found->is_string() ? kNothing : *found;
}

/// What says nothing about what is computed.
constexpr std::string_view kShapelessArguments[] = {"lr",
                                                    "min_lr",
                                                    "weight_decay",
                                                    "adam_beta1",
                                                    "adam_beta2",
                                                    "adam_eps",
                                                    "lr_decay_style",
                                                    "lr_warmup_iters",
                                                    "lr_decay_iters",
                                                    "lr_warmup_fraction",
                                                    "train_iters",
                                                    "train_samples",
                                                    "log_interval",
                                                    "save_interval",
                                                    "eval_interval",
                                                    "eval_iters",
                                                    "save",
                                                    "load",
                                                    "data_path",
                                                    "vocab_file",
                                                    "merge_file",
                                                    "tokenizer_type",
                                                    "tokenizer_model",
                                                    "split",
                                                    "init_method_std",
                                                    "master_addr",
                                                    "master_port",
                                                    "node_rank",
                                                    "distributed_backend",
                                                    "use_mcore_models",
                                                    "transformer_impl",
                                                    "norm_epsilon",
                                                    "rotary_base",
                                                    "rotary_percent",
                                                    "no_masked_softmax_fusion",
                                                    "attention_softmax_in_fp32",
                                                    "moe_grouped_gemm",
                                                    "moe_token_dispatcher_type",
                                                    "moe_router_load_balancing_type",
                                                    "moe_aux_loss_coeff",
                                                    "make_vocab_size_divisible_by",
                                                    "seed",
                                                    "mock_data"};

}  // namespace

Json nemo_arguments(const Json& file) {
  Json flat = Json::object();
  for (const char* const section : {"model", "trainer"}) {
    const auto found = file.find(section);
    if (found == file.end() || !found->is_object()) continue;
    for (const auto& [key, value] : found->items()) {
      const Json& meant = reference(value, *found);
      if (!meant.is_null() && !meant.is_structured()) flat[key] = meant;
    }
  }
  const auto model = file.find("model");
  if (model != file.end() && model->is_object() && model->contains("optim") &&
      (*model)["optim"].is_object() && (*model)["optim"].contains("name"))
    flat["optimizer"] = (*model)["optim"]["name"];
  return flat;
}

Result<void> import_megatron(Spec& spec, const Json& file, const std::string& where,
                             Findings& findings) {
  KeyReader keys(file, where);
  Spec read = spec;
  read.model = Model{};
  read.model.name = "Megatron model";
  read_shape(keys, read.model);
  read_latent_attention(keys, read.model);
  if (auto fine = read_experts(keys, file, read.model); !fine) return fine;
  read_plan(keys, read);
  if (auto fine = read_schedule(keys, read); !fine) return fine;
  read_memory(keys, read);
  read_batch(keys, read);
  const std::int64_t world = read_world(keys);
  for (const std::string_view name : kShapelessArguments) static_cast<void>(keys.has(name));
  if (auto fine = finish(keys, findings); !fine) return fine;
  set_world(read, world, where, findings);
  if (!keys.has("vocab_size") && !keys.has("padded_vocab_size")) {
    read.model.vocab = 51200;
    findings.add(FindingCode::default_assumed, where + ": vocab = 51200");
  }
  spec = std::move(read);
  return {};
}

}  // namespace orrery::workload
