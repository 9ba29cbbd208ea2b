// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/job_inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "orrery/core/text/units.h"
#include "orrery/study/recordings/size_inference.h"
#include "orrery/study/recordings/work_difference.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {
namespace {

using workload::Spec;

constexpr std::size_t kCuts = 3;  // number of partitionings to refine
constexpr int kRounds = 3;        // maximum rounds through all choices
constexpr std::uint64_t kAnyOther = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kOneInSoMany = 100;  // one node in this many may differ

/// Keys that change together, and their possible values.
struct Choice {
  std::vector<std::string_view> keys;
  std::vector<std::vector<std::string_view>> values;
};

/// Schedules, each with the numbers of chunks to try.
std::vector<std::vector<std::string_view>> schedules() {
  std::vector<std::vector<std::string_view>> values;
  for (const workload::ScheduleEntry* schedule : workload::kSchedules) {
    using workload::ChunkCount;
    const std::string_view word = workload::name(schedule->kind);
    if (schedule->chunks == ChunkCount::one) values.push_back({word, "1"});
    if (schedule->chunks != ChunkCount::one) values.push_back({word, "2"});
    if (schedule->chunks == ChunkCount::several)
      for (const std::string_view chunks : {"3", "4"}) values.push_back({word, chunks});
  }
  return values;
}

/// Parameters that sizes do not determine, the most informative first.
const std::vector<Choice>& choices() {
  const auto flag = [](std::string_view key) { return Choice{{key}, {{"false"}, {"true"}}}; };
  static const std::vector<Choice> kAll = {
      {{"recompute.kind"}, {{"none"}, {"selective"}, {"full"}}},
      flag("parallel.sp"),
      {{"parallel.sharding"}, {{"none"}, {"zero1"}, {"zero2"}, {"zero3"}}},
      {{"kernels.framework"},
       {{"none"},
        {"megatron"},
        {"torchtitan"},
        {"torchtitan_compiled"},
        {"pytorch"},
        {"deepspeed"}}},
      flag("kernels.fused"),
      flag("model.tied_embeddings"),
      flag("model.qkv_bias"),
      flag("model.out_bias"),
      flag("model.mlp_bias"),
      {{"model.mlp"}, {{"gelu"}, {"relu"}, {"swiglu"}, {"geglu"}}},
      {{"model.positions"}, {{"learned"}, {"rope"}, {"none"}, {"alibi"}}},
      flag("model.qk_norm"),
      flag("model.post_norms"),
      flag("model.parallel_block"),
      flag("model.final_norm"),
      flag("model.embedding_norm"),
      flag("model.head_bias"),
      flag("model.dropout"),
      {{"parallel.etp"}, {{"0"}, {"1"}}},
      {{"model.moe.shared_experts"}, {{"0"}, {"1"}, {"2"}}},
      {{"schedule.kind", "schedule.chunks"}, schedules()},
      {{"optimizer.kind"}, {{"adamw"}, {"sgd"}, {"sgd_momentum"}, {"muon"}}},
      flag("optimizer.gradient_norm"),
      {{"precision.reduce"}, {{"fp32"}, {"bf16"}}},
      {{"precision.gradients"}, {{"fp32"}, {"bf16"}}},
      {{"parallel.tp_overlap"}, {{"none"}, {"ring"}, {"pipelined"}}},
      flag("parallel.overlap_gradients"),
      flag("parallel.overlap_weights"),
      flag("parallel.keep_gathered"),
      flag("parallel.reduce_once"),
      {{"parallel.prefetch"}, {{"1"}, {"0"}, {"2"}}},
      flag("schedule.blocking_sends"),
      flag("schedule.scatter_sends"),
      flag("schedule.overlap"),
      {{"parallel.order"}, {{"tp-cp-ep-dp-pp"}, {"tp-pp-cp-ep-dp"}, {"tp-cp-ep-pp-dp"}}},
  };
  return kAll;
}

/// A specification, and its difference to the traces.
struct Candidate {
  Spec spec;
  WorkDifference off;
};

class Finder {
 public:
  explicit Finder(const graph::Workload& workload)
      : workload_(workload), ranks_(distinct_ranks(workload)) {
    for (const std::uint32_t rank : ranks_) {
      numbers_.push_back(work_signature(workload, rank));
      nodes_ += numbers_.back().placed.size();
    }
  }

  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

  std::optional<Candidate> find() {
    const KernelInventory kernels = kernel_inventory(workload_);
    std::vector<Candidate> cuts;
    for (const ParallelDegrees& cut : possible_partitions(kernels)) {
      auto spec = infer_sizes(kernels, cut);
      if (!spec) continue;
      for (const bool sp : {false, true}) {
        spec->parallel.sp = sp;
        const bool full = cuts.size() == kCuts;
        if (auto off = off_by(*spec, full ? cuts.back().off.other : kAnyOther)) {
          cuts.push_back({*spec, *off});
          std::stable_sort(cuts.begin(), cuts.end(),
                           [](const Candidate& a, const Candidate& b) { return a.off < b.off; });
          if (full) cuts.pop_back();
        }
        if (cut.tp == 1) break;
      }
    }
    std::optional<Candidate> best;
    for (Candidate& cut : cuts) {
      improve(cut);
      if (!best || cut.off < best->off) best = std::move(cut);
      if (best->off.none()) break;
    }
    return best;
  }

