// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/estimate/program/estimate_program.h"
#include "orrery/estimate/program/op_schedule.h"
#include "orrery/explore/plans/column_estimate.h"
#include "orrery/explore/plans/fitted_plan.h"
#include "orrery/explore/plans/halving.h"
#include "orrery/study/jobs/expanded_cluster.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::explore {

using workload::Program;
using workload::Spec;

namespace {

/// Minimum number of plans for estimating all in columns first.
constexpr std::size_t kMany = 512;

using ClusterRef = std::shared_ptr<const study::Cluster>;

Result<void> simulate(PlanAnswer& answer, const ClusterRef& cluster) {
  Findings ignored_findings;
  const auto program = workload::assemble(answer.spec, ignored_findings);
  if (!program) return tl::unexpected(program.error());
  const auto step = simulate_plan(*program, cluster);
  if (!step) return tl::unexpected(step.error());
  answer.simulated = step->end;
  answer.parts = step->parts;
  return {};
}

/// By step time; equal ones stay in the order of the search.
void sort(std::vector<PlanAnswer>& answers) {
  std::stable_sort(answers.begin(), answers.end(),
                   [](const PlanAnswer& a, const PlanAnswer& b) { return a.step() < b.step(); });
}

class Searching {
 public:
  Searching(const PlanQuestion& question, PlanSpace space, ClusterRef cluster, PlanSearch& search,
            const PlanProgress& progress)
      : question_(question),
        space_(std::move(space)),
        cluster_(std::move(cluster)),
        search_(search),
        progress_(progress),
        costs_(cluster_),
        pool_(question.threads > 0 ? question.threads
                                   : std::max(1u, std::thread::hardware_concurrency())) {}

  Result<void> all(const std::vector<Spec>& plans) {
    search_.plans = plans.size();
    if (question_.evaluation != Evaluation::simulate && plans.size() >= kMany) {
      if (auto done = estimate_in_columns_first(plans); !done) return done;
    } else {
      fit_all(plans);
      search_.detailed = answers_.size();
    }
    if (question_.evaluation == Evaluation::simulate) {
      if (auto done = simulate_best(answers_.size()); !done) return done;
    } else {
      if (search_.in_columns == 0)
        if (auto done = estimate_all(); !done) return done;
      sort(answers_);
      const std::size_t most = stored();
      if (question_.evaluation == Evaluation::automatic)
        if (auto done = simulate_best(std::min(most, answers_.size())); !done) return done;
    }
    for (const PlanAnswer& one : answers_) {
      if (!one.simulated || !one.estimate) continue;
      const double off =
          static_cast<double>(one.estimate->count()) / static_cast<double>(one.simulated->count()) -
          1;
      if (std::abs(off) > std::abs(search_.max_estimate_error)) search_.max_estimate_error = off;
    }
    if (answers_.size() > question_.best) answers_.resize(question_.best);
    search_.best = std::move(answers_);
    return {};
  }

 private:
  void tell(const char* what, std::size_t done, std::size_t of) {
    if (!progress_) return;
    const std::scoped_lock lock(mutex_);
    progress_(what, done, of);
  }

  [[nodiscard]] std::size_t stored() const { return std::max(question_.simulated, question_.best); }

  /// Estimates all plans in columns, and the best of them in detail.
  Result<void> estimate_in_columns_first(const std::vector<Spec>& plans) {
    const auto estimates = estimate_in_columns(plans, space_.recompute, cluster_, costs_);
    if (!estimates) return tl::unexpected(estimates.error());
    std::vector<Spec> unsupported, fitting;
    std::vector<std::optional<double>> predicted;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const ColumnEstimate* one = estimates->empty() ? nullptr : &(*estimates)[i];
      if (one == nullptr || !one->supported) {
        unsupported.push_back(plans[i]);
        continue;
      }
      Spec spec = plans[i];
      spec.recompute.kind = one->recompute;
      if (!one->fits) {
        add_unfit(std::move(spec), one->memory, one->rule);
        continue;
      }
      fitting.push_back(std::move(spec));
      predicted.push_back(one->step);
      if (one->step) ++search_.in_columns;
    }
    if (search_.in_columns == 0) {
      search_.illegal.clear();
      search_.too_large = 0;
      search_.smallest.reset();
      fit_all(plans);
      search_.detailed = answers_.size();
      return {};
    }
    fit_all(unsupported);  // these always get the detailed estimate
    if (auto done = estimate_all(); !done) return done;
    return estimate_best_in_detail(fitting, std::move(predicted));
  }

