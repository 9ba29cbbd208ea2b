// SPDX-License-Identifier: Apache-2.0
//
// Rules of batches, schedules, precision and recomputation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/workload/spec/model_parallel_policy.h"
#include "orrery/workload/spec/recompute_policy.h"
#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kMaxSequences = 1 << 30;

std::string global_batch(const Spec& spec) {
  const std::int64_t step = spec.batch.micro * spec.parallel.dp;
  if (spec.global_batch() > kMaxSequences) return fmt::format("is {}", spec.global_batch());
  if (spec.batch.global == 0) return {};
  return divisibility_error("it", spec.batch.global, step, "micro x dp");
}

/// The error text; empty if the schedule allows its chunks, or does not have `count`.
std::string chunks_of(const Spec& spec, ChunkCount count) {
  const ScheduleEntry* schedule = find_schedule(spec.schedule.kind);
  if (schedule == nullptr || schedule->chunks != count) return {};
  return allows(count, spec.schedule.chunks) ? "" : fmt::format("is {}", spec.schedule.chunks);
}

std::string one_chunk(const Spec& spec) { return chunks_of(spec, ChunkCount::one); }
std::string two_chunks(const Spec& spec) { return chunks_of(spec, ChunkCount::two); }
std::string more_chunks(const Spec& spec) { return chunks_of(spec, ChunkCount::several); }

/// "These schedules have one chunk per rank: gpipe, 1f1b."
std::string chunk_sentence(std::string_view how_many, ChunkCount count) {
  std::vector<std::string_view> names;
  for (const ScheduleEntry* one : kSchedules)
    if (one->chunks == count) names.push_back(name(one->kind));
  return fmt::format("These schedules have {} per rank: {}.", how_many, join(names));
}

/// As pipeline_order: at most three passes per microbatch and piece of the model.
std::string passes(const Spec& spec) {
  constexpr auto kMaxPieces = static_cast<std::int64_t>(limits::kScheduleSlots / 3);
  const std::int64_t pieces = spec.parallel.pp * spec.schedule.chunks;
  if (pieces <= kMaxPieces && spec.microbatches() <= kMaxPieces / pieces) return {};
  return fmt::format("{} microbatches pass through {} pieces of the model", spec.microbatches(),
                     pieces);
}

/// The first and last stage may have only the embedding and the head.
std::string layers_by_stages(const Spec& spec) {
  if (!has_attention(spec.model) || !spec.schedule.stage_layers.empty()) return {};
  const std::int64_t layers = layer_count(spec.model), stages = virtual_stage_count(spec);
  if (layers + 2 >= stages) return {};
  return fmt::format("{} layers do not fill {} stages", layers, stages);
}

/// The chunks of a file are known when it is read.
std::string stage_layers_count(const Spec& spec) {
  const auto given = static_cast<std::int64_t>(spec.schedule.stage_layers.size());
  if (given == 0 || spec.schedule.kind == ScheduleKind::file || given == virtual_stage_count(spec))
    return {};
  return fmt::format("lists {} stages, but must list {}", given, virtual_stage_count(spec));
}

std::string stage_layers_sum(const Spec& spec) {
  if (spec.schedule.stage_layers.empty()) return {};
  const std::int64_t layers = layer_count(spec.model);
  std::int64_t sum = 0;
  for (const std::int64_t each : spec.schedule.stage_layers) {
    if (each < 0 || each > layers)
      return fmt::format("lists {} layers, but the model has {}", each, layers);
    sum += each;
  }
  return sum == layers ? "" : fmt::format("sums to {} layers, but the model has {}", sum, layers);
}

std::string unknown_recompute_word(const Spec& spec) {
  for (const std::string& op : spec.recompute.ops) {
    if (groups_of(op) != 0) continue;
    std::vector<std::string_view> known;
    for (const RecomputeWord& word : recompute_words()) known.push_back(word.name);
    return fmt::format("{} is not one of {}", in_quotes(op), join(known));
  }
  return {};
}

std::string recompute_ops(const Spec& spec) {
  const bool due = spec.recompute.kind == RecomputeKind::ops;
  if (due == !spec.recompute.ops.empty()) return {};
  return due ? "is empty" : "is given, but recompute.kind is not ops";
}

