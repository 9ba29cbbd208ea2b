// SPDX-License-Identifier: Apache-2.0
//
// Reads config.json of Hugging Face's transformers. Meaning and defaults of keys: the configuration
// classes of that library, family by family.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/key_table.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;

namespace {

/// The MLP type of an activation's name, with or without a gate.
Mlp mlp_named(const std::string& word, bool is_gated) {
  if (word.find("relu") != std::string::npos) return Mlp::relu;
  if (!is_gated) return Mlp::gelu;
  return word.find("gelu") != std::string::npos ? Mlp::geglu : Mlp::swiglu;
}

/// The flag `key`; `fallback` if it is missing.
bool read_flag(KeyReader& keys, std::string_view key, bool fallback) {
  return keys.has(key) ? keys.flag(key) : fallback;
}

/// Reads a shape like LLaMA's, from which most families derive: rmsnorm, rope, gated MLP, no
/// biases. Layers, hidden size and heads are required.
void read_llama(KeyReader& keys, Model& model) {
  model.kind = ModelKind::decoder;
  model.norm = Norm::rmsnorm;
  model.positions = Positions::rope;
  model.layers = whole(keys, "num_hidden_layers", model.layers);
  model.hidden = whole(keys, "hidden_size", model.hidden);
  model.ffn = whole(keys, "intermediate_size", 0);
  model.heads = whole(keys, "num_attention_heads", model.heads);
  model.kv_heads = whole(keys, "num_key_value_heads", 0);
  model.head_dim = whole(keys, "head_dim", 0);
  model.vocab = whole(keys, "vocab_size", model.vocab);
  model.mlp = mlp_named(keys.text("hidden_act", "silu"), true);
  model.qkv_bias = model.out_bias = keys.flag("attention_bias");
  model.mlp_bias = keys.flag("mlp_bias");
  model.tied_embeddings = keys.flag("tie_word_embeddings");
  for (const char* const key : {"num_hidden_layers", "hidden_size", "num_attention_heads"}) {
    if (!keys.has(key)) keys.fail(Errc::config_missing_key, keys.place(key), "is missing");
  }
}

void read_mistral(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.window = whole(keys, "sliding_window", 0);
}

void read_mixtral(KeyReader& keys, Model& model) {
  read_mistral(keys, model);
  model.moe = Moe{};
  model.moe->experts = whole(keys, "num_local_experts", 8);
  model.moe->top_k = whole(keys, "num_experts_per_tok", 2);
}

void read_qwen2(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.qkv_bias = true;
  model.out_bias = false;
  if (keys.flag("use_sliding_window")) model.window = whole(keys, "sliding_window", 0);
  ignore_keys(keys, {"sliding_window", "max_window_layers", "layer_types"});
}

void read_qwen3(KeyReader& keys, Model& model) {
  read_qwen2(keys, model);
  model.qkv_bias = model.out_bias = keys.flag("attention_bias");
  model.qk_norm = true;
}

void read_qwen_experts(KeyReader& keys, Model& model) {
  model.moe = Moe{};
  model.moe->experts = whole(keys, "num_experts", 60);
  model.moe->top_k = whole(keys, "num_experts_per_tok", 4);
  model.moe->ffn = whole(keys, "moe_intermediate_size", 0);
  model.moe->every = std::max<std::int64_t>(whole(keys, "decoder_sparse_step", 1), 1);
}

void read_qwen2_moe(KeyReader& keys, Model& model) {
  read_qwen2(keys, model);
  read_qwen_experts(keys, model);
  model.moe->shared_experts = 1;
  model.moe->shared_ffn = whole(keys, "shared_expert_intermediate_size", 0);
  model.moe->shared_gate = true;
}

void read_qwen3_moe(KeyReader& keys, Model& model) {
  read_qwen3(keys, model);
  read_qwen_experts(keys, model);
}

void read_deepseek(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.head_dim = 0;
  model.mla = Mla{};
  model.mla->q_rank = whole(keys, "q_lora_rank", 0);
  model.mla->kv_rank = whole(keys, "kv_lora_rank", 512);
  model.mla->nope_dim = whole(keys, "qk_nope_head_dim", 128);
  model.mla->rope_dim = whole(keys, "qk_rope_head_dim", 64);
  model.mla->v_dim = whole(keys, "v_head_dim", 128);
  model.moe = Moe{};
  model.moe->experts = whole(keys, "n_routed_experts", 256);
  model.moe->top_k = whole(keys, "num_experts_per_tok", 8);
  model.moe->ffn = whole(keys, "moe_intermediate_size", 0);
  model.moe->shared_experts = whole(keys, "n_shared_experts", 0);
  model.moe->first_dense = whole(keys, "first_k_dense_replace", 0);
  model.moe->every = std::max<std::int64_t>(whole(keys, "moe_layer_freq", 1), 1);
  // The bias that balances experts came with version 3 ("noaux_tc").
  model.moe->router_bias = keys.text("topk_method", "") == "noaux_tc";
}

void read_gemma(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.mlp = Mlp::geglu;
  model.tied_embeddings = read_flag(keys, "tie_word_embeddings", true);
  ignore_keys(keys, {"hidden_activation"});
}

void read_gemma2(KeyReader& keys, Model& model) {
  read_gemma(keys, model);
  model.post_norms = true;
  model.window = whole(keys, "sliding_window", 4096);
  model.full_every = 2;
  ignore_keys(keys, {"query_pre_attn_scalar", "attn_logit_softcapping", "final_logit_softcapping"});
}

void read_gemma3(KeyReader& keys, Model& model) {
  read_gemma2(keys, model);
  model.qk_norm = true;
  model.full_every = whole(keys, "sliding_window_pattern", 6);
}

void read_phi(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.norm = Norm::layernorm;
  model.mlp = Mlp::gelu;
  model.parallel_block = true;
  model.qkv_bias = model.out_bias = model.mlp_bias = model.head_bias = true;
  model.qk_norm = keys.flag("qk_layernorm");
}

/// Reads GPT-2's shape, with GPT-2's key names.
void read_gpt2(KeyReader& keys, Model& model) {
  model.kind = ModelKind::decoder;
  model.layers = whole(keys, {"n_layer", "num_layers"}, 12);
  model.hidden = whole(keys, {"n_embd", "hidden_size"}, 768);
  model.heads = whole(keys, {"n_head", "num_heads"}, 12);
  model.ffn = whole(keys, "n_inner", 0);
  model.vocab = whole(keys, "vocab_size", 50257);
  model.max_positions = whole(keys, {"n_positions", "n_ctx"}, 1024);
  model.mlp = mlp_named(keys.text("activation_function", "gelu_new"), false);
  model.tied_embeddings = read_flag(keys, "tie_word_embeddings", true);
}

void read_gptj(KeyReader& keys, Model& model) {
  read_gpt2(keys, model);
  model.positions = Positions::rope;
  model.max_positions = 0;
  model.parallel_block = true;
  model.qkv_bias = model.out_bias = false;
  model.tied_embeddings = keys.flag("tie_word_embeddings");
  model.head_bias = true;
}

void read_gpt_neox(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.norm = Norm::layernorm;
  model.mlp = mlp_named(keys.text("hidden_act", "gelu"), false);
  model.qkv_bias = model.out_bias = read_flag(keys, "attention_bias", true);
  model.mlp_bias = true;
  // Attention and MLP run in parallel, each after its own norm. The model runs them one after the
  // other, which is the same work.
  ignore_keys(keys, {"use_parallel_residual"});
}

void read_opt(KeyReader& keys, Model& model) {
  model.kind = ModelKind::decoder;
  model.layers = whole(keys, "num_hidden_layers", 12);
  model.hidden = whole(keys, "hidden_size", 768);
  model.heads = whole(keys, "num_attention_heads", 12);
  model.ffn = whole(keys, "ffn_dim", 0);
  model.vocab = whole(keys, "vocab_size", 50272);
  model.max_positions = whole(keys, "max_position_embeddings", 2048) + 2;  // two rows of padding
  model.mlp = mlp_named(keys.text("activation_function", "relu"), false);
}

void read_bloom(KeyReader& keys, Model& model) {
  read_gpt2(keys, model);
  model.heads = whole(keys, {"n_head", "num_attention_heads"}, 8);
  model.positions = Positions::alibi;
  model.max_positions = 0;
  model.embedding_norm = true;
  model.mlp = Mlp::gelu;
}

void read_falcon(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.norm = Norm::layernorm;
  model.mlp = Mlp::gelu;
  model.qkv_bias = model.out_bias = model.mlp_bias = keys.flag("bias");
  model.tied_embeddings = true;
  model.kv_heads = keys.flag("multi_query") ? 1 : model.kv_heads;
  if (keys.flag("new_decoder_architecture")) model.kv_heads = whole(keys, "num_kv_heads", 8);
  // In the new architecture each branch has its own norm.
  model.parallel_block = keys.flag("parallel_attn") && !keys.flag("new_decoder_architecture");
  if (keys.flag("alibi")) model.positions = Positions::alibi;
}

/// Norms follow attention and MLP instead of preceding them; their number is the same. Queries and
/// keys are normalized over all heads at once.
void read_olmo2(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.qk_norm = model.qk_norm_wide = true;
}

void read_olmo3(KeyReader& keys, Model& model) {
  read_olmo2(keys, model);
  model.window = whole(keys, "sliding_window", 4096);
  model.full_every = 4;
}

/// Attention and MLP run in parallel after one norm. Its LayerNorm without bias has as many weights
/// as an rmsnorm, so rmsnorm is used.
void read_cohere(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.parallel_block = true;
  model.tied_embeddings = read_flag(keys, "tie_word_embeddings", true);
  model.qk_norm = model.qk_norm_wide = keys.flag("use_qk_norm");
  ignore_keys(keys, {"logit_scale"});
}

void read_cohere2(KeyReader& keys, Model& model) {
  read_cohere(keys, model);
  model.window = whole(keys, "sliding_window", 4096);
  model.full_every = whole(keys, "sliding_window_pattern", 4);
  ignore_keys(keys, {"order_of_interleaved_layers"});
}

/// One matrix computes queries, keys and values; it has the size of three.
void read_internlm2(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.qkv_bias = model.out_bias = keys.flag("bias");
}

void read_stablelm(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.norm = Norm::layernorm;
  model.qkv_bias = keys.flag("use_qkv_bias");
  model.out_bias = false;
  model.qk_norm = model.qk_norm_wide = keys.flag("qk_layernorm");
  model.parallel_block = keys.flag("use_parallel_residual");
  ignore_keys(keys, {"use_norm_bias"});
}

void read_starcoder2(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.norm = Norm::layernorm;
  model.mlp = mlp_named(keys.text("hidden_act", "gelu_pytorch_tanh"), false);
  model.qkv_bias = model.out_bias = model.mlp_bias = read_flag(keys, "use_bias", true);
  model.tied_embeddings = read_flag(keys, "tie_word_embeddings", true);
  model.window = whole(keys, "sliding_window", 0);
  ignore_keys(keys, {"mlp_type", "norm_type"});
}

/// GPT-2 with one head of keys and values.
void read_gpt_bigcode(KeyReader& keys, Model& model) {
  read_gpt2(keys, model);
  model.kv_heads = read_flag(keys, "multi_query", true) ? 1 : 0;
}

void read_minicpm(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.tied_embeddings = read_flag(keys, "tie_word_embeddings", true);
  ignore_keys(keys, {"scale_emb", "dim_model_base", "scale_depth"});
  const std::int64_t experts = whole(keys, "num_experts", 0);
  const std::int64_t top_k = whole(keys, "num_experts_per_tok", 2);
  if (experts > 1) model.moe = Moe{.experts = experts, .top_k = top_k};
}

/// Every second layer has an attention window. All matrices have biases, and every head has a sink.
void read_gpt_oss(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.qkv_bias = model.out_bias = read_flag(keys, "attention_bias", true);
  model.sinks = true;
  model.window = whole(keys, "sliding_window", 128);
  model.full_every = model.window > 0 ? 2 : 0;
  model.moe = Moe{};
  model.moe->experts = whole(keys, "num_local_experts", 128);
  model.moe->top_k = whole(keys, {"num_experts_per_tok", "experts_per_token"}, 4);
  model.moe->router_bias = model.moe->expert_bias = model.moe->clamp = true;
  ignore_keys(keys, {"swiglu_limit", "swiglu_alpha"});
}

/// GLM-4.5: biases of queries, keys and values only; DeepSeek-V3's router.
void read_glm4_moe(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.out_bias = false;
  model.qk_norm = keys.flag("use_qk_norm");
  model.moe = Moe{};
  model.moe->experts = whole(keys, "n_routed_experts", 128);
  model.moe->top_k = whole(keys, "num_experts_per_tok", 8);
  model.moe->ffn = whole(keys, "moe_intermediate_size", 1408);
  model.moe->shared_experts = whole(keys, "n_shared_experts", 1);
  model.moe->first_dense = whole(keys, "first_k_dense_replace", 1);
  model.moe->router_bias = true;
  ignore_keys(keys, {"use_grouped_mm"});
}

void read_bert(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.kind = ModelKind::encoder;
  model.norm = Norm::layernorm;
  model.mlp = mlp_named(keys.text("hidden_act", "gelu"), false);
  model.positions = Positions::learned;
  model.max_positions = whole(keys, "max_position_embeddings", 512);
  model.token_types = whole(keys, "type_vocab_size", 2);
  model.qkv_bias = model.out_bias = model.mlp_bias = true;
  model.embedding_norm = true;
  model.final_norm = false;
  model.pooler = true;
  model.tied_embeddings = true;
}

void read_t5(KeyReader& keys, Model& model) {
  model.kind = ModelKind::encoder_decoder;
  model.norm = Norm::rmsnorm;
  model.positions = Positions::relative;
  model.encoder_layers = whole(keys, "num_layers", 6);
  model.layers = whole(keys, "num_decoder_layers", model.encoder_layers);
  model.hidden = whole(keys, "d_model", 512);
  model.ffn = whole(keys, "d_ff", 2048);
  model.head_dim = whole(keys, "d_kv", 64);
  model.heads = whole(keys, "num_heads", 8);
  model.vocab = whole(keys, "vocab_size", 32128);
  const std::string projection = keys.text("feed_forward_proj", "relu");
  model.mlp = mlp_named(projection, projection.rfind("gated", 0) == 0);
  model.qkv_bias = model.out_bias = model.mlp_bias = false;
  model.tied_embeddings = read_flag(keys, "tie_word_embeddings", true);
  ignore_keys(keys, {"n_positions", "is_encoder_decoder"});
}

void read_vit(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.kind = ModelKind::vit;
  model.norm = Norm::layernorm;
  model.mlp = mlp_named(keys.text("hidden_act", "gelu"), false);
  model.positions = Positions::learned;
  model.qkv_bias = model.out_bias = model.mlp_bias = true;
  model.vision = Vision{};
  model.vision->image = whole(keys, "image_size", 224);
  model.vision->patch = whole(keys, "patch_size", 16);
  model.vision->channels = whole(keys, "num_channels", 3);
  ignore_keys(keys, {"qkv_bias"});
}

/// Modules of multi-token prediction, which DeepSeek-V3 and models like it were trained with.
/// Those of a hybrid model stay unread, which is a finding.
void read_predictions(KeyReader& keys, Model& model) {
  if (!model.pattern.empty()) return;
  model.mtp_layers = whole(keys, "num_nextn_predict_layers", 0);
}

/// A model of Mamba-2 layers: `heads` and `head_dim` of the mixer, `expand` x hidden channels.
void read_mamba_shape(KeyReader& keys, Model& model, std::int64_t chunk) {
  Mamba mamba;
  mamba.state = whole(keys, {"ssm_state_size", "state_size", "mamba_d_state"}, 128);
  mamba.head_dim = whole(keys, {"mamba_head_dim", "head_dim"}, 64);
  mamba.heads = whole(keys, {"mamba_num_heads", "num_heads"}, 0);
  mamba.groups = whole(keys, "n_groups", 8);
  mamba.conv = whole(keys, "conv_kernel", 4);
  mamba.chunk = whole(keys, "chunk_size", chunk);
  const std::int64_t expand = whole(keys, "expand", 2);
  if (mamba.heads == 0 && mamba.head_dim > 0)
    mamba.heads = product({expand, model.hidden}) / mamba.head_dim;
  model.mamba = mamba;
}

/// Transformers, models/mamba2/configuration_mamba2.py.
void read_mamba2(KeyReader& keys, Model& model) {
  model.kind = ModelKind::decoder;
  model.norm = Norm::rmsnorm;
  model.positions = Positions::none;
  model.layers = whole(keys, "num_hidden_layers", 64);
  model.hidden = whole(keys, "hidden_size", 4096);
  model.heads = 1;  // no layer has attention
  model.vocab = whole(keys, "vocab_size", 32768);
  model.tied_embeddings = keys.flag("tie_word_embeddings");
  model.qkv_bias = model.out_bias = model.mlp_bias = false;
  read_mamba_shape(keys, model, 256);
  constexpr std::int64_t kMostLayers = 65536;
  if (model.layers > kMostLayers)
    return keys.fail(Errc::config_range, keys.place("num_hidden_layers"),
                     fmt::format("is {}, but must be at most {}", model.layers, kMostLayers));
  model.pattern.assign(static_cast<std::size_t>(model.layers), 'M');
  if (keys.flag("use_bias"))
    keys.fail(Errc::input_unsupported, keys.place("use_bias"),
              "is true, but Mamba-2 projections have no biases here", "use a model without them");
  ignore_keys(keys,
              {"residual_in_fp32", "rms_norm", "use_conv_bias", "norm_before_gate", "rmsnorm"});
}

/// The list of layers in newer files, as symbols.
std::string symbols_of(KeyReader& keys) {
  constexpr std::array kTypes = {config::Named<LayerSymbol>{"mamba", LayerSymbol::mamba},
                                 config::Named<LayerSymbol>{"attention", LayerSymbol::attention},
                                 config::Named<LayerSymbol>{"mlp", LayerSymbol::mlp},
                                 config::Named<LayerSymbol>{"moe", LayerSymbol::experts}};
  std::string pattern;
  for (const std::string& type : keys.texts("layers_block_type")) {
    const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const auto& each) { return each.name == type; });
    if (known == kTypes.end()) {
      keys.fail(Errc::input_unsupported, keys.place("layers_block_type"),
                fmt::format("has {}", in_quotes(type)), "supported: mamba, attention, mlp, moe");
      return pattern;
    }
    pattern += static_cast<char>(known->value);
  }
  return pattern;
}

