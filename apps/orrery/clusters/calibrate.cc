// SPDX-License-Identifier: Apache-2.0
#include "clusters/calibrate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <utility>

#include "command.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"

namespace orrery::app {

namespace {

constexpr std::array<Mode<const CalibrateOptions>, 4> kCalibrations = {
    {{"network", calibrate_network},
     {"compute", [](const CalibrateOptions& options,
                    Session& session) { return calibrate_compute(options, session, {}); }},
     {"overheads", calibrate_overheads},
     {"variability", calibrate_variability}}};

int calibrate(CLI::App& command, const CalibrateOptions& options, const ModeActions& added,
              Session& session) {
  const std::string kind = options.words.empty() ? "" : options.words.front();
  const auto* const calibration = find_mode(kCalibrations, kind);
  const auto other = added.find(kind);
  if (calibration == nullptr && other == added.end())
    return session.fail({Errc::usage, "calibrate",
                         kind.empty() ? "what?" : in_quotes(kind) + " cannot be calibrated",
                         "orrery calibrate network FILE…, compute FILE…, overheads TRACE… or "
                         "variability TRACE…"});
  if (auto fine = check_mode(command, "'" + kind + "'"); !fine) return session.fail(fine.error());
  if (options.words.size() < 2)
    return session.fail({Errc::usage, "calibrate " + kind, "from which measurements?",
                         "orrery calibrate " + kind + " FILE…"});
  return other != added.end() ? other->second() : calibration->run(options, session);
}

}  // namespace

Result<std::string> take_result_path(Session& session) {
  std::string path = std::exchange(session.output, {});
  if (path == "-" && session.json)
    return fail(Errc::usage, "--output", "stdout cannot take both the file and JSON",
                "give a file");
  return path;
}

std::vector<std::string_view> calibration_words() {
  return with_added_modes("calibrate", names_of(kCalibrations));
}

Action add_calibrate(CLI::App& command, Session& session) {
  describe(
      command,
      "Prints the error for sizes that the fit did not use, and writes what a cluster\n"
      "file reads.\n"
      "  orrery calibrate network all_reduce.log -o curves.yaml    collectives, from nccl-tests,\n"
      "                                        rccl-tests, NCCL's Inspector, CSV\n"
      "  orrery calibrate compute trace.json.gz -o kernels.csv     kernels, from recordings with\n"
      "                                        shapes and from tables\n"
      "  orrery calibrate overheads trace.json.gz -o host.yaml     launch times of the host, and\n"
      "                                        gaps between kernels\n"
      "  orrery calibrate variability 'rank*.json.gz' -o ours.yaml how much ranks and steps vary,\n"
      "                                        for --variability\n"
      "\n"
      "Examples:\n"
      "  orrery calibrate network logs/*.log -o curves.yaml --write-tuner tuner.csv\n"
      "  orrery calibrate network inspector/ --device h100-sxm --json\n");
  const auto options = std::make_shared<CalibrateOptions>();
  add_fields(command, *options);
  const ModeActions added = add_modes("calibrate", command, *options, session);
  session.add_options(command);
  return
      [options, added, &command, &session] { return calibrate(command, *options, added, session); };
}

}  // namespace orrery::app
