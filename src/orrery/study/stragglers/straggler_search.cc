// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/stragglers/straggler_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "orrery/core/system/thread_pool.h"
#include "orrery/graph/structure/late_start.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/sim/simulate.h"
#include "orrery/study/recordings/recorded_step_count.h"
#include "orrery/study/recordings/replay_platform.h"
#include "orrery/study/recordings/simulated_durations.h"
#include "orrery/study/stragglers/straggler_evidence.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {
namespace {

using graph::NodeId;
using Durations = std::vector<std::vector<Time>>;

constexpr double kMinSavingShare = 0.5;   // minimum share of the total saving to name a cause
constexpr double kMaxOtherExcess = 0.25;  // maximum excess of others, as a share of the cause's
constexpr double kMaxChance = 0.01;       // maximum probability that is not attributed to chance
constexpr std::size_t kMaxTogether = 8;

class StragglerSearch {
 public:
  StragglerSearch(const graph::Workload& workload, std::int64_t steps, double least,
                  std::int64_t most, std::uint32_t threads)
      : workload_(workload),
        evidence_(workload, steps),
        least_(least),
        most_(static_cast<std::size_t>(most)),
        threads_(threads) {
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
      recorded_.push_back(graph::durations_of(workload.graph(rank)));
    made_.ranks = workload.rank_count();
    made_.steps = steps;
    made_.recorded = workload.recorded_duration;
    made_.late_starts = graph::late_starts(workload);
  }

  Result<StragglerReport> run() {
    if (auto fine = replay_levels(); !fine) return tl::unexpected(fine.error());
    if (total_saving() >= min_saving()) {
      find_suspects();
      if (auto fine = replay_suspects(); !fine) return tl::unexpected(fine.error());
      choose_blame();
    }
    return std::move(made_);
  }

 private:
  struct SuspectTrial {
    Suspect suspect;
    std::function<void(Durations&)> level;
    std::size_t number = 0;  ///< index of the rank, class or line
    std::size_t together = 1;
  };

  [[nodiscard]] Time total_saving() const { return made_.replayed - made_.all_at_peer_level; }
  [[nodiscard]] Time min_saving() const {
    return Time(static_cast<std::int64_t>(least_ * static_cast<double>(made_.replayed.count())));
  }

  [[nodiscard]] Result<Time> replay(const Durations& durations) const {
    sim::Options how;
    how.replay = true;
    how.keep_times = false;
    auto result = sim::simulate(graph::with_times(workload_, durations),
                                replay_platform(workload_.rank_count()), how);
    if (!result) return tl::unexpected(result.error());
    if (result->stall)
      return fail(Errc::input_mismatch, workload_.files.empty() ? "" : workload_.files.front(),
                  "the ranks deadlock", "orrery trace validate shows where");
    return result->end;
  }

  // Replays with times at the level of peers

  void level_rank(std::uint32_t rank, Durations& durations) const {
    const auto level = evidence_.levels().of(rank);
    durations[rank].assign(level.begin(), level.end());
  }
  void level_class(std::uint32_t number, Durations& durations) const {
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const auto level = evidence_.levels().of(rank);
      for (NodeId n = 0; n < level.size(); ++n)
        if (evidence_.class_of(rank, n) == number) durations[rank][n] = level[n];
    }
  }
  static void level_line(const graph::CommGroup& line, Durations& durations) {
    for (const graph::CommInstance& met : line.communications) {
      if (met.transfer <= met.level) continue;
      for (const graph::RankNode& one : met.members)
        durations[one.rank][one.node] = std::min(durations[one.rank][one.node], met.level);
    }
  }

