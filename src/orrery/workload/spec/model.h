// SPDX-License-Identifier: Apache-2.0
//
// The shape of a model, as its authors publish it. Every key is declared once here; reader, schema,
// reference page and writer use these tables (see config/parameters.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/config/field.h"

namespace orrery::workload {

/// Rows of T5's table of relative positions (Raffel et al., JMLR 2020, section 2.1).
inline constexpr std::int64_t kRelativeBuckets = 32;

/// The model family. It determines the kinds of layers.
enum class ModelKind : std::uint8_t {
  decoder,          ///< causal language model: GPT, LLaMA, Mixtral, DeepSeek …
  encoder,          ///< BERT
  encoder_decoder,  ///< T5: `encoder_layers` encoders, then `layers` decoders with cross attention
  vit,              ///< vision transformer: patches, encoder blocks, classifier
  dit,              ///< diffusion transformer: patches, blocks with adaLN-zero, patches out
  resnet,
  dlrm,
};
enum class Mlp : std::uint8_t { gelu, relu, swiglu, geglu };
/// Gated MLPs have three matrices, the others two.
[[nodiscard]] constexpr bool is_gated(Mlp mlp) { return mlp == Mlp::swiglu || mlp == Mlp::geglu; }
enum class Norm : std::uint8_t { layernorm, rmsnorm };  ///< layernorm has a bias, too
enum class Positions : std::uint8_t {
  learned,  ///< a table of `max_positions` rows
  rope,
  alibi,
  relative,  ///< T5: a table of 32 buckets × heads in the first layer of each stack
  none,
};

/// A mixture of experts, which replaces the MLP.
struct Moe {
  std::int64_t experts = 8;
  std::int64_t top_k = 2;
  std::int64_t ffn = 0;             ///< inner size of one expert; 0: the model's ffn
  std::int64_t shared_experts = 0;  ///< number of experts that every token uses
  std::int64_t shared_ffn = 0;   ///< total inner size of all shared experts; 0: shared_experts ×
                                 ///< ffn
  bool shared_gate = false;      ///< shared experts have a sigmoid gate (hidden weights)
  bool router_bias = false;      ///< the router has one more weight per expert (DeepSeek-V3's
                                 ///< balance bias)
  bool expert_bias = false;      ///< expert matrices have biases (gpt-oss)
  bool clamp = false;            ///< the inputs of the experts' activation are clamped (gpt-oss)
  std::int64_t first_dense = 0;  ///< number of first layers with a dense MLP
  std::int64_t every = 1;        ///< every n-th layer has experts, the others a dense MLP
  std::vector<std::int64_t> pattern = {};  ///< replaces `first_dense` and `every`: 1 for a layer
                                           ///< with experts, 0 for one without, repeated up to the
                                           ///< last layer
  double capacity_factor = 0;    ///< maximum tokens per expert, relative to the mean; 0: unlimited
                                 ///< (dropless)
  bool pad_to_capacity = false;  ///< experts always compute their full capacity
  double imbalance = 1;          ///< load of the busiest expert-parallel rank, relative to the mean

  static constexpr auto fields = std::tuple{
      config::field("experts", &Moe::experts, "routed experts in a layer",
                    config::between(1, 65536)),
      config::field("top_k", &Moe::top_k, "number of experts per token", config::between(1, 65536)),
      config::field("ffn", &Moe::ffn, "inner size of one expert", config::between(0, 1 << 22))
          .by_default("the model's `ffn`"),
      config::field("shared_experts", &Moe::shared_experts,
                    "number of experts that every token uses", config::between(0, 1024)),
      config::field("shared_ffn", &Moe::shared_ffn, "total inner size of all shared experts",
                    config::between(0, 1 << 22))
          .by_default("`shared_experts` x `ffn`"),
      config::field("shared_gate", &Moe::shared_gate, "shared experts have a gate"),
      config::field("router_bias", &Moe::router_bias,
                    "the router has an additional bias per expert"),
      config::field("expert_bias", &Moe::expert_bias, "expert matrices have biases"),
      config::field("clamp", &Moe::clamp, "the inputs of the experts' activation are clamped"),
      config::field("first_dense", &Moe::first_dense, "number of first layers without experts",
                    config::between(0, 65536)),
      config::field("every", &Moe::every, "every n-th layer has experts",
                    config::between(1, 65536)),
      config::field("pattern", &Moe::pattern,
                    "instead of `first_dense` and `every`: 1 for a layer with experts, 0 for a "
                    "layer without, repeated up to the last layer",
                    config::between(0, 65536)),
      config::field("capacity_factor", &Moe::capacity_factor,
                    "maximum tokens of an expert, relative to the mean; 0: unlimited",
                    config::between(0, 65536)),
      config::field("pad_to_capacity", &Moe::pad_to_capacity,
                    "experts always compute their full capacity"),
      config::field("imbalance", &Moe::imbalance,
                    "load of the busiest expert-parallel rank, relative to the mean",
                    config::between(1, 65536))};
};

/// Multi-head latent attention (DeepSeek-V2, section 2.1).
struct Mla {
  std::int64_t q_rank = 0;  ///< 0: queries are not compressed
  std::int64_t kv_rank = 512;
  std::int64_t nope_dim = 128;  ///< per head, without position
  std::int64_t rope_dim = 64;   ///< per head (queries), once per token (keys)
  std::int64_t v_dim = 128;

