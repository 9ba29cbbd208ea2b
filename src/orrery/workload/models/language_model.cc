// SPDX-License-Identifier: Apache-2.0
//
// Language models: embedding, layers, head. Identical layers are one part.
#include <compare>
#include <map>
#include <string>
#include <utility>

#include "orrery/workload/layers/blocks.h"
#include "orrery/workload/layers/embedding_head.h"
#include "orrery/workload/layers/mamba.h"
#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {
namespace {

/// The properties in which layers differ.
struct LayerKind {
  enum class Stack : std::uint8_t { plain, encoder, decoder };
  Stack stack = Stack::plain;
  char symbol = 0;  ///< a layer of Model::pattern; 0: attention, and an MLP or experts
  bool experts = false;
  std::int64_t window = 0;
  bool first = false;   ///< first layer of a stack: holds the table of relative positions
  bool last = false;    ///< last layer of an encoder stack: includes its final norm
  bool stored = false;  ///< not recomputed, see Recompute::every

  auto operator<=>(const LayerKind&) const = default;
};

const char* symbol_name(char symbol) {
  switch (static_cast<LayerSymbol>(symbol)) {
    case LayerSymbol::mamba:
      return "mamba layer";
    case LayerSymbol::attention:
      return "attention layer";
    case LayerSymbol::mlp:
      return "mlp layer";
    case LayerSymbol::experts:
      break;
  }
  return "moe layer";
}

std::string name_of(const LayerKind& kind) {
  std::string name = kind.stack == LayerKind::Stack::encoder   ? "encoder layer"
                     : kind.stack == LayerKind::Stack::decoder ? "decoder layer"
                     : kind.symbol != 0                        ? symbol_name(kind.symbol)
                     : kind.experts                            ? "moe layer"
                                                               : "layer";
  if (kind.window != 0) name += " (window " + std::to_string(kind.window) + ")";
  if (kind.first) name = "first " + name;
  if (kind.last) name = "last " + name;
  if (kind.stored) name = "stored " + name;
  return name;
}

class LanguageModel {
 public:
  LanguageModel(const Spec& spec, const Mesh& mesh, const Position& where)
      : model_(spec.model),
        scope_(spec, mesh, where, spec.batch.seq),
        source_(scope_.with_seq(spec.source_seq())) {}

  Result<LoweredModel> lower() {
    const bool both = model_.kind == ModelKind::encoder_decoder;
    if (auto put = append_part(lowered_, lower_embedding(scope_, both ? &source_ : nullptr), 1, -1);
        !put)
      return tl::unexpected(put.error());
    if (both) {
      for (std::int64_t i = 0; i < model_.encoder_layers; ++i)
        if (auto put = add_layer(encoder_kind(i), i); !put) return tl::unexpected(put.error());
    }
    const std::int64_t before = both ? model_.encoder_layers : 0;
    for (std::int64_t i = 0; i < model_.layers; ++i)
      if (auto put = add_layer(kind(i), before + i); !put) return tl::unexpected(put.error());
    if (auto put = add_predictions(); !put) return tl::unexpected(put.error());
    if (auto put = append_part(lowered_, lower_head(scope_), 1, -1); !put)
      return tl::unexpected(put.error());
    return std::move(lowered_);
  }

 private:
  [[nodiscard]] bool has_table(std::int64_t index) const {
    return index == 0 && model_.positions == Positions::relative;
  }
  [[nodiscard]] LayerKind encoder_kind(std::int64_t index) const {
    LayerKind kind;
    kind.stack = LayerKind::Stack::encoder;
    kind.first = has_table(index);
    kind.last = model_.final_norm && index + 1 == model_.encoder_layers;
    kind.stored = is_stored(index);
    return kind;
  }
  /// The kind of layer `index` of the main stack.
  [[nodiscard]] LayerKind kind(std::int64_t index) const {
    LayerKind kind;
    if (model_.kind == ModelKind::encoder_decoder) kind.stack = LayerKind::Stack::decoder;
    if (!model_.pattern.empty()) kind.symbol = model_.pattern[static_cast<std::size_t>(index)];
    kind.experts = model_.has_experts(index);
    const std::int64_t window = model_.window_of(index);
    const bool attends = kind.symbol == 0 || kind.symbol == '*';
    kind.window = attends && window < scope_.seq ? window : 0;
    kind.first = has_table(index) && attends;
    kind.stored = is_stored(index);
    return kind;
  }
  /// Whether layer `index` of its stack is not recomputed.
  [[nodiscard]] bool is_stored(std::int64_t index) const {
    return (index + 1) % scope_.spec->recompute.every != 0;
  }

