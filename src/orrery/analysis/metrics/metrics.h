// SPDX-License-Identifier: Apache-2.0
//
// What a run amounts to, in the field's terms. Each metric has a name, a unit, a meaning and a way
// it was computed (see explain.h), so that a figure in a report can always be asked about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// Means over ranks, and per rank the same: exposed_compute + overlapped + exposed_comm +
/// exposed_memory + idle = step, to the picosecond per rank (idle includes the wait from a rank's
/// own finish to the end of the step); the means are rounded down and idle takes what is left.
struct Shares {
  Time exposed_compute{}, overlapped{}, exposed_comm{}, exposed_memory{}, idle{};
};
[[nodiscard]] Shares rank_time_shares(const result::Run& run, std::uint32_t rank);
[[nodiscard]] Shares mean_shares(const result::Run& run);

/// Time in which ranks that send or receive (a pipeline's) do nothing at all, mean over those
/// ranks, as a share of the step; empty when no rank sends or receives.
[[nodiscard]] std::optional<double> bubble(const result::Run& run);

/// Floating-point operations that the devices did (hfu) or that the model needs (mfu) over what
/// they could have done in the step at peak (Run::peak_flops). Of a generated workload: those of
/// Run::work. Of traces: those that nodes state; for mfu without nodes whose name says "recompute".
/// Empty where nothing states operations or the peak is unknown.
struct Utilization {
  double flops = 0;  ///< all ranks, as nodes state them
  std::optional<double> hfu;
  std::optional<double> mfu;
};
[[nodiscard]] Utilization utilization(const result::Run& run);

/// How much of its work a step gets done in its time; of generated workloads.
struct Throughput {
  double tokens = 0;               ///< per second, all devices together; 0: the model has none
  double samples = 0;              ///< per second
  double flops = 0;                ///< StepWork::model_flops per second and device
  std::optional<double> hfu, mfu;  ///< see Utilization
};
/// `peak` (FLOP/s of one device) 0: unknown. Empty for a step that takes no time.
[[nodiscard]] std::optional<Throughput> throughput(const result::StepWork& work, Time step,
                                                   std::size_t devices, double peak);

/// How fast a collective was. Time is from when its last member came to when its last member was
/// done. algbw = whole buffer / time; busbw = algbw × the factor of NCCL's tests (all_reduce
/// 2(n-1)/n, all_gather, reduce_scatter, all_to_all (n-1)/n, others 1). Source: NVIDIA nccl-tests,
/// doc/PERFORMANCE.md.
struct CollectiveSpeed {
  Time time{};
  double algbw = 0;  ///< bytes/s; 0 when it took no time
  double busbw = 0;
  std::optional<double> of_bound;  ///< bound / time: 1 = as fast as its links allow
};
[[nodiscard]] std::optional<CollectiveSpeed> speed_of(const result::Run& run,
                                                      const result::Collective& collective);

/// The collectives of one (type, group size, bytes) over all groups, or of one group.
struct CollectiveClass {
  std::string type;
  std::uint32_t members = 0;
  Bytes bytes{};
  std::uint32_t group = result::kNone;  ///< kNone: several
  std::uint32_t count = 0;
  std::uint64_t sent = 0;       ///< what all their ranks put on the network
  Time time{};                  ///< sum over collectives
  Time waited{};                ///< sum over collectives and members: until the last came
  double algbw = 0, busbw = 0;  ///< of the sums
  std::optional<double> of_bound;
};
/// By total time, longest first.
[[nodiscard]] std::vector<CollectiveClass> collective_classes(const result::Run& run,
                                                              bool by_group = false);

/// Who waited for whom: in collectives for the last member to come, in receives for the sender.
struct Straggler {
  std::uint32_t rank = 0;
  Time caused{};                 ///< others waited for it, summed over them
  Time waited{};                 ///< it waited for others
  std::uint32_t times_last = 0;  ///< collectives to which it came last (and somebody waited)
};
struct Stragglers {
  std::vector<Straggler> ranks;  ///< those with anything to tell, most caused first, then by rank
  struct Pair {
    std::uint32_t waiter, culprit;
    Time time{};
  };
  std::vector<Pair> worst;  ///< at most ten, longest first
};
[[nodiscard]] Stragglers stragglers(const result::Run& run);

/// The rank that holds most, where the trace names tensors (ties: the lowest).
[[nodiscard]] std::optional<std::uint32_t> peak_memory_rank(const result::Run& run);

/// The metrics by name, in the order a person would want to read them: "step", "exposed_compute" …
struct Metric {
  std::string name;   ///< stable, snake_case
  std::string title;  ///< "exposed communication"
  std::string unit;   ///< "s", "1" (a share), "B", "B/s", "1/s", "FLOP", "FLOP/s"
  double value = 0;
  std::string text;  ///< "2.535 ms", "58.3 %"
  bool more_is_better = false;
};
[[nodiscard]] std::vector<Metric> metrics(const result::Run& run);

}  // namespace orrery::analysis
