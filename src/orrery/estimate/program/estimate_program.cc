// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/estimate_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "orrery/estimate/program/op_schedule.h"
#include "orrery/estimate/program/program_simulation.h"

namespace orrery::estimate {

using workload::Program;

namespace {

constexpr double kEqualTolerance = 1e-9;

std::uint32_t max_layers(const Program& program) {
  std::uint32_t maximum = 1;
  for (const workload::Role& role : program.roles)
    for (const auto& recipe : role.recipes)
      for (const workload::Segment& segment : recipe) maximum = std::max(maximum, segment.count);
  return maximum;
}

void limit_layers(Program& program, std::uint32_t layers) {
  for (workload::Role& role : program.roles)
    for (auto& recipe : role.recipes)
      for (workload::Segment& segment : recipe) segment.count = std::min(segment.count, layers);
}

/// The same job with fewer microbatches; empty: the schedule does not support them.
std::optional<Program> with_microbatches(const Program& program, std::int64_t microbatches) {
  if (microbatches == program.spec.microbatches()) return program;
  workload::Spec spec = program.spec;
  spec.batch.global = spec.global_batch() / spec.microbatches() * microbatches;
  Findings ignored;
  auto fewer = workload::assemble(spec, ignored);
  if (!fewer) return std::nullopt;
  return *std::move(fewer);
}

/// Whether collectives of more than one kind of group, or collectives and messages, may use links
/// concurrently.
bool may_contend(const Program& program) {
  std::array<bool, workload::kAxes> used{};
  for (const workload::Body& body : program.bodies)
    for (const workload::Op& op : body.ops)
      if (op.op_class != workload::OpClass::copy &&
          (op.kind == graph::NodeKind::coll || op.kind == graph::NodeKind::send))
        used[static_cast<std::size_t>(op.axis)] |= program.mesh.axis(op.axis).extent() > 1;
  return std::count(used.begin(), used.end(), true) > 1;
}

Result<Time> scheduled_step(const Program& program, OpCosts& costs) {
  const auto times = costs.costs_of(program);
  if (!times) return tl::unexpected(times.error());
  return schedule_ops(program, *times);
}

/// Simulated step time minus scheduled step time, in picoseconds.
Result<double> simulated_difference(const Program& small, OpCosts& costs) {
  const auto scheduled = scheduled_step(small, costs);
  if (!scheduled) return tl::unexpected(scheduled.error());
  const auto result = simulate_program(small, costs.cluster());
  if (!result) return tl::unexpected(result.error());
  return static_cast<double>((result->end - *scheduled).count());
}

/// Linear extrapolation from two values.
double extrapolate(double a, double b, double from, double to, double at) {
  return to > from ? a + (b - a) * (at - from) / (to - from) : a;
}

}  // namespace

Result<Time> estimate_program(const Program& program, OpCosts& costs) {
  const auto scheduled = scheduled_step(program, costs);
  return scheduled ? correct_estimate(program, *scheduled, costs) : scheduled;
}

Result<Time> correct_estimate(const Program& program, Time scheduled, OpCosts& costs) {
  if (costs.cluster().library != nullptr || !may_contend(program)) return scheduled;
  const std::uint32_t layers = max_layers(program);
  const std::array<std::uint32_t, 2> layer_counts{std::min(layers, 2U), std::min(layers, 8U)};
  const std::int64_t batches = program.spec.microbatches(), stages = program.spec.parallel.pp;
  const std::array<std::int64_t, 2> batch_counts{std::min(batches, stages),
                                                 std::min(batches, 2 * stages)};
  std::array<double, 2> all{};
  for (std::size_t m = 2; m-- > 0;) {
    const auto fewer = with_microbatches(program, batch_counts[m]);
    if (!fewer) return scheduled;
    std::array<double, 2> by{};
    for (std::size_t l = 2; l-- > 0;) {
      Program small = *fewer;
      limit_layers(small, layer_counts[l]);
      const auto difference = simulated_difference(small, costs);
      if (!difference) return tl::unexpected(difference.error());
      // With no difference here, smaller and larger jobs have none either. Times are whole
      // picoseconds.
      if (m == 1 && l == 1 &&
          std::abs(*difference) <= kEqualTolerance * static_cast<double>(scheduled.count()))
        return scheduled;
      by[l] = *difference;
    }
    all[m] = extrapolate(by[0], by[1], layer_counts[0], layer_counts[1], layers);
  }
  const double by = extrapolate(all[0], all[1], static_cast<double>(batch_counts[0]),
                                static_cast<double>(batch_counts[1]), static_cast<double>(batches));
  return Time(std::max<std::int64_t>(0, scheduled.count() + std::llround(by)));
}

}  // namespace orrery::estimate