  [[nodiscard]] Result<LoweredPart> lower_layer(const LayerKind& kind) const {
    switch (kind.stack) {
      case LayerKind::Stack::encoder:
        return encoder_layer(kind);
      case LayerKind::Stack::decoder:
        return decoder_layer(kind);
      case LayerKind::Stack::plain:
        break;
    }
    Tape tape(scope_, name_of(kind), true);
    if (kind.stored) tape.store_layer();
    const Tensor x = tape.input("layer.input", size(scope_));
    return tape.finish({plain_layer(tape, kind, x)});
  }

  [[nodiscard]] Tensor plain_layer(Tape& tape, const LayerKind& kind, Tensor x) const {
    const Layer layer = options(kind);
    if (kind.symbol == 0) return transformer_layer(tape, scope_, layer, x);
    switch (static_cast<LayerSymbol>(kind.symbol)) {
      case LayerSymbol::mamba:
        return mamba_layer(tape, scope_, x);
      case LayerSymbol::attention:
        return attention_layer(tape, scope_, layer.attention, x);
      case LayerSymbol::mlp:
      case LayerSymbol::experts:
        break;
    }
    return mlp_layer(tape, scope_, kind.experts, x);
  }

  /// The modules of multi-token prediction. They are on the stage of the head.
  Result<void> add_predictions() {
    for (std::int64_t i = 0; i < model_.mtp_layers; ++i) {
      const LayerKind last = kind(model_.layers - 1);
      for (auto part :
           {lower_prediction_layer(scope_, options(last), i == 0), lower_prediction_head(scope_)}) {
        if (auto put = append_part(lowered_, std::move(part), 1, -1); !put) return put;
      }
    }
    return {};
  }

  /// A layer of an encoder-decoder's encoder. The decoder's embedded tokens pass through unchanged.
  [[nodiscard]] Result<LoweredPart> encoder_layer(const LayerKind& kind) const {
    Tape tape(source_, name_of(kind), true);
    if (kind.stored) tape.store_layer();
    const Tensor past = tape.borrowed_input("decoder.embedded", size(scope_));
    Tensor x = tape.input("layer.input", size(source_));
    x = transformer_layer(tape, source_, options(kind), x);
    if (kind.last) x = hidden_norm(tape, source_, ORRERY_OP("encoder_norm"), x);
    return tape.finish({x, past});
  }

  /// Self-attention, attention to the encoder's output, MLP. The encoder's output passes through to
  /// the next layer.
  [[nodiscard]] Result<LoweredPart> decoder_layer(const LayerKind& kind) const {
    Tape tape(scope_, name_of(kind), true);
    if (kind.stored) tape.store_layer();
    const Tensor source = tape.shared_input("encoder.output", size(source_));
    Tensor x = tape.input("layer.input", size(scope_));
    x = attention_layer(tape, scope_, options(kind).attention, x);
    x = cross_attention_layer(tape, scope_, source_, x, source);
    x = mlp_layer(tape, scope_, kind.experts, x);
    return tape.finish({x, source});
  }

  [[nodiscard]] Layer options(const LayerKind& kind) const {
    Layer layer;
    layer.attention.causal =
        kind.stack != LayerKind::Stack::encoder && model_.kind != ModelKind::encoder;
    layer.attention.window = kind.window;
    layer.attention.relative_table = kind.first;
    layer.experts = kind.experts;
    return layer;
  }

  /// Bytes of activations between blocks.
  [[nodiscard]] Amount size(const Scope& scope) const {
    return scope.activation(scope.shard * model_.hidden);
  }

  Result<void> add_layer(const LayerKind& kind, std::int64_t index) {
    const auto known = parts_.find(kind);
    if (known == parts_.end()) {
      parts_.emplace(kind, static_cast<std::uint32_t>(lowered_.parts.size()));
      return append_part(lowered_, lower_layer(kind), 1, index);
    }
    PartRun& last = lowered_.order.back();
    if (last.part == known->second) {
      ++last.count;
    } else {
      lowered_.order.push_back({known->second, 1, static_cast<std::int32_t>(index)});
    }
    return {};
  }

  const Model& model_;
  Scope scope_;
  Scope source_;  ///< source sequence of an encoder-decoder
  std::map<LayerKind, std::uint32_t> parts_;
  LoweredModel lowered_;
};

}  // namespace

Result<LoweredModel> lower_language_model(const Spec& spec, const Mesh& mesh,
                                          const Position& where) {
  return LanguageModel(spec, mesh, where).lower();
}

}  // namespace orrery::workload
