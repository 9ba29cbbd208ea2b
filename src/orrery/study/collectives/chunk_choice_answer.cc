// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/chunk_choice_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "orrery/core/text/units.h"

namespace orrery::study {

using sim::ChunkChoice;

namespace {

/// "0.07 % above the bound (dimensions 0 1)"
std::string chunk_order_bound_text(const ChunkChoice& choice) {
  if (choice.bound.count() == 0) return "no bound is known";
  std::string by = choice.limit_text;
  if (by.empty() && choice.limiting_dims.empty()) by = "the path of one chunk";
  if (by.empty())
    by = fmt::format("dimension{} {}", choice.limiting_dims.size() == 1 ? "" : "s",
                     fmt::join(choice.limiting_dims, " "));
  return fmt::format("{} above the bound ({})", above_bound(choice.bound, choice.time), by);
}

std::string chunk_choice_text(const ChunkChoice& choice) {
  const std::string by = choice.dims.size() < 2 ? "" : fmt::format(" ({})", choice.method);
  return fmt::format("{} among {}: {} chunk{}, {}{}, {} alone; {}", format_bytes(choice.bytes),
                     choice.members, choice.chunks, choice.chunks == 1 ? "" : "s",
                     chunk_orders_text(choice), by, format_time(choice.time),
                     chunk_order_bound_text(choice));
}

}  // namespace

std::string chunk_orders_text(const ChunkChoice& choice) {
  constexpr std::size_t kMaxShown = 3;
  if (choice.dims.size() < 2) return "one dimension";
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaxShown, choice.shares.size()); ++i) {
    const ChunkChoice::Share& share = choice.shares[i];
    text += fmt::format("{}{} × {}", i == 0 ? "" : ", ", share.chunks, fmt::join(share.order, " "));
  }
  if (choice.shares.size() > kMaxShown)
    text += fmt::format(" and {} more", choice.shares.size() - kMaxShown);
  return text;
}

std::string above_bound(Time bound, Time time) {
  if (bound.count() == 0) return "-";
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>((time - bound).count()) /
                                     static_cast<double>(bound.count()));
}

void state_chunk_choice(report::Answer& answer, const ChunkChoice& choice) {
  answer.line(choice.type, chunk_choice_text(choice));
  answer.field("type", choice.type).field("bytes", choice.bytes);
  answer.field("group_size", choice.members).list("dimension_numbers", choice.dims);
  answer.field("chunks", choice.chunks).field("order_source", choice.method);
  answer.field("time_ns", choice.time);
  if (choice.bound.count() > 0) {
    answer.field("bound_ns", choice.bound).list("bound_by_dimensions", choice.limiting_dims);
    if (!choice.limit_text.empty()) answer.field("cut", choice.limit_text);
  }
  answer.each("orders", choice.shares, [](report::Answer& order, const ChunkChoice::Share& share) {
    order.list("order", share.order).field("chunks", share.chunks);
  });
}

}  // namespace orrery::study
