// SPDX-License-Identifier: Apache-2.0
//
// The most important numbers of a run, as data. All summaries (text, JSON, web page) are built from
// a Digest, for stored and for newly simulated runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/memory_level_use.h"
#include "orrery/analysis/metrics/metrics.h"
#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/analysis/metrics/step_breakdown.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// The work of a step and its speed.
struct StepThroughput {
  result::StepWork work;
  Throughput speed;
};

/// The collectives of one type and size, or all sends.
struct CommKind {
  std::string type;           ///< "all_reduce", … "send"
  std::uint32_t members = 0;  ///< 0: unknown, or a send
  std::uint64_t count = 0;
  bool one_size = false;  ///< whether all have the same size
  Bytes bytes{};          ///< complete buffer of each if one_size, else the sum over all
  Time each{};            ///< mean
  bool waits = false;     ///< `each` includes waiting for the last member; else it starts when the
                          ///< last member arrives
  double busbw = 0;       ///< bytes/s; 0: unknown (see CollectiveSpeed)
  std::optional<double> of_bound;
};

/// The rank with the largest memory peak.
struct MemoryPeak {
  Bytes peak{};
  Bytes capacity{};                   ///< that a process can allocate on a device; 0: unknown
  std::optional<std::uint32_t> rank;  ///< empty: all ranks of `role`
  std::string role;        ///< "stage 3"; "": from tensors in the trace, not from a memory model
  std::optional<Time> at;  ///< time of the peak, if known
  std::optional<MemoryNeed> need;  ///< of `role`, with all that is not in tensors

  /// Whether it fits; empty: not known. The tensors of a trace are all that is known of it.
  [[nodiscard]] std::optional<MemoryFit> fit() const {
    if (capacity == Bytes{}) return std::nullopt;
    return memory_fit(need.value_or(MemoryNeed{peak, peak, peak}), capacity);
  }
  /// `capacity` less the needed memory.
  [[nodiscard]] Bytes spare() const { return capacity - (need ? need->total : peak); }
};

/// A segment of the critical path at one node, without the idle time before it.
struct PathNode {
  std::uint32_t rank = 0;
  std::uint64_t node = 0;  ///< id in the trace
  std::string name, kind;
  Time start{}, end{};
  std::optional<result::PathCause> cause;  ///< of its longest part, if known
};

/// The critical path. Its length is compute + comm + memory + wait.
struct PathDigest {
  std::size_t nodes = 0;    ///< nodes with time on the path
  std::uint32_t ranks = 0;  ///< distinct ranks of those nodes
  Time compute{}, comm{}, memory{}, wait{};
  std::optional<std::array<Time, result::kPathCauses>> by_cause;  ///< if known
  std::vector<PathNode> longest;                                  ///< at most two, longest first

  /// Adds a segment if it is among the longest two; the earlier of equally long ones comes first.
  void add(PathNode piece);
};

/// The maximum number of ranks in Digest::step.slowest.
inline constexpr std::size_t kMaxSlowestRanks = 64;

struct Digest {
  std::uint32_t ranks = 0;
  std::uint32_t distinct = 0;   ///< distinct timelines; 0: unknown
  std::uint32_t simulated = 0;  ///< representative ranks that were simulated; 0: unknown
  bool stalled = false;
  std::optional<Time> recorded;            ///< recorded duration of the simulated steps
  Breakdown step;                          ///< with up to kMaxSlowestRanks slow ranks
  std::optional<StepInterval> interval;    ///< of the step, from known errors
  std::vector<result::ErrorClass> errors;  ///< error classes on the critical path
  TimeByProvenance time_by_provenance{};   ///< critical path by provenance of its times
  /// Collectives whose times a library model predicts.
  std::vector<result::PredictedCollective> predicted;
  std::optional<StepThroughput> throughput;
  std::optional<double> mfu, hfu;  ///< see Utilization
  double peak_flops = 0;           ///< FLOP/s of a device; 0: unknown
  std::string peak_precision;
  /// If its products have another peak than `peak_flops`.
  std::optional<FormatUtilization> by_format;
  std::optional<double> bubble;
  std::vector<CommKind> comm;  ///< by total time, descending; without receives
  std::optional<Straggler> worst_straggler;
  std::optional<MemoryPeak> memory;
  std::vector<MemoryLevelUse> remote_memory;  ///< only for stored runs
  std::optional<PathDigest> path;
  std::string network, compute, device, rules;  ///< names of the models; "": unknown
  std::string collectives;  ///< source of collective times; "": only the network model
  std::string in_step;      ///< additions to kernel times predicted in isolation; "": none
  result::SpanChoice spans = result::SpanChoice::all;  ///< which spans the run contains
};

/// The digest of a stored run.
[[nodiscard]] Digest digest(const result::Run& run);

}  // namespace orrery::analysis
