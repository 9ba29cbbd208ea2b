// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/check_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/traces/convert_link_answer.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using study::InputCheck;

namespace {

void state_errors(report::Answer& answer, const std::vector<Error>& errors) {
  for (const Error& error : errors)
    answer.line(
        answer.style().bad("error"),
        printable_lines(fmt::format("{}{}{} (E{})", error.where, error.where.empty() ? "" : ": ",
                                    error.what, static_cast<int>(error.code))));
  report::Columns<Error> columns;
  columns.members(report::write_error_members);
  answer.table("errors", errors, columns);
}

void state_problems(report::Answer& answer, const analysis::Consistency& consistency) {
  for (const analysis::Problem& problem : consistency.problems)
    answer.line(answer.style().bad("problem"),
                fmt::format("{}: {} ({})", problem.where, problem.what, name(problem.kind)));
  if (consistency.count > consistency.problems.size())
    answer.line("", fmt::format("{} problems in total", consistency.count));
  report::Columns<analysis::Problem> columns;
  columns.field("kind", [](const auto& problem) { return name(problem.kind); })
      .field("where", [](const auto& problem) { return problem.where; })
      .field("what", [](const auto& problem) { return problem.what; });
  answer.field("problem_count", consistency.count).table("problems", consistency.problems, columns);
}

}  // namespace

void state_check(report::Answer& answer, const InputCheck& checked) {
  const std::string ok = answer.style().good("ok");
  answer.field("ok", checked.ok());
  for (const InputCheck::Item& item : checked.passed)
    answer.line(item.what, fmt::format("{}  {}", ok, item.text));
  report::Columns<InputCheck::Item> passed;
  passed.field("what", [](const auto& item) { return item.what; })
      .field("text", [](const auto& item) { return item.text; });
  answer.table("passed", checked.passed, passed);
  state_errors(answer, checked.errors);
  state_problems(answer, checked.consistency);
  answer.findings(checked.findings);
}

void state_recorded_check(report::Answer& answer, const intake::Job& job, std::uint64_t records,
                          const std::vector<intake::Mismatch>& mismatches,
                          const Findings& findings) {
  const report::Style style = answer.style();
  answer.field("ok", mismatches.empty()).field("ranks", job.ranks.size());
  answer.line("traces",
              fmt::format("{}  {}, {} records", style.good("ok"), ranks_of(job), records));
  state_job(answer, job);
  answer.field("matched", job.matched)
      .field("unmatched", job.unmatched)
      .field("single_rank", job.alone);
  if (mismatches.empty() && job.ranks.size() > 1)
    answer.line("ranks", style.good("ok") + "  communications, groups and iterations agree");
  for (const intake::Mismatch& mismatch : mismatches)
    answer.first(fmt::format("\n{} {}\n  {}\n  {}", style.bad("differ"), printable(mismatch.what),
                             printable(mismatch.left), printable(mismatch.right)));
  report::Columns<intake::Mismatch> columns;
  columns.field("what", [](const auto& mismatch) { return mismatch.what; })
      .field("first", [](const auto& mismatch) { return mismatch.left; })
      .field("second", [](const auto& mismatch) { return mismatch.right; });
  answer.table("mismatches", mismatches, columns);
  answer.findings(findings);
}

}  // namespace orrery::present
