// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/merge_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {
namespace {

/// The trace id after the last one.
std::uint64_t next_id(const std::vector<NodeSpec>& nodes) {
  return nodes.empty() ? 0 : nodes.back().id + 1;
}

/// Adds a copy of all nodes for each further step. A step begins when the previous one has ended.
void repeat_nodes(std::vector<NodeSpec>& nodes, std::uint32_t steps) {
  const std::vector<NodeSpec> once = nodes;
  std::map<std::uint64_t, bool> is_last;
  for (const NodeSpec& node : once) is_last[node.id] = true;
  for (const NodeSpec& node : once)
    for (const std::uint64_t dep : node.deps) is_last[dep] = false;
  const std::uint64_t ids_per_step = next_id(once) + 1;  // ids per step: its nodes and the joint
  for (std::uint64_t step = 1; step < steps; ++step) {
    NodeSpec joint;
    joint.kind = NodeKind::metadata;
    joint.id = step * ids_per_step - 1;
    for (const auto& [id, last] : is_last)
      if (last) joint.deps.push_back(id + (step - 1) * ids_per_step);
    nodes.push_back(joint);
    for (NodeSpec node : once) {
      node.id += step * ids_per_step;
      for (std::uint64_t& dep : node.deps) dep += step * ids_per_step;
      for (DependencyNote& note : node.notes) note.dep += step * ids_per_step;
      if (node.deps.empty()) node.deps.push_back(joint.id);
      nodes.push_back(std::move(node));
    }
  }
}

/// Nothing begins before `start`.
void delay_nodes(std::vector<NodeSpec>& nodes, Time start, const DraftTables& tables) {
  NodeSpec wait;
  wait.kind = NodeKind::comp;
  wait.id = next_id(nodes);
  wait.name = tables.strings->intern("start");
  wait.flags = kIsCpu | kHasCpuAttr | kIsWait;
  wait.duration = start;
  for (NodeSpec& node : nodes)
    if (node.deps.empty()) node.deps.push_back(wait.id);
  nodes.push_back(std::move(wait));
}

/// Places one job's graphs and groups on the machine.
class JobPlacer {
 public:
  JobPlacer(const JobPart& job, Workload& merged, Findings& findings)
      : job_(job), workload_(*job.workload), merged_(merged), findings_(findings) {}

  Result<void> add() {
    if (auto checked = add_groups(); !checked) return checked;
    distances_.resize(workload_.graphs.size());
    for (std::size_t g = 0; g < workload_.graphs.size(); ++g) find_distances(g);
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank)
      if (auto checked = place_rank(rank); !checked) return checked;
    return {};
  }

 private:
  [[nodiscard]] std::string where(std::uint32_t rank) const {
    return fmt::format("job {}, {}", job_.name, workload_.place(rank));
  }
  [[nodiscard]] std::string merged_name(std::string_view group) const {
    const bool known = workload_.groups.contains(group) || workload_.axes.contains(group);
    return known ? fmt::format("{}/{}", job_.name, group) : job_.name;
  }
  [[nodiscard]] bool has(std::int64_t rank) const {
    return rank >= 0 && rank < std::int64_t{workload_.rank_count()};
  }
  [[nodiscard]] Error missing_rank(std::uint32_t rank, std::int64_t peer) const {
    return {Errc::input_range, where(rank),
            fmt::format("a message to or from rank {}, but the job has {} ranks", peer,
                        workload_.rank_count()),
            "'orrery trace validate' finds errors in the traces"};
  }

  Result<void> add_groups() {
    merged_.groups[job_.name] = {job_.name, job_.ranks};
    for (const auto& [name, group] : workload_.groups) {
      ProcessGroup made{merged_name(name), {}};
      for (const std::uint32_t rank : group.ranks) {
        if (!has(rank))
          return fail(
              Errc::input_range,
              fmt::format("job {}, process group {}", job_.name, in_quotes(name)),
              fmt::format("lists rank {}, but the job has {} ranks", rank, workload_.rank_count()));
        made.ranks.push_back(job_.ranks[rank]);
      }
      if (made.ranks.empty()) made.ranks = job_.ranks;
      merged_.groups[made.name] = made;
    }
    for (const auto& [name, axis] : workload_.axes) {
      GroupAxis made = axis;
      made.name = merged_name(name);
      made.ranks = job_.ranks;
      merged_.axes[made.name] = std::move(made);
    }
    return {};
  }

