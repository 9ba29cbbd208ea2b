// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/network_calibration.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"
#include "orrery/study/calibrate/calibration_sources.h"

namespace orrery::study {
namespace {

Result<std::int32_t> count_of(const char* option, std::int64_t number) {
  if (number < 0 || number > static_cast<std::int64_t>(limits::kRanks))
    return fail(Errc::usage, option, fmt::format("must be 0 to {}", limits::kRanks));
  return static_cast<std::int32_t>(number);
}

}  // namespace

Result<NetworkCalibrationAnswer> calibrate_network(const NetworkCalibrationQuestion& question,
                                                   Findings& findings) {
  if (auto fine = check_date(question.date); !fine) return tl::unexpected(fine.error());
  const auto ranks = count_of("--world-size", question.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  const auto nodes = count_of("--nodes", question.nodes);
  if (!nodes) return tl::unexpected(nodes.error());
  const calibrate::ReadOptions options{
      .collective = question.collective, .device = {}, .ranks = *ranks, .nodes = *nodes};
  const auto set = calibrate::read_measurements(question.files, findings, options);
  if (!set) return tl::unexpected(set.error());
  auto calibration = calibrate::calibrate_network(*set, {question.device}, findings);
  if (!calibration) return tl::unexpected(std::move(calibration.error()));
  NetworkCalibrationAnswer answer;
  answer.calibration = *std::move(calibration);
  model::CurveNotes& notes = answer.calibration.notes;
  notes.made_by = "orrery calibrate network";
  if (!question.date.empty()) notes.made_on = question.date;
  const auto hashed = hash_files(set->files);
  if (!hashed) return tl::unexpected(hashed.error());
  for (const SourceFile& file : *hashed) notes.made_from.push_back({file.name, file.sha256});
  std::vector<model::CollectiveCurve> curves;
  for (const calibrate::CalibratedCurve& one : answer.calibration.curves)
    curves.push_back(one.curve);
  answer.file = model::write_curve_file(notes, curves);
  if (question.tuner) {
    auto tuner = calibrate::tuner_choices(answer.calibration);
    if (!tuner) return tl::unexpected(std::move(tuner.error()));
    answer.tuner = *std::move(tuner);
  }
  answer.findings = findings;
  return answer;
}

}  // namespace orrery::study
