// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/plan_check.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "orrery/synthesis/plans/plan_interpreter.h"
#include "orrery/synthesis/plans/plan_places.h"
#include "orrery/synthesis/plans/plan_races.h"

namespace orrery::synthesis {
namespace {

/// Appends errors; their text begins with `mode` if it is given.
void append(std::vector<PlanError>& all, std::vector<PlanError> more, std::string_view mode) {
  for (PlanError& error : more) {
    if (!mode.empty()) error.what = fmt::format("{}: {}", mode, error.what);
    all.push_back(std::move(error));
  }
}

/// Checks the plan with one arrangement of buffers. False: there are errors.
bool check_mode(const Plan& plan, const PlanOrder& order, bool in_place, bool only_one,
                std::vector<PlanError>& errors) {
  const std::string_view mode = only_one ? "" : in_place ? "in place" : "out of place";
  const std::size_t before = errors.size();
  const PlanPlaces places(plan, in_place);
  append(errors, find_races(plan, order, places), mode);
  if (plan.collective == CollectiveType::unknown) return errors.size() == before;
  if (!places.size_error().empty()) {
    append(errors, {{PlanFault::wrong_buffers, {}, false, places.size_error(), {}}}, mode);
    return false;
  }
  PlanInterpreter interpreter(plan, order, places);
  append(errors, interpreter.run(), mode);
  append(errors, interpreter.compare(PlanCheck::kMaxErrors), mode);
  return errors.size() == before;
}

}  // namespace

PlanCheck check_plan(const Plan& plan) {
  PlanCheck made;
  PlanOrder order = make_plan_order(plan);
  std::vector<PlanError> errors = std::move(order.errors);
  if (!errors.empty()) {
    made.unchecked_reason = "it cannot run";
  } else {
    bool outputs = false;
    for (const PlanRank& rank : plan.ranks) outputs = outputs || rank.chunks[1] != 0;
    // Without an output buffer, the plan cannot run out of place.
    const bool out_of_place = plan.out_of_place && outputs,
               in_place = plan.in_place || !out_of_place;
    if (in_place) check_mode(plan, order, true, !out_of_place, errors);
    if (out_of_place && errors.empty()) check_mode(plan, order, false, !in_place, errors);
    made.result_checked = plan.collective != CollectiveType::unknown;
    if (!made.result_checked)
      made.unchecked_reason =
          fmt::format("the result of \"{}\" is not defined", plan.collective_name);
  }
  made.error_count = errors.size();
  if (errors.size() > PlanCheck::kMaxErrors) errors.resize(PlanCheck::kMaxErrors);
  made.errors = std::move(errors);
  return made;
}

}  // namespace orrery::synthesis
