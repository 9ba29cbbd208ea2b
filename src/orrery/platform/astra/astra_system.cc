// SPDX-License-Identifier: Apache-2.0
//
// ASTRA-sim's system JSON: its keys, its defaults, and what it leaves uninitialized.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "orrery/config/json.h"
#include "orrery/config/key_reader.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/astra/astra_files.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

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

constexpr std::int64_t kLargestInt = 2147483647;
constexpr std::int64_t kDefaultEndpointDelay = 10;  // ns

constexpr Named<SchedulingPolicy> kPolicies[] = {{"LIFO", SchedulingPolicy::lifo},
                                                 {"FIFO", SchedulingPolicy::fifo},
                                                 {"EXPLICIT", SchedulingPolicy::explicit_priority}};
constexpr Named<CollectiveOptimization> kOptimizations[] = {
    {"baseline", CollectiveOptimization::baseline},
    {"localBWAware", CollectiveOptimization::local_bw_aware}};
constexpr Named<InterDimension> kInterDimension[] = {
    {"baseline", InterDimension::ascending},
    {"ascending", InterDimension::ascending},
    {"roundRobin", InterDimension::round_robin},
    {"themis", InterDimension::themis},
    {"offlineGreedy", InterDimension::themis},
    {"offlineGreedyFlex", InterDimension::themis_flex}};
constexpr Named<IntraDimension> kIntraDimension[] = {
    {"FIFO", IntraDimension::fifo},
    {"RG", IntraDimension::rg},
    {"smallestFirst", IntraDimension::smallest_first},
    {"lessRemainingPhasesFirst", IntraDimension::less_remaining_phases_first},
    {"lessRemainingPhaseFirst", IntraDimension::less_remaining_phases_first}};

/// ASTRA-sim 1.0 keys that 2.x ignores: an unknown value cannot stop a run that the reference would
/// do.
template <class Value>
Value dormant_choice(KeyReader& keys, std::string_view key, Value fallback,
                     std::span<const Named<Value>> names, Findings& findings) {
  if (!keys.has(key)) return fallback;
  const std::string word = keys.text(key, {});
  for (const Named<Value>& known : names) {
    if (known.name == word) return known.value;
  }
  findings.add(FindingCode::key_ignored, fmt::format("{} ({})", keys.place(key), in_quotes(word)));
  return fallback;
}

template <class Value>
Value assumed_choice(KeyReader& keys, std::string_view key, Value fallback,
                     std::span<const Named<Value>> names, Findings& findings) {
  if (!keys.has(key)) findings.add(FindingCode::default_assumed, keys.place(key));
  return keys.choice<Value>(key, fallback, names);
}

/// A relative prefix is tried from the current folder, as the reference does, then from the system
/// file's own.
std::string found_from(const std::string& path, const std::string& suffix,
                       const std::string& system) {
  namespace fs = std::filesystem;
  std::error_code status;
  if (path.empty() || path.front() == '/' || fs::exists(path + suffix, status)) return path;
  const std::string next_to_system = (fs::path(system).parent_path() / path).string();
  return fs::exists(next_to_system + suffix, status) ? next_to_system : path;
}

CollectivePlan read_plan(KeyReader& keys, const std::string& collective, const AstraInputs& inputs,
                         const Platform& platform) {
  CollectivePlan plan;
  const std::string key = collective + "-implementation";
  const std::vector<std::string> names = keys.texts(key);
  if (names.size() > platform.dims.size()) {
    keys.fail(Errc::config_conflict, keys.place(key),
              fmt::format("lists {} algorithms for a network of {} dimension{}", names.size(),
                          platform.dims.size(), platform.dims.size() == 1 ? "" : "s"),
              "give at most one algorithm per dimension");
    return plan;
  }
  for (std::size_t d = 0; d < names.size(); ++d) {
    const std::optional<AlgorithmSpec> spec = astra_algorithm(names[d]);
    if (!spec) {
      std::vector<std::string_view> allowed;
      for (const AlgorithmName& known : algorithm_names(true)) allowed.emplace_back(known.name);
      const std::string near = did_you_mean(names[d], allowed);
      keys.fail(Errc::config_range, pointer(keys.place(key), d),
                fmt::format("{} is not one of {} ({} can have a window, such as direct4)",
                            in_quotes(names[d]), join(allowed), join(window_names(true), " and ")),
                near);
      return plan;
    }
    plan.per_dim.push_back(*spec);
  }
  const std::string custom_key = key + "-custom";
  if (!keys.has(custom_key)) return plan;
  const std::vector<std::string> custom = keys.texts(custom_key);
  if (custom.size() != 1 || custom.front().empty()) {
    keys.fail(Errc::config_range, keys.place(custom_key),
              fmt::format("lists {} prefixes, but must list one", custom.size()));
    return plan;
  }
  plan.custom_prefix = found_from(custom.front(), ".0.et", inputs.system);
  return plan;
}

