// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/algorithm_choice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "orrery/model/collective/switch_arithmetic.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/fabric/fabric_hosts.h"
#include "orrery/sim/collectives/plans/nearest_form.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/engine/state/policy.h"
#include "orrery/study/collectives/algorithms/algorithm_candidates.h"
#include "orrery/study/collectives/algorithms/single_collective.h"

namespace orrery::study {

using graph::CollectiveType;
using platform::Platform;

namespace {

/// Collectives for which one choice is made.
struct CollectiveKind {
  graph::Collective collective;  ///< in the form that the simulator runs
  std::vector<std::uint32_t> span;
  std::uint32_t members = 0;
  std::set<std::uint32_t> communicators;
  std::set<graph::Format> numbers;  ///< number formats, if they matter
};
using KindKey = std::tuple<CollectiveType, std::int64_t, std::uint32_t, std::vector<std::uint32_t>>;

/// Plan of one of the four types with algorithms.
platform::CollectivePlan& plan_of(Platform& platform, CollectiveType type) {
  return *platform.collectives.plan(type);
}

class KindFinder {
 public:
  KindFinder(const Platform& platform, const graph::Workload& workload)
      : platform_(platform),
        workload_(workload),
        policy_(sim::Policy::of(platform.rules)),
        numbers_matter_(model::SwitchArithmetic(platform).is_limited()),
        uses_(workload.graphs.size()) {}

  Result<void> run() {
    if (auto made = communicators_.make(workload_, platform_.rules); !made) return made;
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const std::uint32_t number = workload_.graph_of_rank[rank];
      const graph::Graph& graph = *workload_.graphs[number];
      if (!uses_[number]) uses_[number] = uses_of(graph);
      for (const graph::Collective& one : *uses_[number]) add(rank, graph, one);
    }
    return {};
  }
  std::map<KindKey, CollectiveKind>& kinds() { return kinds_; }
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(std::uint32_t communicator) const {
    const sim::Communicator& group = communicators_[communicator];
    if (!group.ranks.empty()) return group.ascending();
    std::vector<std::uint32_t> all(workload_.rank_count());
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) all[rank] = rank;
    return all;
  }

 private:
  [[nodiscard]] std::vector<graph::Collective> uses_of(const graph::Graph& graph) const {
    std::map<std::tuple<CollectiveType, std::int64_t, StringId, graph::Format>, graph::Collective>
        found;
    for (graph::NodeId node = 0; node < graph.size(); ++node) {
      if (graph.kind(node) != graph::NodeKind::coll || graph.has(node, graph::kHasDims) ||
          !graph.has(node, graph::kHasCommType) || !graph.has(node, graph::kHasCommSize) ||
          platform_.collectives.custom_by_node.contains(graph.id(node)))
        continue;
      graph::Collective one = graph.collective(node);
      if (!numbers_matter_) one.format = graph::Format::unsaid;
      const platform::CollectivePlan* plan = platform_.collectives.plan(one.type);
      if (one.type == CollectiveType::unknown || (plan != nullptr && !plan->custom_prefix.empty() &&
                                                  plan->custom_prefix != platform::kRings))
        continue;
      found.try_emplace({one.type, one.size.count(), one.group, one.format}, one);
    }
    std::vector<graph::Collective> all;
    for (auto& [key, one] : found) all.push_back(one);
    return all;
  }
  void add(std::uint32_t rank, const graph::Graph& graph, graph::Collective one) {
    const std::string_view name = graph.string(one.group);
    const std::uint32_t number = policy_.means_all(name) ? 0 : communicators_.find(name, rank);
    if (number == sim::Communicators::kUnknown || number == sim::Communicators::kOutside) return;
    const std::uint32_t members = communicators_[number].ranks.empty()
                                      ? workload_.rank_count()
                                      : communicators_[number].members;
    if (members < 2) return;
    if (platform_.collectives.plan(one.type) == nullptr) {
      const auto [type, size] = sim::nearest_form(one.type, one.size.count(), members);
      one.type = type;
      one.size = Bytes(size);
    }
    auto span = spans_.find(number);
    if (span == spans_.end())
      span = spans_.emplace(number, spans_of(platform_, ranks_of(number))).first;
    CollectiveKind& kind = kinds_[{one.type, one.size.count(), members, span->second}];
    if (kind.communicators.empty()) {
      kind.collective = one;
      kind.span = span->second;
      kind.members = members;
    }
    kind.communicators.insert(number);
    kind.numbers.insert(one.format);
  }

