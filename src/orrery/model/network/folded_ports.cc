// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/network/folded_ports.h"

#include <algorithm>
#include <tuple>

#include "orrery/model/network/fabric.h"

namespace orrery::model {

using platform::Block;
using platform::LinkIndex;
using platform::Topology;

FoldedPorts::FoldedPorts(const platform::Platform& platform, const Ways& ways)
    : place_(ways.rank_count()) {
  if (platform.fabric == nullptr) {
    dims_ = platform.dims;
    const Fabric ports(platform);
    for (EndPoint rank = 0; rank < place_.size(); ++rank) place_[rank] = ports.port_class(rank);
    foldable_ = true;
    return;
  }
  const Topology& topology = ways.topology();
  if (!platform.fabric->faults.empty()) return;
  std::map<std::tuple<double, std::int64_t, double, std::int64_t>, std::uint32_t> kinds;
  platform::NodeIndex hub = 0;
  for (EndPoint rank = 0; rank < place_.size(); ++rank) {
    const platform::NodeIndex seat = platform.fabric->seats[rank];
    const auto [first, last] = topology.out(seat);
    if (last - first != 1 || topology.in(seat).size() != 1) return;
    const platform::Link &up = topology.link(first), &down = topology.link(topology.in(seat)[0]);
    if (rank == 0) hub = up.to;
    if (up.to != hub || down.from != hub || !platform::is_switch(topology.kind(hub))) return;
    const auto latency = [](const platform::Link& link) {
      return link.figures.latency.value_or(Time{}).count();
    };
    const auto next = static_cast<std::uint32_t>(kinds.size());
    place_[rank] =
        kinds.try_emplace({up.capacity(), latency(up), down.capacity(), latency(down)}, next)
            .first->second;
  }
  foldable_ = true;
}

// How far it is, in every dimension; through a switch it is as far to all.
std::uint32_t FoldedPorts::colour(EndPoint from, EndPoint to) const {
  if (from == to) return 0;
  if (dims_.empty()) return 1;
  std::uint32_t all = 0, stride = 1;
  for (const platform::Dimension& dim : dims_) {
    const auto size = static_cast<std::uint32_t>(dim.size);
    std::uint32_t apart = (to / stride % size + size - from / stride % size) % size;
    if (dim.block == Block::switched) apart = std::min(apart, 1U);
    all += apart * stride;
    stride *= size;
  }
  return all;
}

bool FoldedPorts::uniform() const {
  return foldable_ && std::all_of(place_.begin(), place_.end(),
                                  [&](std::uint32_t place) { return place == place_.front(); });
}

void FoldedPorts::fold(const std::vector<std::uint32_t>& class_of,
                       const std::vector<std::uint32_t>& members) {
  class_of_ = class_of;
  members_ = members;
  into_.clear();
}

std::optional<std::vector<MaxMin::Hop>> FoldedPorts::hops(const Send& message, const Route& way) {
  if (way.steps.empty() || way.steps.size() > 2) return std::nullopt;
  std::vector<MaxMin::Hop> made{{way.steps[0].link, 1}};
  if (way.steps.size() == 1) return made;  // the sender's own, in one direction of one dimension
  std::uint32_t stride = 1, dim = 0, crossed = 0;
  for (std::uint32_t d = 0; d < dims_.size(); ++d) {
    const auto size = static_cast<std::uint32_t>(dims_[d].size);
    if (message.from / stride % size != message.to / stride % size) {
      dim = d;
      ++crossed;
    }
    stride *= size;
  }
  if (!dims_.empty() && (crossed != 1 || dims_[dim].block != Block::switched)) return std::nullopt;
  const std::uint32_t group = class_of_[message.to];
  const LinkIndex into = into_.try_emplace({group, dim}, way.steps[1].link).first->second;
  made.push_back(
      {into, static_cast<double>(message.weight) / static_cast<double>(members_[group])});
  return made;
}

}  // namespace orrery::model
