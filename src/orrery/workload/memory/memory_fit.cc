// SPDX-License-Identifier: Apache-2.0
//
// Searches for the nearest specification that fits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "orrery/workload/memory/memory_fit_moves.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::workload {

namespace {

/// Maximum tasks of all evaluated plans, in loops; each needs several microseconds.
constexpr std::size_t kMaxTasks = 1 << 17;

struct Candidate {
  FittingChange change;
  std::size_t change_count = 1;
  std::int32_t overhead_level = 0;
};

std::int64_t needed(const MemoryReport& report) {
  return report.roles.empty() ? 0 : report.roles[report.worst].total();
}

class Search {
 public:
  Search(const Spec& spec, std::int64_t capacity, const MemoryOptions& options,
         const FitProgress& progress)
      : spec_(spec), capacity_(capacity), options_(options), progress_(progress) {
    spec_.batch.global = spec.global_batch();
    options_.details = false;
  }

  Result<std::vector<FittingChange>> run(std::size_t maximum) {
    if (auto fine = check_spec(spec_); !fine) return tl::unexpected(fine.error());
    Findings ignored;  // the caller already has these
    auto program = assemble(spec_, ignored);
    if (!program) return tl::unexpected(program.error());
    auto report = account_memory(*program, options_);
    if (!report) return tl::unexpected(report.error());
    if (needed(*report) <= capacity_ || maximum == 0) return std::vector<FittingChange>{};
    auto counted = count(*program);
    if (!counted) return tl::unexpected(counted.error());
    flops_ = to_double(counted->flops.all());
    try_all();
    return cheapest(maximum);
  }

 private:
  void try_all() {
    const std::vector<FitMove> all = fit_moves(spec_);
    std::vector<bool> enough(all.size());
    std::uint64_t tried = 0;
    const auto predicted = [&] {
      if (progress_) progress_(++tried, all.size() * (all.size() + 1) / 2);
    };
    for (std::size_t i = 0; i < all.size(); ++i, predicted()) enough[i] = attempt({&all[i]});
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j, predicted()) {
        if (all[i].kind != all[j].kind && !enough[i] && !enough[j]) attempt({&all[i], &all[j]});
      }
    }
  }

  /// Evaluates a plan with these changes; returns whether it fits.
  bool attempt(const std::vector<const FitMove*>& changes) {
    Candidate candidate;
    candidate.change.spec = spec_;
    candidate.change_count = changes.size();
    for (const FitMove* move : changes) {
      const std::string what = move->apply(candidate.change.spec);
      if (what.empty()) return false;
      if (!candidate.change.what.empty()) candidate.change.what += "; ";
      candidate.change.what += what;
      candidate.overhead_level += move->overhead_level;
    }
    const auto program = assemble_legal(candidate.change.spec);
    if (!program) return false;
    const auto report = account_memory(*program, options_);
    if (!report || needed(*report) > capacity_) return false;
    const auto counted = count(*program);
    if (!counted) return false;
    candidate.change.total = needed(*report);
    candidate.change.cost = std::max(1.0, to_double(counted->flops.all()) / flops_);
    found_.push_back(std::move(candidate));
    return true;
  }

  std::optional<Program> assemble_legal(const Spec& spec) {
    if (tasks_ > kMaxTasks || !check_spec(spec)) return std::nullopt;
    if (spec.schedule.kind == ScheduleKind::file)  // the file is read again, pass by pass
      tasks_ += static_cast<std::size_t>(spec.microbatches() * spec.parallel.pp);
    Findings ignored;  // not reported for candidates
    auto program = assemble(spec, ignored);
    if (!program) return std::nullopt;
    for (const Role& role : program->roles) {
      for (const TaskLoop& loop : role.tasks) tasks_ += loop.tasks.size();
    }
    return std::move(*program);
  }

  std::vector<FittingChange> cheapest(std::size_t maximum) {
    const auto key = [](const Candidate& c) {
      return std::tuple(std::llround(c.change.cost * 1000), c.change_count, c.overhead_level,
                        c.change.total);
    };
    std::stable_sort(found_.begin(), found_.end(),
                     [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
    std::vector<FittingChange> out;
    for (Candidate& candidate : found_) {
      if (out.size() == maximum) break;
      out.push_back(std::move(candidate.change));
    }
    return out;
  }

  Spec spec_;
  std::int64_t capacity_;
  MemoryOptions options_;
  const FitProgress& progress_;
  double flops_ = 0;
  std::size_t tasks_ = 0;  ///< tasks evaluated so far
  std::vector<Candidate> found_;
};

}  // namespace

Result<std::vector<FittingChange>> find_fitting_changes(const Spec& spec, std::int64_t capacity,
                                                        std::size_t maximum,
                                                        const MemoryOptions& options,
                                                        const FitProgress& progress) {
  return Search(spec, capacity, options, progress).run(maximum);
}

