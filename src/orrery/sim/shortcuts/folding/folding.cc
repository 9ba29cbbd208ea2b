// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/folding.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/sim/engine/state/network_memories.h"
#include "orrery/sim/engine/state/rank_deviations.h"
#include "orrery/sim/shortcuts/folding/link_classes.h"
#include "orrery/sim/shortcuts/folding/rank_groups.h"
#include "orrery/sim/shortcuts/folding/rank_partition.h"
#include "orrery/sim/shortcuts/shortcut_rules.h"

namespace orrery::sim {

namespace {

constexpr std::uint64_t kOnlyOne = ~std::uint64_t{0};     // no other rank is like it
constexpr std::uint64_t kNoRank = ~std::uint64_t{0} - 1;  // a peer that there is not

/// What never changes about ranks.
class Standing {
 public:
  Standing(const graph::Workload& workload, const platform::Platform& platform,
           const model::Network& network, const GraphShapes& shapes, RankGroups& groups)
      : workload_(workload),
        memory_(platform.remote_memory),
        network_(network),
        shapes_(shapes),
        groups_(groups),
        deviations_(platform) {}

  [[nodiscard]] RankPartition classes() {
    WordInterner classes;
    std::vector<std::uint32_t> class_of(workload_.rank_count());
    for (std::uint32_t rank = 0; rank < class_of.size(); ++rank) {
      const std::uint32_t graph = workload_.graph_of_rank[rank];
      words_.assign(1, shapes_.of(graph));
      words_.push_back(pack_pair(deviations_.class_of(rank), network_.place(rank)));
      const bool comparable = groups_.add_invariants(rank, words_) && means_itself(graph, rank);
      if (comparable) {
        add_peers(graph, rank);
        if (accesses_network(memory_, shapes_, graph)) add_memories(rank);
      } else {
        words_.assign({kOnlyOne, rank});
      }
      class_of[rank] = classes.number(words_);
    }
    return {std::move(class_of), classes.size()};
  }

 private:
  // Otherwise the run will fail when it comes to the message.
  [[nodiscard]] bool means_itself(std::uint32_t graph, std::uint32_t rank) const {
    const auto selves = shapes_.selves(graph);
    return std::all_of(selves.begin(), selves.end(),
                       [&](const Peer& self) { return self.of(rank) == rank; });
  }

  // How far each peer is, and which of its peers this rank is to it: the message that one sends
  // there is the one that the other expects from here.
  void add_peers(std::uint32_t graph, std::uint32_t rank) {
    for (const Peer& named : shapes_.peers(graph)) {
      const std::int64_t peer = named.of(rank);
      if (peer < 0 || peer >= std::int64_t{workload_.rank_count()}) {
        words_.push_back(kNoRank);
        continue;
      }
      const auto other = static_cast<std::uint32_t>(peer);
      const std::uint32_t mutual = shapes_.find_peer(workload_.graph_of_rank[other], other, rank);
      words_.push_back(pack_pair(mutual, network_.colour(rank, other)));
      words_.push_back(groups_.distances().uncounted(rank, other) ? 1 : 0);
      if (shapes_.mixed(graph)) words_.push_back(shapes_.find_peer(graph, rank, other));
    }
  }

  // How many memories of the network it uses, and how far they are.
  void add_memories(std::uint32_t rank) {
    const auto memories = memories_of(memory_, network_, rank);
    words_.push_back(memories.size());
    for (const model::EndPoint memory : memories)
      words_.push_back(pack_pair(network_.colour(memory, rank), network_.colour(rank, memory)));
  }

  const graph::Workload& workload_;
  const platform::RemoteMemory& memory_;
  const model::Network& network_;
  const GraphShapes& shapes_;
  RankGroups& groups_;
  RankDeviations deviations_;
  std::vector<std::uint64_t> words_;
};

/// Splits classes until nothing that a rank has around it tells two ranks of a class apart. All
/// ranks are looked at first and last, between only those around whom something has changed.
class Refinement {
 public:
  /// `links`: null: every rank has links of its own.
  Refinement(const graph::Workload& workload, const GraphShapes& shapes, RankGroups& groups,
             LinkClasses* links, RankPartition partition)
      : workload_(workload),
        shapes_(shapes),
        groups_(groups),
        links_(links),
        partition_(std::move(partition)),
        is_dirty_(workload.rank_count()) {}

  // Messages first: they tell the stages of a pipeline apart, and cost least.
  void run() {
    if (shapes_.any_peers()) {
      judge_all(nullptr);
      follow(nullptr);
    }
    while (!discrete()) {
      groups_.begin_full_round(partition_.class_of());
      if (links_ != nullptr) links_->look(partition_);
      judge_all(&RankGroups::add_all);
      if (changed_.empty() && !groups_.set_apart(representatives())) return;
      follow(&RankGroups::add_neighbours);
    }
  }

  [[nodiscard]] bool discrete() const { return partition_.classes() == workload_.rank_count(); }
  [[nodiscard]] const RankPartition& partition() const { return partition_; }

