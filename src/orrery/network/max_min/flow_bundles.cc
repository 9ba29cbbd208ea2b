// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/max_min/flow_bundles.h"

namespace orrery::model {

void FlowBundles::enter(std::uint32_t number, std::uint32_t bundle) {
  if (number >= flows_.size()) flows_.resize(number + std::size_t{1});
  Bundle& its = bundles_[bundle];
  flows_[number] = {bundle, its.first, kNone};
  if (its.first != kNone) flows_[its.first].previous = number;
  its.first = number;
  ++its.count;
}

// Several may come and go before the solver has to know.
void FlowBundles::resize(std::uint32_t bundle) {
  if (std::exchange(bundles_[bundle].resized, true)) return;
  resized_.push_back(bundle);
}

bool FlowBundles::join(std::uint32_t flow, std::uint32_t way) {
  if (way >= of_way_.size() || of_way_[way] == kNone) return false;
  enter(flow, of_way_[way]);
  resize(of_way_[way]);
  newcomers_.push_back(flow);
  return true;
}

void FlowBundles::add(std::uint32_t flow, std::uint32_t way, std::span<const MaxMin::Hop> hops,
                      double cap) {
  const std::uint32_t bundle = solver_.add(hops, cap);
  if (bundle >= bundles_.size()) bundles_.resize(bundle + std::size_t{1});
  bundles_[bundle] = {.way = way, .weight = 1};
  enter(flow, bundle);
  if (way == kNone) return;
  if (way >= of_way_.size()) of_way_.resize(way + std::size_t{1}, kNone);
  of_way_[way] = bundle;
}

void FlowBundles::remove(std::uint32_t number) {
  const Flow flow = flows_[number];
  Bundle& bundle = bundles_[flow.bundle];
  if (flow.next != kNone) flows_[flow.next].previous = flow.previous;
  (flow.previous != kNone ? flows_[flow.previous].next : bundle.first) = flow.next;
  flows_[number].bundle = kNone;
  --bundle.count;
  resize(flow.bundle);
}

void FlowBundles::tell_solver() {
  for (const std::uint32_t number : resized_) {
    Bundle& bundle = bundles_[number];
    bundle.resized = false;
    if (bundle.count == 0) {
      solver_.remove(number);
      if (bundle.way != kNone) of_way_[bundle.way] = kNone;
    } else if (bundle.count != bundle.weight) {
      solver_.set_weight(number, bundle.count);
      bundle.weight = bundle.count;
    }
  }
  resized_.clear();
}

std::span<const std::uint32_t> FlowBundles::solve() {
  tell_solver();
  changed_flows_.clear();
  for (const std::uint32_t number : solver_.solve()) {
    for (std::uint32_t flow = bundles_[number].first; flow != kNone; flow = flows_[flow].next)
      changed_flows_.push_back(flow);
  }
  for (const std::uint32_t flow : newcomers_) {
    if (flows_[flow].bundle != kNone) changed_flows_.push_back(flow);
  }
  newcomers_.clear();
  return changed_flows_;
}

}  // namespace orrery::model
