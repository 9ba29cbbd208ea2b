// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/sizes/plan_resize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "addons/bench/plan/replay_memory.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::bench {
namespace {

constexpr const char* kOption = "--resize";

auto wrong(std::string what, std::string hint) {
  return fail(Errc::usage, kOption, std::move(what), std::move(hint));
}

/// Checks that each size can be changed.
Result<void> check_free(const Sizes& sizes, const SizeChanges& changes) {
  const std::vector<std::int64_t>& all = sizes.all();
  for (const auto& [size, to] : changes) {
    if (!std::binary_search(all.begin(), all.end(), size))
      return wrong(fmt::format("no tensor has the size {}", size),
                   fmt::format("the sizes are {}", fmt::join(all, ", ")));
    const auto products = sizes.products_of(size);
    if (!products.empty())
      return wrong(
          fmt::format("{} is {}, and depends on these", size, fmt::join(products.front(), " x ")),
          fmt::format("change {}", fmt::join(products.front(), " or ")));
  }
  return {};
}

/// The recorded operator of a step, and the position of the step.
std::string step_named(const ReplayPlan& plan, std::size_t step) {
  return fmt::format("{} (step {})", plan.sources[plan.steps[step].source].name, step + 1);
}

}  // namespace

Result<SizeChanges> parse_size_changes(std::string_view text) {
  SizeChanges changes;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto from = parse_integer(one.substr(0, equals));
    const auto to = parse_integer(one.substr(std::min(equals + 1, one.size())));
    if (!from || !to || *from < 2 || *to < 1)
      return wrong(in_quotes(one) + " is not a size change",
                   "write 128=32 to change size 128 to 32; separate several by commas");
    if (!changes.emplace(*from, *to).second)
      return wrong(fmt::format("{} is changed twice", *from), "give each size once");
  }
  return changes;
}

Result<WorkRatio> resize(ReplayPlan& plan, const SizeChanges& changes, std::int64_t memory_limit,
                         const Trial& trial) {
  const Sizes sizes(plan);
  if (auto fine = check_free(sizes, changes); !fine) return tl::unexpected(std::move(fine.error()));
  auto made = sizes.resized(changes);
  if (!made)
    return wrong(
        "the sizes are inconsistent: a product would need two different sizes, or a view spans "
        "them",
        "change other sizes together with them, or instead of them");
  if (auto memory = plan_memory(*made, memory_limit); !memory)
    return tl::unexpected(std::move(memory.error()));
  const auto before = trial(plan);
  if (!before) return tl::unexpected(before.error());
  const auto after = trial(*made);
  if (!after) return tl::unexpected(after.error());
  for (std::size_t s = 0; s < before->size(); ++s)
    if ((*after)[s] && !(*before)[s])
      return wrong(step_named(plan, s) + " does not accept the new sizes",
                   "change another size together with them");
  const WorkRatio ratio = work_ratio(work_of(*made), work_of(plan));
  plan = *std::move(made);
  return ratio;
}

}  // namespace orrery::bench
