// SPDX-License-Identifier: Apache-2.0
//
// Runs phases in which switches reduce or multicast.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/model/collective/algorithms/switch_tree.h"
#include "orrery/sim/collectives/phases/phase_runner.h"
#include "orrery/sim/collectives/phases/ring_arrivals.h"
#include "orrery/sim/collectives/phases/switch_streams.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/messages/transport.h"

namespace orrery::sim {

/// Runs the phases of switches (Peers::in_switches). A phase starts when the last member of the
/// ring has begun it, because data moves only when every member has contributed.
///
/// If messages share links and the network knows switches as end points, each edge of the switch
/// tree is one message up and one down. All of them leave at the same time, because switches
/// forward each byte as soon as it is reduced. The phase ends when the last message has ended and
/// its last byte has crossed the entire tree in both directions. On other networks, the tree
/// computes the duration (SwitchTree::duration).
///
/// If switches of the tree run a limited number of concurrent collectives, the phase can wait for
/// others (SwitchStreams). Each chunk of a collective, and each of its phases in several
/// dimensions, counts as one.
class SwitchPhases final : public PhaseRunner {
 public:
  SwitchPhases(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks,
               Transport& transport)
      : run_(run),
        planner_(planner),
        chunks_(chunks),
        ring_arrivals_(run, chunks),
        transport_(transport) {}

  [[nodiscard]] static bool runs(const model::PhaseSpec& spec) {
    return spec.peers == model::Peers::in_switches && spec.request.library.nodes == 0;
  }
  /// The collective that its switches run.
  [[nodiscard]] static model::SwitchCollective switch_collective(const model::PhaseSpec& spec) {
    return {spec.request.type, spec.request.data, spec.request.exchange};
  }
  /// Whether one event ends a phase for a member, without messages.
  [[nodiscard]] static bool ends_in_one_event(const EngineRun& run) {
    return run.network.traits().uncontended || run.network.end_points().switches == 0;
  }
  [[nodiscard]] bool ends_in_one_event() const { return ends_in_one_event(run_); }
  void begin(Stream& stream) override;
  /// Events of kind switch_deliver.
  void handle(const Event& event) override;
  /// Events of kind switch_free.
  void release_switches(const Event& event);
  /// Starts the phases that have acquired their switches. Returns false if there are none.
  bool settle();

  /// Continues from the state of `other`.
  void resume(const SwitchPhases& other) {
    ring_arrivals_.resume(other.ring_arrivals_);
    running_phases_ = other.running_phases_;
    free_ = other.free_;
    streams_ = other.streams_;
  }
  /// For checkpoints. The planner and the chunks are loaded first.
  void save(StateWriter& to) const;
  void load(StateReader& from);

 private:
  /// A phase with messages in flight.
  struct RunningPhase {
    const model::PhaseSpec* spec = nullptr;
    std::uint32_t block = 0;
    ArrivedRing ring;
    std::int64_t end = 0;                       ///< according to the messages that have arrived
    std::uint32_t pending_messages = 0;         ///< messages that have not arrived
    std::vector<std::int64_t> extra_latencies;  ///< by message: latency of the tree less its own
    const model::SwitchTree* tree = nullptr;  ///< of the first representative; provides the streams

    /// The state, for checkpoints; the chunk, the spec and the ring determine the pointers.
    static auto fields(auto& self) {
      auto& [spec, block, ring, end, pending_messages, extra_latencies, tree] = self;
      return std::tie(block, ring.base, ring.leader, ring.simultaneous, end, pending_messages,
                      extra_latencies);
    }
  };

  [[nodiscard]] const model::SwitchTree* tree(const Chunk& block, const model::PhaseSpec& spec,
                                              std::uint32_t member);
  [[nodiscard]] std::uint32_t add(RunningPhase phase);
  [[nodiscard]] std::uint32_t first_member(const Chunk& block, const ArrivedRing& ring) const;
  void load_phase(StateReader& from, RunningPhase& phase);
  void check_folding(std::uint32_t communicator, const model::PhaseSpec& spec,
                     const model::SwitchTree& tree);
  void start(std::uint32_t number);
  void end(std::uint32_t number, std::int64_t time);
  void remove(std::uint32_t number);
  void send(std::uint32_t number);
  void wait_for_buffers(std::uint32_t number, const model::SwitchTree& tree);
  void send(std::uint32_t number, const model::SwitchTree& tree, std::uint32_t edge,
            std::uint32_t weight);

  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  RingArrivals ring_arrivals_;
  Transport& transport_;
  std::vector<RunningPhase> running_phases_;
  std::vector<std::uint32_t> free_;
  SwitchStreams streams_;
  /// Folding: the tree of each switch with a limited number of concurrent collectives.
  using Owner = std::pair<std::uint32_t, const model::SwitchTree*>;  // communicator, tree
  std::map<model::EndPoint, Owner> owners_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> checked_;  // communicators, specs
};

}  // namespace orrery::sim
