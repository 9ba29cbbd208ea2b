// SPDX-License-Identifier: Apache-2.0
//
// Explains a collective: who joined, who arrived last, and why it was not faster.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/analysis/explanation/explain_internal.h"
#include "orrery/analysis/metrics/metrics.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

using result::Collective;
using result::kNone;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

struct Member {
  std::uint32_t rank = kNone;
  const Span* span = nullptr;
};

/// Facts from the spans of its ranks.
struct Members {
  Member last_done;  ///< finished last; ties: the lowest rank
  Time waited{};     ///< waiting for the last member, summed
  std::uint32_t early = 0;
};

Members members_of(const Run& run, std::uint32_t number, std::uint32_t group) {
  const Collective& collective = run.collective(number, group);
  Members made;
  const auto visit = [&](std::uint32_t rank) {
    const auto& groups = run.ranks[rank].groups;
    for (const Span& span : run.timeline(rank).spans) {
      if (span.kind != SpanKind::collective || span.group >= groups.size()) continue;
      if (groups[span.group] != group || run.collective_of(rank, span) != number) continue;
      made.waited = saturating_sum(made.waited, span.wait);
      if (span.start < collective.last_start) ++made.early;
      if (made.last_done.span == nullptr || span.end > made.last_done.span->end)
        made.last_done = {rank, &span};
    }
  };
  const auto& ranks = run.groups[group].ranks;
  if (!ranks.empty()) {
    for (const std::uint32_t rank : ranks) {
      if (rank < run.ranks.size()) visit(rank);
    }
    return made;
  }
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) visit(rank);
  return made;
}

std::string arrival_words(const Run& run, const Collective& one, std::uint32_t last_rank,
                          const Members& members) {
  if (!one.joined)
    return "Its ranks did not wait for each other: every rank used its recorded time.";
  if (one.first_start == one.last_start) return "All ranks arrived at the same time.";
  return fmt::format(
      "The first rank arrived at {}, the last, rank {}, {} later. {} waited for it, {} in total "
      "({} of the step each on average).",
      format_time(one.first_start), last_rank, format_time(one.last_start - one.first_start),
      plural(members.early, "rank"), format_time(members.waited),
      share_text(members.early == 0 ? 0 : ratio(members.waited, run.step) / members.early));
}

// Why the collective exceeds its lower bound, according to the member that finished last.
std::string slower_words(const Collective& one, const CollectiveSpeed& speed,
                         const Members& members) {
  if (!one.bound) return "The lower bound of its time on its links is unknown.";
  const Time more = speed.time - *one.bound;
  std::string text =
      fmt::format("The lower bound of its time, with all bytes at full bandwidth on {}, is {}",
                  one.bound_by.empty() ? "its links" : one.bound_by, format_time(*one.bound));
  if (more <= Time{}) return text + "; it reached the bound.";
  text += fmt::format("; it lasted {} longer", format_time(more));
  const Span* span = members.last_done.span;
  if (span == nullptr) return text + ".";
  std::vector<std::string> reasons;
  if (span->latency > Time{})
    reasons.push_back(fmt::format("{} for hops and end points", format_time(span->latency)));
  if (span->queue > Time{})
    reasons.push_back(fmt::format("{} in queues", format_time(span->queue)));
  const Time rest = span->rest() - *one.bound;
  if (rest > Time{})
    reasons.push_back(fmt::format(
        "{} because its algorithm transfers more bytes than necessary or leaves links unused",
        format_time(rest)));
  for (std::size_t i = 0; i < reasons.size(); ++i) text += (i == 0 ? ": " : ", ") + reasons[i];
  return text + fmt::format(" (at rank {}, which finished last).", members.last_done.rank);
}

// The source of its predicted duration, and the error of that prediction.
std::string duration_source_text(const result::PredictedCollective& predicted) {
  const std::string_view how =
      predicted.source == "measured" ? "measured among the same number of ranks"
      : predicted.source == "scaled" ? "scaled from measurements among another number of ranks"
                                     : "from the library's cost model, without a measurement";
  std::string text =
      fmt::format("Its predicted time alone is {}, {}", format_time(predicted.time), how);
  if (!predicted.algorithm.empty()) text += fmt::format(" ({})", predicted.algorithm);
  if (!predicted.off) return text + ". The error of that prediction is unknown.";
  return text + fmt::format(". The 80 % prediction interval is {} of that.",
                            error_interval_text(*predicted.off, predicted.time));
}

}  // namespace

Explanation explain_collective(const Run& run, std::uint32_t number) {
  const std::uint32_t group = run.group_of_collective(number);
  const Collective& one = run.collective(number, group);
  const std::uint32_t last_rank = run.last_rank(one, group);
  const Members members = members_of(run, number, group);
  const auto speed = speed_of(run, one);
  const std::string& name = run.names[one.name];
  Explanation made;
  made.title = fmt::format("Collective {}: {}{} of {}", number, one.type,
                           name.empty() ? "" : " " + quoted(name), format_bytes(one.bytes));
  made.paragraphs.push_back(
      fmt::format("{} of {} took part.", plural(one.members, "rank"), group_label(run, group)));
  made.paragraphs.push_back(arrival_words(run, one, last_rank, members));
  if (!one.end) {
    made.paragraphs.push_back("It never ended.");
  } else if (speed) {
    made.paragraphs.push_back(
        fmt::format("From then on it lasted {}: {} algorithm bandwidth, {} bus bandwidth.",
                    format_time(speed->time), format_bandwidth(Bandwidth(speed->algbw)),
                    format_bandwidth(Bandwidth(speed->busbw))));
    made.paragraphs.push_back(slower_words(one, *speed, members));
    if (one.predicted != kNone)
      made.paragraphs.push_back(duration_source_text(run.predicted[one.predicted]));
  }
  figure(made, "type", one.type);
  figure(made, "group", group_label(run, group));
  figure(made, "ranks", format_count(one.members));
  figure(made, "bytes", format_bytes(one.bytes));
  if (one.sent > 0) figure(made, "sent by all ranks", bytes_text(one.sent));
  figure(made, "first arrival", format_time(one.first_start));
  figure(made, "last arrival", fmt::format("{} (rank {})", format_time(one.last_start), last_rank));
  if (one.end) figure(made, "end", format_time(*one.end));
  if (speed) {
    figure(made, "time", format_time(speed->time));
    figure(made, "algbw", format_bandwidth(Bandwidth(speed->algbw)));
    figure(made, "busbw", format_bandwidth(Bandwidth(speed->busbw)));
  }
  if (one.bound) {
    figure(made, "bound",
           fmt::format("{} ({})", format_time(*one.bound),
                       one.bound_by.empty() ? "links" : one.bound_by));
    if (speed && speed->of_bound) figure(made, "share of bound", share_text(*speed->of_bound));
  }
  if (one.predicted != kNone) {
    const result::PredictedCollective& predicted = run.predicted[one.predicted];
    figure(made, "predicted by",
           "nccl, " + predicted.source +
               (predicted.algorithm.empty() ? "" : ": " + predicted.algorithm));
    if (predicted.off)
      figure(made, "80 % interval", error_interval_text(*predicted.off, predicted.time));
  }
  if (members.waited > Time{}) figure(made, "waited", format_time(members.waited));
  if (members.last_done.span != nullptr && members.last_done.span->slack)
    figure(made, "slack", format_time(*members.last_done.span->slack));
  return made;
}

}  // namespace orrery::analysis
