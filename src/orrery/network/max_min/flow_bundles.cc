// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/max_min/flow_bundles.h"

namespace orrery::model {

void FlowBundles::add_to_bundle(std::uint32_t number, std::uint32_t bundle) {
  if (number >= flows_.size()) flows_.resize(number + std::size_t{1});
  Bundle& members = bundles_[bundle];
  flows_[number] = {bundle, members.first, kNone};
  if (members.first != kNone) flows_[members.first].previous = number;
  members.first = number;
  ++members.count;
}

// Defers the update of the solver to the next solve, because several flows may join and leave.
void FlowBundles::mark_resized(std::uint32_t bundle) {
  if (std::exchange(bundles_[bundle].resized, true)) return;
  resized_.push_back(bundle);
}

bool FlowBundles::join(std::uint32_t flow, std::uint32_t route) {
  if (route >= bundle_of_route_.size() || bundle_of_route_[route] == kNone) return false;
  add_to_bundle(flow, bundle_of_route_[route]);
  mark_resized(bundle_of_route_[route]);
  new_flows_.push_back(flow);
  return true;
}

void FlowBundles::add(std::uint32_t flow, std::uint32_t route, std::span<const MaxMin::Hop> hops,
                      double cap) {
  const std::uint32_t bundle = solver_.add(hops, cap);
  if (bundle >= bundles_.size()) bundles_.resize(bundle + std::size_t{1});
  bundles_[bundle] = {.route = route, .weight = 1};
  add_to_bundle(flow, bundle);
  if (route == kNone) return;
  if (route >= bundle_of_route_.size()) bundle_of_route_.resize(route + std::size_t{1}, kNone);
  bundle_of_route_[route] = bundle;
}

void FlowBundles::remove(std::uint32_t number) {
  const Flow flow = flows_[number];
  Bundle& bundle = bundles_[flow.bundle];
  if (flow.next != kNone) flows_[flow.next].previous = flow.previous;
  (flow.previous != kNone ? flows_[flow.previous].next : bundle.first) = flow.next;
  flows_[number].bundle = kNone;
  --bundle.count;
  mark_resized(flow.bundle);
}

void FlowBundles::update_weights() {
  for (const std::uint32_t number : resized_) {
    Bundle& bundle = bundles_[number];
    bundle.resized = false;
    if (bundle.count == 0) {
      solver_.remove(number);
      if (bundle.route != kNone) bundle_of_route_[bundle.route] = kNone;
    } else if (bundle.count != bundle.weight) {
      solver_.set_weight(number, bundle.count);
      bundle.weight = bundle.count;
    }
  }
  resized_.clear();
}

std::span<const std::uint32_t> FlowBundles::solve() {
  update_weights();
  changed_flows_.clear();
  for (const std::uint32_t number : solver_.solve()) {
    for (std::uint32_t flow = bundles_[number].first; flow != kNone; flow = flows_[flow].next)
      changed_flows_.push_back(flow);
  }
  for (const std::uint32_t flow : new_flows_) {
    if (flows_[flow].bundle != kNone) changed_flows_.push_back(flow);
  }
  new_flows_.clear();
  return changed_flows_;
}

}  // namespace orrery::model
