// SPDX-License-Identifier: Apache-2.0
//
// Finds the writers of the tensors that an operator reads, from execution traces. On one thread the
// order implies them; therefore only operators of other threads are connected.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "orrery/profile/dependencies/draft.h"
#include "orrery/profile/tensors.h"

namespace orrery::profile::draft {

void connect_tensors(DependencyDraft& draft) {
  const Profile& profile = draft.profile;
  std::vector<std::pair<std::uint64_t, NodePosition>> by_id;  // ids ascend with time
  for (NodePosition place = 0; place < draft.nodes.size(); ++place) {
    if (const Node* node = profile.node(draft.nodes[place])) by_id.emplace_back(node->id, place);
  }
  std::sort(by_id.begin(), by_id.end());
  std::unordered_map<std::uint64_t, NodePosition> writer;  // by storage: its last writer
  // (lane, waiting lane) → the last node waited for
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodePosition> known;
  for (const auto& entry : by_id) {
    const NodePosition place = entry.second;
    const Node& node = *profile.node(draft.nodes[place]);
    const std::uint32_t lane = draft.event(place).lane;
    for_each_tensor(profile.texts.view(node.inputs), [&](const Tensor& tensor) {
      const auto from = tensor.storage == 0 ? writer.end() : writer.find(tensor.storage);
      if (from == writer.end() || draft.event(from->second).lane == lane) return;
      const auto [last, added] =
          known.try_emplace({draft.event(from->second).lane, lane}, from->second);
      if (!added && from->second <= last->second) return;
      last->second = from->second;
      draft.edges.push_back({from->second, place, DependencyKind::tensor, false});
    });
    for_each_tensor(profile.texts.view(node.outputs), [&](const Tensor& tensor) {
      if (tensor.storage != 0) writer[tensor.storage] = place;
    });
  }
}

}  // namespace orrery::profile::draft
