// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/inner_operators.h"

#include <algorithm>

namespace orrery::bench {
namespace {

constexpr int kLevelsBetween = 16;

std::vector<RecordedTensor> defined_in(const std::vector<RecordedValue>& values) {
  std::vector<RecordedTensor> tensors;
  for_each_recorded_tensor(values, [&](const RecordedTensor& tensor) {
    if (tensor.defined && tensor.storage != 0) tensors.push_back(tensor);
  });
  return tensors;
}

}  // namespace

std::vector<RecordedTensor> argument_tensors(const profile::Profile& profile,
                                             profile::EventId event) {
  return defined_in(recorded_arguments(profile, event));
}

std::vector<RecordedTensor> result_tensors(const profile::Profile& profile,
                                           profile::EventId event) {
  return defined_in(recorded_results(profile, event));
}

std::vector<profile::EventId> nodes_by_id(const profile::Profile& profile) {
  std::vector<profile::EventId> nodes;
  for (profile::EventId e = 0; e < profile.events.size(); ++e)
    if (profile.node(e) != nullptr) nodes.push_back(e);
  std::sort(nodes.begin(), nodes.end(), [&](profile::EventId a, profile::EventId b) {
    const std::uint64_t left = profile.node(a)->id, right = profile.node(b)->id;
    return left != right ? left < right : a < b;
  });
  return nodes;
}

InnerOperators::InnerOperators(const profile::Profile& profile)
    : profile_(profile), called_(profile.events.size()) {
  std::vector<bool> seen(profile.events.size(), false);
  for (const profile::EventId e : nodes_by_id(profile)) {
    // Events that are only in the device trace may be between caller and callee. Later nodes cannot
    // be callers.
    profile::EventId caller = profile.events[e].parent;
    for (int i = 0; i < kLevelsBetween && caller != profile::kNoEvent && !seen[caller]; ++i)
      caller = profile.events[caller].parent;
    if (caller != profile::kNoEvent && seen[caller]) called_[caller].push_back(e);
    seen[e] = true;
  }
}

std::vector<RecordedTensor> InnerOperators::inner_results(profile::EventId event) const {
  std::vector<RecordedTensor> made;
  // No recursion, because a malicious recording may be deeply nested.
  std::vector<profile::EventId> open(called_[event].rbegin(), called_[event].rend());
  while (!open.empty()) {
    const profile::EventId e = open.back();
    open.pop_back();
    const std::vector<RecordedTensor> given = argument_tensors(profile_, e);
    for (RecordedTensor& tensor : result_tensors(profile_, e)) {
      const bool shared = std::any_of(given.begin(), given.end(), [&](const RecordedTensor& one) {
        return one.storage == tensor.storage;
      });
      if (!shared) made.push_back(std::move(tensor));
    }
    open.insert(open.end(), called_[e].rbegin(), called_[e].rend());
  }
  return made;
}

}  // namespace orrery::bench
