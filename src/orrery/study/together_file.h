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
#include "orrery/platform/fabric.h"

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

struct JobEntry {
  std::string name;
  JobKeys job;
  std::string workload;
  std::vector<std::string> traces;
  std::int64_t devices = 0;
  platform::RankRanges ranks;
  Time start{};
  std::int64_t steps = 1;

  static constexpr std::int64_t kMostSteps = 1 << 20;

  static constexpr auto fields = std::tuple{
      config::field("name", &JobEntry::name, "what to call it: letters, digits, `_`, `-`, `.`")
          .required(),
      config::field("job", &JobEntry::job,
                    "a workload specification's keys, or such a file; or one of the next two"),
      config::field("workload", &JobEntry::workload, "Chakra traces, by their common prefix"),
      config::field("traces", &JobEntry::traces, "recorded traces: files and patterns"),
      config::field("devices", &JobEntry::devices,
                    "how many it has: the first that no job before it has and none names by rank",
                    config::between(0, 1 << 24))
          .by_default("as many as `ranks` names"),
      config::field("ranks", &JobEntry::ranks,
                    "instead: which of the machine's it has, `0-7,16-23`; its rank 0 is the first"),
      config::field("start", &JobEntry::start, "until then its ranks do nothing",
                    config::between(0, 1e15)),
      config::field("steps", &JobEntry::steps, "how many, one after another",
                    config::between(1, kMostSteps))};
};

struct TogetherFile {
  std::int64_t version = 1;
  std::string cluster;
  std::vector<JobEntry> jobs;

  static constexpr std::int64_t kMostJobs = 1024;

  static constexpr auto fields = std::tuple{
      config::field("version", &TogetherFile::version, "of this format", config::between(1, 1)),
      config::field("cluster", &TogetherFile::cluster,
                    "the machine: a cluster file, or a name of the catalogue (`h100-sxm:64`)")
          .by_default("what `--cluster` says"),
      config::field("jobs", &TogetherFile::jobs, "that run on it at once",
                    config::between(1, kMostJobs))
          .required()};
};

/// Files are named from the folder of the one at `where`; then from the working folder. Errc:
/// config_*, input_not_found.
[[nodiscard]] Result<TogetherFile> read_together(const std::string& path);
[[nodiscard]] Result<TogetherFile> parse_together(std::string_view text, const std::string& where);

[[nodiscard]] std::string together_reference();  ///< docs/reference/jobs.md
[[nodiscard]] std::string together_schema();     ///< JSON Schema

}  // namespace orrery::study
