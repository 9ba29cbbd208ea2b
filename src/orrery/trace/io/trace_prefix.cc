// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/trace_prefix.h"

#include <fmt/format.h>

#include <filesystem>

namespace orrery::trace {

Result<void> check_prefix_unused(const std::string& prefix, bool force) {
  const std::filesystem::path path(prefix);
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::string stem = path.filename().string() + ".";
  if (stem == ".")
    return fail(Errc::usage, "--output", "is a folder; a prefix is needed",
                fmt::format("'{}w' makes {}w.0.et, {}w.1.et, …", prefix, prefix, prefix));
  if (stem == "-.")
    return fail(Errc::usage, "--output", "traces are files and cannot go to standard output",
                "'-o w' makes w.0.et, w.1.et, …");
  if (force) return {};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(stem) && name.ends_with(".et")) {
      return fail(Errc::output_exists, (folder / name).string(), "already exists",
                  "choose another prefix, or overwrite the files with --force");
    }
    if (name == "comm_group.json") {
      return fail(Errc::output_exists, (folder / name).string(),
                  "the process groups of other traces already exist there",
                  "write to another folder, or overwrite the files with --force");
    }
  }
  return {};
}

}  // namespace orrery::trace
