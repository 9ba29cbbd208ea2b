// SPDX-License-Identifier: Apache-2.0
#include "other_formats.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "orrery/core/limits.h"
#include "orrery/core/units.h"
#include "orrery/intake/formats/astra_text.h"
#include "orrery/intake/formats/comms_text.h"
#include "orrery/intake/formats/export.h"
#include "orrery/report/envelope.h"
#include "orrery/report/json.h"
#include "orrery/trace/io/format.h"
#include "output_file.h"
#include "prefix.h"

namespace orrery::app {

namespace {

/// What came of it, whatever the formats.
struct Converted {
  std::string to;
  std::uint64_t ranks = 1;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  bool per_rank = true;  ///< … are those of each rank
  Findings findings;
};

Result<Converted> export_chakra(const std::string& path, const OtherFormats& options,
                                const Session& session) {
  Converted result;
  result.to = session.output;
  const auto format = intake::export_format_of(session.output);
  if (!format) return tl::unexpected(format.error());
  if (auto absent = check_absent(session.output, session.force); !absent)
    return tl::unexpected(absent.error());
  intake::ExportOptions how;
  how.format = *format;
  how.force = session.force;
  if (options.large) how.most_nodes = std::numeric_limits<std::uint64_t>::max();
  const auto report = intake::export_to_file(path, session.output, how, result.findings);
  if (!report) return tl::unexpected(report.error());
  result.nodes = report->nodes;
  result.edges = report->edges;
  return result;
}

Result<Converted> import_json(const std::string& path, const Session& session) {
  Converted result;
  result.to = session.output;
  if (auto absent = check_absent(session.output, session.force); !absent)
    return tl::unexpected(absent.error());
  const auto report = intake::import_json(path, session.output, session.force, result.findings);
  if (!report) return tl::unexpected(report.error());
  result.nodes = report->nodes;
  result.edges = report->edges;
  return result;
}

Result<Converted> convert_text(const std::string& path, const OtherFormats& options,
                               const Session& session) {
  if (options.npus < 1)
    return fail(Errc::usage, "--npus",
                "an ASTRA-sim 1.0 workload says what every rank does, not how many there are",
                "--npus N writes N ranks");
  if (options.npus > static_cast<std::int64_t>(limits::kRanks))
    return fail(Errc::usage, "--npus", fmt::format("at most {} ranks", limits::kRanks));
  if (options.passes < 1 || options.passes > 1'000'000)
    return fail(Errc::usage, "--passes", "the workload can be repeated 1 to 1,000,000 times");
  Converted result;
  result.to = session.output + ".*.et";
  if (auto absent = check_absent(session.output + ".0.et", session.force); !absent)
    return tl::unexpected(absent.error());
  intake::AstraTextOptions how;
  how.ranks = static_cast<std::uint32_t>(options.npus);
  how.force = session.force;
  how.passes = static_cast<std::uint32_t>(options.passes);
  const auto report = intake::convert_astra_text(path, session.output, how, result.findings);
  if (!report) return tl::unexpected(report.error());
  result.ranks = report->ranks;
  result.nodes = report->nodes;
  result.edges = report->edges;
  return result;
}

/// PARAM's communication records, a file per rank, or MPI calls of any number of ranks.
Result<Converted> convert_comms(const std::vector<std::string>& patterns, const Session& session) {
  if (auto is_free = check_prefix_free(session.output, session.force); !is_free)
    return tl::unexpected(is_free.error());
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    const auto paths = trace::expand(pattern);
    if (!paths) return tl::unexpected(paths.error());
    files.insert(files.end(), paths->begin(), paths->end());
  }
  Converted result;
  result.to = session.output + ".*.et";
  const auto report =
      intake::convert_comms_text(files, session.output, session.force, result.findings);
  if (!report) return tl::unexpected(report.error());
  result.ranks = report->ranks;
  result.nodes = report->nodes;
  result.edges = report->edges;
  result.per_rank = false;
  return result;
}

bool are_comms(const std::string& pattern) {
  const auto files = trace::expand(pattern);
  if (!files || files->empty()) return false;
  const auto inputs = trace::inputs_in(files->front());
  return inputs && !inputs->empty() && inputs->front().format == trace::Format::mpi_json;
}

Result<Converted> convert_one(const std::string& path, const OtherFormats& options,
                              const Session& session) {
  const auto inputs = trace::inputs_in(path);
  if (!inputs) return tl::unexpected(inputs.error());
  switch (inputs->empty() ? trace::Format::unknown : inputs->front().format) {
    case trace::Format::chakra:
      if (session.output.ends_with(".et") || session.output.ends_with(".et.gz"))
        return import_json(path, session);
      return export_chakra(path, options, session);
    case trace::Format::astra_text:
      return convert_text(path, options, session);
    case trace::Format::run_file:
      return fail(Errc::input_unsupported, path, "is a finished run, not a trace",
                  "'orrery report' draws runs");
    default:
      return fail(Errc::input_unsupported, path, "is no trace this program knows",
                  "Kineto, PyTorch execution traces, Nsight's SQLite, Chakra, ASTRA-sim 1.0 text, "
                  "PARAM's communication records, MPI calls as JSON");
  }
}

}  // namespace

void add_other_formats(CLI::App& command, OtherFormats& options) {
  const char* const group = "Other formats";
  command.add_option("--npus", options.npus, "ASTRA-sim 1.0 text: for so many ranks")
      ->type_name("N")
      ->group(group);
  command.add_option("--passes", options.passes, "ASTRA-sim 1.0 text: so many iterations")
      ->type_name("N")
      ->group(group);
  command.add_flag("--large", options.large, "dot and GraphML of more than 10,000 nodes")
      ->group(group);
}

int convert_other(const std::vector<std::string>& paths, const OtherFormats& options,
                  Session& session) {
  const bool comms = are_comms(paths.front());
  if (paths.size() != 1 && !comms)
    return session.fail({Errc::usage, paths[1], "one trace at a time, unless they are recorded",
                         "run it once for each"});
  const auto result =
      comms ? convert_comms(paths, session) : convert_one(paths.front(), options, session);
  session.output.clear();
  if (!result) return session.fail(result.error());
  report::Sheet sheet(session.out_style());
  const auto count = [](std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); };
  sheet.add("written",
            fmt::format("{}: {} nodes, {} edges{}", result->to, count(result->nodes),
                        count(result->edges),
                        result->ranks == 1 ? ""
                        : result->per_rank ? " per rank"
                                           : fmt::format(" of {} ranks", result->ranks)));
  report::add_findings(sheet, result->findings, session.out_style());
  return session.deliver(sheet.text(), [&] {
    std::string out;
    report::JsonWriter json(out);
    report::begin_envelope(json, "convert");
    json.begin_object().field("to", std::string_view(result->to)).field("ranks", result->ranks);
    json.field("nodes", result->nodes).field("edges", result->edges).end_object();
    report::end_envelope(json, result->findings);
    return out + '\n';
  });
}

}  // namespace orrery::app