/// Nemotron-H and Nemotron 3: nvidia/Nemotron-H-8B-Base-8K, configuration_nemotron_h.py.
void read_nemotron_h(KeyReader& keys, Model& model) {
  read_llama(keys, model);
  model.positions = Positions::none;
  model.head_dim = whole(keys, {"attention_head_dim", "head_dim"}, 128);
  model.mlp = mlp_named(keys.text("mlp_hidden_act", "relu2"), false);
  model.mlp_bias = keys.flag("mlp_bias");
  model.pattern =
      keys.has("layers_block_type") ? symbols_of(keys) : keys.text("hybrid_override_pattern", "");
  if (model.pattern.empty())
    return keys.fail(Errc::config_missing_key, keys.place("hybrid_override_pattern"), "is missing");
  if (model.layers_of(LayerSymbol::mamba) > 0) read_mamba_shape(keys, model, 128);
  const std::int64_t experts = whole(keys, "n_routed_experts", 0);
  if (experts > 0 && model.layers_of(LayerSymbol::experts) > 0) {
    Moe moe;
    moe.experts = experts;
    moe.top_k = whole(keys, "num_experts_per_tok", 2);
    moe.ffn = whole(keys, "moe_intermediate_size", 0);
    moe.shared_experts = whole(keys, "n_shared_experts", 0);
    const std::int64_t shared = whole(keys, "moe_shared_expert_intermediate_size", 0);
    moe.shared_ffn = product({moe.shared_experts, shared});
    moe.router_bias = true;
    model.moe = moe;
  }
  ignore_keys(keys, {"mamba_hidden_act", "mamba_proj_bias", "use_bias", "use_conv_bias",
                     "residual_in_fp32", "sliding_window", "head_dim"});
}

