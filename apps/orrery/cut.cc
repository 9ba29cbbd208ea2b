// SPDX-License-Identifier: Apache-2.0
//
// orrery cut: one iteration, a window of time, some ranks.
#include "orrery/intake/edit/cut.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>

#include "arguments.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/intake/job/job.h"
#include "orrery/report/envelope.h"
#include "orrery/report/json.h"
#include "output_file.h"
#include "recorded.h"

namespace orrery::app {

namespace {

namespace fs = std::filesystem;

struct CutArguments {
  std::vector<std::string> traces;
  std::optional<std::int64_t> iteration;
  std::string from, to;
  std::string ranks;  ///< "0,3-5"; empty = all
};

struct Piece {
  trace::Input input;
  std::string path;
  intake::CutReport report;
};

/// "0,3-5" as a test of ranks.
Result<std::vector<std::pair<std::uint32_t, std::uint32_t>>> parse_ranks(std::string_view text) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    std::uint32_t low = 0;
    const char* const end = item.data() + item.size();
    std::from_chars_result parsed = std::from_chars(item.data(), end, low);
    std::uint32_t high = low;
    if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '-')
      parsed = std::from_chars(parsed.ptr + 1, end, high);
    if (parsed.ec != std::errc{} || parsed.ptr != end || high < low)
      return fail(Errc::usage, "--ranks", fmt::format("'{}' is no rank or range", item),
                  "write it like 0,3-5");
    list.emplace_back(low, high);
  }
  return list;
}

Result<intake::CutOptions> cut_options(const CutArguments& arguments) {
  intake::CutOptions options;
  if (arguments.iteration) {
    if (*arguments.iteration < 0)
      return fail(Errc::usage, "--iteration",
                  fmt::format("there is no iteration {}", *arguments.iteration));
    options.iteration = *arguments.iteration;
  }
  if (!arguments.from.empty()) {
    const auto from = parse_time(arguments.from);
    if (!from) return fail(Errc::usage, "--from", from.error().what, from.error().hint);
    options.from = *from;
  }
  if (!arguments.to.empty()) {
    const auto to = parse_time(arguments.to);
    if (!to) return fail(Errc::usage, "--to", to.error().what, to.error().hint);
    options.to = *to;
  }
  if (!options.iteration && !options.from && !options.to && arguments.ranks.empty())
    return fail(Errc::usage, "", "nothing to cut", "give --iteration, --from and --to, or --ranks");
  return options;
}

/// All inputs, or those of the ranks asked for.
Result<std::vector<trace::Input>> inputs_of(const CutArguments& arguments) {
  std::vector<trace::Input> inputs;
  for (const std::string& pattern : arguments.traces) {
    const auto paths = trace::expand(pattern);
    if (!paths) return tl::unexpected(paths.error());
    for (const std::string& path : *paths) {
      auto inside = trace::inputs_in(path);
      if (!inside) return tl::unexpected(inside.error());
      inputs.insert(inputs.end(), inside->begin(), inside->end());
    }
  }
  if (arguments.ranks.empty()) return inputs;
  const auto ranges = parse_ranks(arguments.ranks);
  if (!ranges) return tl::unexpected(ranges.error());
  intake::JobOptions job;
  job.traces = arguments.traces;
  Findings findings;
  const auto ranks = intake::find_ranks(job, findings);
  if (!ranks) return tl::unexpected(ranks.error());
  inputs.clear();
  for (const intake::RankFiles& files : *ranks) {
    const bool wanted = std::any_of(ranges->begin(), ranges->end(), [&](const auto& range) {
      return files.rank >= range.first && files.rank <= range.second;
    });
    if (!wanted) continue;
    if (files.device) inputs.push_back(*files.device);
    if (files.host) inputs.push_back(*files.host);
  }
  if (inputs.empty())
    return fail(Errc::usage, "--ranks", "none of the traces is of these ranks",
                "'orrery link' lists the ranks");
  return inputs;
}

std::string base_name(const std::string& name) { return name.substr(name.find_last_of("/!") + 1); }

