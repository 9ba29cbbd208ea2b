// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/flight_records/hang_report.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>

#include "orrery/intake/flight_records/hang_internal.h"

namespace orrery::intake {

using trace::flight_recorder::Record;
using trace::flight_recorder::State;

std::string_view name(CallState state) {
  constexpr std::array<std::string_view, 3> kNames = {"completed", "partly_recorded", "stuck"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view name(HangCause cause) {
  constexpr std::array<std::string_view, 9> kNames = {"none",
                                                      "different_operations",
                                                      "different_sizes",
                                                      "different_types",
                                                      "not_called",
                                                      "waits",
                                                      "no_dump",
                                                      "not_completed",
                                                      "cycle"};
  return kNames[static_cast<std::size_t>(cause)];
}

namespace {

bool has(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return std::binary_search(ranks.begin(), ranks.end(), rank);
}

/// By dump: the first of its records that is stuck, as a call; else kNowhere.
std::vector<std::uint32_t> oldest_stuck(const HangSearch& search) {
  std::vector<std::uint32_t> oldest(search.dumps.size(), kNowhere);
  for (std::size_t d = 0; d < search.dumps.size(); ++d) {
    for (const std::uint32_t call : search.call_of[d]) {
      if (call == kNowhere) continue;
      const RecordedCall& one = search.report.calls[call];
      if (one.state != CallState::stuck || has(one.completed, search.dumps[d].rank)) continue;
      oldest[d] = call;
      break;
    }
  }
  return oldest;
}

/// Whether a rank that has not called `call` waits for nothing that is recorded.
bool lacks_free_rank(const HangSearch& search, const RecordedCall& call,
                     const std::vector<std::uint32_t>& oldest) {
  return std::any_of(call.not_called.begin(), call.not_called.end(),
                     [&](std::uint32_t rank) { return oldest[search.dump_of(rank)] == kNowhere; });
}

bool lacks_dump(const HangSearch& search, const RecordedCall& call,
                const std::vector<RankPart>& parts) {
  if (call.is_p2p) return parts.size() + call.not_called.size() < 2;
  return !search.report.groups[call.group].without_dump.empty();
}

void find_waits(HangSearch& search, const std::vector<std::uint32_t>& oldest) {
  for (std::size_t c = 0; c < search.report.calls.size(); ++c) {
    RecordedCall& call = search.report.calls[c];
    if (call.state != CallState::stuck) continue;
    for (const auto* const ranks : {&call.not_called, &call.scheduled})
      for (const std::uint32_t rank : *ranks) {
        const std::uint32_t other = oldest[search.dump_of(rank)];
        if (other != kNowhere && other != c) call.waits_for.push_back(other);
      }
    std::sort(call.waits_for.begin(), call.waits_for.end());
    call.waits_for.erase(std::unique(call.waits_for.begin(), call.waits_for.end()),
                         call.waits_for.end());
    if (call.cause != HangCause::none) continue;  // what the ranks call differs
    call.cause = lacks_free_rank(search, call, oldest)       ? HangCause::not_called
                 : !call.waits_for.empty()                   ? HangCause::waits
                 : lacks_dump(search, call, search.parts[c]) ? HangCause::no_dump
                                                             : HangCause::not_completed;
  }
}

/// Calls that wait, and that lead to no other cause by what they wait for, wait for each other.
void find_cycles(HangReport& report) {
  std::vector<std::vector<std::size_t>> waiting(report.calls.size());  // by what they wait for
  std::vector<std::size_t> reached;
  std::vector<bool> explained(report.calls.size());
  for (std::size_t c = 0; c < report.calls.size(); ++c) {
    if (report.calls[c].state != CallState::stuck) continue;
    for (const std::size_t other : report.calls[c].waits_for) waiting[other].push_back(c);
    if (report.calls[c].cause == HangCause::waits) continue;
    explained[c] = true;
    reached.push_back(c);
  }
  while (!reached.empty()) {
    const std::size_t call = reached.back();
    reached.pop_back();
    for (const std::size_t other : waiting[call]) {
      if (explained[other]) continue;
      explained[other] = true;
      reached.push_back(other);
    }
  }
  for (std::size_t c = 0; c < report.calls.size(); ++c)
    if (report.calls[c].cause == HangCause::waits && !explained[c])
      report.calls[c].cause = HangCause::cycle;
}

LastCall last_call(const HangSearch& search, std::uint32_t rank) {
  LastCall last{.rank = rank};
  const std::uint32_t dump = search.dump_of(rank);
  const auto& records = search.dumps[dump].dump.records;
  if (records.empty()) return last;
  const Record& record = records.back();
  last.has_calls = true;
  last.group = search.group_of[dump].back();
  last.sequence = record.is_p2p ? record.p2p_seq : record.collective_seq;
  last.operation = record.operation;
  last.call_site = record.call_site;
  last.completed = record.state == State::completed;
  return last;
}

void find_last_calls(HangSearch& search, const std::vector<std::uint32_t>& oldest) {
  std::set<std::uint32_t> ranks;
  for (const std::size_t c : search.report.stuck)
    for (const std::uint32_t rank : search.report.calls[c].not_called)
      if (oldest[search.dump_of(rank)] == kNowhere) ranks.insert(rank);
  for (const std::uint32_t rank : ranks)
    search.report.last_calls.push_back(last_call(search, rank));
}

/// Those that explain others first: smaller is earlier.
int order_of(HangCause cause) {
  switch (cause) {
    case HangCause::different_operations:
    case HangCause::different_sizes:
    case HangCause::different_types:
    case HangCause::not_called:
    case HangCause::not_completed:
    case HangCause::none:
      return 0;
    case HangCause::cycle:
    case HangCause::no_dump:
      return 1;
    case HangCause::waits:
      return 2;
  }
  return 2;
}

void order_stuck(HangReport& report) {
  for (std::size_t c = 0; c < report.calls.size(); ++c)
    if (report.calls[c].state == CallState::stuck) report.stuck.push_back(c);
  std::sort(report.stuck.begin(), report.stuck.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t c) {
      return std::tuple(order_of(report.calls[c].cause), report.calls[c].first_call, c);
    };
    return key(a) < key(b);
  });
}

void describe_dumps(const std::vector<RankDump>& dumps, HangReport& report) {
  std::set<std::string> versions;
  for (const RankDump& dump : dumps) {
    versions.insert(dump.dump.version);
    report.ranks.push_back(dump.rank);
    report.records += dump.dump.records.size();
    for (const Record& record : dump.dump.records)
      report.knows_starts = report.knows_starts || record.has_start;
  }
  report.versions.assign(versions.begin(), versions.end());
}

/// The first record of all ranks, from which times count.
std::int64_t first_record_ns(const std::vector<RankDump>& dumps) {
  std::optional<std::int64_t> origin;
  for (const RankDump& dump : dumps)
    for (const Record& record : dump.dump.records)
      origin = std::min(origin.value_or(record.created_ns), record.created_ns);
  return origin.value_or(0);
}

}  // namespace

void find_causes(HangSearch& search) {
  const std::vector<std::uint32_t> oldest = oldest_stuck(search);
  find_waits(search, oldest);
  find_cycles(search.report);
  order_stuck(search.report);
  find_last_calls(search, oldest);
}

HangSearch search_hangs(const std::vector<RankDump>& dumps) {
  HangSearch search{dumps, first_record_ns(dumps), {}, {}, {}, {}, {}};
  describe_dumps(dumps, search.report);
  find_groups(search);
  match_collectives(search);
  match_messages(search);
  find_differences(search);
  find_causes(search);
  return search;
}

HangReport report_hangs(const std::vector<RankDump>& dumps) {
  return std::move(search_hangs(dumps).report);
}

}  // namespace orrery::intake
