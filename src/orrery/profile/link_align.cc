// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/link_align.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace orrery::profile {
namespace {

/// Part of both sequences. An end is open where nothing is known of what lies beyond.
struct Range {
  std::size_t left, left_end, right, right_end;
  bool open_before, open_after;

  [[nodiscard]] std::size_t cells() const { return (left_end - left) * (right_end - right); }
  [[nodiscard]] bool empty() const { return left == left_end || right == right_end; }
};

constexpr std::size_t kDepth = 12;                    // gaps within gaps that are divided further
constexpr std::size_t kSmall = std::size_t{1} << 14;  // cells solved exactly at once
constexpr std::size_t kLarge = std::size_t{1} << 21;  // cells solved exactly at last
constexpr std::size_t kBand = std::size_t{1} << 8;    // steps off the straight line, in larger ones
constexpr std::size_t kWindow = std::size_t{1} << 10;  // steps looked at from an end otherwise

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

using Run = std::pair<std::uint64_t, std::uint32_t>;  // hash, where it begins

/// The runs of `length` steps in a part of a sequence, sorted by hash.
std::vector<Run> runs(std::span<const Step> steps, std::size_t first, std::size_t length) {
  constexpr std::uint64_t kBase = 0x2545f4914f6cdd1du;
  std::vector<Run> out;
  if (steps.size() < length) return out;
  out.reserve(steps.size() - length + 1);
  const auto key = [&](std::size_t i) {
    const Step& step = steps[i];
    return mixed(
        mixed((std::uint64_t{step.name} << 32) + static_cast<std::uint32_t>(step.sequence)) +
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

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::min() / 2;

/// The best that the steps up to a place can be worth: ending in a pair, and at all.
struct Score {
  std::int32_t paired = kNever;
  std::int32_t best = 0;
};

/// How the best at a place comes about.
enum Way : std::uint8_t { kIsPair = 1, kAfterPair = 2, kUp = 4 };

/// The score of pairing or leaving `l` and `r`; `here` comes in as the one above.
std::uint8_t score(const Step& l, const Step& r, const Score& corner, const Score& before,
                   Score& here) {
  constexpr std::int32_t kPair = 16, kSameParent = 4, kSameShape = 4, kNoHole = 3;
  std::uint8_t way = 0;
  const std::int32_t without = std::max(here.best, before.best);
  if (here.best > before.best) way |= kUp;
  here = {kNever, without};
  if (l.fits(r)) {
    const bool after = corner.paired + kNoHole > corner.best;
    here.paired = kPair + (l.parent == r.parent ? kSameParent : 0) +
                  (l.shape != 0 && l.shape == r.shape ? kSameShape : 0) +
                  (after ? corner.paired + kNoHole : corner.best);
    if (after) way |= kAfterPair;
    if (here.paired >= without) way |= kIsPair;
    here.best = std::max(here.paired, without);
  }
  return way;
}

/// The steps of cell (i, j), counted from 1 from the end that is far from what is known.
struct Places {
  const Range& range;
  bool mirrored;

  std::pair<std::uint32_t, std::uint32_t> operator()(std::size_t i, std::size_t j) const {
    const std::size_t l = mirrored ? range.left_end - i : range.left + i - 1;
    const std::size_t r = mirrored ? range.right_end - j : range.right + j - 1;
    return {static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(r)};
  }
};

class Aligner {
 public:
  Aligner(std::span<const Step> left, std::span<const Step> right) : left_(left), right_(right) {}

  void fill_gaps(const Range& all, const Pairs& anchors, std::size_t depth) {
    Range gap = all;
    for (const auto& [l, r] : anchors) {
      gap.left_end = l;
      gap.right_end = r;
      gap.open_after = false;
      solve(gap, depth);
      found_.emplace_back(l, r);
      gap.left = l + 1;
      gap.right = r + 1;
      gap.open_before = false;
    }
    gap.left_end = all.left_end;
    gap.right_end = all.right_end;
    gap.open_after = all.open_after;
    solve(gap, depth);
  }
  Pairs take() { return std::move(found_); }

 private:
  void solve(Range range, std::size_t depth);
  void solve_inside(const Range& range, std::size_t depth);
  void solve_ends(const Range& range);
  [[nodiscard]] Pairs anchors(const Range& range, std::size_t length, std::size_t most) const;
  [[nodiscard]] Pairs diagonal(const Range& range) const;
  [[nodiscard]] Pairs along(const Range& range, std::int64_t shift) const;
  void exactly(const Range& range, std::size_t band = ~std::size_t{0});

  [[nodiscard]] bool same(std::size_t l, std::size_t r) const {
    return left_[l].fits(right_[r]) && left_[l].parent == right_[r].parent;
  }

  std::span<const Step> left_, right_;
  Pairs found_;
};

void Aligner::solve(Range range, std::size_t depth) {
  if (range.empty()) return;
  if (range.cells() <= kSmall) return exactly(range);
  if (!range.open_before) {
    for (; !range.empty() && same(range.left, range.right); ++range.left, ++range.right)
      found_.emplace_back(range.left, range.right);
  }
  Pairs after;
  if (!range.open_after) {
    for (; !range.empty() && same(range.left_end - 1, range.right_end - 1);
         --range.left_end, --range.right_end)
      after.emplace_back(range.left_end - 1, range.right_end - 1);
  }
  if (!range.empty()) solve_inside(range, depth);
  found_.insert(found_.end(), after.rbegin(), after.rend());
}

/// Divides by what is rare; solves what is small enough; divides by long runs, or by a shift.
void Aligner::solve_inside(const Range& range, std::size_t depth) {
  constexpr std::size_t kRare = 8;
  const auto divide = [&](const Pairs& by) {
    if (!by.empty()) fill_gaps(range, by, depth + 1);
    return !by.empty();
  };
  const bool may_divide = depth < kDepth;
  if (may_divide && divide(anchors(range, 1, kRare))) return;
  if (range.cells() <= kLarge) return exactly(range);
  const std::size_t n = range.left_end - range.left, m = range.right_end - range.right;
  const bool closed = !range.open_before && !range.open_after;
  if (closed && std::max(n, m) - std::min(n, m) <= kBand) return exactly(range, 2 * kBand);
  if (may_divide && (divide(anchors(range, 32, 1)) || divide(anchors(range, 8, 1)))) return;
  if (may_divide && divide(diagonal(range))) return;
  solve_ends(range);
}

/// Too much without a mark: only what is near its closed ends.
void Aligner::solve_ends(const Range& range) {
  const std::size_t width =
      std::min({kWindow, range.left_end - range.left, range.right_end - range.right});
  Range before = range;
  before.left_end = before.left + width;
  before.right_end = before.right + width;
  before.open_after = true;
  if (!range.open_before) exactly(before);
  Range after = range;
  after.left = std::max(before.left_end, range.left_end - width);
  after.right = std::max(before.right_end, range.right_end - width);
  after.open_before = true;
  if (!range.open_after && !after.empty()) exactly(after);
}

/// Runs that occur equally often on both sides, at most `most` times, as pairs of steps, ascending
/// in both.
Pairs Aligner::anchors(const Range& range, std::size_t length, std::size_t most) const {
  const std::vector<Run> lefts =
      runs(left_.subspan(range.left, range.left_end - range.left), range.left, length);
  const std::vector<Run> rights =
      runs(right_.subspan(range.right, range.right_end - range.right), range.right, length);
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
  for (const auto& [l, r] : ascending(rare)) {
    for (std::uint32_t i = 0; i < length; ++i) {
      const bool later = out.empty() || (l + i > out.back().first && r + i > out.back().second);
      if (later && left_[l + i].fits(right_[r + i])) out.emplace_back(l + i, r + i);
    }
  }
  return out;
}

/// The shift of one side against the other under which most of it is equal, when everything
/// repeats: of those that lay some runs onto equal ones, the best over samples of the range.
Pairs Aligner::diagonal(const Range& range) const {
  constexpr std::size_t kLength = 32, kTries = 512, kSamples = 256;
  const std::size_t n = range.left_end - range.left;
  const std::vector<Run> lefts = runs(left_.subspan(range.left, n), range.left, kLength);
  const std::vector<Run> rights =
      runs(right_.subspan(range.right, range.right_end - range.right), range.right, kLength);
  if (lefts.empty() || rights.empty()) return {};
  std::vector<std::int64_t> shifts;
  const auto suggest = [&](std::size_t l) {  // the places that look like the run at `l`
    const auto self =
        std::find_if(lefts.begin(), lefts.end(), [&](const Run& run) { return run.second == l; });
    const auto same =
        std::equal_range(rights.begin(), rights.end(), *self,
                         [](const Run& a, const Run& b) { return a.first < b.first; });
    const auto count = static_cast<std::size_t>(same.second - same.first);
    for (std::size_t i = 0; i < count; i += 1 + count / kTries)
      shifts.push_back(std::int64_t{(same.first + static_cast<std::ptrdiff_t>(i))->second} -
                       static_cast<std::int64_t>(l));
  };
  for (std::size_t i = 0; i <= 4; ++i) suggest(range.left + (lefts.size() - 1) * i / 4);
  std::sort(shifts.begin(), shifts.end());
  shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
  const auto equal_at = [&](std::size_t l, std::int64_t shift) {
    const std::int64_t r = static_cast<std::int64_t>(l) + shift;
    return r >= static_cast<std::int64_t>(range.right) &&
           r < static_cast<std::int64_t>(range.right_end) &&
           left_[l].fits(right_[static_cast<std::size_t>(r)]);
  };
  std::int64_t best = 0;
  std::size_t most = 0;
  for (const std::int64_t shift : shifts) {
    std::size_t equal = 0;
    for (std::size_t l = range.left; l < range.left_end; l += 1 + n / kSamples)
      equal += equal_at(l, shift) ? 1 : 0;
    if (equal <= most) continue;
    most = equal;
    best = shift;
  }
  return most == 0 ? Pairs{} : along(range, best);
}

/// The runs of equal steps of some length under a shift.
Pairs Aligner::along(const Range& range, std::int64_t shift) const {
  constexpr std::size_t kLength = 16;
  Pairs out;
  std::size_t run = 0;
  for (std::size_t l = range.left; l < range.left_end; ++l) {
    const std::int64_t at = static_cast<std::int64_t>(l) + shift;
    const auto r = static_cast<std::size_t>(at);
    const bool inside = at >= 0 && r >= range.right && r < range.right_end;
    run = inside && left_[l].fits(right_[r]) ? run + 1 : 0;
    if (run < kLength) continue;
    for (std::size_t back = run == kLength ? kLength : 1; back-- > 0;)
      out.emplace_back(l - back, r - back);
  }
  return out;
}

/// The best pairing of all, by dynamic programming: many pairs, with equal steps around and equal
/// shapes, without holes; near the closed end where either would do. With a band, the best among
/// those that stay near the straight line from corner to corner.
void Aligner::exactly(const Range& range, std::size_t band) {
  const std::size_t n = range.left_end - range.left, m = range.right_end - range.right;
  const bool mirrored = range.open_after && !range.open_before;
  const Places at{range, mirrored};
  const std::size_t width = std::min(m, band >= m ? m : 2 * band + 1);
  const auto first_of = [&](std::size_t i) {  // column of a row's first cell
    const std::size_t middle = i * m / n;
    return width == m ? 1 : std::clamp(middle, band + 1, m - band) - band;
  };
  std::vector<std::uint8_t> ways((n + 1) * width, 0);
  std::vector<Score> row(m + 1);
  if (!mirrored && !range.open_before) row[0].paired = 0;
  std::size_t known = width == m ? m : 0;  // columns of the row above
  for (std::size_t i = 1; i <= n; ++i) {
    const std::size_t first = first_of(i);
    for (; known < first + width - 1; ++known) row[known + 1] = {kNever, row[known].best};
    Score corner = row[first - 1];
    if (first == 1) row[0].paired = kNever;
    for (std::size_t j = first; j < first + width; ++j) {
      const auto [l, r] = at(i, j);
      const Score above = row[j];
      ways[i * width + j - first] = score(left_[l], right_[r], corner, row[j - 1], row[j]);
      corner = above;
    }
  }
  Pairs out;
  bool must_pair = false;
  for (std::size_t i = n, j = m; i > 0 && j > 0;) {
    const std::size_t first = first_of(i);
    const bool is_known = j >= first && j < first + width;
    std::uint8_t way = j < first ? kUp : 0;  // towards the band
    if (is_known) way = ways[i * width + j - first];
    if (is_known && (must_pair || (way & kIsPair) != 0)) {
      out.emplace_back(at(i, j));
      must_pair = (way & kAfterPair) != 0;
      --i, --j;
    } else {
      --((way & kUp) != 0 ? i : j);
    }
  }
  if (!mirrored) std::reverse(out.begin(), out.end());
  found_.insert(found_.end(), out.begin(), out.end());
}

}  // namespace

Pairs ascending(const Pairs& pairs) {
  constexpr std::uint32_t kNothing = ~0u;
  std::vector<std::uint32_t> tails;  // index of the least second that ends a row of that length
  std::vector<std::uint32_t> before(pairs.size(), kNothing);
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const auto place =
        std::lower_bound(tails.begin(), tails.end(), pairs[i].second,
                         [&](std::uint32_t t, std::uint32_t v) { return pairs[t].second < v; });
    if (place != tails.begin()) before[i] = *std::prev(place);
    if (place == tails.end()) {
      tails.push_back(i);
    } else {
      *place = i;
    }
  }
  Pairs out(tails.size());
  std::uint32_t at = tails.empty() ? kNothing : tails.back();
  for (std::size_t i = tails.size(); i-- > 0; at = before[at]) out[i] = pairs[at];
  return out;
}

Pairs align(std::span<const Step> left, std::span<const Step> right, const Pairs& known) {
  Aligner aligner(left, right);
  aligner.fill_gaps({0, left.size(), 0, right.size(), true, true}, ascending(known), 0);
  return aligner.take();
}

}  // namespace orrery::profile
