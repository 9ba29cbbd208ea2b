// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/convert_file.h"

#include <fmt/format.h>

#include <limits>

#include "orrery/core/limits.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/intake/formats/astra_text.h"
#include "orrery/intake/formats/comms_text.h"
#include "orrery/intake/formats/export.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/trace_prefix.h"

namespace orrery::intake {

namespace {

template <class Report>
Result<ConvertedFile> complete(ConvertedFile result, const Result<Report>& report) {
  if (!report) return tl::unexpected(report.error());
  if constexpr (requires { report->ranks; }) result.ranks = report->ranks;
  result.nodes = report->nodes;
  result.edges = report->edges;
  return result;
}

Result<ConvertedFile> export_chakra(const std::string& path, const ConvertFileOptions& options) {
  ConvertedFile result;
  result.to = options.to;
  const auto format = export_format_of(options.to);
  if (!format) return tl::unexpected(format.error());
  if (auto absent = check_absent(options.to, options.force); !absent)
    return tl::unexpected(absent.error());
  ExportOptions how;
  how.format = *format;
  how.force = options.force;
  if (options.large) how.maximum_nodes = std::numeric_limits<std::uint64_t>::max();
  const auto report = export_to_file(path, options.to, how, result.findings);
  return complete(std::move(result), report);
}

Result<ConvertedFile> import_json_file(const std::string& path, const ConvertFileOptions& options) {
  ConvertedFile result;
  result.to = options.to;
  if (auto absent = check_absent(options.to, options.force); !absent)
    return tl::unexpected(absent.error());
  const auto report = import_json(path, options.to, options.force, result.findings);
  return complete(std::move(result), report);
}

Result<ConvertedFile> convert_text(const std::string& path, const ConvertFileOptions& options) {
  if (options.npus < 1)
    return fail(Errc::usage, "--npus",
                "an ASTRA-sim 1.0 workload does not specify the number of ranks",
                "--npus N writes N ranks");
  if (options.npus > static_cast<std::int64_t>(limits::kRanks))
    return fail(Errc::usage, "--npus", fmt::format("at most {} ranks", limits::kRanks));
  if (options.passes < 1 || options.passes > 1'000'000)
    return fail(Errc::usage, "--passes", "the workload can be repeated 1 to 1,000,000 times");
  ConvertedFile result;
  result.to = options.to + ".*.et";
  if (auto absent = check_absent(options.to + ".0.et", options.force); !absent)
    return tl::unexpected(absent.error());
  AstraTextOptions how;
  how.ranks = static_cast<std::uint32_t>(options.npus);
  how.force = options.force;
  how.passes = static_cast<std::uint32_t>(options.passes);
  const auto report = convert_astra_text(path, options.to, how, result.findings);
  return complete(std::move(result), report);
}

/// Converts PARAM's communication records, one file per rank, or MPI calls of any number of ranks.
Result<ConvertedFile> convert_comms(const std::vector<std::string>& patterns,
                                    const ConvertFileOptions& options) {
  if (auto is_free = trace::check_prefix_unused(options.to, options.force); !is_free)
    return tl::unexpected(is_free.error());
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    const auto paths = trace::expand(pattern);
    if (!paths) return tl::unexpected(paths.error());
    files.insert(files.end(), paths->begin(), paths->end());
  }
  ConvertedFile result;
  result.to = options.to + ".*.et";
  result.per_rank = false;
  const auto report = convert_comms_text(files, options.to, options.force, result.findings);
  return complete(std::move(result), report);
}

bool has_comm_records(const std::string& pattern) {
  const auto files = trace::expand(pattern);
  if (!files || files->empty()) return false;
  const auto inputs = trace::inputs_in(files->front());
  return inputs && !inputs->empty() && inputs->front().format == trace::Format::mpi_json;
}

Result<ConvertedFile> convert_one(const std::string& path, const ConvertFileOptions& options) {
  const auto inputs = trace::inputs_in(path);
  if (!inputs) return tl::unexpected(inputs.error());
  switch (inputs->empty() ? trace::Format::unknown : inputs->front().format) {
    case trace::Format::chakra:
      if (options.to.ends_with(".et") || options.to.ends_with(".et.gz"))
        return import_json_file(path, options);
      return export_chakra(path, options);
    case trace::Format::astra_text:
      return convert_text(path, options);
    case trace::Format::run_file:
      return fail(Errc::input_unsupported, path, "is a run file, not a trace",
                  "show it with 'orrery report'");
    default:
      return fail(Errc::input_unsupported, path, "is not a supported trace",
                  "supported: Kineto, PyTorch execution traces, Nsight Systems exports, Chakra, "
                  "ASTRA-sim 1.0 text, PARAM communication records, MPI calls as JSON");
  }
}

}  // namespace

Result<ConvertedFile> convert_file(const std::vector<std::string>& patterns,
                                   const ConvertFileOptions& options) {
  if (has_comm_records(patterns.front())) return convert_comms(patterns, options);
  if (patterns.size() != 1)
    return fail(Errc::usage, patterns[1], "only recorded traces can be converted together",
                "convert each trace separately");
  return convert_one(patterns.front(), options);
}

}  // namespace orrery::intake