void read_custom_by_node(KeyReader& keys, const AstraInputs& inputs, Platform& platform) {
  constexpr std::string_view kKey = "per-node-custom-implementation";
  if (!keys.has(kKey)) return;
  const std::string path = found_from(keys.text(kKey, {}), "", inputs.system);
  if (keys.error()) return;
  const Result<std::string> text = read_text(path);
  if (!text) {
    keys.fail(text.error().code, keys.place(kKey),
              fmt::format("{}: {}", in_quotes(path), text.error().what), text.error().hint);
    return;
  }
  Result<std::map<std::uint64_t, std::string>> nodes = parse_custom_by_node(*text, path);
  if (!nodes) {
    keys.fail(nodes.error().code, nodes.error().where, nodes.error().what, nodes.error().hint);
    return;
  }
  for (auto& [node, prefix] : *nodes) {
    platform.collectives.custom_by_node[node] = found_from(prefix, ".0.et", inputs.system);
  }
}

void read_collectives(KeyReader& keys, const AstraInputs& inputs, Platform& platform,
                      Findings& findings) {
  CollectiveConfig& config = platform.collectives;
  config.policy = assumed_choice<SchedulingPolicy>(keys, "scheduling-policy",
                                                   SchedulingPolicy::lifo, kPolicies, findings);
  config.optimization = assumed_choice<CollectiveOptimization>(
      keys, "collective-optimization", CollectiveOptimization::baseline, kOptimizations, findings);
  config.inter_dimension = dormant_choice<InterDimension>(
      keys, "inter-dimension-scheduling", InterDimension::ascending, kInterDimension, findings);
  config.intra_dimension = dormant_choice<IntraDimension>(
      keys, "intra-dimension-scheduling", IntraDimension::fifo, kIntraDimension, findings);
  const auto maximum = static_cast<std::int64_t>(limits::kChunksPerCollective);
  config.splits = keys.integer("preferred-dataset-splits", 0, 0, maximum);
  if (!keys.has("preferred-dataset-splits")) {
    findings.add(FindingCode::default_assumed, keys.place("preferred-dataset-splits"));
  }
  config.active_chunks = keys.integer("active-chunks-per-dimension", 1, 1, kLargestInt);
  config.queues_per_dim = inputs.queues_per_dim;
  config.rendezvous = inputs.rendezvous;

  const std::int64_t delay = keys.integer("endpoint-delay", kDefaultEndpointDelay, 0, kLargestInt);
  const double scaled = keys.has("endpoint-delay")
                            ? std::trunc(static_cast<double>(delay) * inputs.injection_scale)
                            : static_cast<double>(delay);
  if (scaled > static_cast<double>(kLargestInt)) {
    keys.fail(Errc::config_range, keys.place("endpoint-delay"),
              "times the injection scale is too large");
  } else {
    config.endpoint_delay = ns(static_cast<std::int64_t>(scaled));
  }

  config.all_reduce = read_plan(keys, "all-reduce", inputs, platform);
  config.all_gather = read_plan(keys, "all-gather", inputs, platform);
  config.reduce_scatter = read_plan(keys, "reduce-scatter", inputs, platform);
  config.all_to_all = read_plan(keys, "all-to-all", inputs, platform);
  read_custom_by_node(keys, inputs, platform);
}

