// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/folding.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/platform/cluster/fabric/fabric_hosts.h"
#include "orrery/sim/engine/state/network_memories.h"
#include "orrery/sim/engine/state/rank_deviations.h"
#include "orrery/sim/shortcuts/folding/link_classes.h"
#include "orrery/sim/shortcuts/folding/rank_groups.h"
#include "orrery/sim/shortcuts/folding/rank_partition.h"
#include "orrery/sim/shortcuts/shortcut_rules.h"

namespace orrery::sim {

namespace {

constexpr std::uint64_t kOnlyOne = ~std::uint64_t{0};     // no other rank is equivalent
constexpr std::uint64_t kNoRank = ~std::uint64_t{0} - 1;  // a peer that does not exist

/// Classifies ranks by properties that never change.
class RankInvariants {
 public:
  RankInvariants(const graph::Workload& workload, const platform::Platform& platform,
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
      words_.push_back(pack_pair(deviations_.class_of(rank), network_.port_class(rank)));
      const bool comparable =
          groups_.add_invariants(rank, words_) && names_only_itself(graph, rank);
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
  /// After classes(): whether a rank sends to a rank that receives nothing from it.
  [[nodiscard]] bool has_unreceived_messages() const { return has_unreceived_messages_; }

 private:
  // If not, the run will fail at this message.
  [[nodiscard]] bool names_only_itself(std::uint32_t graph, std::uint32_t rank) const {
    const auto self_names = shapes_.self_names(graph);
    return std::all_of(self_names.begin(), self_names.end(),
                       [&](const Peer& self) { return self.of(rank) == rank; });
  }

  // Adds the distance of each peer, and the index of this rank among the peer's own peers: the
  // message sent there is the one that the peer expects from here.
  void add_peers(std::uint32_t graph, std::uint32_t rank) {
    for (const Peer& named : shapes_.peers(graph)) {
      const std::int64_t peer = named.of(rank);
      if (peer < 0 || peer >= std::int64_t{workload_.rank_count()}) {
        words_.push_back(kNoRank);
        continue;
      }
      const auto other = static_cast<std::uint32_t>(peer);
      const std::uint32_t mutual = shapes_.find_peer(workload_.graph_of_rank[other], other, rank);
      has_unreceived_messages_ = has_unreceived_messages_ || mutual == kNone;
      words_.push_back(pack_pair(mutual, network_.pair_class(rank, other)));
      words_.push_back(groups_.distances().uncounted(rank, other) ? 1 : 0);
      if (groups_.by_dimension()) words_.push_back(groups_.distances().crossed(rank, other));
      if (shapes_.mixed(graph)) words_.push_back(shapes_.find_peer(graph, rank, other));
    }
  }

  // Adds the number of memories of the network that the rank uses, and their distances.
  void add_memories(std::uint32_t rank) {
    const auto memories = memories_of(memory_, network_, rank);
    words_.push_back(memories.size());
    for (const model::EndPoint memory : memories)
      words_.push_back(
          pack_pair(network_.pair_class(memory, rank), network_.pair_class(rank, memory)));
  }

  const graph::Workload& workload_;
  const platform::RemoteMemory& memory_;
  const model::Network& network_;
  const GraphShapes& shapes_;
  RankGroups& groups_;
  RankDeviations deviations_;
  std::vector<std::uint64_t> words_;
  bool has_unreceived_messages_ = false;
};

/// Splits classes until the neighborhoods of all ranks in a class are equal. The first and the last
/// round evaluate all ranks, rounds between them only ranks with changed neighbors.
class Refinement {
 public:
  /// `links`: null: ranks share no links.
  Refinement(const graph::Workload& workload, const GraphShapes& shapes, RankGroups& groups,
             LinkClasses* links, RankPartition partition)
      : workload_(workload),
        shapes_(shapes),
        groups_(groups),
        links_(links),
        partition_(std::move(partition)),
        is_dirty_(workload.rank_count()) {}

