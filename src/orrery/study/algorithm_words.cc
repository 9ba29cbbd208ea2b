// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/algorithm_words.h"

#include <algorithm>
#include <bit>
#include <set>

#include "orrery/platform/fabric.h"

namespace orrery::study {

using graph::CollectiveType;
using platform::Platform;

bool names_switches(std::string_view words) {
  return words.find("in_network") != std::string_view::npos;
}

std::vector<std::uint32_t> spans_of(const Platform& platform,
                                    std::span<const std::uint32_t> ranks) {
  std::vector<std::uint32_t> spans;
  std::uint32_t stride = 1;
  for (const platform::Dimension& dim : platform.dims) {
    std::set<std::uint32_t> coordinates;
    for (const std::uint32_t rank : ranks)
      coordinates.insert(rank / stride % static_cast<std::uint32_t>(dim.size));
    spans.push_back(static_cast<std::uint32_t>(coordinates.size()));
    stride *= static_cast<std::uint32_t>(dim.size);
  }
  return spans;
}

std::vector<std::string> algorithm_words(const Platform& platform, CollectiveType type,
                                         std::span<const std::uint32_t> ranks, bool tokens) {
  const bool exchange = type == CollectiveType::all_to_all;
  const bool switches = platform.fabric != nullptr && !platform.fabric->reducers.empty();
  std::vector<std::uint32_t> spans = spans_of(platform, ranks);
  std::uint64_t product = 1;
  for (const std::uint32_t span : spans) product *= span;
  if (product != ranks.size()) spans.clear();
  const auto wide =
      std::count_if(spans.begin(), spans.end(), [](std::uint32_t span) { return span > 1; });
  // Tokens go by one tree, not dimension by dimension.
  const bool by_switches = !exchange || (tokens && wide == 1);
  std::vector<std::string> all;
  for (std::size_t d = 0; d < spans.size(); ++d) {
    std::vector<std::string> words{"ring"};
    if (spans[d] > 1) words.emplace_back("direct");
    if (spans[d] > 1 && !exchange && std::has_single_bit(spans[d]))
      words.emplace_back("halving_doubling");
    if (spans[d] > 1 && by_switches && (platform.dims[d].in_network || switches))
      words.emplace_back("in_network");
    std::vector<std::string> longer;
    for (const std::string& word : words) {
      if (d == 0) longer.push_back(word);
      for (const std::string& before : all) longer.push_back(before + "," + word);
    }
    all = std::move(longer);
  }
  if (wide == 1) return all;
  all.insert(all.end(), {"one_ring", "one_direct"});
  if (exchange && !tokens) return all;
  if (!exchange && std::has_single_bit(ranks.size())) all.emplace_back("one_halving_doubling");
  if (switches) all.emplace_back("one_in_network");
  return all;
}

}  // namespace orrery::study