  /// Estimates fitting plans in detail by successive halving: those that may be among the best.
  Result<void> estimate_best_in_detail(const std::vector<Spec>& fitting,
                                       std::vector<std::optional<double>> predicted) {
    std::vector<PlanAnswer> known = std::move(answers_);
    search_.fitting += fitting.size();
    Halving halving(std::move(predicted), stored());
    for (auto chosen = halving.next(); !chosen.empty(); chosen = halving.next()) {
      std::vector<Spec> plans;
      for (const std::size_t one : chosen) plans.push_back(fitting[one]);
      answers_.clear();
      const std::uint64_t counted = search_.fitting;
      fit_all(plans, false);
      search_.fitting = counted;
      std::vector<std::size_t> still;
      if (auto done = estimate_all(&still); !done) return done;
      for (std::size_t i = 0; i < answers_.size(); ++i)
        halving.found(chosen[still[i]], static_cast<double>(answers_[i].step().count()));
      std::move(answers_.begin(), answers_.end(), std::back_inserter(known));
    }
    answers_ = std::move(known);
    search_.detailed = answers_.size();
    search_.columns_error = halving.max_error();
    return {};
  }

  void add_unfit(Spec spec, std::int64_t memory, const std::string& rule) {
    if (memory == 0) {
      ++search_.illegal[rule];
      return;
    }
    ++search_.too_large;
    if (!search_.smallest || memory < search_.smallest->memory)
      search_.smallest = PlanAnswer{std::move(spec), memory, MemoryFit::no, {}, {}, {}};
  }

  /// `any`: with any recomputation that fits, else with that of each plan.
  void fit_all(const std::vector<Spec>& plans, bool any = true) {
    std::vector<FittedPlan> fitted(plans.size());
    std::atomic<std::size_t> done{0};
    pool_.parallel_for(static_cast<std::uint32_t>(plans.size()), [&](std::uint32_t i) {
      fitted[i] = fit_plan(plans[i], any ? space_.recompute : std::vector{plans[i].recompute.kind},
                           cluster_->platform.device);
      tell("fit", ++done, plans.size());
    });
    for (std::size_t i = 0; i < plans.size(); ++i) {
      FittedPlan& one = fitted[i];
      if (!one.program) {
        add_unfit(std::move(one.spec), one.need.total.count(), one.rule);
        continue;
      }
      ++search_.fitting;
      PlanAnswer answer{std::move(one.spec), one.need.total.count(), one.fit, {}, {}, {}};
      answers_.push_back(std::move(answer));
      programs_.push_back(*std::move(one.program));
    }
    if (!programs_.empty() && search_.model_flops == 0) {
      if (const auto counted = workload::count(programs_.front())) {
        search_.model_flops = workload::to_double(counted->flops.model());
        const platform::Device& device = cluster_->platform.device;
        const auto by_format = analysis::format_utilization(study::work_by_format(*counted, device),
                                                            Time(1), 1, device.rated.count());
        if (by_format) search_.format_peak = by_format->peak;
        if (workload::has_tokens(programs_.front().spec)) search_.tokens = counted->tokens;
      }
    }
  }

  /// A plan that is estimated.
  struct Estimate {
    std::size_t answer;                      ///< its index
    std::unique_ptr<estimate::OpCosts> own;  ///< memory expansion depends on the plan
    estimate::OpCosts::ProgramCosts costs;
    std::optional<Result<Time>> scheduled;
  };

