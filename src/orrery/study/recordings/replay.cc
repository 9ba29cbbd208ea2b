// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/replay.h"

#include <algorithm>
#include <utility>

#include "orrery/intake/job/job.h"
#include "orrery/profile/replay/previous_iteration.h"
#include "orrery/profile/replay/retimed_profile.h"
#include "orrery/sim/simulate.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/recordings/replay_platform.h"

namespace orrery::study {

namespace {

using profile::NodeSpan;

/// A converted rank.
struct Recorded {
  std::uint32_t rank = 0;
  std::string file;
  Time begin{};  ///< its start in the simulation
  profile::Profile profile;
  profile::Dependencies dependencies;
  std::vector<Time> costs;  ///< recorded costs; `dependencies` may contain changed ones
};

/// Start and end of nodes on the clock of the profile.
std::vector<NodeSpan> spans_of(const Recorded& rank, const graph::Graph& graph,
                               const sim::Recording& recording, std::uint32_t number) {
  std::vector<NodeSpan> spans(rank.dependencies.nodes.size());
  const Time shift = profile::recorded_extent(rank.profile, rank.dependencies).from - rank.begin;
  for (std::size_t node = 0; node < spans.size(); ++node) {
    const graph::NodeId at = graph.find(node + 1);
    if (at == graph::kNoNode) continue;
    const sim::NodeTimes& times = recording.at(number, at);
    if (times.start < 0 || times.end < 0) continue;
    spans[node] = {Time(times.start) + shift, Time(times.end) + shift};
    // A pause before communication of a thread is a separate node in the graph.
    if (graph.is_cpu(at) && graph.kind(at) != graph::NodeKind::comp)
      spans[node].start -= std::max(Time{}, rank.dependencies.cost[node] - graph.duration(at));
  }
  return spans;
}

InferenceCounts unknowns_of(const profile::Dependencies& dependencies) {
  InferenceCounts unknowns;
  for (const profile::Dependency& edge : dependencies.edges) {
    ++unknowns.edges;
    unknowns.guessed += edge.guessed ? 1 : 0;
    if (edge.kind != DependencyKind::recorded_wait) continue;
    ++unknowns.recorded_waits;
    unknowns.waited += edge.lag;
  }
  unknowns.to_learn = dependencies.predictable;
  unknowns.learned = dependencies.predicted;
  return unknowns;
}

std::vector<ReplayedStep> steps_of(const std::vector<profile::Iteration>& iterations,
                                   const profile::EventTimes& recorded,
                                   const profile::EventTimes& simulated) {
  std::vector<ReplayedStep> steps;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const auto length = [&](const profile::EventTimes& in) {
      const auto& [start, end] = in[iterations[i].event];
      return (i + 1 < iterations.size() ? in[iterations[i + 1].event].first : end) - start;
    };
    steps.push_back({iterations[i].number, length(recorded), length(simulated)});
  }
  return steps;
}

std::string name_of(const profile::Profile& profile, profile::EventId event) {
  return event == profile::kNoEvent ? std::string() : std::string(profile.name(event));
}

profile::Extent simulated_extent(Time from, const std::vector<NodeSpan>& spans) {
  profile::Extent extent{from, from};
  for (const NodeSpan& span : spans)
    if (span.ran()) extent.to = std::max(extent.to, span.end);
  return extent;
}

ReplayedRank compare(Recorded&& rank, const std::vector<NodeSpan>& spans, bool keep) {
  ReplayedRank made;
  made.rank = rank.rank;
  made.file = std::move(rank.file);
  if (!rank.profile.devices.empty()) made.device = rank.profile.devices.front().name;
  made.late_start = rank.begin;
  profile::Profile& profile = rank.profile;
  const profile::EventTimes was = profile::event_times(profile);
  const auto iterations = profile::iterations(profile);
  made.on_device = profile::runs_on_device(profile);
  const profile::Extent recorded = profile::recorded_extent(profile, rank.dependencies);
  const profile::Extent simulated = simulated_extent(recorded.from, spans);
  made.recorded = recorded.to - recorded.from;
  made.simulated = simulated.to - simulated.from;
  made.recorded_parts = profile::breakdown(profile, recorded.from, recorded.to);
  constexpr std::int64_t kMaxBins = 1000;
  made.bin = Time(std::max(us(1000).count(), (made.recorded.count() + kMaxBins - 1) / kMaxBins));
  made.recorded_busy = profile::busy_curve(profile, recorded.from, recorded.to, made.bin);
  Findings again;  // those already found when reading
  profile::retime(profile, rank.dependencies, rank.costs, spans, again);
  made.simulated_parts = profile::breakdown(profile, simulated.from, simulated.to);
  made.simulated_busy = profile::busy_curve(profile, simulated.from, simulated.to, made.bin);
  made.steps = steps_of(iterations, was, profile::event_times(profile));
  made.drift = profile::drift(was, profile);
  made.drift_begins = name_of(profile, made.drift.first_drifted);
  made.drift_farthest = name_of(profile, made.drift.worst_event);
  made.unknowns = unknowns_of(rank.dependencies);
  if (keep) made.profile = std::make_shared<profile::Profile>(std::move(profile));
  return made;
}

profile::Breakdown accounted(const sim::RankResult& rank, Time begin) {
  profile::Breakdown parts;
  parts.length = rank.finish.value_or(begin) - begin;
  parts.compute_only = rank.compute - rank.overlapped;
  parts.overlapped = rank.overlapped;
  parts.comm_only = rank.comm_only;
  parts.copy_only = rank.memory_only;
  parts.idle = rank.idle - begin;
  return parts;
}

bool has_times(const profile::Profile& profile) {
  for (std::size_t e = 0; e < profile.events.size(); ++e)
    if (profile.events[e].timed()) return true;
  return false;
}

/// Reports factors that match no kernel.
void note_unused(const profile::CostScales& scales, const std::vector<Recorded>& ranks,
                 Findings& findings) {
  for (const auto& scaled : scales.named) {
    const std::string& part = scaled.first;
    const bool used = std::any_of(ranks.begin(), ranks.end(), [&](const Recorded& rank) {
      const auto& nodes = rank.dependencies.nodes;
      return std::any_of(nodes.begin(), nodes.end(), [&](profile::EventId e) {
        return !profile::is_host(rank.profile.events[e].kind) &&
               rank.profile.name(e).find(part) != std::string_view::npos;
      });
    });
    if (!used) findings.add(FindingCode::key_without_effect, "--scale " + part);
  }
}

Result<void> check(const Recorded& rank, const ReplayQuestion& question) {
  if (!has_times(rank.profile)) {
    return fail(
        Errc::input_unsupported, rank.file, "contains no times",
        "an execution trace contains operators without times: also give the profiler's trace");
  }
  if (question.learn && rank.dependencies.predictable == 0) {
    return fail(Errc::input_unsupported, rank.file,
                "contains fewer than two iterations (ProfilerStep#N)",
                "record several iterations and call the profiler's step() after each");
  }
  return {};
}

}  // namespace

