// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace orrery::trace::pytorch {

/// Maps node ids to numbers. Ids of a trace are nearly dense and nearly in order, so neighboring
/// ids share a small page. An isolated id needs a page of its own.
class IdMap {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t find(std::uint64_t id) const {
    const auto page = pages_.find(id >> kShift);
    return page == pages_.end() ? kAbsent : page->second[id & kMask];
  }
  /// Returns false, without a change, if `id` exists already.
  bool insert(std::uint64_t id, std::uint32_t number) {
    if (page_ == nullptr || page_id_ != id >> kShift) {
      const auto [page, fresh] = pages_.try_emplace(id >> kShift);
      if (fresh) page->second.fill(kAbsent);
      page_ = &page->second;
      page_id_ = id >> kShift;
    }
    std::uint32_t& place = (*page_)[id & kMask];
    if (place != kAbsent) return false;
    place = number;
    return true;
  }

 private:
  static constexpr unsigned kShift = 6;
  static constexpr std::uint64_t kMask = (1u << kShift) - 1;
  using Page = std::array<std::uint32_t, 1u << kShift>;

  std::unordered_map<std::uint64_t, Page> pages_;
  Page* page_ = nullptr;  // the last used page; a map's values do not move
  std::uint64_t page_id_ = 0;
};

}  // namespace orrery::trace::pytorch
