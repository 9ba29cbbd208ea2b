// SPDX-License-Identifier: Apache-2.0
//
// Algorithm and bus bandwidth of collectives, one by one and by class.
#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/analysis/metrics.h"
#include "orrery/analysis/run_index.h"
#include "orrery/core/collective_type.h"

namespace orrery::analysis {

using result::Collective;
using result::kNone;
using result::Run;

namespace {

double bus_factor(std::string_view type, double members) {
  if (members <= 1) return 0;
  return orrery::bus_factor(collective_type(type).value_or(CollectiveType::unknown), members);
}

std::uint32_t size_of(const Run& run, const Collective& collective) {
  return collective.group < run.groups.size() ? run.groups[collective.group].size
                                              : collective.members;
}

/// What is summed over the collectives of a class.
struct Sums {
  std::uint32_t count = 0, group = 0;
  bool several = false;
  Time time{}, waited{}, bound{}, bounded{};
  double size = 0;
  std::uint64_t sent = 0;
};

}  // namespace

std::optional<CollectiveSpeed> speed_of(const Run& run, const Collective& collective) {
  if (!collective.joined || !collective.end || *collective.end < collective.last_start)
    return std::nullopt;
  CollectiveSpeed speed;
  speed.time = *collective.end - collective.last_start;
  const double length = seconds(speed.time);
  const double members = size_of(run, collective);
  if (length > 0) {
    speed.algbw = static_cast<double>(collective.bytes.count()) / length;
    speed.busbw = speed.algbw * bus_factor(collective.type, members);
    if (collective.bound) speed.of_bound = seconds(*collective.bound) / length;
  }
  return speed;
}

namespace {

// By collective: how long its members waited for the last one, summed over them.
std::vector<Time> waits(const Run& run) {
  std::vector<Time> waited(run.collectives.size());
  const RunIndex index(run);
  for (std::uint32_t t = 0; t < run.timelines.size(); ++t) {
    for (const result::Span& span : run.timelines[t].spans) {
      if (span.kind != result::SpanKind::collective || span.wait <= Time{}) continue;
      for_each_collective(run, index, t, span, [&](std::uint32_t c, std::uint32_t ranks) {
        if (run.collectives[c].joined) waited[c] = saturating_sum(waited[c], span.wait, ranks);
      });
    }
  }
  return waited;
}

void add(Sums& sums, const Run& run, const Collective& collective, Time waited) {
  sums.several = sums.several || (sums.count > 0 && sums.group != collective.group);
  sums.group = collective.group;
  ++sums.count;
  sums.sent += std::min(collective.sent, ~std::uint64_t{0} - sums.sent);
  sums.waited = saturating_sum(sums.waited, waited);
  const auto speed = speed_of(run, collective);
  if (!speed) {  // that took its recorded time has a length, but no speed of these links
    if (!collective.joined && collective.end && *collective.end > collective.last_start)
      sums.time = saturating_sum(sums.time, *collective.end - collective.last_start);
    return;
  }
  sums.time = saturating_sum(sums.time, speed->time);
  sums.size += static_cast<double>(collective.bytes.count());
  if (!collective.bound) return;
  sums.bound = saturating_sum(sums.bound, *collective.bound);
  sums.bounded = saturating_sum(sums.bounded, speed->time);
}

}  // namespace

std::vector<CollectiveClass> collective_classes(const Run& run, bool by_group) {
  using Key = std::tuple<std::string_view, std::uint32_t, Bytes, std::uint32_t>;
  std::map<Key, Sums> classes;
  const std::vector<Time> waited = waits(run);
  for (std::size_t c = 0; c < run.collectives.size(); ++c) {
    const Collective& collective = run.collectives[c];
    const Key key{collective.type, size_of(run, collective), collective.bytes,
                  by_group ? collective.group : kNone};
    add(classes[key], run, collective, waited[c]);
  }
  std::vector<CollectiveClass> made;
  for (const auto& [key, sums] : classes) {
    CollectiveClass& one = made.emplace_back();
    one.type = std::get<0>(key);
    one.members = std::get<1>(key);
    one.bytes = std::get<2>(key);
    one.group = sums.several ? kNone : sums.group;
    one.count = sums.count;
    one.sent = sums.sent;
    one.time = sums.time;
    one.waited = sums.waited;
    if (const double length = seconds(sums.time); length > 0) {
      one.algbw = sums.size / length;
      one.busbw = one.algbw * bus_factor(one.type, one.members);
    }
    if (sums.bounded > Time{}) one.of_bound = seconds(sums.bound) / seconds(sums.bounded);
  }
  std::stable_sort(
      made.begin(), made.end(),
      [](const CollectiveClass& a, const CollectiveClass& b) { return a.time > b.time; });
  return made;
}

}  // namespace orrery::analysis
