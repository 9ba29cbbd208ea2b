// SPDX-License-Identifier: Apache-2.0
//
// When stages have run all their passes, in closed form.
#pragma once

#include <cstdint>

#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// What one pass takes, in any unit. A backward pass is both halves.
struct PassTimes {
  double forward = 0, input = 0, weight = 0;

  [[nodiscard]] double backward() const { return input + weight; }
  [[nodiscard]] double all() const { return forward + input + weight; }
};

/// Stages that are alike but for the ends.
struct PipelinePasses {
  workload::ScheduleKind schedule = workload::ScheduleKind::one_f_one_b;
  std::int32_t stages = 1, microbatches = 1, chunks = 1;
  PassTimes chunk;            ///< through a chunk that has layers only
  PassTimes embedding, head;  ///< what the first and the last have more
  PassTimes waited;           ///< what passes through a chunk take less while the pipeline fills or
                              ///< drains
  double message = 0;         ///< from one stage to the next, on average
  double wrap = 0;            ///< from the last to the first, between chunks
};

/// When each has run its last pass.
struct StageEnds {
  double first = 0, second = 0, last = 0;
};

/// A schedule whose stages end when a closed form says; tests compare it with the schedule played.
struct ClosedSchedule {
  workload::ScheduleKind kind;
  StageEnds (*ends)(const PipelinePasses& passes);  ///< of several stages, `waited` left out
  bool in_phases = false;    ///< all forward passes come first: all microbatches are in flight
  bool splits = false;       ///< backward passes run in halves
  double median_error = 0;   ///< of ends, where messages take at most a tenth of a pass
  double largest_error = 0;  ///< the same
};
/// Null: none is known.
[[nodiscard]] const ClosedSchedule* closed_schedule(workload::ScheduleKind kind);

/// When the first and the last stage begin their first backward pass.
struct FirstBackwardTimes {
  double first = 0, last = 0;
};
/// Of a schedule with a closed form.
[[nodiscard]] FirstBackwardTimes first_backward_times(const PipelinePasses& passes);

/// The longest way through the passes and messages of a schedule with a closed form.
///
/// gpipe: forward passes one after another at the slowest stage, then backward ones. Exact.
///
/// 1f1b: a way goes from pass to pass down and up the stages; each turn at the bottom takes a
/// microbatch, and in all there are microbatches + stages - 1 pairs of passes on it (Narayanan et
/// al., SOSP19). Between the first and the last time at the last stage it may stay there, or go up
/// to the first and back, with two messages for each stage but one: whichever is longest. Exact
/// where warming up takes no longer than that.
///
/// interleaved (Narayanan et al., SC21), zb_h1 (Qi et al., ICLR 2024): the longest of ways that
/// stay at one end; messages between count while the pipeline fills and drains. Ways that go to
/// and fro are left out, which are longer only where messages take about as long as passes.
[[nodiscard]] StageEnds stage_ends(const PipelinePasses& passes);

}  // namespace orrery::estimate
