// SPDX-License-Identifier: Apache-2.0
//
// orrery check, for recorded traces: can they be read, linked, and do the ranks agree?
#include <fmt/format.h>

#include "orrery/core/text.h"
#include "orrery/report/envelope.h"
#include "orrery/report/json.h"
#include "progress.h"
#include "recorded.h"

namespace orrery::app {

namespace {

constexpr std::size_t kMismatchesShown = 10;

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

std::string checked_json(const intake::Job& job, const std::vector<intake::Mismatch>& found,
                         const Findings& findings) {
  std::string out;
  report::JsonWriter json(out);
  report::begin_envelope(json, "check");
  json.begin_object().field("ok", found.empty()).field("ranks", job.ranks.size());
  json.field("matched", job.matched).field("unmatched", job.unmatched).field("alone", job.alone);
  json.key("mismatches").begin_array();
  for (const intake::Mismatch& mismatch : found) {
    json.begin_object().field("what", std::string_view(mismatch.what));
    json.field("left", std::string_view(mismatch.left));
    json.field("right", std::string_view(mismatch.right)).end_object();
  }
  json.end_array().end_object();
  report::end_envelope(json, findings);
  return out + '\n';
}

}  // namespace

int check_recorded(const RecordedTraces& options, Session& session) {
  auto job = study::job_options(options);
  if (!job) return session.fail(job.error());
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  std::uint64_t records = 0;
  const auto done = intake::for_each_rank(
      *job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        findings.merge(rank.findings);
        records += rank.profile.account.records;
        return {};
      });
  progress.clear();
  if (!done) return session.fail(done.error(), findings);
  findings.merge(done->findings);
  const auto found = intake::mismatches(*done, kMismatchesShown);
  const report::Style style = session.out_style();
  report::Sheet sheet(style);
  sheet.add("traces",
            fmt::format("{}  {}, {} records", style.good("ok"), ranks_of(*done), records));
  std::string text = sheet.text() + job_text(*done, style);
  if (found.empty() && done->ranks.size() > 1) text += agreement(style);
  text += mismatches_text(found, style);
  report::Sheet rest(style);
  report::add_findings(rest, findings, style);
  return session.deliver(
      text + rest.text(), [&] { return checked_json(*done, found, findings); },
      found.empty() ? kOk : kSaysNo);
}

}  // namespace orrery::app
