// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/emit/write_megatron_internal.h"

namespace orrery::workload {

namespace {

/// "([0]*3+[1]*58)": which layers have experts.
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
  // Tokens before one's own and behind it.
  if (model.window > 0) out.add("--window-size", fmt::format("{},0", model.window - 1));
  if (model.window > 0 && model.full_every > 0)
    out.add("--window-attn-skip-freq", model.full_every);
}

void write_biases(const Model& model, MegatronWriter& out) {
  const bool linear = model.out_bias && model.mlp_bias;
  out.flag("--disable-bias-linear", !linear);
  out.flag("--add-qkv-bias", !linear && model.qkv_bias);
  out.without("biases of some linear layers and not of others",
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
  out.without("positions by alibi", model.positions == Positions::alibi);
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
  if (moe.router_bias) {  // only sigmoid scores have it there
    out.add("--moe-router-score-function", "sigmoid");
    out.flag("--moe-router-enable-expert-bias");
  }
  if (model.expert_layers() != model.layers) out.add("--moe-layer-freq", layer_list(model));
  if (moe.capacity_factor > 0) {
    out.add("--moe-expert-capacity-factor", moe.capacity_factor);
    out.flag("--moe-pad-expert-input-to-capacity", moe.pad_to_capacity);
  }
  const Dispatcher dispatcher = spec.parallel.dispatcher;
  out.add("--moe-token-dispatcher-type", dispatcher == Dispatcher::deepep ? "flex" : "alltoall");
  out.flag("--moe-enable-deepep", dispatcher == Dispatcher::deepep);
  out.flag("--moe-grouped-gemm", spec.kernels.fusion().grouped);
  out.without("parallel.dispatcher " + std::string(config::word_of(dispatcher)),
              dispatcher == Dispatcher::deepep_low_latency || dispatcher == Dispatcher::in_network);
  out.without("biases of experts alone", moe.expert_bias && !model.mlp_bias);
  out.without("model.moe.imbalance: what the router does", moe.imbalance != 1);
}

void write_parts_without(const Model& model, MegatronWriter& out) {
  out.without("a bias of the head", model.head_bias);
  out.without("a norm behind the embedding", model.embedding_norm);
  out.without("no norm behind the last layer", !model.final_norm);
  out.without("norms of queries and keys with weights for every head", model.qk_norm_wide);
  out.without("attention sinks", model.sinks);
  out.without("norms behind attention and MLP", model.post_norms);
  out.without("attention and MLP side by side", model.parallel_block);
  out.without("a table of token types", model.token_types > 0);
  out.without("a pooler", model.pooler);
}

}  // namespace

void write_megatron_model(const Spec& spec, MegatronWriter& out) {
  const Model& model = spec.model;
  if (model.kind != ModelKind::decoder) {
    out.without(fmt::format("model.kind {}: pretrain_gpt.py has decoders",
                            std::string(config::word_of(model.kind))));
    return;
  }
  out.add("--num-layers", model.layers);
  out.add("--hidden-size", model.hidden);
  out.add("--ffn-hidden-size", model.inner());
  write_attention(model, out);
  out.flag("--swiglu", model.mlp == Mlp::swiglu);
  out.without("an MLP of " + std::string(config::word_of(model.mlp)),
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