namespace {

using Degree = std::int64_t Parallel::*;
struct NamedAxis {
  const char* name;
  Degree degree;
};
constexpr NamedAxis kDp{"dp", &Parallel::dp}, kTp{"tp", &Parallel::tp}, kCp{"cp", &Parallel::cp},
    kPp{"pp", &Parallel::pp}, kEp{"ep", &Parallel::ep};

/// Multiplies one degree by `factor` and divides another one by it: dp if possible, else the first
/// possible one of the others.
std::string spread(Spec& spec, NamedAxis to, std::int64_t factor) {
  Parallel& p = spec.parallel;
  for (const NamedAxis& from : {kDp, kPp, kCp, kTp}) {
    if (from.degree == to.degree || p.*(from.degree) % factor != 0) continue;
    p.*(to.degree) *= factor;
    p.*(from.degree) /= factor;
    return fmt::format("parallel.{} = {}, parallel.{} = {}", to.name, p.*(to.degree), from.name,
                       p.*(from.degree));
  }
  return {};
}

std::string more_experts_apart(Spec& spec, std::int64_t factor) {
  if (spec.parallel.ep_own_axis) return spread(spec, kEp, factor);
  spec.parallel.ep *= factor;
  return fmt::format("parallel.ep = {}", spec.parallel.ep);
}

class Moves {
 public:
  explicit Moves(const Spec& spec) : spec_(spec) {}

  std::vector<FitMove> all() {
    kernels();
    sharding();
    micro_batch();
    degrees();
    recompute();
    sequence_parallel();
    return std::move(moves_);
  }

 private:
  void add(FitMoveKind kind, std::int32_t overhead_level, std::function<std::string(Spec&)> apply) {
    moves_.push_back({kind, overhead_level, std::move(apply)});
  }

  void kernels() {
    if (!spec_.kernels.flash_attention) {
      add(FitMoveKind::flash_attention, 0, [](Spec& spec) {
        spec.kernels.flash_attention = true;
        return std::string("kernels.flash_attention = true");
      });
    }
  }

  void sharding() {
    struct Stage {
      Sharding sharding;
      std::int32_t overhead_level;
    };
    for (const Stage& stage :
         {Stage{Sharding::zero1, 2}, Stage{Sharding::zero2, 4}, Stage{Sharding::zero3, 16}}) {
      if (stage.sharding <= spec_.parallel.sharding) continue;
      add(FitMoveKind::optimizer_sharding, stage.overhead_level, [stage](Spec& spec) {
        if (spec.parallel.dp * spec.parallel.cp == 1) return std::string();
        spec.parallel.sharding = stage.sharding;
        const auto names = config::EnumNames<Sharding>::names;
        return fmt::format("parallel.sharding = {}",
                           names[static_cast<std::size_t>(stage.sharding)].first);
      });
    }
  }

  void micro_batch() {
    std::int32_t overhead_level = 6;
    for (std::int64_t factor = 2; spec_.batch.micro % factor == 0 && factor <= 64; factor *= 2) {
      add(FitMoveKind::micro_batch, overhead_level++, [factor](Spec& spec) {
        spec.batch.micro /= factor;
        return fmt::format("batch.micro = {}", spec.batch.micro);
      });
    }
  }

  void degrees() {
    std::int32_t more = 0;
    for (const std::int64_t factor : {2, 4, 8}) {
      const auto spreads = [&](FitMoveKind kind, std::int32_t overhead_level, NamedAxis to) {
        add(kind, overhead_level + more,
            [to, factor](Spec& spec) { return spread(spec, to, factor); });
      };
      spreads(FitMoveKind::pipeline, 20, kPp);
      spreads(FitMoveKind::tensor_parallel, 24, kTp);
      spreads(FitMoveKind::context_parallel, 28, kCp);
      if (spec_.model.moe) {
        add(FitMoveKind::expert_parallel, 18 + more,
            [factor](Spec& spec) { return more_experts_apart(spec, factor); });
      }
      more += 16;
    }
  }

  void recompute() {
    const RecomputeKind now = spec_.recompute.kind;
    const auto add_kind = [this](RecomputeKind kind, const char* name) {
      add(FitMoveKind::recompute, 0, [kind, name](Spec& spec) {
        spec.recompute.kind = kind;
        spec.recompute.ops.clear();
        spec.recompute.every = 1;
        return fmt::format("recompute.kind = {}", name);
      });
    };
    if (now == RecomputeKind::none) add_kind(RecomputeKind::selective, "selective");
    if (now != RecomputeKind::full || spec_.recompute.every > 1) add_kind(RecomputeKind::full, "full");
  }

  /// Needs tp > 1, which an earlier change may set.
  void sequence_parallel() {
    if (spec_.parallel.sp) return;
    add(FitMoveKind::sequence_parallel, 1, [](Spec& spec) {
      if (spec.parallel.tp == 1) return std::string();
      spec.parallel.sp = true;
      return std::string("parallel.sp = true");
    });
  }

  const Spec& spec_;
  std::vector<FitMove> moves_;
};

}  // namespace

std::vector<FitMove> fit_moves(const Spec& spec) { return Moves(spec).all(); }

}  // namespace orrery::workload
