// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/job_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/jobs/usable_memory.h"

namespace orrery::study {

namespace {

/// The name of the format's peak in the catalog.
std::string_view peak_name(graph::Format format) {
  switch (format) {
    case graph::Format::fp8_block:
    case graph::Format::fp8_mx:
      return graph::name(graph::Format::fp8);
    case graph::Format::fp4_block:
      return "fp4";
    default:
      return graph::name(format);
  }
}

}  // namespace

std::vector<analysis::FormatWork> work_by_format(const workload::StepCount& counted,
                                                 const platform::Device& device) {
  const platform::DeviceEntry* entry = platform::find_device(device.entry);
  if (entry == nullptr) return {};
  std::vector<analysis::FormatWork> made;
  for (const workload::FormatFlops& one : counted.formats) {
    const platform::Peak* peak = entry->peak(peak_name(one.format));
    if (peak == nullptr) return {};
    const std::string name(peak->precision);
    const auto known = std::find_if(made.begin(), made.end(),
                                    [&](const auto& other) { return other.format == name; });
    analysis::FormatWork& work = known != made.end() ? *known : made.emplace_back();
    work.format = name;
    work.model_flops += workload::to_double(one.model);
    work.hardware_flops += workload::to_double(one.hardware);
    work.peak = peak->rate.count();
  }
  return made;
}

Result<JobSummary> summarize_job(const workload::Program& program,
                                 const platform::Platform& platform, bool samples,
                                 Findings& findings) {
  JobSummary job;
  const auto counted = workload::count(program);
  if (!counted) return tl::unexpected(counted.error());
  job.work.samples = static_cast<std::uint64_t>(program.spec.global_batch());
  if (workload::has_tokens(program.spec))
    job.work.tokens = static_cast<std::uint64_t>(counted->tokens);
  job.work.model_flops = workload::to_double(counted->flops.model());
  job.work.hardware_flops = workload::to_double(counted->flops.hardware());
  job.work_by_format = work_by_format(*counted, platform.device);
  workload::MemoryOptions how;
  how.details = samples;
  how.device = reserved_memory(platform.device.entry);
  auto memory = workload::account_memory(program, how);
  if (!memory) {  // exceeds 64 bits
    findings.add(FindingCode::may_not_fit,
                 fmt::format("{}: {}", memory.error().where, memory.error().what));
    return job;
  }
  job.memory = *std::move(memory);
  const workload::RoleMemory& most = *job.fullest();
  const std::int64_t capacity = usable_total_memory(platform.device).count();
  if (capacity > 0 && most.total() > capacity) {
    findings.add(FindingCode::may_not_fit,
                 fmt::format("{}: {} of {}, {} too much", program.roles[most.role].name,
                             gigabytes(most.total()), gigabytes(capacity),
                             gigabytes(most.total() - capacity)));
  }
  return job;
}

}  // namespace orrery::study
