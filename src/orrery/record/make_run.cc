// SPDX-License-Identifier: Apache-2.0
#include "orrery/record/make_run.h"

#include <cmath>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/core/check.h"
#include "orrery/record/equal_times.h"
#include "orrery/record/make_run_internal.h"

namespace orrery::record {

namespace {

void describe_platform(const platform::Platform& platform, result::Run& run) {
  for (const platform::Dimension& dim : platform.dims)
    run.dims.push_back({std::string(name(dim.block)), dim.size, dim.bandwidth, dim.latency_ns});
  run.device = platform.device.name;
  run.peak_flops = platform.device.rated.count();
  run.peak_precision = platform.device.precision;
}

std::vector<std::uint32_t> number_spans(const graph::Workload& workload,
                                        const sim::Recording& recording) {
  std::vector<std::uint32_t> numbers(recording.times.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    std::uint32_t next = 0;
    for (graph::NodeId node = 0; node < workload.graph(rank).size(); ++node)
      numbers[recording.index(rank, node)] =
          recording.at(rank, node).end < 0 ? result::kNone : next++;
  }
  return numbers;
}

void make_ranks(const sim::SimResult& sim, result::Run& run) {
  for (const sim::RankResult& one : sim.ranks) {
    result::Rank& rank = run.ranks.emplace_back();
    rank.finish = one.finish;
    rank.exposed_comm = one.exposed_comm;
    rank.compute_only = one.compute - one.overlapped;
    rank.overlapped = one.overlapped;
    rank.comm = one.comm;
    rank.comm_only = one.comm_only;
    rank.memory = one.memory;
    rank.memory_only = one.memory_only;
    rank.idle = one.idle;
    rank.sent_bytes = one.sent_bytes;
  }
}

}  // namespace

bool carries_tokens(const graph::Workload& workload, const result::Run& run,
                    const result::Collective& one) {
  if (one.type != graph::name(graph::CollectiveType::all_to_all) || one.last_span == result::kNone)
    return false;
  const graph::Graph& graph = workload.graph(one.last_rank);
  const graph::NodeId node = graph.find(run.timeline(one.last_rank).spans[one.last_span].node);
  return node != graph::kNoNode &&
         carries_tokens(graph::CollectiveType::all_to_all, graph.collective(node));
}

result::Run make_run(const graph::Workload& workload, const platform::Platform& platform,
                     const sim::SimResult& sim, const std::vector<graph::HeldMemory>& held) {
  ORRERY_CHECK(sim.recording != nullptr);
  ORRERY_CHECK(held.empty() || held.size() == workload.graphs.size());
  RecordingSource source{workload, platform, sim, *sim.recording};
  source.held = held;
  if (sim.stall) source.span_numbers = number_spans(workload, *sim.recording);
  result::Run run;
  run.step = sim.end;
  run.stalled = sim.stall.has_value();
  run.messages = sim.messages;
  run.events = sim.events;
  run.findings = sim.findings;
  describe_platform(platform, run);
  make_ranks(sim, run);
  const EqualTimes times(source);
  const RecordedCollectives recorded = record_collectives(source, times, run);
  make_timelines(source, times, recorded, match_messages(source), run);
  store_collectives(source, recorded, run);
  run.error_classes = error_classes(sim);
  run.time_by_provenance = sim.time_by_provenance;
  run.predicted = predicted_collectives(sim);
  make_links(source, run);
  run.remote_memory = remote_memory(source);
  analysis::find_critical_path(run);
  if (!run.stalled) {
    std::vector<const graph::Graph*> graphs(run.timelines.size());
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
      graphs[run.ranks[rank].timeline] = &workload.graph(rank);
    analysis::find_slack(
        run, graphs, {platform.rules == platform::Rules::astra, platform.collectives.rendezvous});
  }
  return run;
}

// Error classes of predicted times.

namespace {

Time share_of(Time time, double share) {
  return Time(std::llround(static_cast<double>(time.count()) * share));
}

}  // namespace

std::vector<result::ErrorClass> error_classes(const sim::SimResult& sim) {
  std::vector<result::ErrorClass> made;
  for (const sim::ErrorClass& one : sim.error_classes) {
    made.push_back({one.name, one.time, {}});
    if (one.band) made.back().off = result::ErrorInterval{one.band->lower, one.band->upper};
  }
  return made;
}

std::vector<result::PredictedCollective> predicted_collectives(const sim::SimResult& sim) {
  std::vector<result::PredictedCollective> made;
  for (const sim::PredictedCollective& one : sim.predicted) {
    made.push_back(
        {one.type, one.bytes, one.ranks, one.nodes, one.time, one.source, one.algorithm, {}});
    if (one.error)
      made.back().off = result::ErrorInterval{share_of(one.time, one.error->lower),
                                              share_of(one.time, one.error->upper)};
  }
  return made;
}

}  // namespace orrery::record
