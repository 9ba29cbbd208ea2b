// SPDX-License-Identifier: Apache-2.0
//
// Rules of a model's shape.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/workload/spec/lora_targets.h"
#include "orrery/workload/spec/model_parallel_policy.h"
#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {

namespace {

std::string vision_where_due(const Spec& spec) {
  const Model& m = spec.model;
  const bool due =
      m.kind == ModelKind::vit || m.kind == ModelKind::dit || m.kind == ModelKind::resnet;
  if (due == m.vision.has_value()) return {};
  return due ? "is missing" : "is not used by this model family";
}

std::string dlrm_where_due(const Spec& spec) {
  const bool due = spec.model.kind == ModelKind::dlrm;
  if (due == spec.model.dlrm.has_value()) return {};
  return due ? "is missing" : "is not used by this model family";
}

std::string only_decoders(bool given, const Spec& spec) {
  return given && spec.model.kind != ModelKind::decoder ? "is given, but this is not a decoder"
                                                        : "";
}

std::string encoder_layers(const Spec& spec) {
  const bool due = spec.model.kind == ModelKind::encoder_decoder;
  if (due == (spec.model.encoder_layers > 0)) return {};
  return due ? "is 0" : fmt::format("is {}", spec.model.encoder_layers);
}

constexpr std::int64_t kMaxFeaturesOfHead = 65536;

std::string head_size(const Spec& spec) {
  const Model& m = spec.model;
  if (!has_attention(m) || m.mla || m.head_dim != 0) return {};
  if (m.hidden / m.heads > kMaxFeaturesOfHead) return fmt::format("is too small for {}", m.hidden);
  return divisibility_error("hidden", m.hidden, m.heads, "heads");
}

std::string kv_heads(const Spec& spec) {
  const Model& m = spec.model;
  if (!has_attention(m) || m.mla) return {};
  return divisibility_error("heads", m.heads, m.kv(), "kv_heads");
}

std::string parallel_block(const Spec& spec) {
  if (!spec.model.parallel_block) return {};
  if (spec.model.post_norms) return "is true together with post_norms";
  return only_decoders(true, spec);
}

std::string positions(const Spec& spec) {
  const Model& m = spec.model;
  if (!reads_text(m) || m.positions != Positions::learned || m.max_positions == 0) return {};
  const std::int64_t seq = std::max(
      spec.batch.seq, m.kind == ModelKind::encoder_decoder ? spec.source_seq() : std::int64_t{0});
  if (seq <= m.max_positions) return {};
  return fmt::format("sequences have {} tokens, but the table of positions has {} rows", seq,
                     m.max_positions);
}

std::string patches(const Spec& spec) {
  const Model& m = spec.model;
  if (m.kind != ModelKind::vit && m.kind != ModelKind::dit) return {};
  return divisibility_error("image", m.vision->image, m.vision->patch, "patch");
}

constexpr std::int64_t kMaxBlocks = 1024;

std::string resnet_blocks(const Spec& spec) {
  if (spec.model.kind != ModelKind::resnet) return {};
  const std::vector<std::int64_t>& blocks = spec.model.vision->blocks;
  if (blocks.empty()) return "is empty";
  for (const std::int64_t count : blocks) {
    if (count < 1 || count > kMaxBlocks) return fmt::format("lists {}", count);
  }
  return {};
}

constexpr std::int64_t kMaxFeatures = 1 << 20;

std::string mlp_sizes(const Spec& spec) {
  if (spec.model.kind != ModelKind::dlrm) return {};
  for (const auto* sizes : {&spec.model.dlrm->bottom_mlp, &spec.model.dlrm->top_mlp}) {
    if (sizes->empty()) return "an MLP has no layer";
    for (const std::int64_t size : *sizes) {
      if (size < 1 || size > kMaxFeatures) return fmt::format("an MLP lists {}", size);
    }
  }
  return {};
}

std::string mlp_ends(const Spec& spec) {
  if (spec.model.kind != ModelKind::dlrm) return {};
  const Dlrm& shape = *spec.model.dlrm;
  if (shape.bottom_mlp.back() != shape.dim) {
    return fmt::format("bottom_mlp ends with {}, but tables have {} columns",
                       shape.bottom_mlp.back(), shape.dim);
  }
  if (shape.top_mlp.back() == 1) return {};
  return fmt::format("top_mlp ends with {}", shape.top_mlp.back());
}

constexpr std::int64_t kMaxTableCount = 1 << 20;  // as in models/table_share.h

std::string table_count(const Spec& spec) {
  if (spec.model.kind != ModelKind::dlrm) return {};
  std::int64_t count = 0;
  for (const EmbeddingTables& each : spec.model.dlrm->tables) count += each.count;
  return count <= kMaxTableCount ? "" : fmt::format("has {} tables", count);
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
                const bool violation = spec.model.pooler && spec.model.kind != ModelKind::encoder;
                return violation ? "is true, but this is not an encoder" : "";
              }},
    RuleCheck{
        {"heads-by-hidden",
         "Without `head_dim`, `hidden` is a multiple of `heads` and at most 65536 times `heads`."},
        "model.heads",
        head_size},
    RuleCheck{{"kv-heads", "Heads of queries are a multiple of those of keys and values."},
              "model.kv_heads",
              kv_heads},
    RuleCheck{{"parallel-block", "Only decoders without `post_norms` have `parallel_block`."},
              "model.parallel_block",
              parallel_block},
    RuleCheck{{"full-every", "`full_every` needs a `window`."},
              "model.full_every",
              [](const Spec& spec) -> std::string {
                const bool violation = spec.model.full_every > 0 && spec.model.window == 0;
                return violation ? "is given, but there is no window" : "";
              }},
    RuleCheck{{"positions", "A table of positions has a row for every token of a sequence."},
              "batch.seq",
              positions},
    RuleCheck{{"patches", "The side of an image is a multiple of the side of a patch."},
              "model.vision",
              patches},
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

