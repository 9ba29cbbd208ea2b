// SPDX-License-Identifier: Apache-2.0
//
// The file of concurrent jobs on one machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/config/parameters.h"
#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::study {

/// Source of a job: keys of a workload specification, or the name of such a file. Null: not given.
struct JobKeys {
  config::Json value;
};

void read_value(const config::Json& value, const std::string& path, const config::Limits& limits,
                JobKeys& out, config::Reading& reading);
[[nodiscard]] config::OrderedJson schema_of(config::Kind<JobKeys>, const config::Limits& limits);
[[nodiscard]] std::string about_kind(config::Kind<JobKeys>, const config::Limits& limits);
[[nodiscard]] config::OrderedJson write_value(const JobKeys& keys);

struct ConcurrentJobEntry {
  std::string name;
  JobKeys job;
  std::string workload;
  std::vector<std::string> traces;
  std::int64_t devices = 0;
  platform::RankRanges ranks;
  Time start{};
  std::int64_t steps = 1;

  static constexpr std::int64_t kMaxSteps = 1 << 20;

  static constexpr auto fields = std::tuple{
      config::field("name", &ConcurrentJobEntry::name,
                    "name of the job: letters, digits, `_`, `-`, `.`")
          .required(),
      config::field(
          "job", &ConcurrentJobEntry::job,
          "keys of a workload specification, or such a file; alternatives: workload, traces"),
      config::field("workload", &ConcurrentJobEntry::workload, "common prefix of Chakra traces"),
      config::field("traces", &ConcurrentJobEntry::traces, "recorded traces: files and patterns"),
      config::field(
          "devices", &ConcurrentJobEntry::devices,
          "number of devices: the first ones not used by earlier jobs or named in any `ranks`",
          config::between(0, 1 << 24))
          .by_default("the number of `ranks`"),
      config::field("ranks", &ConcurrentJobEntry::ranks,
                    "alternative: its ranks of the machine, `0-7,16-23`; its rank 0 is the first"),
      config::field("start", &ConcurrentJobEntry::start,
                    "start time; its ranks are idle until then", config::between(0, 1e15)),
      config::field("steps", &ConcurrentJobEntry::steps, "number of consecutive steps",
                    config::between(1, kMaxSteps))};
};

struct ConcurrentJobsFile {
  std::int64_t version = 1;
  std::string cluster;
  std::vector<ConcurrentJobEntry> jobs;

  static constexpr std::int64_t kMaxJobs = 1024;

  static constexpr auto fields = std::tuple{
      config::field("version", &ConcurrentJobsFile::version, "format version",
                    config::between(1, 1)),
      config::field("cluster", &ConcurrentJobsFile::cluster,
                    "the machine: a cluster file, or a name of the catalog (`h100-sxm:64`)")
          .by_default("the value of `--cluster`"),
      config::field("jobs", &ConcurrentJobsFile::jobs, "jobs that run on it concurrently",
                    config::between(1, kMaxJobs))
          .required()};
};

/// Reads a file of jobs. Relative file names in it start at its folder; those of `job` and
/// `cluster` else at the working folder. Errc: config_*, input_not_found.
[[nodiscard]] Result<ConcurrentJobsFile> read_concurrent_jobs(const std::string& path);
[[nodiscard]] Result<ConcurrentJobsFile> parse_concurrent_jobs(std::string_view text,
                                                               const std::string& where);

[[nodiscard]] std::string concurrent_jobs_reference();  ///< docs/reference/jobs.md
[[nodiscard]] std::string concurrent_jobs_schema();     ///< JSON Schema

}  // namespace orrery::study
