// SPDX-License-Identifier: Apache-2.0
//
// orrery report: a run as a summary, a web page, a timeline.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>

#include "command.h"
#include "orrery/core/text/units.h"
#include "orrery/present/simulate/run_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/result/run_file.h"
#include "output/report_files.h"
#include "output_file.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

using report::TimelineChoice;

namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  PageOptions page;
  std::string perfetto, chrome, ranks;
  std::optional<Time> from, to;
  std::optional<Bytes> split;
  bool all = false;

  static constexpr std::string_view group = "What to write";
  static constexpr auto fields =
      std::tuple{QuestionField{"runs", &ReportOptions::runs, "RUN", "", kAnswer, "b.orrery",
                               "A run file ('orrery run ... -o RUN.orrery'), or two"}
                     .required(),
                 QuestionStruct{"page", &ReportOptions::page,
                                SelectedRow{"path", "One self-contained web page"},
                                SelectedRow{"page"}, SelectedRow{"open"}},
                 QuestionField{"perfetto", &ReportOptions::perfetto, "--perfetto", "FILE", kNothing,
                               "run.pftrace", "A timeline for ui.perfetto.dev"},
                 QuestionField{"chrome", &ReportOptions::chrome, "--chrome", "FILE", kNothing,
                               "run.json", "A timeline as Chrome's trace-event JSON"},
                 QuestionGroup{"Part of a timeline"},
                 QuestionField{"ranks", &ReportOptions::ranks, "--ranks", "RANKS", kNothing, "0",
                               "Only these: 0-7, or 3"},
                 QuestionField{"from", &ReportOptions::from, "--from", "TIME", kNothing, "1ms",
                               "Only what lasts beyond this: 1ms"},
                 QuestionField{"to", &ReportOptions::to, "--to", "TIME", kNothing, "2ms",
                               "Only what begins before this: 2ms"},
                 QuestionField{"split", &ReportOptions::split, "--split", "SIZE", kNothing, "500MB",
                               "Several files of about this size: 500MB"},
                 QuestionGroup{"Output"},
                 QuestionField{"all", &ReportOptions::all, "--all", "", kNothing, "true",
                               "Show every kind of collective in the summary"}};

  [[nodiscard]] bool timeline() const { return !perfetto.empty() || !chrome.empty(); }
  [[nodiscard]] bool writes() const { return timeline() || page.wanted(); }
};

std::optional<std::uint32_t> parse_rank(std::string_view text) {
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rank;
}