/// A model_type and the reader of its config.json.
using HuggingFaceFamily = std::pair<std::string_view, void (*)(KeyReader&, Model&)>;
constexpr HuggingFaceFamily kFamilies[] = {
    {"llama", read_llama},
    {"mistral", read_mistral},
    {"mixtral", read_mixtral},
    {"qwen2", read_qwen2},
    {"qwen3", read_qwen3},
    {"qwen2_moe", read_qwen2_moe},
    {"qwen3_moe", read_qwen3_moe},
    {"deepseek_v2", read_deepseek},
    {"deepseek_v3", read_deepseek},
    {"gemma", read_gemma},
    {"gemma2", read_gemma2},
    {"gemma3_text", read_gemma3},
    {"phi", read_phi},
    {"phi3", read_mistral},
    {"gpt2", read_gpt2},
    {"gptj", read_gptj},
    {"gpt_neox", read_gpt_neox},
    {"opt", read_opt},
    {"bloom", read_bloom},
    {"falcon", read_falcon},
    {"RefinedWeb", read_falcon},
    {"bert", read_bert},
    {"cohere", read_cohere},
    {"cohere2", read_cohere2},
    {"glm4_moe", read_glm4_moe},
    {"gpt_bigcode", read_gpt_bigcode},
    {"gpt_oss", read_gpt_oss},
    {"internlm2", read_internlm2},
    {"mamba2", read_mamba2},
    {"minicpm", read_minicpm},
    {"nemotron_h", read_nemotron_h},
    {"olmo2", read_olmo2},
    {"olmo3", read_olmo3},
    {"stablelm", read_stablelm},
    {"starcoder2", read_starcoder2},
    {"t5", read_t5},
    {"vit", read_vit},
};

