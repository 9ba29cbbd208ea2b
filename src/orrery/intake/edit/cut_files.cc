// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/edit/cut_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "orrery/core/system/atomic_file.h"
#include "orrery/intake/job/job.h"

namespace orrery::intake {

namespace fs = std::filesystem;

namespace {

/// All inputs, or those of the requested ranks.
Result<std::vector<trace::Input>> inputs_of(const std::vector<std::string>& patterns,
                                            const RankRanges& ranges) {
  std::vector<trace::Input> inputs;
  for (const std::string& pattern : patterns) {
    const auto paths = trace::expand(pattern);
    if (!paths) return tl::unexpected(paths.error());
    for (const std::string& path : *paths) {
      auto inside = trace::inputs_in(path);
      if (!inside) return tl::unexpected(inside.error());
      inputs.insert(inputs.end(), inside->begin(), inside->end());
    }
  }
  if (ranges.empty()) return inputs;
  JobOptions job;
  job.traces = patterns;
  Findings findings;
  const auto ranks = find_ranks(job, findings);
  if (!ranks) return tl::unexpected(ranks.error());
  inputs.clear();
  for (const RankFiles& files : *ranks) {
    const bool wanted = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
      return files.rank >= range.first && files.rank <= range.second;
    });
    if (!wanted) continue;
    if (files.device) inputs.push_back(*files.device);
    if (files.host) inputs.push_back(*files.host);
  }
  if (inputs.empty())
    return fail(Errc::usage, "--ranks", "no trace belongs to these ranks",
                "'orrery trace merge' lists the ranks");
  return inputs;
}

/// Skips graph captures: they do not belong to a time window and can be used uncut.
void skip_captures(std::vector<trace::Input>& inputs, Findings& findings) {
  const auto is_capture = [](const trace::Input& input) { return is_capture_name(input.name); };
  if (std::all_of(inputs.begin(), inputs.end(), is_capture)) return;
  for (const trace::Input& input : inputs)
    if (is_capture(input)) findings.add(FindingCode::file_skipped, input.name);
  std::erase_if(inputs, is_capture);
}

std::string base_name(const std::string& name) { return name.substr(name.find_last_of("/!") + 1); }

}  // namespace

Result<std::vector<CutPiece>> cut_files(const std::vector<std::string>& patterns,
                                        const RankRanges& ranks, const CutOptions& options,
                                        const std::string& output, Findings& findings) {
  auto inputs = inputs_of(patterns, ranks);
  if (!inputs) return tl::unexpected(inputs.error());
  skip_captures(*inputs, findings);
  std::error_code ignored;
  const bool folder =
      inputs->size() > 1 || output.ends_with('/') || fs::is_directory(output, ignored);
  std::vector<CutPiece> pieces;
  for (const trace::Input& input : *inputs) {
    CutPiece piece{
        input, folder ? (fs::path(output) / base_name(input.name)).string() : output, {}};
    if (auto absent = check_absent(piece.path, options.force); !absent)
      return tl::unexpected(absent.error());
    const auto same = std::find_if(pieces.begin(), pieces.end(),
                                   [&](const CutPiece& other) { return other.path == piece.path; });
    if (same != pieces.end())
      return fail(
          Errc::usage, piece.path,
          fmt::format("{} and {} would both be written there", same->input.name, input.name),
          "cut them one at a time");
    pieces.push_back(std::move(piece));
  }
  for (CutPiece& piece : pieces) {
    auto report = cut(piece.input, options, piece.path, findings);
    if (!report) return tl::unexpected(report.error());
    piece.report = *report;
  }
  return pieces;
}

}  // namespace orrery::intake
