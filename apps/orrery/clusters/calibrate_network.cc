// SPDX-License-Identifier: Apache-2.0
#include "clusters/calibrate.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/present/clusters/calibrate_network_text.h"
#include "orrery/study/calibrate/network_calibration.h"

namespace orrery::app {

int calibrate_network(const CalibrateOptions& options, Session& session) {
  const auto path = take_result_path(session);
  if (!path) return session.fail(path.error());
  study::NetworkCalibrationQuestion question;
  question.files = options.files();
  question.device = options.device;
  question.collective = options.collective;
  question.ranks = options.ranks;
  question.nodes = options.nodes;
  question.date = options.date;
  question.tuner = !options.tuner.empty();
  for (const std::string* file : {&options.tuner, &options.plot})
    if (auto fine = file->empty() ? Result<void>() : check_absent(*file, session.force); !fine)
      return session.fail(fine.error());
  Findings findings;
  const auto answer = study::calibrate_network(question, findings);
  if (!answer) return session.fail(answer.error(), findings);
  const auto write = [&](const std::string& file, const std::string& text) {
    return file.empty() ? Result<void>() : write_output(file, text, session.force);
  };
  if (auto done = write(*path, answer->file); !done) return session.fail(done.error(), findings);
  if (answer->tuner) {
    if (auto done = write(options.tuner, answer->tuner->text()); !done)
      return session.fail(done.error(), findings);
  }
  if (!options.plot.empty()) {
    if (auto done = write(options.plot, present::calibrate_network_svg(*answer)); !done)
      return session.fail(done.error(), findings);
  }
  if (*path == "-") return kOk;
  return session.deliver(
      present::calibrate_network_text(*answer, *path, options.tuner, session.out_style()),
      [&] { return present::calibrate_network_json(*answer, *path, options.tuner); });
}

}  // namespace orrery::app