  static constexpr auto fields = std::tuple{
      config::field("q_rank", &Mla::q_rank, "rank of the compressed queries; 0: not compressed",
                    config::between(0, 1 << 20)),
      config::field("kv_rank", &Mla::kv_rank, "rank of the compressed keys and values",
                    config::between(1, 1 << 20)),
      config::field("nope_dim", &Mla::nope_dim, "size of a head's part without positions",
                    config::between(1, 65536)),
      config::field("rope_dim", &Mla::rope_dim, "size of a head's rotary part",
                    config::between(0, 65536)),
      config::field("v_dim", &Mla::v_dim, "size of a head's values", config::between(1, 65536))};
};

/// Mamba-2 layers (Dao and Gu, ICML 2024, arXiv 2405.21060, section 7).
struct Mamba {
  std::int64_t state = 128;    ///< size of a head's state per channel (N)
  std::int64_t heads = 0;      ///< 0: 2 × hidden / head_dim
  std::int64_t head_dim = 64;  ///< channels of a head (P)
  std::int64_t groups = 8;     ///< groups of heads that share B and C
  std::int64_t conv = 4;       ///< width of the causal convolution
  std::int64_t chunk = 256;    ///< tokens of a chunk of the scan (Q)

  static constexpr auto fields = std::tuple{
      config::field("state", &Mamba::state, "size of the state per channel",
                    config::between(1, 65536)),
      config::field("heads", &Mamba::heads, "heads", config::between(0, 65536))
          .by_default("2 x `hidden` / `head_dim`"),
      config::field("head_dim", &Mamba::head_dim, "channels of a head", config::between(1, 65536)),
      config::field("groups", &Mamba::groups, "groups of heads that share B and C",
                    config::between(1, 65536)),
      config::field("conv", &Mamba::conv, "width of the causal convolution",
                    config::between(1, 64)),
      config::field("chunk", &Mamba::chunk, "tokens of a chunk of the scan",
                    config::between(1, 65536))};
};

/// Image models: ViT, DiT, ResNet.
struct Vision {
  std::int64_t image = 224;  ///< pixels per side of an image (DiT: of the latent)
  std::int64_t patch = 16;
  std::int64_t channels = 3;
  std::int64_t classes = 1000;
  bool class_token = true;
  bool learned_sigma = true;              ///< DiT: the model also predicts the variance
  std::vector<std::int64_t> blocks = {};  ///< ResNet: blocks per stage, e.g. [3, 4, 6, 3]
  bool bottleneck = true;                 ///< ResNet: 1×1, 3×3, 1×1
  std::int64_t width = 64;                ///< ResNet: channels of the first stage

  static constexpr auto fields = std::tuple{
      config::field("image", &Vision::image, "pixels per side", config::between(1, 65536)),
      config::field("patch", &Vision::patch, "pixels per side of a patch",
                    config::between(1, 65536)),
      config::field("channels", &Vision::channels, "channels of an image",
                    config::between(1, 65536)),
      config::field("classes", &Vision::classes, "number of classes", config::between(0, 1 << 24)),
      config::field("class_token", &Vision::class_token, "ViT: an additional class token"),
      config::field("learned_sigma", &Vision::learned_sigma,
                    "DiT: the model also predicts the variance"),
      config::field("blocks", &Vision::blocks, "ResNet: blocks in each stage",
                    config::between(0, 16)),
      config::field("bottleneck", &Vision::bottleneck, "ResNet: blocks of three convolutions"),
      config::field("width", &Vision::width, "ResNet: channels of the first stage",
                    config::between(1, 65536))};
};

/// Embedding tables of one shape.
struct EmbeddingTables {
  std::int64_t rows = 1;
  std::int64_t count = 1;    ///< number of identical tables
  std::int64_t pooling = 1;  ///< lookups per sample
  double reuse = 0;          ///< average lookups of a row per batch; 0: no data, indices are
                             ///< uniform

