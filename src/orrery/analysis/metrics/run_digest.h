// SPDX-License-Identifier: Apache-2.0
//
// The dozen figures that a person wants first, as data. Every summary (text, JSON, the web page) is
// one of these, whether the run was kept or has just been simulated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/memory_level_use.h"
#include "orrery/analysis/metrics/metrics.h"
#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/analysis/metrics/step_breakdown.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// What a step gets done in its time.
struct StepThroughput {
  result::StepWork work;
  Throughput speed;
};

/// The collectives of one kind, or the sends.
struct CommKind {
  std::string type;           ///< "all_reduce", … "send"
  std::uint32_t members = 0;  ///< 0: not known, or a send
  std::uint64_t count = 0;
  bool one_size = false;  ///< they are all as large
  Bytes bytes{};          ///< with one_size of one whole buffer, else of all together
  Time each{};            ///< mean
  bool waits = false;     ///< … with waiting for the last member; else from when it came
  double busbw = 0;       ///< bytes/s; 0: not known (see CollectiveSpeed)
  std::optional<double> of_bound;
};

/// The rank that holds most.
struct MemoryPeak {
  Bytes peak{};
  Bytes capacity{};                   ///< of a device; 0: not known
  std::optional<std::uint32_t> rank;  ///< empty: all those of `role`
  std::string role;                   ///< "stage 3"; "": tensors are counted, not an account kept
  std::optional<Time> at;             ///< when, where it is known
};

/// A stretch of the critical path at one node; idle time before it is not in it.
struct PathNode {
  std::uint32_t rank = 0;
  std::uint64_t node = 0;  ///< the trace's own id
  std::string name, kind;
  Time start{}, end{};
  std::optional<result::PathCause> cause;  ///< of most of it, where it is known
};

/// The critical path: compute + comm + memory + wait = its length.
struct PathDigest {
  std::size_t nodes = 0;    ///< that take time on it
  std::uint32_t ranks = 0;  ///< of those nodes, distinct
  Time compute{}, comm{}, memory{}, wait{};
  std::optional<std::array<Time, result::kPathCauses>> by_cause;  ///< where it is known
  std::vector<PathNode> longest;                                  ///< at most two, longest first

  /// A piece more; earlier ones go first among those as long.
  void add(PathNode piece);
};

/// So many of the slowest ranks are known.
inline constexpr std::size_t kMaxSlowestRanks = 64;

struct Digest {
  std::uint32_t ranks = 0;
  std::uint32_t distinct = 0;   ///< timelines; 0: not known
  std::uint32_t simulated = 0;  ///< ranks, for all of them; 0: not known
  bool stalled = false;
  std::optional<Time> recorded;            ///< how long what is simulated was recorded to take
  Breakdown step;                          ///< with kMaxSlowestRanks
  std::optional<StepInterval> band;        ///< of the step, as far as errors are known
  std::vector<result::ErrorClass> errors;  ///< of what it hangs on
  TimeByProvenance time_by_provenance{};   ///< … by what that stands on
  std::vector<result::PredictedCollective> predicted;  ///< collectives that a library runs
  std::optional<StepThroughput> yield;
  std::optional<double> mfu, hfu;  ///< see Utilization
  double peak_flops = 0;           ///< FLOP/s of a device; 0: not known
  std::string peak_precision;
  std::optional<double> bubble;
  std::vector<CommKind> comm;  ///< longest in all first; receives are left out
  std::optional<Straggler> waited_for;
  std::optional<MemoryPeak> memory;
  std::vector<MemoryLevelUse> remote_memory;  ///< of a run that was kept
  std::optional<PathDigest> path;
  std::string network, compute, device, rules;  ///< the models, in a word each; "": not known
  std::string collectives;  ///< who says what collectives take; "": the network alone
  std::string in_step;      ///< what was added to kernels that a model told alone; "": nothing
  result::SpanChoice spans = result::SpanChoice::all;  ///< what is known of
};

/// Of a run that was kept.
[[nodiscard]] Digest digest(const result::Run& run);

}  // namespace orrery::analysis