  /// The distinct peer offsets of a graph.
  void find_distances(std::size_t number) {
    const Graph& graph = *workload_.graphs[number];
    std::vector<std::int32_t>& all = distances_[number];
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (!graph.has(n, kPeerRelative)) continue;
      const PointToPoint& message = graph.point_to_point(n);
      all.push_back(message.src);
      all.push_back(message.dst);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }

  /// The same offsets between machine ranks.
  Result<std::vector<std::int32_t>> machine_distances(std::uint32_t rank) const {
    std::vector<std::int32_t> made;
    for (const std::int32_t distance : distances_[workload_.graph_of_rank[rank]]) {
      const std::int64_t peer = std::int64_t{rank} + distance;
      if (!has(peer)) return tl::unexpected(missing_rank(rank, peer));
      made.push_back(static_cast<std::int32_t>(
          std::int64_t{job_.ranks[static_cast<std::size_t>(peer)]} - job_.ranks[rank]));
    }
    return made;
  }

  Result<void> place_rank(std::uint32_t rank) {
    const std::uint32_t number = workload_.graph_of_rank[rank];
    auto distances = machine_distances(rank);
    if (!distances) return tl::unexpected(distances.error());
    const auto [known, added] = made_.try_emplace({number, *distances}, 0);
    if (added) {
      auto graph = graph_at(rank, *distances);
      if (!graph) return tl::unexpected(graph.error());
      known->second = static_cast<std::uint32_t>(merged_.graphs.size());
      merged_.graphs.push_back(std::make_shared<const Graph>(*std::move(graph)));
    }
    merged_.graph_of_rank[job_.ranks[rank]] = known->second;
    merged_.files[job_.ranks[rank]] = where(rank);
    return {};
  }

  Result<Graph> graph_at(std::uint32_t rank, const std::vector<std::int32_t>& distances) {
    const Graph& graph = workload_.graph(rank);
    if (std::uint64_t{graph.size()} + 2 > limits::kNodesPerRank / job_.steps)
      return fail(Errc::limit_exceeded, where(rank),
                  fmt::format("{} steps of {} nodes exceed the limit", job_.steps, graph.size()),
                  "use fewer steps");
    GraphDraft draft(graph, where(rank), tables_);
    std::vector<NodeSpec>& nodes = draft.nodes();
    for (NodeSpec& node : nodes)
      if (auto checked = renumber_ranks(rank, node, distances); !checked)
        return tl::unexpected(checked.error());
    const bool waits = job_.start > Time{};
    if (waits || job_.steps > 1) {
      const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / job_.steps;
      if (!nodes.empty() && nodes.back().id > most - 3)
        return fail(Errc::limit_exceeded, where(rank),
                    fmt::format("node ids up to {} leave no ids for {}", nodes.back().id,
                                waits ? "a later start" : "further steps"));
      repeat_nodes(nodes, job_.steps);
      if (waits) delay_nodes(nodes, job_.start, tables_);
    }
    return std::move(draft).finish(findings_);
  }

