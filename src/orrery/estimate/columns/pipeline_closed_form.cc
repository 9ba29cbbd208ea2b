// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/pipeline_closed_form.h"

#include <algorithm>
#include <array>

namespace orrery::estimate {

using workload::ScheduleKind;

namespace {

double number_of(std::int32_t value) { return static_cast<double>(value); }

/// A stage's own passes: the lower bound of any path.
StageEnds alone(const PipelinePasses& of) {
  const double work = number_of(of.microbatches) *
                      (number_of(of.chunks) * of.chunk.all() + of.embedding.all() + of.head.all());
  return {work, work, work};
}

/// Ends of stages, from the end of the last stage: its last backward pass moves up stage by stage.
StageEnds backward_drain(const PipelinePasses& of, double last, double pass, double at_first) {
  const double up = number_of(of.stages - 1) * (pass + of.message);
  const double first = last + up + at_first;
  return {first, std::max(last, first - of.message - pass - at_first), last};
}

StageEnds gpipe_ends(const PipelinePasses& of) {
  const double p = number_of(of.stages), more = number_of(of.microbatches - 1);
  const auto passes = [&](double each, double at_first, double at_last) {
    return p * each + at_first + at_last + (p - 1) * of.message +
           more * (each + std::max(at_first, at_last));
  };
  const double forward = passes(of.chunk.forward, of.embedding.forward, of.head.forward);
  const double last = forward + (more + 1) * (of.chunk.backward() + of.head.backward());
  const double first =
      forward + passes(of.chunk.backward(), of.embedding.backward(), of.head.backward());
  const double own = of.chunk.backward() + of.embedding.backward();
  return {first, std::max(last, first - of.message - own), last};
}

/// The longest path of a number of pairs of passes that starts and ends at the last stage.
class LongestPath {
 public:
  explicit LongestPath(const PipelinePasses& of)
      : stages_(of.stages),
        middle_(of.chunk.all()),
        first_(middle_ + of.embedding.all()),
        last_(middle_ + of.head.all()),
        hop_(middle_ - of.saved_by_waiting.all() + 2 * of.message),
        table_(of.embedding.all()) {}

  [[nodiscard]] double longest(std::int32_t pairs) const {
    double best = rest(pairs, false);
    for (const std::int32_t size : {stages_ - 1, stages_}) {
      if (size < 1 || pairs < size) continue;
      const std::int32_t often = pairs / size;
      const bool all_stages = size == stages_;
      best = std::max(
          {best, number_of(often) * up_and_down(size) + rest(pairs - often * size, all_stages),
           up_and_down(size) + rest(pairs - size, all_stages)});
    }
    return best;
  }

 private:
  /// Duration of the path from the last stage over `size` stages and back.
  [[nodiscard]] double up_and_down(std::int32_t size) const {
    return last_ + number_of(size - 1) * hop_ + (size == stages_ ? table_ : 0);
  }
  /// Duration of the remaining pairs. `all_stages`: the path visits all stages anyway.
  [[nodiscard]] double rest(std::int32_t pairs, bool all_stages) const {
    if (pairs <= 0) return 0;
    double best = number_of(pairs) * last_;
    if (pairs <= stages_) best = std::max(best, up_and_down(pairs));
    if (!all_stages) return best;
    best = std::max({best, number_of(pairs) * first_, number_of(pairs) * middle_});
    if (pairs < stages_) best = std::max(best, first_ + number_of(pairs - 1) * hop_);
    return best;
  }

