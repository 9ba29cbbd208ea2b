// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/inputs/input_check.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/topology/formats/read_topology.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

namespace {

/// Checks the files of kernel models that the cluster names.
void check_kernel_files(const Question& question, const platform::Platform& platform,
                        InputCheck& checked) {
  for (const KernelFileEntry& row : kKernelFileTable) {
    auto file = read_device_kernel_file(row, question, platform, checked.findings);
    if (!file) {
      checked.errors.push_back(file.error());
    } else if (file->model) {
      checked.passed.push_back({std::string(row.label), std::move(file->about)});
    }
  }
}

std::string network_words(const platform::Platform& platform) {
  const std::string devices = format_count(platform.npu_count());
  if (platform.fabric == nullptr)
    return fmt::format("{} devices, {} network dimension{}", devices, platform.dims.size(),
                       platform.dims.size() == 1 ? "" : "s");
  const platform::Topology& topology = platform.fabric->topology;
  return fmt::format("{} devices on a fabric of {} nodes and {} links", devices,
                     format_count(topology.node_count()), format_count(topology.link_count()));
}

/// Checks the cluster and the files that it names; returns its number of devices.
std::uint32_t check_cluster(const Question& question, InputCheck& checked) {
  auto read = read_platform(question, checked.findings);
  if (!read) {
    checked.errors.push_back(read.error());
    return 0;
  }
  const auto devices = static_cast<std::uint32_t>(read->npu_count());
  checked.passed.push_back({"cluster", network_words(*read)});
  check_kernel_files(question, *read, checked);
  checked.cluster = *std::move(read);
  return devices;
}

/// Checks a cluster or a fabric given as workload. Returns false if it is neither.
bool check_machine(const Question& question, InputCheck& checked) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(question.workload, ignored)) return false;
  const auto text = platform::read_fabric_text(question.workload);
  if (!text) return false;
  const platform::TopologyFormat format = platform::topology_format(*text);
  const platform::TopologyFormatInfo& known = platform::describe(format);
  if (format == platform::TopologyFormat::unknown) return false;
  if (question.astra() || !question.cluster.empty()) {
    checked.errors.push_back({Errc::input_unsupported, question.workload,
                              fmt::format("{}: not a workload", known.name),
                              "check it separately, or give the workload"});
  } else if (format == platform::TopologyFormat::cluster) {
    Question machine = question;
    std::swap(machine.workload, machine.cluster);
    (void)check_cluster(machine, checked);
  } else if (const auto fabric =
                 platform::read_topology(*text, question.workload, checked.findings)) {
    checked.passed.push_back({"fabric", fmt::format("{}: {} nodes and {} links", known.name,
                                                    format_count(fabric->node_count()),
                                                    format_count(fabric->link_count()))});
  } else {
    checked.errors.push_back(fabric.error());
  }
  return true;
}

}  // namespace

InputCheck check(const Question& question, Watch& watch) {
  InputCheck checked;
  std::optional<platform::Platform>& platform = checked.cluster;
  std::uint32_t ranks = 0;
  if (question.astra() || !question.cluster.empty()) ranks = check_cluster(question, checked);
  if (question.workload.empty() && question.recorded.traces.empty()) return checked;
  auto workload = read_workload(question, ranks, watch);
  if (!workload) {
    if (!check_machine(question, checked)) checked.errors.push_back(workload.error());
    return checked;
  }
  std::uint64_t nodes = 0;
  for (const std::uint32_t index : workload->graph_of_rank)
    nodes += workload->graphs[index]->size();
  checked.passed.push_back(
      {"workload",
       fmt::format("{} rank{}, {} nodes, {} process groups", format_count(workload->rank_count()),
                   workload->rank_count() == 1 ? "" : "s",
                   format_count(static_cast<std::int64_t>(nodes)), workload->groups.size())});
  if (platform) {
    if (auto sizes = check_sizes(question, *platform); !sizes)
      checked.errors.push_back(sizes.error());
    if (auto custom = read_custom_collectives(question, *platform, *workload); !custom) {
      checked.errors.push_back(custom.error());
    }
  }
  checked.findings.merge(workload->findings);
  checked.consistency = analysis::check_consistency(*workload);
  if (checked.consistency.count == 0) {
    checked.passed.push_back({"ranks", "groups, collectives and messages are consistent"});
  }
  return checked;
}

}  // namespace orrery::study
