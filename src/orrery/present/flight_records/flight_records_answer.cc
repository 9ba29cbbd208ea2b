// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/flight_records/flight_records_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using intake::CallState;
using intake::HangCause;
using intake::HangReport;
using intake::LastCall;
using intake::RecordedCall;
using intake::RecordedGroup;
using report::Answer;
using report::Columns;

namespace {

constexpr std::size_t kShownCalls = 16;
constexpr std::size_t kNameBytes = 40;

std::string group_text(const RecordedGroup& group) {
  const std::string name = report::fit(printable(group.name), kNameBytes);
  return group.description.empty() || group.description == "undefined"
             ? name
             : fmt::format("{} ({})", name, report::fit(printable(group.description), kNameBytes));
}

/// "all_reduce 3 of group 0 (default_pg)".
std::string call_text(const HangReport& found, std::size_t number) {
  const RecordedCall& call = found.calls[number];
  return fmt::format("{} {} of group {}", printable(call.operation, kShownBytes), call.sequence,
                     group_text(found.groups[call.group]));
}

std::string numbers_or_dash(const std::vector<std::uint32_t>& ranks) {
  return ranks.empty() ? "-" : rank_numbers_text(ranks);
}

std::vector<std::uint32_t> callers(const RecordedCall& call) {
  std::vector<std::uint32_t> ranks = call.scheduled;
  ranks.insert(ranks.end(), call.started.begin(), call.started.end());
  ranks.insert(ranks.end(), call.completed.begin(), call.completed.end());
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::string waits_text(const HangReport& found, const RecordedCall& call) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(call.waits_for.size(), kShown); ++i)
    text += (i == 0 ? "" : "; ") + call_text(found, call.waits_for[i]);
  if (call.waits_for.size() > kShown)
    text += fmt::format("; and {} more", call.waits_for.size() - kShown);
  return text;
}

/// Why a call is stuck.
std::string cause_text(const HangReport& found, std::size_t number) {
  const RecordedCall& call = found.calls[number];
  switch (call.cause) {
    case HangCause::different_operations:
      return "ranks call different operations: " + call.difference;
    case HangCause::different_sizes:
      return "ranks give tensors of different sizes: " + call.difference;
    case HangCause::different_types:
      return "ranks give tensors of different types: " + call.difference;
    case HangCause::not_called:
      return fmt::format("not called by {}", format_ranks(call.not_called));
    case HangCause::waits:
      return "first waits for " + waits_text(found, call);
    case HangCause::no_dump:
      return fmt::format(
          "every rank with a dump called it; no dump of {}",
          call.is_p2p ? "the other rank" : format_ranks(found.groups[call.group].without_dump));
    case HangCause::not_completed:
      return call.completed.empty()
                 ? "all ranks called it, and no rank completes it: check the network, the devices "
                   "and the kernels before it"
                 : fmt::format("all ranks called it, and only {} completed it",
                               format_ranks(call.completed));
    case HangCause::cycle:
      return "its ranks wait for each other, in a cycle with " + waits_text(found, call);
    case HangCause::none:
      break;
  }
  return "";
}

Columns<RecordedGroup> group_columns() {
  Columns<RecordedGroup> columns;
  columns
      .add(
          "group", "group", [](const auto& one) { return one.name; },
          [](const auto& one) { return group_text(one); })
      .field("group_description", [](const auto& one) { return one.description; })
      .show("ranks", [](const auto& one) { return numbers_or_dash(one.ranks); })
      .nested("rank_numbers", report::write_list(&RecordedGroup::ranks))
      .show("no dump", [](const auto& one) { return numbers_or_dash(one.without_dump); })
      .nested("undumped_ranks", report::write_list(&RecordedGroup::without_dump))
      .add("collectives", "collective_count", &RecordedGroup::collectives)
      .add("first", "first_sequence",
           [](const auto& one) {
             return one.collectives > 0 ? id_value(one.first_sequence) : report::Value();
           })
      .add("last", "last_sequence",
           [](const auto& one) {
             return one.collectives > 0 ? id_value(one.last_sequence) : report::Value();
           })
      .add("completed", "completed_sequence",
           [](const auto& one) {
             return one.completed_sequence ? id_value(*one.completed_sequence) : report::Value();
           })
      .add("stuck", "stuck_count", &RecordedGroup::stuck);
  const auto status = [&](const char* key, std::int64_t intake::RankStatus::*number) {
    columns.nested(key, [number](report::JsonWriter& json, const RecordedGroup& group) {
      std::vector<report::Value> numbers;
      for (const auto& one : group.statuses)
        numbers.push_back(one.*number < 0 ? report::Value() : id_value(one.*number));
      report::write_values(json, numbers);
    });
  };
  status("last_enqueued", &intake::RankStatus::enqueued);
  status("last_started", &intake::RankStatus::started);
  status("last_completed", &intake::RankStatus::completed);
  return columns;
}

