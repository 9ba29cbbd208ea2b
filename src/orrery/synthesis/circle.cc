// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "orrery/synthesis/order_internal.h"

namespace orrery::synthesis {
namespace {

/// Some step of a circle: whoever waits, waits for another that does.
std::uint32_t on_a_circle(const std::vector<std::uint32_t>& waits, const PlanOrder& order) {
  std::vector<bool> met(waits.size());
  auto at = static_cast<std::uint32_t>(
      std::find_if(waits.begin(), waits.end(), [](std::uint32_t n) { return n > 0; }) -
      waits.begin());
  while (!met[at]) {
    met[at] = true;
    for (const std::uint32_t before : order.before_of(at)) {
      if (waits[before] == 0) continue;
      at = before;
      break;
    }
  }
  return at;
}

/// The shortest circle through `start`: each waits for the next, the last for the first.
std::vector<std::uint32_t> circle_through(std::uint32_t start,
                                          const std::vector<std::uint32_t>& waits,
                                          const PlanOrder& order) {
  std::vector<std::uint32_t> met_from(waits.size(), kNoStep), queue{start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t at = queue[i];
    for (const std::uint32_t before : order.before_of(at)) {
      if (before == start) {
        std::vector<std::uint32_t> circle{at};
        while (circle.back() != start) circle.push_back(met_from[circle.back()]);
        std::reverse(circle.begin(), circle.end());
        return circle;
      }
      if (waits[before] == 0 || met_from[before] != kNoStep) continue;
      met_from[before] = at;
      queue.push_back(before);
    }
  }
  return {start};
}

std::string_view waits_for(PlanEdge why) {
  switch (why) {
    case PlanEdge::block:
      return "is in its block after";
    case PlanEdge::dependency:
      return "depends on";
    case PlanEdge::message:
      return "waits for the message of";
    case PlanEdge::counter:
      return "waits for the signal of";
    case PlanEdge::packet:
      break;
  }
  return "waits for the packet of";
}

}  // namespace

void add_circle(const Plan& plan, const std::vector<std::uint32_t>& waits, PlanOrder& order) {
  const auto circle = circle_through(on_a_circle(waits, order), waits, order);
  PlanError error{PlanFault::circle, order.numbers.at(circle.front()), true, {}, {}};
  error.what = fmt::format("{} steps wait for each other in a circle, and {} for them",
                           circle.size(), waits.size() - order.order.size() - circle.size());
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const std::uint32_t step = circle[i], next = circle[(i + 1) % circle.size()];
    const auto before = order.before_of(step);
    const auto place = std::find(before.begin(), before.end(), next) - before.begin();
    const PlanEdge why = order.why[order.first_before[step] + static_cast<std::size_t>(place)];
    error.story.push_back(fmt::format("{} {} {}", to_text(plan, order.numbers.at(step)),
                                      waits_for(why), to_text(plan, order.numbers.at(next))));
  }
  order.errors.push_back(std::move(error));
}

}  // namespace orrery::synthesis
