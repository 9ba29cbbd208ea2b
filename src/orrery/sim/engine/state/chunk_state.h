// SPDX-License-Identifier: Apache-2.0
//
// The state of chunks of collectives during a simulation. Plain data.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/graph/graph.h"
#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Identifies one chunk at one rank: see ChunkPool::at.
struct StreamId {
  std::uint32_t block = kNone;
  std::uint32_t representative = 0;  ///< of its communicator

  [[nodiscard]] bool none() const { return block == kNone; }
  friend bool operator==(StreamId a, StreamId b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

/// Receives posted minus messages arrived, by matching key. Most phases have one key and do not use
/// this.
class Balances {
 public:
  Balances() = default;
  Balances(const Balances& other) { *this = other; }
  Balances(Balances&&) = default;
  Balances& operator=(const Balances& other) {
    assign(other.size_);
    std::copy_n(other.values_.get(), size_, values_.get());
    return *this;
  }
  Balances& operator=(Balances&&) = default;
  ~Balances() = default;

  [[nodiscard]] bool empty() const { return values_ == nullptr; }
  [[nodiscard]] std::int8_t& operator[](std::uint32_t key) { return values_[key]; }
  [[nodiscard]] std::int8_t operator[](std::uint32_t key) const { return values_[key]; }
  void assign(std::uint32_t keys) {
    values_ = keys == 0 ? nullptr : std::make_unique<std::int8_t[]>(keys);
    size_ = keys;
  }
  void clear() { assign(0); }

  void save(StateWriter& to) const {
    to(std::vector<std::int8_t>(values_.get(), values_.get() + size_));
  }
  void load(StateReader& from) {
    const auto values = from.take<std::vector<std::int8_t>>();
    assign(static_cast<std::uint32_t>(values.size()));
    std::copy(values.begin(), values.end(), values_.get());
  }

 private:
  std::unique_ptr<std::int8_t[]> values_;
  std::uint32_t size_ = 0;
};

/// One chunk of a collective at one rank.
struct Stream {
  const model::PhaseSpec* spec = nullptr;  ///< the running phase; null while waiting or done
  StreamId id;
  std::uint32_t member = 0;    ///< of the communicator; the first one that its rank represents
  std::uint32_t rank = 0;      ///< number of the simulated rank
  std::uint32_t position = 0;  ///< in the running phase's ring
  std::int32_t steps_left = 0;
  std::int32_t free = 0;       ///< packets free to be sent
  std::uint32_t inserted = 0;  ///< packets so far
  std::uint32_t sent = 0;
  std::int32_t received = 0;
  std::int64_t held_at = -1;  ///< direct all-reduce: when a packet last met the closed barrier
  std::int32_t balance = 0;   ///< receives posted minus messages arrived (ring)
  Balances balances;          ///< the same per key (other algorithms)
  bool early = false;         ///< EarlyMessages stores messages for another phase
  std::uint8_t phase = 0;
  std::uint32_t phases = kNone;  ///< number of its phase list; kNone: this rank has not issued it
  std::uint32_t op = kNone;
  std::int64_t priority = 0;
  StreamId next_waiting;
  std::int64_t since = 0;  ///< when it began to wait, or when its phase in closed form began

  /// The state, for checkpoints, without the spec.
  static auto fields(auto& self) {
    auto& [spec, id, member, rank, position, steps_left, free, inserted, sent, received, held_at,
           balance, balances, early, phase, phases, op, priority, next_waiting, since] = self;
    return std::tie(id, member, rank, position, steps_left, free, inserted, sent, received, held_at,
                    balance, balances, early, phase, phases, op, priority, next_waiting, since);
  }
};

/// Recording only. The causes of a chunk's current state at one member, since the last member of
/// its collective arrived: time in queues, and in hops and end points.
struct ChunkHistory {
  std::int64_t queued = 0;  ///< when the current phase began to wait
  std::int64_t begun = 0;
  std::int64_t queue = 0;
  std::int64_t latency = 0;
};

/// The members of a ring that have begun a phase in closed form, which needs all of them.
struct RingArrival {
  std::uint32_t spec = kNone;
  std::uint32_t arrived = 0;
  std::int64_t first = 0;    ///< arrival of the first
  bool simultaneous = true;  ///< all arrived at that time
};

/// Tie-breaking order of all chunks. The chunk that was issued first comes first. Of those issued
/// at one time, the collective that is earlier in the program comes first, then the smaller group.
/// All ranks agree on this order, and it is the same for equivalent groups.
struct ChunkOrder {
  std::int64_t issued = -1;             ///< when the first ranks issued it …
  graph::NodeId node = graph::kNoNode;  ///< … and the lowest of the nodes by which they did
  std::uint32_t precedence = 0;         ///< of its communicator
  std::uint32_t number = 0;             ///< among its communicator's chunks

  friend auto operator<=>(const ChunkOrder&, const ChunkOrder&) = default;
};

/// One chunk of a collective at all members. Messages find their receiver here.
struct Chunk {
  std::vector<Stream> streams;  ///< by representative; empty when all are done
  std::vector<RingArrival>
      ring_arrivals;  ///< [phase × representatives + leader]; only phases in closed form
  std::uint32_t communicator = 0;
  std::uint32_t representatives = 0;
  std::uint32_t done = 0;
  std::uint32_t number = 0;  ///< among its communicator's chunks
  ChunkOrder order;
  std::vector<std::uint8_t>
      dims_order;          ///< logical dims, decided by the first rank that issues the chunk
  std::int64_t chunk = 0;  ///< Themis: its size; 0 = not decided yet
  // Orrery rules: the plan and the queues of its phases, decided by the first ranks that issue it.
  // Of several at one time, the lowest node decides, then the lowest phases.
  const void* plan = nullptr;
  std::uint32_t phases = kNone;
  bool decided = false;
  std::vector<ChunkHistory> history;  ///< recording: by member

  /// The state, for checkpoints, without the streams and the plan.
  static auto fields(auto& self) {
    auto& [streams, ring_arrivals, communicator, representatives, done, number, order, dims_order,
           chunk, plan, phases, decided, history] = self;
    return std::tie(ring_arrivals, communicator, representatives, done, number, order, dims_order,
                    chunk, phases, decided, history);
  }

  /// Identifies its messages among those that a rank sends in one tick (see model::Send). Ranks
  /// agree on the order.
  [[nodiscard]] std::uint64_t flow() const {
    return std::uint64_t{number} << 32 | order.precedence;
  }
};

/// Order of a chunk's messages among those that a rank sends in one tick.
[[nodiscard]] inline std::uint64_t step_order(std::uint32_t spec, std::uint32_t step) {
  return std::uint64_t{spec} << 32 | step;
}

/// A message of a phase that leaves when its receiver has announced itself (rendezvous). The sender
/// can have ended the phase by then.
struct AnnouncedSend {
  std::uint32_t block = 0;
  std::uint32_t member = 0;
  std::uint32_t to = 0;    ///< member
  std::uint32_t step = 0;  ///< matching key, or the receiver's slot at the sender in a tree
  std::uint32_t rank = 0;  ///< simulated rank
  const model::PhaseSpec* spec = nullptr;

  /// The state, for checkpoints, without the spec.
  static auto fields(auto& self) {
    auto& [block, member, to, step, rank, spec] = self;
    return std::tie(block, member, to, step, rank);
  }
};

/// The chunks of one communicator.
struct ChunkSequence {
  std::vector<std::uint32_t> next;    ///< by representative: chunks issued so far; empty: none
  std::vector<std::uint32_t> blocks;  ///< by chunk from `first`; kNone: done
  std::uint32_t first = 0;
  std::vector<std::vector<Stream>> spare;  ///< storage of completed chunks, for reuse

  /// The state, for checkpoints.
  static auto fields(auto& self) {
    auto& [next, blocks, first, spare] = self;
    return std::tie(next, blocks, first);
  }
};

/// A collective that one rank has issued and not finished.
struct CollectiveOp {
  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  std::int64_t chunks_left = 0;
  std::uint64_t sent = 0;  ///< bytes sent by phases that have ended; for trees, by messages sent
};

struct QueuedPhase {
  std::uint32_t spec;
  std::uint32_t queue;
};

/// The phases of one chunk with their queues. Chunks and ranks with equal phases share one list.
using PhaseList = std::vector<QueuedPhase>;

/// A packet in transfer over a shared memory bus.
struct Crossing {
  StreamId stream;
  std::uint32_t packet = 0;
  bool reduce = false;
};

/// Chunks that wait in one of a rank's dimension queues.
struct ChunkQueue {
  StreamId first;  ///< waiting, in order
  StreamId last;
  StreamId arrived;  ///< RG: arrived in this tick, sorted into the queue at its end
  std::uint32_t running = 0;
  bool unsettled = false;  ///< Orrery rules: process at the end of the tick
  // Orrery rules: whether the phase that left last was an all-gather. Of phases that left at one
  // time, the one of the newest chunk counts.
  bool last_was_gather = false;
  ChunkOrder last_chunk;
  std::int64_t last_at = -1;
};

}  // namespace orrery::sim
