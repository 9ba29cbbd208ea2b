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
  using enum platform::CollectiveLibrary;
  using Word = EnumName<platform::CollectiveLibrary>;
  static constexpr std::array names = {Word{"nccl", nccl}, Word{"ideal", ideal}};
};
template <>
struct EnumNames<platform::SchedulingPolicy> {
  using enum platform::SchedulingPolicy;
  using Word = EnumName<platform::SchedulingPolicy>;
  static constexpr std::array names = {Word{"fifo", fifo}, Word{"lifo", lifo},
                                       Word{"priority", explicit_priority}};
};
template <>
struct EnumNames<platform::CollectiveOptimization> {
  using enum platform::CollectiveOptimization;
  using Word = EnumName<platform::CollectiveOptimization>;
  static constexpr std::array names = {Word{"local_bw_aware", local_bw_aware},
                                       Word{"baseline", baseline}};
};
template <>
struct EnumNames<platform::InterDimension> {
  using enum platform::InterDimension;
  using Word = EnumName<platform::InterDimension>;
  static constexpr std::array names = {Word{"ascending", ascending},
                                       Word{"round_robin", round_robin},
                                       Word{"themis", themis},
                                       Word{"themis_flex", themis_flex},
                                       Word{"themis_published", themis_published},
                                       Word{"best", best}};
};
template <>
struct EnumNames<platform::IntraDimension> {
  using enum platform::IntraDimension;
  using Word = EnumName<platform::IntraDimension>;
  static constexpr std::array names = {
      Word{"fifo", fifo}, Word{"rg", rg}, Word{"smallest_first", smallest_first},
      Word{"less_remaining_phases_first", less_remaining_phases_first}};
};

}  // namespace orrery::config

namespace orrery::platform {

// Kinds of value that only these sections have.

/// "ring", or ["ring", "direct:4"], or {custom: prefix}. Empty: the default of each block.
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

/// true or false, or as in NCCL's environment: 0: no; 1: yes; 2: yes, if supported.
struct EnabledValue {
  bool is_enabled = false;

  explicit operator bool() const { return is_enabled; }
  friend bool operator==(const EnabledValue&, const EnabledValue&) = default;
};
void read_value(const Json& value, const std::string& path, const Limits&, EnabledValue& out,
                Reading& reading);
OrderedJson schema_of(Kind<EnabledValue>, const Limits&);
inline std::string about_kind(Kind<EnabledValue>, const Limits&) {
  return "`true` or `false`, or 0, 1 or 2 as in NCCL";
}
OrderedJson write_value(const EnabledValue& value);

/// A number of chunks, or "auto".
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

}  // namespace orrery::platform

namespace orrery::config {

/// Named like NCCL's environment variables.
template <>
struct ParameterTable<platform::LibrarySettings> {
  using Settings = platform::LibrarySettings;
  static constexpr auto fields = std::tuple{
      field("NCCL_ALGO", &Settings::algorithms,
            "allowed algorithms, e.g. `ring,tree`, or `^nvls` for all others; also per collective: "
            "`ring,nvls;allreduce:tree`"),
      field("NCCL_PROTO", &Settings::protocols, "allowed protocols: `ll`, `ll128`, `simple`"),
      field("NCCL_MIN_NCHANNELS", &Settings::min_channels,
            "minimum number of channels; 0: NCCL's default", between(0, 64)),
      field("NCCL_MAX_NCHANNELS", &Settings::max_channels,
            "maximum number of channels; 0: NCCL's default", between(0, 64)),
      field("NCCL_NVLS_ENABLE", &Settings::nvls, "NVLink SHARP, if the GPUs support it")
          .as<platform::EnabledValue>(),
      field("NCCL_COLLNET_ENABLE", &Settings::collnet, "switches of the network reduce (SHARP)")
          .as<platform::EnabledValue>(),
      field("NCCL_TUNER_CONFIG_FILE", &Settings::tuner,
            "choices of a tuner as CSV, in the format of NCCL's example plug-in; path relative to "
            "this file")
          .unset_by_default()};
};

}  // namespace orrery::config

namespace orrery::platform {

struct CollectivesSection {
  std::optional<CollectiveLibrary> library;
  std::optional<LibrarySettings> settings;
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
            "collective library: `nccl` (also for RCCL) uses its own choices and measured times; "
            "`ideal` uses the algorithms below at the full rate of the links")
          .by_default("nccl for GPUs of the catalog, if no key from `chunks` to `all_to_all` is "
                      "given and messages do not contend; else ideal"),
      field("settings", &CollectivesSection::settings, "settings of the library"),
      field("curves", &CollectivesSection::curves,
            "measured curves written by `orrery calibrate network`, path relative to this file; "
            "they take precedence over the built-in curves"),
      field("chunks", &CollectivesSection::chunks,
            "number of chunks of a collective; `auto`: for each collective the number that a model "
            "of chunks and dimensions predicts to be fastest",
            between(1, static_cast<double>(limits::kChunksPerCollective))),
      field("active_chunks", &CollectivesSection::active_chunks,
            "concurrent chunks in one dimension",
            between(1, static_cast<double>(limits::kChunksPerCollective))),
      field("queues_per_dim", &CollectivesSection::queues_per_dim,
            "independent queues per dimension", between(1, 1024)),
      field("policy", &CollectivesSection::policy,
            "order of waiting collectives; `priority`: by the priorities in the workload"),
      field("optimization", &CollectivesSection::optimization,
            "all-reduce over several dimensions: `local_bw_aware` reduce-scatters inwards and "
            "gathers outwards, `baseline` runs a complete all-reduce in each dimension"),
      field("order", &CollectivesSection::order,
            "order in which a chunk visits the dimensions; `themis` balances their loads (ISCA "
            "2022) like ASTRA-sim, `themis_published` like the paper, starting from their "
            "latencies, `themis_flex` also chooses chunk sizes; `best`: the fastest order found "
            "for each collective"),
      field("within", &CollectivesSection::within, "order of waiting chunks at a dimension")
          .by_default("smallest_first for order: best; else fifo"),
      field("all_reduce", &CollectivesSection::all_reduce, "algorithm of each dimension")
          .by_default(kByBlock),
      field("all_gather", &CollectivesSection::all_gather, "algorithm of each dimension")
          .by_default("as all_reduce, if possible"),
      field("reduce_scatter", &CollectivesSection::reduce_scatter, "algorithm of each dimension")
          .by_default("as all_reduce, if possible"),
      field("all_to_all", &CollectivesSection::all_to_all, "algorithm of each dimension")
          .by_default("by block: ring → ring, fully_connected → direct, switch → direct:1"),
      field("custom_by_node", &CollectivesSection::custom_by_node,
            "plans or Chakra traces that replace single collectives"),
      field("rendezvous", &CollectivesSection::rendezvous,
            "a message starts only after its receiver is ready")};
};

}  // namespace orrery::platform
