// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/whatif_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/study/whatif/opportunities.h"

namespace orrery::study {
namespace {

constexpr std::size_t kPaired = 6;              // number of best changes to pair
constexpr std::int64_t kWorthTelling = 10'000;  // reported changes save at least 1 / this

/// Whether both runs use the same models, whose errors then cancel.
bool same_models(std::span<const Change> changes) {
  return std::none_of(changes.begin(), changes.end(), [](const Change& change) {
    return change.name == "gpu" || change.name == "cluster";
  });
}

/// Number of threads: the requested one, else all cores.
std::uint32_t threads_for(const Question& question) {
  const std::int64_t threads = question.recorded.threads.value_or(0);
  return threads > 0 ? static_cast<std::uint32_t>(threads)
                     : std::max(1u, std::thread::hardware_concurrency());
}

/// Parses text that is known to be valid.
Change known_change(const std::string& text) {
  auto change = parse_change(text);
  ORRERY_CHECK(change.has_value());
  return *std::move(change);
}

Change factor_of(const Opportunity& one, double factor) {
  return known_change(one.value.empty() ? fmt::format("{}={}", one.name, factor)
                                        : one.name + "=" + one.value);
}

std::vector<Opportunity> worth_trying(const WhatIfCase& read) {
  std::vector<Opportunity> made;
  if (read.program() == nullptr) made = opportunities(read.workload());
  if (read.replayed()) return made;
  const auto add = [&](std::vector<Opportunity> more) {
    for (Opportunity& one : more) {
      const bool known = std::any_of(made.begin(), made.end(), [&](const Opportunity& other) {
        return other.name == one.name && other.value == one.value;
      });
      if (!known) made.push_back(std::move(one));
    }
  };
  add(cluster_opportunities(read.workload(), read.program(), read.cluster()));
  if (read.program() != nullptr) add(plan_opportunities(*read.program()));
  return made;
}

/// Tries all candidates. Errc: that of the first that cannot be simulated.
Result<std::vector<ChangeTrial>> try_all(const WhatIfCase& read, const StepEstimate& estimate) {
  const Time base = estimate.whole;
  const std::vector<Opportunity> found = worth_trying(read);
  std::vector<ChangeTrial> made(found.size());
  std::vector<std::optional<Error>> errors(found.size());
  ThreadPool(threads_for(read.question()))
      .parallel_for(static_cast<std::uint32_t>(found.size()), [&](std::uint32_t i) {
        const Opportunity& one = found[i];
        const Change change = factor_of(one, 0.5);
        const auto half = read.estimate_step(std::span(&change, 1));
        auto free = half;
        if (half && one.value.empty()) {
          const Change gone = factor_of(one, 0);
          free = read.estimate_step(std::span(&gone, 1));
        }
        if (half && free) {
          made[i] = {change.text,
                     one.kind,
                     one.what,
                     change.basis,
                     one.time,
                     half->whole,
                     free->whole,
                     half->memory,
                     half->fits,
                     difference_of(estimate, *half, std::span(&change, 1)).interval,
                     half->time_by_provenance};
        } else if (change.level == ChangeScope::job) {  // an invalid plan
          made[i].whole = made[i].free = base;
        } else {
          errors[i] = !half ? half.error() : free.error();
        }
      });
  for (const auto& error : errors)
    if (error) return tl::unexpected(*error);
  std::erase_if(made, [&](const ChangeTrial& tried) {
    return (base - std::min(tried.whole, tried.free)) * kWorthTelling < base;
  });
  std::stable_sort(made.begin(), made.end(), [](const ChangeTrial& a, const ChangeTrial& b) {
    return std::tuple(group_of(a.kind), !a.fits, a.whole, a.free) <
           std::tuple(group_of(b.kind), !b.fits, b.whole, b.free);
  });
  return made;
}

/// The first `most` of each group; 0: all.
std::vector<ChangeTrial> first_of_groups(std::vector<ChangeTrial> list, std::size_t most) {
  if (most == 0) return list;
  std::array<std::size_t, kChangeGroups.size()> counts{};
  std::erase_if(list,
                [&](const ChangeTrial& one) { return ++counts.at(group_of(one.kind)) > most; });
  return list;
}

/// The indices of the changes with the shortest steps, without those of all work of a kind, which
/// contain others.
std::vector<std::size_t> best_of(const std::vector<ChangeTrial>& list) {
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (group_of(list[i].kind) + 1 < kChangeGroups.size()) best.push_back(i);
  std::stable_sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(!list[a].fits, list[a].whole) < std::tuple(!list[b].fits, list[b].whole);
  });
  best.resize(std::min(kPaired, best.size()));
  std::sort(best.begin(), best.end());
  return best;
}