/// `of`: the call of a row.
template <class Row, class GetCall>
void add_call_fields(Columns<Row>& columns, const HangReport& found, const GetCall& of) {
  const auto list = [&](const char* key, std::vector<std::uint32_t> RecordedCall::*ranks) {
    columns.nested(key, [of, ranks](report::JsonWriter& json, const Row& row) {
      report::write_values(json, of(row).*ranks);
    });
  };
  columns.field("group", [&found, of](const Row& row) { return found.groups[of(row).group].name; })
      .field("group_index", [of](const Row& row) { return of(row).group; })
      .field("sequence", [of](const Row& row) { return of(row).sequence; })
      .field("operation", [of](const Row& row) { return of(row).operation; })
      .field("is_p2p", [of](const Row& row) { return of(row).is_p2p; })
      .field("recorded_tensors", [of](const Row& row) { return of(row).tensors; })
      .field("call_state", [of](const Row& row) { return intake::name(of(row).state); })
      .field("hang_cause", [of](const Row& row) { return intake::name(of(row).cause); })
      .field("rank_difference", [of](const Row& row) { return of(row).difference; });
  list("scheduled_ranks", &RecordedCall::scheduled);
  list("started_ranks", &RecordedCall::started);
  list("completed_ranks", &RecordedCall::completed);
  list("missing_ranks", &RecordedCall::not_called);
  list("overwritten_ranks", &RecordedCall::overwritten);
  columns.field("first_call_ns", [of](const Row& row) { return of(row).first_call; })
      .field("call_spread_ns", [of](const Row& row) { return of(row).call_spread; })
      .field("min_ns", [of](const Row& row) { return of(row).shortest; })
      .field("max_ns", [of](const Row& row) { return of(row).longest; })
      .nested("waits_for", [of](report::JsonWriter& json, const Row& row) {
        report::write_values(json, of(row).waits_for);
      });
}

Columns<std::size_t> stuck_columns(const HangReport& found) {
  const auto call = [&found](std::size_t c) -> const RecordedCall& { return found.calls[c]; };
  Columns<std::size_t> columns;
  columns
      .show("stuck",
            [=](std::size_t c) {
              return fmt::format("{} {}", printable(call(c).operation, kNameBytes),
                                 call(c).sequence);
            })
      .show("group",
            [=, &found](std::size_t c) {
              return report::fit(printable(found.groups[call(c).group].name), 12);
            })
      .show("called by", [=](std::size_t c) { return numbers_or_dash(callers(call(c))); })
      .show("not by", [=](std::size_t c) { return numbers_or_dash(call(c).not_called); });
  if (found.knows_starts)
    columns.show("started", [=](std::size_t c) { return numbers_or_dash(call(c).started); });
  columns.show("completed", [=](std::size_t c) { return numbers_or_dash(call(c).completed); })
      .show_number("after", [=](std::size_t c) { return format_time(call(c).first_call); })
      .show("tensors", [=](std::size_t c) { return report::fit(call(c).tensors, 32); });
  return columns;
}

std::string last_call_text(const HangReport& found, const LastCall& last) {
  if (!last.has_calls) return fmt::format("rank {} has called nothing", last.rank);
  return fmt::format("rank {} called {} {} of group {} last{}{}", last.rank,
                     printable(last.operation, kShownBytes), last.sequence,
                     group_text(found.groups[last.group]),
                     last.call_site.empty() ? "" : " (" + last.call_site + ")",
                     last.completed ? ", which is completed: see what its host does since"
                                    : ", which is not completed");
}

