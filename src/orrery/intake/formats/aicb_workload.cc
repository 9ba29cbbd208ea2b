// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/aicb_workload.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "orrery/graph/builder.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/window.h"

namespace orrery::intake {
namespace {

std::uint32_t size_of_group(const GroupSizes& sizes, AstraGroup group) {
  return sizes[static_cast<std::size_t>(group)];
}

/// The axes of a plan: the digits of a rank's number, tensor-parallel ranks first.
std::vector<graph::GroupAxis> axes_of(const AicbPlan& plan, const GroupSizes& sizes) {
  const auto axis = [&](AstraGroup group, std::uint32_t stride) {
    return graph::GroupAxis{std::string(name(group)),
                            {{.stride = stride, .count = size_of_group(sizes, group)}}};
  };
  return {axis(AstraGroup::tp, 1), axis(AstraGroup::dp, plan.tp), axis(AstraGroup::ep, plan.tp),
          axis(AstraGroup::dp_ep, plan.tp * plan.ep)};
}

/// A node as the builder takes it; empty if it is a collective among one rank, which `waits_for`
/// replaces: those that wait for it wait for its dependencies.
class NodeConverter {
 public:
  NodeConverter(graph::GraphBuilder& builder, const GroupSizes& sizes)
      : builder_(builder), sizes_(sizes) {}

  void add(const AstraNode& node) {
    spec_ = {};
    for (const std::uint64_t dep : node.record.data_deps) add_dep(dep);
    if (node.comm != nullptr && size_of_group(sizes_, node.comm->group) == 1) {
      replaced_[node.record.id] = spec_.deps;
      return;
    }
    spec_.id = node.record.id;
    spec_.name = builder_.strings().intern(node.record.name);
    spec_.kind = node.comm == nullptr ? graph::NodeKind::comp : graph::NodeKind::coll;
    spec_.duration = node.duration;
    if (node.comm != nullptr) set_collective(*node.comm);
    builder_.add(spec_);
  }

 private:
  void add_dep(std::uint64_t dep) {
    const auto replaced = replaced_.find(dep);
    if (replaced == replaced_.end())
      spec_.deps.push_back(dep);
    else
      spec_.deps.insert(spec_.deps.end(), replaced->second.begin(), replaced->second.end());
  }

  void set_collective(const AstraStep& step) {
    spec_.flags = graph::kHasCommType | graph::kHasCommSize;
    spec_.collective.type = static_cast<CollectiveType>(step.comm_type);
    const bool gathers = spec_.collective.type == CollectiveType::all_gather;
    const bool aicb = step.group != AstraGroup::all;
    spec_.collective.size = Bytes(
        gathers && aicb ? step.comm_size / size_of_group(sizes_, step.group) : step.comm_size);
    if (aicb) spec_.collective.group = builder_.strings().intern(name(step.group));
  }