  Result<void> renumber_ranks(std::uint32_t rank, NodeSpec& node,
                              const std::vector<std::int32_t>& distances) {
    if (node.kind == NodeKind::coll) return rename_group(rank, node);
    if (!is_message(node.kind)) return {};
    PointToPoint& message = node.message;
    if ((node.flags & kPeerRelative) != 0) {
      const auto& own = distances_[workload_.graph_of_rank[rank]];
      for (std::int32_t* side : {&message.src, &message.dst})
        *side = distances[static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), *side) -
                                                   own.begin())];
      return {};
    }
    for (const auto& [side, flag] : {std::pair(&message.src, kHasSrc), {&message.dst, kHasDst}}) {
      if ((node.flags & flag) == 0) continue;
      if (!has(*side)) return tl::unexpected(missing_rank(rank, *side));
      *side = static_cast<std::int32_t>(job_.ranks[static_cast<std::size_t>(*side)]);
    }
    return {};
  }

  Result<void> rename_group(std::uint32_t rank, NodeSpec& node) {
    Collective& collective = node.collective;
    const std::string_view group = tables_.strings->view(collective.group);
    const std::uint32_t all = collective.dims_count >= 32 ? ~0u : (1u << collective.dims_count) - 1;
    const bool is_partial = (node.flags & kHasDims) != 0 && (collective.dims_mask & all) != all;
    if (is_partial && (group.empty() || group == "0"))
      return fail(Errc::input_unsupported, where(rank),
                  fmt::format("node {} is a collective along some dimensions of the machine, but a "
                              "job has only some of the machine's ranks",
                              node.id),
                  "define its ranks as a process group");
    collective.group = tables_.strings->intern(merged_name(group));
    if (has(collective.root))
      collective.root =
          static_cast<std::int32_t>(job_.ranks[static_cast<std::size_t>(collective.root)]);
    return {};
  }

  const JobPart& job_;
  const Workload& workload_;
  Workload& merged_;
  Findings& findings_;
  DraftTables tables_;  // a job's kernels have its hosts' launch times
  std::vector<std::vector<std::int32_t>> distances_;  // by graph, ascending
  std::map<std::pair<std::uint32_t, std::vector<std::int32_t>>, std::uint32_t> made_;
};

/// Checks that each job has enough ranks, and that jobs share none.
Result<void> check_placement(std::span<const JobPart> jobs, std::uint32_t ranks) {
  std::vector<const JobPart*> job_of_rank(ranks);
  for (const JobPart& job : jobs) {
    const std::string where = fmt::format("job {}", job.name);
    if (job.ranks.size() != job.workload->rank_count())
      return fail(Errc::usage, where,
                  fmt::format("has {} ranks, but gets {} ranks of the machine",
                              job.workload->rank_count(), job.ranks.size()));
    if (!job.workload->custom_collectives.empty())
      return fail(Errc::input_unsupported, where,
                  "its collectives are given as traces, one for each rank of the machine",
                  "use named algorithms instead");
    for (const std::uint32_t rank : job.ranks) {
      if (rank >= ranks)
        return fail(Errc::usage, where,
                    fmt::format("rank {} does not exist: the machine has {} ranks", rank, ranks));
      if (job_of_rank[rank] != nullptr)
        return fail(Errc::usage, where,
                    fmt::format("rank {} is already used by job {}", rank, job_of_rank[rank]->name),
                    "assign different ranks to each job");
      job_of_rank[rank] = &job;
    }
  }
  return {};
}

}  // namespace

Result<Workload> merge_jobs(std::span<const JobPart> jobs, std::uint32_t ranks,
                            Findings& findings) {
  if (auto checked = check_placement(jobs, ranks); !checked) return tl::unexpected(checked.error());
  Workload made;
  auto nothing =
      GraphBuilder("spare rank", std::make_shared<StringPool>(), Repair::refuse).finish(findings);
  if (!nothing) return tl::unexpected(nothing.error());
  made.graphs.push_back(std::make_shared<const Graph>(*std::move(nothing)));
  made.graph_of_rank.assign(ranks, 0);
  made.files.assign(ranks, "a rank without a job");
  made.job_of_rank.assign(ranks,
                          static_cast<std::uint32_t>(jobs.size()));  // this number means spare
  for (std::uint32_t number = 0; number < jobs.size(); ++number) {
    const JobPart& job = jobs[number];
    if (auto checked = JobPlacer(job, made, findings).add(); !checked)
      return tl::unexpected(checked.error());
    for (const std::uint32_t rank : job.ranks) made.job_of_rank[rank] = number;
  }
  return made;
}

}  // namespace orrery::graph