  Result<void> replay_levels() {
    Durations work = recorded_, links = recorded_;
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) level_rank(rank, work);
    Durations all = work;
    for (const graph::CommGroup& line : evidence_.lines()) {
      level_line(line, links);
      level_line(line, all);
    }
    for (const auto& [durations, into] :
         {std::pair{&recorded_, &made_.replayed}, std::pair{&work, &made_.work_at_peer_level},
          std::pair{&links, &made_.links_at_peer_level},
          std::pair{&all, &made_.all_at_peer_level}}) {
      const auto end = replay(*durations);
      if (!end) return tl::unexpected(end.error());
      *into = *end;
    }
    return {};
  }

  // Candidates

  /// Indices of the largest positive excesses, descending.
  [[nodiscard]] std::vector<std::uint32_t> largest(const std::vector<Time>& excess) const {
    std::vector<std::uint32_t> made;
    for (std::uint32_t i = 0; i < excess.size(); ++i)
      if (excess[i] > Time{}) made.push_back(i);
    std::stable_sort(made.begin(), made.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return excess[a] > excess[b]; });
    if (made.size() > most_) made.resize(most_);
    return made;
  }

  void find_suspects() {
    std::vector<Time> of_ranks, of_classes, of_lines;
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank)
      of_ranks.push_back(evidence_.rank_excess(rank));
    for (std::uint32_t number = 0; number < evidence_.classes().size(); ++number)
      of_classes.push_back(evidence_.class_excess(number));
    for (const graph::CommGroup& line : evidence_.lines())
      of_lines.push_back(StragglerEvidence::line_excess(line));
    const std::vector<std::uint32_t> ranks = largest(of_ranks);
    for (const std::uint32_t rank : ranks) {
      Suspect one{Blame::rank, fmt::format("rank {}", rank), rank, of_ranks[rank]};
      one.test = evidence_.rank_test(rank);
      tried_.push_back({std::move(one),
                        [this, rank](Durations& durations) { level_rank(rank, durations); }, rank});
    }
    add_together(ranks, of_ranks);
    for (const std::uint32_t number : largest(of_classes))
      tried_.push_back(
          {{Blame::kernels, evidence_.classes()[number], std::nullopt, of_classes[number]},
           [this, number](Durations& durations) { level_class(number, durations); },
           number});
    for (const std::uint32_t number : largest(of_lines)) {
      const graph::CommGroup& line = evidence_.lines()[number];
      Suspect one{Blame::link, line.name, std::nullopt, of_lines[number]};
      one.test = evidence_.line_test(number);
      tried_.push_back(
          {std::move(one), [&line](Durations& durations) { level_line(line, durations); }, number});
    }
  }

  /// Correcting one of two slow ranks may save nothing: also tries the worst ranks together, if
  /// they are always among the worst.
  void add_together(const std::vector<std::uint32_t>& ranks, const std::vector<Time>& excess) {
    Suspect one{Blame::rank, "ranks"};
    for (std::size_t count = 1; count <= std::min(ranks.size(), kMaxTogether); ++count) {
      const std::uint32_t rank = ranks[count - 1];
      if (2 * count > evidence_.levels().peer_count(rank)) return;
      one.name += fmt::format("{} {}", count == 1 ? "" : ",", rank);
      one.excess += excess[rank];
      if (count == 1) continue;
      const std::vector<std::uint32_t> set(ranks.begin(),
                                           ranks.begin() + static_cast<std::ptrdiff_t>(count));
      one.test = evidence_.among_worst_test(set);
      if (one.test->p > kMaxChance) continue;
      SuspectTrial made{one, [this, set](Durations& durations) {
                          for (const std::uint32_t each : set) level_rank(each, durations);
                        }};
      made.together = count;
      tried_.push_back(std::move(made));
    }
  }

  Result<void> replay_suspects() {
    std::vector<Result<Time>> ends(tried_.size(), Time{});
    ThreadPool(threads_).parallel_for(static_cast<std::uint32_t>(tried_.size()),
                                      [&](std::uint32_t i) {
                                        Durations durations = recorded_;
                                        tried_[i].level(durations);
                                        ends[i] = replay(durations);
                                      });
    for (std::size_t i = 0; i < tried_.size(); ++i) {
      if (!ends[i]) return tl::unexpected(ends[i].error());
      Suspect& one = tried_[i].suspect;
      one.without = *ends[i];
      one.share = static_cast<double>((made_.replayed - one.without).count()) /
                  static_cast<double>(total_saving().count());
    }
    std::stable_sort(tried_.begin(), tried_.end(),
                     [](const SuspectTrial& a, const SuspectTrial& b) {
                       return a.suspect.without < b.suspect.without;
                     });
    for (const SuspectTrial& one : tried_) made_.suspects.push_back(one.suspect);
    return {};
  }

  // Decision

  /// The suspect of a kind that saves the most, if that is enough; of ranks the smallest sufficient
  /// set.
  [[nodiscard]] const SuspectTrial* sufficient_suspect(Blame kind) const {
    const SuspectTrial* best = nullptr;
    for (const SuspectTrial& one : tried_) {
      if (one.suspect.kind != kind || one.suspect.share < kMinSavingShare ||
          made_.replayed - one.suspect.without < min_saving())
        continue;
      if (best == nullptr || one.together < best->together) best = &one;
    }
    return best;
  }

  void choose_blame() {
    const SuspectTrial* rank = sufficient_suspect(Blame::rank);
    const SuspectTrial* kernels = sufficient_suspect(Blame::kernels);
    const SuspectTrial* link = sufficient_suspect(Blame::link);
    const auto share = [](const SuspectTrial* one) {
      return one == nullptr ? 0 : one->suspect.share;
    };
    if (link != nullptr && share(link) >= std::max(share(rank), share(kernels))) {
      set_blame(Blame::link, link->suspect.name);
      if (link->suspect.test && link->suspect.test->p > kMaxChance &&
          evidence_.lines()[link->number].equivalents > 1)
        made_.blame = Blame::changing_rank;
    } else if (rank != nullptr) {
      blame_rank(*rank);
    } else if (kernels != nullptr &&
               evidence_.is_only_class(static_cast<std::uint32_t>(kernels->number),
                                       kMaxOtherExcess)) {
      set_blame(Blame::kernels, kernels->suspect.name + " on changing ranks");
    } else {
      set_blame(Blame::changing_rank, "ranks are slow in turn");
    }
    if (made_.blame == Blame::changing_rank) made_.named = "ranks are slow in turn";
  }

  void blame_rank(const SuspectTrial& tried) {
    const Suspect& one = tried.suspect;
    const bool chance = one.test && one.test->of >= 3 && one.test->p > kMaxChance;
    if (tried.together == 1) {
      if (const auto number = evidence_.only_class_of(*one.rank, kMaxOtherExcess)) {
        set_blame(Blame::kernels, fmt::format("{} on {}", evidence_.classes()[*number], one.name));
        return;
      }
    }
    set_blame(chance ? Blame::once : Blame::rank, one.name);
  }

  void set_blame(Blame blame, std::string named) {
    made_.blame = blame;
    made_.named = std::move(named);
  }

  const graph::Workload& workload_;
  StragglerEvidence evidence_;
  double least_;
  std::size_t most_;
  std::uint32_t threads_;
  Durations recorded_;
  std::vector<SuspectTrial> tried_;
  StragglerReport made_;
};

}  // namespace

