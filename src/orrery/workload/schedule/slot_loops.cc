// SPDX-License-Identifier: Apache-2.0
//
// Finds repeats as maximal runs of a text (Main and Lorentz, 1984). Each run with period L is at
// least 2L long and thus crosses two positions that are multiples of L. From each such pair it
// extends the run in both directions with hashes. Then it selects the cheapest division into loops,
// from the end.
#include "orrery/workload/schedule/slot_loops.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace orrery::workload {
namespace {

/// The properties of a pass except its microbatch.
using Symbol = std::pair<Pass, std::uint16_t>;
Symbol symbol_of(const Slot& slot) { return {slot.pass, slot.chunk}; }

/// Passes as letters. A letter is a pass and the distance of its microbatch to that of the next
/// pass. Where letters repeat, passes repeat and microbatches grow evenly.
std::vector<std::uint32_t> letters_of(const std::vector<Slot>& slots) {
  std::map<std::pair<Symbol, std::int64_t>, std::uint32_t> known;
  std::vector<std::uint32_t> letters;
  letters.reserve(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    // The last slot has no successor; real distances are smaller than this.
    std::int64_t step = std::int64_t{1} << 40;
    if (i + 1 < slots.size()) {
      step = std::int64_t{slots[i + 1].microbatch} - std::int64_t{slots[i].microbatch};
    }
    const auto next = static_cast<std::uint32_t>(known.size() + 1);
    letters.push_back(known.try_emplace({symbol_of(slots[i]), step}, next).first->second);
  }
  return letters;
}

/// The length to which two positions of a text agree. Hashes modulo the prime 2^61-1.
class Agreement {
 public:
  explicit Agreement(std::vector<std::uint32_t> letters) : letters_(std::move(letters)) {
    hashes_.reserve(letters_.size() + 1);
    powers_.reserve(letters_.size() + 1);
    hashes_.push_back(0);
    powers_.push_back(1);
    for (const std::uint32_t letter : letters_) {
      hashes_.push_back((times(hashes_.back(), kBase) + letter) % kPrime);
      powers_.push_back(times(powers_.back(), kBase));
    }
  }

  /// Number of equal letters from i and from j on; i < j.
  [[nodiscard]] std::size_t forward(std::size_t i, std::size_t j) const {
    const std::size_t maximum = letters_.size() - j;
    if (maximum == 0 || letters_[i] != letters_[j]) return 0;
    return longest(1, maximum, [&](std::size_t n) { return hash(i, i + n) == hash(j, j + n); });
  }
  /// Number of equal letters before i and before j; i < j.
  [[nodiscard]] std::size_t backward(std::size_t i, std::size_t j) const {
    if (i == 0 || letters_[i - 1] != letters_[j - 1]) return 0;
    return longest(1, i, [&](std::size_t n) { return hash(i - n, i) == hash(j - n, j); });
  }

 private:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  static constexpr std::uint64_t kBase = 1'000'000'007'000'003;

  static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product % kPrime);
  }
  [[nodiscard]] std::uint64_t hash(std::size_t begin, std::size_t end) const {
    const std::uint64_t before = times(hashes_[begin], powers_[end - begin]);
    return (hashes_[end] + kPrime - before) % kPrime;
  }
  /// The largest n up to `maximum` for which `equal` holds; it must hold for `n`.
  template <class Equal>
  static std::size_t longest(std::size_t n, std::size_t maximum, Equal equal) {
    while (n < maximum) {
      const std::size_t middle = n + (maximum - n + 1) / 2;
      equal(middle) ? n = middle : maximum = middle - 1;
    }
    return n;
  }

  std::vector<std::uint32_t> letters_;
  std::vector<std::uint64_t> hashes_, powers_;
};

/// Slots begin … end-1 repeat with `period`; the range is maximal in both directions.
struct Run {
  std::size_t begin = 0, end = 0, period = 1;
  std::uint32_t stride = 0;

  /// The last position from which two rounds fit.
  [[nodiscard]] std::size_t last_start() const { return end - 2 * period; }
};

