// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/link/align.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "orrery/profile/link/sequence_runs.h"

namespace orrery::profile {
namespace {

constexpr std::size_t kDepth = 12;  // maximum depth of divided gaps
// Cells; smaller gaps are solved exactly at once.
constexpr std::size_t kSmall = std::size_t{1} << 14;
constexpr std::size_t kLarge = std::size_t{1} << 21;  // cells; maximum for an exact solution
constexpr std::size_t kBand = std::size_t{1} << 8;    // steps from the diagonal, in larger gaps
// Steps of a window, when there are no anchors.
constexpr std::size_t kWindow = std::size_t{1} << 8;

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::min() / 2;

/// Best scores of the steps up to a cell: if the cell is a pair, and in general.
struct Score {
  std::int32_t paired = kNever;
  std::int32_t best = 0;
};

/// How the best score of a cell was reached.
enum ScoreMove : std::uint8_t { kIsPair = 1, kAfterPair = 2, kUp = 4 };

/// Computes the score of pairing or skipping `l` and `r`. `here` is the cell above on entry.
std::uint8_t score(const AlignedEvent& l, const AlignedEvent& r, const Score& corner,
                   const Score& before, Score& here) {
  constexpr std::int32_t kPair = 16, kSameParent = 4, kSameShape = 4, kNoHole = 3;
  std::uint8_t move = 0;
  const std::int32_t without = std::max(here.best, before.best);
  if (here.best > before.best) move |= kUp;
  here = {kNever, without};
  if (l.fits(r)) {
    const bool after = corner.paired + kNoHole > corner.best;
    here.paired = kPair + (l.parent == r.parent ? kSameParent : 0) +
                  (l.shape != 0 && l.shape == r.shape ? kSameShape : 0) +
                  (after ? corner.paired + kNoHole : corner.best);
    if (after) move |= kAfterPair;
    if (here.paired >= without) move |= kIsPair;
    here.best = std::max(here.paired, without);
  }
  return move;
}

/// Steps of cell (i, j). Indices count from 1, from the end that is farther from a closed end.
struct CellSteps {
  const SequenceRange& range;
  bool mirrored;

  std::pair<std::uint32_t, std::uint32_t> operator()(std::size_t i, std::size_t j) const {
    const std::size_t l = mirrored ? range.left_end - i : range.left + i - 1;
    const std::size_t r = mirrored ? range.right_end - j : range.right + j - 1;
    return {static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(r)};
  }
};

class Aligner {
 public:
  Aligner(std::span<const AlignedEvent> left, std::span<const AlignedEvent> right)
      : left_(left), right_(right) {}

