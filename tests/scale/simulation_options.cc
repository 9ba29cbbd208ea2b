// SPDX-License-Identifier: Apache-2.0
#include "simulation_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "orrery/sim/result_difference.h"

namespace orrery::scale {

using sim::SimResult;

namespace {

Result<SimResult> simulate(const graph::Workload& workload, const platform::Platform& platform,
                           const Way& way, const sim::NetworkFactory& network) {
  sim::Options options;
  options.network = network;
  options.fold = way.fold;
  options.closed_forms = way.closed_forms;
  options.skip_repeats = way.skip_repeats;
  options.threads = way.threads;
  options.max_repeated_nodes = way.max_repeated_nodes;
  return sim::simulate(workload, platform, options);
}

// What finishes must do so in the first attempt: a folded run that is begun again with every rank
// would hide what is wrong with it. What cannot finish is refused there, and told of later.
Result<SimResult> simulate_at_first(const graph::Workload& workload,
                                    const platform::Platform& platform, Way way, bool stalls,
                                    const sim::NetworkFactory& network) {
  way.max_repeated_nodes = 0;
  auto result = simulate(workload, platform, way, network);
  if (!stalls || result || result.error().code != Errc::limit_exceeded) return result;
  way.max_repeated_nodes = Way{}.max_repeated_nodes;
  return simulate(workload, platform, way, network);
}

// Of a run that stalls only what ended is compared: when the last message of a phase that never
// ends was sent is not the same for all.
std::string stalled_difference(const SimResult& a, const SimResult& b) {
  if (a.stall.has_value() != b.stall.has_value())
    return fmt::format("stalled: {} and {}", a.stall.has_value(), b.stall.has_value());
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank) {
    if (a.ranks[rank].finish != b.ranks[rank].finish)
      return fmt::format("rank {} finishes at another time", rank);
  }
  if (a.stall->unfinished_ranks != b.stall->unfinished_ranks)
    return fmt::format("{} ranks and {} never finish", a.stall->unfinished_ranks,
                       b.stall->unfinished_ranks);
  return {};
}

std::string findings_difference(const Findings& a, const Findings& b) {
  for (const Finding& finding : a.list()) {
    if (b.count(finding.code) != finding.count)
      return fmt::format("finding {} is counted {} and {} times", static_cast<int>(finding.code),
                         finding.count, b.count(finding.code));
  }
  return a.list().size() == b.list().size() ? "" : "another number of findings";
}

std::string path_difference(const SimResult& a, const SimResult& b) {
  if (a.path.size() != b.path.size())
    return fmt::format("the critical path has {} and {} nodes", a.path.size(), b.path.size());
  for (std::size_t i = 0; i < a.path.size(); ++i) {
    const sim::CriticalPathNode& one = a.path[i];
    const sim::CriticalPathNode& other = b.path[i];
    if (one.rank != other.rank || one.node != other.node || one.start != other.start ||
        one.end != other.end)
      return fmt::format("node {} of the critical path is {} of rank {} and {} of rank {}", i,
                         one.node, one.rank, other.node, other.rank);
  }
  return {};
}

/// Every picosecond of the path is in one class of errors.
std::string unclassed(const SimResult& result) {
  if (result.path.empty()) return {};
  Time end{}, sum{};
  for (const sim::CriticalPathNode& link : result.path) end = std::max(end, link.end);
  for (const sim::ErrorClass& one : result.error_classes) sum += one.time;
  return sum == end ? "" : fmt::format("classes sum to {} of {} ps", sum.count(), end.count());
}

std::string difference(const Result<SimResult>& a, const Result<SimResult>& b) {
  if (a.has_value() != b.has_value())
    return "one is refused: " + (a ? to_string(b.error()) : to_string(a.error()));
  if (!a) {
    return a.error().code == b.error().code ? ""
                                            : to_string(a.error()) + " and " + to_string(b.error());
  }
  if (a->stall || b->stall) return stalled_difference(*a, *b);
  if (const auto found = sim::first_difference(*a, *b)) return *found;
  if (a->messages != b->messages)
    return fmt::format("messages are {} and {}", a->messages, b->messages);
  if (const std::string found = path_difference(*a, *b); !found.empty()) return found;
  if (const std::string found = unclassed(*a); !found.empty()) return found;
  return findings_difference(a->findings, b->findings);
}

void count(const SimResult& result, std::size_t ranks, Tally& once) {
  const sim::Savings& savings = result.savings;
  once.folded |= savings.representatives < ranks ? 1 : 0;
  once.worked_out |= savings.phases_by_closed_form > 0 ? 1 : 0;
  once.phases = std::max(once.phases, savings.phases_by_closed_form);
  once.skipping |= savings.iterations_skipped > 0 ? 1 : 0;
  once.iterations = std::max(once.iterations, savings.iterations_skipped);
  once.parted |= savings.parts > 1 ? 1 : 0;
}

}  // namespace

std::string describe(const Way& way) {
  return fmt::format("fold {:d}, closed forms {:d}, skip repeats {:d}, {} threads", way.fold,
                     way.closed_forms, way.skip_repeats, way.threads);
}

const std::vector<Way>& all_ways() {
  static const std::vector<Way> ways = {{true, false, false, 1},  {false, true, false, 1},
                                        {false, false, true, 1},  {false, false, false, 2},
                                        {false, false, false, 8}, {true, true, true, 8}};
  return ways;
}

std::string compare(const graph::Workload& workload, const platform::Platform& platform,
                    const std::vector<Way>& ways, Tally& tally,
                    const sim::NetworkFactory& network) {
  const auto plain = simulate(workload, platform, {}, network);
  Tally once;
  std::string all;
  for (const Way& way : ways) {
    const auto other = simulate_at_first(workload, platform, way, plain && plain->stall, network);
    if (other) count(*other, workload.rank_count(), once);
    const std::string found = difference(plain, other);
    if (found.empty()) continue;
    const std::uint64_t rescued =
        plain ? plain->findings.count(FindingCode::chunk_order_resolved) : 0;
    all += fmt::format("{}: {} ({} chunks started out of turn)\n", describe(way), found, rescued);
  }
  if (!all.empty()) return all;
  ++tally.cases;
  if (!plain) ++tally.refused;
  if (plain && plain->stall) ++tally.stalled;
  tally.folded += once.folded;
  tally.worked_out += once.worked_out;
  tally.phases += once.phases;
  tally.skipping += once.skipping;
  tally.iterations += once.iterations;
  tally.parted += once.parted;
  return {};
}

void print(std::string_view what, const Tally& tally) {
  const std::string text = fmt::format(
      "{}: {} cases ({} refused, {} stalled); {} folded; {} with {} phases worked out; {} with {} "
      "iterations skipped; {} in parts\n",
      what, tally.cases, tally.refused, tally.stalled, tally.folded, tally.worked_out, tally.phases,
      tally.skipping, tally.iterations, tally.parted);
  std::fputs(text.c_str(), stdout);
}

}  // namespace orrery::scale
