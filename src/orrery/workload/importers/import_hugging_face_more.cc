// SPDX-License-Identifier: Apache-2.0
//
// More families of Hugging Face's models. What keys mean, and what is meant when they are absent:
// the configuration and modelling files of that library, family by family.
#include <array>

#include "orrery/workload/importers/import_hugging_face.h"

namespace orrery::workload {

using config::KeyReader;

namespace {

/// Norms behind attention and MLP instead of before them, which are as many; queries and keys are
/// normed over all heads at once.
void read_olmo2(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.qk_norm = model.qk_norm_wide = true;
}

void read_olmo3(KeyReader& keys, Model& model) {
  read_olmo2(keys, model);
  model.window = whole(keys, "sliding_window", 4096);
  model.full_every = 4;
}

/// Attention and MLP side by side behind one norm. LayerNorm without bias: as many weights as
/// rmsnorm, for which it is taken.
void read_cohere(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.parallel_block = true;
  model.tied_embeddings = flag_or(keys, "tie_word_embeddings", true);
  model.qk_norm = model.qk_norm_wide = keys.flag("use_qk_norm");
  pass_over(keys, {"logit_scale"});
}

void read_cohere2(KeyReader& keys, Model& model) {
  read_cohere(keys, model);
  model.window = whole(keys, "sliding_window", 4096);
  model.full_every = whole(keys, "sliding_window_pattern", 4);
  pass_over(keys, {"rotary_pct", "order_of_interleaved_layers", "position_embedding_type"});
}

/// Queries, keys and values come from one matrix, which is as large as three.
void read_internlm2(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.qkv_bias = model.out_bias = keys.flag("bias");
  pass_over(keys, {"attn_implementation"});
}

void read_stablelm(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.norm = Norm::layernorm;
  model.qkv_bias = keys.flag("use_qkv_bias");
  model.out_bias = false;
  model.qk_norm = model.qk_norm_wide = keys.flag("qk_layernorm");
  model.parallel_block = keys.flag("use_parallel_residual");
  pass_over(keys, {"partial_rotary_factor", "rope_pct", "norm_eps", "use_norm_bias",
                   "rotary_scaling_factor"});
}

void read_starcoder2(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.norm = Norm::layernorm;
  model.mlp = mlp_named(keys.text("hidden_act", "gelu_pytorch_tanh"), false);
  model.qkv_bias = model.out_bias = model.mlp_bias = flag_or(keys, "use_bias", true);
  model.tied_embeddings = flag_or(keys, "tie_word_embeddings", true);
  model.window = whole(keys, "sliding_window", 0);
  pass_over(keys, {"norm_epsilon", "residual_dropout", "embedding_dropout", "mlp_type", "norm_type",
                   "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32"});
}

/// GPT-2 with one head of keys and values.
void read_gpt_bigcode(KeyReader& keys, Model& model) {
  read_gpt2(keys, model);
  model.kv_heads = flag_or(keys, "multi_query", true) ? 1 : 0;
  pass_over(keys, {"attention_softmax_in_fp32", "scale_attention_softmax_in_fp32",
                   "inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length",
                   "pre_allocate_kv_cache", "validate_runner_input"});
}

void read_minicpm(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.tied_embeddings = flag_or(keys, "tie_word_embeddings", true);
  pass_over(keys, {"scale_emb", "dim_model_base", "scale_depth"});
  const std::int64_t experts = whole(keys, "num_experts", 0);
  const std::int64_t top_k = whole(keys, "num_experts_per_tok", 2);
  if (experts > 1) model.moe = Moe{.experts = experts, .top_k = top_k};
}

/// Every second layer sees a window only; biases everywhere, and a sink for every head.
void read_gpt_oss(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.qkv_bias = model.out_bias = flag_or(keys, "attention_bias", true);
  model.sinks = true;
  model.window = whole(keys, "sliding_window", 128);
  model.full_every = model.window > 0 ? 2 : 0;
  model.moe = Moe{};
  model.moe->experts = whole(keys, "num_local_experts", 128);
  model.moe->top_k = whole(keys, {"num_experts_per_tok", "experts_per_token"}, 4);
  model.moe->router_bias = model.moe->expert_bias = true;
  pass_over(keys, {"swiglu_limit", "swiglu_alpha", "initial_context_length"});
}

/// GLM-4.5: biases of queries, keys and values alone; DeepSeek-V3's router.
void read_glm4_moe(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.out_bias = false;
  model.qk_norm = keys.flag("use_qk_norm");
  model.moe = Moe{};
  model.moe->experts = whole(keys, "n_routed_experts", 128);
  model.moe->top_k = whole(keys, "num_experts_per_tok", 8);
  model.moe->ffn = whole(keys, "moe_intermediate_size", 1408);
  model.moe->shared_experts = whole(keys, "n_shared_experts", 1);
  model.moe->first_dense = whole(keys, "first_k_dense_replace", 1);
  model.moe->router_bias = true;
  pass_over(keys, {"partial_rotary_factor", "use_grouped_mm"});
}

void read_bert(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
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
  model.tied_embeddings = !keys.has("tie_word_embeddings") || keys.flag("tie_word_embeddings");
  pass_over(keys, {"relative_attention_num_buckets", "relative_attention_max_distance",
                   "n_positions", "is_encoder_decoder", "decoder_start_token_id"});
}

void read_vit(KeyReader& keys, Model& model) {
  llama_shape(keys, model);
  model.kind = ModelKind::vit;
  model.norm = Norm::layernorm;
  model.mlp = mlp_named(keys.text("hidden_act", "gelu"), false);
  model.positions = Positions::learned;
  model.qkv_bias = model.out_bias = model.mlp_bias = true;
  model.vision = Vision{};
  model.vision->image = whole(keys, "image_size", 224);
  model.vision->patch = whole(keys, "patch_size", 16);
  model.vision->channels = whole(keys, "num_channels", 3);
  pass_over(keys, {"id2label", "label2id", "encoder_stride", "qkv_bias"});
}

constexpr std::array kMoreFamilies = {HuggingFaceFamily{"bert", read_bert},
                                      HuggingFaceFamily{"cohere", read_cohere},
                                      HuggingFaceFamily{"cohere2", read_cohere2},
                                      HuggingFaceFamily{"glm4_moe", read_glm4_moe},
                                      HuggingFaceFamily{"gpt_bigcode", read_gpt_bigcode},
                                      HuggingFaceFamily{"gpt_oss", read_gpt_oss},
                                      HuggingFaceFamily{"internlm2", read_internlm2},
                                      HuggingFaceFamily{"minicpm", read_minicpm},
                                      HuggingFaceFamily{"olmo2", read_olmo2},
                                      HuggingFaceFamily{"olmo3", read_olmo3},
                                      HuggingFaceFamily{"stablelm", read_stablelm},
                                      HuggingFaceFamily{"starcoder2", read_starcoder2},
                                      HuggingFaceFamily{"t5", read_t5},
                                      HuggingFaceFamily{"vit", read_vit}};

}  // namespace

std::span<const HuggingFaceFamily> more_families() { return kMoreFamilies; }

}  // namespace orrery::workload
