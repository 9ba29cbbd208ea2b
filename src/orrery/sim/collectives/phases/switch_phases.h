// SPDX-License-Identifier: Apache-2.0
//
// Phases that switches do.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "orrery/model/collective/algorithms/switch_tree.h"
#include "orrery/sim/collectives/phases/phase_runner.h"
#include "orrery/sim/collectives/phases/ring_arrivals.h"
#include "orrery/sim/collectives/phases/switch_streams.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/messages/transport.h"

namespace orrery::sim {

/// Runs the phases that switches do (Peers::in_switches), from when the last of a ring has begun
/// it: data moves when there is a summand from everybody.
///
/// On a network whose messages share links and that knows switches as end points, each edge of the
/// tree is a message up and one down. All leave at the same time, since a byte is handed on as soon
/// as it is summed; the phase ends when the last of them has ended, and its last byte has gone up
/// and down the whole tree. Elsewhere the tree says how long it takes (SwitchTree::takes).
///
/// Where switches of the tree do only so many collectives at once it may have to wait for others
/// (SwitchStreams). Chunks of a collective, and its phases in several dimensions, each count as
/// one.
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
  /// What its switches are asked to do.
  [[nodiscard]] static model::SwitchCollective asked(const model::PhaseSpec& spec) {
    return {spec.request.type, spec.request.data, spec.request.exchange};
  }
  /// They end in one event.
  [[nodiscard]] bool ends_in_one_event() const {
    return !transport_.contended() || run_.network.end_points().switches == 0;
  }
  void begin(Stream& stream) override;
  /// Events of kind switch_deliver.
  void arrives(const Event& event) override;
  /// Events of kind switch_free.
  void leaves_switches(const Event& event);
  /// Phases that have their switches now begin. False: there are none.
  bool settle();

  /// Goes on from where another has come to.
  void resume(const SwitchPhases& other) {
    ring_arrivals_.resume(other.ring_arrivals_);
    under_way_ = other.under_way_;
    free_ = other.free_;
    streams_ = other.streams_;
  }

 private:
  /// A phase whose messages are on their way.
  struct UnderWay {
    const model::PhaseSpec* spec = nullptr;
    std::uint32_t block = 0;
    ArrivedRing ring;
    std::int64_t end = 0;              ///< by what has arrived so far
    std::uint32_t left = 0;            ///< messages that have not
    std::vector<std::int64_t> beyond;  ///< by message: latency of the tree beyond its own way
    const model::SwitchTree* tree = nullptr;  ///< of the first that plays: whose streams it takes
  };

  [[nodiscard]] const model::SwitchTree* tree(const Chunk& block, const model::PhaseSpec& spec,
                                              std::uint32_t member);
  [[nodiscard]] std::uint32_t keep(UnderWay phase);
  void wait_for_switches(std::uint32_t number);
  void check_folding(const Chunk& block, const model::PhaseSpec& spec,
                     const model::SwitchTree& tree);
  void start(std::uint32_t number);
  void end(std::uint32_t number, std::int64_t time);
  void forget(std::uint32_t number);
  void send(std::uint32_t number);
  void wait_for_buffers(std::uint32_t number, const model::SwitchTree& tree);
  void send(std::uint32_t number, const model::SwitchTree& tree, std::uint32_t edge,
            std::uint32_t weight);

  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  RingArrivals ring_arrivals_;
  Transport& transport_;
  std::vector<UnderWay> under_way_;
  std::vector<std::uint32_t> free_;
  SwitchStreams streams_;
  /// Folded: whose trees each switch that does only so many at once is in.
  using Owner = std::pair<std::uint32_t, const model::SwitchTree*>;  // of a communicator
  std::map<model::EndPoint, Owner> owners_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> looked_at_;  // communicators, specs
};

}  // namespace orrery::sim
