// SPDX-License-Identifier: Apache-2.0
//
// Rules of parallelism degrees.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {
namespace {

/// Each factor is at most 2^24 and the product so far at most limits::kRanks = 2^24.
std::string world(const Spec& spec) {
  const Parallel& p = spec.parallel;
  std::int64_t ranks = 1;
  for (const std::int64_t size : {p.tp, p.cp, p.dp, p.pp, p.ep_own_axis ? p.ep : 1}) {
    ranks *= size;
    if (ranks > static_cast<std::int64_t>(limits::kRanks)) return "the job has too many ranks";
  }
  return {};
}

std::string order(const Spec& spec) {
  std::vector<std::string> dims;
  const std::string& text = spec.parallel.order;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('-', at), text.size());
    dims.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(dims.begin(), dims.end());
  if (dims == std::vector<std::string>{"cp", "dp", "ep", "pp", "tp"}) return {};
  return in_quotes(text) + " does not name each of tp, cp, ep, dp and pp once";
}

std::string data_parallel_families(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (has_attention(spec.model) || (p.tp == 1 && p.cp == 1 && p.pp == 1)) return {};
  return fmt::format("tp is {}, cp is {}, pp is {}", p.tp, p.cp, p.pp);
}

/// Whether some layer has attention heads.
bool has_heads(const Model& model) {
  return has_attention(model) &&
         (model.pattern.empty() || model.layers_of(LayerSymbol::attention) > 0);
}

std::string mamba_by_tp(const Spec& spec) {
  const Model& m = spec.model;
  if (!m.mamba) return {};
  const std::int64_t tp = spec.parallel.tp;
  std::string what = divisibility_error("model.mamba.heads", m.mamba_heads(), tp, "tp");
  return what.empty() ? divisibility_error("model.mamba.groups", m.mamba->groups, tp, "tp") : what;
}

std::string heads_by_tp(const Spec& spec) {
  if (!has_heads(spec.model)) return {};
  return divisibility_error("model.heads", spec.model.heads, spec.parallel.tp, "tp");
}

std::string kv_heads_by_tp(const Spec& spec) {
  if (!has_heads(spec.model) || spec.model.mla) return {};
  return divisibility_error("model.kv_heads", spec.model.kv(), spec.parallel.tp, "tp");
}

std::string ffn_by_tp(const Spec& spec) {
  if (!has_attention(spec.model) || !has_dense_layer(spec.model)) return {};
  return divisibility_error("model.ffn", spec.model.inner(), spec.parallel.tp, "tp");
}

/// Only for compat stage; for other jobs the assembly pads the vocabulary.
std::string vocab_by_tp(const Spec& spec) {
  if (!reads_text(spec.model) || spec.compat != Compat::stage) return {};
  return divisibility_error("model.vocab", spec.model.vocab, spec.parallel.tp, "tp");
}

/// Returns the error of `broken` for the tokens of one of a job's sequences.
template <class Broken>
std::string any_sequence(const Spec& spec, Broken broken) {
  if (!has_attention(spec.model)) return {};
  std::string what = broken(tokens_per_sequence(spec));
  if (what.empty() && spec.model.kind == ModelKind::encoder_decoder)
    what = broken(spec.source_seq());
  return what;
}

std::string seq_by_cp(const Spec& spec) {
  const std::int64_t cp = spec.parallel.cp;
  return any_sequence(
      spec, [&](std::int64_t seq) { return divisibility_error("a sequence", seq, cp, "cp"); });
}

/// With causal attention every rank has a piece of the first half and one of the second, so that
/// all do the same work (Llama 3, arXiv 2407.21783, section 3.3.2).
std::string seq_by_ring(const Spec& spec) {
  const Parallel& p = spec.parallel;
  const bool causal =
      spec.model.kind == ModelKind::decoder || spec.model.kind == ModelKind::encoder_decoder;
  if (p.cp == 1 || p.cp_method != ContextMethod::ring || !causal) return {};
  return divisibility_error("a sequence", spec.batch.seq, 2 * p.cp, "2 x cp");
}

std::string heads_by_ulysses(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.cp == 1 || p.cp_method != ContextMethod::ulysses) return {};
  std::string what = divisibility_error("model.heads", spec.model.heads, p.tp * p.cp, "tp x cp");
  if (what.empty() && !spec.model.mla)
    what = divisibility_error("model.kv_heads", spec.model.kv(), p.tp * p.cp, "tp x cp");
  return what;
}

std::string seq_by_sp(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (!p.sp) return {};
  return any_sequence(spec, [&](std::int64_t seq) {
    return divisibility_error("a sequence's share of a cp rank", seq / p.cp, p.tp, "tp");
  });
}

