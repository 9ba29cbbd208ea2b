// SPDX-License-Identifier: Apache-2.0
//
// orrery compare: two runs side by side, and why one is slower.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "command.h"
#include "orrery/analysis/comparison/compare_runs.h"
#include "orrery/core/text/units.h"
#include "orrery/present/results/compare_text.h"
#include "orrery/result/run_file.h"
#include "output/report_files.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct CompareOptions {
  std::string a, b, threshold;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      QuestionField{"a", &CompareOptions::a, "A", "", kAnswer, "a.orrery",
                    "The run file to compare with"}
          .required(),
      QuestionField{"b", &CompareOptions::b, "B", "", kAnswer, "b.orrery", "The run file to judge"}
          .required(),
      QuestionField{"threshold", &CompareOptions::threshold, "--threshold", "SHARE", kAnswer, "5%",
                    "Exit 1 where the step grew by more"},
      QuestionStruct{"page", &CompareOptions::page,
                     SelectedRow{"path", "Write both, side by side, as one web page"},
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
  const auto value = parse_number(number, "--threshold");
  if (!value || *value < 0 || (unit == 1 && *value > 10)) {
    return fail(Errc::usage, "--threshold", fmt::format("'{}' is not a share", text),
                "5% or 0.05: how much longer the second step may be");
  }
  return std::optional<double>(*value * unit);
}

int compare(const CompareOptions& options, Session& session) {
  const auto threshold = parse_threshold(options.threshold);
  if (!threshold) return session.fail(threshold.error());
  if (options.page.path == "-")
    return session.fail({Errc::usage, "--html", "stdout is for the comparison",
                         "give a file, or 'orrery report A B --html -'"});
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  auto a = result::read_run(options.a);
  if (!a) return session.fail(a.error());
  auto b = result::read_run(options.b);
  if (!b) return session.fail(b.error());
  present::RunComparison verdict{options.a, options.b,  *std::move(a), *std::move(b),
                                 {},        *threshold, false};
  verdict.comparison = analysis::compare(verdict.a, verdict.b);
  verdict.regressed =
      verdict.threshold && (analysis::regressed(verdict.a, verdict.b, *verdict.threshold) ||
                            (verdict.b.stalled && !verdict.a.stalled));
  if (auto written = page.write({&verdict.a, &verdict.b}, session); !written)
    return session.fail(written.error());
  const int code = session.deliver(
      present::compare_text(verdict, session.out_style()),
      [&] { return present::compare_json(verdict); }, verdict.regressed ? kSaysNo : kOk);
  page.show(session);
  return code;
}

}  // namespace

Action add_compare(CLI::App& command, Session& session) {
  describe(command,
           "Nodes are matched by rank, id and name. Exit code 1: the second step is longer\n"
           "than the first by more than --threshold, or stalls where the first did not.\n"
           "\n"
           "Examples:\n"
           "  orrery compare before.orrery after.orrery\n"
           "  orrery compare before.orrery after.orrery --threshold 5% --html difference.html\n");
  const auto options = std::make_shared<CompareOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return compare(*options, session); };
}

}  // namespace orrery::app