  const Platform& platform_;
  const graph::Workload& workload_;
  sim::Policy policy_;
  bool numbers_matter_;
  sim::Communicators communicators_;
  std::vector<std::optional<std::vector<graph::Collective>>> uses_;  // by graph: distinct ones
  std::map<std::uint32_t, std::vector<std::uint32_t>> spans_;        // by communicator
  std::map<KindKey, CollectiveKind> kinds_;
};

/// Groups of the kind that share no ranks with each other.
std::vector<std::vector<std::uint32_t>> groups_apart(const KindFinder& finder,
                                                     const CollectiveKind& kind,
                                                     std::uint32_t ranks) {
  std::vector<bool> taken(ranks);
  std::vector<std::vector<std::uint32_t>> groups;
  for (const std::uint32_t communicator : kind.communicators) {
    std::vector<std::uint32_t> group = finder.ranks_of(communicator);
    if (std::any_of(group.begin(), group.end(), [&](std::uint32_t rank) { return taken[rank]; }))
      continue;
    for (const std::uint32_t rank : group) taken[rank] = true;
    groups.push_back(std::move(group));
  }
  return groups;
}

struct TriedAlgorithm {
  std::string words;
  Time time{};
  std::vector<platform::AlgorithmSpec> algorithms;
  std::string custom_prefix;  ///< platform::kRings for the rings of unequal hosts; else empty
};

/// Tries all algorithms for the groups of a kind.
class AlgorithmTrial {
 public:
  AlgorithmTrial(const Platform& platform, const CollectiveKind& kind,
                 const std::vector<std::vector<std::uint32_t>>& groups)
      : platform_(platform), kind_(kind), groups_(groups) {}

  [[nodiscard]] std::vector<TriedAlgorithm> run() const {
    std::vector<TriedAlgorithm> all;
    const auto ranks = static_cast<std::uint32_t>(platform_.npu_count());
    std::vector<graph::Workload> works;
    for (const graph::Format numbers : kind_.numbers) {
      graph::Collective one = kind_.collective;
      one.format = numbers;
      works.push_back(concurrent_collectives(one, groups_, ranks));
    }
    for (const std::string& words :
         algorithm_candidates(platform_, kind_.collective.type, groups_.front())) {
      Platform platform = platform_;
      if (platform::use_algorithms(platform, words)) attempt(words, works, platform, all);
    }
    // The algorithms of the cluster file may be faster, or limit the number of concurrent peers,
    // which no candidate does.
    attempt(std::string(kFileAlgorithm), works, platform_, all);
    std::stable_sort(all.begin(), all.end(), [](const TriedAlgorithm& a, const TriedAlgorithm& b) {
      return a.time < b.time;
    });
    return all;
  }
  /// Simulates one rank for all equivalent ones; the result is the same.
  [[nodiscard]] static sim::Options folded() {
    sim::Options options;
    options.fold = true;
    return options;
  }
  /// Time of the collective with one byte per rank.
  [[nodiscard]] Time latency(const TriedAlgorithm& one) const {
    graph::Collective small = kind_.collective;
    small.size = Bytes(small.type == CollectiveType::all_gather ? 1 : kind_.members);
    const auto ranks = static_cast<std::uint32_t>(platform_.npu_count());
    Platform platform = platform_;
    platform::CollectivePlan& plan = plan_of(platform, kind_.collective.type);
    plan.per_dim = one.algorithms;
    plan.custom_prefix = one.custom_prefix;
    const auto made =
        simulate_collectives(concurrent_collectives(small, groups_, ranks), platform, folded());
    return made ? made->end : Time{};
  }

 private:
  /// Simulates one candidate; its time is that of the slowest number format. Drops it if it reduces
  /// in switches and these support none of the formats.
  void attempt(const std::string& words, const std::vector<graph::Workload>& works,
               const Platform& platform, std::vector<TriedAlgorithm>& all) const {
    TriedAlgorithm tried{words, {}, {}, {}};
    bool added = !uses_switch_reduction(words);
    for (const graph::Workload& work : works) {
      const auto made = simulate_collectives(work, platform, folded());
      if (!made) return;
      tried.time = std::max(tried.time, made->end);
      added |= made->findings.count(FindingCode::collective_not_added) == 0;
    }
    if (!added) return;
    const platform::CollectivePlan& plan = *platform.collectives.plan(kind_.collective.type);
    tried.algorithms = plan.per_dim;
    tried.custom_prefix = plan.custom_prefix;
    all.push_back(std::move(tried));
  }