Result<std::vector<Piece>> cut_all(const CutArguments& arguments, const std::string& output,
                                   bool force, Findings& findings) {
  auto options = cut_options(arguments);
  if (!options) return tl::unexpected(options.error());
  options->force = force;
  const auto inputs = inputs_of(arguments);
  if (!inputs) return tl::unexpected(inputs.error());
  std::error_code ignored;
  const bool folder =
      inputs->size() > 1 || output.ends_with('/') || fs::is_directory(output, ignored);
  std::vector<Piece> pieces;
  for (const trace::Input& input : *inputs) {
    Piece piece{input, folder ? (fs::path(output) / base_name(input.name)).string() : output, {}};
    if (auto absent = check_absent(piece.path, force); !absent)
      return tl::unexpected(absent.error());
    const auto same = std::find_if(pieces.begin(), pieces.end(),
                                   [&](const Piece& other) { return other.path == piece.path; });
    if (same != pieces.end())
      return fail(Errc::usage, piece.path,
                  fmt::format("{} and {} would both go there", same->input.name, input.name),
                  "cut them one at a time");
    pieces.push_back(std::move(piece));
  }
  for (Piece& piece : pieces) {
    auto report = intake::cut(piece.input, *options, piece.path, findings);
    if (!report) return tl::unexpected(report.error());
    piece.report = *report;
  }
  return pieces;
}

std::string end_of(const intake::CutReport& report) {
  return report.to == kTimeMax ? "the end" : format_time(report.to);
}

int cut(const CutArguments& arguments, Session& session) {
  const std::string output = std::exchange(session.output, "");
  if (arguments.traces.empty() || output.empty())
    return session.fail({Errc::usage, "", "needs a trace and --output",
                         "orrery cut trace.json.gz --iteration 2 -o step.json.gz"});
  Findings findings;
  const auto pieces = cut_all(arguments, output, session.force, findings);
  if (!pieces) return session.fail(pieces.error(), findings);
  const report::Style style = session.out_style();
  report::Table table(
      {{"written"}, {"records", true}, {"kept", true}, {"from", true}, {"to", true}});
  for (const Piece& piece : *pieces) {
    table.row({report::fit(printable(piece.path), 36),
               format_count(static_cast<std::int64_t>(piece.report.records)),
               format_count(static_cast<std::int64_t>(piece.report.kept)),
               format_time(piece.report.from), end_of(piece.report)});
  }
  return session.deliver(table.text(style), [&] {
    std::string out;
    report::JsonWriter json(out);
    report::begin_envelope(json, "cut");
    json.begin_object().key("files").begin_array();
    for (const Piece& piece : *pieces) {
      json.begin_object().field("from", std::string_view(piece.input.name));
      json.field("file", std::string_view(piece.path)).field("records", piece.report.records);
      json.field("kept", piece.report.kept).field("edges_cut", piece.report.edges_cut);
      json.end_object();
    }
    json.end_array().end_object();
    report::end_envelope(json, findings);
    return out + '\n';
  });
}

}  // namespace

void add_cut(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("cut", "Cut an iteration, a window or some ranks out");
  command->description(
      "Cut one iteration, a window of time or some ranks out of traces.\n"
      "The result has the format of what it is cut from: Kineto, a PyTorch execution trace, or "
      "Chakra.\n"
      "Work on the device stays with the call that launched it.\n\n"
      "Examples:\n"
      "  orrery cut rank0.json.gz --iteration 12 -o step12.json.gz\n"
      "  orrery cut 'run/*.json.gz' --ranks 0,4-7 --from '1 s' --to '2 s' -o part/\n");
  const auto options = std::make_shared<CutArguments>();
  command->add_option("TRACES", options->traces, "Files or patterns")->type_name("");
  command->add_option("--iteration", options->iteration, "The N of ProfilerStep#N")->type_name("N");
  command->add_option("--from", options->from, "Since the first recorded time ('1.5 ms')")
      ->type_name("TIME");
  command->add_option("--to", options->to, "Up to then, exclusive")->type_name("TIME");
  command->add_option("--ranks", options->ranks, "Only these: 0,4-7")->type_name("LIST");
  session.add_options(*command, true);
  command->callback([options, &session] {
    session.command = "cut";
    session.action = [options, &session] { return cut(*options, session); };
  });
}

}  // namespace orrery::app
