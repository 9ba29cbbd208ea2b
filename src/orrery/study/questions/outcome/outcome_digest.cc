// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <set>

#include "orrery/record/make_run.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {

using graph::NodeKind;

namespace {

analysis::Breakdown breakdown_of(const sim::SimResult& result) {
  std::vector<analysis::RankTimes> times;
  times.reserve(result.ranks.simulated().size());
  for (const sim::RankResult& rank : result.ranks.simulated())
    times.push_back({rank.finish, rank.compute, rank.comm, rank.comm_only, rank.memory_only});
  const Time end = result.stall ? std::max(result.end, result.stall->at) : result.end;
  return analysis::break_down(times, end, analysis::kMaxSlowestRanks, result.ranks.classes());
}

std::optional<analysis::StepThroughput> throughput_of(const Outcome& outcome) {
  if (!outcome.job || outcome.result.stall) return std::nullopt;
  const auto speed =
      analysis::throughput(outcome.job->work, outcome.result.end, outcome.result.ranks.size(),
                           outcome.platform().device.rated.count());
  if (!speed) return std::nullopt;
  return analysis::StepThroughput{outcome.job->work, *speed};
}

/// Converts totals over members to totals over collectives. Receives are excluded: they are the
/// other end of sends.
std::vector<analysis::CommKind> comm_of(const sim::SimResult& result) {
  std::vector<sim::CollectiveTotal> totals = result.collectives;
  std::erase_if(totals, [](const sim::CollectiveTotal& total) { return total.type == "recv"; });
  std::stable_sort(totals.begin(), totals.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  std::vector<analysis::CommKind> kinds;
  for (const sim::CollectiveTotal& total : totals) {
    const bool send = total.type == "send";
    const std::uint64_t members = send ? 1 : std::max<std::uint64_t>(total.group_size, 1);
    const std::uint64_t bytes = total.bytes / members;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    analysis::CommKind kind;
    kind.type = total.type;
    kind.members = send ? 0 : total.group_size;
    kind.count = (total.operations + members - 1) / members;
    kind.bytes = Bytes(static_cast<std::int64_t>(std::min(bytes, kMost)));
    if (total.operations > 0)
      kind.each = Time(total.time.count() / static_cast<std::int64_t>(total.operations));
    kind.waits = !send;
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

std::optional<analysis::MemoryPeak> memory_of(const Outcome& outcome) {
  const Bytes capacity = usable_total_memory(outcome.platform().device);
  if (outcome.job) {
    const workload::RoleMemory* most = outcome.job->fullest();
    if (most == nullptr) return std::nullopt;
    return analysis::MemoryPeak{
        Bytes(most->peak), capacity,
        std::nullopt,      outcome.inputs.load->program->roles[most->role].name,
        std::nullopt,      outcome.job->memory_need()};
  }
  const sim::RankResults& ranks = outcome.result.ranks;
  std::optional<Bytes> most;
  for (const sim::RankResult& one : ranks.simulated()) most = std::max(most, one.peak_memory);
  if (!most) return std::nullopt;
  std::uint32_t rank = 0;
  while (ranks[rank].peak_memory != most) ++rank;
  return analysis::MemoryPeak{*most, capacity, rank, "", std::nullopt, std::nullopt};
}

Time& part_of(analysis::PathDigest& path, NodeKind kind) {
  switch (kind) {
    case NodeKind::comp:
      return path.compute;
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      return path.memory;
    case NodeKind::send:
    case NodeKind::recv:
    case NodeKind::coll:
      return path.comm;
    case NodeKind::invalid:
    case NodeKind::metadata:
      break;
  }
  return path.wait;
}

}  // namespace

std::optional<analysis::PathDigest> digest(const std::vector<sim::CriticalPathNode>& links,
                                           const graph::Workload& workload) {
  if (links.empty()) return std::nullopt;
  analysis::PathDigest path;
  std::set<std::uint32_t> ranks;
  Time before{};
  for (const sim::CriticalPathNode& link : links) {
    const graph::Graph& graph = workload.graph(link.rank);
    const NodeKind kind = graph.kind(link.node);
    if (link.start > before) path.wait += link.start - before;
    const Time start = std::max(link.start, std::min(before, link.end));
    (graph.has(link.node, graph::kIsWait) ? path.wait : part_of(path, kind)) += link.end - start;
    before = std::max(before, link.end);
    if (link.end == start) continue;
    ++path.nodes;
    ranks.insert(link.rank);
    path.add({link.rank, graph.id(link.node), std::string(graph.name(link.node)),
              std::string(name(kind)), start, link.end, std::nullopt});
  }
  path.ranks = static_cast<std::uint32_t>(ranks.size());
  return path;
}

bool fits_in_memory(const Outcome& outcome) {
  if (outcome.findings.count(FindingCode::may_not_fit) > 0) return false;
  const auto memory = memory_of(outcome);
  return !memory || !memory->fit() || memory->spare() >= Bytes{};
}

analysis::Digest digest(const Outcome& outcome) {
  const platform::Platform& platform = outcome.platform();
  analysis::Digest all;
  all.ranks = static_cast<std::uint32_t>(outcome.result.ranks.size());
  all.simulated = outcome.result.savings.representatives;
  all.stalled = outcome.result.stall.has_value();
  if (const auto recorded = outcome.workload().recorded_duration; recorded > Time{})
    all.recorded = recorded;
  all.step = breakdown_of(outcome.result);
  all.errors = record::error_classes(outcome.result);
  all.time_by_provenance = outcome.result.time_by_provenance;
  all.predicted = record::predicted_collectives(outcome.result);
  if (!all.stalled) all.interval = analysis::step_interval(all.errors, outcome.result.end);
  all.peak_flops = platform.device.rated.count();
  all.peak_precision = platform.device.precision;
  all.throughput = throughput_of(outcome);
  if (outcome.job && !all.stalled)
    all.by_format = analysis::format_utilization(outcome.job->work_by_format, outcome.result.end,
                                                 outcome.result.ranks.size(), all.peak_flops);
  if (all.throughput) all.mfu = all.throughput->speed.mfu;
  if (all.throughput) all.hfu = all.throughput->speed.hfu;
  all.comm = comm_of(outcome.result);
  all.memory = memory_of(outcome);
  all.path = digest(outcome.result.path, outcome.workload());
  all.network = name(platform.network);
  all.compute = compute_label(platform);
  all.device = platform.device.name;
  all.rules = name(platform.rules);
  all.in_step = in_step_label(platform);
  all.collectives = library_label(outcome.inputs.cluster->library.get());
  return all;
}

}  // namespace orrery::study
