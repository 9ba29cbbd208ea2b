// SPDX-License-Identifier: Apache-2.0
//
// Random workloads: what folding says against what every rank does when all are simulated, and
// against the definition of a stable partition, node by node.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "orrery/sim/shortcuts/folding/folding_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using platform::Algorithm;
using platform::Block;
using platform::Rules;
using testing::Rank;

int among(int first, int last) { return *rc::gen::inRange(first, last + 1); }

platform::Platform random_platform(std::int64_t inner, std::int64_t outer) {
  constexpr Block kBlocks[] = {Block::ring, Block::fully_connected, Block::switched};
  constexpr Algorithm kAlgorithms[] = {Algorithm::ring, Algorithm::direct,
                                       Algorithm::halving_doubling, Algorithm::double_binary_tree};
  platform::Platform made = testing::grid(inner, outer, kBlocks[among(0, 2)]);
  made.dims[1].block = kBlocks[among(0, 2)];
  made.rules = among(0, 2) == 0 ? Rules::astra : Rules::orrery;
  auto& config = made.collectives;
  for (std::size_t d = 0; d < 2; ++d) {
    const int most = std::has_single_bit(static_cast<std::uint64_t>(made.dims[d].size)) ? 3 : 1;
    config.all_reduce.per_dim[d].algorithm = kAlgorithms[among(0, most)];
    config.all_gather.per_dim[d].algorithm = kAlgorithms[among(0, std::min(most, 2))];
  }
  config.splits = among(1, 2);
  config.queues_per_dim = among(1, 2);
  config.rendezvous = among(0, 3) == 0;
  const auto ranks = static_cast<std::uint32_t>(inner * outer);
  if (among(0, 1) == 0) return made;
  platform::Deviation odd;  // every so many ranks
  const std::uint32_t every = 1u << among(0, 3);
  for (auto r = static_cast<std::uint32_t>(among(0, 3)); r < ranks; r += every)
    odd.ranks.push_back(r);
  if (among(0, 1) == 0) odd.compute_time = 1.5;
  if (among(0, 1) == 0) odd.start = us(3);
  if (among(0, 1) == 0) odd.ports = {{.dim = 1, .bandwidth = 0.5, .latency_ns = 10}};
  made.deviations.push_back(odd);
  return made;
}

struct Step {
  int what = 0;  // compute, message, collective
  int a = 0, b = 0;
  bool chained = true;
};

