// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/packet_monitor.h"

#include <algorithm>
#include <utility>

namespace orrery::model {

namespace {

void add(PortSample& to, const PortSample& more) {
  to.longest_queue = std::max(to.longest_queue, more.longest_queue);
  to.paused += more.paused;
  to.marks += more.marks;
  to.pauses += more.pauses;
  to.trims += more.trims;
  to.notifications += more.notifications;
  to.again += more.again;
  for (std::size_t i = 0; i < kPacketDrops; ++i) to.drops[i] += more.drops[i];
}

}  // namespace

PortSample& PacketMonitor::at(std::uint32_t port, std::int64_t time) {
  while (time / bin_ >= static_cast<std::int64_t>(kBins)) halve();
  if (ports_.size() <= port) ports_.resize(port + 1);
  std::vector<PortSample>& samples = ports_[port].samples;
  const auto place = static_cast<std::size_t>(time / bin_);
  if (samples.size() <= place) samples.resize(place + 1);
  return samples[place];
}

/// Joins pairs of bins.
void PacketMonitor::halve() {
  bin_ *= 2;
  for (PortSeries& port : ports_) {
    std::vector<PortSample>& samples = port.samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i % 2 == 0)
        samples[i / 2] = samples[i];
      else
        add(samples[i / 2], samples[i]);
    }
    samples.resize((samples.size() + 1) / 2);
  }
}

void PacketMonitor::set_paused(std::uint32_t port, bool is_paused, std::int64_t time) {
  PortSample& now = at(port, time);
  now.pauses += is_paused ? 1 : 0;
  std::int64_t& since = ports_[port].paused_since;
  if (is_paused == (since >= 0)) return;
  const std::int64_t from = std::exchange(since, is_paused ? time : -1);
  if (is_paused) return;
  // From bin to bin.
  for (std::int64_t begin = from; begin < time;) {
    const std::int64_t end = std::min(time, (begin / bin_ + 1) * bin_);
    at(port, begin).paused += end - begin;
    begin = end;
  }
}

void PacketMonitor::add_message(const MessageSample& message) {
  if (message_count_++ < most_messages_) messages_.push_back(message);
}

const std::vector<PortSample>& PacketMonitor::samples(std::uint32_t port) const {
  static const std::vector<PortSample> kNone;
  return port < ports_.size() ? ports_[port].samples : kNone;
}

PortSample PacketMonitor::total(std::uint32_t port) const {
  PortSample sum;
  for (const PortSample& one : samples(port)) add(sum, one);
  return sum;
}

}  // namespace orrery::model