 private:
  /// The difference of a specification to the traces. Empty: the job is invalid, or more than
  /// `most` nodes must differ because of their number.
  [[nodiscard]] std::optional<WorkDifference> off_by(const Spec& spec, std::uint64_t most) const {
    if (spec.parallel.world() != workload_.rank_count() || !workload::check_spec(spec))
      return std::nullopt;
    Findings ignored_findings;
    const auto program = workload::assemble(spec, ignored_findings);
    if (!program || others_at_least(*program) > most) return std::nullopt;
    const auto made = workload::to_workload(*program, workload::NodeNames::shared);
    if (!made) return std::nullopt;
    WorkDifference sum;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const WorkDifference one = difference(numbers_[i], work_signature(*made, ranks_[i]));
      sum.other += one.other;
      sum.placed += one.placed;
    }
    return sum;
  }

  /// Lower bound of differing nodes from the number of nodes, known before unrolling.
  [[nodiscard]] std::uint64_t others_at_least(const workload::Program& program) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::uint64_t made = workload::node_count(program, program.role_of(ranks_[i]));
      const std::uint64_t traced = numbers_[i].placed.size();
      sum += std::max(made, traced) - std::min(made, traced);
    }
    return sum;
  }

  /// Tries each choice in turn, until none reduces the difference.
  void improve(Candidate& best) const {
    for (int round = 0; round < kRounds && !best.off.none(); ++round) {
      const WorkDifference before = best.off;
      for (const Choice& choice : choices()) {
        if (best.off.none()) return;
        try_values(choice, best);
      }
      if (best.off == before) return;
    }
  }

  void try_values(const Choice& choice, Candidate& best) const {
    const Spec from = best.spec;
    for (const auto& values : choice.values) {
      Spec spec = from;
      bool can_be = spec.model.moe || !choice.keys.front().starts_with("model.moe.");
      for (std::size_t i = 0; i < choice.keys.size() && can_be; ++i)
        can_be = workload::set(spec, choice.keys[i], values[i]).has_value();
      if (!can_be) continue;
      const auto off = off_by(spec, best.off.other);
      if (off && *off < best.off) best = {std::move(spec), *off};
    }
  }

  const graph::Workload& workload_;
  std::vector<std::uint32_t> ranks_;
  std::vector<WorkSignature> numbers_;  // signatures of `ranks_`
  std::uint64_t nodes_ = 0;
};

}  // namespace

std::string InferredJob::model_text() const {
  const workload::Model& model = spec.model;
  std::string text = model.name;
  if (model.is.empty() && model.name == kInferredModelName)
    text = fmt::format("a model with hidden {}, ffn {}, {} heads, {} vocabulary rows",
                       format_count(model.hidden), format_count(model.inner()), model.heads,
                       format_count(model.vocab));
  return text + fmt::format(", {} layers", model.layers);
}

std::string InferredJob::plan_words() const {
  const workload::Parallel& plan = spec.parallel;
  std::vector<std::string> cuts;
  const auto add = [&](const char* name, std::int64_t degree) {
    if (degree > 1) cuts.push_back(fmt::format("{} {}", name, degree));
  };
  add("tp", plan.tp);
  add("cp", plan.cp);
  add("ep", plan.ep);
  add("pp", plan.pp);
  add("dp", plan.dp);
  std::string text = cuts.empty() ? "one rank" : fmt::format("{}", fmt::join(cuts, ", "));
  if (plan.sp) text += ", sp";
  text += fmt::format("; {} of {} x {} tokens",
                      spec.microbatches() == 1
                          ? std::string("1 microbatch")
                          : fmt::format("{} microbatches", format_count(spec.microbatches())),
                      spec.batch.micro, format_count(spec.batch.seq));
  if (plan.pp > 1) text += fmt::format("; {}", config::enum_name(spec.schedule.kind));
  text += fmt::format("; sharding {}, recompute {}", config::enum_name(plan.sharding),
                      config::enum_name(spec.recompute.kind));
  return text;
}

std::string InferredJob::similarity_text() const {
  const std::int64_t all = spec.parallel.world();
  std::string compared = fmt::format("{} nodes", format_count(static_cast<std::int64_t>(nodes)));
  if (ranks < all) compared += fmt::format(" of {} of {} ranks", ranks, format_count(all));
  if (other == 0 && placed == 0) return fmt::format("all {} and their dependencies", compared);
  if (other == 0)
    return fmt::format("all {}; {} differ in order or dependencies", compared,
                       format_count(static_cast<std::int64_t>(placed)));
  return fmt::format("all except {} of {}", format_count(static_cast<std::int64_t>(other)),
                     compared);
}

Result<InferredJob> infer_job(const graph::Workload& workload, const std::string& where) {
  Finder finder(workload);
  auto best = finder.find();
  if (!best)
    return fail(Errc::input_unsupported, where,
                "the job cannot be inferred: no kernel of a language model states its sizes",
                "give the job with --model or --spec");
  if (best->off.other * kOneInSoMany > finder.nodes())
    return fail(
        Errc::input_unsupported, where,
        fmt::format("the job cannot be inferred: {} of {} nodes differ from the closest known job",
                    best->off.other, finder.nodes()),
        "give the job with --model or --spec");
  const auto there =
      workload.rank_count() - static_cast<std::uint32_t>(workload.without_trace.size());
  return InferredJob{std::move(best->spec), there, finder.nodes(), best->off.other,
                     best->off.placed};
}

}  // namespace orrery::study
