// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "orrery/intake/flight_records/hang_internal.h"

namespace orrery::intake {

using trace::flight_recorder::Record;
using trace::flight_recorder::State;

std::uint32_t HangSearch::dump_of(std::uint32_t rank) const {
  const auto found =
      std::lower_bound(dumps.begin(), dumps.end(), rank,
                       [](const RankDump& dump, std::uint32_t value) { return dump.rank < value; });
  return found != dumps.end() && found->rank == rank
             ? static_cast<std::uint32_t>(found - dumps.begin())
             : kNowhere;
}

namespace {

/// Statuses have the number that records of the group have in this dump.
RankStatus status_of(const HangSearch& search, std::uint32_t dump, std::uint32_t group) {
  if (dump == kNowhere) return {};
  const auto& groups = search.group_of[dump];
  const auto used = std::find(groups.begin(), groups.end(), group);
  if (used == groups.end()) return {};
  const auto number = static_cast<std::uint32_t>(used - groups.begin());
  const std::int64_t id = search.record(dump, number).group_id;
  for (const auto& status : search.dumps[dump].dump.statuses)
    if (status.group_id == id && id >= 0)
      return {status.enqueued, status.started, status.completed};
  return {};
}

}  // namespace

void find_groups(HangSearch& search) {
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::uint32_t> numbers;
  std::vector<std::set<std::uint32_t>> recorded_by;
  for (const RankDump& dump : search.dumps) {
    std::map<std::string_view, const trace::flight_recorder::Group*> listed;
    for (const auto& group : dump.dump.groups) listed[group.name] = &group;
    std::map<std::string_view, std::uint32_t> known;  // of this dump
    auto& group_of = search.group_of.emplace_back();
    for (const Record& record : dump.dump.records) {
      auto [place, is_new] = known.try_emplace(record.group, 0);
      if (is_new) {
        const auto about = listed.find(record.group);
        const bool has_ranks = about != listed.end() && !about->second->ranks.empty();
        std::pair<std::string, std::vector<std::uint32_t>> key(
            record.group, has_ranks ? about->second->ranks : std::vector<std::uint32_t>());
        const auto [number, first] =
            numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size()));
        if (first) {
          search.report.groups.push_back({.name = record.group,
                                          .description = record.group_description,
                                          .ranks = std::move(key.second),
                                          .ranks_listed = has_ranks});
          recorded_by.emplace_back();
        }
        place->second = number->second;
        recorded_by[number->second].insert(dump.rank);
      }
      group_of.push_back(place->second);
    }
  }
  for (std::size_t g = 0; g < search.report.groups.size(); ++g) {
    RecordedGroup& group = search.report.groups[g];
    if (!group.ranks_listed) group.ranks.assign(recorded_by[g].begin(), recorded_by[g].end());
    auto& dumps = search.dump_in_group.emplace_back();
    for (const std::uint32_t rank : group.ranks) {
      dumps.push_back(search.dump_of(rank));
      if (dumps.back() == kNowhere) group.without_dump.push_back(rank);
      group.statuses.push_back(status_of(search, dumps.back(), static_cast<std::uint32_t>(g)));
    }
  }
}

namespace {

/// A record by what it is matched by.
struct SortedRecord {
  std::uint32_t group = 0;
  std::int64_t sequence = 0;
  std::uint32_t dump = 0, record = 0;

  auto operator<=>(const SortedRecord&) const = default;
};

/// The sequence numbers that a dump contains of a group.
struct Recorded {
  std::int64_t first = 0, last = 0;
};
using RecordedNumbers = std::map<std::pair<std::uint32_t, std::uint32_t>, Recorded>;

void add_state(RecordedCall& call, std::uint32_t rank, State state) {
  auto& ranks = state == State::completed ? call.completed
                : state == State::started ? call.started
                                          : call.scheduled;
  ranks.push_back(rank);
}

/// Whether a rank that has no record of a collective has not called it.
bool is_not_called(const HangSearch& search, const RecordedNumbers& numbers, std::uint32_t group,
                   std::uint32_t dump, std::int64_t sequence) {
  const auto found = numbers.find({group, dump});
  if (found != numbers.end()) return found->second.last < sequence;
  const auto& records = search.dumps[dump].dump.records;
  return records.empty() || records.front().record_id == 0;  // else its ring has lost records
}

void add_ranks(const HangSearch& search, const RecordedNumbers& numbers,
               const std::vector<RankPart>& parts, RecordedCall& call) {
  const RecordedGroup& group = search.report.groups[call.group];
  auto part = parts.begin();
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    const std::uint32_t dump = search.dump_in_group[call.group][i];
    if (dump == kNowhere) continue;
    while (part != parts.end() && part->dump < dump) ++part;
    if (part != parts.end() && part->dump == dump) {
      add_state(call, group.ranks[i], search.outcome(*part).state);
    } else if (is_not_called(search, numbers, call.group, dump, call.sequence)) {
      call.not_called.push_back(group.ranks[i]);
    } else {
      call.overwritten.push_back(group.ranks[i]);
    }
  }
  const bool open = !call.scheduled.empty() || !call.started.empty();
  call.state = open                      ? CallState::stuck
               : call.not_called.empty() ? CallState::completed
                                         : CallState::partly_recorded;
}

