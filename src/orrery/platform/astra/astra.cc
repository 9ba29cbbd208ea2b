// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/astra/astra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/config/json.h"
#include "orrery/config/key_reader.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/astra/astra_files.h"

namespace orrery::platform {

using config::Json;
using config::json_kind;
using config::KeyReader;
using config::Named;
using config::parse_json;
using config::parse_yaml;
using config::pointer;
using config::read_text;
namespace {

/// ASTRA-sim counts a network's GB as 2^30 bytes.
constexpr double kNetworkGigabyte = 1073741824.0;
/// The network model reads node counts and times as C ints; far more than any machine.
constexpr double kLargestReal = 2147483647.0;

constexpr std::string_view kBlockNames[] = {"Ring", "FullyConnected", "Switch"};
constexpr Block kBlocks[] = {Block::ring, Block::fully_connected, Block::switched};

Result<void> set_dims(KeyReader& keys, Platform& platform) {
  const std::vector<std::string> topology = keys.texts("topology");
  const std::vector<double> sizes = keys.numbers("npus_count");
  const std::vector<double> bandwidths = keys.numbers("bandwidth");
  const std::vector<double> latencies = keys.numbers("latency");
  if (keys.error()) return tl::unexpected(*keys.error());
  if (topology.empty())
    return fail(Errc::config_range, keys.place("topology"), "lists no dimension");

  struct List {
    std::string_view key;
    std::size_t size;
  };
  for (const List& list : {List{"npus_count", sizes.size()}, List{"bandwidth", bandwidths.size()},
                           List{"latency", latencies.size()}}) {
    if (list.size == topology.size()) continue;
    return fail(Errc::config_conflict, keys.place(list.key),
                fmt::format("lists {} values, but topology lists {} dimensions", list.size,
                            topology.size()),
                "give one value per dimension");
  }

  double npus = 1;
  for (std::size_t d = 0; d < topology.size(); ++d) {
    Dimension dim;
    const auto* name = std::find(std::begin(kBlockNames), std::end(kBlockNames), topology[d]);
    if (name == std::end(kBlockNames)) {
      return fail(Errc::config_range, pointer(keys.place("topology"), d),
                  fmt::format("{} is not one of {}", in_quotes(topology[d]), join(kBlockNames)),
                  did_you_mean(topology[d], kBlockNames));
    }
    dim.block = kBlocks[name - std::begin(kBlockNames)];
    if (sizes[d] != std::trunc(sizes[d]) || sizes[d] < 2 || sizes[d] > kLargestReal) {
      return fail(Errc::config_range, pointer(keys.place("npus_count"), d),
                  fmt::format("is {}, but must be a whole number of at least 2 NPUs", sizes[d]));
    }
    dim.size = static_cast<std::int64_t>(sizes[d]);
    npus *= sizes[d];
    if (npus > static_cast<double>(limits::kRanks)) {
      return fail(Errc::limit_exceeded, keys.place("npus_count"),
                  fmt::format("more than {} NPUs", limits::kRanks));
    }
    dim.bandwidth = Bandwidth(bandwidths[d] * kNetworkGigabyte);
    if (!(bandwidths[d] > 0) || !std::isfinite(dim.bandwidth.count())) {
      return fail(Errc::config_range, pointer(keys.place("bandwidth"), d),
                  fmt::format("is {}, but must be above 0 (GB/s)", bandwidths[d]));
    }
    dim.latency_ns = latencies[d];
    if (latencies[d] < 0 || latencies[d] > 1e15) {
      return fail(Errc::config_range, pointer(keys.place("latency"), d),
                  fmt::format("is {}, but must be 0 or more and below 1e15 (ns)", latencies[d]));
    }
    platform.dims.push_back(dim);
  }
  return {};
}

constexpr Named<RemoteMemoryKind> kMemoryTypes[] = {
    {"NO_MEMORY_EXPANSION", RemoteMemoryKind::none},
    {"PER_NPU_MEMORY_EXPANSION", RemoteMemoryKind::per_npu},
    {"PER_NODE_MEMORY_EXPANSION", RemoteMemoryKind::per_node},
    {"MEMORY_POOL", RemoteMemoryKind::pool}};

void require(KeyReader& keys, std::initializer_list<std::string_view> names, std::string_view why) {
  for (const std::string_view name : names) {
    if (!keys.has(name)) {
      keys.fail(Errc::config_missing_key, keys.place(name),
                fmt::format("is missing: {} needs it", why));
    }
  }
}

}  // namespace

Result<Json> as_mapping(Result<Json> tree, const std::string& where) {
  if (!tree || tree->is_object()) return tree;
  return fail(Errc::config_type, where,
              fmt::format("is {}, but must be a mapping", json_kind(*tree)));
}

Result<void> apply_network(std::string_view text, const std::string& where, Platform& platform,
                           Findings& findings) {
  const Result<Json> tree = as_mapping(parse_yaml(text, where), where);
  if (!tree) return tl::unexpected(tree.error());
  KeyReader keys(*tree, where);
  require(keys, {"topology", "npus_count", "bandwidth", "latency"}, "a network");
  if (keys.error()) return tl::unexpected(*keys.error());
  if (const Result<void> dims = set_dims(keys, platform); !dims) return dims;
  keys.report_unread(findings);
  return {};
}

Result<void> apply_memory(std::string_view text, const std::string& where, Platform& platform,
                          Findings& findings) {
  const Result<Json> tree = as_mapping(parse_json(text, where), where);
  if (!tree) return tl::unexpected(tree.error());
  KeyReader keys(*tree, where);
  require(keys, {"memory-type"}, "a memory file");
  RemoteMemory memory;
  memory.kind = keys.choice<RemoteMemoryKind>("memory-type", RemoteMemoryKind::none, kMemoryTypes);
  if (memory.kind != RemoteMemoryKind::none) {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    require(keys, {"remote-mem-latency", "remote-mem-bw"}, "this memory-type");
    memory.latency = ns(keys.integer("remote-mem-latency", 0, 0, kMost));
    // Whole GB/s of 10^9 bytes; the reference cuts reals off.
    memory.bandwidth =
        Bandwidth(static_cast<double>(keys.integer("remote-mem-bw", 1, 1, kMost)) * 1e9);
  }
  if (memory.kind == RemoteMemoryKind::per_node) {
    require(keys, {"num-nodes", "num-npus-per-node"}, "PER_NODE_MEMORY_EXPANSION");
    const auto maximum = static_cast<std::int64_t>(limits::kRanks);
    memory.nodes = keys.integer("num-nodes", 1, 1, maximum);
    memory.npus_per_node = keys.integer("num-npus-per-node", 1, 1, maximum);
    if (memory.nodes * memory.npus_per_node < platform.npu_count()) {
      keys.fail(Errc::config_conflict, keys.place("num-nodes"),
                fmt::format("{} nodes of {} NPUs are fewer than the {} NPUs of the network",
                            memory.nodes, memory.npus_per_node, platform.npu_count()));
    }
  } else {
    (void)keys.has("num-nodes");
    (void)keys.has("num-npus-per-node");
  }
  if (memory.kind == RemoteMemoryKind::none) {
    (void)keys.has("remote-mem-latency");
    (void)keys.has("remote-mem-bw");
  }
  if (keys.error()) return tl::unexpected(*keys.error());
  platform.remote_memory = memory;
  keys.report_unread(findings);
  return {};
}

Result<Platform> read_astra(const AstraInputs& inputs, Findings& findings) {
  Platform platform;
  platform.rules = Rules::astra;
  platform.network = inputs.model;

  Result<void> ok = read_text(inputs.network).and_then([&](const std::string& text) {
    return apply_network(text, inputs.network, platform, findings);
  });
  if (ok)
    ok = read_text(inputs.system).and_then([&](const std::string& text) {
      return apply_system(text, inputs, platform, findings);
    });
  if (ok && !inputs.memory.empty())
    ok = read_text(inputs.memory).and_then([&](const std::string& text) {
      return apply_memory(text, inputs.memory, platform, findings);
    });
  if (!ok) return tl::unexpected(ok.error());
  return platform;
}

}  // namespace orrery::platform
