// SPDX-License-Identifier: Apache-2.0
//
// Ops that are asked about one by one.
#include <algorithm>

#include "orrery/estimate/program/op_costs.h"
#include "orrery/estimate/program/op_costs_internal.h"
#include "orrery/model/network/network.h"

namespace orrery::estimate {

using workload::Op;
using workload::Program;

bool crosses_stages(const workload::Program& program, workload::Axis axis) {
  const auto& mesh = program.mesh;
  const std::uint32_t stages = mesh.size(workload::Dim::pp);
  if (stages == 1) return false;
  const std::uint32_t stride = mesh.stride(workload::Dim::pp);
  for (const auto& digit : mesh.axis(axis).digits)
    if (digit.stride == stride && digit.count > 1) return true;
  return false;
}

Result<std::vector<OpCosts::Cost>> OpCosts::alone(const Program& program,
                                                  const std::vector<Op>& ops) {
  std::vector<std::vector<Op>> chain(program.roles.size());
  std::vector<std::string> keys, new_keys;
  for (const Op& op : ops) {
    keys.push_back(key(program, op));
    if (known_.contains(keys.back())) continue;
    if (std::find(new_keys.begin(), new_keys.end(), keys.back()) != new_keys.end()) continue;
    if (op.kind == graph::NodeKind::coll && crosses_stages(program, op.axis)) {
      std::vector<std::vector<Op>> together(program.roles.size());
      const std::uint32_t stride = program.mesh.stride(workload::Dim::pp);
      for (std::uint32_t stage = 0; stage < together.size(); ++stage)
        if (program.mesh.axis(op.axis).has(stage * stride)) together[stage] = {op};
      if (auto done = take_times(program, together, {keys.back()}); !done)
        return tl::unexpected(done.error());
      continue;
    }
    chain.front().push_back(op);
    new_keys.push_back(keys.back());
  }
  if (!new_keys.empty())
    if (auto done = take_times(program, chain, new_keys); !done)
      return tl::unexpected(done.error());
  std::vector<Cost> costs;
  for (const std::string& its : keys) costs.push_back(known_.at(its));
  return costs;
}

Result<double> OpCosts::taken(const Program& program, const Op& collective, const Op& kernel) {
  const std::string its = key(program, collective);
  const std::string both = its + "&" + key(program, kernel);
  if (const auto known = known_shares_.find(both); known != known_shares_.end())
    return known->second;
  std::vector<std::vector<Op>> by_role(program.roles.size());
  by_role.front() = {collective};
  const auto share = taken_from(program, by_role, its, kernel);
  if (share) known_shares_.emplace(both, *share);
  return share;
}

std::int64_t OpCosts::message(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const {
  return network_->alone(from, to, bytes);
}

}  // namespace orrery::estimate
