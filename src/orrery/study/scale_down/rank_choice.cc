// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/scale_down/rank_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "orrery/core/text/text.h"

namespace orrery::study {
namespace {

using analysis::RankAxis;
using analysis::RankAxisKind;
using PlacesKept = std::vector<std::uint32_t>;  // remaining coordinates, by axis

std::string axes_in_words(const std::vector<RankAxis>& axes) {
  std::string text;
  for (const RankAxis& axis : axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.key, axis.size());
  return text;
}

/// Whether `places` coordinates of an axis can remain: evenly spaced, or on a pipeline the first
/// and the last stages.
bool can_stay(const RankAxis& axis, std::uint32_t places) {
  if (places == 0 || places > axis.size()) return false;
  if (axis.kind == RankAxisKind::pipeline) return places >= 2;
  return axis.size() % places == 0;
}

Result<void> no_such_ranks(const std::string& words, const std::vector<RankAxis>& axes,
                           std::string what) {
  return fail(Errc::usage, "--keep-ranks " + words, std::move(what),
              fmt::format("the traces have {}; choose divisors of these, and at least two stages",
                          axes_in_words(axes)));
}

std::optional<std::uint32_t> places_asked(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<PlacesKept> places_named(const std::vector<RankAxis>& axes, const std::string& words) {
  PlacesKept made;
  for (const RankAxis& axis : axes) made.push_back(axis.size());
  std::string_view rest = words;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto called = [&](std::string_view key) {
      return std::find_if(axes.begin(), axes.end(),
                          [&](const RankAxis& one) { return one.key == key; });
    };
    auto axis = called(word.substr(0, equals));
    if (axis == axes.end() && word.substr(0, equals) == "dp") axis = called("fsdp");
    const auto value = places_asked(word.substr(std::min(equals + 1, word.size())));
    if (axis == axes.end() || !value || !can_stay(*axis, *value))
      return tl::unexpected(
          no_such_ranks(words, axes, in_quotes(word) + " is not possible with these traces")
              .error());
    made[static_cast<std::size_t>(axis - axes.begin())] = *value;
  }
  return made;
}

/// Searches all sizes of axes whose product is the requested number of ranks.
class BestDegrees {
 public:
  BestDegrees(const std::vector<RankAxis>& axes, std::uint32_t asked)
      : axes_(axes), now_(axes.size(), 1) {
    look(0, asked);
  }
  [[nodiscard]] const std::optional<PlacesKept>& best() const { return best_; }

 private:
  void look(std::size_t axis, std::uint32_t left) {
    if (axis == axes_.size()) {
      if (left == 1 && (!best_ || rank_of(now_) > rank_of(*best_))) best_ = now_;
      return;
    }
    for (std::uint32_t places = 1; places <= std::min(left, axes_[axis].size()); ++places) {
      if (left % places != 0 || !can_stay(axes_[axis], places)) continue;
      now_[axis] = places;
      look(axis + 1, left / places);
    }
    now_[axis] = 1;
  }
  /// Prefers more axes with several coordinates, then more coordinates on inner axes.
  [[nodiscard]] std::pair<std::size_t, PlacesKept> rank_of(const PlacesKept& degrees) const {
    const auto several = std::count_if(degrees.begin(), degrees.end(),
                                       [](std::uint32_t places) { return places > 1; });
    std::vector<std::size_t> order(axes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return step_of(axes_[a]) < step_of(axes_[b]);
    });
    PlacesKept inner_first;
    for (const std::size_t axis : order) inner_first.push_back(degrees[axis]);
    return {static_cast<std::size_t>(several), inner_first};
  }
  static std::uint32_t step_of(const RankAxis& axis) {
    return axis.lines[0][1] > axis.lines[0][0] ? axis.lines[0][1] - axis.lines[0][0]
                                               : axis.lines[0][0] - axis.lines[0][1];
  }

  const std::vector<RankAxis>& axes_;
  PlacesKept now_;
  std::optional<PlacesKept> best_;
};

/// Remaining coordinates: evenly spaced; on a pipeline, if `last`, the first stage and the last
/// stages.
std::vector<std::uint32_t> places_that_stay(const RankAxis& axis, std::uint32_t count, bool last) {
  std::vector<std::uint32_t> made;
  const bool stages = last && axis.kind == RankAxisKind::pipeline;
  for (std::uint32_t i = 0; i < count; ++i)
    made.push_back(stages && i > 0 ? axis.size() - count + i : i * axis.size() / count);
  return made;
}

/// Ranks with a remaining coordinate on every axis; ascending.
std::vector<std::uint32_t> ranks_at(const std::vector<RankAxis>& axes, std::uint32_t ranks,
                                    const PlacesKept& degrees, bool last) {
  std::vector<bool> stays(ranks, true);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto places = places_that_stay(axes[i], degrees[i], last);
    for (const auto& line : axes[i].lines)
      for (std::uint32_t place = 0; place < line.size(); ++place)
        if (!std::binary_search(places.begin(), places.end(), place)) stays[line[place]] = false;
  }
  std::vector<std::uint32_t> made;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (stays[rank]) made.push_back(rank);
  return made;
}

}  // namespace

Result<RankChoice> choose_ranks(const std::vector<RankAxis>& axes, std::uint32_t ranks,
                                const std::string& words) {
  PlacesKept degrees;
  if (const auto number = places_asked(words)) {
    if (axes.empty() && *number != ranks)
      return fail(Errc::input_unsupported, "--keep-ranks " + words,
                  "the traces have no process groups or messages that define the axes of ranks",
                  "give the groups of Chakra traces with --groups FILE");
    const BestDegrees search(axes, *number);
    if (!search.best() && !axes.empty())
      return tl::unexpected(
          no_such_ranks(words, axes,
                        fmt::format("{} of {} ranks is not a possible selection", *number, ranks))
              .error());
    if (search.best()) degrees = *search.best();
  } else {
    auto asked = places_named(axes, words);
    if (!asked) return tl::unexpected(asked.error());
    degrees = *std::move(asked);
  }
  RankChoice made;
  for (std::size_t i = 0; i < axes.size(); ++i)
    made.axes.push_back(
        {axes[i].key, axes[i].kind, axes[i].size(), places_that_stay(axes[i], degrees[i], true)});
  made.ranks = ranks_at(axes, ranks, degrees, true);
  made.devices = ranks_at(axes, ranks, degrees, false);
  return made;
}

}  // namespace orrery::study