  std::int32_t stages_;
  double middle_, first_, last_, hop_, table_;
};

StageEnds one_f_one_b_ends(const PipelinePasses& of) {
  const double p = number_of(of.stages);
  const double fill =
      p * of.chunk.forward + of.embedding.forward + of.head.forward + (p - 1) * of.message;
  const double last = fill + LongestPath(of).longest(of.microbatches - 1) + of.chunk.backward() +
                      of.head.backward();
  return backward_drain(of, last, of.chunk.backward(), of.embedding.backward());
}

StageEnds interleaved_ends(const PipelinePasses& of) {
  if (of.chunks == 1) return one_f_one_b_ends(of);
  const double p = number_of(of.stages), m = number_of(of.microbatches);
  const double v = number_of(of.chunks), all = p * v;
  const double f = of.chunk.forward, b = of.chunk.backward();
  const double hops = (all - v) * of.message + (v - 1) * of.wrap;
  const double fill = all * f + of.embedding.forward + of.head.forward + hops;
  const double ahead = (v - 1) * p;  // before the first backward pass of the last stage
  const double at_last = fill + (m - 1) * of.head.all() + (m * v - ahead - 1) * (f + b) + all * b +
                         hops + of.embedding.backward() + of.head.backward();
  const double begun = ahead + 2 * (p - 1) + 1;  // of the first stage, before that
  const double tables = std::max(0.0, m - p - std::min(p, 2 * (p - 1) + 1));
  const double at_first = fill + of.head.backward() + (p - 1) * (b + of.message) +
                          std::max(0.0, m * v - begun) * f + m * v * b +
                          m * of.embedding.backward() + tables * of.embedding.forward;
  const double busy = m * (v * (f + b) + of.embedding.all());
  const double first = std::max({at_last, at_first, busy});
  const double each = b + of.message, table = of.embedding.backward();
  return {first, first - each - table, std::max(0.0, first - table - (p - 1) * each)};
}

StageEnds zb_h1_ends(const PipelinePasses& of) {
  const double p = number_of(of.stages), m = number_of(of.microbatches);
  const PassTimes &c = of.chunk, &e = of.embedding, &h = of.head;
  const double fill = (p - 1) * (c.forward + of.message) + e.forward;
  const double last = fill + m * (c.all() + h.all());
  const double through = fill + m * (c.forward + c.input + h.forward + h.input) +
                         std::max(0.0, m - p) * (c.weight + h.weight) +
                         (p - 1) * (c.input + of.message) + e.input + c.weight + e.weight;
  const double at_first = fill + c.forward + h.forward + p * c.input + h.input + e.input +
                          (p - 1) * of.message + (m - 1) * (c.input + e.input) +
                          m * (c.weight + e.weight) +
                          (m - std::min(p, m)) * (c.forward + e.forward);
  const double first = std::max({through, at_first, last});
  return {first, std::max(last, first - of.message), last};
}

constexpr std::array kClosedSchedules = {
    ClosedSchedule{.kind = ScheduleKind::gpipe, .ends = gpipe_ends, .in_phases = true},
    ClosedSchedule{.kind = ScheduleKind::one_f_one_b, .ends = one_f_one_b_ends},
    ClosedSchedule{.kind = ScheduleKind::interleaved,
                   .ends = interleaved_ends,
                   .median_error = 0.005,
                   .largest_error = 0.08},
    ClosedSchedule{.kind = ScheduleKind::zb_h1,
                   .ends = zb_h1_ends,
                   .splits = true,
                   .median_error = 0.005,
                   .largest_error = 0.1},
};

}  // namespace

const ClosedSchedule* closed_schedule(ScheduleKind kind) {
  for (const ClosedSchedule& one : kClosedSchedules)
    if (one.kind == kind) return &one;
  return nullptr;
}

FirstBackwardTimes first_backward_times(const PipelinePasses& of) {
  const double p = number_of(of.stages), v = number_of(of.chunks);
  double fill = p * v * of.chunk.forward + of.embedding.forward + of.head.forward +
                (p - 1) * v * of.message + (v - 1) * of.wrap;
  const ClosedSchedule& schedule = *closed_schedule(of.schedule);
  if (schedule.in_phases)
    fill += number_of(of.microbatches - 1) *
            (of.chunk.forward + std::max(of.embedding.forward, of.head.forward));
  const PassTimes& up = of.chunk;
  const double back = schedule.splits ? up.input : up.backward();
  return {fill + (p - 1) * (back + of.message) + of.head.backward(), fill};
}

StageEnds stage_ends(const PipelinePasses& passes) {
  if (passes.stages == 1) return alone(passes);
  StageEnds ends = closed_schedule(passes.schedule)->ends(passes);
  const double others = number_of(passes.stages - 1);
  const double filling = others * passes.saved_by_waiting.forward;
  const double draining = filling + others * passes.saved_by_waiting.backward();
  return {ends.first - draining, ends.second - draining, ends.last - filling};
}

}  // namespace orrery::estimate
