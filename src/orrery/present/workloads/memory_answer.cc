// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/memory_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/units.h"
#include "orrery/present/workloads/generate_answer.h"
#include "orrery/report/answer/number_text.h"
#include "orrery/workload/memory/memory_bounds.h"

namespace orrery::present {

using workload::MemoryReport;
using workload::RoleMemory;

namespace {

std::string task_text(const workload::Task& task) {
  switch (task.kind) {
    case workload::TaskKind::forward:
      return fmt::format("forward of microbatch {}", task.microbatch);
    case workload::TaskKind::backward:
    case workload::TaskKind::input_grad:
      return fmt::format("backward of microbatch {}", task.microbatch);
    case workload::TaskKind::weight_grad:
      return fmt::format("weight gradients of microbatch {}", task.microbatch);
    case workload::TaskKind::step:
      break;
  }
  return "the optimizer step";
}

/// "70.1 to 80.2 GB"
std::string range_text(workload::MemoryRange range) {
  return fmt::format("{} to {}", gigabytes(range.lower), gigabytes(range.upper));
}

/// The row of all items without a row.
constexpr const char* kOthers = "other";

/// Memory of a device, in GB for people.
report::Value size(std::int64_t bytes) {
  return report::Value(Bytes(bytes)).shown(gigabytes(bytes));
}

/// Three figures of memory (allocated, reserved, total), their parts and intervals.
void state_counters(report::Answer& answer, const RoleMemory& role) {
  const workload::MemoryBounds band = workload::memory_bounds(role);
  answer.row("allocated", "peak_bytes", size(role.peak),
             fmt::format("{} by tensors at the peak; {}", gigabytes(role.peak),
                         range_text(band.allocated)));
  answer.row("reserved", "reserved_bytes", size(role.reserved()),
             fmt::format("{} by the allocator, including {} of fragmentation",
                         gigabytes(role.reserved()), gigabytes(role.fragmentation)));
  const std::string others =
      role.context + role.communicators > 0
          ? fmt::format("including {} for the driver and {} for the collective library",
                        gigabytes(role.context), gigabytes(role.communicators))
          : "excluding driver and collective library (no device is given)";
  answer.row("total", "total_bytes", size(role.total()),
             fmt::format("{}, {}; {}", gigabytes(role.total()), others, range_text(band.total)));
  answer.line("least certain",
              fmt::format("{}: {} less to {} more", workload::name(band.widest_kind),
                          gigabytes(band.widest_below), gigabytes(band.widest_above)));
}

report::Columns<workload::MemoryItem> item_columns(std::int64_t peak) {
  report::Columns<workload::MemoryItem> columns;
  columns.add("alive at the peak", "name", [](const auto& item) { return item.name; })
      .add(
          "kind", "kind", [](const auto& item) { return workload::name(item.kind); },
          [](const auto& item) {
            return std::string(item.name == kOthers ? "" : workload::name(item.kind));
          })
      .add("bytes", "bytes", [](const auto& item) { return size(item.bytes); })
      .show_number("share", [peak](const auto& item) {
        return report::percent(static_cast<double>(item.bytes) / static_cast<double>(peak));
      });
  return columns;
}

void write_range(report::JsonWriter& json, workload::MemoryRange range) {
  json.begin_object().field("low_bytes", range.lower).field("high_bytes", range.upper).end_object();
}

void write_band(report::JsonWriter& json, const RoleMemory& role) {
  const workload::MemoryBounds band = workload::memory_bounds(role);
  json.begin_object();
  write_range(json.key("peak_interval"), band.allocated);
  write_range(json.key("total_interval"), band.total);
  json.field("least_certain", workload::name(band.widest_kind)).end_object();
}

report::Columns<RoleMemory> role_columns(const workload::Program& program) {
  report::Columns<RoleMemory> columns;
  columns.add("role", "role", [&](const auto& role) { return program.roles[role.role].name; })
      .field("ranks", [&](const auto& role) { return program.roles[role.role].ranks; })
      .add("weights", "weights_bytes", [](const auto& role) { return size(role.weights); })
      .add("gradients", "gradients_bytes", [](const auto& role) { return size(role.gradients); })
      .add("optimizer", "optimizer_bytes", [](const auto& role) { return size(role.optimizer); })
      .add(
          "activations", "activations_bytes",
          [](const auto& role) { return size(role.activations); },
          [](const auto& role) { return gigabytes(role.activations + role.working); })
      .field("working_bytes", [](const auto& role) { return role.working; })
      .add(
          "buffers", "communication_bytes",
          [](const auto& role) { return size(role.communication); },
          [](const auto& role) { return gigabytes(role.communication + role.workspace); })
      .field("workspace_bytes", [](const auto& role) { return role.workspace; })
      .field("fragmentation_bytes", [](const auto& role) { return role.fragmentation; })
      .field("context_bytes", [](const auto& role) { return role.context; })
      .field("communicators_bytes", [](const auto& role) { return role.communicators; })
      .add("allocated", "peak_bytes", [](const auto& role) { return size(role.peak); })
      .field("after_step_bytes", [](const auto& role) { return role.after_step; })
      .field("reserved_bytes", [](const auto& role) { return role.reserved(); })
      .field("total_bytes", [](const auto& role) { return role.total(); })
      .nested("memory_interval", [](auto& json, const auto& role) { write_band(json, role); })
      .field("peak_task", [](const auto& role) { return role.peak_task; })
      .nested("at_peak",
              [](auto& json, const auto& role) {
                write_rows(json, role.at_peak, item_columns(role.peak));
              })
      .nested("task_bytes", [](auto& json, const auto& role) {
        json.begin_array();
        for (const workload::MemorySample& sample : role.samples) json.value(sample.bytes);
        json.end_array();
      });
  return columns;
}

/// The largest items; the others in one row.
void state_items(report::Answer& answer, const RoleMemory& role) {
  constexpr std::size_t kMost = 12;
  std::vector<workload::MemoryItem> items(
      role.at_peak.begin(), role.at_peak.begin() + std::min(kMost, role.at_peak.size()));
  auto columns = item_columns(role.peak);
  workload::MemoryItem rest{.name = kOthers};
  for (std::size_t i = kMost; i < role.at_peak.size(); ++i) rest.bytes += role.at_peak[i].bytes;
  if (rest.bytes > 0) items.push_back(rest);
  answer.table("", items, columns);
}

void state_fit(report::Answer& answer, const RoleMemory& worst, const CapacityCheck& fit) {
  if (fit.capacity == 0) return;
  const Bytes capacity(fit.capacity), spare = capacity - Bytes(worst.total());
  const MemoryFit verdict = memory_fit(workload::memory_need(worst), capacity);
  std::string text = fmt::format(
      "{} in {}{} {}{}\n", report::memory_fit_text(verdict, answer.style()),
      gigabytes(fit.capacity), spare >= Bytes{} ? " with" : ":", report::spare_text(spare),
      verdict == MemoryFit::uncertain ? ", within the uncertainty" : "");
  if (spare < Bytes{} && fit.changes.empty())
    text += "no change of the plan on these ranks makes it fit\n";
  answer.block(text);
  answer.field("capacity_bytes", fit.capacity).field("fits", spare >= Bytes{});
  answer.field("verdict", name(verdict));
  report::Columns<workload::FittingChange> columns;
  columns.add("fits with", "change", [](const auto& change) { return change.what; })
      .add("needs", "total_bytes", [](const auto& change) { return size(change.total); })
      .add("FLOPs", "flop_ratio", [](const auto& change) {
        return report::Value(change.cost).shown(fmt::format("x {:.2f}", change.cost));
      });
  answer.table("memory_options", fit.changes, columns);
}

}  // namespace

void state_memory(report::Answer& answer, const workload::Program& program,
                  const MemoryReport& report, const CapacityCheck& fit, const Findings& findings) {
  const RoleMemory& worst = report.roles[report.worst];
  answer.first(answer.style().strong(fmt::format("needs {} per device", gigabytes(worst.total()))) +
               fmt::format(": {}, {}", program.spec.model.name, parallelism_text(program)));
  answer.field("model", program.spec.model.name).field("ranks", program.mesh.world());
  answer.line("batch", batch_text(program.spec));
  answer.row("peak", "worst_role", program.roles[worst.role].name,
             fmt::format("{}, {}", program.roles[worst.role].name, task_text(worst.peak_at)));
  state_counters(answer, worst);
  answer.findings(findings);
  answer.table("roles", report.roles, role_columns(program), {.limit = 16});
  state_items(answer, worst);
  state_fit(answer, worst, fit);
}

}  // namespace orrery::present
