// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/answer/packets_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "orrery/core/text/units.h"
#include "orrery/report/answer/number_text.h"

namespace orrery::report {

namespace {

using Parts = std::vector<std::pair<std::uint64_t, std::string_view>>;

/// "12 marked, 3 trimmed": the numbers that are not 0.
std::vector<std::string> texts_of(const Parts& parts) {
  std::vector<std::string> texts;
  for (const auto& [number, text] : parts)
    if (number > 0) texts.push_back(fmt::format("{} {}", count(number), text));
  return texts;
}

std::string balance_text(const PacketTotals& all) {
  const std::vector<std::string> parts = texts_of({{all.received, "received"},
                                                   {all.dropped(), "dropped"},
                                                   {all.trimmed, "trimmed"},
                                                   {all.in_flight, "in flight at the end"}});
  return fmt::format("{} sent = {}", count(all.sent), fmt::join(parts, " + "));
}

std::string drops_text(const PacketTotals& all) {
  return fmt::format(
      "{}", fmt::join(texts_of({{all.dropped_no_room, "without room in a queue or buffer"},
                                {all.dropped_no_headroom, "without headroom after a pause"},
                                {all.dropped_link_down, "at links that are down"}}),
                      ", "));
}

std::string congestion_text(const PacketTotals& all) {
  std::vector<std::string> parts =
      texts_of({{all.retransmitted, "packets sent again"},
                {all.discarded, "discarded by receivers (out of order)"},
                {all.marked, "packets marked (ECN)"},
                {all.cnps, "CNPs"},
                {all.reductions, "reductions of windows and rates"}});
  if (all.longest_queue > 0)
    parts.push_back("longest queue of a switch " +
                    format_bytes(Bytes(static_cast<std::int64_t>(all.longest_queue))));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void state_packets(Answer& answer, const std::optional<PacketTotals>& packets) {
  answer.object_or_null("packets", packets.has_value(), [&] {
    for (const PacketTotal& one : kPacketTotals) {
      const std::uint64_t number = (*packets).*one.value;
      if (one.value == &PacketTotals::paused)
        answer.field(one.json, Time(static_cast<std::int64_t>(number)));
      else
        answer.field(one.json, number);
    }
  });
  if (!packets || packets->sent == 0) return;
  answer.line("packets", balance_text(*packets));
  if (packets->dropped() > 0) answer.line("dropped", drops_text(*packets));
  if (const std::string text = congestion_text(*packets); !text.empty())
    answer.line("congestion", text);
  if (packets->pauses > 0)
    answer.line("pauses",
                fmt::format("{} of priority flow control, {} in total over all ports",
                            count(packets->pauses),
                            format_time(Time(static_cast<std::int64_t>(packets->paused)))));
}

}  // namespace orrery::report
