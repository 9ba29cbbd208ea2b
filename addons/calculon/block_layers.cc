// SPDX-License-Identifier: Apache-2.0
//
// The layers of a block and their sizes (from Calculon, calculon/llm/layers.py at caa4b11).
#include <cmath>

#include "addons/calculon/block.h"
#include "orrery/core/check.h"

namespace orrery::estimate::calculon {

namespace {

/// Integer division, exact below 2^53.
double whole(double a, double b) { return std::floor(a / b); }

class LayersBuilder {
 public:
  LayersBuilder(const Model& model, const Plan& plan)
      : model_(model),
        plan_(plan),
        bytes_(size_of(plan.datatype)),
        peers_(static_cast<double>(plan.tensor_par)),
        tokens_(static_cast<double>(plan.microbatch_size * model.seq_size)),
        activation_(tokens_ * static_cast<double>(model.hidden)),
        mine_(plan.splits_sequence() ? whole(tokens_, peers_) * static_cast<double>(model.hidden)
                                     : activation_),
        full_(plan.activation_recompute == Recompute::full),
        attention_(plan.activation_recompute != Recompute::none),
        // gathered data is gathered again
        again_attention_(attention_ || plan.seq_par_ag_redo),
        again_mlp_(full_ || plan.seq_par_ag_redo) {}

  Layers all() {
    attention();
    mlp();
    return layers_;
  }

 private:
  [[nodiscard]] bool tiled() const { return plan_.tensor_par_overlap != Overlap::none; }

  Layer& add(bool recompute) {
    ORRERY_CHECK(layers_.count < layers_.list.size());
    Layer& layer = layers_.list[layers_.count++];
    layer.recompute = recompute;
    return layer;
  }

  /// Sets the sizes: input, output, stored data, and its gradient.
  void sizes(Layer& layer, double in, double out, double stored, double grad) const {
    layer.output = out * bytes_;
    layer.activation = stored * bytes_;
    layer.activation_grad = grad * bytes_;
    layer.bytes = {(in + out + layer.weights) * bytes_, (layer.weights + stored + grad) * bytes_,
                   layer.weights == 0 ? 0 : (layer.weights + stored + grad) * bytes_};
  }

  void product(double in, double out, bool reuses, bool keeps) {
    Layer& layer = add(full_);
    layer.matrix = true;
    layer.weights = in * out;
    layer.flop.fill(2 * tokens_ * in * out);
    layer.reuses = reuses;
    layer.keeps = keeps;
    sizes(layer, tokens_ * in, tokens_ * out, tokens_ * in, tokens_ * out);
  }

  /// A matrix product with as many tiles as peers; a tile overlaps the messages of other tiles.
  void tiles(double in, double out, bool conjugate, bool again) {
    Layer& layer = add(full_);
    (conjugate ? in : out) = whole(conjugate ? in : out, peers_);
    layer.matrix = true;
    layer.weights = in * out;
    layer.flop.fill(2 * tokens_ * in * out);
    layer.sends = Layer::Sends::tiles;
    layer.conjugate = conjugate;
    layer.communicates_again = again;
    const double into = tokens_ * in, from = tokens_ * out;
    layer.message = conjugate ? from : into;
    double stored = into, grad = from;
    if (plan_.splits_sequence()) {
      (conjugate ? grad : stored) = conjugate ? 2 * whole(from, peers_) : whole(into, peers_);
    } else {
      stored = conjugate ? 0 : into;
      grad = conjugate ? 2 * from : 0;
    }
    sizes(layer, into, from, stored, grad);
  }

  /// `count` products of matrices a x over and over x b.
  void pairs(double count, double a, double over, double b, bool recompute, bool keeps_output) {
    Layer& layer = add(recompute);
    layer.matrix = true;
    const double flop = 2 * count * a * over * b, in = count * (a * over + over * b);
    layer.flop = {flop, 2 * flop, 0};
    layer.keeps_output = keeps_output;
    sizes(layer, in, count * a * b, in, count * a * b);
  }

  void norm() {
    Layer& layer = add(full_);
    layer.weights = 2 * static_cast<double>(model_.hidden);
    layer.flop = {9 * mine_, 14 * mine_, 7 * mine_};
    layer.reuses = true;
    layer.keeps = false;
    sizes(layer, mine_, mine_, mine_, mine_);
  }

  void dropout(double size, bool recompute, bool keeps) {
    Layer& layer = add(recompute);
    layer.flop = {size, size, 0};
    layer.keeps = keeps;
    sizes(layer, size, size, size, size);
    layer.bytes[0] += size;  // only a mask of one byte per element is stored
    layer.bytes[1] = layer.bytes[0];
    layer.activation = layer.activation_grad = size;
  }

