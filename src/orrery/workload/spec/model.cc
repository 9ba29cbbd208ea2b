// SPDX-License-Identifier: Apache-2.0
//
// Counts the weights of each family, from its shape.
#include "orrery/workload/spec/model.h"

#include <algorithm>

namespace orrery::workload {
namespace {

/// Intermediate counts. The largest shape in range has 2^89 weights; the result is saturated to 64
/// bits at the end.
__extension__ using Wide = __int128;

struct Count {
  Wide total = 0;
  Wide inactive = 0;  ///< weights of experts that a token does not use
  Wide embedding = 0;
  Wide head = 0;
  Wide matmul = 0;

  /// Adds `times` matrices and their biases.
  void matrix(Wide rows, Wide columns, bool bias, Wide times = 1) {
    total += times * (rows * columns + (bias ? columns : 0));
    matmul += times * rows * columns;
  }
  void table(Wide rows, Wide columns) {
    total += rows * columns;
    embedding += rows * columns;
  }
  void add(const Count& other, Wide times) {
    total += times * other.total;
    inactive += times * other.inactive;
    embedding += times * other.embedding;
    head += times * other.head;
    matmul += times * other.matmul;
  }
};

std::int64_t cut(Wide value) {
  constexpr Wide kMaxTotal = INT64_MAX;
  return static_cast<std::int64_t>(std::clamp<Wide>(value, 0, kMaxTotal));
}

ParameterCount finished(const Count& count) {
  return {cut(count.total), cut(count.total - count.inactive), cut(count.embedding),
          cut(count.head), cut(count.matmul)};
}

/// Number of weights of one norm over `size` elements.
Wide norm_of(const Model& model, Wide size) {
  return model.norm == Norm::layernorm ? 2 * size : size;
}

/// Multi-head latent attention: DeepSeek-V2, section 2.1; both compressed vectors have norms.
Count mla_of(const Model& model) {
  const Mla& mla = *model.mla;
  const Wide hidden = model.hidden, heads = model.heads;
  const Wide query = heads * (mla.nope_dim + mla.rope_dim);
  Count count;
  if (mla.q_rank > 0) {
    count.matrix(hidden, mla.q_rank, false);
    count.total += mla.q_rank;
    count.matrix(mla.q_rank, query, false);
  } else {
    count.matrix(hidden, query, false);
  }
  count.matrix(hidden, mla.kv_rank + mla.rope_dim, false);
  count.total += mla.kv_rank;
  count.matrix(mla.kv_rank, heads * (mla.nope_dim + mla.v_dim), false);
  count.matrix(heads * mla.v_dim, hidden, model.out_bias);
  return count;
}

Count attention_kernels(const Model& model) {
  if (model.mla) return mla_of(model);
  const Wide head = model.head_size(), all = model.heads * head, kv = model.kv() * head;
  Count count;
  count.matrix(model.hidden, all + 2 * kv, model.qkv_bias);
  count.matrix(all, model.hidden, model.out_bias);
  if (model.qk_norm && model.qk_norm_wide) count.total += all + kv;
  if (model.qk_norm && !model.qk_norm_wide) count.total += 2 * norm_of(model, head);
  if (model.sinks) count.total += model.heads;
  return count;
}

/// `times` identical MLPs.
Count mlp_of(const Model& model, Wide inner, bool bias, Wide times = 1) {
  Count count;
  count.matrix(model.hidden, inner, bias, times * (is_gated(model.mlp) ? 2 : 1));
  count.matrix(inner, model.hidden, bias, times);
  return count;
}

Count experts_of(const Model& model) {
  const Moe& moe = *model.moe;
  Count count;
  count.matrix(model.hidden, moe.experts, false);  // the router
  if (moe.router_bias) count.total += moe.experts;
  const Count one = mlp_of(model, model.expert_inner(), moe.expert_bias);
  const Wide visited = std::min(moe.top_k, moe.experts), others = moe.experts - visited;
  count.add(one, visited);
  count.total += others * one.total;
  count.inactive += others * one.total;
  if (model.shared_inner() > 0) count.add(mlp_of(model, model.shared_inner(), false), 1);
  if (moe.shared_gate) count.matrix(model.hidden, 1, false);
  return count;
}

/// Weights of the norms around attention and MLP.
Wide norms_of(const Model& model) {
  return ((model.parallel_block ? 1 : 2) + (model.post_norms ? 2 : 0)) *
         norm_of(model, model.hidden);
}

/// A stack of self-attention layers with dense MLPs.
Count stack_of(const Model& model, Wide layers) {
  Count layer = attention_kernels(model);
  layer.add(mlp_of(model, model.inner(), model.mlp_bias), 1);
  layer.total += norms_of(model);
  Count count;
  count.add(layer, layers);
  return count;
}

/// A Mamba-2 layer without its norm. The convolution and the gated norm have biases and weights
/// per channel; each head has dt_bias, A and D. Source: state-spaces/mamba,
/// mamba_ssm/modules/mamba2.py.
Count mamba_of(const Model& model) {
  const Mamba& mamba = *model.mamba;
  const Wide heads = model.mamba_heads(), inner = heads * mamba.head_dim;
  const Wide convolved = inner + Wide(2) * mamba.groups * mamba.state;
  Count count;
  count.matrix(model.hidden, inner + convolved + heads, false);
  count.total += convolved * (mamba.conv + 1) + 3 * heads + inner;
  count.matrix(inner, model.hidden, false);
  return count;
}

/// The layers of `Model::pattern`, each with one norm.
Count pattern_layers(const Model& model) {
  const auto add = [&](LayerSymbol symbol, Count layer, Count& count) {
    layer.total += norm_of(model, model.hidden);
    count.add(layer, model.layers_of(symbol));
  };
  Count count;
  add(LayerSymbol::attention, attention_kernels(model), count);
  add(LayerSymbol::mlp, mlp_of(model, model.inner(), model.mlp_bias), count);
  if (model.moe) add(LayerSymbol::experts, experts_of(model), count);
  if (model.mamba) add(LayerSymbol::mamba, mamba_of(model), count);
  return count;
}

/// The modules of multi-token prediction: two norms, the projection of 2 × hidden, a layer like the
/// last one, and the norm before the shared output matrix.
Count prediction_modules(const Model& model) {
  Count layer = attention_kernels(model);
  layer.add(model.has_experts(model.layers - 1) ? experts_of(model)
                                                : mlp_of(model, model.inner(), model.mlp_bias),
            1);
  layer.total += norms_of(model) + 3 * norm_of(model, model.hidden);
  layer.matrix(Wide(2) * model.hidden, model.hidden, false);
  layer.matmul += Wide(model.vocab) * model.hidden;
  Count count;
  count.add(layer, model.mtp_layers);
  return count;
}

/// Decoder layers, with experts where the model has them.
Count decoder_layers(const Model& model) {
  if (!model.pattern.empty()) return pattern_layers(model);
  const std::int64_t with_experts = model.expert_layers();
  Count count = stack_of(model, model.layers - with_experts);
  if (with_experts == 0) return count;
  Count layer = attention_kernels(model);
  layer.add(experts_of(model), 1);
  layer.total += norms_of(model);
  count.add(layer, with_experts);
  return count;
}

void add_embedding(const Model& model, Count& count) {
  count.table(model.vocab, model.hidden);
  if (model.positions == Positions::learned) count.table(model.max_positions, model.hidden);
  count.table(model.token_types, model.hidden);
  if (model.embedding_norm) count.total += norm_of(model, model.hidden);
}

void add_head(const Model& model, Count& count) {
  const Wide matrix = Wide(model.vocab) * model.hidden;
  count.matmul += matrix;
  if (!model.tied_embeddings) {
    count.total += matrix;
    count.head += matrix;
  }
  if (model.head_bias) count.total += model.vocab;
}

/// Decoder, encoder, encoder-decoder.
Count language_model(const Model& model) {
  Count count;
  add_embedding(model, count);
  const Wide relative =
      model.positions == Positions::relative ? Wide(kRelativeBuckets) * model.heads : 0;
  const Wide final_norm = model.final_norm ? norm_of(model, model.hidden) : 0;
  count.add(decoder_layers(model), 1);
  if (model.mtp_layers > 0) count.add(prediction_modules(model), 1);
  count.total += relative + final_norm;
  if (model.kind == ModelKind::encoder_decoder) {
    count.add(stack_of(model, model.encoder_layers), 1);
    count.total += relative + final_norm;
    // Every decoder layer also has cross attention with a norm.
    Count cross = attention_kernels(model);
    cross.total += norm_of(model, model.hidden);
    count.add(cross, model.layers);
  }
  if (model.kind == ModelKind::encoder) {
    // BERT's head (Devlin et al., 2019, section 3.1): a transform with bias and norm, then the
    // table.
    count.matrix(model.hidden, model.hidden, true);
    count.total += norm_of(model, model.hidden);
  }
  if (model.pooler) {
    count.matrix(model.hidden, model.hidden, true);
    count.matrix(model.hidden, 2, true);
  }
  add_head(model, count);
  return count;
}

/// ViT (Dosovitskiy et al., ICLR 2021), section 3.1.
Count vit(const Model& model) {
  const Vision& vision = *model.vision;
  const Wide side = vision.image / vision.patch;
  Count count;
  count.matrix(Wide(vision.channels) * vision.patch * vision.patch, model.hidden, true);
  if (vision.class_token) count.total += model.hidden;
  if (model.positions == Positions::learned)
    count.table(side * side + (vision.class_token ? 1 : 0), model.hidden);
  count.add(stack_of(model, model.layers), 1);
  if (model.final_norm) count.total += norm_of(model, model.hidden);
  if (vision.classes > 0) {
    count.matrix(model.hidden, vision.classes, true);
    count.head = Wide(model.hidden) * vision.classes + vision.classes;
  }
  return count;
}

/// DiT with adaLN-Zero (Peebles and Xie, ICCV 2023), section 3.2: norms have no weights, positions
/// are fixed, 256 waves encode the time, and classes have one more row for "none".
Count dit(const Model& model) {
  constexpr Wide kSines = 256;
  const Vision& vision = *model.vision;
  const Wide hidden = model.hidden, pixels = Wide(vision.patch) * vision.patch;
  Count count;
  count.matrix(vision.channels * pixels, hidden, true);
  count.matrix(kSines, hidden, true);
  count.matrix(hidden, hidden, true);
  if (vision.classes > 0) count.table(vision.classes + 1, hidden);
  Count block = attention_kernels(model);
  block.add(mlp_of(model, model.inner(), model.mlp_bias), 1);
  block.matrix(hidden, 6 * hidden, true);
  count.add(block, model.layers);
  count.matrix(hidden, 2 * hidden, true);
  const Wide out = pixels * vision.channels * (vision.learned_sigma ? 2 : 1);
  count.matrix(hidden, out, true);
  count.head = hidden * out + out;
  return count;
}

/// A convolution without bias, followed by a batch norm.
void convolution(Count& count, Wide in, Wide out, Wide kernel, Wide times = 1) {
  count.matrix(in * kernel * kernel, out, false, times);
  count.total += times * 2 * out;
}

/// ResNet (He et al., CVPR 2016), table 1; shortcuts of type B.
Count resnet(const Model& model) {
  const Vision& vision = *model.vision;
  Count count;
  convolution(count, vision.channels, vision.width, 7);
  Wide in = vision.width, inner = vision.width;
  for (const std::int64_t blocks : vision.blocks) {
    const Wide out = vision.bottleneck ? 4 * inner : inner;
    const auto block = [&](Wide from, Wide times) {
      if (vision.bottleneck) {
        convolution(count, from, inner, 1, times);
        convolution(count, inner, inner, 3, times);
        convolution(count, inner, out, 1, times);
      } else {
        convolution(count, from, inner, 3, times);
        convolution(count, inner, out, 3, times);
      }
    };
    block(in, 1);
    // The first stage of basic blocks keeps size and channels; all others need a projection.
    if (in != out || inner != vision.width) convolution(count, in, out, 1);
    block(out, std::max<std::int64_t>(blocks, 1) - 1);
    in = out;
    inner *= 2;
  }
  count.matrix(in, vision.classes, true);
  count.head = in * vision.classes + vision.classes;
  return count;
}

/// DLRM (Naumov et al., 2019), section 2: the top MLP receives the dot products of all pairs and
/// the bottom MLP's output.
Count dlrm(const Model& model) {
  const Dlrm& shape = *model.dlrm;
  Count count;
  Wide vectors = 1;
  for (const EmbeddingTables& each : shape.tables) {
    count.table(Wide(each.rows) * each.count, shape.dim);
    vectors += each.count;
  }
  const auto layers = [&count](Wide in, const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t out : sizes) {
      count.matrix(in, out, true);
      in = out;
    }
  };
  layers(shape.dense_features, shape.bottom_mlp);
  layers(shape.dim + vectors * (vectors - 1) / 2, shape.top_mlp);
  return count;
}

}  // namespace

