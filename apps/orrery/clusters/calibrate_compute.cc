// SPDX-License-Identifier: Apache-2.0
#include "clusters/calibrate.h"
#include "orrery/study/calibrate/compute_calibration.h"
#include "progress.h"

namespace orrery::app {

int calibrate_compute(const CalibrateOptions& options, Session& session,
                      const FitKernelModel& fit) {
  const auto path = take_result_path(session);
  if (!path) return session.fail(path.error());
  study::ComputeCalibrationQuestion question;
  question.files = options.files();
  question.device = options.device;
  question.devices = options.devices;
  question.date = options.date;
  Progress progress(session);
  question.progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  const auto answer = study::calibrate_compute(question, findings);
  progress.clear();
  if (!answer) return session.fail(answer.error(), findings);
  const auto model = fit ? fit(*answer) : present::KernelModelFile();
  if (!model) return session.fail(model.error(), findings);
  if (!path->empty())
    if (auto done = write_output(*path, answer->table, session.force); !done)
      return session.fail(done.error(), findings);
  if (!model->path.empty())
    if (auto done = write_output(model->path, model->text, session.force); !done)
      return session.fail(done.error(), findings);
  if (*path == "-") return kOk;
  return session.deliver(
      present::calibrate_compute_text(*answer, *path, *model, session.out_style()),
      [&] { return present::calibrate_compute_json(*answer, *path, *model); });
}

}  // namespace orrery::app
