// SPDX-License-Identifier: Apache-2.0
//
// What a running simulation remembers of chunks of collectives. Plain data.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Where one chunk at one rank is kept: see Chunks::at.
struct StreamId {
  std::uint32_t block = kNone;
  std::uint32_t player = 0;  ///< of its communicator

  [[nodiscard]] bool none() const { return block == kNone; }
  friend bool operator==(StreamId a, StreamId b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

/// Receives posted minus messages arrived, by matching key; most phases have one key and none of
/// this.
class Balances {
 public:
  Balances() = default;
  Balances(const Balances& other) { *this = other; }
  Balances(Balances&&) = default;
  Balances& operator=(const Balances& other) {
    assign(other.size_);
    std::copy_n(other.of_.get(), size_, of_.get());
    return *this;
  }
  Balances& operator=(Balances&&) = default;
  ~Balances() = default;

  [[nodiscard]] bool empty() const { return of_ == nullptr; }
  [[nodiscard]] std::int8_t& operator[](std::uint32_t key) { return of_[key]; }
  [[nodiscard]] std::int8_t operator[](std::uint32_t key) const { return of_[key]; }
  void assign(std::uint32_t keys) {
    of_ = keys == 0 ? nullptr : std::make_unique<std::int8_t[]>(keys);
    size_ = keys;
  }
  void clear() { assign(0); }

 private:
  std::unique_ptr<std::int8_t[]> of_;
  std::uint32_t size_ = 0;
};

/// One chunk of a collective at one rank.
struct Stream {
  const model::PhaseSpec* spec = nullptr;  ///< the running phase; null while waiting or done
  StreamId id;
  std::uint32_t member = 0;    ///< of the communicator; the first that its rank plays
  std::uint32_t rank = 0;      ///< as the engine numbers those it simulates
  std::uint32_t position = 0;  ///< in the running phase's ring
  std::int32_t steps_left = 0;
  std::int32_t free = 0;       ///< packets free to be sent
  std::uint32_t inserted = 0;  ///< packets so far
  std::uint32_t sent = 0;
  std::int32_t received = 0;
  std::int64_t held_at = -1;  ///< direct all-reduce: when a packet last met the closed barrier
  std::int32_t balance = 0;   ///< receives posted minus messages arrived (ring)
  Balances balances;          ///< the same per key (other algorithms)
  bool early = false;         ///< messages for another phase are kept in Early
  std::uint8_t phase = 0;
  std::uint32_t phases = kNone;  ///< its phase list; kNone: this rank has not issued it
  std::uint32_t op = kNone;
  std::int64_t priority = 0;
  StreamId next_waiting;
  std::int64_t since = 0;  ///< when it began to wait, or the phase whose end is worked out
};

/// Recording only. What led to a chunk's present state at one member, back to when the last member
/// of its collective came: time in queues, and in hops and end points.
struct ChunkHistory {
  std::int64_t queued = 0;  ///< when the phase at hand began to wait
  std::int64_t begun = 0;
  std::int64_t queue = 0;
  std::int64_t latency = 0;
};

/// Who of a ring has begun a phase whose end is worked out when all have.
struct RingArrival {
  std::uint32_t spec = kNone;
  std::uint32_t come = 0;
  std::int64_t first = 0;  ///< when the first came
  bool together = true;    ///< all came at that time
};

/// Which of all chunks comes before which, where nothing else tells: the one that was issued first;
/// of those issued at one time the one whose collective stands earlier in the program, then that of
/// the smaller group. Ranks agree on all of it, and it is the same for groups that are alike.
struct ChunkOrder {
  std::int64_t issued = -1;             ///< when the first ranks issued it …
  graph::NodeId node = graph::kNoNode;  ///< … and the least of their nodes by which they did
  std::uint32_t precedence = 0;         ///< of its communicator
  std::uint32_t number = 0;             ///< among its communicator's chunks

  friend auto operator<=>(const ChunkOrder&, const ChunkOrder&) = default;
};

/// One chunk of a collective at all members: where messages find their receiver.
struct Chunk {
  std::vector<Stream> streams;  ///< by player; gone when all are done
  std::vector<RingArrival>
      ring_arrivals;  ///< [phase × players + leader]; phases that are worked out
  std::uint32_t communicator = 0;
  std::uint32_t players = 0;
  std::uint32_t done = 0;
  std::uint32_t number = 0;  ///< among its communicator's chunks
  ChunkOrder order;
  std::vector<std::uint8_t>
      dims_order;          ///< logical dims, decided by the first rank that issues the chunk
  std::int64_t chunk = 0;  ///< Themis: its size; 0 = not decided yet
  // Orrery rules: the plan and the queues of its phases, decided by the first that issue it; of
  // several at one time by those whose node is the least, then whose phases are.
  const void* plan = nullptr;
  std::uint32_t phases = kNone;
  bool decided = false;
  std::vector<ChunkHistory> history;  ///< recording: by member

  /// Its messages, among those that a rank sends in one tick (see model::Send).
  [[nodiscard]] std::uint64_t flow() const { return std::uint64_t{number} << 32 | communicator; }
};

/// Which of a chunk's messages that a rank sends in one tick comes first.
[[nodiscard]] inline std::uint64_t step_order(std::uint32_t spec, std::uint32_t step) {
  return std::uint64_t{spec} << 32 | step;
}

/// A message of a phase that leaves when its receiver has announced itself (rendezvous). The sender
/// may have ended the phase by then.
struct AnnouncedSend {
  std::uint32_t block = 0;
  std::uint32_t member = 0;
  std::uint32_t to = 0;    ///< member
  std::uint32_t step = 0;  ///< matching key, or where in a tree the sender has the receiver
  std::uint32_t rank = 0;  ///< that is simulated
  const model::PhaseSpec* spec = nullptr;
};

/// The chunks of one communicator.
struct ChunkSequence {
  std::vector<std::uint32_t> next;    ///< by player: chunks issued so far; empty: none
  std::vector<std::uint32_t> blocks;  ///< by chunk from `first`; kNone: done
  std::uint32_t first = 0;
  std::vector<std::vector<Stream>> spare;  ///< of chunks that are done
};

/// A collective one rank has issued and not finished.
struct CollectiveOp {
  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  std::int64_t chunks_left = 0;
  std::uint64_t sent =
      0;  ///< bytes put on the network by phases that have ended; trees' as they go
};

struct QueuedPhase {
  std::uint32_t spec;
  std::uint32_t queue;
};

/// The phases of one chunk with their queues: shared by all chunks and ranks that have the same.
using PhaseList = std::vector<QueuedPhase>;

/// A packet on its way over a shared memory bus.
struct Crossing {
  StreamId stream;
  std::uint32_t packet = 0;
  bool reduce = false;
};

/// Chunks that wait for one of a rank's dimension queues.
struct ChunkQueue {
  StreamId first;  ///< waiting, in order
  StreamId last;
  StreamId arrived;  ///< RG: in this tick, to be put in order when it is over
  std::uint32_t running = 0;
  bool unsettled = false;  ///< Orrery rules: to look at when the tick is over
  // Orrery rules: whether the phase that left last was an all-gather; of those that left together,
  // the one of the newest chunk.
  bool last_was_gather = false;
  ChunkOrder last_chunk;
  std::int64_t last_at = -1;
};

}  // namespace orrery::sim