std::string shard_size(const Spec& spec) {
  const Parallel& p = spec.parallel;
  if (p.shard_size == 0) return {};
  return divisibility_error("dp x cp", p.dp * p.cp, p.shard_size, "shard_size");
}

constexpr std::array kParallelRules = {
    RuleCheck{
        {"world", "A job has at most 16777216 ranks."}, "parallel", world, Errc::limit_exceeded},
    RuleCheck{{"order", "`order` names tp, cp, ep, dp and pp, each once, separated by `-`."},
              "parallel.order",
              order,
              Errc::config_range},
    RuleCheck{{"data-parallel-families", "The families resnet and dlrm support only dp."},
              "parallel",
              data_parallel_families},
    RuleCheck{{"heads-by-tp", "Attention heads are a multiple of tp."}, "parallel.tp", heads_by_tp},
    RuleCheck{{"kv-heads-by-tp", "Heads of keys and values are a multiple of tp."},
              "parallel.tp",
              kv_heads_by_tp},
    RuleCheck{{"mamba-by-tp", "Heads and groups of Mamba-2 layers are multiples of tp."},
              "parallel.tp",
              mamba_by_tp},
    RuleCheck{{"mamba-cp", "Context parallelism does not split Mamba-2 layers: cp is 1."},
              "parallel.cp",
              [](const Spec& spec) -> std::string {
                const bool violation = spec.parallel.cp > 1 && spec.model.mamba;
                return violation ? "is above 1, but the model has Mamba-2 layers" : "";
              }},
    RuleCheck{{"ffn-by-tp", "The MLP's inner size is a multiple of tp."}, "parallel.tp", ffn_by_tp},
    RuleCheck{{"vocab-by-tp",
               "With `compat: stage` the vocabulary is a multiple of tp (pad it: set "
               "`model.vocab`)."},
              "parallel.tp",
              vocab_by_tp},
    RuleCheck{{"cp-needs-text", "Context parallelism splits sequences of text, not images."},
              "parallel.cp",
              [](const Spec& spec) -> std::string {
                const bool violation = spec.parallel.cp > 1 && !reads_text(spec.model);
                return violation ? "is above 1, but the model processes images" : "";
              }},
    RuleCheck{
        {"seq-by-cp", "The tokens of a sequence are a multiple of cp."}, "parallel.cp", seq_by_cp},
    RuleCheck{{"seq-by-ring",
               "In causal ring attention the tokens of a sequence are a multiple of 2 x cp: each "
               "rank has an early and a late piece."},
              "parallel.cp",
              seq_by_ring},
    RuleCheck{{"heads-by-ulysses",
               "With `cp_method: ulysses`, heads of queries, and of keys and values, are a "
               "multiple of tp x cp."},
              "parallel.cp",
              heads_by_ulysses},
    RuleCheck{{"sp-needs-tp", "Sequence parallelism splits over tp: tp is above 1."},
              "parallel.sp",
              [](const Spec& spec) -> std::string {
                return spec.parallel.sp && spec.parallel.tp == 1 ? "is true, but tp is 1" : "";
              }},
    RuleCheck{
        {"seq-by-sp", "With `sp`, the tokens of a sequence on a cp rank are a multiple of tp."},
        "parallel.sp",
        seq_by_sp},
    RuleCheck{{"shard-needs-sharding", "`shard_size` needs `sharding`."},
              "parallel.shard_size",
              [](const Spec& spec) -> std::string {
                const Parallel& p = spec.parallel;
                const bool violation = p.shard_size != 0 && p.sharding == Sharding::none;
                return violation ? "is given, but sharding is none" : "";
              }},
    RuleCheck{{"shard-size", "dp x cp is a multiple of `shard_size`."},
              "parallel.shard_size",
              shard_size},
    RuleCheck{{"offload-weights", "`offload.weights` moves shards: `sharding` is zero3."},
              "offload.weights",
              [](const Spec& spec) -> std::string {
                const bool violation =
                    spec.offload.weights && spec.parallel.sharding != Sharding::zero3;
                return violation ? "is true, but sharding is not zero3" : "";
              }},
    RuleCheck{{"offload-in-switch",
               "`offload.in_switch` needs `offload.weights` and weights that all ranks share: no "
               "tp, cp, pp or `shard_size`."},
              "offload.in_switch",
              [](const Spec& spec) -> std::string {
                const Parallel& p = spec.parallel;
                const bool fine = spec.offload.weights && p.shard_size == 0 && p.world() == p.dp;
                return fine || !spec.offload.in_switch
                           ? ""
                           : "is true, but not all ranks share offloaded weights";
              }},
};

}  // namespace

std::span<const RuleCheck> parallel_rules() { return kParallelRules; }

}  // namespace orrery::workload
