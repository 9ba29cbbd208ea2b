// SPDX-License-Identifier: Apache-2.0
//
// The neighborhoods of ranks in their groups.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/network/dimensions/rank_distances.h"
#include "orrery/network/network.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/shortcuts/folding/graph_shapes.h"

namespace orrery::sim {

/// The groups that ranks name, and every rank's neighbors in them. A "slot" is a group of a rank,
/// numbered by its name in the rank's graph.
class RankGroups {
 public:
  static constexpr std::uint32_t kNotMember = Communicators::kOutside - 1;
  struct Slot {
    std::uint32_t group = 0;  ///< communicator; kNotMember or more: why there is none
    std::uint32_t member = 0;
    std::uint32_t view = 0;  ///< index in Kind::views; see add_invariants()

    [[nodiscard]] bool found() const { return group < kNotMember; }
  };

  RankGroups(const graph::Workload& workload, const platform::Platform& platform,
             const model::MultiDimFabric& fabric, const model::Network& network,
             const Communicators& communicators, CollectivePlanner& planner,
             const GraphShapes& shapes, bool by_dimension);

  /// Whether ranks must send equally many bytes into each dimension to be equivalent.
  [[nodiscard]] bool by_dimension() const { return by_dimension_; }

  [[nodiscard]] const model::RankDistances& distances() const { return distances_; }
  [[nodiscard]] std::span<const Slot> slots(std::uint32_t rank) const {
    return {slots_.data() + first_slot_[rank], first_slot_[rank + 1] - first_slot_[rank]};
  }

  /// Appends the properties of the rank that never change. Call it for every rank before the first
  /// round. False: no other rank can be equivalent.
  [[nodiscard]] bool add_invariants(std::uint32_t rank, std::vector<std::uint64_t>& words);

  /// Classifies all groups for all ranks, under a partition that must live until the next round.
  /// O(members).
  void begin_full_round(const std::vector<std::uint32_t>& class_of);
  /// Appends the classes of the rank's neighbors, and the classes of its groups.
  void add_all(std::uint32_t rank, std::vector<std::uint64_t>& words);

  /// The same if few classes have changed: O(1).
  void begin_round();
  /// Appends the classes of the rank's neighbors.
  void add_neighbors(std::uint32_t rank, std::vector<std::uint64_t>& words);
  /// Appends the ranks that have `rank` as a neighbor, possibly more than once.
  void add_viewers(std::uint32_t rank, std::vector<std::uint32_t>& viewers);

  /// A message from one end point to another; `to` is kNone if there is no receiver.
  using MessageVisitor = std::function<void(model::EndPoint from, model::EndPoint to)>;
  /// Calls `visit` for each possible message between `rank` and others in its groups, in an order
  /// that is the same for equivalent ranks. False: messages between switches belong to no rank.
  [[nodiscard]] bool each_message(std::uint32_t rank, const MessageVisitor& visit) const;

  /// After a full round without splits: by communicator, the equivalent one that takes precedence.
  [[nodiscard]] std::vector<std::uint32_t> equivalent() const;
  /// After such a round: separates groups that look equivalent but cannot represent each other,
  /// because a class is in them in two ways. True: there were some, and more rounds are needed.
  [[nodiscard]] bool separate_conflicts(const std::vector<std::uint32_t>& representatives);

 private:
  /// One dimension of a group's logical topologies.
  struct Ring {
    model::RingShape shape;
    model::Peers peers = model::Peers::next;
    bool measured = false;         ///< distances differ between members
    bool by_switches = false;      ///< switches run it
    bool has_no_messages = false;  ///< no messages: a model predicts the duration
    bool meets = false;            ///< all members meet at once: positions do not matter
    std::size_t first_line = 0;    ///< direct: index of its first line in the group

