// SPDX-License-Identifier: Apache-2.0
//
// What a running simulation remembers. Plain data; the rules that change it are in engine_*.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/model/compute/host_clock.h"
#include "orrery/model/compute/interference.h"
#include "orrery/sim/engine/state/chunk_state.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

inline constexpr std::int64_t kAnnouncementBytes =
    8192;  ///< what a receiver sends first under the rendezvous protocol

/// What a local event does when its time comes.
enum class LocalEventKind : std::uint8_t {
  taken,          ///< already run (so nothing is merged into it)
  inserted,       ///< a packet has crossed the boundary and is free
  inserted_sum,   ///< a packet has crossed the boundary and must be reduced first
  freed,          ///< a packet is reduced and free
  node_done,      ///< a compute or replayed node ends
  node_ready,     ///< what a node waited for has ended long enough ago
  node_launched,  ///< a host has launched what a node of the device waited for
  memory_done,    ///< a remote memory access ends
  custom_done,    ///< a compute node of a custom collective ends
  begins,         ///< a rank begins its work late
  kernel_done,    ///< a kernel ends, if no collective has begun or ended beside it since
  bus,            ///< a transaction of the shared memory bus moves on
};

/// Something a rank does by itself at a given time. Equal ones in a row are counted instead of
/// repeated.
struct LocalEvent {
  StreamId stream;
  std::uint32_t arg = 0;  ///< packet (halving-doubling), node, or index of a custom run
  LocalEventKind kind = LocalEventKind::taken;
  std::uint16_t repeat = 1;
  std::uint32_t node = 0;  ///< node of a custom run
};

/// The local events of one rank at one time, in order. All run when the first one's turn comes.
struct LocalEventList {
  std::int64_t time = -1;  ///< -1: not in use
  LocalEvent first;
  std::uint32_t head = kNone;  ///< the others, in the engine's pool
  std::uint32_t tail = kNone;
};

/// In the engine's pool.
struct PooledLocalEvent {
  LocalEvent event;
  std::uint32_t next;
};

/// A rank's agenda. Two times are pending almost always; more overflow.
struct RankEvents {
  LocalEventList lists[2];
  std::vector<LocalEventList> overflow;
};

/// A simulated rank, and the first member of a communicator that it plays.
struct Player {
  std::uint32_t rank = 0;
  std::uint32_t member = 0;
  friend auto operator<=>(const Player&, const Player&) = default;
};

/// Ranks that communicate with each other. Number 0 is all ranks.
struct Communicator {
  std::string name;
  std::vector<std::uint32_t> ranks;      ///< in ring order; empty for all ranks
  std::vector<std::uint32_t> sorted;     ///< the same, ascending; empty when `ranks` is
  std::vector<std::uint32_t> member_at;  ///< by place in `sorted`: the member
  std::uint32_t precedence = 0;          ///< Orrery rules: see Communicators
  std::uint32_t members = 0;
  // Where one rank is simulated for several (see Quotient). Both are empty if each member has a
  // rank of its own.
  std::vector<std::uint32_t> player_of;  ///< by member: a place in `players`
  std::vector<Player> players;           ///< ascending
  bool sub_group = false;
  bool listed = false;  ///< by the workload, with its members; number 0 is not

  /// The dimensions of a collective that asks for those of `mask`: who is listed member by member
  /// takes part, whatever the collective says of dimensions.
  [[nodiscard]] std::uint32_t dims(std::uint32_t mask) const { return listed ? ~0u : mask; }

  /// Each member is played by a rank of its own.
  [[nodiscard]] bool one_each() const { return players.empty(); }
  /// Who plays a member: 0 … player_count() - 1, in the order of simulated ranks.
  [[nodiscard]] std::uint32_t player(std::uint32_t member) const {
    return one_each() ? member : player_of[member];
  }
  [[nodiscard]] std::uint32_t player_count() const {
    return one_each() ? members : static_cast<std::uint32_t>(players.size());
  }
  /// The simulated rank, and the first member that it plays.
  [[nodiscard]] Player who_plays(std::uint32_t player) const {
    return one_each() ? Player{ranks.empty() ? player : ranks[player], player} : players[player];
  }
  /// The player that a simulated rank is; it is one.
  [[nodiscard]] std::uint32_t player_of_rank(std::uint32_t rank) const {
    if (one_each()) return member(rank);
    const auto found = std::lower_bound(players.begin(), players.end(), Player{rank, 0});
    return static_cast<std::uint32_t>(found - players.begin());
  }

