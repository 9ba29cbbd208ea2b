// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/ns3_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/network/packet/congestion.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "plugins/ns3/orrery_ns3.h"

namespace orrery::model {

using platform::PacketSettings;

namespace {

constexpr std::int64_t kOwnWindow = -1;

/// The settings that the plug-in does not model, by their names in cluster files; null: none.
const char* unsupported_setting(const PacketSettings& settings) {
  const platform::PacketPriorities& by = settings.priorities;
  const bool one_priority = by.collective == by.point_to_point &&
                            by.collective == by.announcement && by.collective == by.memory;
  const std::pair<bool, const char*> all[] = {
      {settings.transport != platform::PacketTransport::window, "transport"},
      {settings.queue.count() > 0, "queue"},
      {settings.buffer.count() > 0, "buffer"},
      {settings.mark_to.count() > 0, "mark_to"},
      {settings.pfc, "pfc"},
      {settings.acknowledge_every.count() > 0, "acknowledge_every"},
      {!one_priority, "priorities"},
      {!settings.classes.empty(), "classes"},
  };
  for (const auto& [is_set, name] : all)
    if (is_set) return name;
  return nullptr;
}

std::int64_t usual_window(const platform::Platform& platform, const PacketSettings& settings) {
  const std::int64_t packet = (*settings.payload + *settings.header).count();
  if (settings.window) return *settings.window * packet;
  const auto usual = fabric_window(platform);
  return usual ? *usual * packet : kOwnWindow;
}

}  // namespace

Result<void> check_ns3(const platform::Platform& platform, const std::string& where) {
  const PacketSettings settings = complete_packet_settings(platform);
  if (const char* const name = unsupported_setting(settings))
    return fail(Errc::config_conflict, where + ":/packets/" + name,
                fmt::format("ns-3 does not model `{}`", name), "remove it, or --network packet");
  if (settings.header->count() < ORRERY_NS3_LEAST_PACKET ||
      settings.acknowledgement.count() < ORRERY_NS3_LEAST_PACKET)
    return fail(
        Errc::config_conflict,
        where + (settings.header->count() < ORRERY_NS3_LEAST_PACKET ? ":/packets/header"
                                                                    : ":/packets/acknowledgement"),
        "a packet of ns-3 has at least 3 bytes besides its payload",
        "3 B or more, or --network packet");
  if (platform.fabric == nullptr) return {};
  const platform::Fabric& fabric = *platform.fabric;
  if (fabric.routing.policy == platform::RoutePolicy::spray && settings.entropies > 1)
    return fail(Errc::config_conflict, where + ":/fabric/routing",
                "ns-3 does not spray packets over routes", "ecmp, or --network packet");
  const auto is_timed = [](const platform::LinkFault& one) { return !one.is_permanent(); };
  if (std::any_of(fabric.faults.begin(), fabric.faults.end(), is_timed))
    return fail(Errc::config_conflict, where + ":/fabric/faults",
                "ns-3 has no faults that begin or end", "--network packet or flow");
  return {};
}

Ns3Network::Ns3Network(const platform::Platform& platform, const OrreryNs3Functions& plugin)
    : Ns3Network(platform, plugin, std::make_shared<FabricRoutes>(platform, true)) {}

Ns3Network::Ns3Network(const platform::Platform& platform, const OrreryNs3Functions& plugin,
                       const std::shared_ptr<FabricRoutes>& routes)
    : Network({.ranks = routes->rank_count(),
               .memories = routes->memory_count(),
               .switches = static_cast<std::uint32_t>(routes->reducers().size())},
              {.tick_order_free = true, .in_order = true, .one_per_process = true}),
      plugin_(plugin),
      packets_(platform),
      settings_(complete_packet_settings(platform)),
      usual_window_(usual_window(platform, settings_)),
      links_(packet_links(*routes)),
      paths_(routes),
      nodes_(routes->topology().node_count()),
      simulation_(nullptr, Destroy{&plugin}) {
  ORRERY_CHECK(check_ns3(platform, "").has_value());
}

void Ns3Network::Destroy::operator()(OrreryNs3Simulation* simulation) const {
  plugin->destroy(simulation);
}

void Ns3Network::add_findings(Findings& findings) const {
  if (settings_.skip != platform::PacketSkipping::off)
    findings.add(FindingCode::key_without_effect, "packets/skip: ns-3 simulates every packet");
}

OrreryNs3Counts Ns3Network::counts() const {
  OrreryNs3Counts made{};
  if (simulation_ != nullptr) plugin_.counts(simulation_.get(), &made);
  return made;
}

void Ns3Network::begin() {
  std::vector<OrreryNs3Link> links;
  for (const PacketLink& link : links_)
    links.push_back({link.from, link.to,
                     static_cast<std::uint64_t>(std::llround(link.bytes_per_ns * 8e9)),
                     link.latency});
  OrreryNs3Setup setup{};
  setup.nodes = nodes_;
  setup.links = links.data();
  setup.link_count = links.size();
  setup.payload = static_cast<std::uint32_t>(settings_.payload->count());
  setup.header = static_cast<std::uint32_t>(settings_.header->count());
  setup.acknowledgement = static_cast<std::uint32_t>(settings_.acknowledgement.count());
  setup.turns = settings_.posting == platform::PacketPosting::turns ? 1 : 0;
  simulation_.reset(plugin_.create(&setup));
  ORRERY_CHECK(simulation_ != nullptr);
}

/// Of a full packet and its acknowledgement without contention, if neither the settings nor the
/// fabric have a window. Bytes on the wire; 0: unlimited.
std::int64_t Ns3Network::window(const std::vector<std::uint32_t>& forth,
                                const std::vector<std::uint32_t>& back) const {
  if (usual_window_ != kOwnWindow) return usual_window_;
  const std::int64_t packet = (*settings_.payload + *settings_.header).count();
  const PacketEngine& engine = packets_.engine();
  std::int64_t round_trip = 0;
  for (const std::uint32_t link : forth)
    round_trip += engine.serial_time(link, packet) + engine.latency(link);
  for (const std::uint32_t link : back)
    round_trip +=
        engine.serial_time(link, settings_.acknowledgement.count()) + engine.latency(link);
  return round_trip_window(std::max<std::int64_t>(1, round_trip),
                           1e-3 * links_[forth.front()].bytes_per_ns, packet);
}

std::uint32_t Ns3Network::connection(EndPoint from, EndPoint to) {
  const auto [entry, added] = connections_.try_emplace((std::uint64_t{from} << 32) | to);
  if (!added) return entry->second;
  std::vector<std::uint32_t> forth, back;
  paths_.append_route(0, from, to, 0, forth);
  paths_.append_route(0, to, from, 0, back);
  const OrreryNs3Connection made{forth.data(), forth.size(), back.data(), back.size(),
                                 window(forth, back)};
  const std::int64_t number = plugin_.connect(simulation_.get(), &made);
  ORRERY_CHECK(number >= 0);
  return entry->second = static_cast<std::uint32_t>(number);
}

void Ns3Network::settle(std::int64_t now, Sink& sink) {
  if (simulation_ == nullptr) begin();
  run(now, sink);
  std::sort(sent_.begin(), sent_.end());
  for (const Send& message : sent_) {
    if (uncontended_time(message.from, message.to, message.bytes) >=
        MultiDimFabric::kTooLong - now) {
      sink.exceeds_clock();
      continue;
    }
    const std::uint32_t number = connection(message.from, message.to);
    ++undelivered_;
    ORRERY_CHECK(plugin_.send(simulation_.get(), now, number, message.bytes, message.token) == 0);
  }
  sent_.clear();
  report(sink);
  find_next();
}

void Ns3Network::advance(std::int64_t until, Sink& sink) {
  if (simulation_ == nullptr) return;
  run(until, sink);
  find_next();
}

void Ns3Network::run(std::int64_t until, Sink& sink) {
  if (records_ != observed()) {
    records_ = observed();
    plugin_.record_transfers(simulation_.get(), records_ ? 1 : 0);
  }
  ORRERY_CHECK(plugin_.advance(simulation_.get(), until) == 0);
  report(sink);
}

void Ns3Network::report(Sink& sink) {
  if (records_) {
    const OrreryNs3Transfer* begun = nullptr;
    const std::size_t count = plugin_.transfers(simulation_.get(), &begun);
    for (std::size_t i = 0; i < count; ++i)
      report_carried(begun[i].link, begun[i].from_ps, begun[i].until_ps, begun[i].payload);
  }
  const std::uint32_t* tokens = nullptr;
  const std::size_t count = plugin_.arrivals(simulation_.get(), &tokens);
  undelivered_ -= count;
  for (std::size_t i = 0; i < count; ++i) sink.arrives(tokens[i]);
}

void Ns3Network::find_next() {
  const std::int64_t next = undelivered_ == 0 ? kNever : plugin_.next(simulation_.get());
  if (next == next_) return;
  next_ = next;
  ++epoch_;
}

}  // namespace orrery::model