void read_device(KeyReader& keys, Platform& platform, Findings& findings) {
  platform.device.memory = Bandwidth(keys.number("local-mem-bw", 0) * 1e9);
  platform.device.peak = FlopRate(keys.number("peak-perf", 0) * 1e12);
  platform.device.rated = platform.device.peak;
  const bool roofline = keys.flag("roofline-enabled");
  platform.device.compute = roofline ? TimeSource::roofline : TimeSource::recorded;
  platform.replay_only = keys.flag("replay-only");
  platform.track_local_memory = keys.flag("track-local-mem");
  (void)keys.text("local-mem-trace-filename", {});
  if (!std::isfinite(platform.device.memory.count())) {
    keys.fail(Errc::config_range, keys.place("local-mem-bw"), "is too large");
  }
  if (!std::isfinite(platform.device.peak.count()))
    keys.fail(Errc::config_range, keys.place("peak-perf"), "is too large");
  if (keys.flag("trace-enabled"))
    findings.add(FindingCode::key_without_effect, keys.place("trace-enabled"));
  for (const std::string_view key : {"local-mem-bw", "peak-perf"}) {
    if (roofline && !keys.has(key)) {
      // 0 in the reference; a compute node then has no time, which is the simulator's to refuse.
      findings.add(FindingCode::default_assumed, keys.place(key));
    }
  }
}

void read_shared_bus(KeyReader& keys, Platform& platform) {
  SharedBus bus;
  bus.L = keys.integer("L", 0, 0, kLargestInt);
  bus.o = keys.integer("o", 0, 0, kLargestInt);
  bus.g = keys.integer("g", 0, 0, kLargestInt);
  bus.G = keys.number("G", 0);
  if (bus.G > 1e6) keys.fail(Errc::config_range, keys.place("G"), "is above 1e6 ns per byte");
  bus.reduction_delay = keys.integer("local-reduction-delay", 1, 0, kLargestInt);
  if (keys.flag("model-shared-bus")) platform.shared_bus = bus;
}

Result<void> check_flags(const AstraInputs& inputs, Findings& findings) {
  if (inputs.queues_per_dim < 1 || inputs.queues_per_dim > 1'000'000) {
    return fail(Errc::config_range, "--num-queues-per-dim", "must be from 1 to 1000000");
  }
  if (!(inputs.injection_scale >= 0 && std::isfinite(inputs.injection_scale))) {
    return fail(Errc::config_range, "--injection-scale", "must be a number that is not negative");
  }
  if (inputs.compute_scale != 1.0) findings.add(FindingCode::key_without_effect, "--compute-scale");
  if (inputs.comm_scale != 1.0) findings.add(FindingCode::key_without_effect, "--comm-scale");
  return {};
}

}  // namespace

std::optional<AlgorithmSpec> astra_algorithm(std::string_view name) {
  for (const AlgorithmName& known : algorithm_names(true)) {
    if (known.name == name) return known.spec;
  }
  for (const AlgorithmName& known : algorithm_names(true)) {
    if (!entry(known.spec.algorithm).window || !name.starts_with(known.name)) continue;
    const auto window = whole_number(name.substr(known.name.size()));
    if (!window || *window < 1 || *window > kLargestInt) continue;
    return AlgorithmSpec{known.spec.algorithm, static_cast<std::int64_t>(*window),
                         known.spec.joined};
  }
  return std::nullopt;
}

Result<std::map<std::uint64_t, std::string>> parse_custom_by_node(std::string_view text,
                                                                  const std::string& where) {
  const Result<Json> tree = parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  if (!tree->is_object()) {
    return fail(Errc::config_type, where,
                fmt::format("is {}, but must be \"node id: prefix\" pairs", json_kind(*tree)));
  }
  std::map<std::uint64_t, std::string> nodes;
  for (const auto& [key, value] : tree->items()) {
    const auto id = whole_number(key);
    const std::string place = where + ":" + pointer("", key);
    if (!id) {
      return fail(Errc::config_type, place, "the key must be a node id, a whole number");
    }
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
      return fail(Errc::config_type, place,
                  fmt::format("is {}, but must be a trace prefix", json_kind(value)));
    }
    nodes[*id] = value.get<std::string>();
  }
  return nodes;
}

Result<void> apply_system(std::string_view text, const AstraInputs& inputs, Platform& platform,
                          Findings& findings) {
  if (const Result<void> flags = check_flags(inputs, findings); !flags) return flags;
  const Result<Json> tree = as_mapping(parse_json(text, inputs.system), inputs.system);
  if (!tree) return tl::unexpected(tree.error());
  KeyReader keys(*tree, inputs.system);
  read_collectives(keys, inputs, platform, findings);
  read_device(keys, platform, findings);
  read_shared_bus(keys, platform);
  if (keys.error()) return tl::unexpected(*keys.error());
  keys.report_unread(findings);
  return {};
}

}  // namespace orrery::platform