// Rules of low-rank adapters.

namespace {

std::string families(const Spec& spec) {
  if (!spec.lora || !adaptable_matrices(spec.model).empty()) return {};
  return "is given, but this family has no matrices with adapters";
}

std::string targets(const Spec& spec) {
  if (!spec.lora) return {};
  const std::vector<std::string_view> known = adaptable_matrices(spec.model);
  for (const std::string& word : spec.lora->targets) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    return fmt::format("{} is not one of {}", in_quotes(word), join(known));
  }
  return {};
}

/// The matrices that the name of a merged matrix covers.
struct Whole {
  std::string_view word;
  std::array<std::string_view, 3> parts;
};
constexpr std::array kWholes = {Whole{"qkv", {"q", "k", "v"}}, Whole{"mlp_up", {"gate", "up", ""}}};

std::string once(const Spec& spec) {
  if (!spec.lora) return {};
  const std::vector<std::string>& list = spec.lora->targets;
  const auto times = [&](std::string_view word) {
    return std::count(list.begin(), list.end(), word);
  };
  for (const std::string& word : list) {
    if (times(word) > 1) return fmt::format("lists {} twice", word);
  }
  for (const Whole& whole : kWholes) {
    for (const std::string_view part : whole.parts) {
      if (times(whole.word) > 0 && times(part) > 0)
        return fmt::format("lists {} and {}", whole.word, part);
    }
  }
  return {};
}

constexpr std::array kRules = {
    RuleCheck{{"lora-families", "Decoders, encoders, encoder-decoders and ViTs have adapters."},
              "lora",
              families},
    RuleCheck{{"lora-targets", "`lora.targets` lists matrices that the model has."},
              "lora.targets",
              targets,
              Errc::config_range},
    RuleCheck{{"lora-once",
               "A matrix has at most one adapter: its own, or one shared with other matrices."},
              "lora.targets",
              once},
    RuleCheck{{"lora-compat", "With `compat: stage` all weights are trained: `lora` is not given."},
              "compat",
              [](const Spec& spec) -> std::string {
                const bool violation = spec.lora && spec.compat == Compat::stage;
                return violation ? "is stage, which has no adapters" : "";
              }},
};

}  // namespace

std::span<const RuleCheck> lora_rules() { return kRules; }

// Rules of mixtures of experts.

namespace {

std::string experts_given(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (spec.model.moe || (p.ep == 1 && p.etp == 0 && !p.ep_own_axis)) return {};
  return "is given, but the model has no experts";
}

std::string top_k(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.moe->top_k <= m.moe->experts) return {};
  return fmt::format("is {}, but there are {} experts", m.moe->top_k, m.moe->experts);
}

std::string some_layer(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.expert_layers() > 0) return {};
  return fmt::format("no layer of {} has experts", m.layers);
}

std::string pattern(const Spec& spec) {
  if (!spec.model.moe || spec.model.moe->pattern.empty()) return {};
  for (const std::int64_t each : spec.model.moe->pattern) {
    if (each != 0 && each != 1) return fmt::format("lists {}", each);
  }
  const bool both = spec.model.moe->first_dense != 0 || spec.model.moe->every != 1;
  return both ? "is given together with first_dense or every" : "";
}

std::string shared(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.moe->shared_experts > 0) return {};
  return m.moe->shared_ffn > 0 || m.moe->shared_gate
             ? "is 0, but properties of shared experts are given"
             : "";
}

constexpr std::int64_t kMaxSharedFeatures = 1 << 22;

std::string shared_size(const Spec& spec) {
  if (!spec.model.moe || spec.model.shared_inner() <= kMaxSharedFeatures) return {};
  return fmt::format("together they are {} wide", spec.model.shared_inner());
}

std::string capacity(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || !m.moe->pad_to_capacity || m.moe->capacity_factor > 0) return {};
  return "is true, but capacity_factor is 0";
}

std::string imbalance(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.moe || m.moe->imbalance <= static_cast<double>(spec.parallel.ep)) return {};
  return fmt::format("is {}, but ep is {}", m.moe->imbalance, spec.parallel.ep);
}

