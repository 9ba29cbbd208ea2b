// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/profile_difference.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace orrery::profile {
namespace {

/// t / parts, rounded to nearest; t if `parts` is 0.
Time share_of(Time t, std::uint64_t parts) {
  if (parts <= 1) return t;
  const auto n = static_cast<std::int64_t>(parts);
  const std::int64_t half = t.count() < 0 ? -(n / 2) : n / 2;
  return Time((t.count() + half) / n);
}

Breakdown mean(const Inspection& inspection, std::uint64_t parts) {
  if (parts == 0) return inspection.whole;
  Breakdown sum;
  constexpr Time Breakdown::*kMembers[] = {&Breakdown::length,     &Breakdown::compute_only,
                                           &Breakdown::overlapped, &Breakdown::comm_only,
                                           &Breakdown::copy_only,  &Breakdown::idle,
                                           &Breakdown::host_bound};
  for (const IterationBreakdown& step : inspection.steps) {
    for (const auto member : kMembers) sum.*member += step.breakdown.*member;
  }
  for (const auto member : kMembers) sum.*member = share_of(sum.*member, parts);
  return sum;
}

using Key = std::pair<std::string_view, Kind>;

/// The name without the number of its step.
std::string_view without_step(std::string_view name) {
  return iteration_number(name) >= 0 ? name.substr(0, name.rfind('#')) : name;
}

void take(std::map<Key, NameDifference>& changes, const std::vector<NameSummary>& uses,
          std::uint64_t parts, bool second) {
  for (const NameSummary& use : uses) {
    NameDifference& change = changes[{without_step(use.name), use.kind}];
    const double count =
        static_cast<double>(use.count) / static_cast<double>(std::max<std::uint64_t>(parts, 1));
    (second ? change.count_b : change.count_a) += count;
    (second ? change.time_b : change.time_a) += share_of(use.total, parts);
  }
}

Time size_of(const NameDifference& change) {
  const Time d = change.difference();
  return d < Time{} ? Time{} - d : d;
}

void sort_by_size(std::vector<NameDifference>& changes) {
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const NameDifference& a, const NameDifference& b) { return size_of(a) > size_of(b); });
}

}  // namespace

ProfileDifference difference(const Inspection& a, const Inspection& b) {
  ProfileDifference result;
  result.iterations_a = a.steps.size();
  result.iterations_b = b.steps.size();
  result.per_iteration = result.iterations_a > 0 && result.iterations_b > 0;
  const std::uint64_t parts_a = result.per_iteration ? result.iterations_a : 0;
  const std::uint64_t parts_b = result.per_iteration ? result.iterations_b : 0;
  result.a = mean(a, parts_a);
  result.b = mean(b, parts_b);
  std::map<Key, NameDifference> changes;
  take(changes, a.device, parts_a, false);
  take(changes, a.host, parts_a, false);
  take(changes, b.device, parts_b, true);
  take(changes, b.host, parts_b, true);
  for (auto& [key, change] : changes) {
    change.name = key.first;
    change.kind = key.second;
    if (change.count_a == 0) {
      result.added.push_back(std::move(change));
    } else if (change.count_b == 0) {
      result.gone.push_back(std::move(change));
    } else if (change.count_a == change.count_b && change.time_a == change.time_b) {
      ++result.same;
    } else {
      result.changed.push_back(std::move(change));
    }
  }
  std::map<Key, NameDifference> launched;
  take(launched, a.launched, parts_a, false);
  take(launched, b.launched, parts_b, true);
  for (auto& [key, change] : launched) {
    if (change.time_a == change.time_b) continue;
    change.name = key.first;
    change.kind = key.second;
    result.launched.push_back(std::move(change));
  }
  sort_by_size(result.launched);
  sort_by_size(result.added);
  sort_by_size(result.gone);
  sort_by_size(result.changed);
  return result;
}

}  // namespace orrery::profile