  [[nodiscard]] const std::vector<std::uint32_t>& ascending() const {
    return sorted.empty() ? ranks : sorted;
  }
  /// The rank's place among the members in ascending order. kNone: it is none of them.
  [[nodiscard]] std::uint32_t place(std::uint32_t rank) const {
    if (ranks.empty()) return rank;
    const std::vector<std::uint32_t>& all = ascending();
    const auto found = std::lower_bound(all.begin(), all.end(), rank);
    return found != all.end() && *found == rank ? static_cast<std::uint32_t>(found - all.begin())
                                                : kNone;
  }
  /// Its number here; the rank is a member.
  [[nodiscard]] std::uint32_t member(std::uint32_t rank) const {
    return member_at.empty() ? place(rank) : member_at[place(rank)];
  }
};

/// Nodes of one kind that a rank runs one after another (a resource of capacity one; 0 = without
/// limit).
struct ResourceLane {
  std::uint64_t key = 0;
  bool unlimited = false;
  bool busy = false;
  graph::NodeId last = graph::kNoNode;  ///< that left it last
  std::vector<graph::NodeId> ready;     ///< a min-heap by node id
};

inline constexpr std::uint32_t kDone = ~0u;  ///< in RankState::waits: the node has ended

/// One rank's progress through its graph.
struct RankState {
  std::vector<ResourceLane> lanes;
  std::vector<std::uint32_t> waits;  ///< by node: dependencies not yet done; kDone
  std::vector<graph::NodeId> freed;  ///< by nodes that complete at once, for the next pass
  std::uint32_t left = 0;            ///< nodes not yet done
  bool issuing = false;
  bool unsettled = false;  ///< Orrery rules: may start nodes when the tick is over
  bool finished = false;
  std::int64_t next_priority = 0;
  graph::NodeId front = 0;  ///< all before it have ended (there may be more)
  graph::NodeId reach = 0;  ///< none after it has been touched
  // Interval accounting: how many of each are in progress, and since when.
  std::int64_t since = 0;
  std::int32_t computing = 0;
  std::int32_t communicating = 0;
  std::int32_t remembering = 0;
  // Parts: receives whose messages come from another part and are not known to be sent, and what
  // was accounted meanwhile (in Accounts, newest).
  std::uint32_t awaited = 0;
  std::uint32_t span = kNone;
};

/// Kernels of one rank that run, and what collectives take of its device.
struct InterferenceState {
  struct Kernel {
    graph::NodeId node = 0;
    bool product = true;
    double factor = 1;       ///< by which it is slower now
    std::int64_t left = 0;   ///< of it at `since`, if nothing ran beside it
    std::int64_t since = 0;  ///< when that was
    std::int64_t end = -1;   ///< if nothing changes
    std::int64_t begun = 0;
    std::int64_t alone = 0;
  };
  std::vector<Kernel> kernels;
  model::ConcurrentUse taken;
};

/// Time of a rank that has been accounted for, and what went on. A message from another part may
/// turn out to have been on its way to the rank.
struct AccountedSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t rank = 0;
  std::uint32_t before = kNone;  ///< the rank's span before
  bool computing = false;
  bool communicating = false;
  bool remembering = false;
};

/// Who waits for a point-to-point message: a node of the workload, or of a custom collective.
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
  friend bool operator==(const MessageKey&, const MessageKey&) = default;
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
  std::uint32_t arrived = 0;        ///< messages nobody has asked for yet
  std::uint32_t flying = 0;         ///< messages on their way that nobody has asked for yet
  std::uint32_t expecting = kNone;  ///< the oldest receive whose message has not been sent yet
  std::uint32_t first = kNone;  ///< what waits for one, oldest first, linked by whoever keeps it
  std::uint32_t last = kNone;
};

/// A list of waiting things: their numbers, linked.
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

/// A posted receive. It counts as communication from when it is posted and its message is on the
/// way.
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
  Bytes buffer{};              ///< the whole of the collective's, which shares are of
  std::vector<std::uint32_t> waits;
  std::uint32_t left = 0;
};

/// Where a finding is.
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
  std::uint32_t part = 0;  ///< the receiver's
  P2pMessage message;
  std::int64_t sent = 0;
  std::int64_t arrival = 0;
};

}  // namespace orrery::sim
