// SPDX-License-Identifier: Apache-2.0
//
// End times of pipeline stages, in closed form.
#pragma once

#include <cstdint>

#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// Duration of one pass, in any unit. A backward pass consists of both halves.
struct PassTimes {
  double forward = 0, input = 0, weight = 0;

  [[nodiscard]] double backward() const { return input + weight; }
  [[nodiscard]] double all() const { return forward + input + weight; }
  friend PassTimes operator+(const PassTimes& a, const PassTimes& b) {
    return {a.forward + b.forward, a.input + b.input, a.weight + b.weight};
  }
  friend PassTimes operator-(const PassTimes& a, const PassTimes& b) {
    return {a.forward - b.forward, a.input - b.input, a.weight - b.weight};
  }
};

/// Passes of a pipeline whose stages differ only at the ends of the model.
struct PipelinePasses {
  workload::ScheduleKind schedule = workload::ScheduleKind::one_f_one_b;
  std::int32_t stages = 1, microbatches = 1, chunks = 1;
  PassTimes chunk;            ///< through a chunk with layers only
  PassTimes embedding, head;  ///< additional duration of the first and of the last chunk
  /// Subtracted from passes through a chunk while the pipeline fills or drains.
  PassTimes saved_by_waiting;
  double message = 0;  ///< to the next stage, mean
  double wrap = 0;     ///< from the last stage to the first, between chunks
};

/// End of the last pass of the first, second and last stage.
struct StageEnds {
  double first = 0, second = 0, last = 0;
};

/// A schedule with a closed form; tests compare it with the simulated schedule.
struct ClosedSchedule {
  workload::ScheduleKind kind;
  StageEnds (*ends)(
      const PipelinePasses& passes);  ///< for more than one stage; ignores `saved_by_waiting`
  bool in_phases = false;   ///< all forward passes come first: all microbatches are in flight
  bool splits = false;      ///< backward passes run in halves
  double median_error = 0;  ///< of stage ends, relative, if messages last at most a tenth of a pass
  double largest_error = 0;  ///< the same, largest
};
/// Null: the schedule has no closed form.
[[nodiscard]] const ClosedSchedule* closed_schedule(workload::ScheduleKind kind);

/// Start of the first backward pass of the first and of the last stage.
struct FirstBackwardTimes {
  double first = 0, last = 0;
};
/// The schedule must have a closed form.
[[nodiscard]] FirstBackwardTimes first_backward_times(const PipelinePasses& passes);

/// End times of stages: the longest path through the passes and messages of a schedule with a
/// closed form.
///
/// gpipe: forward passes in sequence at the slowest stage, then backward passes. Exact.
///
/// 1f1b: a path moves between adjacent stages. Each turn at the last stage uses up a microbatch; in
/// total the path has microbatches + stages - 1 pairs of passes (Narayanan et al., SOSP19). Between
/// its first and last visit to the last stage, the path stays there, or goes to the first stage and
/// back, with two messages for each stage but one; the longest path counts. Exact if warm-up lasts
/// no longer than that.
///
/// interleaved (Narayanan et al., SC21), zb_h1 (Qi et al., ICLR 2024): the longest of the paths
/// that stay at one end; messages count while the pipeline fills and drains. Paths that move back
/// and forth are ignored. They are longer only if messages last about as long as passes.
[[nodiscard]] StageEnds stage_ends(const PipelinePasses& passes);

}  // namespace orrery::estimate