  /// Computes the costs of plans, in order if they share simulated ops; then schedules them
  /// concurrently. `still`: receives the indices of answers with an estimate.
  Result<void> estimate_all(std::vector<std::size_t>* still = nullptr) {
    auto estimates = costs_of_all();
    if (!estimates) return tl::unexpected(estimates.error());
    std::atomic<std::size_t> done{0};
    pool_.parallel_for(static_cast<std::uint32_t>(estimates->size()), [&](std::uint32_t i) {
      Estimate& one = (*estimates)[i];
      one.scheduled = estimate::schedule_ops(programs_[one.answer], one.costs);
      tell("estimate", ++done, estimates->size());
    });
    for (Estimate& one : *estimates) {
      if (!*one.scheduled) return tl::unexpected(one.scheduled->error());
      const auto step = estimate::correct_estimate(programs_[one.answer], **one.scheduled,
                                                   one.own ? *one.own : costs_);
      if (!step) return tl::unexpected(step.error());
      answers_[one.answer].estimate = *step;
    }
    std::vector<PlanAnswer> predicted;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      if (!answers_[i].estimate && !answers_[i].simulated) continue;
      if (still != nullptr) still->push_back(i);
      predicted.push_back(std::move(answers_[i]));
    }
    answers_ = std::move(predicted);
    programs_.clear();
    return {};
  }

  /// Costs of the plans that can be estimated. Simulates the others, or counts them. Simulations
  /// and costs that no other plan shares are computed concurrently.
  Result<std::vector<Estimate>> costs_of_all() {
    std::vector<Estimate> estimates;
    std::vector<std::size_t> to_simulate;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      if (estimate::check_estimable(programs_[i])) {
        estimates.push_back({i, nullptr, {}, std::nullopt});
      } else if (question_.evaluation == Evaluation::automatic) {
        to_simulate.push_back(i);
      } else {
        ++search_.needs_simulation;
      }
    }
    const std::size_t all = to_simulate.size() + estimates.size();
    std::atomic<std::size_t> done{0};
    std::vector<std::optional<Error>> errors(answers_.size());
    const auto add_costs = [&](Estimate& one, estimate::OpCosts& costs) {
      auto made = costs.costs_of(programs_[one.answer]);
      if (made)
        one.costs = *std::move(made);
      else
        errors[one.answer] = std::move(made).error();
      tell("cost", ++done, all);
    };
    pool_.parallel_for(static_cast<std::uint32_t>(all), [&](std::uint32_t i) {
      if (i < to_simulate.size()) {
        if (auto made = simulate(answers_[to_simulate[i]], cluster_); !made)
          errors[to_simulate[i]] = std::move(made).error();
        return tell("cost", ++done, all);
      }
      Estimate& one = estimates[i - to_simulate.size()];
      const auto held = study::with_expanded_memory(programs_[one.answer], cluster_);
      if (held == cluster_) return;
      one.own = std::make_unique<estimate::OpCosts>(held);
      add_costs(one, *one.own);
    });
    for (Estimate& one : estimates) {
      if (!one.own) add_costs(one, costs_);
    }
    for (std::optional<Error>& error : errors)
      if (error) return tl::unexpected(*std::move(error));
    return estimates;
  }

  Result<void> simulate_best(std::size_t count) {
    std::vector<std::optional<Error>> errors(count);
    std::atomic<std::size_t> done{0};
    pool_.parallel_for(static_cast<std::uint32_t>(count), [&](std::uint32_t i) {
      if (!answers_[i].simulated)
        if (auto made = simulate(answers_[i], cluster_); !made) errors[i] = made.error();
      tell("simulate", ++done, count);
    });
    for (std::optional<Error>& error : errors)
      if (error) return tl::unexpected(*std::move(error));
    const auto rest = answers_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<PlanAnswer> best(std::make_move_iterator(answers_.begin()),
                                 std::make_move_iterator(rest));
    sort(best);
    best.insert(best.end(), std::make_move_iterator(rest), std::make_move_iterator(answers_.end()));
    answers_ = std::move(best);
    return {};
  }

  const PlanQuestion& question_;
  PlanSpace space_;
  ClusterRef cluster_;
  PlanSearch& search_;
  const PlanProgress& progress_;
  estimate::OpCosts costs_;
  ThreadPool pool_;
  std::mutex mutex_;
  std::vector<PlanAnswer> answers_;
  std::vector<Program> programs_;  // programs of `answers_`, until they are estimated
};

