// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/sizes/plan_obfuscation.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "addons/bench/plan/replay_memory.h"
#include "addons/bench/plan/replay_work.h"
#include "addons/bench/sizes/sizes.h"
#include "orrery/intake/edit/aliases.h"

namespace orrery::bench {
namespace {

constexpr std::uint64_t kTriedEachWay = 2;

/// Near sizes that are none of `taken`: some larger ones and some smaller ones, or the other way
/// round.
std::vector<std::int64_t> near(std::int64_t size, bool larger, std::string_view salt,
                               const std::vector<std::int64_t>& taken) {
  const std::int64_t room = size / 16;
  std::int64_t step = 1;
  while (size % (2 * step) == 0 && 4 * step <= room) step *= 2;
  const auto choices = static_cast<std::uint64_t>(room / step);
  const std::uint64_t drawn = intake::siphash(intake::siphash(0, 0, salt), 0, std::to_string(size));
  std::vector<std::int64_t> all;
  for (const bool up : {larger, !larger}) {
    for (std::uint64_t i = 0; i < std::min(choices, kTriedEachWay); ++i) {
      const auto steps = static_cast<std::int64_t>((drawn + i) % choices) + 1;
      const std::int64_t made = up ? size + steps * step : size - steps * step;
      if (std::find(taken.begin(), taken.end(), made) == taken.end()) all.push_back(made);
    }
  }
  return all;
}

double over(double now, double before) { return before > 0 ? now / before : 1; }

class SizeSearch {
 public:
  SizeSearch(const ReplayPlan& plan, std::string_view salt, std::int64_t limit, const Trial& trial)
      : plan_(plan), salt_(salt), limit_(limit), trial_(trial), sizes_(plan), best_(plan) {}

  Result<SizeObfuscation> run() {
    auto before = trial_(plan_);
    if (!before) return tl::unexpected(std::move(before.error()));
    before_ = *std::move(before);
    std::vector<std::int64_t> candidates = sizes_.free();
    std::erase_if(candidates, [](std::int64_t size) { return size < kMinHiddenSize; });
    std::reverse(candidates.begin(), candidates.end());
    taken_ = sizes_.all();
    for (const std::int64_t size : candidates)
      if (auto tried = change(size); !tried) return tl::unexpected(std::move(tried.error()));
    SizeObfuscation predicted;
    for (const std::int64_t size : sizes_.all()) predicted.sizes += size >= kMinHiddenSize ? 1 : 0;
    const PlanWork old = work_of(plan_), now = work_of(best_);
    predicted.changed = different();
    predicted.bytes = over(now.bytes, old.bytes);
    predicted.flops = over(now.flops, old.flops);
    return predicted;
  }
  ReplayPlan take() { return std::move(best_); }

 private:
  /// The first near size that operators agree to.
  Result<void> change(std::int64_t size) {
    for (const std::int64_t made : near(size, less_work(), salt_, taken_)) {
      SizeChanges changes = changes_;
      changes[size] = made;
      auto plan = sizes_.with(changes);
      if (!plan || !plan_memory(*plan, limit_)) continue;
      const auto after = trial_(*plan);
      if (!after) return tl::unexpected(after.error());
      bool worse = false;
      for (std::size_t s = 0; s < before_.size(); ++s)
        worse = worse || ((*after)[s] && !before_[s]);
      if (worse) continue;
      changes_ = std::move(changes);
      taken_.push_back(made);
      best_ = *std::move(plan);
      return {};
    }
    return {};
  }

  [[nodiscard]] bool less_work() const {
    const PlanWork old = work_of(plan_), now = work_of(best_);
    return over(now.bytes, old.bytes) + over(now.flops, old.flops) <= 2;
  }

  [[nodiscard]] std::uint64_t different() const {
    std::map<std::int64_t, bool> changed;
    for (std::size_t slot = 0; slot < plan_.info.size(); ++slot) {
      const auto& old = plan_.info[slot].spec.sizes;
      for (std::size_t d = 0; d < old.size(); ++d)
        if (old[d] >= kMinHiddenSize) changed[old[d]] |= best_.info[slot].spec.sizes[d] != old[d];
    }
    return static_cast<std::uint64_t>(std::count_if(changed.begin(), changed.end(),
                                                    [](const auto& size) { return size.second; }));
  }

  const ReplayPlan& plan_;
  std::string_view salt_;
  std::int64_t limit_;
  const Trial& trial_;
  Sizes sizes_;
  ReplayPlan best_;
  std::vector<bool> before_;
  std::vector<std::int64_t> taken_;
  SizeChanges changes_;
};

}  // namespace

void obfuscate_names(ReplayPlan& plan, std::string_view salt) {
  intake::Aliases aliases("op_", salt);
  for (PlanSource& source : plan.sources) {
    source.name = aliases.of(source.name);
    source.record_function = 0;
    source.kernel.reset();
  }
  intake::Aliases groups("group_", salt);
  for (PlanGroup& group : plan.groups) group.name = groups.of(group.name);
  plan.named = false;
}

Result<SizeObfuscation> obfuscate_sizes(ReplayPlan& plan, std::string_view salt,
                                        std::int64_t memory_limit, const Trial& trial) {
  SizeSearch search(plan, salt, memory_limit, trial);
  auto predicted = search.run();
  if (predicted) plan = search.take();
  return predicted;
}

}  // namespace orrery::bench
