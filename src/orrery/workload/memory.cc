// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "orrery/workload/memory_items.h"
#include "orrery/workload/memory_profile.h"
#include "orrery/workload/memory_state.h"
#include "orrery/workload/memory_walk.h"

namespace orrery::workload {
namespace {

/// Of more tasks than this in all, only the worst role keeps samples of 56 bytes each, if its own
/// are not too many.
constexpr std::uint64_t kMostSamples = 1u << 20, kMostOfOne = 1u << 22;
constexpr double kMostBytes = 0x1p62;  // bytes; below, sums of 64 bits are exact

Result<void> check(const Program& program, const MemoryOptions& options) {
  if (!(options.fragmentation >= 0 && options.fragmentation <= 1)) {
    return fail(Errc::config_range, "fragmentation", "must be between 0 and 1");
  }
  for (const Role& role : program.roles) {
    if (bound(program, role) * (1 + options.fragmentation) < kMostBytes) continue;
    return fail(Errc::config_range, role.name, "a rank would hold more than 4 EiB",
                "make the model or the microbatches smaller, or spread them over more ranks");
  }
  return {};
}

std::uint64_t tasks_of(const Role& role) {
  std::uint64_t tasks = 0;
  for (const TaskLoop& loop : role.tasks) tasks += std::uint64_t{loop.count} * loop.tasks.size();
  return tasks;
}

std::uint64_t tasks_of(const Program& program) {
  std::uint64_t tasks = 0;
  for (const Role& role : program.roles) tasks += tasks_of(role);
  return tasks;
}

std::int64_t allowance(const Alive& alive, double fraction) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(alive.total()) * fraction));
}

RoleMemory account(const Program& program, std::uint32_t index, const StateRule& state,
                   const MemoryOptions& options) {
  const Role& role = program.roles[index];
  RoleMemory out;
  out.role = index;
  if (role.ranks == 0) return out;  // a combination of classes that does not occur
  std::vector<MemoryItem> items = state_items(program, role, state);
  for (const MemoryItem& item : items) {
    if (item.kind == MemoryKind::weights) out.weights += item.bytes;
    if (item.kind == MemoryKind::gradients) out.gradients += item.bytes;
    if (item.kind == MemoryKind::optimizer) out.optimizer += item.bytes;
  }
  const std::int64_t whole_step = out.weights + out.gradients + out.optimizer;
  std::vector<ChunkProfile> chunks;
  for (const auto& chunk : role.chunks) chunks.push_back(profile(program, chunk, state));

  Moment peak;
  peak.in_flight.assign(chunks.size(), 0);
  peak.half_done.assign(chunks.size(), 0);
  peak.task.kind = TaskKind::step;
  out.peak = whole_step;
  const Look look = options.samples ? Look::at_all : Look::at_peaks;
  walk(program, role, chunks, look, [&](const Moment& moment) {
    const Alive& alive = moment.alive;
    const std::int64_t spare = allowance(alive, options.fragmentation);
    const std::int64_t bytes = whole_step + alive.total() + spare;
    if (bytes > out.peak) {
      out.peak = bytes;
      out.fragmentation = spare;
      peak = moment;
    }
    if (!options.samples) return;
    out.samples.push_back({moment.index, moment.task.kind, moment.task.microbatch,
                           moment.task.chunk, bytes, alive.activations, alive.working,
                           alive.communication, spare});
  });
  out.peak_task = peak.index;
  out.peak_at = peak.task;
  out.activations = peak.alive.activations;
  out.working = peak.alive.working;
  out.communication = peak.alive.communication;
  for (MemoryItem& item : alive_items(program, role, chunks, peak)) {
    items.push_back(std::move(item));
  }
  items.push_back({MemoryKind::fragmentation,
                   fmt::format("allowance of {:g} %", options.fragmentation * 100),
                   out.fragmentation});
  sort_items(items);
  out.at_peak = std::move(items);
  return out;
}

}  // namespace

std::string_view name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::weights:
      return "weights";
    case MemoryKind::gradients:
      return "gradients";
    case MemoryKind::optimizer:
      return "optimizer";
    case MemoryKind::activations:
      return "activations";
    case MemoryKind::working:
      return "working";
    case MemoryKind::communication:
      return "communication";
    case MemoryKind::fragmentation:
      break;
  }
  return "fragmentation";
}

Result<MemoryReport> account_memory(const Program& program, const MemoryOptions& options) {
  if (auto fine = check(program, options); !fine) return tl::unexpected(fine.error());
  const StateRule state(program.spec, program.mesh);
  MemoryReport report;
  MemoryOptions each = options;
  each.samples = options.samples && tasks_of(program) <= kMostSamples;
  for (std::uint32_t role = 0; role < program.roles.size(); ++role) {
    report.roles.push_back(account(program, role, state, each));
    if (report.roles.back().peak > report.roles[report.worst].peak) report.worst = role;
  }
  if (options.samples && !each.samples && tasks_of(program.roles[report.worst]) <= kMostOfOne)
    report.roles[report.worst] = account(program, report.worst, state, options);
  return report;
}

}  // namespace orrery::workload
