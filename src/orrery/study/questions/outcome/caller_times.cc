// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/caller_times.h"

#include <fmt/format.h>

#include <utility>

#include "orrery/core/models/network_names.h"
#include "orrery/study/questions/outcome/changed_times_network.h"

namespace orrery::study {

namespace {

void count(std::string_view name, std::string_view what, const model::CallerModels::Use& use,
           Findings& findings) {
  if (use.asked == 0) {
    findings.add(FindingCode::key_without_effect,
                 fmt::format("{}: the run predicts no times of {}", name, what));
  } else {
    findings.add(FindingCode::time_from_callable, fmt::format("{}: changed {} of {} distinct {}",
                                                              name, use.changed, use.asked, what));
  }
}

}  // namespace

Result<void> set_caller(std::shared_ptr<const model::CallerModels> caller, Cluster& cluster) {
  if (caller == nullptr) return {};
  const platform::NetworkModelKind network = cluster.platform.network;
  if (caller->changes_network()) {
    if (network != platform::NetworkModelKind::analytical)
      return fail(Errc::config_conflict, "network_time",
                  fmt::format("messages contend in the network model '{}', so that no message has "
                              "a time of its own",
                              network_model(network).name),
                  "use the network model 'analytical'");
    if (cluster.library != nullptr)
      cluster.library =
          std::make_shared<const model::LibraryTimes>(cluster.library->with_changed_times(
              [caller](graph::CollectiveType type, std::int64_t bytes,
                       const model::nccl::Shape& shape, Time predicted) {
                return caller->collective_time(graph::name(type), bytes,
                                               static_cast<std::uint32_t>(shape.ranks),
                                               static_cast<std::uint32_t>(shape.nodes), predicted);
              }));
  }
  cluster.caller = std::move(caller);
  return {};
}

sim::NetworkFactory caller_network(const Cluster& cluster) {
  if (cluster.caller == nullptr || !cluster.caller->changes_network()) return {};
  return [caller = cluster.caller](const platform::Platform& platform) {
    return std::make_unique<model::ChangedTimesNetwork>(
        model::make_network(platform), [caller](model::EndPoint from, model::EndPoint to,
                                                std::int64_t bytes, std::int64_t predicted) {
          return caller->message_time(from, to, bytes, predicted);
        });
  };
}

void count_caller_times(const Cluster& cluster, Findings& findings) {
  if (cluster.caller == nullptr) return;
  if (cluster.caller->changes_kernels())
    count("kernel_time", "kernels", cluster.caller->use_of_kernels(), findings);
  if (cluster.caller->changes_network())
    count("network_time", "messages and collectives", cluster.caller->use_of_network(), findings);
}

}  // namespace orrery::study