PairEffect together(Time base, Time first, Time second, Time both) {
  const double a = static_cast<double>((base - first).count());
  const double b = static_cast<double>((base - second).count());
  const double won = static_cast<double>((base - both).count());
  if (won > 1.05 * (a + b)) return PairEffect::reinforce;
  if (won >= 0.95 * (a + b)) return PairEffect::add_up;
  return won <= 1.05 * std::max(a, b) ? PairEffect::exclude : PairEffect::in_part;
}

Result<std::vector<ChangePair>> try_pairs(const WhatIfCase& read, Time base,
                                          const std::vector<ChangeTrial>& list) {
  std::vector<ChangePair> made;
  const std::vector<std::size_t> best = best_of(list);
  for (std::size_t a = 0; a < best.size(); ++a)
    for (std::size_t b = a + 1; b < best.size(); ++b) made.push_back({best[a], best[b]});
  std::vector<std::optional<Error>> errors(made.size());
  ThreadPool(threads_for(read.question()))
      .parallel_for(static_cast<std::uint32_t>(made.size()), [&](std::uint32_t i) {
        ChangePair& pair = made[i];
        const std::array<Change, 2> both = {known_change(list[pair.first].change),
                                            known_change(list[pair.second].change)};
        const Time better = std::min(list[pair.first].whole, list[pair.second].whole);
        const bool plans = both[0].level == ChangeScope::job && both[1].level == ChangeScope::job;
        const auto estimate = are_exclusive(both[0], both[1])
                                  ? std::nullopt
                                  : std::optional(read.estimate_step(both));
        if (estimate && !*estimate && !plans) {
          errors[i] = estimate->error();
          return;
        }
        pair.whole = estimate && *estimate ? (*estimate)->whole : better;  // no such job
        pair.together = together(base, list[pair.first].whole, list[pair.second].whole, pair.whole);
      });
  for (const auto& error : errors)
    if (error) return tl::unexpected(*error);
  return made;
}

}  // namespace

analysis::StepDifference difference_of(const StepEstimate& base, const StepEstimate& changed,
                                       std::span<const Change> changes) {
  return analysis::step_difference({base.whole, base.errors}, {changed.whole, changed.errors},
                                   same_models(changes));
}

std::string_view name(PairEffect together) {
  switch (together) {
    case PairEffect::add_up:
      return "add up";
    case PairEffect::in_part:
      return "in part";
    case PairEffect::exclude:
      return "exclude each other";
    case PairEffect::reinforce:
      return "reinforce each other";
  }
  return "";
}

/// Ranks changes, and pairs of them.
Result<void> rank_changes(const WhatIfQuestion& question, const WhatIfCase& read, WhatIf& made) {
  auto list = try_all(read, made.base);
  if (!list) return tl::unexpected(list.error());
  const std::size_t all = list->size();
  made.list = first_of_groups(*std::move(list), question.most);
  made.left_out = all - made.list.size();
  if (!question.combine) return {};
  auto pairs = try_pairs(read, made.base.whole, made.list);
  if (!pairs) return tl::unexpected(pairs.error());
  made.pairs = *std::move(pairs);
  return {};
}

}  // namespace orrery::study
