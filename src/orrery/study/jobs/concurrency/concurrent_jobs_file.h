// SPDX-License-Identifier: Apache-2.0
//
// The file of several jobs on one machine.
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

/// What a job is of: keys of a workload specification, or the name of such a file. Null: not said.
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
                    "what to call it: letters, digits, `_`, `-`, `.`")
          .required(),
      config::field("job", &ConcurrentJobEntry::job,
                    "a workload specification's keys, or such a file; or one of the next two"),
      config::field("workload", &ConcurrentJobEntry::workload,
                    "Chakra traces, by their common prefix"),
      config::field("traces", &ConcurrentJobEntry::traces, "recorded traces: files and patterns"),
      config::field("devices", &ConcurrentJobEntry::devices,
                    "how many it has: the first that no job before it has and none names by rank",
                    config::between(0, 1 << 24))
          .by_default("as many as `ranks` names"),
      config::field("ranks", &ConcurrentJobEntry::ranks,
                    "instead: which of the machine's it has, `0-7,16-23`; its rank 0 is the first"),
      config::field("start", &ConcurrentJobEntry::start, "until then its ranks do nothing",
                    config::between(0, 1e15)),
      config::field("steps", &ConcurrentJobEntry::steps, "how many, one after another",
                    config::between(1, kMaxSteps))};
};

struct ConcurrentJobsFile {
  std::int64_t version = 1;
  std::string cluster;
  std::vector<ConcurrentJobEntry> jobs;

  static constexpr std::int64_t kMaxJobs = 1024;

  static constexpr auto fields = std::tuple{
      config::field("version", &ConcurrentJobsFile::version, "of this format",
                    config::between(1, 1)),
      config::field("cluster", &ConcurrentJobsFile::cluster,
                    "the machine: a cluster file, or a name of the catalogue (`h100-sxm:64`)")
          .by_default("what `--cluster` says"),
      config::field("jobs", &ConcurrentJobsFile::jobs, "that run on it at once",
                    config::between(1, kMaxJobs))
          .required()};
};

/// Files are named from the folder of the one at `where`; then from the working folder. Errc:
/// config_*, input_not_found.
[[nodiscard]] Result<ConcurrentJobsFile> read_concurrent_jobs(const std::string& path);
[[nodiscard]] Result<ConcurrentJobsFile> parse_concurrent_jobs(std::string_view text,
                                                               const std::string& where);

[[nodiscard]] std::string concurrent_jobs_reference();  ///< docs/reference/jobs.md
[[nodiscard]] std::string concurrent_jobs_schema();     ///< JSON Schema

}  // namespace orrery::study
