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
  const profile::Node& node = *profile.node(event);
  return defined_in(
      read_recorded_values({profile.texts.view(node.inputs), profile.string(node.input_shapes),
                            profile.string(node.input_types), profile.string(node.input_strides)}));
}

std::vector<RecordedTensor> result_tensors(const profile::Profile& profile,
                                           profile::EventId event) {
  const profile::Node& node = *profile.node(event);
  return defined_in(read_recorded_values(
      {profile.texts.view(node.outputs), profile.string(node.output_shapes),
       profile.string(node.output_types), profile.string(node.output_strides)}));
}

InnerOperators::InnerOperators(const profile::Profile& profile)
    : profile_(profile), called_(profile.events.size()) {
  std::vector<profile::EventId> nodes;
  for (profile::EventId e = 0; e < profile.events.size(); ++e)
    if (profile.node(e) != nullptr) nodes.push_back(e);
  std::sort(nodes.begin(), nodes.end(), [&](profile::EventId a, profile::EventId b) {
    const std::uint64_t left = profile.node(a)->id, right = profile.node(b)->id;
    return left != right ? left < right : a < b;
  });
  std::vector<bool> seen(profile.events.size(), false);
  for (const profile::EventId e : nodes) {
    // What only the device trace has stands between some; what comes later has called nothing.
    profile::EventId caller = profile.events[e].parent;
    for (int i = 0; i < kLevelsBetween && caller != profile::kNoEvent && !seen[caller]; ++i)
      caller = profile.events[caller].parent;
    if (caller != profile::kNoEvent && seen[caller]) called_[caller].push_back(e);
    seen[e] = true;
  }
}

std::vector<RecordedTensor> InnerOperators::inner_results(profile::EventId event) const {
  std::vector<RecordedTensor> made;
  // Recordings may be made to do harm: no recursion.
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
