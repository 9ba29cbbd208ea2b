// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/in_small.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "orrery/estimate/program/play.h"
#include "orrery/estimate/program/simulated.h"

namespace orrery::estimate {

using workload::Program;

namespace {

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
  if (!fewer)
    return std::nullopt;
  return *std::move(fewer);
}

Result<Time> played_by(const Program& program, OpCosts& costs) {
  const auto times = costs.of(program);
  if (!times) return tl::unexpected(times.error());
  return play(program, *times);
}

Result<double> off(const Program& small, OpCosts& costs) {
  const auto played = played_by(small, costs);
  if (!played) return tl::unexpected(played.error());
  const auto result = simulated(small, costs.cluster());
  if (!result) return tl::unexpected(result.error());
  return static_cast<double>(result->end.count()) - static_cast<double>(played->count());
}

/// Where two known values lead.
double further(double a, double b, double from, double to, double at) {
  return to > from ? a + (b - a) * (at - from) / (to - from) : a;
}

}  // namespace

bool links_are_shared(const study::Cluster& cluster) {
  return cluster.library == nullptr && cluster.platform.fabric != nullptr;
}

Result<Time> estimated(const Program& program, OpCosts& costs) {
  const auto played = played_by(program, costs);
  if (!played || !links_are_shared(costs.cluster())) return played;
  constexpr std::array<std::uint32_t, 2> kLayers{2, 4};
  const std::uint32_t layers = most_layers(program);
  const std::int64_t batches = program.spec.microbatches(), stages = program.spec.parallel.pp;
  const std::array<std::int64_t, 2> few{std::min(batches, stages == 1 ? 2 : stages),
                                        std::min(batches, stages == 1 ? 3 : 2 * stages)};
  std::array<std::array<double, 2>, 2> longer{};
  for (std::size_t m = 0; m < 2; ++m) {
    const auto fewer = with_microbatches(program, few[m]);
    if (!fewer) return played;
    for (std::size_t l = 0; l < 2; ++l) {
      Program small = *fewer;
      keep_layers(small, kLayers[l]);
      const auto is = off(small, costs);
      if (!is) return tl::unexpected(is.error());
      longer[m][l] = *is;
    }
  }
  std::array<double, 2> all{};
  for (std::size_t m = 0; m < 2; ++m)
    all[m] = further(longer[m][0], longer[m][1], kLayers[0], kLayers[1],
                     std::max(layers, kLayers[0]));
  const double more = further(all[0], all[1], static_cast<double>(few[0]),
                              static_cast<double>(few[1]), static_cast<double>(batches));
  return Time(std::max<std::int64_t>(0, played->count() + std::llround(more)));
}

}  // namespace orrery::estimate
