// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/group_demand.h"

namespace orrery::synthesis {

using graph::CollectiveType;

bool is_bounded(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_reduce:
    case CollectiveType::all_to_all:
    case CollectiveType::broadcast:
    case CollectiveType::reduce:
    case CollectiveType::barrier:
      return true;
    default:
      return false;
  }
}

double bytes_leaving(const GroupDemand& demand, std::int64_t inside, bool root_inside) {
  const std::int64_t outside = demand.ranks - inside;
  if (inside == 0 || outside == 0) return 0;
  const auto n = static_cast<double>(demand.bytes), shard = static_cast<double>(demand.shard);
  switch (demand.type) {
    case CollectiveType::all_gather:
      return shard * static_cast<double>(inside);
    case CollectiveType::reduce_scatter:
      return shard * static_cast<double>(outside);
    case CollectiveType::all_to_all: {
      if (!demand.exchange)
        return shard * static_cast<double>(inside) * static_cast<double>(outside);
      const graph::ExpertExchange& tokens = demand.exchange;
      const std::int64_t owners = tokens.is_combine() ? outside : inside;
      const double there = static_cast<double>(tokens.experts) *
                           static_cast<double>(demand.ranks - owners) /
                           static_cast<double>(demand.ranks);
      return static_cast<double>(owners) * n / tokens.top_k *
             graph::probability_any_expert_reached(there, tokens.top_k, tokens.experts);
    }
    case CollectiveType::all_reduce:
      return n;
    case CollectiveType::broadcast:
      return root_inside ? n : 0;
    case CollectiveType::reduce:
      return root_inside ? 0 : n;
    default:
      return 0;
  }
}

}  // namespace orrery::synthesis