  static constexpr auto fields = std::tuple{
      config::field("rows", &EmbeddingTables::rows, "rows of the table", config::between(1, 1e12))
          .required(),
      config::field("count", &EmbeddingTables::count, "number of such tables",
                    config::between(1, 65536)),
      config::field("pooling", &EmbeddingTables::pooling, "rows summed per sample",
                    config::between(1, 65536)),
      config::field("reuse", &EmbeddingTables::reuse,
                    "average number of reads of a row per batch; 0: indices are uniform",
                    config::between(0, 1e12))};
};
enum class TableSharding : std::uint8_t { table, row, column };

/// DLRM, a recommendation model (Naumov et al., arXiv 1906.00091).
struct Dlrm {
  std::vector<EmbeddingTables> tables;
  std::int64_t dim = 128;  ///< columns of every table
  std::int64_t dense_features = 13;
  std::vector<std::int64_t> bottom_mlp;  ///< layer sizes after the input; the last is `dim`
  std::vector<std::int64_t> top_mlp;     ///< layer sizes after the interaction; the last is 1
  TableSharding sharding = TableSharding::table;
  std::vector<std::int64_t> placement;  ///< the rank of each table; empty: greedy by cost
                                        ///< (table_share.h)

  static constexpr auto fields = std::tuple{
      config::field("tables", &Dlrm::tables, "embedding tables", config::between(1, 65536))
          .required(),
      config::field("dim", &Dlrm::dim, "columns of every table", config::between(1, 65536)),
      config::field("dense_features", &Dlrm::dense_features, "number of dense input features",
                    config::between(1, 65536)),
      config::field("bottom_mlp", &Dlrm::bottom_mlp, "sizes of the bottom MLP's layers",
                    config::between(1, 64)),
      config::field("top_mlp", &Dlrm::top_mlp, "sizes of the top MLP's layers",
                    config::between(1, 64)),
      config::field("sharding", &Dlrm::sharding, "how tables are distributed over ranks"),
      config::field(
          "placement", &Dlrm::placement,
          "the rank of each table, in table order, identical tables one by one (with "
          "`sharding: table`; written by `orrery dlrm shard`); by default the costliest table "
          "goes to the rank with the least load",
          config::between(0, 1 << 20))};
};

/// Symbols of `Model::pattern`, those of Megatron-LM's --hybrid-layer-pattern (core/models/hybrid/
/// hybrid_layer_allocation.py) and of Nemotron-H's hybrid_override_pattern. Each is a layer with
/// one norm and one residual.
enum class LayerSymbol : char { mamba = 'M', attention = '*', mlp = '-', experts = 'E' };

/// A model. Keys that do not apply to its family are ignored.
struct Model {
  std::string is;    ///< name in the catalog; the other keys override its values
  std::string name;  ///< name of the model in results
  ModelKind kind = ModelKind::decoder;
  std::int64_t layers = 1;
  std::int64_t encoder_layers = 0;
  std::int64_t hidden = 1024;
  std::int64_t ffn = 0;  ///< 0 = 4 × hidden
  std::int64_t heads = 16;
  std::int64_t kv_heads = 0;  ///< 0 = heads
  std::int64_t head_dim = 0;  ///< 0 = hidden / heads
  std::int64_t vocab = 32000;
  std::int64_t max_positions = 0;  ///< rows of a learned position table; 0 = the sequence length
  std::int64_t token_types = 0;    ///< BERT: rows of the segment table
  Mlp mlp = Mlp::gelu;
  Norm norm = Norm::layernorm;
  Positions positions = Positions::learned;
  bool qkv_bias = true;
  bool out_bias = true;  ///< the attention's output projection has a bias
  bool mlp_bias = true;
  bool tied_embeddings = true;  ///< the head shares the input table's weights
  bool head_bias = false;       ///< the head has a bias
  bool embedding_norm = false;  ///< a norm after the embedding (BLOOM, BERT)
  bool final_norm = true;
  bool qk_norm = false;         ///< norms of head_dim weights on queries and keys (Qwen3)
  bool qk_norm_wide = false;    ///< with `qk_norm`: head_dim weights for each head, without bias
                                ///< (OLMo 2)
  bool sinks = false;           ///< attention sink: one more weight per head, an additional score
                                ///< in the softmax (gpt-oss)
  bool post_norms = false;      ///< two more norms per layer, after the attention and after the MLP
                                ///< (Gemma 2)
  bool parallel_block = false;  ///< attention and MLP run in parallel after one norm (GPT-J,
                                ///< Falcon)
  bool pooler = false;          ///< BERT: a hidden × hidden layer and a binary classification head
                                ///< at the end
  std::int64_t window = 0;      ///< tokens in the sliding attention window; 0: no window
  std::int64_t full_every = 0;  ///< every n-th layer attends to all tokens despite `window`; 0:
                                ///< none
  bool dropout = false;         ///< dropout is on: the backward pass needs its masks
  std::optional<Moe> moe;
  std::optional<Mla> mla;
  std::int64_t mtp_layers = 0;  ///< modules of multi-token prediction after the last layer
                                ///< (DeepSeek-V3, arXiv 2412.19437, section 2.2)
  std::optional<Mamba> mamba;   ///< with `pattern`
  std::string pattern;          ///< hybrid models: one symbol per layer, see LayerSymbol; empty:
                                ///< every layer has attention and an MLP or experts
  std::optional<Vision> vision;
  std::optional<Dlrm> dlrm;

