// SPDX-License-Identifier: Apache-2.0
//
// Packets on the page: ports over time, and how long messages lasted.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report::html {

namespace {

constexpr std::size_t kRows = 60'000;  // bins of all ports
constexpr std::size_t kFewestPortBins = 16;
constexpr std::size_t kSizes = 6;  // of messages, shown separately
/// Percentiles of the curves.
constexpr auto kPercentiles =
    std::to_array<double>({0,  1,  2,  5,  10, 15, 20, 25, 30, 35, 40, 45, 50,   55,   60, 65,
                           70, 75, 80, 85, 90, 92, 94, 95, 96, 97, 98, 99, 99.5, 99.9, 100});

/// Bins of `by` consecutive bins each.
std::vector<PortPacketBin> merge_bins(const std::vector<PortPacketBin>& bins, std::uint32_t by) {
  if (by == 1) return bins;
  std::vector<PortPacketBin> out;
  for (const PortPacketBin& bin : bins) {
    if (out.empty() || out.back().bin != bin.bin / by) out.push_back({bin.bin / by, {}});
    for (const PortPacketColumn& one : kPortPacketColumns) {
      std::uint64_t& value = out.back().packets.*one.value;
      const std::uint64_t more = bin.packets.*one.value;
      value = one.merge == PortPacketColumn::Merge::maximum ? std::max(value, more) : value + more;
    }
  }
  for (PortPacketBin& bin : out)
    for (const PortPacketColumn& one : kPortPacketColumns)
      if (one.merge == PortPacketColumn::Merge::mean) bin.packets.*one.value /= by;
  return out;
}

/// "column": […], for columns that are not 0 everywhere.
template <class Items, class Of>
void write_columns(JsonWriter& json, const Items& items, const Of& packets_of) {
  for (const PortPacketColumn& one : kPortPacketColumns) {
    const auto value = [&](const auto& item) { return packets_of(item).*one.value; };
    if (std::ranges::none_of(items, [&](const auto& item) { return value(item) != 0; })) continue;
    column(json, one.column, items.size(), [&](std::size_t i) { json.value(value(items[i])); });
  }
}

/// `place`: of a link on the page; kNone: it is not there.
void write_ports(JsonWriter& json, const PacketRecord& packets,
                 const std::vector<std::uint32_t>& place) {
  std::vector<const PortPacketSeries*> ports;
  std::size_t rows = 0;
  std::uint32_t bins = 0;
  for (const PortPacketSeries& port : packets.ports) {
    if (place[port.link] == result::kNone) continue;
    ports.push_back(&port);
    rows += port.bins.size();
    if (!port.bins.empty()) bins = std::max(bins, port.bins.back().bin + 1);
  }
  std::uint32_t by = 1;
  while (rows / by > kRows && bins / by > kFewestPortBins) by *= 2;
  json.field("bin", packets.bin.count() * by);
  json.field("portsLeftOut", packets.ports.size() - ports.size());
  json.key("ports").begin_object();
  column(json, "link", ports.size(), [&](std::size_t i) { json.value(place[ports[i]->link]); });
  write_columns(json, ports, [](const PortPacketSeries* port) { return port->total; });
  json.end_object();
  column(json, "series", ports.size(), [&](std::size_t i) {
    const std::vector<PortPacketBin> merged = merge_bins(ports[i]->bins, by);
    json.begin_object();
    column(json, "at", merged.size(), [&](std::size_t b) { json.value(merged[b].bin); });
    write_columns(json, merged, [](const PortPacketBin& bin) { return bin.packets; });
    json.end_object();
  });
}

struct Times {
  std::vector<std::int64_t> durations;  // picoseconds
  std::vector<double> slowdowns;
  std::uint64_t retransmitted = 0;
};

/// Messages of equal or similar sizes that have arrived.
struct SizeClass {
  std::int64_t least = 0, most = 0;  // bytes
  Times times;
};

std::vector<SizeClass> classes_of(const std::vector<PacketMessageTime>& messages) {
  std::vector<const PacketMessageTime*> done;
  for (const PacketMessageTime& one : messages)
    if (one.end != PacketMessageTime::kUnfinished) done.push_back(&one);
  std::ranges::stable_sort(done, {}, &PacketMessageTime::bytes);
  std::size_t sizes = 0;
  for (std::size_t i = 0; i < done.size(); ++i)
    sizes += i == 0 || done[i]->bytes != done[i - 1]->bytes;
  // Too many sizes: as many classes, each with about the same number of messages.
  const std::size_t each = sizes <= kSizes ? 0 : (done.size() + kSizes - 1) / kSizes;
  std::vector<SizeClass> classes;
  for (const PacketMessageTime* one : done) {
    const bool is_new = classes.empty() || (one->bytes != classes.back().most &&
                                            classes.back().times.durations.size() >= each);
    if (is_new) classes.push_back({one->bytes, one->bytes, {}});
    SizeClass& last = classes.back();
    last.most = one->bytes;
    last.times.durations.push_back(one->end - one->start);
    if (one->ideal > 0)
      last.times.slowdowns.push_back(static_cast<double>(one->end - one->start) /
                                     static_cast<double>(one->ideal));
    last.times.retransmitted += one->retransmitted;
  }
  return classes;
}

/// Nearest rank.
template <class Number>
Number percentile(const std::vector<Number>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

void write_messages(JsonWriter& json, const PacketRecord& packets) {
  std::vector<SizeClass> classes = classes_of(packets.message_times);
  json.field("messages", packets.messages).field("messageStep", packets.message_step);
  std::uint64_t unfinished = 0;
  for (const PacketMessageTime& one : packets.message_times)
    unfinished += one.end == PacketMessageTime::kUnfinished;
  json.field("unfinished", unfinished);
  column(json, "percents", kPercentiles.size(),
         [&](std::size_t i) { json.value(kPercentiles[i]); });
  column(json, "sizes", classes.size(), [&](std::size_t i) {
    SizeClass& one = classes[i];
    std::ranges::sort(one.times.durations);
    std::ranges::sort(one.times.slowdowns);
    json.begin_object().field("least", one.least).field("most", one.most);
    json.field("count", one.times.durations.size());
    json.field("retransmitted", one.times.retransmitted);
    column(json, "times", kPercentiles.size(),
           [&](std::size_t p) { json.value(percentile(one.times.durations, kPercentiles[p])); });
    const std::size_t slowdowns = one.times.slowdowns.empty() ? 0 : kPercentiles.size();
    column(json, "slowdowns", slowdowns, [&](std::size_t p) {
      json.value(std::round(1e4 * percentile(one.times.slowdowns, kPercentiles[p])) / 1e4);
    });
    json.end_object();
  });
}

}  // namespace

void write_packets(JsonWriter& json, const result::Run& run) {
  if (!run.packets) {
    json.key("packets").null();
    return;
  }
  const std::vector<std::uint32_t> shown = shown_links(run.links);
  std::vector<std::uint32_t> place(run.links.links.size(), result::kNone);
  for (std::uint32_t i = 0; i < shown.size(); ++i) place[shown[i]] = i;
  json.key("packets").begin_object().key("totals").begin_object();
  for (const PacketTotal& one : kPacketTotals)
    json.field(one.column, run.packets->totals.*one.value);
  json.end_object();
  write_ports(json, *run.packets, place);
  write_messages(json, *run.packets);
  json.end_object();
}

}  // namespace orrery::report::html
