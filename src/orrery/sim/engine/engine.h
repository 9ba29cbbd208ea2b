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

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/chunks/chunk_queues.h"
#include "orrery/sim/collectives/collective_runner.h"
#include "orrery/sim/collectives/custom_collectives.h"
#include "orrery/sim/collectives/phases/phases.h"
#include "orrery/sim/collectives/recorded_collectives.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/messages/part_border.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/ranks/device_work.h"
#include "orrery/sim/engine/ranks/host_launches.h"
#include "orrery/sim/engine/ranks/kernel_interference.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/ranks/nodes.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"
#include "orrery/sim/engine/run/time_accounting.h"
#include "orrery/sim/observe/recording_observer.h"
#include "orrery/sim/shortcuts/repetition/repetition_skipper.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// One run, or one part of it: parts call downwards, and upwards through what is inherited here.
class Engine : private P2pMessages::Ends,
               private Nodes::Work,
               private CustomCollectives::Ends,
               private CollectiveRunner::Ends {
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
  enum class Rerun : std::uint8_t {
    no,
    every_rank,   ///< ranks that are alike need not do the same: see fold_failed()
    by_messages,  ///< nothing moved any more while ranks waited for others to begin phases that are
                  ///< worked out: when it would have stopped moving, only their messages tell
    in_one_part,  ///< side by side it cannot be simulated, or not well
  };
  [[nodiscard]] Rerun again() const {
    return run_.fold_failed.empty() || rerun_ == Rerun::in_one_part ? rerun_ : Rerun::every_rank;
  }
  [[nodiscard]] const std::string& fold_failed() const { return run_.fold_failed; }

 private:
  // engine.cc: setting up, the loop, the result
  [[nodiscard]] Result<void> set_up();
  void set_up_jobs();
  void begin_ranks();
  void begin_rank(std::uint32_t rank);
  [[nodiscard]] bool break_deadlocks();
  void go_on_to(std::int64_t time);
  void dispatch(const Event& event);
  [[nodiscard]] SimResult summarise();
  void note_predicted_collectives();
  void note_memory();

  // One rank for all that are alike
  [[nodiscard]] Result<void> set_up_folding();
  void check_folding();

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

  void starts_watched() override { repetition_skipper_.pass_marker(); }
  void begin(std::uint32_t rank, graph::NodeId node) override;
  std::int64_t launch(std::uint32_t rank, graph::NodeId node) override {
    return host_launches_.launch(rank, node);
  }
  void start_collective(std::uint32_t rank, graph::NodeId node);
  void custom_ends(std::uint32_t rank, graph::NodeId node) override;

  void collective_ends(std::uint32_t rank, graph::NodeId node) override;

  EngineRun run_;
  Rerun rerun_ = Rerun::no;
  std::shared_ptr<CollectivePlanner> shared_planner_;
  CollectivePlanner& planner_ = *shared_planner_;
  FoldingGuard guard_{run_, planner_};
  ChunkPool chunks_{run_};
  LocalEvents local_events_{run_, chunks_, guard_};
  Transport transport_{run_};
  TimeAccounting times_{run_};
  std::optional<PartBorder> border_;  // in a part
  P2pMessages messages_{run_, guard_, transport_, times_, *this, border_ ? &*border_ : nullptr};
  Nodes nodes_{run_, local_events_, times_, *this};
  KernelInterference interference_{run_, local_events_};
  DeviceWork device_work_{run_, local_events_, transport_, interference_};
  HostLaunches host_launches_{run_, device_work_};
  CustomCollectives custom_collectives_{run_, local_events_, messages_, *this};
  RecordedCollectives recorded_collectives_{run_, local_events_};  // Options::replay
  ChunkQueues queues_{run_, planner_, chunks_};
  CollectiveRunner collectives_{run_, planner_, chunks_, queues_, times_, *this, interference_};
  Phases phases_{run_,          planner_,   chunks_,      guard_,
                 local_events_, transport_, collectives_, interference_};
  std::optional<RecordingObserver> recording_;  // Options::record

  /// In a part: what it does before the others hand over what they have sent.
  struct Window {
    std::int64_t next = 0;   ///< when the next event is
    std::int64_t end = 0;    ///< nothing from others happens before
    std::int64_t done = 0;   ///< all before it has been
    std::int64_t known = 0;  ///< every message that was sent before it is here
    std::uint64_t work = 0;  ///< events so far, by rank
  };
  Window window_;

  RepetitionSkipper repetition_skipper_{
      {run_, planner_, nodes_, local_events_, times_, messages_, chunks_, collectives_, phases_}};
};

}  // namespace orrery::sim