  // Messages first: they separate the stages of a pipeline at the least cost.
  void run() {
    if (shapes_.any_peers()) {
      classify_all(nullptr);
      propagate(nullptr);
    }
    while (!is_discrete()) {
      groups_.begin_full_round(partition_.class_of());
      if (links_ != nullptr) links_->classify(partition_);
      classify_all(&RankGroups::add_all);
      if (changed_.empty() && !groups_.separate_conflicts(representatives())) return;
      propagate(&RankGroups::add_neighbors);
    }
  }

  [[nodiscard]] bool is_discrete() const { return partition_.classes() == workload_.rank_count(); }
  [[nodiscard]] const RankPartition& partition() const { return partition_; }

 private:
  /// Appends the neighborhood of a rank in its groups; null: nothing.
  using AddAround = void (RankGroups::*)(std::uint32_t, std::vector<std::uint64_t>&);

  [[nodiscard]] std::vector<std::uint32_t> representatives() const {
    std::vector<std::uint32_t> made;
    for (std::uint32_t one = 0; one < partition_.classes(); ++one)
      made.push_back(partition_.members(one).front());
    return made;
  }

  void classify_all(AddAround add_around) {
    WordInterner parts;
    decisions_.clear();
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank)
      classify(rank, parts, add_around);
    changed_.clear();
    if (parts.size() > partition_.classes()) partition_.split(decisions_, changed_);
  }

  // Repeats rounds until nothing changes.
  void propagate(AddAround add_around) {
    while (!changed_.empty() && !is_discrete()) {
      find_affected(add_around);
      groups_.begin_round();
      WordInterner parts;
      decisions_.clear();
      for (const std::uint32_t rank : dirty_) classify(rank, parts, add_around);
      changed_.clear();
      partition_.split(decisions_, changed_);
    }
  }

  void classify(std::uint32_t rank, WordInterner& parts, AddAround add_around) {
    const std::uint32_t one = partition_.class_of()[rank];
    words_.assign(1, one);
    each_peer(rank, [&](std::uint32_t peer) { words_.push_back(partition_.class_of()[peer]); });
    if (add_around != nullptr) (groups_.*add_around)(rank, words_);
    if (links_ != nullptr && add_around == &RankGroups::add_all) links_->add_classes(rank, words_);
    decisions_.push_back({one, parts.number(words_), rank});
  }

  template <class Visit>
  void each_peer(std::uint32_t rank, Visit visit) const {
    for (const Peer& named : shapes_.peers(workload_.graph_of_rank[rank])) {
      const std::int64_t peer = named.of(rank);
      if (peer >= 0 && peer < std::int64_t{workload_.rank_count()})
        visit(static_cast<std::uint32_t>(peer));
    }
  }

