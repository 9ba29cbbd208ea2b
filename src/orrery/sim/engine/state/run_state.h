// SPDX-License-Identifier: Apache-2.0
//
// The state of a running simulation. Plain data; the components of the engine change it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/model/compute/host_clock.h"
#include "orrery/model/compute/interference.h"
#include "orrery/sim/engine/state/chunk_state.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

inline constexpr std::int64_t kAnnouncementBytes =
    8192;  ///< size of the receiver's announcement in the rendezvous protocol

/// Kind of a local event.
enum class LocalEventKind : std::uint8_t {
  taken,          ///< already processed, so that no event merges into it
  inserted,       ///< a packet has crossed the boundary and is free
  inserted_sum,   ///< a packet has crossed the boundary and must be reduced first
  freed,          ///< a packet is reduced and free
  node_done,      ///< a compute or replayed node ends
  node_ready,     ///< the dependencies of a node have ended, and their lags have passed
  node_launched,  ///< a host has launched the kernels of a device node
  memory_done,    ///< a remote memory access ends
  custom_done,    ///< a compute node of a custom collective ends
  begins,         ///< a rank with a late start begins
  kernel_done,    ///< a kernel ends, unless overlapping work has begun or ended since
  bus,            ///< a transaction of the shared memory bus advances
};

/// An event inside a rank at a given time. Consecutive equal events are one event with a count.
struct LocalEvent {
  StreamId stream;
  std::uint32_t arg = 0;  ///< packet (halving-doubling), node, or index of a custom run
  LocalEventKind kind = LocalEventKind::taken;
  std::uint16_t repeat = 1;
  std::uint32_t node = 0;  ///< node of a custom run
};

/// The local events of one rank at one time, in order. All of them run when the first one is due.
struct LocalEventList {
  std::int64_t time = -1;  ///< -1: not in use
  LocalEvent first;
  std::uint32_t head = kNone;  ///< the others, in the engine's pool
  std::uint32_t tail = kNone;
};

/// An entry of the pool in LocalEvents.
struct PooledLocalEvent {
  LocalEvent event;
  std::uint32_t next;
};

/// The pending local events of a rank. Usually at most two times are pending; more go to
/// `overflow`.
struct RankEvents {
  LocalEventList lists[2];
  std::vector<LocalEventList> overflow;

  static auto fields(auto& self) {
    auto& [lists, overflow] = self;
    return std::tie(lists[0], lists[1], overflow);
  }
};

/// A simulated rank, and the first member of a communicator that it represents.
struct Representative {
  std::uint32_t rank = 0;
  std::uint32_t member = 0;
  friend auto operator<=>(const Representative&, const Representative&) = default;
};

/// Ranks that communicate with each other. Number 0 is all ranks.
struct Communicator {
  std::string name;
  std::vector<std::uint32_t> ranks;      ///< in ring order; empty for all ranks
  std::vector<std::uint32_t> sorted;     ///< the same, ascending; empty when `ranks` is
  std::vector<std::uint32_t> member_at;  ///< by place in `sorted`: the member
  std::uint32_t precedence = 0;          ///< Orrery rules: see Communicators
  std::uint32_t members = 0;
  // If one rank is simulated for several (see FoldedWorkload). Both are empty if each member has
  // its own rank.
  /// By member: index in `representatives`. Empty: 0, for all members.
  std::vector<std::uint32_t> representative_of;
  std::vector<Representative> representatives;  ///< ascending
  bool sub_group = false;
  bool listed = false;  ///< the workload lists its members; false for number 0

  /// The dimensions of a collective that requests those of `mask`. In a group with listed members,
  /// all members take part, whatever dimensions the collective requests.
  [[nodiscard]] std::uint32_t dims(std::uint32_t mask) const { return listed ? ~0u : mask; }

  /// The rank number, in the workload, of a member.
  [[nodiscard]] std::uint32_t rank_at(std::uint32_t member) const {
    return ranks.empty() ? member : ranks[member];
  }
  /// Whether each member is represented by its own rank.
  [[nodiscard]] bool is_unfolded() const { return representatives.empty(); }
  /// The representative of a member: 0 … representative_count() - 1, in the order of simulated
  /// ranks.
  [[nodiscard]] std::uint32_t representative(std::uint32_t member) const {
    if (is_unfolded()) return member;
    return representative_of.empty() ? 0 : representative_of[member];
  }
  [[nodiscard]] std::uint32_t representative_count() const {
    return is_unfolded() ? members : static_cast<std::uint32_t>(representatives.size());
  }
  /// The simulated rank, and the first member that it represents.
  [[nodiscard]] Representative representative_at(std::uint32_t representative) const {
    return is_unfolded() ? Representative{rank_at(representative), representative}
                         : representatives[representative];
  }
  /// The representative number of a simulated rank, which must be a representative.
  [[nodiscard]] std::uint32_t representative_of_rank(std::uint32_t rank) const {
    if (is_unfolded()) return member(rank);
    const auto found =
        std::lower_bound(representatives.begin(), representatives.end(), Representative{rank, 0});
    return static_cast<std::uint32_t>(found - representatives.begin());
  }

