// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/clusters/calibrate.h"
#include "orrery/commands/output_file.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/present/clusters/calibrate_network_answer.h"
#include "orrery/study/calibrate/network_calibration.h"

namespace orrery::commands {

int calibrate_network(const CalibrateOptions& options, Context& context) {
  const auto path = take_result_path(context);
  if (!path) return context.fail(path.error());
  study::NetworkCalibrationQuestion question;
  question.files = options.files();
  question.device = options.device;
  question.collective = options.collective;
  question.ranks = options.ranks;
  question.nodes = options.nodes;
  question.date = options.date;
  question.tuner = !options.tuner.empty();
  for (const std::string* file : {&options.tuner, &options.plot})
    if (auto fine = file->empty() ? Result<void>() : check_absent(*file, context.force); !fine)
      return context.fail(fine.error());
  Findings findings;
  const auto calibration = study::calibrate_network(question, findings);
  if (!calibration) return context.fail(calibration.error(), findings);
  const auto write = [&](const std::string& file, const std::string& text) {
    return file.empty() ? Result<void>() : write_output(file, text, context.force);
  };
  if (auto done = write(*path, calibration->file); !done)
    return context.fail(done.error(), findings);
  if (calibration->tuner) {
    if (auto done = write(options.tuner, calibration->tuner->text()); !done)
      return context.fail(done.error(), findings);
  }
  if (!options.plot.empty()) {
    if (auto done = write(options.plot, present::calibrate_network_svg(*calibration)); !done)
      return context.fail(done.error(), findings);
  }
  if (*path == "-") return kOk;
  return context.deliver([&](report::Answer& answer) {
    present::state_network_calibration(answer, *calibration, *path, options.tuner);
  });
}

}  // namespace orrery::commands