  void gelu(double size) {
    Layer& layer = add(full_);
    layer.flop = {8 * size, 13 * size, 0};
    const double stored = plan_.fused_activation ? 0 : size;
    sizes(layer, size, size, stored, stored);
    layer.bytes[1] = layer.bytes[0];
  }

  void softmax(double size) {
    Layer& layer = add(attention_);
    layer.flop = {5 * size, 8 * size, 0};
    layer.keeps_output = !attention_;
    sizes(layer, size, size, size, size);
  }

  void residual() {
    Layer& layer = add(full_);
    layer.flop = {mine_, 2 * mine_, 0};
    layer.reuses = true;
    layer.keeps = false;
    sizes(layer, 2 * mine_, mine_, 2 * mine_, mine_);
  }

  void fork(double size, double users, bool recompute, bool keeps) {
    Layer& layer = add(recompute);
    layer.flop = {0, users * size, 0};
    layer.keeps = keeps;
    sizes(layer, size, 0, size, 0);
    layer.bytes = {0, size * bytes_ * (users + 1), 0};
  }

  /// A separate collective: identity or all-gather in the forward pass; its conjugate reduces.
  void joins(bool conjugate, bool again) {
    Layer& layer = add(false);
    layer.sends = Layer::Sends::alone;
    layer.conjugate = conjugate;
    layer.communicates_again = again;
    layer.keeps = !conjugate;
    if (plan_.tensor_par == 1) return;
    layer.message = activation_;
    layer.flop[conjugate ? 0 : 1] = activation_ * (peers_ - 1) / peers_;
    sizes(layer, activation_, activation_, activation_, activation_);
    if (plan_.splits_sequence()) {
      layer.activation = layer.activation_grad = activation_ * bytes_ / peers_;
    } else {
      (conjugate ? layer.activation_grad : layer.activation) = 0;
      layer.bytes[conjugate ? 1 : 0] = 0;
    }
  }

  void attention() {
    const auto hidden = static_cast<double>(model_.hidden);
    const auto heads = static_cast<double>(model_.attn_heads * model_.attn_size);
    fork(mine_, 2, full_, true);
    norm();
    queries(hidden, heads);
    const auto seq = static_cast<double>(model_.seq_size);
    const auto size = static_cast<double>(model_.attn_size);
    const double batch =
        whole(static_cast<double>(plan_.microbatch_size * model_.attn_heads), peers_);
    const double scores = whole(static_cast<double>(model_.attn_heads), peers_) * seq * seq *
                          static_cast<double>(plan_.microbatch_size);
    pairs(batch, seq, size, seq, attention_, !attention_);
    softmax(scores);
    dropout(scores, attention_, !attention_);
    pairs(batch, seq, seq, size, full_, true);
    if (tiled()) {
      tiles(heads, hidden, true, full_);
    } else {
      product(whole(heads, peers_), hidden, false, true);
      joins(true, full_);
    }
    dropout(mine_, full_, true);
    residual();
  }

  void queries(double hidden, double heads) {
    const bool one_key = plan_.attention_type == Attention::multiquery;
    const double keys = one_key ? static_cast<double>(model_.attn_size) : whole(heads, peers_);
    if (!tiled()) {
      joins(false, again_attention_);
      fork(activation_, 3, again_attention_, !again_attention_);
      product(hidden, whole(heads, peers_), true, false);
    } else if (!one_key) {
      tiles(hidden, 3 * heads, false, again_attention_);
      return;
    } else {
      tiles(hidden, heads, false, again_attention_);
      fork(activation_, 2, again_attention_, !again_attention_);
    }
    product(hidden, keys, true, false);
    product(hidden, keys, true, false);  // values
  }

  void mlp() {
    const auto hidden = static_cast<double>(model_.hidden);
    const auto inner = static_cast<double>(model_.feedforward);
    fork(mine_, 2, full_, true);
    norm();
    if (tiled()) {
      tiles(hidden, inner, false, again_mlp_);
    } else {
      joins(false, again_mlp_);
      product(hidden, whole(inner, peers_), false, !again_mlp_);
    }
    gelu(whole(inner * tokens_, peers_));
    if (tiled()) {
      tiles(inner, hidden, true, full_);
    } else {
      product(whole(inner, peers_), hidden, false, true);
      joins(true, full_);
    }
    dropout(mine_, full_, true);
    residual();
  }

  const Model& model_;
  const Plan& plan_;
  double bytes_, peers_, tokens_, activation_, mine_;
  bool full_, attention_, again_attention_, again_mlp_;
  Layers layers_;
};

}  // namespace

Layers layers_of(const Model& model, const Plan& plan) { return LayersBuilder(model, plan).all(); }

}  // namespace orrery::estimate::calculon
