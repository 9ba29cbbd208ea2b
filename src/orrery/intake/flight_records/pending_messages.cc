// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "orrery/intake/flight_records/hang_internal.h"

namespace orrery::intake {

using trace::flight_recorder::Record;
using trace::flight_recorder::State;

namespace {

/// The rank of the job, where a record has a number in its group. Without the list of the group's
/// ranks, both are the same.
std::uint32_t job_rank(const RecordedGroup& group, std::int64_t number) {
  const auto place = static_cast<std::size_t>(number);
  return group.ranks_listed && place < group.ranks.size() ? group.ranks[place]
                                                          : static_cast<std::uint32_t>(number);
}

std::vector<MessagePart> pending(const std::vector<MessagePart>& parts) {
  std::vector<MessagePart> made;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(made),
               [](const MessagePart& part) { return part.state != State::completed; });
  return made;
}

}  // namespace

MessagePairs find_messages(const HangSearch& search) {
  MessagePairs pairs;
  for (std::uint32_t d = 0; d < search.dumps.size(); ++d) {
    const auto& records = search.dumps[d].dump.records;
    // Operations of a coalesced launch have no state of their own.
    std::map<std::pair<std::uint32_t, std::int64_t>, State> launches;
    for (std::uint32_t r = 0; r < records.size(); ++r)
      if (records[r].is_p2p && records[r].operation == "coalesced")
        launches[{search.group_of[d][r], records[r].p2p_seq}] = records[r].state;
    for (std::uint32_t r = 0; r < records.size(); ++r) {
      const Record& record = records[r];
      if (!record.is_p2p || !record.peer) continue;
      const std::uint32_t group = search.group_of[d][r];
      const auto launch = launches.find({group, record.p2p_seq});
      const bool is_in_batch = launch != launches.end();
      const std::uint32_t rank = search.dumps[d].rank;
      const std::uint32_t peer = job_rank(search.report.groups[group], *record.peer);
      const bool sends = record.operation == "send";
      MessagePair& pair = pairs[{group, sends ? rank : peer, sends ? peer : rank}];
      (sends ? pair.sends : pair.receives)
          .push_back({d, r, is_in_batch ? launch->second : record.state, is_in_batch});
    }
  }
  return pairs;
}

void match_messages(HangSearch& search) {
  for (const auto& [key, pair] : find_messages(search)) {
    const std::uint32_t group = std::get<0>(key), source = std::get<1>(key),
                        destination = std::get<2>(key);
    const std::vector<MessagePart> sends = pending(pair.sends), receives = pending(pair.receives);
    const std::size_t count = std::max(sends.size(), receives.size());
    for (std::size_t i = 0; i < count; ++i) {
      RecordedCall call{.group = group, .is_p2p = true, .state = CallState::stuck};
      std::vector<RankPart> parts;
      const auto add = [&](const std::vector<MessagePart>& list, std::uint32_t rank) {
        if (i >= list.size()) {
          if (search.dump_of(rank) != kNowhere) call.not_called.push_back(rank);
          return;
        }
        const MessagePart& part = list[i];
        const Record& record = search.record(part.dump, part.record);
        const Time called = search.since_origin(record);
        (part.state == State::started ? call.started : call.scheduled).push_back(rank);
        if (parts.empty()) {
          call.sequence = record.p2p_seq;
          call.first_call = called;
          call.tensors = tensors_text(record.inputs.sizes.empty() ? record.outputs : record.inputs);
          call.operation = record.operation == "send"
                               ? fmt::format("send {}->{}", source, destination)
                               : fmt::format("recv {}<-{}", destination, source);
        }
        call.call_spread = std::max(call.first_call, called) - std::min(call.first_call, called);
        call.first_call = std::min(call.first_call, called);
        search.call_of[part.dump][part.record] =
            static_cast<std::uint32_t>(search.report.calls.size());
        parts.push_back({part.dump, {part.record}});
      };
      add(sends, source);
      add(receives, destination);
      for (auto* const ranks : {&call.scheduled, &call.started})
        std::sort(ranks->begin(), ranks->end());
      std::sort(parts.begin(), parts.end(),
                [](const RankPart& a, const RankPart& b) { return a.dump < b.dump; });
      ++search.report.groups[group].stuck;
      search.report.calls.push_back(std::move(call));
      search.parts.push_back(std::move(parts));
    }
  }
}

}  // namespace orrery::intake
