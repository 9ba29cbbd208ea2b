// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/packet_monitor.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace orrery::model {

namespace {

constexpr std::size_t kCells = std::size_t{1} << 18;
constexpr std::size_t kMostBins = 256, kFewestBins = 16;

/// Adds the bin after `into` to it.
template <class Bin>
void merge(Bin& into, const Bin& next) {
  for (const PortPacketColumn& one : kPortPacketColumns) {
    std::uint64_t& value = into.packets.*one.value;
    const std::uint64_t more = next.packets.*one.value;
    value = one.merge == PortPacketColumn::Merge::maximum ? std::max(value, more) : value + more;
  }
  into.queue_time += next.queue_time;
}

std::uint64_t mean(double queue_time, std::int64_t length) {
  return length <= 0
             ? 0
             : static_cast<std::uint64_t>(std::llround(queue_time / static_cast<double>(length)));
}

}  // namespace

PacketMonitor::PacketMonitor(std::size_t ports)
    : bins_(std::clamp(std::bit_floor(kCells / std::max<std::size_t>(1, ports)), kFewestBins,
                       kMostBins)),
      ports_(ports > kMostPorts ? 0 : ports) {}

void PacketMonitor::make_room(std::int64_t now) {
  while (now / bin_ >= static_cast<std::int64_t>(bins_)) {
    for (Series& series : ports_) {
      if (series.bins.empty()) continue;
      for (std::size_t b = 0; b < bins_ / 2; ++b) {
        const Bin next = series.bins[2 * b + 1];
        series.bins[b] = series.bins[2 * b];
        merge(series.bins[b], next);
      }
      std::fill(series.bins.begin() + static_cast<std::ptrdiff_t>(bins_ / 2), series.bins.end(),
                Bin{});
    }
    bin_ *= 2;
  }
}

PacketMonitor::Bin& PacketMonitor::bin_at(std::uint32_t port, std::int64_t now) {
  make_room(now);
  Series& series = ports_[port];
  if (series.bins.empty()) series.bins.resize(bins_);
  return series.bins[static_cast<std::size_t>(now / bin_)];
}

/// Adds what has lasted since the last change of the port, to each bin its part.
void PacketMonitor::add_until(Series& series, std::int64_t now) {
  std::int64_t from = std::exchange(series.since, now);
  if (series.waiting == 0 && !series.is_paused) return;
  make_room(now);
  while (from < now) {
    const std::int64_t number = from / bin_;
    const std::int64_t until = std::min(now, (number + 1) * bin_);
    Bin& bin = series.bins[static_cast<std::size_t>(number)];
    const auto lasts = static_cast<std::uint64_t>(until - from);
    bin.queue_time += static_cast<double>(series.waiting) * static_cast<double>(lasts);
    bin.packets.peak_queue =
        std::max(bin.packets.peak_queue, static_cast<std::uint64_t>(series.waiting));
    if (series.is_paused) {
      bin.packets.paused += lasts;
      series.total.paused += lasts;
    }
    series.queue_time += static_cast<double>(series.waiting) * static_cast<double>(lasts);
    from = until;
  }
}

void PacketMonitor::queue(std::uint32_t port, std::int64_t now, std::int64_t bytes) {
  if (port >= ports_.size()) return;
  Bin& bin = bin_at(port, now);
  Series& series = ports_[port];
  add_until(series, now);
  series.waiting = bytes;
  const auto peak = static_cast<std::uint64_t>(bytes);
  bin.packets.peak_queue = std::max(bin.packets.peak_queue, peak);
  series.total.peak_queue = std::max(series.total.peak_queue, peak);
}

void PacketMonitor::pause(std::uint32_t port, std::int64_t now, bool is_paused) {
  if (port >= ports_.size()) return;
  (void)bin_at(port, now);
  Series& series = ports_[port];
  add_until(series, now);
  series.is_paused = is_paused;
}

std::uint32_t PacketMonitor::posts(const PacketPost& message, std::int64_t now) {
  const std::uint64_t number = messages_++;
  if (number % step_ != 0) return static_cast<std::uint32_t>(number);
  if (times_.size() == kMostMessages) {
    for (std::size_t i = 0; i < kMostMessages / 2; ++i) times_[i] = times_[2 * i];
    times_.resize(kMostMessages / 2);
    step_ *= 2;
  }
  // The number is a multiple of the doubled step, too: kMostMessages is even.
  times_.push_back({.from = message.from,
                    .to = message.to,
                    .bytes = message.bytes,
                    .start = now,
                    .ideal = message.ideal});
  return static_cast<std::uint32_t>(number);
}

PacketMessageTime* PacketMonitor::message(std::uint32_t record) {
  if (record == kNoPacket || record % step_ != 0) return nullptr;
  return &times_[record / step_];
}

void PacketMonitor::arrives(std::uint32_t record, std::int64_t now) {
  if (PacketMessageTime* const one = message(record)) one->end = now;
}

void PacketMonitor::repeats(std::uint32_t record) {
  if (PacketMessageTime* const one = message(record)) ++one->retransmitted;
}

PacketRecord PacketMonitor::finish(std::int64_t now) const {
  PacketMonitor all = *this;
  PacketRecord made;
  for (std::uint32_t port = 0; port < all.ports_.size(); ++port) {
    Series& series = all.ports_[port];
    if (series.bins.empty()) continue;
    all.add_until(series, now);
  }
  made.bin = all.ports_.empty() ? Time{} : Time(all.bin_);
  for (std::uint32_t port = 0; port < all.ports_.size(); ++port) {
    const Series& series = all.ports_[port];
    PortPacketSeries listed{port, series.total, {}};
    listed.total.mean_queue = mean(series.queue_time, now);
    for (std::size_t b = 0; b < series.bins.size(); ++b) {
      PortPacketBin one{static_cast<std::uint32_t>(b), series.bins[b].packets};
      const std::int64_t begin = static_cast<std::int64_t>(b) * all.bin_;
      one.packets.mean_queue = mean(series.bins[b].queue_time, std::min(all.bin_, now - begin));
      if (one.packets != PortPackets{}) listed.bins.push_back(one);
    }
    if (!listed.bins.empty()) made.ports.push_back(std::move(listed));
  }
  made.messages = messages_;
  made.message_step = step_;
  made.message_times = std::move(all.times_);
  return made;
}

}  // namespace orrery::model