  graph::GraphBuilder& builder_;
  const GroupSizes& sizes_;
  graph::NodeSpec spec_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> replaced_;
};

trace::Format format_of_file(const std::string& path) {
  const auto inputs = trace::inputs_in(path);
  return inputs && inputs->size() == 1 ? inputs->front().format : trace::Format::unknown;
}

bool is_aicb(const AstraWorkload& workload) {
  return workload.parallelism == Parallelism::transformer;
}

/// What the file cannot say of a pipeline.
void report_pipeline(const AicbPlan& plan, const std::string& path, Findings& findings) {
  if (plan.pp > 1)
    findings.add(FindingCode::attr_ignored,
                 fmt::format("{}:line 1: pp {}: the file has the layers of one stage, without "
                             "messages between stages",
                             path, plan.pp));
}

}  // namespace

bool is_astra_text_file(const std::string& path) {
  return format_of_file(path) == trace::Format::astra_text;
}

bool is_aicb_file(const std::string& path) {
  constexpr std::string_view kWord = "HYBRID_TRANSFORMER";
  if (!is_astra_text_file(path)) return false;
  auto file = trace::open_file(path);
  if (!file) return false;
  auto source = trace::decompress(*std::move(file), path);
  if (!source) return false;
  trace::Window window(**source);
  const auto enough = window.need(kWord.size());
  return enough && window.text().starts_with(kWord);
}

Result<GroupSizes> group_sizes(const AicbPlan& plan, std::uint32_t devices,
                               const std::string& where) {
  const std::uint32_t ranks = plan.ranks > 0 ? plan.ranks : devices;
  if (devices > 0 && ranks != devices)
    return fail(
        Errc::config_conflict, where,
        fmt::format("the workload has {} ranks, but the cluster has {} devices", ranks, devices),
        fmt::format("use a cluster of {} devices: --cluster h100-sxm:{}", ranks, ranks));
  if (ranks == 0)
    return fail(Errc::input_range, where + ":line 1", "the file does not state all_gpus",
                "give a cluster with --cluster");
  const std::uint64_t model = std::uint64_t{plan.tp} * plan.pp;
  if (ranks % model != 0)
    return fail(
        Errc::input_range, where + ":line 1",
        fmt::format("{} ranks are not a multiple of {} x {} (model_parallel_NPU_group x pp)", ranks,
                    plan.tp, plan.pp));
  const auto data = static_cast<std::uint32_t>(ranks / model);
  if (data % plan.ep != 0)
    return fail(Errc::input_range, where + ":line 1",
                fmt::format("{} data-parallel ranks are not a multiple of ep {}", data, plan.ep));
  return GroupSizes{ranks, plan.tp, data, plan.ep, data / plan.ep};
}

Result<graph::Workload> load_astra_text(const std::string& path, std::uint32_t devices) {
  graph::Workload workload;
  const AstraTextOptions options;
  const auto text = read_astra_text(path, options, workload.findings);
  if (!text) return tl::unexpected(text.error());
  const auto sizes = group_sizes(text->plan, devices, path);
  if (!sizes) return tl::unexpected(sizes.error());
  report_pipeline(text->plan, path, workload.findings);
  graph::GraphBuilder builder(path, std::make_shared<StringPool>(), graph::Repair::refuse);
  NodeConverter converter(builder, *sizes);
  const auto nodes = astra_nodes(*text, options, [&](const AstraNode& node) -> Result<void> {
    converter.add(node);
    return {};
  });
  if (!nodes) return tl::unexpected(nodes.error());
  auto graph = std::move(builder).finish(workload.findings);
  if (!graph) return tl::unexpected(graph.error());
  workload.graphs = {std::make_shared<const graph::Graph>(*std::move(graph))};
  workload.graph_of_rank.assign(sizes->front(), 0);
  workload.files.assign(sizes->front(), path);
  if (is_aicb(*text))
    for (graph::GroupAxis& axis : axes_of(text->plan, *sizes))
      workload.axes.emplace(axis.name, std::move(axis));
  return workload;
}

Result<AicbCount> count_aicb(const std::string& path, std::uint32_t devices, Findings& findings) {
  const auto text = read_astra_text(path, {}, findings);
  if (!text) return tl::unexpected(text.error());
  if (!is_aicb(*text))
    return fail(Errc::input_unsupported, path, "is not a workload of AICB",
                "'orrery run' simulates workloads of ASTRA-sim 1.0");
  const auto sizes = group_sizes(text->plan, devices, path);
  if (!sizes) return tl::unexpected(sizes.error());
  report_pipeline(text->plan, path, findings);
  AicbCount count{.plan = text->plan};
  count.plan.ranks = sizes->front();
  count.data_parallel = size_of_group(*sizes, AstraGroup::dp);
  count.layers = static_cast<std::int64_t>(text->layers.size());
  std::map<std::pair<AstraGroup, CollectiveType>, AicbCount::Traffic> traffic;
  for (const AstraLayer& layer : text->layers) {
    count.forward = saturating_sum(count.forward, layer.forward.duration);
    count.input_gradient = saturating_sum(count.input_gradient, layer.input_gradient.duration);
    count.weight_gradient = saturating_sum(count.weight_gradient, layer.weight_gradient.duration);
    for (const AstraStep* step : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if (step->comm_type < 0) continue;
      const auto type = static_cast<CollectiveType>(step->comm_type);
      AicbCount::Traffic& of = traffic[{step->group, type}];
      of.group = step->group;
      of.type = type;
      of.group_size = size_of_group(*sizes, step->group);
      ++of.operations;
      if (__builtin_add_overflow(of.bytes, step->comm_size, &of.bytes))
        of.bytes = std::numeric_limits<std::int64_t>::max();
    }
  }
  for (const auto& [key, of] : traffic) count.traffic.push_back(of);
  return count;
}

}  // namespace orrery::intake
