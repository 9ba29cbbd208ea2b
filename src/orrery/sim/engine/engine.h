// SPDX-License-Identifier: Apache-2.0
//
// The event loop: passes each event to its component. docs/architecture.md shows the components.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "orrery/core/system/memory_reservation.h"
#include "orrery/sim/checkpoint/checkpointer.h"
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

/// One run, or one part of it. Components call lower components directly, and higher ones through
/// the interfaces that this class implements.
class Engine : private P2pMessages::CompletionObserver,
               private Nodes::Executor,
               private CollectiveObserver {
 public:
  /// `hints`: what earlier attempts to fold have shown.
  Engine(const graph::Workload& workload, const platform::Platform& platform,
         const Options& options, LinkHints hints = {});

  /// One part of the run that `whole` has set up.
  Engine(Engine& whole, std::uint32_t part);

  /// A copy that continues from the current state of `other`; its result does not depend on later
  /// actions of `other`. Requires that `other` stores times and does not record. The two must not
  /// run concurrently, because they share plans of chunks.
  Engine(const Engine& other);

  /// start(), advance() to the end, finish(). With `from`: continues from this checkpoint instead.
  [[nodiscard]] Result<SimResult> run(CheckpointHeader header = {},
                                      const CheckpointContent* from = nullptr);
  /// Sets up the run and starts the first nodes of all ranks.
  [[nodiscard]] Result<void> start();
  /// Processes up to `events` events. Returns false if no event is left or the run has failed.
  bool advance(std::uint64_t events);
  [[nodiscard]] Result<SimResult> finish();
  /// Whether the result of run() is invalid, and how to repeat the run.
  enum class Rerun : std::uint8_t {
    no,
    every_rank,   ///< equivalent ranks may behave differently, see EngineRun::fold_failed
    by_messages,  ///< ranks deadlock in phases in closed form: only messages show when
    in_one_part,  ///< parts cannot be simulated in parallel, or not efficiently
  };
  [[nodiscard]] Rerun rerun_reason() const {
    return run_.fold_failed.empty() || rerun_ == Rerun::in_one_part ? rerun_ : Rerun::every_rank;
  }
  /// After such a run: why it is invalid, and the hints for another attempt to fold.
  [[nodiscard]] const EngineRun& state() const { return run_; }

  // engine_checkpoint.cc: state between two ticks. load() replaces begin_ranks(); false: invalid.
  void save(StateWriter& to) const;
  [[nodiscard]] bool load(StateReader& from);

 private:
  // engine.cc: setup, event loop, result
  [[nodiscard]] Result<void> set_up();
  [[nodiscard]] Result<void> estimate_resources();
  void set_up_jobs();
  void begin_ranks();
  [[nodiscard]] bool break_deadlocks();
  void run_until(std::int64_t time);
  void dispatch(const Event& event);
  [[nodiscard]] SimResult summarize();
  void add_predictions(const Engine& from);
  void note_memory();

  // Folding: one rank for all equivalent ones
  [[nodiscard]] Result<void> set_up_folding();
  void check_folding();

  // engine_parts.cc: parts that only exchange point-to-point messages, simulated in parallel
  [[nodiscard]] bool find_parts();
  [[nodiscard]] Result<SimResult> run_parts();
  [[nodiscard]] bool run_windows(std::span<const std::unique_ptr<Engine>> engines);
  void report_progress(std::span<const std::unique_ptr<Engine>> engines) const;
  void run_window();
  void absorb(Engine& part);
  void receive_messages();

  void on_message_end(const Endpoint& who) override;
  void run_local(std::uint32_t rank, const LocalEvent& event);
  void on_watched_start() override { repetition_skipper_.pass_marker(); }
  void begin(std::uint32_t rank, graph::NodeId node) override;
  void prefetch(std::uint32_t rank, graph::NodeId node) override;
  std::int64_t launch(std::uint32_t rank, graph::NodeId node) override;
  void end_launches(std::uint32_t rank, graph::NodeId node) override;
  void start_collective(std::uint32_t rank, graph::NodeId node);
  void refuse_folded_recording();

  static auto fields(auto& self);  // engine_checkpoint.cc
  void on_collective_end(std::uint32_t rank, graph::NodeId node) override;

  MemoryReservation reserved_memory_;
  EngineRun run_;
  LinkHints hints_;
  Rerun rerun_ = Rerun::no;
  std::shared_ptr<CollectivePlanner> shared_planner_;
  CollectivePlanner& planner_ = *shared_planner_;
  FoldingGuard guard_{run_, planner_};
  ChunkPool chunks_{run_};
  LocalEvents local_events_{run_, chunks_, guard_};
  Transport transport_{run_, guard_};
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
  PartWindow window_;                           // in a part
  Checkpointer checkpointer_{run_.options.checkpoints};
  RepetitionSkipper repetition_skipper_{
      {run_, planner_, nodes_, local_events_, times_, messages_, chunks_, collectives_, phases_}};
};

}  // namespace orrery::sim
