// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/constraint_check.h"

#include "orrery/explore/space/sample.h"

namespace orrery::explore {

namespace {

/// Calls `visit` with each examined combination. Errc: those of `visit`.
template <class Visit>
Result<void> each_combination(const SearchSpace& space, const SpaceCheck& how, const Visit& visit) {
  RandomSequence draw(static_cast<std::uint64_t>(space.file.sample.seed) + 3);
  for (std::uint64_t i = 0; i < how.examined; ++i) {
    const std::uint64_t number =
        how.all ? i : draw.below(static_cast<std::uint64_t>(how.combinations));
    if (auto fine = visit(space.lookup(space.at(number))); !fine) return fine;
  }
  return {};
}

/// Whether a constraint alone allows no examined combination.
Result<bool> allows_nothing(const SearchSpace& space, const SpaceCheck& how,
                            const Constraint& constraint) {
  bool any = false;
  auto looked = each_combination(space, how, [&](const Expression::Lookup& lookup) -> Result<void> {
    if (any) return {};
    const auto holds = constraint.holds.holds(lookup);
    // The constraint may fail on combinations that earlier constraints exclude.
    any = holds && *holds;
    return {};
  });
  return looked ? Result<bool>(!any) : tl::unexpected(looked.error());
}

}  // namespace

Result<SpaceCheck> space_check(const SearchSpace& space) {
  SpaceCheck made;
  made.combinations = space.combinations();
  made.all = made.combinations <= static_cast<double>(limits::kPoints);
  made.examined = made.all ? static_cast<std::uint64_t>(made.combinations) : limits::kChecked;
  made.left = made.examined;
  bool axes_only = false;
  for (const Constraint& one : space.constraints) {
    made.constraints.push_back({one.holds.text(), one.axes_only});
    axes_only = axes_only || one.axes_only;
  }
  if (!axes_only) return made;
  auto looked =
      each_combination(space, made, [&](const Expression::Lookup& lookup) -> Result<void> {
        for (std::size_t i = 0; i < space.constraints.size(); ++i) {
          if (!space.constraints[i].axes_only) continue;
          const auto holds = space.constraints[i].holds.holds(lookup);
          if (!holds) return tl::unexpected(holds.error());
          if (*holds) continue;
          ++made.constraints[i].removed;
          break;
        }
        return {};
      });
  if (!looked) return tl::unexpected(looked.error());
  for (std::size_t i = 0; i < made.constraints.size(); ++i) {
    ConstraintCheck& one = made.constraints[i];
    made.left -= one.removed;
    one.left = made.left;
    if (made.left > 0 || made.impossible) continue;
    made.impossible = i;
    const auto alone = allows_nothing(space, made, space.constraints[i]);
    if (!alone) return tl::unexpected(alone.error());
    made.alone = *alone;
  }
  return made;
}

}  // namespace orrery::explore
