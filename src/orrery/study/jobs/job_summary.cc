// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/job_summary.h"

#include <fmt/format.h>

#include "orrery/core/text/units.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::study {

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