std::string_view name(Blame blame) {
  switch (blame) {
    case Blame::none:
      return "none";
    case Blame::rank:
      return "rank";
    case Blame::kernels:
      return "kernels";
    case Blame::link:
      return "link";
    case Blame::once:
      return "once";
    case Blame::changing_rank:
      return "luck";
  }
  return "";
}

Result<StragglerReport> search_stragglers(const graph::Workload& workload, std::int64_t steps,
                                          double least, std::int64_t most, std::uint32_t threads) {
  return StragglerSearch(workload, steps, least, most,
                         threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency()))
      .run();
}

Result<StragglerReport> stragglers(const StragglersQuestion& asked, Watch& watch) {
  if (auto fine = check_step_count(asked.steps); !fine) return tl::unexpected(fine.error());
  if (!(asked.least >= 0 && asked.least < 1))
    return fail(Errc::usage, "--min-share", "give a share of the step from 0 to 1, such as 0.01");
  if (asked.most < 1 || asked.most > 1000) return fail(Errc::usage, "--top", "give 1 to 1000");
  Findings findings;
  const auto read = WhatIfCase::read(asked.base, "", watch, findings);
  if (!read) return tl::unexpected(read.error());
  graph::Workload workload = read->workload();
  if (!read->replayed()) {
    auto run = read->simulate({}, true, watch, findings);
    if (!run) return tl::unexpected(run.error());
    workload = with_simulated_times(run->workload(), run->result);
  }
  if (workload.rank_count() < 2)
    return fail(Errc::input_unsupported, read->question().workload_name(),
                "contains one rank, which no other rank waits for",
                "give the traces of several ranks");
  const std::int64_t steps = step_count(workload, asked.steps);
  const auto threads = static_cast<std::uint32_t>(asked.base.recorded.threads.value_or(0));
  auto made = search_stragglers(workload, steps, asked.least, asked.most, threads);
  if (!made) return made;
  made->workload = read->question().workload_name();
  made->findings = findings;
  return made;
}

}  // namespace orrery::study
