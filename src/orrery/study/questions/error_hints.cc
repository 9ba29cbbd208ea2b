// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/error_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/units.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFilesLookedAt = 1000;

/// YAML files in the folder of `path`, sorted.
std::vector<std::string> files_next_to(const fs::path& path) {
  std::vector<std::string> names;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator() && names.size() < kFilesLookedAt;
       entry.increment(error)) {
    const std::string ending = entry->path().extension().string();
    if (ending == ".yaml" || ending == ".yml" || ending == ".json")
      names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Prefixes of traces in a folder, sorted: "dir/w" of "dir/w.0.et".
std::vector<std::string> prefixes_in(const std::string& folder) {
  constexpr std::string_view kFirst = ".0.et";
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (path.ends_with(kFirst)) found.push_back(path.substr(0, path.size() - kFirst.size()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool has_trace(const std::string& prefix, std::uint32_t rank) {
  std::error_code ignored;
  return fs::exists(fmt::format("{}.{}.et", prefix, rank), ignored);
}

}  // namespace

Error add_missing_trace_hint(Error error, const std::string& prefix, std::uint32_t ranks) {
  const bool missing = error.code == Errc::input_not_found || error.code == Errc::input_read;
  if (const auto inside = prefixes_in(prefix); missing && !inside.empty())
    error.hint = fmt::format("it is a folder that contains traces: give '{}'", inside.front());
  if (error.code != Errc::input_not_found || !error.hint.empty()) return error;
  std::error_code ignored;
  std::uint32_t there = 0;
  while (there < ranks && has_trace(prefix, there)) ++there;
  if (there > 0) {
    error.hint = fmt::format(
        "the cluster has {} devices, but there are traces for {} ranks; use {}, or --replicate to "
        "run the trace of rank 0 on all",
        ranks, there, cluster_suggestion(there));
  } else if (fs::exists(prefix, ignored) && prefix.ends_with(".et")) {
    const std::string stem = prefix.substr(0, prefix.size() - 3);
    error.hint = fmt::format("give the common prefix of the traces: '{}'",
                             stem.substr(0, stem.find_last_of('.')));
  } else if (fs::is_regular_file(prefix, ignored)) {
    error.hint = fmt::format(
        "give a job's file with --spec {0}, a recording with --traces {0}; 'orrery doctor {0}' "
        "says what it is",
        prefix);
  } else {
    error.hint =
        "a workload is given as the common prefix of its traces: 'dir/w' for dir/w.0.et, "
        "dir/w.1.et, …";
  }
  return error;
}

std::string cluster_suggestion(std::int64_t devices) {
  return fmt::format("--cluster h100-sxm:{}", devices);
}

Error add_cluster_hint(Error error, const std::string& path) {
  std::error_code ignored;
  if (error.code != Errc::config_not_found || fs::exists(path, ignored)) return error;
  const std::vector<std::string> names = files_next_to(path);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view near = nearest(fs::path(path).filename().string(), candidates);
  error.hint =
      near.empty()
          ? fmt::format(
                "give the path of a cluster file, or no file: {} is 64 devices of the catalog",
                cluster_suggestion(64))
          : fmt::format("did you mean \"{}\"?", (fs::path(path).parent_path() / near).string());
  return error;
}

std::string fitting_plan_hint(const workload::Program& program, std::int64_t devices) {
  const auto world = static_cast<std::int64_t>(program.mesh.world());
  const std::int64_t copy = std::max<std::int64_t>(1, world / program.spec.parallel.dp);
  workload::Spec spec = program.spec;
  spec.parallel.dp = devices / copy;
  const bool fits = devices % copy == 0 && spec.parallel.dp > 0 && workload::check_spec(spec);
  const std::string cluster = cluster_suggestion(world) + " has as many devices as the plan";
  if (fits) return fmt::format("--dp {} fits the cluster; or {}", spec.parallel.dp, cluster);
  return fmt::format(
      "{}; or set the product of tp, cp, dp and pp (and ep, if it is a separate axis) to {}",
      cluster, devices);
}

Result<void> check_device_count(const workload::Program& program,
                                const platform::Platform& platform, const std::string& where) {
  const auto world = static_cast<std::int64_t>(program.mesh.world());
  if (platform.npu_count() == world) return {};
  return fail(Errc::config_conflict, where,
              fmt::format("the cluster has {} devices, but the plan has {} ranks",
                          format_count(platform.npu_count()), format_count(world)),
              fitting_plan_hint(program, platform.npu_count()));
}

}  // namespace orrery::study