  [[nodiscard]] const std::vector<std::uint32_t>& ascending() const {
    return sorted.empty() ? ranks : sorted;
  }
  /// Index of the rank among the members in ascending order. kNone: it is not a member.
  [[nodiscard]] std::uint32_t place(std::uint32_t rank) const {
    if (ranks.empty()) return rank;
    const std::vector<std::uint32_t>& all = ascending();
    const auto found = std::lower_bound(all.begin(), all.end(), rank);
    return found != all.end() && *found == rank ? static_cast<std::uint32_t>(found - all.begin())
                                                : kNone;
  }
  /// Member number of a rank, which must be a member.
  [[nodiscard]] std::uint32_t member(std::uint32_t rank) const {
    return member_at.empty() ? place(rank) : member_at[place(rank)];
  }
};

/// Nodes that are ready to start, lowest first. Most often there is at most one, which needs no
/// memory of its own.
class ReadyNodes {
 public:
  [[nodiscard]] bool empty() const { return front_ == graph::kNoNode; }
  /// The lowest; graph::kNoNode: there is none.
  [[nodiscard]] graph::NodeId front() const { return front_; }
  void push(graph::NodeId node) {
    if (node < front_) std::swap(node, front_);
    if (node != graph::kNoNode) push_rest(node);
  }
  /// Removes the lowest, which must exist.
  void pop() { front_ = rest_.empty() ? graph::kNoNode : pop_rest(); }

  [[nodiscard]] std::size_t size() const { return empty() ? 0 : rest_.size() + 1; }
  /// Calls `see` with each node, which it may raise by the same number for all.
  template <class See>
  void each(const See& see) {
    if (!empty()) see(front_);
    for (graph::NodeId& node : rest_) see(node);
  }
  template <class See>
  void each(const See& see) const {
    if (!empty()) see(front_);
    for (const graph::NodeId node : rest_) see(node);
  }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [front, rest] = self;
    return std::tie(front, rest);
  }

 private:
  void push_rest(graph::NodeId node) {
    rest_.push_back(node);
    std::push_heap(rest_.begin(), rest_.end(), std::greater<>());
  }
  graph::NodeId pop_rest() {
    const graph::NodeId lowest = rest_.front();
    std::pop_heap(rest_.begin(), rest_.end(), std::greater<>());
    rest_.pop_back();
    return lowest;
  }

  graph::NodeId front_ = graph::kNoNode;
  std::vector<graph::NodeId> rest_;  // a min-heap
};

/// Nodes of one kind that a rank runs one after another: a resource of capacity one, or unlimited.
struct ResourceLane {
  std::uint64_t key = 0;
  bool unlimited = false;
  graph::NodeId running = graph::kNoNode;  ///< node that occupies it; never if unlimited
  graph::NodeId last = graph::kNoNode;     ///< last node that released it; none if unlimited
  ReadyNodes ready;

  [[nodiscard]] bool is_busy() const { return running != graph::kNoNode; }
};

inline constexpr std::uint32_t kDone = ~0u;  ///< in SharedState::waits: the node has ended

/// One rank's progress through its graph.
struct RankState {
  std::vector<ResourceLane> lanes;
  std::vector<graph::NodeId> freed;  ///< released by nodes that end at once, for the next pass
  std::uint32_t pending_nodes = 0;   ///< nodes not yet done
  bool issuing = false;
  bool unsettled = false;  ///< Orrery rules: can start nodes at the end of the tick
  bool finished = false;
  std::int64_t next_priority = 0;
  graph::NodeId front = 0;  ///< all nodes before it have ended; it can have ended, too
  graph::NodeId reach = 0;  ///< no node after it has been touched
  // Interval accounting: number of activities of each kind, since `since`.
  std::int64_t since = 0;
  std::int32_t computing = 0;
  std::int32_t communicating = 0;
  std::int32_t accessing = 0;
  // Parts: number of receives with a message from another part that is not known to be sent, and
  // the rank's newest span in TimeAccounting.
  std::uint32_t awaited = 0;
  std::uint32_t span = kNone;
};