 private:
  /// Appends what a rank has around it in its groups; null: nothing.
  using AddAround = void (RankGroups::*)(std::uint32_t, std::vector<std::uint64_t>&);

  [[nodiscard]] std::vector<std::uint32_t> representatives() const {
    std::vector<std::uint32_t> made;
    for (std::uint32_t one = 0; one < partition_.classes(); ++one)
      made.push_back(partition_.members(one).front());
    return made;
  }

  void judge_all(AddAround add_around) {
    WordInterner parts;
    verdicts_.clear();
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank)
      judge(rank, parts, add_around);
    changed_.clear();
    if (parts.size() > partition_.classes()) partition_.split(verdicts_, changed_);
  }

  // Until nothing changes any more.
  void follow(AddAround add_around) {
    while (!changed_.empty() && !discrete()) {
      find_dirty(add_around);
      groups_.begin_round();
      WordInterner parts;
      verdicts_.clear();
      for (const std::uint32_t rank : dirty_) judge(rank, parts, add_around);
      changed_.clear();
      partition_.split(verdicts_, changed_);
    }
  }

  void judge(std::uint32_t rank, WordInterner& parts, AddAround add_around) {
    const std::uint32_t one = partition_.class_of()[rank];
    words_.assign(1, one);
    each_peer(rank, [&](std::uint32_t peer) { words_.push_back(partition_.class_of()[peer]); });
    if (add_around != nullptr) (groups_.*add_around)(rank, words_);
    if (links_ != nullptr && add_around == &RankGroups::add_all) links_->add(rank, words_);
    verdicts_.push_back({one, parts.number(words_), rank});
  }

  template <class Tell>
  void each_peer(std::uint32_t rank, Tell tell) const {
    for (const Peer& named : shapes_.peers(workload_.graph_of_rank[rank])) {
      const std::int64_t peer = named.of(rank);
      if (peer >= 0 && peer < std::int64_t{workload_.rank_count()})
        tell(static_cast<std::uint32_t>(peer));
    }
  }

  // Ranks that have a rank around them whose class has a new number.
  void find_dirty(AddAround add_around) {
    if (first_sender_.empty()) find_who_names_whom();
    dirty_.clear();
    for (const std::uint32_t rank : changed_) {
      dirty_.insert(dirty_.end(), named_by_.begin() + first_sender_[rank],
                    named_by_.begin() + first_sender_[rank + 1]);
      if (add_around != nullptr) groups_.add_viewers(rank, dirty_);
    }
    std::size_t retained = 0;
    for (const std::uint32_t rank : dirty_) {
      if (is_dirty_[rank]) continue;
      is_dirty_[rank] = true;
      dirty_[retained++] = rank;
    }
    dirty_.resize(retained);
    for (const std::uint32_t rank : dirty_) is_dirty_[rank] = false;
  }

  void find_who_names_whom() {
    const std::uint32_t ranks = workload_.rank_count();
    first_sender_.assign(ranks + std::size_t{1}, 0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      each_peer(rank, [&](std::uint32_t peer) { ++first_sender_[peer]; });
    std::ptrdiff_t sum = 0;
    for (std::ptrdiff_t& first : first_sender_) first = sum += first;
    named_by_.resize(static_cast<std::size_t>(sum));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      each_peer(rank, [&](std::uint32_t peer) {
        named_by_[static_cast<std::size_t>(--first_sender_[peer])] = rank;
      });
    }
  }

  const graph::Workload& workload_;
  const GraphShapes& shapes_;
  RankGroups& groups_;
  LinkClasses* links_;
  RankPartition partition_;
  std::vector<RankPartition::SplitDecision> verdicts_;
  std::vector<std::uint32_t> changed_, dirty_;
  std::vector<bool> is_dirty_;                // by rank
  std::vector<std::ptrdiff_t> first_sender_;  // by rank
  std::vector<std::uint32_t> named_by_;
  std::vector<std::uint64_t> words_;
};

// Classes are numbered by their lowest rank.
void number_classes(const RankPartition& partition, Folding& made) {
  std::vector<std::uint32_t> number(partition.classes(), kNone);
  for (std::uint32_t rank = 0; rank < partition.class_of().size(); ++rank) {
    std::uint32_t& one = number[partition.class_of()[rank]];
    if (one == kNone) {
      one = static_cast<std::uint32_t>(made.representative.size());
      made.representative.push_back(rank);
      made.members.push_back(0);
    }
    made.class_of.push_back(one);
    ++made.members[one];
  }
}

// The receiver of a class waits for a message from another rank than its representative: from the
// one in the same place of its own list of peers. A receiver that never mentions the sender will
// never ask: then the sender's number is moved out of the way of all others.
void add_routes(const graph::Workload& workload, const GraphShapes& shapes, Folding& made) {
  for (const std::uint32_t rank : made.representative) {
    made.first_route.push_back(made.routes.size());
    for (const Peer& named : shapes.peers(workload.graph_of_rank[rank])) {
      const std::int64_t number = named.of(rank);
      if (number < 0 || number >= std::int64_t{workload.rank_count()}) continue;
      const auto peer = static_cast<std::uint32_t>(number);
      const std::uint32_t receiver = made.representative[made.class_of[peer]];
      const std::uint32_t graph = workload.graph_of_rank[receiver];
      const std::uint32_t place = shapes.find_peer(workload.graph_of_rank[peer], peer, rank);
      const std::uint32_t src =
          peer == receiver ? rank
          : place == kNone ? rank + workload.rank_count()
                           : static_cast<std::uint32_t>(shapes.peers(graph)[place].of(receiver));
      made.routes.push_back({peer, src, receiver});
    }
    std::sort(made.routes.begin() + static_cast<std::ptrdiff_t>(made.first_route.back()),
              made.routes.end(),
              [](const FoldedRoute& a, const FoldedRoute& b) { return a.peer < b.peer; });
  }
  made.first_route.push_back(made.routes.size());
}

}  // namespace

