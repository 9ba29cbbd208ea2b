// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/chunk_choice_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace orrery::present {

using sim::ChunkChoice;

std::string chunk_orders_text(const ChunkChoice& choice) {
  constexpr std::size_t kMostShown = 3;
  if (choice.dims.size() < 2) return "one dimension";
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostShown, choice.shares.size()); ++i) {
    const ChunkChoice::Share& share = choice.shares[i];
    text += fmt::format("{}{} × {}", i == 0 ? "" : ", ", share.chunks, fmt::join(share.order, " "));
  }
  if (choice.shares.size() > kMostShown)
    text += fmt::format(" and {} more", choice.shares.size() - kMostShown);
  return text;
}

std::string above_bound(Time bound, Time time) {
  if (bound.count() == 0) return "-";
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>((time - bound).count()) /
                                     static_cast<double>(bound.count()));
}

std::string chunk_order_bound_text(const ChunkChoice& choice) {
  if (choice.bound.count() == 0) return "no bound is known";
  if (!choice.cut.empty())
    return fmt::format("{} above the bound ({})", above_bound(choice.bound, choice.time),
                       choice.cut);
  const std::string_view s = choice.binds.size() == 1 ? "" : "s";
  const std::string by = choice.binds.empty()
                             ? "a chunk's way"
                             : fmt::format("dimension{} {}", s, fmt::join(choice.binds, " "));
  return fmt::format("{} above the bound ({})", above_bound(choice.bound, choice.time), by);
}

}  // namespace orrery::present
