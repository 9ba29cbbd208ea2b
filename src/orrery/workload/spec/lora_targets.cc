// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/lora_targets.h"

#include <algorithm>

#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {
namespace {

using Words = std::vector<std::string_view>;

bool has_mlp(const Model& model) {
  return has_dense_layer(model) || (model.moe && model.shared_inner() > 0);
}

/// Names of attention matrices; `fused`: also the names of merged matrices.
Words attention_words(const Model& model, bool fused) {
  if (model.mla) {
    const Words queries = model.mla->q_rank > 0 ? Words{"q_down", "q_up"} : Words{"q"};
    Words words = queries;
    words.insert(words.end(), {"kv_down", "kv_up", "out"});
    return words;
  }
  return fused ? Words{"q", "k", "v", "qkv", "out"} : Words{"q", "k", "v", "out"};
}

Words mlp_words(const Model& model, bool fused) {
  if (!has_mlp(model)) return {};
  if (!is_gated(model.mlp)) return {"mlp_up", "mlp_down"};
  return fused ? Words{"gate", "up", "mlp_up", "mlp_down"} : Words{"gate", "up", "mlp_down"};
}

Words words_of(const Model& model, bool fused) {
  if (!has_attention(model) || model.kind == ModelKind::dit) return {};
  Words words = attention_words(model, fused);
  const Words mlp = mlp_words(model, fused);
  words.insert(words.end(), mlp.begin(), mlp.end());
  return words;
}

/// Sums in + out of all matrices with adapters.
class Features {
 public:
  explicit Features(const Spec& spec) : model_(spec.model), targets_(adapted_matrices(spec)) {}

  [[nodiscard]] Amount all() {
    const Model& m = model_;
    const bool both = m.kind == ModelKind::encoder_decoder;
    const std::int64_t encoders = both ? m.encoder_layers : 0;
    if (m.mla) {
      add_latent(m.layers);
    } else {
      add_attention(m.layers + encoders);
      if (both) add_cross(m.layers);
    }
    std::int64_t sparse = 0;
    for (std::int64_t i = 0; i < m.layers; ++i) sparse += m.has_experts(i) ? 1 : 0;
    add_mlp(m.layers - sparse + encoders, m.inner());
    if (m.moe) add_mlp(sparse, m.shared_inner());
    return sum_;
  }

 private:
  void add(std::string_view word, std::int64_t times, Amount in, Amount out) {
    if (std::find(targets_.begin(), targets_.end(), word) != targets_.end())
      sum_ += (in + out) * times;
  }
  [[nodiscard]] Amount queries() const { return Amount(model_.heads) * model_.head_size(); }
  [[nodiscard]] Amount keys() const { return Amount(model_.kv()) * model_.head_size(); }

  void add_attention(std::int64_t times) {
    add("q", times, model_.hidden, queries());
    add("k", times, model_.hidden, keys());
    add("v", times, model_.hidden, keys());
    add("qkv", times, model_.hidden, queries() + keys() + keys());
    add("out", times, queries(), model_.hidden);
  }

  /// Attention of a decoder to its encoder: `qkv` is two matrices here.
  void add_cross(std::int64_t times) {
    add("q", times, model_.hidden, queries());
    add("k", times, model_.hidden, keys());
    add("v", times, model_.hidden, keys());
    add("qkv", times, model_.hidden, queries());
    add("qkv", times, model_.hidden, keys() + keys());
    add("out", times, queries(), model_.hidden);
  }

  void add_latent(std::int64_t times) {
    const Mla& mla = *model_.mla;
    const Amount heads = model_.heads, query = heads * (mla.nope_dim + mla.rope_dim);
    add("q", times, model_.hidden, query);
    add("q_down", times, model_.hidden, mla.q_rank);
    add("q_up", times, mla.q_rank, query);
    add("kv_down", times, model_.hidden, mla.kv_rank + mla.rope_dim);
    add("kv_up", times, mla.kv_rank, heads * (mla.nope_dim + mla.v_dim));
    add("out", times, heads * mla.v_dim, model_.hidden);
  }

  void add_mlp(std::int64_t times, std::int64_t inner) {
    if (inner == 0) return;
    add("gate", times, model_.hidden, inner);
    add("up", times, model_.hidden, inner);
    add("mlp_up", times, model_.hidden, Amount(inner) * (is_gated(model_.mlp) ? 2 : 1));
    add("mlp_down", times, inner, model_.hidden);
  }

  const Model& model_;
  std::vector<std::string> targets_;
  Amount sum_;
};

}  // namespace

std::vector<std::string_view> adaptable_matrices(const Model& model) {
  return words_of(model, true);
}

std::vector<std::string> adapted_matrices(const Spec& spec) {
  if (!spec.lora) return {};
  if (!spec.lora->targets.empty()) return spec.lora->targets;
  const Words all = words_of(spec.model, false);
  return {all.begin(), all.end()};
}

bool is_adapted(const Spec& spec, std::string_view matrix) {
  const std::vector<std::string> targets = adapted_matrices(spec);
  return std::find(targets.begin(), targets.end(), matrix) != targets.end();
}

std::int64_t count_adapters(const Spec& spec) {
  if (!spec.lora) return 0;
  return (Features(spec).all() * spec.lora->rank).value();
}

}  // namespace orrery::workload
