// SPDX-License-Identifier: Apache-2.0
//
// Imports files of any tool as a job; if the result is a small job, computes all reports of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/job_formats/importers/importer.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/program/step_count.h"

using namespace orrery;
using namespace orrery::workload;

namespace {

/// An error always has a place and a message.
template <class T>
bool check(const Result<T>& result) {
  if (result) return true;
  ORRERY_CHECK(!result.error().where.empty());
  ORRERY_CHECK(!result.error().what.empty());
  return false;
}

/// Bounds the size so that thousands run per second. Excludes schedule files, since they are not
/// part of the input.
bool is_small(const Spec& spec) {
  const Schedule& schedule = spec.schedule;
  return schedule.kind != ScheduleKind::file && spec.parallel.world() <= 64 &&
         spec.microbatches() * spec.parallel.pp * schedule.chunks <= 512 &&
         spec.model.layers + spec.model.encoder_layers <= 256;
}

void assemble_and_count(const Spec& spec) {
  Findings findings;
  const Result<Program> program = assemble(spec, findings);
  if (!check(program)) return;
  const Result<StepCount> counted = count(*program);
  if (check(counted)) {
    ORRERY_CHECK(counted->ranks == static_cast<std::uint64_t>(spec.parallel.world()));
    ORRERY_CHECK(counted->flops.all() >= counted->flops.model());
  }
  const Result<MemoryReport> report = account_memory(*program);
  if (!check(report)) return;
  for (const RoleMemory& role : report->roles) {
    std::int64_t sum = 0;
    for (const MemoryItem& item : role.at_peak) sum += item.bytes;
    ORRERY_CHECK(sum == role.peak);
    ORRERY_CHECK(role.total() <= report->roles[report->worst].total());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Spec spec;
  Findings findings;
  const Result<void> read = import_into(spec, text, "job", findings);
  if (!check(read)) return 0;
  ORRERY_CHECK(detect_importer(text, "job").has_value());
  if (check(check_spec(spec)) && is_small(spec)) assemble_and_count(spec);
  return 0;
}
