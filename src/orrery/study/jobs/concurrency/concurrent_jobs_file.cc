// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/concurrency/concurrent_jobs_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "orrery/core/text/text.h"

namespace orrery::study {

namespace {

namespace fs = std::filesystem;

bool may_name_job(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

/// Path, relative to the working folder, of a file that `file` names.
std::string seen_from_here(const std::string& name, const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  if (name.empty() || folder.empty() || fs::path(name).is_absolute()) return name;
  return (folder / name).lexically_normal().string();
}

/// The same for a file or a name of the catalog.
std::string file_or_name(const std::string& name, const std::string& file) {
  std::error_code ignored;
  std::string candidate = seen_from_here(name, file);
  return fs::exists(candidate, ignored) ? candidate : name;
}

Result<void> check_entry(const ConcurrentJobEntry& entry, const std::string& where) {
  if (!may_name_job(entry.name))
    return fail(Errc::config_range, where + "/name",
                in_quotes(entry.name) + " cannot be the name of a job",
                "use letters, digits, '_', '-' and '.'");
  const int said = (entry.job.value.is_null() ? 0 : 1) + (entry.workload.empty() ? 0 : 1) +
                   (entry.traces.empty() ? 0 : 1);
  if (said != 1)
    return fail(said == 0 ? Errc::config_missing_key : Errc::config_conflict, where,
                said == 0 ? "has no job, workload or traces"
                          : "has more than one of job, workload and traces",
                "give exactly one of job, workload and traces");
  if (entry.devices > 0 && !entry.ranks.list.empty())
    return fail(Errc::config_conflict, where + "/devices", "conflicts with `ranks`",
                "give only one of devices and ranks");
  if (entry.devices == 0 && entry.ranks.list.empty())
    return fail(Errc::config_missing_key, where, "has no number of devices",
                "give devices: 8, or ranks: 0-7");
  return {};
}

}  // namespace

void read_value(const config::Json& value, const std::string& path, const config::Limits&,
                JobKeys& out, config::Reading& reading) {
  if (!value.is_object() && !value.is_string())
    return reading.wrong_kind(path, value, "a mapping, or the name of a file");
  out.value = value;
}

config::OrderedJson schema_of(config::Kind<JobKeys>, const config::Limits&) {
  return {{"type", {"object", "string"}}};
}

std::string about_kind(config::Kind<JobKeys>, const config::Limits&) {
  return "a mapping, or the name of a file";
}

config::OrderedJson write_value(const JobKeys& keys) {
  return keys.value.is_null() ? config::OrderedJson(nullptr)
                              : config::OrderedJson::parse(keys.value.dump());
}

Result<ConcurrentJobsFile> parse_concurrent_jobs(std::string_view text, const std::string& where) {
  auto tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  ConcurrentJobsFile file;
  config::Reading reading{where};
  config::read_value(*tree, "", {}, file, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  std::set<std::string> names;
  for (std::size_t i = 0; i < file.jobs.size(); ++i) {
    ConcurrentJobEntry& entry = file.jobs[i];
    const std::string place = fmt::format("{}:/jobs/{}", where, i);
    if (auto fine = check_entry(entry, place); !fine) return tl::unexpected(fine.error());
    if (!names.insert(entry.name).second)
      return fail(Errc::config_conflict, place + "/name", "another job is called " + entry.name,
                  "give it another name");
    entry.workload = seen_from_here(entry.workload, where);
    for (std::string& trace : entry.traces) trace = seen_from_here(trace, where);
    if (entry.job.value.is_string())
      entry.job.value = file_or_name(entry.job.value.get<std::string>(), where);
  }
  file.cluster = file_or_name(file.cluster, where);
  return file;
}

Result<ConcurrentJobsFile> read_concurrent_jobs(const std::string& path) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_concurrent_jobs(*text, path);
}

std::string concurrent_jobs_schema() {
  config::OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                             {"title", "Orrery jobs on one machine"}};
  schema.update(config::schema_of(config::Kind<ConcurrentJobsFile>{}, {}));
  return schema.dump(2) + "\n";
}

std::string concurrent_jobs_reference() {
  return "# The file of jobs on one machine\n\n<!-- Generated from src/orrery/study/"
         "jobs/concurrency/concurrent_jobs_file.h. To renew it, run the study tests with "
         "ORRERY_UPDATE_DOCS=1. -->\n\nOne "
         "YAML or JSON document: a machine, and the jobs that run on it concurrently. `orrery "
         "job together jobs.yaml` prints how much they slow each other "
         "([details](../together.md)); `orrery "
         "schema together` prints the JSON Schema of this page. Paths are relative to the folder "
         "of this file.\n\n## Top level\n\n" +
         config::reference_table<ConcurrentJobsFile>() + "\n## jobs\n\n" +
         config::reference_table<ConcurrentJobEntry>() +
         "\n`job` has the keys of [the workload specification](workload.md).\n";
}

}  // namespace orrery::study
