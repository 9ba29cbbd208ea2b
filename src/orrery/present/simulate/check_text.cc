// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/check_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/traces/convert_link_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/study/questions/inputs/input_check.h"

namespace orrery::present {

using study::InputCheck;

namespace {

std::string agreement(report::Style style) {
  report::Sheet sheet(style);
  sheet.add("ranks", style.good("ok") + "  communications, groups and iterations agree");
  return sheet.text();
}

std::string mismatches_text(const std::vector<intake::Mismatch>& found, report::Style style) {
  std::string text;
  for (const intake::Mismatch& mismatch : found) {
    text += fmt::format("\n{} {}\n  {}\n  {}\n", style.bad("differ"), printable(mismatch.what),
                        printable(mismatch.left), printable(mismatch.right));
  }
  return text;
}

}  // namespace

std::string check_text(const InputCheck& checked, report::Style style) {
  report::Sheet sheet(style);
  for (const InputCheck::Item& item : checked.passed)
    sheet.add(item.what, fmt::format("{}  {}", style.good("ok"), item.text));
  for (const Error& error : checked.errors) {
    sheet.add(style.bad("error"), printable_lines(fmt::format(
                                      "{}{}{} (E{})", error.where, error.where.empty() ? "" : ": ",
                                      error.what, static_cast<int>(error.code))));
  }
  for (const analysis::Problem& problem : checked.consistency.problems) {
    sheet.add(style.bad("problem"),
              fmt::format("{}: {} ({})", problem.where, problem.what, name(problem.kind)));
  }
  if (checked.consistency.count > checked.consistency.problems.size()) {
    sheet.add("", fmt::format("{} problems in all", checked.consistency.count));
  }
  report::add_findings(sheet, checked.findings, style);
  return sheet.text();
}

std::string check_json(const InputCheck& checked) {
  return report::envelope("check", checked.findings, [&](report::JsonWriter& json) {
    json.begin_object().field("ok", checked.ok());
    json.key("passed").begin_array();
    for (const InputCheck::Item& item : checked.passed) {
      json.begin_object().field("what", item.what).field("text", item.text).end_object();
    }
    json.end_array().key("errors").begin_array();
    for (const Error& error : checked.errors) {
      json.begin_object()
          .field("code", fmt::format("E{}", static_cast<int>(error.code)))
          .field("name", name(error.code));
      json.field("where", error.where)
          .field("what", error.what)
          .field("hint", error.hint)
          .end_object();
    }
    json.end_array()
        .field("problem_count", checked.consistency.count)
        .key("problems")
        .begin_array();
    for (const analysis::Problem& problem : checked.consistency.problems) {
      json.begin_object().field("kind", name(problem.kind)).field("where", problem.where);
      json.field("what", problem.what).end_object();
    }
    json.end_array().end_object();
  });
}

std::string check_text(const intake::Job& job, std::uint64_t records,
                       const std::vector<intake::Mismatch>& found, const Findings& findings,
                       report::Style style) {
  report::Sheet sheet(style);
  sheet.add("traces", fmt::format("{}  {}, {} records", style.good("ok"), ranks_of(job), records));
  std::string text = sheet.text() + job_text(job, style);
  if (found.empty() && job.ranks.size() > 1) text += agreement(style);
  text += mismatches_text(found, style);
  report::Sheet rest(style);
  report::add_findings(rest, findings, style);
  return text + rest.text();
}

std::string check_json(const intake::Job& job, const std::vector<intake::Mismatch>& found,
                       const Findings& findings) {
  return report::envelope("check", findings, [&](report::JsonWriter& json) {
    json.begin_object().field("ok", found.empty()).field("ranks", job.ranks.size());
    json.field("matched", job.matched)
        .field("unmatched", job.unmatched)
        .field("single_rank", job.alone);
    json.key("mismatches").begin_array();
    for (const intake::Mismatch& mismatch : found) {
      json.begin_object().field("what", std::string_view(mismatch.what));
      json.field("first", std::string_view(mismatch.left));
      json.field("second", std::string_view(mismatch.right)).end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
