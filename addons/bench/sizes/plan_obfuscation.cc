// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/sizes/plan_obfuscation.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "addons/bench/plan/replay_memory.h"
#include "addons/bench/sizes/sizes.h"
#include "orrery/intake/edit/aliases.h"

namespace orrery::bench {
namespace {

constexpr std::uint64_t kCandidatesPerDirection = 2;

/// Near sizes that are not in `used`: larger ones first if `larger`, then smaller ones, otherwise
/// the reverse.
std::vector<std::int64_t> nearby_sizes(std::int64_t size, bool larger, std::string_view salt,
                                       const std::vector<std::int64_t>& used) {
  const std::int64_t room = size / 16;
  std::int64_t step = 1;
  while (size % (2 * step) == 0 && 4 * step <= room) step *= 2;
  const auto choices = static_cast<std::uint64_t>(room / step);
  const std::uint64_t random =
      intake::siphash(intake::siphash(0, 0, salt), 0, std::to_string(size));
  std::vector<std::int64_t> all;
  for (const bool up : {larger, !larger}) {
    for (std::uint64_t i = 0; i < std::min(choices, kCandidatesPerDirection); ++i) {
      const auto steps = static_cast<std::int64_t>((random + i) % choices) + 1;
      const std::int64_t made = up ? size + steps * step : size - steps * step;
      if (std::find(used.begin(), used.end(), made) == used.end()) all.push_back(made);
    }
  }
  return all;
}

class SizeSearch {
 public:
  SizeSearch(const ReplayPlan& plan, std::string_view salt, std::int64_t limit, const Trial& trial)
      : plan_(plan), salt_(salt), limit_(limit), trial_(trial), sizes_(plan), best_(plan) {}

  Result<SizeObfuscation> run() {
    auto before = trial_(plan_);
    if (!before) return tl::unexpected(std::move(before.error()));
    before_ = *std::move(before);
    std::vector<std::int64_t> candidates = sizes_.free_sizes();
    std::erase_if(candidates, [](std::int64_t size) { return size < kMinHiddenSize; });
    std::reverse(candidates.begin(), candidates.end());
    used_ = sizes_.all();
    for (const std::int64_t size : candidates)
      if (auto tried = change(size); !tried) return tl::unexpected(std::move(tried.error()));
    SizeObfuscation outcome;
    for (const std::int64_t size : sizes_.all()) outcome.sizes += size >= kMinHiddenSize ? 1 : 0;
    outcome.changed = changed_sizes();
    outcome.work = work_ratio(work_of(best_), work_of(plan_));
    return outcome;
  }
  ReplayPlan take() { return std::move(best_); }

 private:
  /// Uses the first near size that operators accept.
  Result<void> change(std::int64_t size) {
    for (const std::int64_t made : nearby_sizes(size, less_work(), salt_, used_)) {
      SizeChanges changes = changes_;
      changes[size] = made;
      auto plan = sizes_.resized(changes);
      if (!plan || !plan_memory(*plan, limit_)) continue;
      const auto after = trial_(*plan);
      if (!after) return tl::unexpected(after.error());
      bool worse = false;
      for (std::size_t s = 0; s < before_.size(); ++s)
        worse = worse || ((*after)[s] && !before_[s]);
      if (worse) continue;
      changes_ = std::move(changes);
      used_.push_back(made);
      best_ = *std::move(plan);
      return {};
    }
    return {};
  }

  [[nodiscard]] bool less_work() const {
    const WorkRatio ratio = work_ratio(work_of(best_), work_of(plan_));
    return ratio.bytes + ratio.flops <= 2;
  }

  [[nodiscard]] std::uint64_t changed_sizes() const {
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
  std::vector<std::int64_t> used_;
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
  for (ProcessGroup& group : plan.groups) group.name = groups.of(group.name);
  plan.named = false;
}

Result<SizeObfuscation> obfuscate_sizes(ReplayPlan& plan, std::string_view salt,
                                        std::int64_t memory_limit, const Trial& trial) {
  SizeSearch search(plan, salt, memory_limit, trial);
  auto outcome = search.run();
  if (outcome) plan = search.take();
  return outcome;
}

}  // namespace orrery::bench