  void fill_gaps(const SequenceRange& all, const Pairs& anchors, std::size_t depth) {
    SequenceRange gap = all;
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
  void solve(SequenceRange range, std::size_t depth) {
    if (range.empty()) return;
    if (range.cells() <= kSmall) return add(align_exactly(range));
    if (!range.open_before) {
      for (; !range.empty() && are_same_step(range.left, range.right); ++range.left, ++range.right)
        found_.emplace_back(range.left, range.right);
    }
    Pairs after;
    if (!range.open_after) {
      for (; !range.empty() && are_same_step(range.left_end - 1, range.right_end - 1);
           --range.left_end, --range.right_end)
        after.emplace_back(range.left_end - 1, range.right_end - 1);
    }
    if (!range.empty()) solve_inside(range, depth);
    found_.insert(found_.end(), after.rbegin(), after.rend());
  }

  /// Divides the range by rare steps, or solves it exactly if it is small enough. Otherwise it
  /// pairs steps from the closed ends, and divides the rest by a shift or by long runs.
  void solve_inside(SequenceRange range, std::size_t depth) {
    constexpr std::size_t kRare = 8, kLongRun = 32;
    const auto divide = [&](const Pairs& by) {
      if (!by.empty()) fill_gaps(range, by, depth + 1);
      return !by.empty();
    };
    if (depth < kDepth && divide(rare_runs(left_, right_, range, 1, kRare))) return;
    if (range.cells() <= kLarge) return add(align_exactly(range));
    const std::size_t n = range.width(), m = range.height();
    const bool closed = !range.open_before && !range.open_after;
    if (closed && std::max(n, m) - std::min(n, m) <= kBand && n * kBand <= kLarge)
      return add(align_exactly(range, 2 * kBand));
    if (!range.open_before) pair_forward(range);
    Pairs after;
    if (!range.open_after) pair_backward(range, after);
    if (!range.empty() && depth < kDepth && !divide(shifted_runs(left_, right_, range)))
      (void)divide(rare_runs(left_, right_, range, kLongRun, 1));
    found_.insert(found_.end(), after.rbegin(), after.rend());
  }

  /// Pairs steps from the beginning, as long as most of the next steps match. Removes the paired
  /// part from `range`.
  void pair_forward(SequenceRange& range) {
    while (!range.empty()) {
      if (are_same_step(range.left, range.right)) {
        found_.emplace_back(range.left++, range.right++);
        continue;
      }
      const std::size_t n = std::min(kWindow, range.width()), m = std::min(kWindow, range.height());
      Pairs next =
          align_exactly({range.left, range.left + n, range.right, range.right + m, false, true});
      while (!next.empty() && next.back().first > range.left + kWindow / 2) next.pop_back();
      if (next.size() * 4 < std::min(n, kWindow / 2)) return;
      add(next);
      range.left = next.back().first + 1;
      range.right = next.back().second + 1;
    }
  }

  /// The same from the end; appends pairs to `after`, the last first.
  void pair_backward(SequenceRange& range, Pairs& after) {
    while (!range.empty()) {
      if (are_same_step(range.left_end - 1, range.right_end - 1)) {
        after.emplace_back(--range.left_end, --range.right_end);
        continue;
      }
      const std::size_t n = std::min(kWindow, range.width()), m = std::min(kWindow, range.height());
      Pairs next = align_exactly(
          {range.left_end - n, range.left_end, range.right_end - m, range.right_end, true, false});
      std::reverse(next.begin(), next.end());
      while (!next.empty() && next.back().first + kWindow / 2 < range.left_end) next.pop_back();
      if (next.size() * 4 < std::min(n, kWindow / 2)) return;
      after.insert(after.end(), next.begin(), next.end());
      range.left_end = next.back().first;
      range.right_end = next.back().second;
    }
  }

  /// The best alignment by dynamic programming. It prefers many pairs, equal parents, equal shapes
  /// and contiguous pairs; among equals, pairs near the closed end. With a band, the best alignment
  /// near the diagonal.
  [[nodiscard]] Pairs align_exactly(const SequenceRange& range,
                                    std::size_t band = ~std::size_t{0}) const {
    const std::size_t n = range.width(), m = range.height();
    const bool mirrored = range.open_after && !range.open_before;
    const CellSteps at{range, mirrored};
    const std::size_t width = std::min(m, band >= m ? m : 2 * band + 1);
    const auto first_of = [&](std::size_t i) {  // first column of a row
      const std::size_t middle = i * m / n;
      return width == m ? 1 : std::clamp(middle, band + 1, m - band) - band;
    };
    std::vector<std::uint8_t> moves((n + 1) * width, 0);
    std::vector<Score> row(m + 1);
    if (!mirrored && !range.open_before) row[0].paired = 0;
    std::size_t known = width == m ? m : 0;  // computed columns of the row above
    for (std::size_t i = 1; i <= n; ++i) {
      const std::size_t first = first_of(i);
      for (; known < first + width - 1; ++known) row[known + 1] = {kNever, row[known].best};
      Score corner = row[first - 1];
      if (first == 1) row[0].paired = kNever;
      for (std::size_t j = first; j < first + width; ++j) {
        const auto [l, r] = at(i, j);
        const Score above = row[j];
        moves[i * width + j - first] = score(left_[l], right_[r], corner, row[j - 1], row[j]);
        corner = above;
      }
    }
    Pairs out;
    bool must_pair = false;
    for (std::size_t i = n, j = m; i > 0 && j > 0;) {
      const std::size_t first = first_of(i);
      const bool is_known = j >= first && j < first + width;
      std::uint8_t move = j < first ? kUp : 0;  // moves towards the band
      if (is_known) move = moves[i * width + j - first];
      if (is_known && (must_pair || (move & kIsPair) != 0)) {
        out.emplace_back(at(i, j));
        must_pair = (move & kAfterPair) != 0;
        --i, --j;
      } else {
        --((move & kUp) != 0 ? i : j);
      }
    }
    if (!mirrored) std::reverse(out.begin(), out.end());
    return out;
  }

  void add(const Pairs& pairs) { found_.insert(found_.end(), pairs.begin(), pairs.end()); }

  [[nodiscard]] bool are_same_step(std::size_t l, std::size_t r) const {
    return left_[l].fits(right_[r]) && left_[l].parent == right_[r].parent;
  }

  std::span<const AlignedEvent> left_, right_;
  Pairs found_;
};

}  // namespace

Pairs longest_ascending(const Pairs& pairs) {
  constexpr std::uint32_t kNothing = ~0u;
  std::vector<std::uint32_t> tails;  // by length - 1: index of the pair with the least `second`
                                     // that ends an ascending sequence of that length
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

Pairs align(std::span<const AlignedEvent> left, std::span<const AlignedEvent> right,
            const Pairs& known) {
  Aligner aligner(left, right);
  aligner.fill_gaps({0, left.size(), 0, right.size(), true, true}, longest_ascending(known), 0);
  return aligner.take();
}

}  // namespace orrery::profile
