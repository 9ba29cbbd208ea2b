// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/folding.h"

#include <algorithm>
#include <numeric>

#include "orrery/sim/deviations.h"
#include "orrery/sim/folding_groups.h"

namespace orrery::sim {

using platform::InterDimension;
using platform::RemoteMemoryKind;
using platform::Rules;

namespace {

constexpr std::uint64_t kOnlyOne = ~std::uint64_t{0};     // no other rank is like it
constexpr std::uint64_t kNoRank = ~std::uint64_t{0} - 1;  // a peer that there is not

bool has_memory_nodes(const graph::Workload& workload) {
  const auto is_memory = [](graph::NodeKind kind) {
    return kind == graph::NodeKind::mem_load || kind == graph::NodeKind::mem_store;
  };
  return std::any_of(workload.graphs.begin(), workload.graphs.end(), [&](const auto& graph) {
    const auto kinds = graph->kinds();
    return std::any_of(kinds.begin(), kinds.end(), is_memory);
  });
}

bool lists_a_rank_twice(const graph::Workload& workload) {
  std::vector<std::uint32_t> listed;  // by rank: the last group that lists it, from 1 on
  std::uint32_t number = 0;
  for (const auto& [name, group] : workload.groups) {
    listed.resize(workload.rank_count());
    ++number;
    for (const std::uint32_t rank : group.ranks) {
      if (std::exchange(listed[rank], number) == number) return true;
    }
  }
  return false;
}

std::string why_not(const graph::Workload& workload, const platform::Platform& platform) {
  if (platform.network == platform::NetworkModelKind::message)
    return "links are shared, in order of arrival";
  const RemoteMemoryKind memory = platform.remote_memory.kind;
  if ((memory == RemoteMemoryKind::pool || memory == RemoteMemoryKind::per_node) &&
      has_memory_nodes(workload))
    return "remote memory is shared, in order of arrival";
  const InterDimension order = platform.collectives.inter_dimension;
  if (platform.rules == Rules::astra &&
      (order == InterDimension::themis || order == InterDimension::themis_flex))
    return "Themis counts all ranks' loads, in order of issue";
  if (lists_a_rank_twice(workload)) return "a process group lists a rank twice";
  return {};
}

/// Splits classes until nothing that a rank sees tells two ranks of a class apart.
class Refinement {
 public:
  Refinement(const graph::Workload& workload, const platform::Platform& platform,
             const model::Fabric& fabric, const Shapes& shapes, Groups& groups)
      : workload_(workload),
        fabric_(fabric),
        shapes_(shapes),
        groups_(groups),
        distances_(groups.distances()),
        deviations_(platform) {}

  void run() {
    const std::uint32_t ranks = workload_.rank_count();
    class_of_.resize(ranks);
    next_.resize(ranks);
    begin();
    do {
      refine();
    } while (groups_.set_apart(representatives()));
  }

  [[nodiscard]] std::vector<std::uint32_t> representatives() const {
    std::vector<std::uint32_t> lowest;
    for (std::uint32_t rank = 0; rank < class_of_.size(); ++rank) {
      if (class_of_[rank] == lowest.size()) lowest.push_back(rank);
    }
    return lowest;
  }
  [[nodiscard]] std::vector<std::uint32_t>& class_of() { return class_of_; }

 private:
  // What never changes.
  void begin() {
    Interner classes;
    for (std::uint32_t rank = 0; rank < class_of_.size(); ++rank) {
      const std::uint32_t graph = workload_.graph_of_rank[rank];
      words_.assign(1, both(shapes_.of(graph), 0));
      words_.push_back(both(deviations_.class_of(rank), fabric_.port_class(rank)));
      const bool whole = means_itself(graph, rank) && groups_.add_standing(rank, words_);
      if (!whole) words_.assign({kOnlyOne, rank});
      if (whole) add_peers(graph, rank);
      class_of_[rank] = classes.number(words_);
    }
    classes_ = classes.size();
  }

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
      words_.push_back(both(mutual, distances_.between(rank, other)));
      if (shapes_.mixed(graph)) words_.push_back(shapes_.find_peer(graph, rank, other));
    }
  }

  void refine() {
    Interner classes;
    for (bool more = true; more;) {
      groups_.begin_round(class_of_);
      classes.clear();
      for (std::uint32_t rank = 0; rank < class_of_.size(); ++rank) {
        words_.assign(1, class_of_[rank]);
        add_classes_of_peers(rank);
        groups_.add_neighbours(rank, words_);
        next_[rank] = classes.number(words_);
      }
      more = classes.size() != classes_;
      classes_ = classes.size();
      class_of_.swap(next_);
    }
  }

  void add_classes_of_peers(std::uint32_t rank) {
    for (const Peer& named : shapes_.peers(workload_.graph_of_rank[rank])) {
      const std::int64_t peer = named.of(rank);
      if (peer < 0 || peer >= std::int64_t{workload_.rank_count()}) continue;
      words_.push_back(class_of_[static_cast<std::size_t>(peer)]);
    }
  }

  const graph::Workload& workload_;
  const model::Fabric& fabric_;
  const Shapes& shapes_;
  Groups& groups_;
  const Distances& distances_;
  Deviations deviations_;
  std::vector<std::uint32_t> class_of_, next_;
  std::uint32_t classes_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace

Folding unfolded(std::uint32_t ranks, const Communicators& communicators, std::string why_not) {
  Folding made;
  made.class_of.resize(ranks);
  std::iota(made.class_of.begin(), made.class_of.end(), 0u);
  made.representative = made.class_of;
  made.members.assign(ranks, 1);
  made.group_like.resize(communicators.all().size());
  std::iota(made.group_like.begin(), made.group_like.end(), 0u);
  made.why_not = std::move(why_not);
  return made;
}

Result<Folding> fold(const graph::Workload& workload, const platform::Platform& platform,
                     const model::Fabric& fabric, const Communicators& communicators,
                     Planner& planner) {
  const std::uint32_t ranks = workload.rank_count();
  if (std::string why = why_not(workload, platform); !why.empty())
    return unfolded(ranks, communicators, std::move(why));
  const Shapes shapes(workload, platform, communicators);
  if (shapes.count() == ranks) return unfolded(ranks, communicators, {});
  Groups groups(workload, platform, fabric, communicators, planner, shapes);
  Refinement refinement(workload, platform, fabric, shapes, groups);
  refinement.run();
  Folding made;
  made.representative = refinement.representatives();
  if (made.classes() == ranks) return unfolded(ranks, communicators, {});
  made.group_like = groups.alike();
  made.class_of = std::move(refinement.class_of());
  made.members.resize(made.classes());
  for (const std::uint32_t one : made.class_of) ++made.members[one];
  return made;
}

}  // namespace orrery::sim