std::string recompute_every(const Spec& spec) {
  if (spec.recompute.every == 1) return {};
  if (spec.recompute.kind != RecomputeKind::full)
    return fmt::format("is {}, but recompute.kind is not full", spec.recompute.every);
  return reads_text(spec.model)
             ? ""
             : fmt::format("is {}, but the model processes images", spec.recompute.every);
}

std::string sums_of_four_bits(const Spec& spec) {
  const Precision& p = spec.precision;
  for (const Dtype type : {p.gradients, p.reduce, p.optimizer, p.combine}) {
    if (type == Dtype::fp4) return "a format of summed values is fp4";
  }
  return {};
}

constexpr std::array kBatchRules = {
    RuleCheck{{"global-batch", "The global batch is a multiple of micro x dp, and at most 2^30."},
              "batch.global",
              global_batch},
};

std::string release(const Spec& spec) {
  if (spec.kernels.release.empty() || parse_release(spec.kernels.release)) return {};
  return fmt::format("is {}", in_quotes(spec.kernels.release));
}

constexpr std::array kOtherRules = {
    RuleCheck{
        {"release", "A release is a year and a month, and may have a patch: 26.04, 26.04.01."},
        "kernels.release",
        release,
        Errc::config_range},
    RuleCheck{{"passes", "Microbatches x chunks x pp are at most 5592405."},
              "batch.micro",
              passes,
              Errc::limit_exceeded},
    RuleCheck{{"layers-by-stages",
               "Every (virtual) stage except the first and the last has a layer, unless "
               "`stage_layers` specifies otherwise."},
              "parallel.pp",
              layers_by_stages},
    RuleCheck{{"stage-layers-count", "`stage_layers` lists pp x chunks stages (dual_pipe: pp)."},
              "schedule.stage_layers",
              stage_layers_count},
    RuleCheck{{"stage-layers-sum", "`stage_layers` sums to the number of layers of the model."},
              "schedule.stage_layers",
              stage_layers_sum},
    RuleCheck{{"schedule-file", "`file` is given for the schedule `file`, and only for it."},
              "schedule.file",
              [](const Spec& spec) -> std::string {
                const bool due = spec.schedule.kind == ScheduleKind::file;
                if (due == !spec.schedule.file.empty()) return {};
                return due ? "is empty" : "is given, but schedule.kind is not file";
              }},
    RuleCheck{{"launch-or-graphs",
               "CUDA graphs have no host launch time per kernel: `launch` is not given."},
              "kernels.launch",
              [](const Spec& spec) -> std::string {
                const bool both = spec.kernels.graphs.value_or(false) && spec.kernels.launch;
                return both ? "is given, but kernels.graphs is set" : "";
              }},
    RuleCheck{{"recompute-words", "`recompute.ops` lists operators that exist."},
              "recompute.ops",
              unknown_recompute_word,
              Errc::config_range},
    RuleCheck{{"recompute-ops", "`recompute.ops` is given for `kind: ops`, and only for it."},
              "recompute.ops",
              recompute_ops},
    RuleCheck{{"recompute-every", "`recompute.every` above 1 needs `kind: full` and a text model."},
              "recompute.every",
              recompute_every},
    RuleCheck{
        {"fp4-sums",
         "Gradients, moments and combined tokens are sums, which need a format wider than fp4."},
        "precision",
        sums_of_four_bits},
};

}  // namespace

std::span<const RuleCheck> schedule_rules() {
  static const std::string one = chunk_sentence("one chunk", ChunkCount::one);
  static const std::string two = chunk_sentence("two chunks", ChunkCount::two);
  static const std::string several = chunk_sentence("at least two chunks", ChunkCount::several);
  static const std::vector<RuleCheck> kAll = [] {
    std::vector<RuleCheck> all(kBatchRules.begin(), kBatchRules.end());
    all.push_back({{"one-chunk", one}, "schedule.chunks", one_chunk});
    all.push_back({{"two-chunks", two}, "schedule.chunks", two_chunks});
    all.push_back({{"interleaved-chunks", several}, "schedule.chunks", more_chunks});
    for (const ScheduleEntry* schedule : kSchedules)
      for (const ScheduleRule& rule : schedule->rules)
        all.push_back({{rule.name, rule.sentence},
                       rule.key,
                       nullptr,
                       Errc::config_conflict,
                       schedule,
                       &rule});
    all.insert(all.end(), kOtherRules.begin(), kOtherRules.end());
    return all;
  }();
  return kAll;
}

}  // namespace orrery::workload
