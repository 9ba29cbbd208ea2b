// SPDX-License-Identifier: Apache-2.0
//
// orrery report: shows a run as a summary, a web page or a timeline.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/present/number_text.h"
#include "orrery/present/results/run_summary_answer.h"
#include "orrery/result/run_file.h"

namespace orrery::commands {

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
                               "Only these ranks: 0-7, or 3; all: every rank of a large run"},
                 QuestionField{"from", &ReportOptions::from, "--from", "TIME", kNothing, "1ms",
                               "Only events that end after this time: 1ms"},
                 QuestionField{"to", &ReportOptions::to, "--to", "TIME", kNothing, "2ms",
                               "Only events that begin before this time: 2ms"},
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

/// "0-7", "3": the ranks, both ends included; "all".
Result<void> choose_ranks(const std::string& text, TimelineChoice& choice) {
  if (text.empty() || text == "all") return {};
  const std::size_t dash = text.find('-');
  const auto first = parse_rank(std::string_view(text).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : parse_rank(std::string_view(text).substr(dash + 1));
  if (!first || !last || *first > *last) {
    return fail(Errc::usage, "--ranks", fmt::format("'{}' is not a range of ranks", text),
                "0-7, 3 alone, or all");
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

/// Checks the options against each other, before anything is read.
Result<void> check_report(const ReportOptions& options, const Context& context) {
  if (options.runs.size() > 2)
    return fail(Errc::usage, "RUN", "takes one run file, or two with --html");
  if (options.runs.size() == 2 && options.timeline())
    return fail(Errc::usage, options.perfetto.empty() ? "--chrome" : "--perfetto",
                "a timeline shows one run", "write one timeline per run; --html takes both runs");
  if (options.runs.size() == 2 && !options.page.wanted())
    return fail(Errc::usage, "RUN", "two runs need --html",
                "'orrery compare A B' compares them in the terminal");
  if (context.output.ends_with(".html") && !options.writes())
    return fail(Errc::usage, "--output", "writes the summary, which is not a web page",
                "--html FILE writes the page, --open shows it");
  const bool part = !options.ranks.empty() || options.from || options.to || options.split;
  if (part && !options.timeline())
    return fail(Errc::usage, "", "--ranks, --from, --to and --split need --perfetto or --chrome");
  int to_stdout = context.json && context.output.empty() ? 1 : 0;
  for (const std::string& path :
       {options.page.path, options.perfetto, options.chrome, context.output})
    to_stdout += path == "-" ? 1 : 0;
  if (to_stdout > 1) return fail(Errc::usage, "", "only one thing can go to stdout");
  if (options.split) {
    if (*options.split < Bytes(1'000'000))
      return fail(Errc::usage, "--split", "must be at least 1 MB", "--split 500MB");
    if (options.perfetto == "-" || options.chrome == "-")
      return fail(Errc::usage, "--split", "several files cannot go to stdout");
    return {};
  }
  for (const std::string& path : {options.perfetto, options.chrome}) {
    if (path.empty()) continue;
    if (auto fine = check_absent(path, context.force); !fine) return fine;
  }
  return {};
}

void state_files(report::Answer& answer, const std::vector<Written>& files,
                 const Findings& findings) {
  report::Columns<Written> columns;
  columns.field("file", &Written::path).field("bytes", &Written::bytes);
  answer.table("files", files, columns);
  if (answer.is_json()) answer.findings(findings);
}

int summary(const result::Run& run, bool all, const Context& context) {
  return context.deliver([&](report::Answer& answer) { present::state_summary(answer, run, all); });
}

int write_files(const ReportOptions& options, PageFile& page, const TimelineChoice& choice,
                std::optional<Bytes> split, const std::vector<result::Run>& runs,
                const Context& context) {
  const std::uint32_t ranks = static_cast<std::uint32_t>(runs.front().ranks.size());
  if (choice.first_rank >= ranks)
    return context.fail({Errc::usage, "--ranks",
                         fmt::format("there is no rank {}; the run has {}", choice.first_rank,
                                     present::plural(ranks, "rank")),
                         ""});
  std::vector<const result::Run*> all;
  Findings findings;
  for (const result::Run& run : runs) {
    all.push_back(&run);
    findings.merge(run.findings);
  }
  auto files = page.write(all, context);
  if (!files) return context.fail(files.error());
  const bool sample = options.ranks.empty();
  for (const TimelineFile& timeline :
       {TimelineFile{options.perfetto, TimelineFormat::perfetto, sample},
        TimelineFile{options.chrome, TimelineFormat::chrome, sample}}) {
    const auto written = write_timeline(timeline, runs.front(), choice, split, context);
    if (!written) return context.fail(written.error());
    files->insert(files->end(), written->begin(), written->end());
  }
  int code = kOk;
  if (context.json || !context.output.empty())
    code = context.deliver([&](report::Answer& answer) { state_files(answer, *files, findings); });
  if (code == kOk) page.show(context);
  return code;
}

int report_run(const ReportOptions& options, Context& context) {
  if (auto fine = check_report(options, context); !fine) return context.fail(fine.error());
  const auto choice = parse_choice(options);
  if (!choice) return context.fail(choice.error());
  PageFile page(options.page);
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  std::vector<result::Run> runs;
  Progress progress(context);
  for (const std::string& path : options.runs) {
    const Progress::Phase reading{"read", "reading", "runs", path};
    progress.begin(reading, options.runs.size());
    auto run = result::read_run(path);
    if (!run) return context.fail(run.error());
    runs.push_back(*std::move(run));
    progress.update(reading, runs.size(), options.runs.size());
  }
  progress.clear();
  const int code = options.writes()
                       ? write_files(options, page, *choice, options.split, runs, context)
                       : summary(runs.front(), options.all, context);
  if (context.wants_run()) context.take_run(std::move(runs.front()));
  return code;
}

}  // namespace

Action add_report(CommandOptions& command, Context& context) {
  describe(command,
           "The web page is one file that needs no network; it shows one run, or two side by\n"
           "side.\n"
           "\n"
           "Examples:\n"
           "  orrery report step.orrery --html step.html\n"
           "  orrery report step.orrery --open\n"
           "  orrery report step.orrery --perfetto step.pftrace --ranks 0-7\n");
  return action_with_options(command, context, report_run);
}

}  // namespace orrery::commands