std::vector<Run> find_runs(const std::vector<Slot>& slots) {
  const Agreement agreement(letters_of(slots));
  std::vector<Run> runs;
  std::set<std::pair<std::size_t, std::size_t>> known;  // skips multiples of a known period
  for (std::size_t period = 1; 2 * period <= slots.size(); ++period) {
    for (std::size_t i = 0; i + period < slots.size(); i += period) {
      const std::size_t j = i + period;
      if (symbol_of(slots[i]) != symbol_of(slots[j])) continue;
      if (slots[j].microbatch < slots[i].microbatch) continue;
      // The letter of the last equal slot may differ only in its distance to the next.
      std::size_t equal = agreement.forward(i, j);
      if (symbol_of(slots[i + equal]) == symbol_of(slots[j + equal])) ++equal;
      const Run run{i - agreement.backward(i, j), j + equal, period,
                    slots[j].microbatch - slots[i].microbatch};
      i += (equal - 1) / period * period;  // positions within give the same run
      if (run.end - run.begin < 2 * period) continue;
      if (known.emplace(run.begin, run.end).second) runs.push_back(run);
    }
  }
  return runs;
}

/// A piece of the division: a loop, or a single slot if `period` is 0.
struct Piece {
  std::uint32_t period = 0;  // positions fit in 32 bits: limits::kScheduleSlots
  std::uint32_t end = 0;
  std::uint32_t stride = 0;
};

/// Finds the best number of rounds of one run, for positions from its last start down to its begin.
class Cutter {
 public:
  explicit Cutter(const Run& run) : run_(run), best_end_(run.period, 0) {}

  [[nodiscard]] bool passed(std::size_t i) const { return i < run_.begin; }
  /// The cheapest loop from i on; of equally cheap ones the shortest, so that it takes no slot with
  /// which the next loop could begin.
  Piece from(std::size_t i, const std::vector<std::size_t>& cost) {
    std::size_t& best = best_end_[i % run_.period];
    const std::size_t two_rounds = i + 2 * run_.period;
    if (best == 0 || cost[two_rounds] <= cost[best]) best = two_rounds;
    return {static_cast<std::uint32_t>(run_.period), static_cast<std::uint32_t>(best), run_.stride};
  }

 private:
  Run run_;
  std::vector<std::size_t> best_end_;  // by position modulo the period; 0: none yet
};

/// The best piece from each position.
std::vector<Piece> cheapest_cut(std::size_t slots, std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tuple(a.last_start(), b.period) < std::tuple(b.last_start(), a.period);
  });
  std::vector<std::size_t> cost(slots + 1, 0);
  std::vector<Piece> pieces(slots);
  std::vector<Cutter> cutters;
  for (std::size_t i = slots; i-- > 0;) {
    for (; !runs.empty() && runs.back().last_start() == i; runs.pop_back()) {
      cutters.emplace_back(runs.back());
    }
    cutters.erase(std::remove_if(cutters.begin(), cutters.end(),
                                 [&](const Cutter& each) { return each.passed(i); }),
                  cutters.end());
    cost[i] = cost[i + 1] + 1;
    pieces[i] = {0, static_cast<std::uint32_t>(i + 1), 0};
    for (Cutter& each : cutters) {
      const Piece piece = each.from(i, cost);
      const std::size_t with = cost[piece.end] + piece.period + 1;
      if (with >= cost[i]) continue;
      cost[i] = with;
      pieces[i] = piece;
    }
  }
  return pieces;
}

/// Whether `loops` unroll to `slots`; makes no second copy of millions of slots.
bool are_unfolded(const std::vector<SlotLoop>& loops, const std::vector<Slot>& slots) {
  std::size_t i = 0;
  for (const SlotLoop& loop : loops) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      for (Slot slot : loop.slots) {
        slot.microbatch += round * loop.stride;
        if (i == slots.size() || !(slot == slots[i++])) return false;
      }
    }
  }
  return i == slots.size();
}

}  // namespace

std::vector<SlotLoop> fold_slots(std::vector<Slot> slots) {
  const std::vector<Piece> pieces = cheapest_cut(slots.size(), find_runs(slots));
  std::vector<SlotLoop> loops;
  bool open = false;  // whether single slots may be appended to the last loop
  for (std::size_t i = 0; i < slots.size(); i = pieces[i].end) {
    const Piece& piece = pieces[i];
    const auto first = slots.begin() + static_cast<std::ptrdiff_t>(i);
    if (piece.period > 0) {
      const auto rounds = static_cast<std::uint32_t>((piece.end - i) / piece.period);
      loops.push_back(
          {{first, first + static_cast<std::ptrdiff_t>(piece.period)}, rounds, piece.stride});
    } else {
      if (!open) loops.push_back({});
      loops.back().slots.push_back(*first);
    }
    open = piece.period == 0;
  }
  // Different texts may have equal hashes: then returns the slots without loops.
  if (!are_unfolded(loops, slots)) return {{std::move(slots), 1, 0}};
  return loops;
}

}  // namespace orrery::workload
