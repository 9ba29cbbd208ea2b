// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/memory_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/units.h"
#include "orrery/present/workloads/generate_text.h"
#include "orrery/report/json/envelope.h"
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

/// Three figures that people call memory, what they are made of, and how sure they are.
void add_counters(report::Sheet& sheet, const RoleMemory& role) {
  const workload::MemoryBounds band = workload::memory_bounds(role);
  sheet.add("allocated", fmt::format("{} by tensors at the peak; {}", gigabytes(role.peak),
                                     range_text(band.allocated)));
  sheet.add("reserved", fmt::format("{} by the allocator, with {} of blocks not filled",
                                    gigabytes(role.reserved()), gigabytes(role.fragmentation)));
  if (role.context + role.communicators > 0)
    sheet.add("in all",
              fmt::format("{}, with {} of the driver and {} of the collective library; {}",
                          gigabytes(role.total()), gigabytes(role.context),
                          gigabytes(role.communicators), range_text(band.total)));
  else
    sheet.add("in all", fmt::format("{}, the driver and the collective library left out (no device "
                                    "is named); {}",
                                    gigabytes(role.total()), range_text(band.total)));
  sheet.add("least sure", fmt::format("{}: {} less to {} more", workload::name(band.widest_kind),
                                      gigabytes(band.widest_below), gigabytes(band.widest_above)));
}

std::string role_table(const workload::Program& program, const MemoryReport& report,
                       report::Style style) {
  constexpr std::size_t kMost = 16;
  report::Table table({{"role"},
                       {"weights", true},
                       {"gradients", true},
                       {"optimizer", true},
                       {"activations", true},
                       {"buffers", true},
                       {"allocated", true}});
  for (std::size_t i = 0; i < std::min(kMost, report.roles.size()); ++i) {
    const RoleMemory& role = report.roles[i];
    table.row({program.roles[role.role].name, gigabytes(role.weights), gigabytes(role.gradients),
               gigabytes(role.optimizer), gigabytes(role.activations + role.working),
               gigabytes(role.communication + role.workspace), gigabytes(role.peak)});
  }
  std::string text = table.text(style);
  if (report.roles.size() > kMost)
    text += fmt::format("… and {} more (all with --json)\n", report.roles.size() - kMost);
  return text;
}

std::string alive_table(const RoleMemory& role, report::Style style) {
  constexpr std::size_t kMost = 12;
  report::Table table({{"alive at the peak"}, {"kind"}, {"bytes", true}, {"share", true}});
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < role.at_peak.size(); ++i) {
    const workload::MemoryItem& item = role.at_peak[i];
    if (i >= kMost) {
      rest += item.bytes;
      continue;
    }
    table.row({item.name, std::string(workload::name(item.kind)), gigabytes(item.bytes),
               report::percent(static_cast<double>(item.bytes) / static_cast<double>(role.peak))});
  }
  if (rest > 0)
    table.row({"the rest", "", gigabytes(rest),
               report::percent(static_cast<double>(rest) / static_cast<double>(role.peak))});
  return table.text(style);
}

std::string fit_text(const RoleMemory& worst, const CapacityCheck& fit, report::Style style) {
  if (fit.capacity == 0) return {};
  const std::int64_t total = worst.total();
  const bool uncertain = workload::fits(worst, fit.capacity) == workload::MemoryFit::uncertain;
  const std::string_view doubt = uncertain ? ", less than the band is wide" : "";
  if (total <= fit.capacity) {
    const std::string spare = fmt::format(" in {} with {} to spare{}\n", gigabytes(fit.capacity),
                                          gigabytes(fit.capacity - total), doubt);
    return (uncertain ? style.warn("may not fit") : style.good("fits")) + spare;
  }
  std::string text = (uncertain ? style.warn("may not fit") : style.bad("does not fit")) +
                     fmt::format(" in {}: {} too much{}\n", gigabytes(fit.capacity),
                                 gigabytes(total - fit.capacity), doubt);
  if (fit.changes.empty()) return text + "no change of the plan on these ranks makes it fit\n";
  report::Table table({{"it would with"}, {"needs", true}, {"FLOPs", true}});
  for (const workload::FittingChange& change : fit.changes)
    table.row({change.what, gigabytes(change.total), fmt::format("x {:.2f}", change.cost)});
  return text + "\n" + table.text(style);
}

