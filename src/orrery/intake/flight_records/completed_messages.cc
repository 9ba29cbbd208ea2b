// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/intake/flight_records/hang_internal.h"
#include "orrery/profile/comm.h"

namespace orrery::intake {
namespace {

using trace::flight_recorder::Record;
using trace::flight_recorder::State;

bool has_complete_ring(const HangSearch& search, const MessagePart& part) {
  return search.record(part.dump, 0).record_id == 0;
}

}  // namespace

std::int64_t bytes_of(const trace::flight_recorder::Tensors& tensors) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < tensors.sizes.size(); ++i) {
    std::int64_t bytes =
        i < tensors.types.size() ? profile::element_bytes(tensors.types[i]) : std::int64_t{0};
    if (bytes <= 0) return -1;
    for (const std::int64_t size : tensors.sizes[i])
      if (__builtin_mul_overflow(bytes, size, &bytes)) return -1;
    if (__builtin_add_overflow(total, bytes, &total)) return -1;
  }
  return total;
}

std::int64_t message_bytes(const Record& record) {
  return std::max(bytes_of(record.inputs), bytes_of(record.outputs));
}

std::vector<CompletedMessage> completed_messages(const HangSearch& search, Findings& findings) {
  std::vector<CompletedMessage> messages;
  for (const auto& [key, pair] : find_messages(search)) {
    const auto [group, source, destination] = key;
    const std::string place =
        fmt::format("group {}: messages from rank {} to rank {}",
                    printable(search.report.groups[group].name, kShownBytes), source, destination);
    const std::size_t sends = pair.sends.size(), receives = pair.receives.size();
    if (search.dump_of(source) == kNowhere || search.dump_of(destination) == kNowhere) {
      findings.add(FindingCode::comm_alone, place, sends + receives);
      continue;
    }
    const std::size_t both = std::min(sends, receives);
    const auto lost = [](const std::vector<MessagePart>& parts, std::size_t used) {
      return static_cast<std::uint64_t>(
          std::count_if(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(used),
                        [](const MessagePart& part) { return part.state == State::completed; }));
    };
    const bool from_first = both > 0 && has_complete_ring(search, pair.sends.front()) &&
                            has_complete_ring(search, pair.receives.front());
    std::uint64_t left_out = from_first ? 0 : lost(pair.sends, both) + lost(pair.receives, both);
    for (std::size_t i = 0; i < both; ++i) {
      const MessagePart& send = pair.sends[from_first ? i : sends - both + i];
      const MessagePart& receive = pair.receives[from_first ? i : receives - both + i];
      const bool sent = send.state == State::completed;
      const bool received = receive.state == State::completed;
      if (!sent && !received) continue;  // stuck
      const bool same = message_bytes(search.record(send.dump, send.record)) ==
                        message_bytes(search.record(receive.dump, receive.record));
      if (sent && received && same)
        messages.push_back({send.dump, send.record, receive.dump, receive.record, send.is_in_batch,
                            receive.is_in_batch});
      else
        ++left_out;
    }
    if (from_first && sends != receives) {
      const auto& longer = sends > receives ? pair.sends : pair.receives;
      left_out += static_cast<std::uint64_t>(
          std::count_if(longer.begin() + static_cast<std::ptrdiff_t>(both), longer.end(),
                        [](const MessagePart& part) { return part.state == State::completed; }));
    }
    if (left_out > 0) findings.add(FindingCode::call_not_complete, place, left_out);
  }
  return messages;
}

}  // namespace orrery::intake
