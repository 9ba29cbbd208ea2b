// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/collective_library.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/core/text/text.h"
#include "orrery/model/collective/library/library_machine.h"
#include "orrery/study/kernels/kernel_files.h"

namespace orrery::study {
namespace {

/// The curves of the device, by its name in the catalog or in the cluster file.
Result<std::vector<model::CollectiveCurve>> curves_of(
    const std::vector<model::CollectiveCurve>& all, const platform::Device& device,
    const std::string& where) {
  std::vector<model::CollectiveCurve> mine;
  std::set<std::string> others;
  for (const model::CollectiveCurve& curve : all) {
    if (curve.device == device.entry || curve.device == device.name) {
      mine.push_back(curve);
    } else {
      others.insert(curve.device);
    }
  }
  if (!mine.empty()) return mine;
  std::string names;
  for (const std::string& name : others) names += (names.empty() ? "" : ", ") + name;
  return fail(Errc::config_conflict, where, "has no curves of " + in_quotes(device.name),
              "it has curves of " + truncate(names, 200));
}

}  // namespace

Result<std::shared_ptr<const model::LibraryTimes>> read_collective_library(
    const Question& question, const platform::Platform& platform) {
  const platform::LibrarySettings& settings = platform.collectives.settings;
  std::vector<model::CollectiveCurve> own;
  if (!settings.curves.empty()) {
    auto curves = model::read_curves(resolve_cluster_path(question, settings.curves));
    if (!curves) return tl::unexpected(std::move(curves.error()));
    auto mine = curves_of(*curves, platform.device, settings.curves);
    if (!mine) return tl::unexpected(std::move(mine.error()));
    own = *std::move(mine);
  }
  std::vector<model::nccl::TunerLine> tuner;
  if (!settings.tuner.empty()) {
    const std::string path = resolve_cluster_path(question, settings.tuner);
    const auto text = config::read_text(path);
    if (!text) return tl::unexpected(text.error());
    auto lines = model::nccl::parse_tuner(*text, path);
    if (!lines) return tl::unexpected(std::move(lines.error()));
    tuner = *std::move(lines);
  }
  auto library = model::make_library_times(platform, std::move(own), std::move(tuner));
  if (!library) library.error().where = question.cluster_name() + ":" + library.error().where;
  return library;
}

}  // namespace orrery::study
