// SPDX-License-Identifier: Apache-2.0
//
// Kernels that run beside collectives and copies: a device's SMs and memory serve all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/model/compute/interference.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Slows kernels that a model told while collectives of their rank run, from when the rank has come
/// to them (NCCL's kernels hold their SMs while they wait for others) until they end, and while
/// loads and stores of remote memory read and write the device's own.
///
/// A kernel's end is worked out anew whenever something begins or ends beside it. What is left
/// of it is kept as it would be alone, and brought up to date once a tick, so that the order of
/// events within a tick cannot be seen.
class KernelInterference {
 public:
  KernelInterference(EngineRun& run, LocalEvents& local_events)
      : run_(run), local_events_(local_events), interference_(run.platform) {}

  /// Whether anything is ever slowed. Where not, nothing else is to be called.
  [[nodiscard]] bool on() const { return !run_.shared.kernel_interference.empty(); }

  /// A kernel begins that takes so long alone: its end will come as LocalKind::kernel_done.
  void begin(std::uint32_t rank, graph::NodeId node, std::int64_t alone);
  /// Events of kind kernel_done. True: it has ended; false: it was said of an end that has become
  /// another since.
  [[nodiscard]] bool ends(std::uint32_t rank, graph::NodeId node);

  void phase_begins(const Stream& stream) { phase(stream, 1); }
  void phase_ends(const Stream& stream) { phase(stream, -1); }
  /// From now on copies of `rank` move so many bytes/s more, or fewer.
  void copy_rate_changes(std::uint32_t rank, std::int64_t by);

 private:
  void phase(const Stream& stream, int by);
  void change(std::uint32_t rank, const model::ConcurrentUse& taken);
  void set_end(std::uint32_t rank, InterferenceState::Kernel& kernel);

  EngineRun& run_;
  LocalEvents& local_events_;
  model::Interference interference_;
};

}  // namespace orrery::sim
