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

/// Whether something stays with its layer, or goes with it.
enum class Fate : std::uint8_t { untold, stays, goes };

/// What an operator does; of one that works through lists (_foreach_…), what it does for an item.
struct Doing {
  std::size_t place = 0;                ///< of the operator
  std::vector<std::uint32_t> memories;  ///< what it reads, in order, then what it makes
  bool makes_some = false;
  Fate fate = Fate::untold;
};

/// Memory as operators see it: what existed before, by storage, or what one of them made. Ids are
/// addresses and come again: what counts is who made it last.
class Memories {
 public:
  Memories(const Profile& profile, const std::vector<EventId>& operators) {
    for (std::size_t place = 0; place < operators.size(); ++place)
      add(profile, operators[place], place);
  }
  [[nodiscard]] std::vector<Doing>& doings() { return doings_; }
  [[nodiscard]] std::uint32_t count() const { return next_; }

 private:
  void add(const Profile& profile, EventId event, std::size_t place) {
    const profile::Node& node = *profile.node(event);
    const auto inputs = read_recorded_values(
        {profile.texts.view(node.inputs), profile.string(node.input_shapes),
         profile.string(node.input_types), profile.string(node.input_strides)});
    const auto results = read_recorded_values(
        {profile.texts.view(node.outputs), profile.string(node.output_shapes),
         profile.string(node.output_types), profile.string(node.output_strides)});
    const std::size_t items = list_length(profile.name(event), inputs);
    const std::size_t first = doings_.size();
    doings_.resize(first + std::max<std::size_t>(items, 1), {place, {}, false, Fate::untold});
    add_side(inputs, items, first, [&](const RecordedTensor& tensor, Doing& doing) {
      doing.memories.push_back(known(tensor.storage));
    });
    add_side(results, items, first, [&](const RecordedTensor& tensor, Doing& doing) {
      const auto at = by_storage_.find(tensor.storage);
      if (at != by_storage_.end() && std::find(doing.memories.begin(), doing.memories.end(),
                                               at->second) != doing.memories.end())
        return;  // a view, or in place
      by_storage_[tensor.storage] = next_;
      doing.memories.push_back(next_++);
      doing.makes_some = true;
    });
  }

  /// `fn(tensor, doing)`: the i-th tensor of a list of so many items is of the i-th.
  template <class Add>
  void add_side(const std::vector<RecordedValue>& side, std::size_t items, std::size_t first,
                const Add& fn) {
    for (const RecordedValue& value : side) {
      const bool parallel = items > 0 && value.items.size() == items;
      std::size_t item = 0;
      const auto one = [&](const RecordedTensor& tensor) {
        if (tensor.defined) fn(tensor, doings_[first + (parallel ? item : 0)]);
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
  std::vector<Doing> doings_;
  std::uint32_t next_ = 0;
};

/// What begins the forward pass and ends it stays, whatever the first and the last layer do.
void keep_ends(std::vector<Doing>& doings) {
  std::size_t first = doings.size(), last = 0;
  for (std::size_t i = 0; i < doings.size(); ++i) {
    if (doings[i].fate == Fate::untold) continue;
    first = std::min(first, i);
    last = i;
  }
  for (std::size_t i = 0; i < last; ++i)
    if (doings[i].fate == Fate::untold && (i > first || doings[i].makes_some))
      doings[i].fate = Fate::stays;
}

/// Hands fates on from operators in layers to those outside, as long as more of them are told.
void tell_others(std::vector<Doing>& doings, std::uint32_t memories) {
  std::vector<Fate> predicted(memories, Fate::untold);
  for (const Fate fate : {Fate::stays, Fate::goes})
    for (const Doing& doing : doings)
      for (const std::uint32_t memory : doing.memories)
        if (doing.fate == fate && predicted[memory] == Fate::untold) predicted[memory] = fate;
  keep_ends(doings);
  for (bool more = true; more;) {
    more = false;
    for (Doing& doing : doings) {
      if (doing.fate != Fate::untold) continue;
      for (const std::uint32_t memory : doing.memories)
        if (doing.fate == Fate::untold) doing.fate = predicted[memory];
      if (doing.fate == Fate::untold) continue;
      more = true;
      for (const std::uint32_t memory : doing.memories)
        if (predicted[memory] == Fate::untold) predicted[memory] = doing.fate;
    }
  }
}

/// By operator: fates of what it does.
FewerLayers told_by(const std::vector<Doing>& doings, std::size_t operators) {
  FewerLayers made;
  made.stays.assign(operators, false);
  for (std::size_t i = 0; i < doings.size();) {
    const std::size_t place = doings[i].place;
    std::vector<bool> items;
    for (; i < doings.size() && doings[i].place == place; ++i)
      items.push_back(doings[i].fate != Fate::goes);
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
    return fail(Errc::input_missing_attr, profile.where, "nothing repeats in it as layers do",
                "choose a part by scope=NAME or by time (10ms-20ms)");
  if (layers == 0 || layers >= found->count)
    return fail(Errc::usage, "--subtrace",
                fmt::format("fewer={}: {} has {} layers", layers, profile.where, found->count));
  Memories memories(profile, operators);
  for (Doing& doing : memories.doings()) {
    const std::uint32_t layer = found->of[doing.place];
    if (layer == kNoLayer) continue;
    const bool stays = layer < (layers + 1) / 2 || layer + layers / 2 >= found->count;
    doing.fate = stays ? Fate::stays : Fate::goes;
  }
  tell_others(memories.doings(), memories.count());
  return told_by(memories.doings(), operators.size());
}

}  // namespace orrery::bench