Folding unfolded(std::uint32_t ranks, const Communicators& communicators, std::string why_not) {
  Folding made;
  made.class_of.resize(ranks);
  std::iota(made.class_of.begin(), made.class_of.end(), 0u);
  made.representative = made.class_of;
  made.members.assign(ranks, 1);
  made.representative_group.resize(communicators.all().size());
  std::iota(made.representative_group.begin(), made.representative_group.end(), 0u);
  made.why_not = std::move(why_not);
  return made;
}

Result<Folding> fold(const graph::Workload& workload, const platform::Platform& platform,
                     const model::MultiDimFabric& fabric, const model::Network& network,
                     const Communicators& communicators, CollectivePlanner& planner) {
  const std::uint32_t ranks = workload.rank_count();
  if (std::string why = why_not_fold(workload, platform, network.traits()); !why.empty())
    return unfolded(ranks, communicators, std::move(why));
  if (network.uniform()) {
    if (auto plain = fold_uniform(workload, platform, communicators)) return *std::move(plain);
  }
  const GraphShapes shapes(workload, platform, communicators);
  if (shapes.count() == ranks) return unfolded(ranks, communicators, {});
  RankGroups groups(workload, platform, fabric, network, communicators, planner, shapes);
  RankPartition standing = Standing(workload, platform, network, shapes, groups).classes();
  std::optional<LinkClasses> links;
  if (standing.classes() == ranks) return unfolded(ranks, communicators, {});
  if (network.shares_links()) {
    links.emplace(workload, platform.remote_memory, network, shapes, groups);
    if (!links->why_not().empty()) return unfolded(ranks, communicators, links->why_not());
  }
  Refinement refinement(workload, shapes, groups, links ? &*links : nullptr, std::move(standing));
  refinement.run();
  if (refinement.discrete()) return unfolded(ranks, communicators, {});
  Folding made;
  number_classes(refinement.partition(), made);
  made.representative_group = groups.equivalent();
  if (links) made.links = links->equivalent();
  add_routes(workload, shapes, made);
  return made;
}

using graph::NodeKind;

namespace {

// One ring across several dimensions has places unlike others.
bool turn_freely(std::span<const platform::AlgorithmSpec> algorithms) {
  return std::all_of(algorithms.begin(), algorithms.end(), [](const auto& one) {
    return !one.joined && model::algorithm_of(one).is_rotation_invariant();
  });
}
bool is_rotation_invariant(const platform::CollectivePlan& plan) {
  return plan.custom_prefix.empty() && turn_freely(plan.per_dim) &&
         std::all_of(plan.chosen.begin(), plan.chosen.end(),
                     [](const auto& one) { return turn_freely(one.per_dim); });
}

// Everything that the graph names is all ranks at once.
bool names_nobody(const graph::Graph& graph) {
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    const NodeKind kind = graph.kind(node);
    if (kind == NodeKind::send || kind == NodeKind::recv) return false;
    if (kind == NodeKind::coll && graph.collective(node).group != StringId::empty) return false;
  }
  return true;
}

}  // namespace

std::optional<Folding> fold_uniform(const graph::Workload& workload,
                                    const platform::Platform& platform,
                                    const Communicators& communicators) {
  const bool plain = workload.graphs.size() == 1 && platform.deviations.empty() &&
                     names_nobody(*workload.graphs.front());
  const platform::CollectiveConfig& config = platform.collectives;
  if (!plain || !config.custom_by_node.empty()) return std::nullopt;
  for (const auto* plan : config.plans()) {
    if (!is_rotation_invariant(*plan)) return std::nullopt;
  }
  Folding made;
  made.class_of.assign(workload.rank_count(), 0);
  made.representative = {0};
  made.members = {workload.rank_count()};
  made.representative_group.resize(communicators.all().size());
  std::iota(made.representative_group.begin(), made.representative_group.end(), 0u);
  return made;
}

}  // namespace orrery::sim
