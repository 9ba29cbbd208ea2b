// SPDX-License-Identifier: Apache-2.0
//
// Which jobs and clusters columns do not know.
#include "orrery/estimate/columns/columns.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/spec/data_policy.h"

namespace orrery::estimate {

std::string Columns::refusal(const study::Cluster& cluster, const workload::Spec& base) {
  const platform::Platform& platform = cluster.platform;
  const workload::Parallel& parallel = base.parallel;
  const workload::DataPolicy policy = workload::data_policy(base);
  const bool text = base.model.kind == workload::ModelKind::decoder ||
                    base.model.kind == workload::ModelKind::encoder;
  if (!text) return "its model is no stack of layers that are alike";
  if (platform.fabric != nullptr) return "its cluster is a fabric";
  if (platform.network != platform::NetworkModelKind::analytical)
    return "messages of its cluster are in each other's way";
  if (platform.device.expansion) return "its devices have memory beside their own";
  const workload::Offload& offload = base.offload;
  if (offload.optimizer || offload.weights || offload.activations > 0)
    return "it has memory beside devices";
  if (base.compat != workload::Compat::none) return "it counts as another generator does";
  if (parallel.order != workload::Parallel{}.order) return "its ranks are in another order";
  if (parallel.etp != 0 || parallel.ep_own_axis || parallel.shard_size != 0)
    return "experts or shards have axes of their own";
  if (base.model.moe && base.model.moe->imbalance > 1) return "its experts are not alike";
  if (!base.schedule.overlap || base.schedule.blocking_sends)
    return "computation waits for all communication";
  if (base.schedule.scatter_sends.value_or(false)) return "its stages send shares";
  if (!base.schedule.stage_layers.empty()) return "its layers are dealt out by hand";
  if (policy.splits_layers || policy.front_buckets || policy.overlap_weights ||
      policy.keep_gathered || policy.reduce_once)
    return "its framework sends gradients or weights in its own way";
  if (!policy.overlap_gradients) return "gradients wait for the last backward pass";
  return {};
}

}  // namespace orrery::estimate
