// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_report.h"

#include <cmath>
#include <utility>

#include "orrery/workload/memory/chunk_profile.h"
#include "orrery/workload/memory/framework_buffers.h"
#include "orrery/workload/memory/memory_items.h"
#include "orrery/workload/memory/memory_walk.h"
#include "orrery/workload/memory/model_state.h"

namespace orrery::workload {
namespace {

/// If all roles have more tasks than the first limit, only the worst role has samples (56 bytes
/// each), unless it exceeds the second.
constexpr std::uint64_t kMaxSamples = 1u << 20, kMaxOfOne = 1u << 22;
constexpr double kMaxBytes = 0x1p62;  // bytes; below, sums of 64 bits are exact

Result<void> check(const Program& program, const MemoryOptions& options) {
  if (!(options.fragmentation >= 0 && options.fragmentation <= 1)) {
    return fail(Errc::config_range, "fragmentation", "must be between 0 and 1");
  }
  for (const Role& role : program.roles) {
    if (memory_upper_bound(program, role) * (1 + options.fragmentation) < kMaxBytes) continue;
    return fail(Errc::config_range, role.name, "a rank would need more than 4 EiB",
                "use a smaller model or smaller microbatches, or more ranks");
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

std::int64_t allowance(const LiveBytes& alive, double fraction) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(alive.total()) * fraction));
}

/// The model state of all weights of the role.
ModelStateBytes state_of(const Program& program, const Role& role, const ModelState& state) {
  ModelStateBytes sum;
  for (const std::vector<PartRun>& chunk : role.chunks) {
    for (const PartRun& run : chunk) {
      const Part& part = program.parts[run.part];
      const std::int64_t count = run.count;
      for (const ModelStateBytes& each :
           {state.dense(part.weights, part.frozen), state.experts(part.weights, part.frozen),
            state.tables(part.weights)}) {
        sum.weights += count * each.weights;
        sum.gradients += count * each.gradients;
        sum.optimizer += count * each.optimizer;
      }
    }
  }
  if (program.spec.offload.optimizer)  // one piece in the update, one in transfer
    sum.optimizer = std::min(sum.optimizer, 2 * program.spec.offload.piece.count());
  return sum;
}

/// Device memory holds only the pieces of the optimizer state that are in transfer.
void only_pieces(std::int64_t bytes, std::vector<MemoryItem>& items) {
  for (MemoryItem& item : items) {
    if (item.kind == MemoryKind::optimizer) item.bytes = 0;
  }
  items.push_back({MemoryKind::optimizer, "pieces from remote memory", bytes});
}

/// Which details to compute for a role, in addition to sums.
struct RoleDetails {
  bool items = false, samples = false;
};

RoleMemory account(const Program& program, std::uint32_t index, const ModelState& state,
                   const MemoryOptions& options, RoleDetails details) {
  const Role& role = program.roles[index];
  const double fragmentation = options.fragmentation;
  RoleMemory out;
  out.role = index;
  if (role.ranks == 0) return out;  // this combination of classes does not occur
  const ModelStateBytes whole_step = state_of(program, role, state);
  out.weights = whole_step.weights;
  out.gradients = whole_step.gradients;
  out.optimizer = whole_step.optimizer;
  out.workspace = workspace_bytes(program.spec, options.device);
  out.context = options.device.context;
  out.communicators = communicator_bytes(program, role, options.device);
  std::vector<ChunkProfile> chunks;
  for (const auto& chunk : role.chunks) chunks.push_back(profile_chunk(program, chunk, state));

  TaskPeak peak;
  peak.in_flight.assign(chunks.size(), 0);
  peak.awaiting_weight_half.assign(chunks.size(), 0);
  peak.task.kind = TaskKind::step;
  const std::int64_t always = whole_step.total() + out.workspace;
  const std::int64_t copies = gradient_copies(program, role, state);
  out.after_step = always + copies;
  out.peak = always;
  const TaskSelection selection =
      details.samples ? TaskSelection::all_tasks : TaskSelection::peak_tasks;
  walk_tasks(program, role, chunks, selection, [&](const TaskPeak& moment) {
    LiveBytes alive = moment.live;
    if (moment.task.kind == TaskKind::step) alive.working += copies;
    const std::int64_t bytes = always + alive.total();
    if (bytes > out.peak) {
      out.peak = bytes;
      peak = moment;
      peak.live = alive;
    }
    if (!details.samples) return;
    out.samples.push_back({moment.index, moment.task.kind, moment.task.microbatch,
                           moment.task.chunk, bytes, alive.activations, alive.working,
                           alive.communication});
  });
  out.peak_task = peak.index;
  out.peak_at = peak.task;
  out.activations = peak.live.activations;
  out.working = peak.live.working;
  out.communication = peak.live.communication;
  out.fragmentation = allowance(peak.live, fragmentation);
  if (!details.items) return out;
  out.at_peak = state_items(program, role, state);
  if (program.spec.offload.optimizer) only_pieces(out.optimizer, out.at_peak);
  for (MemoryItem& item : live_items(program, role, chunks, peak)) {
    out.at_peak.push_back(std::move(item));
  }
  if (peak.task.kind == TaskKind::step)
    out.at_peak.push_back(
        {MemoryKind::working, "gradients in fp32", out.peak > always ? copies : 0});
  out.at_peak.push_back({MemoryKind::workspace, "matrix products", out.workspace});
  sort_items(out.at_peak);
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
    case MemoryKind::workspace:
      return "workspace";
    case MemoryKind::fragmentation:
      return "fragmentation";
    case MemoryKind::context:
      return "context";
    case MemoryKind::communicators:
      break;
  }
  return "communicators";
}

Result<MemoryReport> account_memory(const Program& program, const MemoryOptions& options) {
  if (auto fine = check(program, options); !fine) return tl::unexpected(fine.error());
  const ModelState state(program.spec, program.mesh);
  MemoryReport report;
  const RoleDetails each{options.details, options.details && tasks_of(program) <= kMaxSamples};
  for (std::uint32_t role = 0; role < program.roles.size(); ++role) {
    report.roles.push_back(account(program, role, state, options, each));
    if (report.roles.back().total() > report.roles[report.worst].total()) report.worst = role;
  }
  if (report.roles.empty() || each.samples) return report;
  const bool few = tasks_of(program.roles[report.worst]) <= kMaxOfOne;
  report.roles[report.worst] =
      account(program, report.worst, state, options, {true, options.details && few});
  return report;
}

}  // namespace orrery::workload
