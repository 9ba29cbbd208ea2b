// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/fewer_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "addons/bench/recording/recorded_layers.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::Profile;

/// Whether an operation stays, or is removed with its layer.
enum class Decision : std::uint8_t { undecided, stays, removed };

/// The operation of an operator; for an operator on lists (_foreach_…), its operation on one item.
struct OperationUse {
  std::size_t place = 0;  ///< index of the operator
  /// Memory that it reads, in order, then memory that it creates.
  std::vector<std::uint32_t> memories;
  bool creates_memory = false;
  Decision decision = Decision::undecided;
};

/// Memory as operators refer to it: by storage if it existed before, or by the operator that
/// created it. Ids are addresses, which are reused: the last creator of an id counts.
class Memories {
 public:
  Memories(const Profile& profile, const std::vector<EventId>& operators) {
    for (std::size_t place = 0; place < operators.size(); ++place)
      add(profile, operators[place], place);
  }
  [[nodiscard]] std::vector<OperationUse>& uses() { return uses_; }
  [[nodiscard]] std::uint32_t count() const { return next_; }

 private:
  void add(const Profile& profile, EventId event, std::size_t place) {
    const auto inputs = recorded_arguments(profile, event);
    const auto results = recorded_results(profile, event);
    const std::size_t items = list_length(profile.name(event), inputs);
    const std::size_t first = uses_.size();
    uses_.resize(first + std::max<std::size_t>(items, 1), {place, {}, false, Decision::undecided});
    add_values(inputs, items, first, [&](const RecordedTensor& tensor, OperationUse& use) {
      use.memories.push_back(known(tensor.storage));
    });
    add_values(results, items, first, [&](const RecordedTensor& tensor, OperationUse& use) {
      const auto at = by_storage_.find(tensor.storage);
      if (at != by_storage_.end() &&
          std::find(use.memories.begin(), use.memories.end(), at->second) != use.memories.end())
        return;  // a view, or an in-place operation
      by_storage_[tensor.storage] = next_;
      use.memories.push_back(next_++);
      use.creates_memory = true;
    });
  }

  /// Calls `fn(tensor, use)`. Tensor i in a list of `items` tensors belongs to item i.
  template <class Add>
  void add_values(const std::vector<RecordedValue>& side, std::size_t items, std::size_t first,
                  const Add& fn) {
    for (const RecordedValue& value : side) {
      const bool parallel = items > 0 && value.items.size() == items;
      std::size_t item = 0;
      const auto one = [&](const RecordedTensor& tensor) {
        if (tensor.defined) fn(tensor, uses_[first + (parallel ? item : 0)]);
        ++item;
      };
      const std::vector<RecordedValue> alone{value};
      for_each_recorded_tensor(alone, one);
    }
  }
  std::uint32_t known(std::uint64_t storage) {
    const auto [at, added] = by_storage_.try_emplace(storage, next_);
    if (added) ++next_;
    return at->second;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> by_storage_;
  std::vector<OperationUse> uses_;
  std::uint32_t next_ = 0;
};

/// Operators at the begin and at the end of the forward pass stay, independent of the first and
/// last layer.
void keep_ends(std::vector<OperationUse>& uses) {
  std::size_t first = uses.size(), last = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].decision == Decision::undecided) continue;
    first = std::min(first, i);
    last = i;
  }
  for (std::size_t i = 0; i < last; ++i)
    if (uses[i].decision == Decision::undecided && (i > first || uses[i].creates_memory))
      uses[i].decision = Decision::stays;
}

/// Propagates decisions from operators in layers to operators outside, until nothing changes.
void propagate_decisions(std::vector<OperationUse>& uses, std::uint32_t memories) {
  std::vector<Decision> decided(memories, Decision::undecided);
  for (const Decision decision : {Decision::stays, Decision::removed})
    for (const OperationUse& use : uses)
      for (const std::uint32_t memory : use.memories)
        if (use.decision == decision && decided[memory] == Decision::undecided)
          decided[memory] = decision;
  keep_ends(uses);
  for (bool more = true; more;) {
    more = false;
    for (OperationUse& use : uses) {
      if (use.decision != Decision::undecided) continue;
      for (const std::uint32_t memory : use.memories)
        if (use.decision == Decision::undecided) use.decision = decided[memory];
      if (use.decision == Decision::undecided) continue;
      more = true;
      for (const std::uint32_t memory : use.memories)
        if (decided[memory] == Decision::undecided) decided[memory] = use.decision;
    }
  }
}

/// Combines the decisions of operations by operator.
FewerLayers layers_from(const std::vector<OperationUse>& uses, std::size_t operators) {
  FewerLayers made;
  made.stays.assign(operators, false);
  for (std::size_t i = 0; i < uses.size();) {
    const std::size_t place = uses[i].place;
    std::vector<bool> items;
    for (; i < uses.size() && uses[i].place == place; ++i)
      items.push_back(uses[i].decision != Decision::removed);
    made.stays[place] = std::find(items.begin(), items.end(), true) != items.end();
    if (made.stays[place] && std::find(items.begin(), items.end(), false) != items.end())
      made.items[place] = std::move(items);
  }
  return made;
}

}  // namespace

std::size_t list_length(std::string_view name, const std::vector<RecordedValue>& arguments) {
  if (name.find("_foreach_") == std::string_view::npos &&
      name.find("_fused_") == std::string_view::npos)
    return 0;
  for (const RecordedValue& value : arguments)
    if (value.kind == RecordedValue::Kind::list && !value.items.empty() &&
        value.items.front().kind == RecordedValue::Kind::tensor)
      return value.items.size();
  return 0;
}

void keep_items(const std::vector<bool>& stay, std::vector<RecordedValue>& side) {
  for (RecordedValue& value : side) {
    if (value.kind != RecordedValue::Kind::list || value.items.size() != stay.size()) continue;
    std::size_t item = 0;
    std::erase_if(value.items, [&](const RecordedValue&) { return !stay[item++]; });
  }
}

Result<FewerLayers> with_fewer_layers(const Profile& profile, const std::vector<EventId>& operators,
                                      std::uint32_t layers) {
  const auto found = layers_of(profile, operators);
  if (!found) return tl::unexpected(found.error());
  if (found->count == 0)
    return fail(Errc::input_missing_attr, profile.where, "contains no repeating layers",
                "choose a part by scope=NAME or by time (10ms-20ms)");
  if (layers == 0 || layers >= found->count)
    return fail(Errc::usage, "--subtrace",
                fmt::format("fewer={}: {} has {} layers", layers, profile.where, found->count));
  Memories memories(profile, operators);
  for (OperationUse& use : memories.uses()) {
    const std::uint32_t layer = found->of[use.place];
    if (layer == kNoLayer) continue;
    const bool stays = layer < (layers + 1) / 2 || layer + layers / 2 >= found->count;
    use.decision = stays ? Decision::stays : Decision::removed;
  }
  propagate_decisions(memories.uses(), memories.count());
  return layers_from(memories.uses(), operators.size());
}

}  // namespace orrery::bench