void write_range(report::JsonWriter& json, std::string_view name, workload::MemoryRange range) {
  json.key(name)
      .begin_object()
      .field("low_bytes", range.lower)
      .field("high_bytes", range.upper)
      .end_object();
}

void write_band(report::JsonWriter& json, const workload::MemoryBounds& band) {
  json.key("memory_interval").begin_object();
  write_range(json, "peak_interval", band.allocated);
  write_range(json, "total_interval", band.total);
  json.field("least_certain", workload::name(band.widest_kind)).end_object();
}

/// "fits", …
std::string_view verdict(const RoleMemory& role, std::int64_t capacity) {
  switch (workload::fits(role, capacity)) {
    case workload::MemoryFit::yes:
      return "fits";
    case workload::MemoryFit::uncertain:
      return "may_not_fit";
    case workload::MemoryFit::no:
      break;
  }
  return "does_not_fit";
}

void write_role(report::JsonWriter& json, const workload::Program& program,
                const RoleMemory& role) {
  json.begin_object()
      .field("role", program.roles[role.role].name)
      .field("ranks", program.roles[role.role].ranks)
      .field("weights_bytes", role.weights)
      .field("gradients_bytes", role.gradients)
      .field("optimizer_bytes", role.optimizer)
      .field("activations_bytes", role.activations)
      .field("working_bytes", role.working)
      .field("communication_bytes", role.communication)
      .field("workspace_bytes", role.workspace)
      .field("fragmentation_bytes", role.fragmentation)
      .field("context_bytes", role.context)
      .field("communicators_bytes", role.communicators)
      .field("peak_bytes", role.peak)
      .field("after_step_bytes", role.after_step)
      .field("reserved_bytes", role.reserved())
      .field("total_bytes", role.total());
  write_band(json, workload::memory_bounds(role));
  json.field("peak_task", role.peak_task);
  json.key("at_peak").begin_array();
  for (const workload::MemoryItem& item : role.at_peak) {
    json.begin_object()
        .field("name", item.name)
        .field("kind", workload::name(item.kind))
        .field("bytes", item.bytes)
        .end_object();
  }
  json.end_array().key("task_bytes").begin_array();
  for (const workload::MemorySample& sample : role.samples) json.value(sample.bytes);
  json.end_array().end_object();
}

}  // namespace

std::string memory_text(const workload::Program& program, const MemoryReport& report,
                        const CapacityCheck& fit, const Findings& findings, report::Style style) {
  const RoleMemory& worst = report.roles[report.worst];
  std::string text = style.strong(fmt::format("needs {} per device", gigabytes(worst.total()))) +
                     fmt::format(": {}, {}\n", program.spec.model.name, parallelism_text(program));
  report::Sheet sheet(style);
  sheet.add("batch", batch_text(program.spec));
  sheet.add("the peak",
            fmt::format("{}, {}", program.roles[worst.role].name, task_text(worst.peak_at)));
  add_counters(sheet, worst);
  report::add_findings(sheet, findings, style);
  text +=
      sheet.text() + "\n" + role_table(program, report, style) + "\n" + alive_table(worst, style);
  const std::string verdict = fit_text(worst, fit, style);
  return text + (verdict.empty() ? "" : "\n" + verdict);
}

std::string memory_json(const workload::Program& program, const MemoryReport& report,
                        const CapacityCheck& fit, const Findings& findings) {
  const RoleMemory& worst = report.roles[report.worst];
  return report::envelope("memory", findings, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("model", program.spec.model.name)
        .field("ranks", program.mesh.world())
        .field("peak_bytes", worst.peak)
        .field("reserved_bytes", worst.reserved())
        .field("total_bytes", worst.total())
        .field("worst_role", program.roles[worst.role].name);
    if (fit.capacity > 0) {
      json.field("capacity_bytes", fit.capacity)
          .field("fits", worst.total() <= fit.capacity)
          .field("verdict", verdict(worst, fit.capacity));
      json.key("memory_options").begin_array();
      for (const workload::FittingChange& change : fit.changes) {
        json.begin_object()
            .field("change", change.what)
            .field("total_bytes", change.total)
            .field("flop_ratio", change.cost)
            .end_object();
      }
      json.end_array();
    }
    json.key("roles").begin_array();
    for (const RoleMemory& role : report.roles) write_role(json, program, role);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
