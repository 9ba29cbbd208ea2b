// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/link/sequence_runs.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace orrery::profile {
namespace {

std::uint64_t hash_bits(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

using Run = std::pair<std::uint64_t, std::uint32_t>;  // (hash, first step)

/// The runs of `length` steps in a part of a sequence, sorted by hash.
std::vector<Run> runs(std::span<const AlignedEvent> steps, std::size_t first, std::size_t length) {
  constexpr std::uint64_t kBase = 0x2545f4914f6cdd1du;
  std::vector<Run> out;
  if (steps.size() < length) return out;
  out.reserve(steps.size() - length + 1);
  const auto key = [&](std::size_t i) {
    const AlignedEvent& step = steps[i];
    return hash_bits(
        hash_bits((std::uint64_t{step.name} << 32) + static_cast<std::uint32_t>(step.sequence)) +
        step.shape);
  };
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < length; ++i) power *= kBase;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    hash = hash * kBase + key(i);
    if (i >= length) hash -= power * key(i - length);
    if (i + 1 >= length) out.emplace_back(hash, static_cast<std::uint32_t>(first + i + 1 - length));
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Number of equal hashes from `at` on.
std::size_t repeats(const std::vector<Run>& sorted, std::size_t at) {
  std::size_t end = at;
  while (end < sorted.size() && sorted[end].first == sorted[at].first) ++end;
  return end - at;
}

/// Runs of at least 16 equal steps under a shift.
Pairs pairs_under_shift(std::span<const AlignedEvent> left, std::span<const AlignedEvent> right,
                        const SequenceRange& range, std::int64_t shift) {
  constexpr std::size_t kLength = 16;
  Pairs out;
  std::size_t run = 0;
  for (std::size_t l = range.left; l < range.left_end; ++l) {
    const std::int64_t at = static_cast<std::int64_t>(l) + shift;
    const auto r = static_cast<std::size_t>(at);
    const bool inside = at >= 0 && r >= range.right && r < range.right_end;
    run = inside && left[l].fits(right[r]) ? run + 1 : 0;
    if (run < kLength) continue;
    for (std::size_t back = run == kLength ? kLength : 1; back-- > 0;)
      out.emplace_back(l - back, r - back);
  }
  return out;
}

/// The shift with the most votes in a dense range of votes. Of ranges with nearly the most votes,
/// it uses the one with the least shift.
std::int64_t most_voted_shift(std::vector<std::int64_t>& votes, std::int64_t expected) {
  constexpr std::int64_t kNear = 64;
  std::sort(votes.begin(), votes.end());
  std::vector<std::size_t> count(votes.size());  // votes in the range that begins here
  for (std::size_t i = 0, end = 0; i < votes.size(); ++i) {
    while (end < votes.size() && votes[end] <= votes[i] + kNear) ++end;
    count[i] = end - i;
  }
  std::size_t most = *std::max_element(count.begin(), count.end());
  const std::size_t enough = most - most / 8;
  std::size_t first = votes.size();
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (count[i] < enough) continue;
    if (first == votes.size() || std::abs(votes[i] - expected) < std::abs(votes[first] - expected))
      first = i;
  }
  most = count[first];
  std::int64_t best = votes[first];
  std::size_t times = 0;
  for (std::size_t i = first, end = first; i < first + most; i = end) {
    while (end < votes.size() && votes[end] == votes[i]) ++end;
    if (end - i <= times) continue;
    times = end - i;
    best = votes[i];
  }
  return best;
}

}  // namespace

Pairs rare_runs(std::span<const AlignedEvent> left, std::span<const AlignedEvent> right,
                const SequenceRange& range, std::size_t length, std::size_t most) {
  const std::vector<Run> lefts = runs(left.subspan(range.left, range.width()), range.left, length);
  const std::vector<Run> rights =
      runs(right.subspan(range.right, range.height()), range.right, length);
  Pairs rare;
  for (std::size_t l = 0, r = 0; l < lefts.size() && r < rights.size();) {
    if (lefts[l].first < rights[r].first) {
      ++l;
    } else if (rights[r].first < lefts[l].first) {
      ++r;
    } else {
      const std::size_t count = repeats(lefts, l), right_count = repeats(rights, r);
      for (std::size_t i = 0; i < count && count == right_count && count <= most; ++i)
        rare.emplace_back(lefts[l + i].second, rights[r + i].second);
      l += count;
      r += right_count;
    }
  }
  std::sort(rare.begin(), rare.end());
  Pairs out;
  for (const auto& [l, r] : longest_ascending(rare)) {
    for (std::uint32_t i = 0; i < length; ++i) {
      const bool later = out.empty() || (l + i > out.back().first && r + i > out.back().second);
      if (later && left[l + i].fits(right[r + i])) out.emplace_back(l + i, r + i);
    }
  }
  return out;
}

Pairs shifted_runs(std::span<const AlignedEvent> left, std::span<const AlignedEvent> right,
                   const SequenceRange& range) {
  constexpr std::size_t kLength = 16, kVoters = 256, kVotes = 4096;
  const std::vector<Run> lefts = runs(left.subspan(range.left, range.width()), range.left, kLength);
  const std::vector<Run> rights =
      runs(right.subspan(range.right, range.height()), range.right, kLength);
  std::vector<std::int64_t> votes;
  for (std::size_t i = 0; i < lefts.size(); i += 1 + lefts.size() / kVoters) {
    const auto same =
        std::equal_range(rights.begin(), rights.end(), lefts[i],
                         [](const Run& a, const Run& b) { return a.first < b.first; });
    const auto count = static_cast<std::size_t>(same.second - same.first);
    for (std::size_t k = 0; k < count; k += 1 + count / kVotes)
      votes.push_back(std::int64_t{(same.first + static_cast<std::ptrdiff_t>(k))->second} -
                      std::int64_t{lefts[i].second});
  }
  const auto expected =
      static_cast<std::int64_t>(range.right) - static_cast<std::int64_t>(range.left);
  return votes.empty() ? Pairs{}
                       : pairs_under_shift(left, right, range, most_voted_shift(votes, expected));
}

}  // namespace orrery::profile
