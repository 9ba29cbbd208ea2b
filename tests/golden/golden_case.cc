// SPDX-License-Identifier: Apache-2.0
#include "golden_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "orrery/platform/astra/astra.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/sim/simulate.h"
#include "orrery/trace/chakra/groups.h"
#include "orrery/trace/chakra/load.h"

namespace orrery::golden {

using nlohmann::json;

namespace {

json read_json(const std::string& path) { return json::parse(std::ifstream(path)); }

PerNpu expand(const json& runs) {
  PerNpu values;
  if (!runs.is_array()) return values;
  for (const json& run : runs) {
    const std::optional<std::int64_t> value =
        run[0].is_null() ? std::nullopt : std::optional(run[0].get<std::int64_t>());
    values.insert(values.end(), run[1].get<std::size_t>(), value);
  }
  return values;
}

std::string flag(const json& flags, const char* name, const char* otherwise) {
  if (!flags.contains(name)) return otherwise;
  return flags[name].is_string() ? flags[name].get<std::string>() : flags[name].dump();
}

Answer refused(const Error& error) { return {exit_code(error.code), {}, {}, to_string(error)}; }

platform::AstraInputs inputs_of(const json& golden, const std::string& folder) {
  const json flags = golden.value("flags", json::object());
  platform::AstraInputs inputs;
  inputs.system = folder + "/" + golden["system"].get<std::string>();
  inputs.network = folder + "/" + golden["network"].get<std::string>();
  inputs.memory = folder + "/" + golden["memory"].get<std::string>();
  inputs.model = golden["backend"] == "aware" ? platform::NetworkModelKind::message
                                              : platform::NetworkModelKind::analytical;
  inputs.queues_per_dim = std::stoll(flag(flags, "num-queues-per-dim", "1"));
  inputs.injection_scale = std::stod(flag(flags, "injection-scale", "1"));
  inputs.compute_scale = std::stod(flag(flags, "compute-scale", "1"));
  inputs.comm_scale = std::stod(flag(flags, "comm-scale", "1"));
  inputs.rendezvous = flag(flags, "rendezvous-protocol", "false") == "true";
  return inputs;
}

Result<graph::Workload> load(const json& golden, const std::string& folder, std::uint32_t npus) {
  const std::string prefix = folder + "/" + golden["workload"].get<std::string>();
  const bool replicate = golden.value("replicate_rank0", false);
  trace::chakra::LoadOptions options;
  options.ranks = replicate ? 1 : npus;
  auto workload = trace::chakra::load_workload(prefix, options);
  if (!workload) return workload;
  if (replicate) workload->graph_of_rank.assign(npus, 0);
  // Some cases only have the file, under its usual name.
  const std::string file = folder + "/" + golden.value("comm_group", "comm_group.json");
  if (golden.contains("comm_group") || std::filesystem::exists(file)) {
    auto groups = trace::chakra::read_groups(file);
    if (!groups) return tl::unexpected(groups.error());
    for (auto& [name, group] : *groups) workload->groups[name] = std::move(group);
  }
  return workload;
}

}  // namespace

std::vector<Case> list_cases(const std::string& folder) {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!std::filesystem::exists(path + "/case.json")) continue;
    Case golden;
    golden.name = entry.path().filename().string();
    golden.folder = path;
    if (!std::filesystem::exists(path + "/expected.json")) {
      cases.push_back(std::move(golden));
      continue;
    }
    const json expected = read_json(path + "/expected.json");
    golden.expected.exit_code = expected["rc"].is_number() ? expected["rc"].get<int>() : -1;
    golden.expected.finish = expand(expected.value("finish_cycles_rle", json()));
    golden.expected.exposed = expand(expected.value("exposed_comm_rle", json()));
    cases.push_back(std::move(golden));
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

Result<CaseInputs> read_inputs(const Case& golden) {
  const json description = read_json(golden.folder + "/case.json");
  Findings findings;
  auto platform = platform::read_astra(inputs_of(description, golden.folder), findings);
  if (!platform) return tl::unexpected(platform.error());
  auto workload =
      load(description, golden.folder, static_cast<std::uint32_t>(platform->npu_count()));
  if (!workload) return tl::unexpected(workload.error());
  return CaseInputs{*std::move(platform), *std::move(workload)};
}

Answer run_case(const Case& golden, bool fold) {
  const auto inputs = read_inputs(golden);
  if (!inputs) return refused(inputs.error());
  sim::Options options;
  options.fold = fold;
  const auto result = sim::simulate(inputs->workload, inputs->platform, options);
  if (!result) return refused(result.error());
  Answer answer;
  answer.representatives = result->savings.representatives;
  answer.unfolded_reason = result->savings.unfolded_reason;
  answer.exit_code = result->stall ? 4 : 0;
  if (result->stall && !result->stall->nodes.empty())
    answer.message = result->stall->nodes.front().why;
  for (const sim::RankResult& rank : result->ranks) {
    const bool done = rank.finish.has_value();
    answer.finish.push_back(done ? std::optional(rank.finish->count() / kPsPerNs) : std::nullopt);
    answer.exposed.push_back(done ? std::optional(rank.exposed_comm.count() / kPsPerNs)
                                  : std::nullopt);
  }
  return answer;
}

OrreryTimes run_with_orrery_rules(const Case& golden, platform::NetworkModelKind network,
                                  bool fabric) {
  auto inputs = read_inputs(golden);
  if (!inputs) return {{}, to_string(inputs.error())};
  platform::Platform& platform = inputs->platform;
  platform.rules = platform::Rules::orrery;
  platform.network = network;
  // Some files have latencies with parts of a picosecond, which no cluster file and no link has.
  for (platform::Dimension& dim : platform.dims)
    dim.latency_ns = std::round(dim.latency_ns * kPsPerNs) / kPsPerNs;
  if (fabric) {
    auto topology = platform::stack_dimensions(platform.dims, golden.name);
    if (!topology) return {{}, to_string(topology.error())};
    platform::Fabric made;
    made.rank_devices.assign(topology->devices().begin(), topology->devices().end());
    made.topology = *std::move(topology);
    platform.fabric = std::make_shared<const platform::Fabric>(std::move(made));
  }
  sim::Options options;
  options.fold = true;
  const auto result = sim::simulate(inputs->workload, platform, options);
  if (!result) return {{}, to_string(result.error())};
  OrreryTimes times;
  times.messages = result->messages;
  for (const sim::RankResult& rank : result->ranks)
    times.finish.push_back(rank.finish ? std::optional(rank.finish->count()) : std::nullopt);
  return times;
}

std::string difference(const Answer& expected, const Answer& actual) {
  if (actual.finish.empty()) {
    return fmt::format("reference exit {}, ours {}: {}", expected.exit_code, actual.exit_code,
                       actual.message);
  }
  if (expected.finish.size() != actual.finish.size()) {
    return fmt::format("{} NPUs instead of {}", actual.finish.size(), expected.finish.size());
  }
  const auto text = [](std::optional<std::int64_t> value) {
    return value ? std::to_string(*value) : "never";
  };
  for (std::size_t npu = 0; npu < expected.finish.size(); ++npu) {
    if (expected.finish[npu] == actual.finish[npu] && expected.exposed[npu] == actual.exposed[npu])
      continue;
    return fmt::format("NPU {}: finish {} instead of {}, exposed {} instead of {} {}", npu,
                       text(actual.finish[npu]), text(expected.finish[npu]),
                       text(actual.exposed[npu]), text(expected.exposed[npu]), actual.message);
  }
  return {};
}

}  // namespace orrery::golden
