// SPDX-License-Identifier: Apache-2.0
//
// The metrics of a run, in the field's terms. Each metric has a name, a unit, a meaning and a
// formula; explain.h explains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// Where the time of a step goes. Per rank, exposed_compute + overlapped + exposed_comm +
/// exposed_memory + idle = step, to the picosecond. Idle includes the time between the rank's
/// finish and the end of the step. Means over ranks are rounded down; idle absorbs the rounding.
struct Shares {
  Time exposed_compute{}, overlapped{}, exposed_comm{}, exposed_memory{}, idle{};
};
[[nodiscard]] Shares rank_time_shares(const result::Run& run, std::uint32_t rank);
[[nodiscard]] Shares mean_shares(const result::Run& run);

/// The share of the step in which ranks that send or receive (pipeline stages) are idle, mean over
/// those ranks. Empty if no rank sends or receives.
[[nodiscard]] std::optional<double> bubble(const result::Run& run);

/// Floating-point operations that the devices execute (hfu) or the model requires (mfu), relative
/// to their peak over the step (Run::peak_flops). For a generated workload, from Run::work. For
/// traces, from the operations that nodes state; mfu excludes nodes with "recompute" in their name.
/// Empty if no operations are stated or the peak is unknown.
struct Utilization {
  double flops = 0;  ///< all ranks, as stated by nodes
  std::optional<double> hfu;
  std::optional<double> mfu;
};
[[nodiscard]] Utilization utilization(const result::Run& run);

/// The work per second of a generated workload.
struct Throughput {
  double tokens = 0;               ///< per second, all devices together; 0: the model has no tokens
  double samples = 0;              ///< per second
  double flops = 0;                ///< StepWork::model_flops per second and device
  std::optional<double> hfu, mfu;  ///< see Utilization
};
/// `peak` (FLOP/s of one device), 0: unknown. Empty if the step has no duration.
[[nodiscard]] std::optional<Throughput> throughput(const result::StepWork& work, Time step,
                                                   std::size_t devices, double peak);

/// The speed of a collective, from the arrival of its last member until its last member finishes.
/// algbw = complete buffer / time; busbw = algbw × the factor of nccl-tests (all_reduce 2(n-1)/n;
/// all_gather, reduce_scatter, all_to_all (n-1)/n; others 1). Source: NVIDIA nccl-tests,
/// doc/PERFORMANCE.md.
struct CollectiveSpeed {
  Time time{};
  double algbw = 0;  ///< bytes/s; 0 if the collective has no duration
  double busbw = 0;
  /// Lower bound of the time / time; 1: as fast as its links allow.
  std::optional<double> of_bound;
};
[[nodiscard]] std::optional<CollectiveSpeed> speed_of(const result::Run& run,
                                                      const result::Collective& collective);

/// All collectives of one (type, group size, bytes), over all groups or of one group.
struct CollectiveClass {
  std::string type;
  std::uint32_t members = 0;
  Bytes bytes{};
  std::uint32_t group = result::kNone;  ///< kNone: several groups
  std::uint32_t count = 0;
  std::uint64_t sent = 0;  ///< bytes that all their ranks send
  Time time{};             ///< sum over collectives
  Time waited{};           ///< waiting for the last member, summed over collectives and members
  double algbw = 0, busbw = 0;  ///< from the sums
  std::optional<double> of_bound;
};
/// By total time, descending.
[[nodiscard]] std::vector<CollectiveClass> collective_classes(const result::Run& run,
                                                              bool by_group = false);

/// Which ranks delay others: in collectives the last member to arrive, for receives the sender.
struct Straggler {
  std::uint32_t rank = 0;
  Time caused_wait{};            ///< waiting of other ranks for this one, summed
  Time waited{};                 ///< waiting of this rank for others
  std::uint32_t times_last = 0;  ///< collectives in which it arrived last while others waited
};
struct Stragglers {
  /// Ranks that waited or delayed others, by `caused_wait`, descending, then by rank.
  std::vector<Straggler> ranks;
  struct Pair {
    std::uint32_t waiter, straggler;
    Time time{};
  };
  std::vector<Pair> worst;  ///< at most ten, longest first
};
[[nodiscard]] Stragglers stragglers(const result::Run& run);

/// The rank with the largest memory peak, if the trace names tensors (ties: the lowest).
[[nodiscard]] std::optional<std::uint32_t> peak_memory_rank(const result::Run& run);

/// The metrics in the order in which reports list them: "step", "exposed_compute" …
struct Metric {
  std::string name;   ///< stable, snake_case
  std::string title;  ///< "exposed communication"
  std::string unit;   ///< "s", "1" (a share), "B", "B/s", "1/s", "FLOP", "FLOP/s"
  double value = 0;
  std::string text;  ///< "2.535 ms", "58.3 %"
  /// Empty: neither is better by itself (MetricInfo::is_descriptive).
  std::optional<bool> more_is_better = false;
};
[[nodiscard]] std::vector<Metric> metrics(const result::Run& run);

}  // namespace orrery::analysis