  // Finds the ranks with a neighbor whose class has a new number.
  void find_affected(AddAround add_around) {
    if (first_sender_.empty()) find_senders();
    dirty_.clear();
    for (const std::uint32_t rank : changed_) {
      dirty_.insert(dirty_.end(), senders_.begin() + first_sender_[rank],
                    senders_.begin() + first_sender_[rank + 1]);
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

  void find_senders() {
    const std::uint32_t ranks = workload_.rank_count();
    first_sender_.assign(ranks + std::size_t{1}, 0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      each_peer(rank, [&](std::uint32_t peer) { ++first_sender_[peer]; });
    std::ptrdiff_t sum = 0;
    for (std::ptrdiff_t& first : first_sender_) first = sum += first;
    senders_.resize(static_cast<std::size_t>(sum));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      each_peer(rank, [&](std::uint32_t peer) {
        senders_[static_cast<std::size_t>(--first_sender_[peer])] = rank;
      });
    }
  }

  const graph::Workload& workload_;
  const GraphShapes& shapes_;
  RankGroups& groups_;
  LinkClasses* links_;
  RankPartition partition_;
  std::vector<RankPartition::SplitDecision> decisions_;
  std::vector<std::uint32_t> changed_, dirty_;
  std::vector<bool> is_dirty_;                // by rank
  std::vector<std::ptrdiff_t> first_sender_;  // by rank
  std::vector<std::uint32_t> senders_;
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

// A representative receiver expects the message from another sender than the representative: the
// one at the same index of its own list of peers. If the receiver never names the sender, it never
// waits for it. Then the route uses a sender number beyond all ranks.
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

bool has_hashed_routes(const platform::Platform& platform, const model::Traits& network) {
  const platform::Fabric* fabric = platform.fabric.get();
  return fabric != nullptr &&
         platform::uses_hash(fabric->routing.policy, fabric->topology, !network.in_order);
}

}  // namespace

bool LinkHints::add(const LinkHints& more) {
  bool is_new = more.compare && !compare;
  compare = compare || more.compare;
  ordered.resize(std::max(ordered.size(), more.ordered.size()));
  for (std::size_t link = 0; link < more.ordered.size(); ++link) {
    is_new = is_new || (more.ordered[link] && !ordered[link]);
    if (more.ordered[link]) ordered[link] = true;
  }
  return is_new;
}

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
                     const Communicators& communicators, CollectivePlanner& planner,
                     bool by_dimension, const LinkHints& hints) {
  const std::uint32_t ranks = workload.rank_count();
  if (std::string why = why_not_fold(workload, platform, network.traits()); !why.empty())
    return unfolded(ranks, communicators, std::move(why));
  if (network.uniform()) {
    if (auto plain = fold_uniform(workload, platform, communicators)) return *std::move(plain);
  }
  if (GraphShapes::differ(workload)) return unfolded(ranks, communicators, {});
  const GraphShapes shapes(workload, platform, communicators);
  if (shapes.count() == ranks) return unfolded(ranks, communicators, {});
  RankGroups groups(workload, platform, fabric, network, communicators, planner, shapes,
                    by_dimension && fabric.dim_count() > 1);
  RankInvariants invariants(workload, platform, network, shapes, groups);
  RankPartition partition = invariants.classes();
  std::optional<LinkClasses> links;
  if (partition.classes() == ranks) return unfolded(ranks, communicators, {});
  // Otherwise equally many messages of each kind reach every rank of a class.
  if (!network.traits().uncontended && invariants.has_unreceived_messages())
    return unfolded(ranks, communicators, "messages that no rank receives share links");
  if (network.shares_links()) {
    links.emplace(
        workload, platform.remote_memory, network, shapes, groups,
        hints.all_ordered ? std::vector<bool>(network.link_count(), true) : hints.ordered);
    if (!links->why_not().empty()) return unfolded(ranks, communicators, links->why_not());
  }
  Refinement refinement(workload, shapes, groups, links ? &*links : nullptr, partition);
  refinement.run();
  if (refinement.is_discrete()) {
    Folding made = unfolded(ranks, communicators, {});
    if (!links) return made;
    Refinement without_links(workload, shapes, groups, nullptr, std::move(partition));
    without_links.run();
    if (without_links.is_discrete()) return made;
    made.why_not = "no two ranks use shared links in the same way";
    if (has_hashed_routes(platform, network.traits()))
      made.why_not += ", because routes depend on a hash (routing: d_mod_k does not)";
    made.classes_without_links = without_links.partition().classes();
    return made;
  }
  Folding made;
  number_classes(refinement.partition(), made);
  made.representative_group = groups.equivalent();
  if (links) made.links = links->equivalent();
  add_routes(workload, shapes, made);
  return made;
}

using graph::NodeKind;

namespace {

// With rings that some group runs, why_not_fold() has a reason. In one ring across several
// dimensions, positions are not equivalent.
bool are_rotation_invariant(std::span<const platform::AlgorithmSpec> algorithms) {
  return std::all_of(algorithms.begin(), algorithms.end(), [](const auto& one) {
    return !one.joined && model::algorithm_of(one).is_rotation_invariant();
  });
}
bool is_rotation_invariant(const platform::CollectivePlan& plan) {
  return (plan.custom_prefix.empty() || plan.custom_prefix == platform::kRings) &&
         are_rotation_invariant(plan.per_dim) &&
         std::all_of(plan.chosen.begin(), plan.chosen.end(),
                     [](const auto& one) { return are_rotation_invariant(one.per_dim); });
}

// Whether all communication of the graph includes all ranks.
bool addresses_all_ranks_only(const graph::Graph& graph) {
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
                     addresses_all_ranks_only(*workload.graphs.front());
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