std::int64_t Model::layers_of(LayerSymbol symbol) const {
  return std::count(pattern.begin(), pattern.end(), static_cast<char>(symbol));
}

std::int64_t Model::expert_layers() const {
  if (!moe) return 0;
  if (!pattern.empty()) return layers_of(LayerSymbol::experts);
  if (moe->pattern.empty()) {
    const std::int64_t first = std::min(moe->first_dense, layers);
    return layers / moe->every - first / moe->every;
  }
  const auto ones = [this](std::int64_t size) {
    const auto begin = moe->pattern.begin();
    return size - std::count(begin, begin + static_cast<std::ptrdiff_t>(size), 0);
  };
  const auto size = static_cast<std::int64_t>(moe->pattern.size());
  return layers / size * ones(size) + ones(layers % size);
}

ParameterCount count_parameters(const Model& model) {
  switch (model.kind) {
    case ModelKind::decoder:
    case ModelKind::encoder:
    case ModelKind::encoder_decoder:
      return finished(language_model(model));
    case ModelKind::vit:
      return model.vision ? finished(vit(model)) : ParameterCount{};
    case ModelKind::dit:
      return model.vision ? finished(dit(model)) : ParameterCount{};
    case ModelKind::resnet:
      return model.vision ? finished(resnet(model)) : ParameterCount{};
    case ModelKind::dlrm:
      break;
  }
  return model.dlrm ? finished(dlrm(model)) : ParameterCount{};
}

}  // namespace orrery::workload
