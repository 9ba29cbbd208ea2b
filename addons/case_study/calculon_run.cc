// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/calculon_run.h"

#include <cmath>

#include "addons/calculon/step_estimate.h"

namespace orrery::case_study {

namespace {

namespace calculon = estimate::calculon;

template <class T>
Result<T> part_of(const Json& tree, const char* key, const std::string& where,
                  Result<T> (*parse)(std::string_view, const std::string&)) {
  const std::string place = where + ":/calculon";
  if (!tree.is_object() || !tree.contains(key))
    return fail(Errc::config_missing_key, place + "/" + key, "is missing",
                "give model, system and execution with the contents of Calculon's files");
  return parse(tree[key].dump(), place + "/" + key);
}

double in_picoseconds(double seconds) { return std::round(seconds * 1e12); }

}  // namespace

Result<MetricValues> calculon_values(const GridRun& run, const std::string& where) {
  const auto model = part_of(run.calculon, "model", where, calculon::parse_model);
  if (!model) return tl::unexpected(model.error());
  const auto machine = part_of(run.calculon, "system", where, calculon::parse_machine);
  if (!machine) return tl::unexpected(machine.error());
  const auto plan = part_of(run.calculon, "execution", where, calculon::parse_plan);
  if (!plan) return tl::unexpected(plan.error());
  auto step = calculon::step_of(*model, *machine, *plan);
  if (!step) {
    step.error().where = where + ":/calculon/execution";
    return tl::unexpected(step.error());
  }
  const calculon::Times& times = step->times;
  MetricValues values;
  values[RunMetric::time] = in_picoseconds(times.total());
  values[RunMetric::compute] =
      in_picoseconds(times.forward + times.backward + times.recompute + times.optimizer);
  values[RunMetric::communication] = in_picoseconds(
      times.tensor_link + times.tensor_recompute_link + times.pipeline_link + times.data_link);
  values[RunMetric::exposed] =
      in_picoseconds(times.tensor + times.tensor_recompute + times.pipeline + times.data);
  values[RunMetric::memory] = in_picoseconds(times.offload_forward + times.offload_backward);
  values[RunMetric::idle] = in_picoseconds(times.bubble);
  values[RunMetric::peak_memory] = std::round(step->space.tier1);
  return values;
}

}  // namespace orrery::case_study
