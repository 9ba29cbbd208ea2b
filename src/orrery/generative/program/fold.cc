// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/program/fold.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace orrery::generative {
namespace {

constexpr std::uint32_t kFirstLoop = 1U << 31;  ///< symbols from here on are loops

/// A loop, as a symbol of the next round.
struct Loop {
  std::vector<std::uint32_t> body;
  std::uint32_t count = 0;
  friend auto operator<=>(const Loop&, const Loop&) = default;
};

class Folder {
 public:
  Folded run(std::vector<std::uint32_t> symbols) {
    for (bool changed = true; changed;) {
      changed = false;
      const std::uint32_t longest =
          std::min<std::uint32_t>(kMaxPeriod, static_cast<std::uint32_t>(symbols.size() / 2));
      for (std::uint32_t period = 1; period <= longest && !changed; ++period)
        changed = fold_period(symbols, period);
    }
    Folded folded;
    write(symbols, folded);
    return folded;
  }

 private:
  /// Replaces every repetition with this period.
  bool fold_period(std::vector<std::uint32_t>& symbols, std::uint32_t period) {
    std::vector<std::uint32_t> made;
    bool changed = false;
    const std::size_t size = symbols.size();
    for (std::size_t at = 0; at < size;) {
      std::size_t equal = 0;
      while (at + equal + period < size && symbols[at + equal] == symbols[at + equal + period])
        ++equal;
      const std::size_t count = equal / period + 1;
      if (count < 2 || saving({symbols.data() + at, period}, count) < kMinSaving) {
        made.push_back(symbols[at++]);
        continue;
      }
      Loop loop{{symbols.begin() + static_cast<std::ptrdiff_t>(at),
                 symbols.begin() + static_cast<std::ptrdiff_t>(at + period)},
                static_cast<std::uint32_t>(count)};
      made.push_back(intern(std::move(loop)));
      at += count * period;
      changed = true;
    }
    symbols = std::move(made);
    return changed;
  }

  /// Symbols of the original sequence that a loop saves.
  [[nodiscard]] std::uint64_t saving(std::span<const std::uint32_t> body, std::size_t count) const {
    std::uint64_t length = 0;
    for (const std::uint32_t symbol : body)
      length += symbol < kFirstLoop ? 1 : lengths_[symbol - kFirstLoop];
    return length * (count - 1);
  }

  std::uint32_t intern(Loop loop) {
    const std::uint64_t length = saving(loop.body, loop.count + 1U);
    const auto [found, is_new] =
        numbers_.emplace(std::move(loop), kFirstLoop + static_cast<std::uint32_t>(loops_.size()));
    if (is_new) {
      loops_.push_back(&found->first);
      lengths_.push_back(length);
    }
    return found->second;
  }

  void write(std::span<const std::uint32_t> symbols, Folded& folded) const {
    for (const std::uint32_t symbol : symbols) {
      if (symbol < kFirstLoop) {
        folded.push_back({FoldedItem::Kind::symbol, symbol});
        continue;
      }
      const Loop& loop = *loops_[symbol - kFirstLoop];
      folded.push_back({FoldedItem::Kind::loop, loop.count});
      write(loop.body, folded);
      folded.push_back({FoldedItem::Kind::end, 0});
    }
  }

  std::map<Loop, std::uint32_t> numbers_;
  std::vector<const Loop*> loops_;
  std::vector<std::uint64_t> lengths_;  // by loop, unfolded
};

/// Unfolds from `at` to the end of the loop; false: not well formed, or too long.
bool unfold_from(const Folded& folded, std::size_t& at, std::uint32_t depth, std::uint64_t limit,
                 std::vector<std::uint32_t>& symbols) {
  while (at < folded.size()) {
    const FoldedItem& item = folded[at++];
    if (item.kind == FoldedItem::Kind::end) return depth > 0;
    if (item.kind == FoldedItem::Kind::symbol) {
      if (symbols.size() >= limit) return false;
      symbols.push_back(item.value);
      continue;
    }
    if (depth >= kMaxFoldDepth || item.value < 2) return false;
    const std::size_t first = symbols.size();
    if (!unfold_from(folded, at, depth + 1, limit, symbols)) return false;
    const std::size_t body = symbols.size() - first;
    if (body == 0 || item.value > limit || first + std::uint64_t{body} * item.value > limit)
      return false;
    for (std::uint32_t round = 1; round < item.value; ++round)
      for (std::size_t i = 0; i < body; ++i) symbols.push_back(symbols[first + i]);
  }
  return depth == 0;
}

}  // namespace

Folded fold(std::span<const std::uint32_t> symbols) {
  return Folder().run({symbols.begin(), symbols.end()});
}

std::vector<std::uint32_t> unfold(const Folded& folded, std::uint64_t limit) {
  std::vector<std::uint32_t> symbols;
  std::size_t at = 0;
  if (!unfold_from(folded, at, 0, limit, symbols)) symbols.clear();
  return symbols;
}

}  // namespace orrery::generative
