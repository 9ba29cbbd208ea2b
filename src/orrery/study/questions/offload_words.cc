// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/offload_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::study {

using workload::Offload;

namespace {

constexpr std::int64_t kAllLayers = 1 << 20;
constexpr std::array<std::string_view, 4> kOffloadWords{"optimizer", "weights", "activations",
                                                        "none"};

Result<void> unknown_offload(std::string_view word, const std::string& where) {
  std::string near = did_you_mean(word, kOffloadWords);
  return fail(
      Errc::config_range, where, in_quotes(word) + " cannot be offloaded",
      near.empty() ? "optimizer, weights, activations, activations:N, or none" : std::move(near));
}

/// Sets what one word names: "optimizer", "activations:12".
Result<void> set_part(std::string_view word, const std::string& where, Offload& made) {
  const std::size_t colon = std::min(word.find(':'), word.size());
  const std::string_view name = word.substr(0, colon);
  if (std::find(kOffloadWords.begin(), kOffloadWords.end(), name) == kOffloadWords.end())
    return unknown_offload(name, where);
  if (name != "activations" && colon != word.size())
    return fail(Errc::config_range, where, fmt::format("{} has no number of layers", name),
                "only activations:N has one");
  if (name == "optimizer") made.optimizer = true;
  if (name == "weights") made.weights = true;
  if (name != "activations") return {};
  made.activations = kAllLayers;
  if (colon == word.size()) return {};
  const auto layers = parse_integer(word.substr(colon + 1));
  if (!layers || *layers < 1 || *layers > kAllLayers)
    return fail(Errc::config_range, where,
                in_quotes(word.substr(colon + 1)) + " is not a number of layers",
                "activations:12 offloads those of the first 12 layers of each chunk");
  made.activations = *layers;
  return {};
}

}  // namespace

Result<void> set_offload(std::string_view words, const std::string& where, workload::Spec& spec) {
  Offload made = spec.offload;
  made.optimizer = made.weights = false;
  made.activations = 0;
  if (words != "none") {
    do {
      const std::size_t end = std::min(words.find(','), words.size());
      const std::string_view word = words.substr(0, end);
      if (word == "none")
        return fail(Errc::config_range, where, "'none' is given together with other words",
                    "leave one of them out");
      if (auto set = set_part(word, where, made); !set) return set;
      words.remove_prefix(std::min(end + 1, words.size()));
    } while (!words.empty());
  }
  spec.offload = made;
  return {};
}

bool offloads(const workload::Spec& spec) {
  return spec.offload.optimizer || spec.offload.weights || spec.offload.activations > 0;
}

}  // namespace orrery::study