/// Reads the attention window of each layer. The model supports a window in all layers, in none, or
/// in all except every n-th.
void read_layer_types(KeyReader& keys, Model& model, Findings& findings) {
  if (!keys.has("layer_types") || model.window == 0) return;
  const std::vector<std::string> types = keys.texts("layer_types");
  const auto is_full = [](const std::string& type) { return type == "full_attention"; };
  const auto full = std::find_if(types.begin(), types.end(), is_full);
  model.full_every = full == types.end() ? 0 : full - types.begin() + 1;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if ((model.window_of(static_cast<std::int64_t>(i)) == 0) == is_full(types[i])) continue;
    findings.add(FindingCode::key_without_effect, keys.place("layer_types"));
    return;
  }
}

/// The family of model_type `type`; null if unknown.
const HuggingFaceFamily* family_of(std::string_view type) {
  const auto* const found = std::ranges::find(kFamilies, type, &HuggingFaceFamily::first);
  return found == std::end(kFamilies) ? nullptr : found;
}

tl::unexpected<Error> unknown_family(const std::string& type, const std::string& where) {
  std::vector<std::string_view> known;
  for (const HuggingFaceFamily& each : kFamilies) known.push_back(each.first);
  std::sort(known.begin(), known.end());
  const std::string near = did_you_mean(type, known);
  return fail(Errc::input_unsupported, where,
              fmt::format("the model family {} is not supported", in_quotes(type)),
              near + (near.empty() ? "" : " ") +
                  "write a specification with kind, layers, hidden, ffn, heads, kv_heads, "
                  "head_dim, vocab, mlp, norm, positions; supported families are " +
                  join(known));
}

