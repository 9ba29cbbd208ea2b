// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/reduced_model.h"

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

constexpr double kAlike = 1e-9;

std::uint32_t most_layers(const Program& program) {
  std::uint32_t most = 1;
  for (const workload::Role& role : program.roles)
    for (const auto& recipe : role.recipes)
      for (const workload::Segment& segment : recipe) most = std::max(most, segment.count);
  return most;
}

void keep_layers(Program& program, std::uint32_t layers) {
  for (workload::Role& role : program.roles)
    for (auto& recipe : role.recipes)
      for (workload::Segment& segment : recipe) segment.count = std::min(segment.count, layers);
}

/// The same job with fewer microbatches; nothing: it has others than fewer.
std::optional<Program> with_microbatches(const Program& program, std::int64_t microbatches) {
  if (microbatches == program.spec.microbatches()) return program;
  workload::Spec spec = program.spec;
  spec.batch.global = spec.global_batch() / spec.microbatches() * microbatches;
  Findings nobody;
  auto fewer = workload::assemble(spec, nobody);
  if (!fewer) return std::nullopt;
  return *std::move(fewer);
}

/// Whether ops of more than one kind of group, or they and messages, may be on links at a time.
bool may_meet(const Program& program) {
  std::array<bool, workload::kAxes> used{};
  for (const workload::Body& body : program.bodies)
    for (const workload::Op& op : body.ops)
      if (op.op_class != workload::OpClass::copy &&
          (op.kind == graph::NodeKind::coll || op.kind == graph::NodeKind::send))
        used[static_cast<std::size_t>(op.axis)] |= program.mesh.axis(op.axis).extent() > 1;
  return std::count(used.begin(), used.end(), true) > 1;
}

Result<Time> played_by(const Program& program, OpCosts& costs) {
  const auto times = costs.of(program);
  if (!times) return tl::unexpected(times.error());
  return schedule_ops(program, *times);
}

/// How much longer a step takes than it is played, in picoseconds.
Result<double> longer(const Program& small, OpCosts& costs) {
  const auto played = played_by(small, costs);
  if (!played) return tl::unexpected(played.error());
  const auto result = simulate_program(small, costs.cluster());
  if (!result) return tl::unexpected(result.error());
  return static_cast<double>((result->end - *played).count());
}

/// Where two known values lead.
double further(double a, double b, double from, double to, double at) {
  return to > from ? a + (b - a) * (at - from) / (to - from) : a;
}

}  // namespace

Result<Time> estimate_program(const Program& program, OpCosts& costs) {
  const auto played = played_by(program, costs);
  if (!played || costs.cluster().library != nullptr || !may_meet(program)) return played;
  const std::uint32_t layers = most_layers(program);
  const std::array<std::uint32_t, 2> some{std::min(layers, 2U), std::min(layers, 8U)};
  const std::int64_t batches = program.spec.microbatches(), stages = program.spec.parallel.pp;
  const std::array<std::int64_t, 2> few{std::min(batches, stages), std::min(batches, 2 * stages)};
  std::array<double, 2> all{};
  for (std::size_t m = 2; m-- > 0;) {
    const auto fewer = with_microbatches(program, few[m]);
    if (!fewer) return played;
    std::array<double, 2> by{};
    for (std::size_t l = 2; l-- > 0;) {
      Program small = *fewer;
      keep_layers(small, some[l]);
      const auto is = longer(small, costs);
      if (!is) return tl::unexpected(is.error());
      // Then neither fewer nor more lack anything; times are of whole picoseconds.
      if (m == 1 && l == 1 && std::abs(*is) <= kAlike * static_cast<double>(played->count()))
        return played;
      by[l] = *is;
    }
    all[m] = further(by[0], by[1], some[0], some[1], layers);
  }
  const double by = further(all[0], all[1], static_cast<double>(few[0]),
                            static_cast<double>(few[1]), static_cast<double>(batches));
  return Time(std::max<std::int64_t>(0, played->count() + std::llround(by)));
}

}  // namespace orrery::estimate