void add_times(const HangSearch& search, const std::vector<RankPart>& parts, RecordedCall& call) {
  std::optional<Time> last;
  std::optional<Time> first;
  for (const RankPart& part : parts) {
    const Record& begin = search.record(part.dump, part.records.front());
    const Time called = search.since_origin(begin);
    first = std::min(first.value_or(called), called);
    last = std::max(last.value_or(called), called);
    const Record& end = search.outcome(part);
    if (!end.duration) continue;
    call.shortest = std::min(call.shortest.value_or(*end.duration), *end.duration);
    call.longest = std::max(call.longest.value_or(*end.duration), *end.duration);
  }
  call.first_call = first.value_or(Time{});
  call.call_spread = last.value_or(Time{}) - call.first_call;
}

/// "all_reduce", "coalesced (3 all_gather)".
std::string operation_text(const HangSearch& search, const RankPart& part) {
  const Record& first = search.record(part.dump, part.records.front());
  if (part.records.size() == 1) return first.operation;
  return fmt::format("coalesced ({} {})", part.records.size() - 1, first.operation);
}

void summarize(HangSearch& search, const RecordedCall& call) {
  RecordedGroup& group = search.report.groups[call.group];
  if (group.collectives++ == 0) group.first_sequence = call.sequence;
  group.last_sequence = call.sequence;
  if (call.state == CallState::stuck) ++group.stuck;
  if (call.state == CallState::partly_recorded) ++search.report.partly_recorded;
  if (call.state == CallState::completed && group.stuck == 0)
    group.completed_sequence = call.sequence;
}

}  // namespace

std::string tensors_text(const trace::flight_recorder::Tensors& tensors) {
  constexpr std::size_t kTensors = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(tensors.sizes.size(), kTensors); ++i) {
    text += fmt::format("{}[{}]", text.empty() ? "" : " ", fmt::join(tensors.sizes[i], ", "));
    if (i < tensors.types.size()) text += " " + tensors.types[i];
  }
  if (tensors.sizes.size() > kTensors)
    text += fmt::format(" and {} more", tensors.sizes.size() - kTensors);
  return text;
}

void match_collectives(HangSearch& search) {
  std::vector<SortedRecord> all;
  for (std::uint32_t d = 0; d < search.dumps.size(); ++d) {
    const auto& records = search.dumps[d].dump.records;
    search.call_of.emplace_back(records.size(), kNowhere);
    for (std::uint32_t r = 0; r < records.size(); ++r)
      if (!records[r].is_p2p)
        all.push_back({search.group_of[d][r], records[r].collective_seq, d, r});
  }
  std::sort(all.begin(), all.end());
  RecordedNumbers numbers;
  for (const SortedRecord& one : all) {
    const auto [place, is_new] =
        numbers.try_emplace({one.group, one.dump}, Recorded{one.sequence, one.sequence});
    if (!is_new) place->second.last = std::max(place->second.last, one.sequence);
  }
  for (std::size_t i = 0; i < all.size();) {
    RecordedCall call{.group = all[i].group, .sequence = all[i].sequence};
    std::vector<RankPart> parts;
    for (; i < all.size() && all[i].group == call.group && all[i].sequence == call.sequence; ++i) {
      if (parts.empty() || parts.back().dump != all[i].dump) parts.push_back({all[i].dump, {}});
      parts.back().records.push_back(all[i].record);
      search.call_of[all[i].dump][all[i].record] =
          static_cast<std::uint32_t>(search.report.calls.size());
    }
    call.operation = operation_text(search, parts.front());
    const Record& first = search.record(parts.front().dump, parts.front().records.front());
    call.tensors = tensors_text(first.inputs.sizes.empty() ? first.outputs : first.inputs);
    add_ranks(search, numbers, parts, call);
    add_times(search, parts, call);
    summarize(search, call);
    search.report.calls.push_back(std::move(call));
    search.parts.push_back(std::move(parts));
  }
}

}  // namespace orrery::intake
