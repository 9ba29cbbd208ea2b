// SPDX-License-Identifier: Apache-2.0
//
// The conductor: takes the next event off the queue, hands it to the part that it belongs to, and
// makes the result. The parts are drawn in docs/architecture.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "orrery/sim/accounts.h"
#include "orrery/sim/agendas.h"
#include "orrery/sim/beside.h"
#include "orrery/sim/border.h"
#include "orrery/sim/chunk_queues.h"
#include "orrery/sim/chunks.h"
#include "orrery/sim/collectives.h"
#include "orrery/sim/customs.h"
#include "orrery/sim/devices.h"
#include "orrery/sim/guard.h"
#include "orrery/sim/history.h"
#include "orrery/sim/hosts.h"
#include "orrery/sim/meetings.h"
#include "orrery/sim/messages.h"
#include "orrery/sim/nodes.h"
#include "orrery/sim/phases.h"
#include "orrery/sim/repeat.h"
#include "orrery/sim/run.h"
#include "orrery/sim/simulate.h"
#include "orrery/sim/transport.h"

namespace orrery::sim {

/// One run, or one part of it: parts call downwards, and upwards through what is inherited here.
class Engine : private Messages::Ends,
               private Nodes::Work,
               private Customs::Ends,
               private Collectives::Ends {
 public:
  Engine(const graph::Workload& workload, const platform::Platform& platform,
         const Options& options);

  /// One part of what `whole` has set up.
  Engine(Engine& whole, std::uint32_t part);

  /// A copy that goes on from where `other` has come to: with the same result, whatever becomes of
  /// the other. Not while it records, nor where it does not keep times. They must not run at the
  /// same time: plans of chunks are shared.
  Engine(const Engine& other);

  /// start(), advance() to the end, finish().
  [[nodiscard]] Result<SimResult> run();
  /// The first nodes of all ranks may start.
  [[nodiscard]] Result<void> start();
  /// Handles so many events, or fewer if there are no more. False: there are none, or the run has
  /// failed.
  bool advance(std::uint64_t events);
  [[nodiscard]] Result<SimResult> finish();
  /// Whether what run() returned is to be thrown away, and how to begin again.
  enum class Again : std::uint8_t {
    no,
    every_rank,   ///< ranks that are alike need not do the same: see fold_failed()
    by_messages,  ///< nothing moved any more while ranks waited for others to begin phases that are
                  ///< worked out: when it would have stopped moving, only their messages tell
    in_one_part,  ///< side by side it cannot be simulated, or not well
  };
  [[nodiscard]] Again again() const {
    return run_.fold_failed.empty() || again_ == Again::in_one_part ? again_ : Again::every_rank;
  }
  [[nodiscard]] const std::string& fold_failed() const { return run_.fold_failed; }

 private:
  // engine.cc: setting up, the loop, the result
  [[nodiscard]] Result<void> set_up();
  void set_up_jobs();
  void begin_ranks();
  void begin_rank(std::uint32_t rank);
  [[nodiscard]] bool rescue_still();
  void go_on_to(std::int64_t time);
  void dispatch(const Event& event);
  [[nodiscard]] SimResult summarise();
  void note_told();
  void note_memory();

  // engine_quotient.cc: one rank for all that are alike
  [[nodiscard]] Result<void> set_up_quotient();
  void doubt_folding();

  // engine_parts.cc: ranks that only send each other messages, simulated side by side
  [[nodiscard]] bool find_parts();
  [[nodiscard]] Result<SimResult> run_parts();
  [[nodiscard]] bool run_windows(std::span<const std::unique_ptr<Engine>> engines);
  void tell(std::span<const std::unique_ptr<Engine>> engines) const;
  void run_window();
  void absorb(Engine& part);
  void take_in();

  void message_ends(const Endpoint& who) override;
  void run_local(std::uint32_t rank, const LocalEvent& event);

  void starts_watched() override { repeats_.pass_marker(); }
  void begin(std::uint32_t rank, graph::NodeId node) override;
  std::int64_t launch(std::uint32_t rank, graph::NodeId node) override {
    return hosts_.launch(rank, node);
  }
  void start_collective(std::uint32_t rank, graph::NodeId node);
  void custom_ends(std::uint32_t rank, graph::NodeId node) override;

  void collective_ends(std::uint32_t rank, graph::NodeId node) override;

  Run run_;
  Again again_ = Again::no;
  std::shared_ptr<Planner> kept_planner_;
  Planner& planner_ = *kept_planner_;
  Guard guard_{run_, planner_};
  Chunks chunks_{run_};
  Agendas agendas_{run_, chunks_, guard_};
  Transport transport_{run_};
  Accounts accounts_{run_};
  std::optional<Border> border_;  // in a part
  Messages messages_{run_, guard_, transport_, accounts_, *this, border_ ? &*border_ : nullptr};
  Nodes nodes_{run_, agendas_, accounts_, *this};
  BesideOthers beside_{run_, agendas_};
  Devices devices_{run_, agendas_, transport_, beside_};
  Hosts hosts_{run_, devices_};
  Customs customs_{run_, agendas_, messages_, *this};
  Meetings meetings_{run_, agendas_};  // Options::replay
  ChunkQueues queues_{run_, planner_, chunks_};
  Collectives collectives_{run_, planner_, chunks_, queues_, accounts_, *this, beside_};
  Phases phases_{run_, planner_, chunks_, guard_, agendas_, transport_, collectives_, beside_};
  std::optional<History> history_;  // Options::record

  /// In a part: what it does before the others hand over what they have sent.
  struct Window {
    std::int64_t next = 0;   ///< when the next event is
    std::int64_t end = 0;    ///< nothing from others happens before
    std::int64_t done = 0;   ///< all before it has been
    std::int64_t known = 0;  ///< every message that was sent before it is here
    std::uint64_t work = 0;  ///< events so far, by rank
  };
  Window window_;

  Repeater repeats_{
      {run_, planner_, nodes_, agendas_, accounts_, messages_, chunks_, collectives_, phases_}};
};

}  // namespace orrery::sim
