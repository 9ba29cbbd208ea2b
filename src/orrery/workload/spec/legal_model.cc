// SPDX-License-Identifier: Apache-2.0
//
// Rules of a model's shape.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/workload/spec/legal_internal.h"

namespace orrery::workload {
namespace {

std::string vision_where_due(const Spec& spec) {
  const Model& m = spec.model;
  const bool due =
      m.kind == ModelKind::vit || m.kind == ModelKind::dit || m.kind == ModelKind::resnet;
  if (due == m.vision.has_value()) return {};
  return due ? "is missing" : "has no place in this family";
}

std::string dlrm_where_due(const Spec& spec) {
  const bool due = spec.model.kind == ModelKind::dlrm;
  if (due == spec.model.dlrm.has_value()) return {};
  return due ? "is missing" : "has no place in this family";
}

std::string only_decoders(bool given, const Spec& spec) {
  return given && spec.model.kind != ModelKind::decoder ? "is given, but this is no decoder" : "";
}

std::string encoder_layers(const Spec& spec) {
  const bool due = spec.model.kind == ModelKind::encoder_decoder;
  if (due == (spec.model.encoder_layers > 0)) return {};
  return due ? "is 0" : fmt::format("is {}", spec.model.encoder_layers);
}

constexpr std::int64_t kMostFeaturesOfHead = 65536;

std::string head_size(const Spec& spec) {
  const Model& m = spec.model;
  if (!has_attention(m) || m.mla || m.head_dim != 0) return {};
  if (m.hidden / m.heads > kMostFeaturesOfHead) return fmt::format("is too small for {}", m.hidden);
  return no_multiple("hidden", m.hidden, m.heads, "heads");
}

std::string kv_heads(const Spec& spec) {
  const Model& m = spec.model;
  if (!has_attention(m) || m.mla) return {};
  return no_multiple("heads", m.heads, m.kv(), "kv_heads");
}

std::string parallel_block(const Spec& spec) {
  if (!spec.model.parallel_block) return {};
  if (spec.model.post_norms) return "is true beside post_norms";
  return only_decoders(true, spec);
}

std::string positions(const Spec& spec) {
  const Model& m = spec.model;
  if (!reads_text(m) || m.positions != Positions::learned || m.max_positions == 0) return {};
  const std::int64_t seq = std::max(
      spec.batch.seq, m.kind == ModelKind::encoder_decoder ? spec.source_seq() : std::int64_t{0});
  if (seq <= m.max_positions) return {};
  return fmt::format("sequences have {} tokens, the table of positions has {} rows", seq,
                     m.max_positions);
}

std::string patches(const Spec& spec) {
  const Model& m = spec.model;
  if (m.kind != ModelKind::vit && m.kind != ModelKind::dit) return {};
  return no_multiple("image", m.vision->image, m.vision->patch, "patch");
}

constexpr std::int64_t kMostBlocks = 1024;

std::string resnet_blocks(const Spec& spec) {
  if (spec.model.kind != ModelKind::resnet) return {};
  const std::vector<std::int64_t>& blocks = spec.model.vision->blocks;
  if (blocks.empty()) return "is empty";
  for (const std::int64_t count : blocks) {
    if (count < 1 || count > kMostBlocks) return fmt::format("lists {}", count);
  }
  return {};
}

constexpr std::int64_t kMostFeatures = 1 << 20;

std::string mlp_sizes(const Spec& spec) {
  if (spec.model.kind != ModelKind::dlrm) return {};
  for (const auto* sizes : {&spec.model.dlrm->bottom_mlp, &spec.model.dlrm->top_mlp}) {
    if (sizes->empty()) return "an MLP has no layer";
    for (const std::int64_t size : *sizes) {
      if (size < 1 || size > kMostFeatures) return fmt::format("an MLP lists {}", size);
    }
  }
  return {};
}

std::string mlp_ends(const Spec& spec) {
  if (spec.model.kind != ModelKind::dlrm) return {};
  const Dlrm& shape = *spec.model.dlrm;
  if (shape.bottom_mlp.back() != shape.dim) {
    return fmt::format("bottom_mlp ends with {}, tables have {} columns", shape.bottom_mlp.back(),
                       shape.dim);
  }
  if (shape.top_mlp.back() == 1) return {};
  return fmt::format("top_mlp ends with {}", shape.top_mlp.back());
}

constexpr std::int64_t kMostTables = 1 << 20;  // also layers/tables.h

std::string table_count(const Spec& spec) {
  if (spec.model.kind != ModelKind::dlrm) return {};
  std::int64_t count = 0;
  for (const EmbeddingTables& each : spec.model.dlrm->tables) count += each.count;
  return count <= kMostTables ? "" : fmt::format("has {} tables", count);
}

constexpr std::array kModelRules = {
    RuleCheck{{"vision-families", "The families vit, dit and resnet have `vision`, others do not."},
              "model.vision",
              vision_where_due},
    RuleCheck{{"dlrm-family", "The family dlrm has `dlrm`, others do not."},
              "model.dlrm",
              dlrm_where_due},
    RuleCheck{{"moe-family", "Only decoders have experts."},
              "model.moe",
              [](const Spec& spec) { return only_decoders(spec.model.moe.has_value(), spec); }},
    RuleCheck{{"mla-family", "Only decoders have latent attention."},
              "model.mla",
              [](const Spec& spec) { return only_decoders(spec.model.mla.has_value(), spec); }},
    RuleCheck{{"encoder-layers", "An encoder-decoder has `encoder_layers`, others have none."},
              "model.encoder_layers",
              encoder_layers},
    RuleCheck{{"pooler-family", "Only encoders have a pooler."},
              "model.pooler",
              [](const Spec& spec) -> std::string {
                const bool wrong = spec.model.pooler && spec.model.kind != ModelKind::encoder;
                return wrong ? "is true, but this is no encoder" : "";
              }},
    RuleCheck{{"heads-by-hidden",
               "Without `head_dim`, `hidden` is a multiple of `heads`, at most 65536 times."},
              "model.heads",
              head_size},
    RuleCheck{{"kv-heads", "Heads of queries are a multiple of those of keys and values."},
              "model.kv_heads",
              kv_heads},
    RuleCheck{{"parallel-block", "Only decoders without `post_norms` have `parallel_block`."},
              "model.parallel_block",
              parallel_block},
    RuleCheck{{"full-every", "`full_every` makes exceptions from a `window`."},
              "model.full_every",
              [](const Spec& spec) -> std::string {
                const bool wrong = spec.model.full_every > 0 && spec.model.window == 0;
                return wrong ? "is given, but there is no window" : "";
              }},
    RuleCheck{{"positions", "A table of positions has a row for every token of a sequence."},
              "batch.seq",
              positions},
    RuleCheck{{"patches", "A picture's side is a multiple of a patch's."}, "model.vision", patches},
    RuleCheck{{"resnet-blocks", "Every stage of a ResNet has 1 to 1024 blocks."},
              "model.vision.blocks",
              resnet_blocks},
    RuleCheck{{"mlp-sizes", "Both MLPs of a dlrm have layers, of 1 to 1048576 features."},
              "model.dlrm",
              mlp_sizes},
    RuleCheck{{"mlp-ends", "A dlrm's bottom MLP ends with `dim` features, the top one with 1."},
              "model.dlrm",
              mlp_ends},
    RuleCheck{{"table-count", "A dlrm has at most 1048576 tables."},
              "model.dlrm.tables",
              table_count,
              Errc::config_range},
};

}  // namespace

std::span<const RuleCheck> model_rules() { return kModelRules; }

}  // namespace orrery::workload