Result<void> import_hugging_face(Spec& spec, const Json& file, const std::string& where,
                                 Findings& findings) {
  KeyReader keys(file, where);
  const std::string type = keys.text("model_type", "");
  if (keys.error()) return tl::unexpected(*keys.error());
  const HuggingFaceFamily* const family = family_of(type);
  if (family == nullptr) return unknown_family(type, keys.place("model_type"));
  Model model;
  model.name = type;
  family->second(keys, model);
  read_predictions(keys, model);
  read_layer_types(keys, model, findings);
  // Families that do not read these have them without effect.
  ignore_keys(keys, {"hidden_act", "max_position_embeddings", "num_key_value_heads",
                     "tie_word_embeddings", "topk_method"});
  report_unmodeled(keys, file, {{"word_embed_proj_dim", model.hidden}}, findings);
  if (auto done = apply_other_keys(kHuggingFaceTable.keys, keys, file, "", spec, findings); !done)
    return tl::unexpected(done.error());
  if (auto fine = finish(keys, findings); !fine) return fine;
  spec.model = std::move(model);
  return {};
}

}  // namespace

const Importer kHuggingFaceImporter{
    .name = "hugging_face",
    .tool = "Hugging Face",
    .files = "`config.json` (37 families)",
    .reads = "the model",
    .refuses = "unknown families, by name, with what a specification needs",
    .is_document =
        [](const Json& document) {
          return (document.contains("model_type") &&
                  !document.contains("base_model")) ||  // axolotl
                 has(document, {"architectures", "hidden_size"});
        },
    .import_document = import_hugging_face};

}  // namespace orrery::workload