Columns<LastCall> last_call_columns(const HangReport& found) {
  Columns<LastCall> columns;
  columns.field("rank", &LastCall::rank)
      .field("group",
             [&found](const LastCall& last) {
               return last.has_calls ? report::Value(found.groups[last.group].name)
                                     : report::Value();
             })
      .field("sequence", &LastCall::sequence)
      .field("operation", &LastCall::operation)
      .field("call_site", &LastCall::call_site)
      .field("is_completed", &LastCall::completed)
      .field("sentence", [&found](const LastCall& last) { return last_call_text(found, last); });
  return columns;
}

/// Collectives that are completed although ranks gave different tensors.
void state_differences(Answer& answer, const HangReport& found) {
  std::size_t count = 0, first = 0;
  for (std::size_t c = found.calls.size(); c > 0; --c) {
    if (found.calls[c - 1].difference.empty() || found.calls[c - 1].state == CallState::stuck)
      continue;
    ++count;
    first = c - 1;
  }
  if (count == 0) return;
  answer.line("different",
              fmt::format("{} not stuck, the first {}: {}", plural(count, "collective"),
                          call_text(found, first), found.calls[first].difference));
}

void state_stuck(Answer& answer, const HangReport& found) {
  if (found.stuck.empty()) {
    answer.line("stuck", "nothing: ranks completed all that they recorded");
    return;
  }
  answer.table("", found.stuck, stuck_columns(found), {.limit = kShownCalls});
  answer.end_section();
  for (std::size_t i = 0; i < std::min(found.stuck.size(), kShownCalls); ++i)
    answer.line(i == 0 ? "look first at" : "then",
                call_text(found, found.stuck[i]) + ": " + cause_text(found, found.stuck[i]));
  for (std::size_t i = 0; i < std::min(found.last_calls.size(), kShownCalls); ++i)
    answer.line("last call", last_call_text(found, found.last_calls[i]));
  if (found.last_calls.size() > kShownCalls)
    answer.line("last call",
                fmt::format("{} more (--json)", found.last_calls.size() - kShownCalls));
  if (!found.knows_starts)
    answer.line("starts", "not recorded: TORCH_NCCL_ENABLE_TIMING=1 shows which kernels started");
}

}  // namespace

void state_hangs(Answer& answer, const HangReport& found, const Findings& findings) {
  answer.title(fmt::format("PyTorch flight recorder {}: {}, {}", fmt::join(found.versions, ", "),
                           format_ranks(found.ranks), plural(found.records, "record")));
  answer.object("flight_record", [&] {
    answer.list("versions", found.versions)
        .list("rank_numbers", found.ranks)
        .field("records", found.records)
        .field("partly_recorded", found.partly_recorded)
        .field("knows_starts", found.knows_starts);
    answer.table("recorded_groups", found.groups, group_columns());
    answer.end_section();
    state_stuck(answer, found);
    state_differences(answer, found);
    if (found.partly_recorded > 0)
      answer.line("cut", fmt::format("{} completed, but missing in the dumps of other ranks: the "
                                     "dumps are of different moments",
                                     plural(found.partly_recorded, "collective")));
    Columns<RecordedCall> calls;
    add_call_fields(calls, found,
                    [](const RecordedCall& call) -> const RecordedCall& { return call; });
    answer.rows("recorded_calls", found.calls, calls);
    Columns<std::size_t> stuck;
    stuck.field("call_index", [](std::size_t c) { return c; })
        .field("hang_cause", [&](std::size_t c) { return intake::name(found.calls[c].cause); })
        .field("sentence",
               [&](std::size_t c) { return call_text(found, c) + ": " + cause_text(found, c); });
    answer.rows("stuck_calls", found.stuck, stuck);
    answer.rows("last_calls", found.last_calls, last_call_columns(found));
  });
  answer.end_section();
  answer.findings(findings);
}

}  // namespace orrery::present
