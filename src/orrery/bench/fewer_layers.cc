// SPDX-License-Identifier: Apache-2.0
#include "orrery/bench/fewer_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "orrery/bench/layers.h"
#include "orrery/bench/recorded.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::Profile;

/// Whether something stays with its layer, or goes with it.
enum class Fate : std::uint8_t { untold, stays, goes };

/// Memory as operators see it: what existed before, by storage, or what one of them made. Ids are
/// addresses and come again: what counts is who made it last.
class Memories {
 public:
  Memories(const Profile& profile, const std::vector<EventId>& operators) {
    for (const EventId event : operators) {
      const profile::Node& node = *profile.node(event);
      auto inputs =
          read_side({profile.texts.view(node.inputs), profile.string(node.input_shapes),
                     profile.string(node.input_types), profile.string(node.input_strides)});
      auto results =
          read_side({profile.texts.view(node.outputs), profile.string(node.output_shapes),
                     profile.string(node.output_types), profile.string(node.output_strides)});
      std::vector<std::uint32_t> seen;
      for_each_recorded(inputs, [&](const RecordedTensor& tensor) {
        if (tensor.defined) seen.push_back(known(tensor.storage));
      });
      const std::size_t given = seen.size();
      for_each_recorded(results, [&](const RecordedTensor& tensor) {
        if (!tensor.defined) return;
        const auto at = by_storage_.find(tensor.storage);
        for (std::size_t i = 0; i < given; ++i)
          if (at != by_storage_.end() && seen[i] == at->second) return;  // a view, or in place
        by_storage_[tensor.storage] = next_;
        seen.push_back(next_++);
      });
      makes_.push_back(seen.size() > given);
      of_.push_back(std::move(seen));
    }
  }

  /// Of an operator: what it reads, in order, then what it makes.
  [[nodiscard]] const std::vector<std::uint32_t>& of(std::size_t place) const { return of_[place]; }
  [[nodiscard]] bool makes_some(std::size_t place) const { return makes_[place]; }
  [[nodiscard]] std::uint32_t count() const { return next_; }

 private:
  std::uint32_t known(std::uint64_t storage) {
    const auto [at, added] = by_storage_.try_emplace(storage, next_);
    if (added) ++next_;
    return at->second;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> by_storage_;
  std::vector<std::vector<std::uint32_t>> of_;
  std::vector<bool> makes_;
  std::uint32_t next_ = 0;
};

/// What begins the forward pass and ends it stays, whatever the first and the last layer do.
void keep_ends(const Memories& memories, std::vector<Fate>& fates) {
  std::size_t first = fates.size(), last = 0;
  for (std::size_t i = 0; i < fates.size(); ++i) {
    if (fates[i] == Fate::untold) continue;
    first = std::min(first, i);
    last = i;
  }
  for (std::size_t i = 0; i < last; ++i)
    if (fates[i] == Fate::untold && (i > first || memories.makes_some(i))) fates[i] = Fate::stays;
}

/// Hands fates on from operators in layers to those outside, as long as more of them are told.
void tell_others(const Memories& memories, std::vector<Fate>& fates) {
  std::vector<Fate> told(memories.count(), Fate::untold);
  for (const Fate fate : {Fate::stays, Fate::goes})
    for (std::size_t i = 0; i < fates.size(); ++i)
      for (const std::uint32_t memory : memories.of(i))
        if (fates[i] == fate && told[memory] == Fate::untold) told[memory] = fate;
  keep_ends(memories, fates);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < fates.size(); ++i) {
      if (fates[i] != Fate::untold) continue;
      for (const std::uint32_t memory : memories.of(i))
        if (fates[i] == Fate::untold) fates[i] = told[memory];
      if (fates[i] == Fate::untold) continue;
      more = true;
      for (const std::uint32_t memory : memories.of(i))
        if (told[memory] == Fate::untold) told[memory] = fates[i];
    }
  }
}

}  // namespace

Result<std::vector<bool>> with_fewer_layers(const Profile& profile,
                                            const std::vector<EventId>& operators,
                                            std::uint32_t layers) {
  const auto found = layers_of(profile, operators);
  if (!found) return tl::unexpected(found.error());
  if (found->count == 0)
    return fail(Errc::input_missing_attr, profile.where, "nothing repeats in it as layers do",
                "choose a part by scope=NAME or by time (10ms-20ms)");
  if (layers == 0 || layers >= found->count)
    return fail(Errc::usage, "--subtrace",
                fmt::format("fewer={}: {} has {} layers", layers, profile.where, found->count));
  std::vector<Fate> fates(operators.size(), Fate::untold);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const std::uint32_t layer = found->of[i];
    if (layer == kNoLayer) continue;
    const bool stays = layer < (layers + 1) / 2 || layer + layers / 2 >= found->count;
    fates[i] = stays ? Fate::stays : Fate::goes;
  }
  tell_others(Memories(profile, operators), fates);
  std::vector<bool> kept(operators.size());
  for (std::size_t i = 0; i < operators.size(); ++i) kept[i] = fates[i] != Fate::goes;
  return kept;
}

}  // namespace orrery::bench
