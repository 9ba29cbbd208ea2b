// SPDX-License-Identifier: Apache-2.0
//
// Slows kernels that overlap with collectives and copies, which use the same SMs and memory.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/compute/interference.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Slows kernels with predicted times while collectives of their rank run, from the arrival of the
/// rank to their end, because NCCL's kernels hold their SMs while they wait for others. Also slows
/// them while loads and stores of remote memory read and write the device's own memory.
///
/// Recalculates the end of a kernel whenever overlapping work begins or ends. Stores the remaining
/// time as time without interference and updates it once per tick, so that the order of events
/// within a tick does not affect the result. A kernel has one event. If its end is later by then,
/// the event moves; only an earlier end needs another event.
class KernelInterference {
 public:
  KernelInterference(EngineRun& run, LocalEvents& local_events)
      : run_(run), local_events_(local_events), interference_(run.platform) {}

  /// Whether the platform slows kernels at all. If not, do not call the other functions.
  [[nodiscard]] bool is_enabled() const { return !run_.shared.kernel_interference.empty(); }

  /// A kernel begins with a duration of `alone` picoseconds without interference. Its end arrives
  /// as LocalEventKind::kernel_done.
  void begin(std::uint32_t rank, graph::NodeId node, std::int64_t alone);
  /// Handles events of kind kernel_done. True: the kernel has ended. False: its end has changed.
  [[nodiscard]] bool finish(std::uint32_t rank, graph::NodeId node);

  void phase_begins(const Stream& stream) { phase(stream, 1); }
  void phase_ends(const Stream& stream) { phase(stream, -1); }
  /// From now on, copies of `rank` move `by` bytes/s more (negative: fewer).
  void copy_rate_changes(std::uint32_t rank, std::int64_t by);

 private:
  void phase(const Stream& stream, int by);
  [[nodiscard]] bool is_product(const graph::Graph& graph, graph::NodeId node);
  void change(std::uint32_t rank, const model::ConcurrentUse& taken);
  void set_end(std::uint32_t rank, InterferenceState::Kernel& kernel);
  void wake_at_end(std::uint32_t rank, InterferenceState::Kernel& kernel);

  EngineRun& run_;
  LocalEvents& local_events_;
  model::Interference interference_;
  struct Products {
    const graph::KernelTable* table = nullptr;
    std::vector<std::uint8_t> is_product;  ///< by kernel
  };
  std::vector<Products> products_;  ///< one per kernel table: one per job
};

}  // namespace orrery::sim
