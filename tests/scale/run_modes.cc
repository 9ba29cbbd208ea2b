// SPDX-License-Identifier: Apache-2.0
#include "run_modes.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "orrery/network/fluid_network_testing.h"
#include "orrery/network/table_network_testing.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::scale {

using namespace platform;
using graph::NodeKind;

namespace {

constexpr std::array<std::string_view, kModes> kNames = {
    "rendezvous", "bus",   "late",   "trees",  "direct",  "themis", "rotation",
    "alternate",  "links", "pool",   "custom", "replay",  "table",  "fluid",
    "library",    "flow",  "fabric", "beside", "switches"};

// Every other rank, every fourth, or any.
void add_late(Draw& draw, Platform& machine) {
  Deviation late;
  late.start = draw.of({us(1000), us(3), ns(1024)});
  const auto world = static_cast<std::uint32_t>(machine.npu_count());
  const auto step = draw.of<std::uint32_t>({2, 2, 4, 3});
  for (std::uint32_t rank = 0; rank < world; rank += step) late.ranks.push_back(rank);
  machine.deviations.push_back(late);
}

void set_algorithm(Platform& machine, CollectivePlan& plan, Algorithm algorithm) {
  plan.per_dim.clear();
  for (const Dimension& dim : machine.dims) {
    const bool fits = algorithm != Algorithm::double_binary_tree ||
                      std::has_single_bit(static_cast<std::uint64_t>(dim.size));
    plan.per_dim.push_back({fits ? algorithm : Algorithm::ring, -1});
  }
}

// The members in front tell each other, the others compute.
graph::GraphRef position(std::uint32_t number, const std::shared_ptr<StringPool>& strings) {
  graph::GraphBuilder builder("custom", strings, graph::Repair::refuse);
  graph::NodeSpec node;
  node.id = 1;
  node.kind = NodeKind::comp;
  node.duration = ns(1024);
  builder.add(node);
  const auto peer = static_cast<std::int32_t>(1 - number);
  for (std::uint64_t id = 2; number < 2 && id < 4; ++id) {
    graph::NodeSpec message;
    message.id = id;
    message.kind = id == 2 ? NodeKind::send : NodeKind::recv;
    message.deps = {1};
    message.flags =
        graph::kHasCommSize | graph::kHasTag | (id == 2 ? graph::kHasDst : graph::kHasSrc);
    message.message = {Bytes(4096), id == 2 ? 0 : peer, id == 2 ? peer : 0, 3};
    builder.add(message);
  }
  Findings findings;
  auto made = std::move(builder).finish(findings);
  ORRERY_CHECK(made.has_value());
  return std::make_shared<const graph::Graph>(std::move(*made));
}

void add_custom(Platform& machine, graph::Workload& workload) {
  const auto strings = std::make_shared<StringPool>();
  std::vector<graph::GraphRef>& positions = workload.custom_collectives["custom"];
  for (std::uint32_t p = 0; p < workload.rank_count(); ++p)
    positions.push_back(position(p, strings));
  machine.collectives.all_to_all.custom_prefix = "custom";
}

// By how far on the receiver is, of few values.
void add_table(Draw& draw, Case& drawn) {
  std::vector<std::int64_t> delays(draw.of<std::size_t>({1, 2, 3, 4}));
  for (std::int64_t& delay : delays)
    delay = draw.of<std::int64_t>({0, 300'000, 512'000, 7'000'001});
  drawn.network = [delays](const Platform& machine) {
    return std::make_unique<model::testing::TableNetwork>(
        static_cast<std::uint32_t>(machine.npu_count()), delays, 10);
  };
}

// Hosts of up to four devices, with a NIC for each.
std::string hosts_of(Draw& draw, std::int64_t ranks) {
  std::int64_t devices = draw.of<std::int64_t>({1, 2, 4});
  if (ranks % devices != 0) devices = 1;
  const std::string inside =
      "scale_up: {bandwidth: 300 GB/s, latency: 256 ns}, pcie: {bandwidth: 128 GB/s, latency: 64 "
      "ns}";
  return devices == 1 ? fmt::format("[{{count: {}, devices: 1}}]", ranks)
                      : fmt::format("[{{count: {}, devices: {}, nics: {}, {}}}]", ranks / devices,
                                    devices, devices, inside);
}

// A network model that the rules of the case have; with `contended`, not the analytical one. Flits
// cost a hundred times as much as packets and never fold; network_contract_test.cc has them. ns-3
// need not be installed.
NetworkModelKind any_network(Draw& draw, const Platform& machine, bool contended) {
  std::vector<NetworkModelKind> kinds;
  for (const NetworkModelEntry& one : kNetworkModels) {
    if (machine.rules == Rules::astra && !one.astra_sim) continue;
    if (one.kind == NetworkModelKind::noc || one.kind == NetworkModelKind::ns3) continue;
    if (!contended || one.kind != NetworkModelKind::analytical) kinds.push_back(one.kind);
  }
  return kinds[draw.below(kinds.size())];
}

// As many devices, on a graph of any kind.
void add_fabric(Draw& draw, Platform& machine) {
  const std::int64_t ranks = machine.npu_count();
  const std::string port = "port: {bandwidth: 100 GB/s, latency: 512 ns}";
  std::string sizes;
  for (const Dimension& dim : machine.dims)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", dim.size);
  const std::string grid = "{kind: torus, sizes: [" + sizes + "], " + port + "}";
  const std::string network = draw.of<std::string>(
      {"{kind: switch, " + port + "}",
       "{kind: fat_tree, per_leaf: 4, radix: 4096, oversubscription: 2, " + port + "}", grid,
       "{kind: rail_optimized, per_leaf: 2, radix: 4096, " + port + "}",
       "{kind: rail_only, per_leaf: 4, radix: 4096, " + port + "}",
       "{kind: dragonfly, per_leaf: 2, group: 2, global_links: 64, " + port + "}"});
  const std::string hosts =
      network == grid ? fmt::format("[{{count: {}, devices: 1}}]", ranks) : hosts_of(draw, ranks);
  machine.network = any_network(draw, machine, false);
  const std::string fault =
      draw.of<std::string>({"start: 1 us, end: 50 us", "every: 9 us, lasts: 4 us",
                            "bandwidth: 0.5, start: 5 us, end: 99 us", "bandwidth: 0.25"});
  const bool breaks = network_model(machine.network).timed_faults && draw.of({true, false, false});
  const std::string faults =
      fmt::format(", faults: [{{from: {}, to: \"*\", {}}}]",
                  hosts.find("nics") == std::string::npos ? "npu0" : "host0.nic0", fault);
  const std::string text = fmt::format(
      "device: {{peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}}\nfabric: {{hosts: {}, network: {}, "
      "routing: {}{}}}",
      hosts, network, draw.of<std::string>({"known", "ecmp", "spray", "adaptive", "d_mod_k"}),
      breaks ? faults : "");
  Findings findings;
  const auto made = parse_cluster(text, "drawn", findings);
  ORRERY_CHECK(made.has_value());
  // All of its switches can sum, should anybody ask for it.
  Fabric fabric = *made->fabric;
  for (NodeIndex node = 0; node < fabric.topology.node_count(); ++node) {
    if (is_switch(fabric.topology.kind(node)))
      fabric.reducers.push_back({node, {ns(64), Bytes{}, 0}});
  }
  machine.fabric = std::make_shared<const Fabric>(std::move(fabric));
}

// Memories at the switches of a dimension, whose traffic meets messages. False: no dimension has
// any.
bool add_network_memory(Draw& draw, Platform& machine) {
  bool any = false;
  for (Dimension& dim : machine.dims) {
    if (dim.block != Block::switched || dim.size < 2) continue;
    dim.memories = Memories{draw.of<std::int64_t>({1, 2}), Bandwidth(1e9), ns(128)};
    any = true;
  }
  if (!any) return false;
  machine.network = NetworkModelKind::flow;
  machine.remote_memory = {
      .kind = RemoteMemoryKind::network, .latency = ns(300), .spread = draw.one_in(3)};
  return true;
}

// Memory that devices share, with links between.
void add_pool(Draw& draw, Platform& machine) {
  const bool in_network = machine.rules == Rules::orrery && draw.one_in(3);
  if (in_network && add_network_memory(draw, machine)) return;
  RemoteMemory& memory = machine.remote_memory;
  memory = {draw.of({RemoteMemoryKind::pool, RemoteMemoryKind::per_node}), ns(300), Bandwidth(1e9)};
  memory.npus_per_node = draw.of<std::int64_t>({1, 2, 4});
  memory.nodes = machine.npu_count();
  if (machine.rules == Rules::astra) return;
  memory.groups = draw.of<std::int64_t>({1, 3});
  memory.in_switch = draw.one_in(3);
  if (draw.one_in(2)) memory.chunk = Bytes(1000);
  if (draw.one_in(2)) memory.stages.push_back({MemoryShape::mesh, Bandwidth(2e8), 1, {2, 3}, 0});
  if (draw.one_in(2))
    memory.stages.push_back(
        {MemoryShape::straight, Bandwidth(7e8), 2, {}, draw.of<std::int64_t>({2, 4})});
}

// In dimensions that have switches.
void add_switches(Draw& draw, Platform& machine) {
  CollectiveConfig& config = machine.collectives;
  const InNetwork figures{draw.of({ns(0), ns(128)}), Bytes(draw.of<std::int64_t>({0, 4096})), 0};
  for (Dimension& dim : machine.dims) {
    if (dim.block == Block::switched) dim.in_network = figures;
  }
  for (auto* plan : {&config.all_reduce, &config.all_gather, &config.reduce_scatter}) {
    for (std::size_t d = 0; d < machine.dims.size() && d < plan->per_dim.size(); ++d) {
      if (machine.dims[d].in_network) plan->per_dim[d] = {Algorithm::in_network, -1};
    }
  }
}

}  // namespace

