// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's collectives, key by key (see cluster_file.h). Private to this room.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/core/limits.h"
#include "orrery/platform/cluster/file/deviations_section.h"
#include "orrery/platform/platform.h"

namespace orrery::config {

template <>
struct EnumNames<platform::CollectiveLibrary> {
  using Word = EnumName<platform::CollectiveLibrary>;
  static constexpr std::array names = {Word{"nccl", platform::CollectiveLibrary::nccl},
                                       Word{"ideal", platform::CollectiveLibrary::ideal}};
};
template <>
struct EnumNames<platform::SchedulingPolicy> {
  static constexpr std::array names = {
      EnumName<platform::SchedulingPolicy>{"fifo", platform::SchedulingPolicy::fifo},
      EnumName<platform::SchedulingPolicy>{"lifo", platform::SchedulingPolicy::lifo},
      EnumName<platform::SchedulingPolicy>{"priority",
                                           platform::SchedulingPolicy::explicit_priority}};
};
template <>
struct EnumNames<platform::CollectiveOptimization> {
  static constexpr std::array names = {
      EnumName<platform::CollectiveOptimization>{"local_bw_aware",
                                                 platform::CollectiveOptimization::local_bw_aware},
      EnumName<platform::CollectiveOptimization>{"baseline",
                                                 platform::CollectiveOptimization::baseline}};
};
template <>
struct EnumNames<platform::InterDimension> {
  static constexpr std::array names = {
      EnumName<platform::InterDimension>{"ascending", platform::InterDimension::ascending},
      EnumName<platform::InterDimension>{"round_robin", platform::InterDimension::round_robin},
      EnumName<platform::InterDimension>{"themis", platform::InterDimension::themis},
      EnumName<platform::InterDimension>{"themis_flex", platform::InterDimension::themis_flex},
      EnumName<platform::InterDimension>{"themis_published",
                                         platform::InterDimension::themis_published},
      EnumName<platform::InterDimension>{"best", platform::InterDimension::best}};
};
template <>
struct EnumNames<platform::IntraDimension> {
  static constexpr std::array names = {
      EnumName<platform::IntraDimension>{"fifo", platform::IntraDimension::fifo},
      EnumName<platform::IntraDimension>{"rg", platform::IntraDimension::rg},
      EnumName<platform::IntraDimension>{"smallest_first",
                                         platform::IntraDimension::smallest_first},
      EnumName<platform::IntraDimension>{"less_remaining_phases_first",
                                         platform::IntraDimension::less_remaining_phases_first}};
};

}  // namespace orrery::config

namespace orrery::platform {

// Kinds of value that only these sections have.

/// "ring", or ["ring", "direct:4"], or {custom: prefix}. Empty: chosen by block.
struct PlanValue {
  std::vector<AlgorithmSpec> algorithms;
  bool for_every_dim = false;  ///< given as one word
  std::string custom;

  [[nodiscard]] bool empty() const { return algorithms.empty() && custom.empty(); }
};
void read_value(const Json& value, const std::string& path, const Limits&, PlanValue& out,
                Reading& reading);
OrderedJson schema_of(Kind<PlanValue>, const Limits&);
std::string about_kind(Kind<PlanValue>, const Limits&);
OrderedJson write_value(const PlanValue& value);

/// Workload node id → trace prefix.
struct NodePrefixes {
  std::map<std::uint64_t, std::string> by_id;
};
void read_value(const Json& value, const std::string& path, const Limits&, NodePrefixes& out,
                Reading& reading);
OrderedJson schema_of(Kind<NodePrefixes>, const Limits&);
inline std::string about_kind(Kind<NodePrefixes>, const Limits&) {
  return "a mapping of node id to plan file or trace prefix";
}
OrderedJson write_value(const NodePrefixes& value);

/// true or false, or as NCCL's environment has it: 0 for no, 1 or 2 (where possible) for yes.
struct EnabledValue {
  bool yes = false;

  friend bool operator==(const EnabledValue&, const EnabledValue&) = default;
};
void read_value(const Json& value, const std::string& path, const Limits&, EnabledValue& out,
                Reading& reading);
OrderedJson schema_of(Kind<EnabledValue>, const Limits&);
inline std::string about_kind(Kind<EnabledValue>, const Limits&) {
  return "`true` or `false`, or as NCCL has it, 0, 1 or 2";
}
OrderedJson write_value(const EnabledValue& value);

/// How many, or "auto".
struct ChunksValue {
  std::int64_t count = 4;
  bool by_model = false;

  friend bool operator==(const ChunksValue&, const ChunksValue&) = default;
};
void read_value(const Json& value, const std::string& path, const Limits& limits, ChunksValue& out,
                Reading& reading);
OrderedJson schema_of(Kind<ChunksValue>, const Limits& limits);
std::string about_kind(Kind<ChunksValue>, const Limits& limits);
OrderedJson write_value(const ChunksValue& value);

/// Named like NCCL's environment variables.
struct LibrarySection {
  std::string algo, proto;
  std::int64_t min_channels = 0, max_channels = 0;
  EnabledValue nvls{true}, collnet{false};
  std::optional<std::string> tuner;