Result<Replay> replay(const ReplayQuestion& question, Watch& watch) {
  auto options = job_options(question.recorded);
  if (!options) return tl::unexpected(options.error());
  options->progress = [&](std::uint32_t done, std::uint32_t of) { watch.reading(done, of); };
  options->converted = [&](std::uint32_t done, std::uint32_t of) { watch.converting(done, of); };
  options->adjust = [&](const profile::Profile& profile, profile::Dependencies& dependencies) {
    if (question.learn) profile::predict_from_previous_iteration(profile, dependencies);
    profile::ignore_dependencies(profile, dependencies, question.leave_out);
    profile::scale_costs(profile, dependencies, question.scales);
    if (question.adjust) question.adjust(profile, dependencies);
  };
  Replay made;
  std::vector<Recorded> ranks;
  const auto workload = intake::load_job(
      *options, made.findings,
      [&](const intake::Job& job, std::size_t place, intake::RankTrace&& trace,
          profile::Dependencies&& dependencies) {
        Recorded rank;
        rank.rank = job.ranks[place].rank;
        rank.file = trace.profile.where;
        rank.begin = job.begin[place];
        rank.costs = dependencies.recorded_cost.empty() ? dependencies.cost
                                                        : std::move(dependencies.recorded_cost);
        rank.profile = std::move(trace.profile);
        rank.dependencies = std::move(dependencies);
        ranks.push_back(std::move(rank));
      });
  watch.phase_done();
  if (!workload) return tl::unexpected(workload.error());
  for (const Recorded& rank : ranks)
    if (auto fine = check(rank, question); !fine) return tl::unexpected(fine.error());
  note_unused(question.scales, ranks, made.findings);
  sim::Options how;
  how.record = true;
  how.replay = question.together;
  platform::Platform stage = replay_platform(workload->rank_count());
  stage.replay_only = !question.together;
  auto result = sim::simulate(*workload, stage, how);
  if (!result) return tl::unexpected(result.error());
  if (result->stall) {
    return fail(Errc::input_mismatch, ranks.front().file, "the ranks deadlock",
                "orrery trace validate --traces ... shows where they disagree");
  }
  for (std::uint32_t number = 0; number < ranks.size(); ++number) {
    const auto spans = spans_of(ranks[number], workload->graph(number), *result->recording, number);
    const Time begin = ranks[number].begin;
    made.ranks.push_back(compare(std::move(ranks[number]), spans, question.keep_profiles));
    made.ranks.back().accounted = accounted(result->ranks[number], begin);
  }
  return made;
}

}  // namespace orrery::study
