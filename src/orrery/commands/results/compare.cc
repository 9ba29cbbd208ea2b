// SPDX-License-Identifier: Apache-2.0
//
// orrery compare: compares two runs, and shows the causes of the difference.
#include <fmt/format.h>

#include <optional>

#include "orrery/analysis/comparison/compare_runs.h"
#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/core/text/units.h"
#include "orrery/present/results/compare_answer.h"
#include "orrery/result/run_file.h"

namespace orrery::commands {

namespace {

struct CompareOptions {
  std::string a, b, threshold;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      QuestionField{"a", &CompareOptions::a, "A", "", kAnswer, "a.orrery",
                    "The first run file, the baseline"}
          .required(),
      QuestionField{"b", &CompareOptions::b, "B", "", kAnswer, "b.orrery", "The second run file"}
          .required(),
      QuestionField{"threshold", &CompareOptions::threshold, "--max-slowdown", "SHARE", kAnswer,
                    "5%", "Exit code 1 if the second step is longer by more than this"},
      QuestionStruct{"page", &CompareOptions::page,
                     SelectedRow{"path", "Write both runs, side by side, as one web page"},
                     SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// "5%", "5 %" and "0.05" are the same.
Result<std::optional<double>> parse_threshold(const std::string& text) {
  if (text.empty()) return std::optional<double>{};
  std::string number = text;
  double unit = 1;
  if (number.ends_with('%')) {
    number.pop_back();
    unit = 0.01;
  }
  while (number.ends_with(' ')) number.pop_back();
  const auto value = parse_number(number, "--max-slowdown");
  if (!value || *value < 0 || (unit == 1 && *value > 10)) {
    return fail(Errc::usage, "--max-slowdown", fmt::format("'{}' is not a share", text),
                "5% or 0.05: how much longer the second step may be");
  }
  return std::optional<double>(*value * unit);
}

int compare(const CompareOptions& options, Context& context) {
  const auto threshold = parse_threshold(options.threshold);
  if (!threshold) return context.fail(threshold.error());
  if (options.page.path == "-")
    return context.fail({Errc::usage, "--html", "stdout is for the comparison",
                         "give a file, or 'orrery report A B --html -'"});
  PageFile page(options.page);
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  auto a = result::read_run(options.a);
  if (!a) return context.fail(a.error());
  auto b = result::read_run(options.b);
  if (!b) return context.fail(b.error());
  present::RunComparison runs{options.a, options.b,  *std::move(a), *std::move(b),
                              {},        *threshold, false};
  runs.comparison = analysis::compare(runs.a, runs.b);
  runs.regressed = runs.threshold && (analysis::regressed(runs.a, runs.b, *runs.threshold) ||
                                      (runs.b.stalled && !runs.a.stalled));
  if (auto written = page.write({&runs.a, &runs.b}, context); !written)
    return context.fail(written.error());
  const int code =
      context.deliver([&](report::Answer& answer) { present::state_comparison(answer, runs); },
                      runs.regressed ? kSaysNo : kOk);
  page.show(context);
  return code;
}

}  // namespace

Action add_compare(CommandOptions& command, Context& context) {
  describe(
      command,
      "Nodes are matched by rank, id and name. Exit code 1: the second step is longer\n"
      "than the first by more than --max-slowdown, or stalls where the first did not.\n"
      "\n"
      "Examples:\n"
      "  orrery compare before.orrery after.orrery\n"
      "  orrery compare before.orrery after.orrery --max-slowdown 5% --html difference.html\n");
  return action_with_options(command, context, compare);
}

}  // namespace orrery::commands