/// Running kernels of one rank, and the use of its device by collectives and copies.
struct InterferenceState {
  struct Kernel {
    graph::NodeId node = 0;
    bool product = true;
    double factor = 1;           ///< current slowdown
    std::int64_t remaining = 0;  ///< remaining time at `since`, without interference
    std::int64_t since = 0;      ///< time of the last update
    std::int64_t end = -1;       ///< if the interference does not change
    std::int64_t wakes = -1;     ///< time of its next event: at its end, or before
    std::int64_t begun = 0;
    std::int64_t alone = 0;
  };
  std::vector<Kernel> kernels;
  model::ConcurrentUse taken;
};

/// An accounted interval of a rank and its activities. A message from another part can later turn
/// out to have been in flight to the rank.
struct AccountedSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t rank = 0;
  std::uint32_t before = kNone;  ///< previous span of the rank
  bool computing = false;
  bool communicating = false;
  bool accessing = false;
};

/// The node that waits for a point-to-point message: of the workload, or of a custom collective.
struct Endpoint {
  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  std::uint32_t custom = kNone;
  std::uint32_t owner = 0;  ///< custom: the collective's node
};

struct MessageKey {
  std::uint64_t tag;
  std::uint32_t src;
  std::uint32_t dst;
  std::int64_t size;
  friend auto operator<=>(const MessageKey&, const MessageKey&) = default;
};

struct MessageKeyHash {
  std::size_t operator()(const MessageKey& key) const {
    std::uint64_t h = key.tag * 0x9e3779b97f4a7c15ull;
    h ^= (static_cast<std::uint64_t>(key.src) << 32 | key.dst) + 0x7f4a7c159e3779b9ull + (h << 6) +
         (h >> 2);
    h *= 0xff51afd7ed558ccdull;
    h ^= static_cast<std::uint64_t>(key.size) + (h >> 29);
    return h * 0xc4ceb9fe1a85ec53ull;
  }
};

/// Receives posted or messages arrived under one key, whichever came first.
struct Mailbox {
  std::uint32_t arrived = 0;        ///< messages without a posted receive
  std::uint32_t in_flight = 0;      ///< messages in flight without a posted receive
  std::uint32_t expecting = kNone;  ///< the oldest receive whose message has not been sent yet
  std::uint32_t first = kNone;      ///< the waiting entries, oldest first, linked by their owner
  std::uint32_t last = kNone;
};

/// Appends `number` to the linked list of waiting entries.
inline void wait_in(Mailbox& box, std::vector<std::uint32_t>& next, std::uint32_t number) {
  if (number >= next.size()) next.resize(number + 1, kNone);
  next[number] = kNone;
  (box.first == kNone ? box.first : next[box.last]) = number;
  box.last = number;
}
[[nodiscard]] inline std::uint32_t take_first(Mailbox& box,
                                              const std::vector<std::uint32_t>& next) {
  const std::uint32_t number = box.first;
  box.first = next[number];
  return number;
}

/// A posted receive. It counts as communication when it is posted and its message is in flight.
struct Receive {
  Endpoint who;
  MessageKey key{};
  std::int64_t since = -1;
  std::int64_t posted = 0;
};

/// A custom collective at one rank: a Chakra graph without resource limits.
struct CustomRun {
  Endpoint owner;  ///< the collective's node
  const graph::Graph* graph = nullptr;
  std::uint32_t communicator = 0;
  std::uint32_t position = 0;  ///< of its rank among the group's ranks in ascending order
  Bytes buffer{};              ///< full buffer of the collective; shares refer to it
  std::vector<std::uint32_t> waits;
  std::uint32_t pending_nodes = 0;

  /// The state, for checkpoints; `owner` determines the graph.
  static auto fields(auto& self) {
    auto& [owner, graph, communicator, position, buffer, waits, pending_nodes] = self;
    return std::tie(owner, communicator, position, buffer, waits, pending_nodes);
  }
};

/// The place of a finding.
struct Note {
  std::int64_t time;
  std::uint32_t rank;
  graph::NodeId node;
  friend auto operator<=>(const Note&, const Note&) = default;
};

struct P2pMessage {
  MessageKey key{};
  Endpoint sender;
};

/// A message to a rank of another part.
struct CrossPartMessage {
  std::uint32_t part = 0;  ///< part of the receiver
  P2pMessage message;
  std::int64_t sent = 0;
  std::int64_t arrival = 0;
};

}  // namespace orrery::sim
