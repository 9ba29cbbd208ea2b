// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/flight_records/dump_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "orrery/intake/job/job_internal.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using trace::Format;

/// The files that a path names.
struct NamedFiles {
  std::vector<std::string> files;
  bool one = false;  ///< the path is the file
};

Result<NamedFiles> files_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    auto files = trace::expand(path);
    if (!files) return tl::unexpected(files.error());
    const bool one = files->size() == 1 && files->front() == path;
    return NamedFiles{*std::move(files), one};
  }
  NamedFiles found;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (entry.is_regular_file(ignored)) found.files.push_back(entry.path().string());
  std::sort(found.files.begin(), found.files.end(), trace::natural_less);
  return found;
}

Result<RankDump> read_one(const trace::Input& input) {
  const auto rank = rank_in_name(input.name);
  if (!rank)
    return fail(Errc::input_unsupported, input.name, "the name of the file has no rank",
                "a dump does not contain its rank: name the file nccl_trace_rank_N");
  auto source = trace::open(input);
  if (!source) return tl::unexpected(source.error());
  auto dump = trace::flight_recorder::read_dump(**source, input.name);
  if (!dump) return tl::unexpected(dump.error());
  return RankDump{rank->rank, input.name, *std::move(dump)};
}

}  // namespace

bool has_flight_records(const std::vector<std::string>& paths) {
  std::size_t remaining = 16;
  for (const std::string& path : paths) {
    const auto found = files_of(path);
    if (!found) continue;
    for (const std::string& file : found->files) {
      if (remaining-- == 0) return false;
      const auto inputs = trace::inputs_in(file);
      if (!inputs) continue;
      for (const trace::Input& input : *inputs)
        if (input.format == Format::flight_record) return true;
    }
  }
  return false;
}

Result<std::vector<RankDump>> read_flight_records(const std::vector<std::string>& paths,
                                                  Findings& findings) {
  std::vector<RankDump> dumps;
  for (const std::string& path : paths) {
    const auto found = files_of(path);
    if (!found) return tl::unexpected(found.error());
    for (const std::string& file : found->files) {
      const auto inputs = trace::inputs_in(file);
      if (!inputs && !found->one && inputs.error().code == Errc::input_empty) {
        findings.add(FindingCode::file_skipped, file);
        continue;
      }
      if (!inputs) return tl::unexpected(inputs.error());
      for (const trace::Input& input : *inputs) {
        if (input.format != Format::flight_record) {
          if (found->one && input.member == 0)
            return fail(Errc::usage, input.name, "this is no dump of PyTorch's flight recorder",
                        "give other traces in a command of their own");
          findings.add(FindingCode::file_skipped, input.name);
          continue;
        }
        auto dump = read_one(input);
        if (!dump) return tl::unexpected(dump.error());
        dumps.push_back(*std::move(dump));
      }
    }
  }
  if (dumps.empty())
    return fail(Errc::input_empty, paths.empty() ? "" : paths.front(),
                "contains no dump of PyTorch's flight recorder");
  std::stable_sort(dumps.begin(), dumps.end(),
                   [](const RankDump& a, const RankDump& b) { return a.rank < b.rank; });
  const auto twice =
      std::adjacent_find(dumps.begin(), dumps.end(),
                         [](const RankDump& a, const RankDump& b) { return a.rank == b.rank; });
  if (twice != dumps.end())
    return fail(Errc::input_duplicate_id, (twice + 1)->file,
                fmt::format("is of rank {}, as {}", twice->rank, twice->file),
                "give one dump for each rank; those of other hangs separately");
  return dumps;
}

}  // namespace orrery::intake