/// "0-7", "3": the ranks, both ends included.
Result<void> choose_ranks(const std::string& text, TimelineChoice& choice) {
  if (text.empty()) return {};
  const std::size_t dash = text.find('-');
  const auto first = parse_rank(std::string_view(text).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : parse_rank(std::string_view(text).substr(dash + 1));
  if (!first || !last || *first > *last) {
    return fail(Errc::usage, "--ranks", fmt::format("'{}' is not a range of ranks", text),
                "0-7, or 3 alone");
  }
  choice.first_rank = *first;
  choice.last_rank = *last;
  return {};
}

Result<TimelineChoice> parse_choice(const ReportOptions& options) {
  TimelineChoice choice;
  if (auto fine = choose_ranks(options.ranks, choice); !fine) return tl::unexpected(fine.error());
  choice.from = options.from.value_or(choice.from);
  choice.until = options.to.value_or(choice.until);
  if (choice.until <= choice.from)
    return fail(Errc::usage, "--to", "must be later than --from", "--from 1ms --to 2ms");
  return choice;
}

/// What contradicts itself, before anything is read.
Result<void> check_report(const ReportOptions& options, const Session& session) {
  if (options.runs.size() > 2)
    return fail(Errc::usage, "RUN", "one run file, or two to be compared with --html");
  if (options.runs.size() == 2 && options.timeline())
    return fail(Errc::usage, options.perfetto.empty() ? "--chrome" : "--perfetto",
                "a timeline is of one run", "write one for each; --html takes both");
  if (options.runs.size() == 2 && !options.page.wanted())
    return fail(Errc::usage, "RUN", "two runs are for --html",
                "'orrery compare A B' compares them in the terminal");
  const bool part = !options.ranks.empty() || options.from || options.to || options.split;
  if (part && !options.timeline())
    return fail(Errc::usage, "",
                "--ranks, --from, --to and --split are for --perfetto and --chrome");
  int to_stdout = session.json && session.output.empty() ? 1 : 0;
  for (const std::string& path :
       {options.page.path, options.perfetto, options.chrome, session.output})
    to_stdout += path == "-" ? 1 : 0;
  if (to_stdout > 1) return fail(Errc::usage, "", "only one thing can go to stdout");
  if (options.split) {
    if (*options.split < Bytes(1'000'000))
      return fail(Errc::usage, "--split", "pieces of less than 1 MB are not worth a file",
                  "--split 500MB");
    if (options.perfetto == "-" || options.chrome == "-")
      return fail(Errc::usage, "--split", "several files cannot go to stdout");
    return {};
  }
  for (const std::string& path : {options.perfetto, options.chrome}) {
    if (path.empty()) continue;
    if (auto fine = check_absent(path, session.force); !fine) return fine;
  }
  return {};
}

std::string files_json(const std::vector<Written>& files, const Findings& findings) {
  return report::envelope("report", findings, [&](report::JsonWriter& json) {
    json.begin_object().key("files").begin_array();
    for (const Written& file : files)
      json.begin_object().field("file", file.path).field("bytes", file.bytes).end_object();
    json.end_array().end_object();
  });
}

int summary(const result::Run& run, bool all, const Session& session) {
  return session.deliver(present::summary_text(run, session.out_style(), all),
                         [&] { return present::summary_json(run); });
}

int write_files(const ReportOptions& options, PageFile& page, const TimelineChoice& choice,
                std::optional<Bytes> split, const std::vector<result::Run>& runs,
                const Session& session) {
  const std::uint32_t ranks = static_cast<std::uint32_t>(runs.front().ranks.size());
  if (choice.first_rank >= ranks)
    return session.fail({Errc::usage, "--ranks",
                         fmt::format("there is no rank {} among {}", choice.first_rank, ranks),
                         ""});
  std::vector<const result::Run*> all;
  Findings findings;
  for (const result::Run& run : runs) {
    all.push_back(&run);
    findings.merge(run.findings);
  }
  auto files = page.write(all, session);
  if (!files) return session.fail(files.error());
  for (const TimelineFile& timeline : {TimelineFile{options.perfetto, TimelineFormat::perfetto},
                                       TimelineFile{options.chrome, TimelineFormat::chrome}}) {
    const auto written = write_timeline(timeline, runs.front(), choice, split, session);
    if (!written) return session.fail(written.error());
    files->insert(files->end(), written->begin(), written->end());
  }
  int code = kOk;
  if (session.json || !session.output.empty())
    code = session.deliver("", [&] { return files_json(*files, findings); });
  if (code == kOk) page.show(session);
  return code;
}

int report_run(const ReportOptions& options, Session& session) {
  if (auto fine = check_report(options, session); !fine) return session.fail(fine.error());
  const auto choice = parse_choice(options);
  if (!choice) return session.fail(choice.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  std::vector<result::Run> runs;
  Progress progress(session);
  for (const std::string& path : options.runs) {
    const Progress::Phase reading{"read", "reading", "runs", path};
    progress.begin(reading, options.runs.size());
    auto run = result::read_run(path);
    if (!run) return session.fail(run.error());
    runs.push_back(*std::move(run));
    progress.tell(reading, runs.size(), options.runs.size());
  }
  progress.clear();
  if (!options.writes()) return summary(runs.front(), options.all, session);
  return write_files(options, page, *choice, options.split, runs, session);
}

}  // namespace

Action add_report(CLI::App& command, Session& session) {
  describe(command,
           "The page is one file that needs no network; it shows two runs side by side.\n"
           "\n"
           "Examples:\n"
           "  orrery report step.orrery --html step.html\n"
           "  orrery report step.orrery --open\n"
           "  orrery report step.orrery --perfetto step.pftrace --ranks 0-7\n");
  const auto options = std::make_shared<ReportOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return report_run(*options, session); };
}

}  // namespace orrery::app