    /// Whether all members share one line, rotated to each.
    [[nodiscard]] bool shares_line() const { return peers == model::Peers::each || by_switches; }
    friend bool operator==(const Ring& a, const Ring& b) {
      return a.shape == b.shape && a.peers == b.peers;
    }
  };
  /// The rings that are relevant to members with one use set.
  struct View {
    bool measured = false;
    std::vector<std::uint32_t> rings;  ///< indexes in Kind::rings
  };
  /// Groups of one kind have equal topologies: the same number of members, and of coordinates in
  /// each dimension.
  struct Kind {
    std::uint32_t groups = 0;
    bool constant = false;  ///< equal distances between all members
    std::vector<Ring> rings;
    std::size_t lines = 0;  ///< direct rings of one group
    KeyNumbering sets;      ///< use set → index in views
    std::vector<View> views;
  };
  struct Group {
    bool used = false;
    bool custom = false;       ///< some member runs algorithms given as traces in it
    bool is_separate = false;  ///< not equivalent to any other
    bool uniform = false;      ///< this round: all members are of one class
    std::uint32_t kind = kNone;
    std::uint32_t color = 0;  ///< this round: equal for groups that look equivalent
    std::uint32_t next = 0;   ///< position from which to search for the next rank
    std::size_t first_member = 0;
    std::size_t first_line = kNoLines;
  };
  /// The members of a direct ring as a cyclic sequence of classes; each member sees it rotated to
  /// its own position.
  struct Line {
    std::uint32_t number = 0;  ///< equal for sequences that are rotations of each other
    std::uint32_t start = 0;   ///< position where its least rotation begins
    std::uint32_t period = 1;
    std::uint32_t round = 0;       ///< round in which this was computed
    std::uint32_t seen_round = 0;  ///< round in which its members were last added as viewers
  };
  /// A rank as a member of a used group, even if its graph does not name the group.
  struct Membership {
    std::uint32_t group;
    std::uint32_t member;
  };
  static constexpr std::size_t kNoLines = ~std::size_t{0};

  void find_slots(const graph::Workload& workload, const GraphShapes& shapes);
  void add_precedence(std::uint32_t rank, std::vector<std::uint64_t>& words) const;
  [[nodiscard]] Slot find(std::uint32_t number, std::uint32_t rank, std::uint32_t place);
  void find_kinds();
  void add_library_group(std::uint32_t number, std::vector<std::uint64_t>& words);
  void add_spans(std::uint32_t number, std::vector<std::uint64_t>& words);
  [[nodiscard]] std::uint32_t find_view(std::uint32_t rank, std::size_t place, std::uint32_t group);
  [[nodiscard]] const View& view(const Slot& slot) const {
    return kinds_[groups_[slot.group].kind].views[slot.view];
  }
  void make_view(View& made, const UseSet& set, std::uint32_t number);
  void add_rings(View& made, Kind& kind, graph::CollectiveType type,
                 const model::LogicalTopology& topology, std::uint32_t members);
  void add_ring(View& made, Kind& kind, const model::LogicalDim& dim, std::uint32_t members);
  void add_tree(const Ring& ring, const Slot& slot, std::vector<std::uint64_t>& words) const;
  /// Null: there is none, so that the run will fail.
  [[nodiscard]] const model::SwitchTree* tree_of(const Ring& ring, const Slot& slot) const;
  void add_distances(const Ring& ring, const Slot& slot, std::vector<std::uint64_t>& words) const;
  void add_classes(const Ring& ring, const Slot& slot, std::vector<std::uint64_t>& words);
  [[nodiscard]] Line& line_of(const Ring& ring, const Slot& slot);
  [[nodiscard]] const Line& seen_line(const Ring& ring, const Slot& slot);
  void add_viewer(std::uint32_t group, std::uint32_t member, std::uint32_t ring,
                  std::vector<std::uint32_t>& viewers);
  void find_memberships();
  void find_color(std::uint32_t number);
  [[nodiscard]] bool has_two_uses(std::uint32_t number);

  [[nodiscard]] std::uint32_t rank_of(std::uint32_t group, std::uint32_t member) const {
    return communicators_[group].rank_at(member);
  }
  /// The class of a member, and the name under which its graph knows the group.
  [[nodiscard]] std::uint64_t seen(std::uint32_t group, std::uint32_t member) const {
    return pack_pair((*class_of_)[rank_of(group, member)],
                     names_[groups_[group].first_member + member]);
  }

  const graph::Workload& workload_;
  const platform::Platform& platform_;
  const model::MultiDimFabric& fabric_;
  const model::Network& network_;
  const Communicators& communicators_;
  CollectivePlanner& planner_;
  const GraphShapes& shapes_;
  model::RankDistances distances_;
  bool by_dimension_ = false;
  std::vector<std::size_t> first_slot_;  // by rank
  std::vector<Slot> slots_;
  std::vector<Group> groups_;         // by communicator
  std::vector<std::uint32_t> names_;  // by member of used groups: first slot, or kNone
  std::vector<Kind> kinds_;
  const std::vector<std::uint32_t>* class_of_ = nullptr;
  std::vector<Line> lines_;
  std::uint32_t round_ = 0;
  WordInterner line_numbers_, colors_;
  std::vector<std::size_t> first_membership_;  // by rank; empty: not computed yet
  std::vector<Membership> memberships_;
  struct Scratch {
    std::vector<std::uint64_t> members, words, line, stamps;
  };
  Scratch scratch_;
};

}  // namespace orrery::sim