  static constexpr auto fields = std::tuple{
      field("NCCL_ALGO", &LibrarySection::algo,
            "algorithms to choose from, e.g. `ring,tree`, or `^nvls` for all others; also for one "
            "collective: `ring,nvls;allreduce:tree`"),
      field("NCCL_PROTO", &LibrarySection::proto, "protocols likewise: `ll`, `ll128`, `simple`"),
      field("NCCL_MIN_NCHANNELS", &LibrarySection::min_channels,
            "channels at least; 0: as many as it finds", between(0, 64)),
      field("NCCL_MAX_NCHANNELS", &LibrarySection::max_channels,
            "channels at most; 0: as many as it finds", between(0, 64)),
      field("NCCL_NVLS_ENABLE", &LibrarySection::nvls, "NVLink SHARP, where GPUs have it"),
      field("NCCL_COLLNET_ENABLE", &LibrarySection::collnet,
            "switches of the network reduce (SHARP)"),
      field("NCCL_TUNER_CONFIG_FILE", &LibrarySection::tuner,
            "choices of a tuner as CSV, as NCCL's example plug-in reads it; its path from this "
            "file's folder")};
};

struct CollectivesSection {
  std::optional<CollectiveLibrary> library;
  std::optional<LibrarySection> settings;
  std::optional<std::string> curves;
  ChunksValue chunks;
  std::int64_t active_chunks = 1;
  std::int64_t queues_per_dim = 1;
  SchedulingPolicy policy = SchedulingPolicy::fifo;
  CollectiveOptimization optimization = CollectiveOptimization::local_bw_aware;
  InterDimension order = InterDimension::ascending;
  std::optional<IntraDimension> within;
  PlanValue all_reduce, all_gather, reduce_scatter, all_to_all;
  NodePrefixes custom_by_node;
  bool rendezvous = false;

  static constexpr std::string_view kByBlock =
      "by block: ring → ring, fully_connected → direct, switch → "
      "halving_doubling if its size is a power of two, else ring";
  static constexpr std::string_view shorthand = "library";
  static constexpr auto fields = std::tuple{
      field("library", &CollectivesSection::library,
            "whose collectives run: `nccl` (RCCL, too) takes its own choices and measured times; "
            "`ideal` the algorithms below at the links' full rate")
          .by_default(
              "nccl for GPUs of the catalogue, where nothing of `chunks` to `all_to_all` is "
              "given and messages are not in each other's way; else ideal"),
      field("settings", &CollectivesSection::settings, "of the library"),
      field("curves", &CollectivesSection::curves,
            "measured curves that `orrery calibrate network` wrote, the path from this file's "
            "folder; they come before those that are built in"),
      field("chunks", &CollectivesSection::chunks,
            "pieces a collective is cut into; `auto`: for each collective as many as a model of "
            "pieces and dimensions finds the quickest",
            between(1, static_cast<double>(limits::kChunksPerCollective))),
      field("active_chunks", &CollectivesSection::active_chunks,
            "pieces at work in one dimension at a time",
            between(1, static_cast<double>(limits::kChunksPerCollective))),
      field("queues_per_dim", &CollectivesSection::queues_per_dim,
            "independent queues of one dimension", between(1, 1024)),
      field("policy", &CollectivesSection::policy,
            "which of several waiting collectives goes first; `priority`: by the workload's own "
            "priorities"),
      field("optimization", &CollectivesSection::optimization,
            "all-reduce over several dimensions: `local_bw_aware` reduce-scatters inwards and "
            "gathers outwards, "
            "`baseline` runs a whole all-reduce in each dimension"),
      field("order", &CollectivesSection::order,
            "in which order a piece visits the dimensions; `themis` balances their loads (ISCA "
            "2022) as ASTRA-sim does, `themis_published` as the paper has it, from their latencies "
            "on, `themis_flex` sizes pieces, too; `best`: the quickest found for each collective"),
      field("within", &CollectivesSection::within, "in which order pieces wait at a dimension")
          .by_default("smallest_first for order: best; else fifo"),
      field("all_reduce", &CollectivesSection::all_reduce, "algorithm of each dimension")
          .by_default(kByBlock),
      field("all_gather", &CollectivesSection::all_gather, "algorithm of each dimension")
          .by_default("as all_reduce, where that fits"),
      field("reduce_scatter", &CollectivesSection::reduce_scatter, "algorithm of each dimension")
          .by_default("as all_reduce, where that fits"),
      field("all_to_all", &CollectivesSection::all_to_all, "algorithm of each dimension")
          .by_default("by block: ring → ring, fully_connected → direct, switch → direct:1"),
      field("custom_by_node", &CollectivesSection::custom_by_node,
            "plans or Chakra traces that replace single collectives"),
      field("rendezvous", &CollectivesSection::rendezvous,
            "receivers announce themselves before a message is sent")};
};

}  // namespace orrery::platform