std::string experts_by_ep(const Spec& spec) {
  if (!spec.model.moe) return {};
  return divisibility_error("model.moe.experts", spec.model.moe->experts, spec.parallel.ep, "ep");
}

std::string etp(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.etp == 0 || p.etp == 1 || p.etp == p.tp) return {};
  return fmt::format("is {}, but tp is {}", p.etp, p.tp);
}

std::string etp_by_sp(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.expert_tp() == p.tp || p.sp) return {};
  return "is 1, but ranks of tp have the same tokens";
}

std::string ep_by_ranks(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.ep_own_axis || p.ep == 1) return {};
  return p.expert_tp() == p.tp ? divisibility_error("cp x dp", p.cp * p.dp, p.ep, "ep")
                               : divisibility_error("tp x cp x dp", p.tp * p.cp * p.dp, p.ep, "ep");
}

std::string expert_ffn_by_etp(const Spec& spec) {
  if (!spec.model.moe) return {};
  return divisibility_error("an expert's ffn", spec.model.expert_inner(), spec.parallel.expert_tp(),
                            "etp");
}

std::string shared_ffn_by_tp(const Spec& spec) {
  if (!spec.model.moe) return {};
  return divisibility_error("the shared experts' ffn", spec.model.shared_inner(), spec.parallel.tp,
                            "tp");
}

constexpr double kWidestRow = 65535;

std::string dispatcher(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (!spec.model.moe || p.dispatcher.value_or(Dispatcher::all_to_all) == Dispatcher::all_to_all)
    return {};
  const Moe& moe = *spec.model.moe;
  const double row = static_cast<double>(spec.model.hidden) *
                     std::max(bytes_of(spec.precision.dispatch), bytes_of(spec.precision.combine));
  const bool fits = moe.experts <= 65535 && moe.top_k <= 255 && row <= kWidestRow;
  if (fits) return {};
  return fmt::format("would send tokens of {} bytes to {} of {} experts", row, moe.top_k,
                     moe.experts);
}

std::string overlapped_experts(const Spec& spec) {
  if (!spec.parallel.overlap_experts.value_or(false) || can_overlap_experts(spec)) return {};
  return "is true, but the job has no two passes that can run together";
}

constexpr std::array kExpertRules = {
    RuleCheck{{"ep-needs-moe", "`ep`, `etp` and `ep_own_axis` need a model with experts."},
              "parallel.ep",
              experts_given},
    RuleCheck{{"top-k", "A token goes to at most as many experts as there are."},
              "model.moe.top_k",
              top_k},
    RuleCheck{{"moe-layers", "At least one layer has experts."}, "model.moe", some_layer},
    RuleCheck{{"moe-pattern", "`pattern` lists 0 and 1, and replaces `first_dense` and `every`."},
              "model.moe.pattern",
              pattern},
    RuleCheck{{"shared-experts", "`shared_ffn` and `shared_gate` describe `shared_experts`."},
              "model.moe.shared_experts",
              shared},
    RuleCheck{{"shared-size", "The total inner size of the shared experts is at most 4194304."},
              "model.moe.shared_experts",
              shared_size,
              Errc::config_range},
    RuleCheck{{"capacity", "`pad_to_capacity` needs a `capacity_factor`."},
              "model.moe.pad_to_capacity",
              capacity},
    RuleCheck{{"imbalance", "The load of the busiest of ep ranks is at most ep times the mean."},
              "model.moe.imbalance",
              imbalance},
    RuleCheck{{"experts-by-ep", "Experts are a multiple of ep."}, "parallel.ep", experts_by_ep},
    RuleCheck{{"etp", "`etp` is 1 or tp."}, "parallel.etp", etp},
    RuleCheck{
        {"etp-by-sp", "`etp: 1` with tp above 1 needs `sp`: each rank sends different tokens."},
        "parallel.etp",
        etp_by_sp},
    RuleCheck{{"ep-by-ranks",
               "Without `ep_own_axis`, ep divides cp x dp, or tp x cp x dp with `etp: 1`."},
              "parallel.ep",
              ep_by_ranks},
    RuleCheck{{"expert-ffn-by-etp", "The inner size of an expert is a multiple of etp."},
              "parallel.etp",
              expert_ffn_by_etp},
    RuleCheck{{"dispatcher",
               "DeepEP and HybridEP send tokens of at most 65535 bytes to at most 255 of 65535 "
               "experts."},
              "parallel.dispatcher",
              dispatcher,
              Errc::config_range},
    RuleCheck{{"overlapped-experts",
               "`overlap_experts` needs experts on several ranks of tp x cp x dp, schedule "
               "interleaved or "
               "(with pp 1) 1f1b with `overlap`, and sharding below zero3."},
              "parallel.overlap_experts",
              overlapped_experts},
    RuleCheck{{"shared-ffn-by-tp", "The inner size of the shared experts is a multiple of tp."},
              "parallel.tp",
              shared_ffn_by_tp},
};

}  // namespace

std::span<const RuleCheck> expert_rules() { return kExpertRules; }

}  // namespace orrery::workload