  static constexpr std::string_view shorthand = "is";
  static constexpr auto fields = std::tuple{
      config::field("is", &Model::is, "a model of the catalog; the keys below override its values"),
      config::field("name", &Model::name, "name of the model in results")
          .by_default("the catalog's name"),
      config::field("kind", &Model::kind, "the family"),
      config::field("layers", &Model::layers, "layers (of an encoder-decoder: of the decoder)",
                    config::between(1, 65536)),
      config::field("encoder_layers", &Model::encoder_layers,
                    "encoder layers of an encoder-decoder", config::between(0, 65536)),
      config::field("hidden", &Model::hidden, "size of the residual stream",
                    config::between(1, 1 << 20)),
      config::field("ffn", &Model::ffn, "inner size of the MLP", config::between(0, 1 << 22))
          .by_default("4 x `hidden`"),
      config::field("heads", &Model::heads, "attention heads", config::between(1, 65536)),
      config::field("kv_heads", &Model::kv_heads, "heads of keys and values",
                    config::between(0, 65536))
          .by_default("`heads`"),
      config::field("head_dim", &Model::head_dim, "size of one head", config::between(0, 65536))
          .by_default("`hidden` / `heads`"),
      config::field("vocab", &Model::vocab, "rows of the token table", config::between(1, 1 << 26)),
      config::field("max_positions", &Model::max_positions, "rows of a learned position table",
                    config::between(0, 1 << 26))
          .by_default("the sequence length"),
      config::field("token_types", &Model::token_types, "rows of a segment table",
                    config::between(0, 65536)),
      config::field("mlp", &Model::mlp, "activation function of the MLP"),
      config::field("norm", &Model::norm, "type of the norms"),
      config::field("positions", &Model::positions, "type of position encoding"),
      config::field("qkv_bias", &Model::qkv_bias, "queries, keys and values have biases"),
      config::field("out_bias", &Model::out_bias, "the attention's output projection has a bias"),
      config::field("mlp_bias", &Model::mlp_bias, "the MLP's matrices have biases"),
      config::field("tied_embeddings", &Model::tied_embeddings,
                    "the head shares the input table's weights"),
      config::field("head_bias", &Model::head_bias, "the head has a bias"),
      config::field("embedding_norm", &Model::embedding_norm, "a norm follows the embedding"),
      config::field("final_norm", &Model::final_norm, "a norm follows the last layer"),
      config::field("qk_norm", &Model::qk_norm, "queries and keys are normalized per head"),
      config::field("qk_norm_wide", &Model::qk_norm_wide,
                    "`qk_norm` has weights for every head, and no bias"),
      config::field("sinks", &Model::sinks, "attention has a sink: one weight per head"),
      config::field("post_norms", &Model::post_norms, "norms also follow attention and MLP"),
      config::field("parallel_block", &Model::parallel_block,
                    "attention and MLP run in parallel after one norm"),
      config::field("pooler", &Model::pooler, "BERT's pooler and binary classification head"),
      config::field("window", &Model::window, "tokens in the sliding attention window; 0: all",
                    config::between(0, 1 << 26)),
      config::field("full_every", &Model::full_every,
                    "every n-th layer attends to all tokens despite `window`; 0: none",
                    config::between(0, 65536)),
      config::field("dropout", &Model::dropout, "dropout is on: its masks are stored"),
      config::field("moe", &Model::moe, "experts instead of the MLP"),
      config::field("mla", &Model::mla, "multi-head latent attention"),
      config::field("mtp_layers", &Model::mtp_layers,
                    "modules of multi-token prediction: each has a layer like the last one and "
                    "computes its own logits and loss",
                    config::between(0, 16)),
      config::field("mamba", &Model::mamba, "Mamba-2 layers, for a `pattern` with M"),
      config::field("pattern", &Model::pattern,
                    "one symbol per layer, each a layer of its own: M Mamba-2, * attention, - MLP, "
                    "E experts")
          .by_default("every layer has attention, and an MLP or experts"),
      config::field("vision", &Model::vision, "images: vit, dit, resnet"),
      config::field("dlrm", &Model::dlrm, "tables and MLPs of a DLRM")};