// All ranks take the same steps: compute (longer for some), send to the rank `a` further on, a
// collective in one of the groups.
graph::Workload random_workload(std::uint32_t inner, std::uint32_t outer) {
  const std::uint32_t ranks = inner * outer;
  std::vector<Step> steps(static_cast<std::size_t>(among(1, 6)));
  for (Step& step : steps) step = {among(0, 2), among(0, 4), among(0, 3), among(0, 2) != 0};
  const char* const groups[] = {"", "rows", "columns", "halves", "rows again"};
  std::vector<Rank> all(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    Rank& rank = all[r];
    testing::Deps before;
    for (const Step& step : steps) {
      const testing::Deps deps = step.chained ? before : testing::Deps{};
      if (step.what == 0) {
        before = {rank.comp(us(r >> step.b & 1 && step.a > 2 ? 2 : 1), deps)};
      } else if (step.what == 1) {
        const std::uint32_t distance = 1 + static_cast<std::uint32_t>(step.a);
        const bool wide = r < ranks / 2 && step.b == 3;  // half of them receive first
        const auto to = static_cast<std::int32_t>((r + distance) % ranks);
        const auto from = static_cast<std::int32_t>((r + ranks * 8 - distance) % ranks);
        if (wide) before = {rank.recv(from, 1'000, 0, deps)};
        const auto sent = rank.send(to, 1'000, 0, deps);
        if (!wide) before = {rank.recv(from, 1'000, 0, {sent})};
      } else {
        before = {rank.coll(step.b == 0 ? CollectiveType::all_gather : CollectiveType::all_reduce,
                            10'000, deps, groups[step.a])};
      }
    }
  }
  graph::Workload made = testing::workload(all);
  for (const char* name : {"rows", "rows again"}) made.axes[name] = {name, {{1, inner}}};
  made.axes["columns"] = {"columns", {{inner, outer}}};
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (r % 2 == 0 || ranks % 2 != 0) made.groups["halves"].ranks.push_back(r);
  for (std::uint32_t r = 1; r < ranks && ranks % 2 == 0; r += 2)
    made.groups["halves"].ranks.push_back(r);
  return made;
}

struct Case {
  graph::Workload workload;
  platform::Platform platform;
};

Case random_case() {
  const auto inner = static_cast<std::uint32_t>(among(2, 5));
  const auto outer = static_cast<std::uint32_t>(among(2, 4));
  Case made{random_workload(inner, outer), random_platform(inner, outer)};
  return made;
}

// What a rank has around it at one node, by the engine's own terms.
class Surroundings {
 public:
  Surroundings(const Case& given, const Folding& folding)
      : workload_(given.workload),
        platform_(given.platform),
        folding_(folding),
        fabric_(platform_),
        network_(model::make_network(platform_)),
        planner_(platform_, fabric_, *network_) {
    ORRERY_CHECK(communicators_.make(workload_, platform_.rules).has_value());
  }

  std::vector<std::int64_t> of(std::uint32_t rank, graph::NodeId node) {
    const graph::Graph& graph = workload_.graph(rank);
    seen_ = {static_cast<std::int64_t>(graph.kind(node)), graph.duration(node).count()};
    if (graph.kind(node) == NodeKind::send)
      add(rank, static_cast<std::uint32_t>(graph.message(node, rank).dst));
    if (graph.kind(node) == NodeKind::recv)
      add(rank, static_cast<std::uint32_t>(graph.message(node, rank).src));
    if (graph.kind(node) == NodeKind::coll) add_collective(rank, graph.collective(node), graph);
    return seen_;
  }

 private:
  void add(std::uint32_t rank, std::uint32_t peer) {
    seen_.push_back(folding_.class_of[peer]);
    for (const std::int64_t size : {1, 1'000'000}) {
      seen_.push_back(fabric_.delay(rank, peer, size));
      seen_.push_back(fabric_.delay(peer, rank, size));
    }
  }
  void add_collective(std::uint32_t rank, const graph::Collective& collective,
                      const graph::Graph& graph) {
    const std::uint32_t number = [&] {
      const auto name = graph.string(collective.group);
      return name.empty() ? 0 : communicators_.find(name, rank);
    }();
    const Communicator& group = communicators_[number];
    seen_.push_back(folding_.representative_group[number]);
    const auto topology =
        planner_.topology(collective.type, number, group, ~0u, collective.size.count());
    RC_ASSERT(topology.has_value());
    const std::uint32_t member = group.member(rank);
    for (const model::LogicalDim& dim : planner_.topology(*topology).dims) {
      const std::uint32_t position = dim.ring.position(member);
      const Algorithm algorithm = dim.algorithm.algorithm;
      for (std::uint32_t offset = 1; offset < dim.ring.size; ++offset) {
        const bool next = offset == 1 || offset + 1 == dim.ring.size;
        const std::uint32_t other = dim.ring.clockwise(member, position, offset);
        const std::uint32_t turn = position ^ dim.ring.position(other);
        if (algorithm == Algorithm::ring && !next) continue;
        if (algorithm == Algorithm::halving_doubling && !std::has_single_bit(turn)) continue;
        if (algorithm == Algorithm::halving_doubling) seen_.push_back(turn);
        add(rank, group.ranks.empty() ? other : group.ranks[other]);
      }
    }
    // Partners in the order of their distance, not of their place.
    seen_.push_back(group.members);
  }

  const graph::Workload& workload_;
  const platform::Platform& platform_;
  const Folding& folding_;
  model::MultiDimFabric fabric_;
  std::unique_ptr<model::Network> network_;
  Communicators communicators_;
  CollectivePlanner planner_;
  std::vector<std::int64_t> seen_;
};

RC_GTEST_PROP(FoldingProperty, RanksOfOneClassDoTheSame, ()) {
  const Case given = random_case();
  const Folding folding = testing::folded(given.workload, given.platform);
  Options options;
  options.fold = false;
  options.closed_forms = false;
  options.skip_repeats = false;
  const auto run = simulate(given.workload, given.platform, options);
  RC_PRE(run.has_value());
  RC_TAG(folding.classes() < given.workload.rank_count());
  for (std::uint32_t r = 0; r < given.workload.rank_count(); ++r) {
    const std::uint32_t stands_for = folding.representative[folding.class_of[r]];
    RC_ASSERT(run->ranks[r] == run->ranks[stands_for]);
  }
}

RC_GTEST_PROP(FoldingProperty, ClassesAreNumberedByTheirLowestRank, ()) {
  const Case given = random_case();
  const Folding folding = testing::folded(given.workload, given.platform);
  std::vector<std::uint32_t> members(folding.classes());
  std::uint32_t known = 0;
  for (std::uint32_t r = 0; r < folding.class_of.size(); ++r) {
    RC_ASSERT(folding.class_of[r] <= known);
    if (folding.class_of[r] == known) RC_ASSERT(folding.representative[known++] == r);
    ++members[folding.class_of[r]];
  }
  RC_ASSERT(folding.members == members);
  RC_ASSERT(known == folding.classes());
  for (std::uint32_t c = 0; c < folding.representative_group.size(); ++c) {
    RC_ASSERT(folding.representative_group[c] <= c);
    RC_ASSERT(folding.representative_group[folding.representative_group[c]] ==
              folding.representative_group[c]);
  }
}

RC_GTEST_PROP(FoldingProperty, NothingAroundThemTellsRanksOfAClassApart, ()) {
  const Case given = random_case();
  const Folding folding = testing::folded(given.workload, given.platform);
  Surroundings surroundings(given, folding);
  for (std::uint32_t r = 0; r < given.workload.rank_count(); ++r) {
    const std::uint32_t stands_for = folding.representative[folding.class_of[r]];
    RC_ASSERT(given.workload.graph(r).size() == given.workload.graph(stands_for).size());
    for (graph::NodeId n = 0; n < given.workload.graph(r).size(); ++n) {
      auto mine = surroundings.of(r, n);
      auto its = surroundings.of(stands_for, n);
      // Halving-doubling lists partners by place: here only which there are.
      std::sort(mine.begin(), mine.end());
      std::sort(its.begin(), its.end());
      RC_ASSERT(mine == its);
    }
  }
}

}  // namespace
}  // namespace orrery::sim