std::string_view name(Mode mode) { return kNames[static_cast<std::size_t>(mode)]; }

void put_upon(Mode mode, Draw& draw, Case& drawn) {
  Platform& machine = drawn.platform;
  CollectiveConfig& config = machine.collectives;
  switch (mode) {
    case Mode::rendezvous:
      config.rendezvous = true;
      return;
    case Mode::bus:
      machine.shared_bus = SharedBus{10, 5, 2, 0.002, 1};
      return;
    case Mode::late:
      return add_late(draw, machine);
    case Mode::trees:
      return set_algorithm(machine, config.all_reduce, Algorithm::double_binary_tree);
    case Mode::direct:
      for (auto* plan : config.plans()) set_algorithm(machine, *plan, Algorithm::direct);
      return;
    case Mode::themis:
      config.inter_dimension = draw.of({InterDimension::themis, InterDimension::themis_flex});
      return;
    case Mode::rotation:
      config.inter_dimension = InterDimension::round_robin;
      return;
    case Mode::alternate:
      config.intra_dimension = IntraDimension::rg;
      return;
    case Mode::links:
      machine.network = any_network(draw, machine, true);
      return;
    case Mode::pool:
      return add_pool(draw, machine);
    case Mode::custom:
      return add_custom(machine, drawn.workload);
    case Mode::replay:
      machine.replay_only = true;
      return;
    case Mode::table:
      return add_table(draw, drawn);
    case Mode::fluid:
      drawn.network = [latency = draw.of<std::int64_t>({0, 512'000})](const Platform& of) {
        return std::make_unique<model::testing::FluidNetwork>(
            static_cast<std::uint32_t>(of.npu_count()), latency, 1e11);
      };
      return;
    case Mode::flow:
      if (machine.rules == Rules::orrery) machine.network = NetworkModelKind::flow;
      return;
    case Mode::switches:
      if (machine.rules == Rules::orrery) add_switches(draw, machine);
      return;
    case Mode::fabric:
      if (machine.rules == Rules::orrery) add_fabric(draw, machine);
      return;
    case Mode::library:
      if (machine.rules == Rules::astra) return;  // follows another library
      config.library = CollectiveLibrary::nccl;
      machine.device.entry = "h100-sxm";
      if (draw.one_in(2)) machine.device.power_limit_w = 500;
      if (draw.one_in(4)) machine.dims.front().unknown_pcie = "pcie5-x16";
      return;
    case Mode::beside:
      if (machine.rules == Rules::astra) return;  // knows of no such thing
      machine.device.compute = TimeSource::roofline;
      machine.device.peak = FlopRate(1e12);
      machine.device.memory = Bandwidth(1e9);
      machine.device.in_step.overlap =
          StepEffects::OverlapSlowdown{draw.of({1.37, 2.0, 1.0}), 1.11};
      return;
  }
}

}  // namespace orrery::scale