/// The job without the searched values. Its default batch is recorded in `search`.
Result<Spec> base_of(const PlanQuestion& question, const platform::Platform& platform,
                     PlanSearch& search) {
  study::ClusterSize any_size;
  any_size.machine = study::size_of(platform, {}).machine;
  study::JobDescription open = question.job;
  for (std::string* part : {&open.tp, &open.pp, &open.cp, &open.ep, &open.micro_batch,
                            &open.schedule, &open.chunks, &open.sharding, &open.recompute})
    part->clear();
  open.sp = false;  // every plan with tp > 1 has it
  if (!open.dp.empty())
    return fail(Errc::usage, "--dp", "is derived from the other degrees",
                "give --tp and --pp; dp uses the remaining devices of the cluster");
  open.dp = "1";
  Findings unsettled;
  const auto base = study::specify(open, any_size, unsettled);
  if (base && open.global_batch.empty() && base->batch.accumulated > 0) {
    // A file states what each rank accumulates, for as many ranks as there are devices.
    const double global = static_cast<double>(base->batch.micro) *
                          static_cast<double>(base->batch.accumulated) *
                          static_cast<double>(search.devices);
    open.global_batch = fmt::format("{:.0f}", global);
    search.findings.add(FindingCode::chosen_by_default,
                        fmt::format("a global batch of {}: {} x {} on each device",
                                    open.global_batch, base->batch.accumulated, base->batch.micro));
  } else if (base && base->batch.global == 0) {
    // 16,384 tokens per device (64 samples for models without tokens).
    const std::int64_t each =
        workload::has_tokens(*base) ? std::max<std::int64_t>(16384 / base->batch.seq, 1) : 64;
    open.global_batch = std::to_string(each * search.devices);
    search.findings.add(
        FindingCode::chosen_by_default,
        fmt::format("a global batch of {}: {} per device", open.global_batch, each));
  }
  return study::specify(open, any_size, search.findings);
}

}  // namespace

double PlanSearch::mfu(const PlanAnswer& answer) const {
  const double most =
      static_cast<double>(answer.step().count()) * 1e-12 * static_cast<double>(devices) * peak;
  return most > 0 ? model_flops / most : 0;
}

std::optional<double> PlanSearch::format_mfu(const PlanAnswer& answer) const {
  if (format_peak <= 0) return std::nullopt;
  return mfu(answer) * peak / format_peak;
}

Result<PlanSearch> search_plans(const PlanQuestion& question, const PlanProgress& progress) {
  study::Question asked;
  asked.cluster = question.cluster;
  asked.network_bandwidth = question.network_bandwidth;
  Findings findings;
  auto cluster = study::read_cluster(asked, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  return search_plans(question, std::make_shared<const study::Cluster>(*std::move(cluster)),
                      std::move(findings), progress);
}

Result<PlanSearch> search_plans(const PlanQuestion& question, ClusterRef cluster, Findings findings,
                                const PlanProgress& progress) {
  if (auto fine = check_budget(question.budget); !fine) return tl::unexpected(fine.error());
  const ClusterRef held = cluster;
  const platform::Platform& platform = held->platform;
  PlanSearch search;
  search.findings = std::move(findings);
  search.devices = cluster->ranks;
  search.cluster = platform.name.empty() ? question.cluster : platform.name;
  search.memory = study::usable_total_memory(platform.device).count();
  search.peak = platform.device.rated.count();
  const auto base = base_of(question, platform, search);
  if (!base) return tl::unexpected(base.error());
  search.samples = base->batch.global;
  const std::int64_t island =
      platform.fabric != nullptr || platform.dims.empty() ? 8 : platform.dims.front().size;
  auto space = plan_space_of(question.job, *base, search.devices, island);
  if (!space) return tl::unexpected(space.error());
  const auto plans = plans_of(*space, *base, search.devices);
  if (plans.empty())
    return fail(Errc::config_conflict, question.cluster,
                "no plan of these values fills its " + std::to_string(search.devices) + " devices",
                "omit some of --tp, --pp, --schedule, --chunks, --micro-batch, --global-batch");
  Searching searching(question, *std::move(space), std::move(cluster), search, progress);
  if (auto done = searching.all(plans); !done) return tl::unexpected(done.error());
  for (PlanAnswer& plan : search.best) {
    if (!question.budget.given()) break;
    const auto budget = plan_budget(question.budget, platform, search.devices, plan.spec,
                                    plan.step(), search.tokens);
    if (!budget) return tl::unexpected(budget.error());
    plan.budget = *budget;
  }
  return search;
}

}  // namespace orrery::explore
