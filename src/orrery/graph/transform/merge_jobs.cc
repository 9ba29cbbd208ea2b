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

/// All nodes once more for each further step; a step begins where the one before has ended.
void repeat_nodes(std::vector<NodeSpec>& nodes, std::uint32_t steps) {
  const std::vector<NodeSpec> once = nodes;
  std::map<std::uint64_t, bool> is_last;
  for (const NodeSpec& node : once) is_last[node.id] = true;
  for (const NodeSpec& node : once)
    for (const std::uint64_t dep : node.deps) is_last[dep] = false;
  const std::uint64_t apart = next_id(once) + 1;  // the nodes of a step, and what joins it
  for (std::uint64_t step = 1; step < steps; ++step) {
    NodeSpec joint;
    joint.kind = NodeKind::metadata;
    joint.id = step * apart - 1;
    for (const auto& [id, last] : is_last)
      if (last) joint.deps.push_back(id + (step - 1) * apart);
    nodes.push_back(joint);
    for (NodeSpec node : once) {
      node.id += step * apart;
      for (std::uint64_t& dep : node.deps) dep += step * apart;
      for (DependencyNote& note : node.notes) note.dep += step * apart;
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

/// One job's graphs and groups, as they are on the machine.
class Seated {
 public:
  Seated(const JobPart& job, Workload& into, Findings& findings)
      : job_(job), workload_(*job.workload), into_(into), findings_(findings) {}

  Result<void> add() {
    if (auto fine = add_groups(); !fine) return fine;
    distances_.resize(workload_.graphs.size());
    for (std::size_t g = 0; g < workload_.graphs.size(); ++g) find_distances(g);
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank)
      if (auto fine = seat(rank); !fine) return fine;
    return {};
  }

 private:
  [[nodiscard]] std::string where(std::uint32_t rank) const {
    return fmt::format(
        "job {}, {}", job_.name,
        rank < workload_.files.size() ? workload_.files[rank] : fmt::format("rank {}", rank));
  }
  [[nodiscard]] std::string called(std::string_view group) const {
    const bool known = workload_.groups.contains(group) || workload_.axes.contains(group);
    return known ? fmt::format("{}/{}", job_.name, group) : job_.name;
  }
  [[nodiscard]] bool has(std::int64_t rank) const {
    return rank >= 0 && rank < std::int64_t{workload_.rank_count()};
  }
  [[nodiscard]] Error no_rank(std::uint32_t rank, std::int64_t peer) const {
    return {
        Errc::input_range, where(rank),
        fmt::format("a message to or from rank {} of a job of {}", peer, workload_.rank_count()),
        "'orrery check' looks for mistakes in the traces"};
  }

  Result<void> add_groups() {
    into_.groups[job_.name] = {job_.name, job_.ranks};
    for (const auto& [name, group] : workload_.groups) {
      ProcessGroup made{called(name), {}};
      for (const std::uint32_t rank : group.ranks) {
        if (!has(rank))
          return fail(Errc::input_range,
                      fmt::format("job {}, process group {}", job_.name, in_quotes(name)),
                      fmt::format("rank {} of a job of {}", rank, workload_.rank_count()));
        made.ranks.push_back(job_.ranks[rank]);
      }
      if (made.ranks.empty()) made.ranks = job_.ranks;
      into_.groups[made.name] = made;
    }
    for (const auto& [name, axis] : workload_.axes) {
      GroupAxis made = axis;
      made.name = called(name);
      made.ranks = job_.ranks;
      into_.axes[made.name] = std::move(made);
    }
    return {};
  }

  /// How far messages go, where graphs say that: each distance once.
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

  /// The same distances on the machine.
  Result<std::vector<std::int32_t>> seen_from(std::uint32_t rank) const {
    std::vector<std::int32_t> made;
    for (const std::int32_t distance : distances_[workload_.graph_of_rank[rank]]) {
      const std::int64_t peer = std::int64_t{rank} + distance;
      if (!has(peer)) return tl::unexpected(no_rank(rank, peer));
      made.push_back(static_cast<std::int32_t>(
          std::int64_t{job_.ranks[static_cast<std::size_t>(peer)]} - job_.ranks[rank]));
    }
    return made;
  }

  Result<void> seat(std::uint32_t rank) {
    const std::uint32_t number = workload_.graph_of_rank[rank];
    auto distances = seen_from(rank);
    if (!distances) return tl::unexpected(distances.error());
    const auto [known, added] = made_.try_emplace({number, *distances}, 0);
    if (added) {
      auto graph = graph_at(rank, *distances);
      if (!graph) return tl::unexpected(graph.error());
      known->second = static_cast<std::uint32_t>(into_.graphs.size());
      into_.graphs.push_back(std::make_shared<const Graph>(*std::move(graph)));
    }
    into_.graph_of_rank[job_.ranks[rank]] = known->second;
    into_.files[job_.ranks[rank]] = where(rank);
    return {};
  }

  Result<Graph> graph_at(std::uint32_t rank, const std::vector<std::int32_t>& distances) {
    const Graph& graph = workload_.graph(rank);
    if (std::uint64_t{graph.size()} + 2 > limits::kNodesPerRank / job_.steps)
      return fail(Errc::limit_exceeded, where(rank),
                  fmt::format("{} steps of {} nodes are too many", job_.steps, graph.size()),
                  "name fewer steps");
    GraphDraft draft(graph, where(rank), tables_);
    std::vector<NodeSpec>& nodes = draft.nodes();
    for (NodeSpec& node : nodes)
      if (auto fine = move(rank, node, distances); !fine) return tl::unexpected(fine.error());
    const bool waits = job_.start > Time{};
    if (waits || job_.steps > 1) {
      const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / job_.steps;
      if (!nodes.empty() && nodes.back().id > most - 3)
        return fail(Errc::limit_exceeded, where(rank),
                    fmt::format("node ids up to {} leave none for {}", nodes.back().id,
                                waits ? "a later start" : "further steps"));
      repeat_nodes(nodes, job_.steps);
      if (waits) delay_nodes(nodes, job_.start, tables_);
    }
    return std::move(draft).finish(findings_);
  }

  Result<void> move(std::uint32_t rank, NodeSpec& node,
                    const std::vector<std::int32_t>& distances) {
    if (node.kind == NodeKind::coll) return move_collective(rank, node);
    if (node.kind != NodeKind::send && node.kind != NodeKind::recv) return {};
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
      if (!has(*side)) return tl::unexpected(no_rank(rank, *side));
      *side = static_cast<std::int32_t>(job_.ranks[static_cast<std::size_t>(*side)]);
    }
    return {};
  }

  Result<void> move_collective(std::uint32_t rank, NodeSpec& node) {
    Collective& collective = node.collective;
    const std::string_view group = tables_.strings->view(collective.group);
    const std::uint32_t all = collective.dims_count >= 32 ? ~0u : (1u << collective.dims_count) - 1;
    const bool masked = (node.flags & kHasDims) != 0 && (collective.dims_mask & all) != all;
    if (masked && (group.empty() || group == "0"))
      return fail(Errc::input_unsupported, where(rank),
                  fmt::format("node {} is a collective along some of the machine's dimensions, "
                              "and a job has only some of its ranks",
                              node.id),
                  "name its ranks as a process group");
    collective.group = tables_.strings->intern(called(group));
    if (has(collective.root))
      collective.root =
          static_cast<std::int32_t>(job_.ranks[static_cast<std::size_t>(collective.root)]);
    return {};
  }

  const JobPart& job_;
  const Workload& workload_;
  Workload& into_;
  Findings& findings_;
  DraftTables tables_;  // a job's kernels have its hosts' launch times
  std::vector<std::vector<std::int32_t>> distances_;  // by graph, ascending
  std::map<std::pair<std::uint32_t, std::vector<std::int32_t>>, std::uint32_t> made_;
};

/// Whether jobs have ranks of their own, as many as they need.
Result<void> check_seats(std::span<const JobPart> jobs, std::uint32_t ranks) {
  std::vector<const JobPart*> taken(ranks);
  for (const JobPart& job : jobs) {
    const std::string where = fmt::format("job {}", job.name);
    if (job.ranks.size() != job.workload->rank_count())
      return fail(Errc::usage, where,
                  fmt::format("is of {} ranks and has {} of the machine",
                              job.workload->rank_count(), job.ranks.size()));
    if (!job.workload->custom_collectives.empty())
      return fail(Errc::input_unsupported, where,
                  "its collectives are given as traces, one for each rank of the machine",
                  "name algorithms instead");
    for (const std::uint32_t rank : job.ranks) {
      if (rank >= ranks)
        return fail(Errc::usage, where,
                    fmt::format("there is no rank {}: the machine has {}", rank, ranks));
      if (taken[rank] != nullptr)
        return fail(Errc::usage, where,
                    fmt::format("rank {} is taken by job {}", rank, taken[rank]->name),
                    "give every job ranks of its own");
      taken[rank] = &job;
    }
  }
  return {};
}

}  // namespace

Result<Workload> merge_jobs(std::span<const JobPart> jobs, std::uint32_t ranks,
                            Findings& findings) {
  if (auto fine = check_seats(jobs, ranks); !fine) return tl::unexpected(fine.error());
  Workload made;
  auto nothing =
      GraphBuilder("spare rank", std::make_shared<StringPool>(), Repair::refuse).finish(findings);
  if (!nothing) return tl::unexpected(nothing.error());
  made.graphs.push_back(std::make_shared<const Graph>(*std::move(nothing)));
  made.graph_of_rank.assign(ranks, 0);
  made.files.assign(ranks, "a rank without a job");
  made.job_of_rank.assign(ranks, static_cast<std::uint32_t>(jobs.size()));  // … and spare ranks
  for (std::uint32_t number = 0; number < jobs.size(); ++number) {
    const JobPart& job = jobs[number];
    if (auto fine = Seated(job, made, findings).add(); !fine) return tl::unexpected(fine.error());
    for (const std::uint32_t rank : job.ranks) made.job_of_rank[rank] = number;
  }
  return made;
}

}  // namespace orrery::graph