  const Platform& platform_;
  const CollectiveKind& kind_;
  const std::vector<std::vector<std::uint32_t>>& groups_;
};

void compare_with_next(const AlgorithmTrial& trial, const TriedAlgorithm& first,
                       const TriedAlgorithm& next, AlgorithmChoice& one) {
  one.next = next.words;
  one.next_time = next.time;
  const Time latency = trial.latency(first), others = trial.latency(next);
  one.more_latency = latency < others;
  one.more_bytes = first.time - latency < next.time - others;
}

/// Rings of unequal hosts are chosen for a size in all groups or in none. Where a group would keep
/// them, and another would not, both keep them.
class RingSizes {
 public:
  void add(const CollectiveKind& kind, const std::vector<TriedAlgorithm>& tried) {
    const graph::Collective& one = kind.collective;
    const auto files = std::find_if(tried.begin(), tried.end(), [](const TriedAlgorithm& each) {
      return each.words == kFileAlgorithm;
    });
    kinds_.push_back({one.type, one.size, files == tried.end() ? Time{} : files->time});
    if (!tried.empty() && tried.front().custom_prefix == platform::kRings)
      kept_.emplace(one.type, one.size.count());
  }
  /// Removes other choices for these sizes; `answer` is in the order of add().
  void apply(Platform& platform, std::vector<AlgorithmChoice>& answer) const {
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const auto& [type, size, time] = kinds_[i];
      AlgorithmChoice& one = answer[i];
      if (!kept_.contains({type, size.count()}) || one.algorithm == kFileAlgorithm ||
          one.algorithm.empty())
        continue;
      one.algorithm = kFileAlgorithm;
      one.time = time;
      one.next.clear();
      std::erase_if(plan_of(platform, type).chosen,
                    [size = size](const auto& chosen) { return chosen.size == size; });
    }
  }

 private:
  std::set<std::pair<CollectiveType, std::int64_t>> kept_;
  std::vector<std::tuple<CollectiveType, Bytes, Time>> kinds_;
};

}  // namespace

std::string AlgorithmChoice::brief(const std::string& words) const {
  std::string text;
  std::size_t begin = 0;
  for (std::size_t d = 0; begin <= words.size(); ++d) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const bool alone = d == 0 && end == words.size();
    if (alone || (d < span.size() && span[d] > 1))
      text += (text.empty() ? "" : ",") + words.substr(begin, end - begin);
    begin = end + 1;
  }
  return text;
}

Result<std::vector<AlgorithmChoice>> choose_algorithms(Platform& platform,
                                                       const graph::Workload& workload) {
  KindFinder finder(platform, workload);
  if (auto found = finder.run(); !found) return tl::unexpected(found.error());
  for (const CollectiveType type : {CollectiveType::all_reduce, CollectiveType::all_gather,
                                    CollectiveType::reduce_scatter, CollectiveType::all_to_all})
    plan_of(platform, type).chosen.clear();
  Platform stage = platform;
  if (stage.network == platform::NetworkModelKind::analytical &&
      platform::has_room_for_flows(stage))
    stage.network = platform::NetworkModelKind::flow;
  std::vector<AlgorithmChoice> answer;
  RingSizes rings;
  for (const auto& [key, kind] : finder.kinds()) {
    const auto groups =
        groups_apart(finder, kind, static_cast<std::uint32_t>(platform.npu_count()));
    const AlgorithmTrial trial(stage, kind, groups);
    const std::vector<TriedAlgorithm> tried = trial.run();
    AlgorithmChoice& one = answer.emplace_back();
    one.type = kind.collective.type;
    one.whole = graph::full_buffer(one.type, kind.collective.size, kind.members);
    one.members = kind.members;
    one.groups = static_cast<std::uint32_t>(groups.size());
    one.span = kind.span;
    rings.add(kind, tried);
    if (tried.empty()) continue;
    one.algorithm = tried.front().words;
    one.time = tried.front().time;
    const auto next = std::find_if(tried.begin(), tried.end(), [&](const TriedAlgorithm& other) {
      return other.time > one.time;
    });
    if (next != tried.end()) compare_with_next(trial, tried.front(), *next, one);
    if (tried.front().custom_prefix != platform::kRings)
      plan_of(platform, one.type)
          .chosen.push_back(
              {kind.span, kind.members, kind.collective.size, tried.front().algorithms});
  }
  rings.apply(platform, answer);
  return answer;
}

}  // namespace orrery::study