  // The defaults of keys that are 0.
  [[nodiscard]] std::int64_t inner() const { return ffn != 0 ? ffn : 4 * hidden; }
  [[nodiscard]] std::int64_t head_size() const { return head_dim != 0 ? head_dim : hidden / heads; }
  [[nodiscard]] std::int64_t kv() const { return kv_heads != 0 ? kv_heads : heads; }
  [[nodiscard]] std::int64_t expert_inner() const { return moe->ffn != 0 ? moe->ffn : inner(); }
  [[nodiscard]] std::int64_t shared_inner() const {
    return moe->shared_ffn != 0 ? moe->shared_ffn : moe->shared_experts * expert_inner();
  }
  [[nodiscard]] std::int64_t mamba_heads() const {
    return mamba->heads != 0 ? mamba->heads : 2 * hidden / mamba->head_dim;
  }
  /// The number of layers with `symbol` in `pattern`.
  [[nodiscard]] std::int64_t layers_of(LayerSymbol symbol) const;
  /// Whether layer `index` (0 … layers-1) has experts.
  [[nodiscard]] bool has_experts(std::int64_t index) const {
    if (!moe) return false;
    if (!pattern.empty())
      return pattern[static_cast<std::size_t>(index) % pattern.size()] ==
             static_cast<char>(LayerSymbol::experts);
    if (!moe->pattern.empty())
      return moe->pattern[static_cast<std::size_t>(index) % moe->pattern.size()] != 0;
    return index >= moe->first_dense && (index + 1) % moe->every == 0;
  }
  /// The number of layers with experts.
  [[nodiscard]] std::int64_t expert_layers() const;
  /// The attention window of layer `index` in tokens; 0: it attends to all tokens.
  [[nodiscard]] std::int64_t window_of(std::int64_t index) const {
    return full_every != 0 && (index + 1) % full_every == 0 ? 0 : window;
  }
};

/// Numbers of weights by use, in elements.
struct ParameterCount {
  std::int64_t total = 0;      ///< all weights; tied tables count once
  std::int64_t active = 0;     ///< weights that one token uses: top_k experts and all other weights
  std::int64_t embedding = 0;  ///< input tables (tokens, positions, segments)
  std::int64_t head = 0;       ///< the output matrix when it is not tied
  std::int64_t matmul = 0;     ///< active weights of matrix products incl. the head (tied or not)
};

/// The number of weights of a model, from its shape. Source: the paper of each family.
/// model_catalog_test.cc compares the counts with published ones.
[[nodiscard]] ParameterCount count_parameters(const Model& model);

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::ModelKind> {
  static constexpr auto names = names_in_order<workload::ModelKind::dlrm>(
      "decoder", "encoder", "encoder_decoder", "vit", "dit", "resnet", "dlrm");
};
template <>
struct EnumNames<workload::Mlp> {
  static constexpr auto names =
      names_in_order<workload::Mlp::geglu>("gelu", "relu", "swiglu", "geglu");
};
template <>
struct EnumNames<workload::Norm> {
  static constexpr auto names = names_in_order<workload::Norm::rmsnorm>("layernorm", "rmsnorm");
};
template <>
struct EnumNames<workload::Positions> {
  static constexpr auto names =
      names_in_order<workload::Positions::none>("learned", "rope", "alibi", "relative", "none");
};
template <>
struct EnumNames<workload::TableSharding> {
  static constexpr auto names =
      names_in_order<workload::TableSharding::column>("table", "row", "column");
};
}  // namespace orrery::config
