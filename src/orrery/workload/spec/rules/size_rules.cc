// SPDX-License-Identifier: Apache-2.0
//
// Rules that keep every count within 64 bits.
#include <algorithm>
#include <array>

#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {
namespace {

/// Products of six keys stay within 128 bits.
__extension__ using Wide = __int128;

/// Backward passes, wider types and padding need at most this factor more than these counts.
constexpr Wide kMargin = 16;
constexpr Wide kLargest = (Wide(1) << 62) / kMargin;

/// The number of weights of the largest product of a layer, or of the head, on one rank.
Wide widest_product(const Model& m) {
  const Wide hidden = m.hidden;
  Wide width = std::max<Wide>(2 * m.inner(), 6 * hidden);
  if (reads_text(m)) width = std::max<Wide>(width, m.vocab);
  if (m.mla) {
    width =
        std::max<Wide>({width, Wide(m.heads) * (m.mla->nope_dim + m.mla->rope_dim + m.mla->v_dim),
                        m.mla->kv_rank + m.mla->rope_dim, m.mla->q_rank});
    return width * std::max<Wide>({hidden, m.mla->kv_rank, m.mla->q_rank});
  }
  width = std::max<Wide>(width, (Wide(m.heads) + 2 * m.kv()) * m.head_size());
  if (m.vision) {
    width = std::max<Wide>({width, m.vision->classes,
                            Wide(m.vision->channels) * m.vision->patch * m.vision->patch * 2});
  }
  if (m.moe) width = std::max<Wide>({width, m.moe->experts, 2 * m.shared_inner()});
  return width * hidden;
}

/// FLOPs of products of activations, and elements of the score matrix.
Wide attention_core(const Spec& spec, Wide seq) {
  const Model& m = spec.model;
  const Wide head = m.mla ? m.mla->nope_dim + m.mla->rope_dim + m.mla->v_dim : m.head_size();
  return 2 * spec.batch.micro * seq * seq * m.heads * std::max<Wide>(head, 4);
}

bool transformer_fits(const Spec& spec) {
  const Model& m = spec.model;
  const Parallel& p = spec.parallel;
  Wide seq = tokens_per_sequence(spec);
  if (m.kind == ModelKind::encoder_decoder) seq = std::max<Wide>(seq, spec.source_seq());
  const Wide tokens = spec.batch.micro * seq / p.cp + 1;
  Wide largest =
      std::max(2 * tokens * widest_product(m) / p.tp, attention_core(spec, seq) / p.tp / p.cp);
  if (m.moe) {
    const double load = std::max({1.0, m.moe->imbalance, m.moe->capacity_factor});
    const Wide copies = tokens * m.moe->top_k * static_cast<Wide>(load + 1) + m.moe->experts;
    largest = std::max(largest, 4 * copies * m.hidden * m.expert_inner());
  }
  return largest <= kLargest;
}

bool dlrm_fits(const Spec& spec) {
  const Dlrm& shape = *spec.model.dlrm;
  Wide vectors = 1, rows = 0;
  for (const EmbeddingTables& each : shape.tables) {
    vectors += each.count;
    rows += Wide(each.count) * each.pooling;
  }
  Wide widest = 1;
  for (const auto* sizes : {&shape.bottom_mlp, &shape.top_mlp}) {
    for (const std::int64_t size : *sizes) widest = std::max<Wide>(widest, size);
  }
  const Wide samples = Wide(spec.batch.micro) * spec.parallel.dp;
  const Wide inputs = std::max<Wide>(vectors * vectors + shape.dim, shape.dense_features) + widest;
  return samples * rows * shape.dim <= kLargest && 2 * samples * inputs * widest <= kLargest &&
         2 * samples * vectors * vectors * shape.dim <= kLargest;
}

std::string op_size(const Spec& spec) {
  bool fits = true;
  if (spec.model.kind == ModelKind::dlrm) {
    fits = dlrm_fits(spec);
  } else if (spec.model.kind == ModelKind::resnet) {
    const Wide pixels = Wide(spec.model.vision->image) * spec.model.vision->image;
    fits = 2 * spec.batch.micro * pixels * count_parameters(spec.model).total <= kLargest;
  } else {
    fits = transformer_fits(spec);
  }
  return fits ? "" : "an operation would have more than 2^58 FLOPs or bytes";
}

std::string weights(const Spec& spec) {
  constexpr std::int64_t kMaxWeightCount = std::int64_t{1} << 56;
  return count_parameters(spec.model).total < kMaxWeightCount ? "" : "has 2^56 weights or more";
}

constexpr std::array kSizeRules = {
    RuleCheck{
        {"weights", "A model has fewer than 2^56 weights."}, "model", weights, Errc::config_range},
    RuleCheck{{"op-size", "No operation of a rank has more than 2^58 FLOPs or bytes."},
              "batch",
              op_size,
              Errc::config_range},
};

}  // namespace

std::span<const RuleCheck> size_rules() { return kSizeRules; }

}  // namespace orrery::workload
