// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/clusters/calibrate.h"

#include <array>
#include <memory>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/core/text/text.h"

namespace orrery::commands {

namespace {

constexpr std::array<Mode<const CalibrateOptions>, 4> kCalibrations = {
    {{"network", calibrate_network},
     {"compute", [](const CalibrateOptions& options,
                    Context& context) { return calibrate_compute(options, context, {}); }},
     {"overheads", calibrate_overheads},
     {"variability", calibrate_variability}}};

int calibrate(CommandOptions& command, const CalibrateOptions& options, const ModeActions& added,
              Context& context) {
  const std::string kind = options.words.empty() ? "" : options.words.front();
  const auto* const calibration = find_mode(kCalibrations, kind);
  const auto other = added.find(kind);
  if (calibration == nullptr && other == added.end())
    return context.fail({Errc::usage, "calibrate",
                         kind.empty() ? "no kind of calibration is given"
                                      : in_quotes(kind) + " cannot be calibrated",
                         "orrery calibrate network FILE…, compute FILE…, overheads TRACE… or "
                         "variability TRACE…"});
  if (auto fine = check_mode(command, "'" + kind + "'"); !fine) return context.fail(fine.error());
  if (options.words.size() < 2)
    return context.fail({Errc::usage, "calibrate " + kind, "no measurements are given",
                         "orrery calibrate " + kind + " FILE…"});
  return other != added.end() ? other->second() : calibration->run(options, context);
}

}  // namespace

Result<std::string> take_result_path(Context& context) {
  std::string path = std::exchange(context.output, {});
  if (path == "-" && context.json)
    return fail(Errc::usage, "--output", "stdout cannot take both the file and JSON",
                "give a file");
  return path;
}

std::vector<std::string_view> calibration_words() {
  return with_added_modes("calibrate", names_of(kCalibrations));
}

Action add_calibrate(CommandOptions& command, Context& context) {
  describe(
      command,
      "Prints the error for sizes that the fit did not use, and writes the result for a\n"
      "cluster file.\n"
      "  orrery calibrate network all_reduce.log -o curves.yaml    collectives, from nccl-tests,\n"
      "                                        rccl-tests, NCCL's Inspector, CSV\n"
      "  orrery calibrate compute trace.json.gz -o kernels.csv     kernels, from recordings with\n"
      "                                        shapes and from tables\n"
      "  orrery calibrate overheads trace.json.gz -o host.yaml     launch times of the host, and\n"
      "                                        gaps between kernels\n"
      "  orrery calibrate variability 'rank*.json.gz' -o ours.yaml variation of ranks and steps,\n"
      "                                        for --variability\n"
      "\n"
      "Examples:\n"
      "  orrery calibrate network logs/*.log -o curves.yaml --write-tuner tuner.csv\n"
      "  orrery calibrate network inspector/ --device h100-sxm --json\n");
  const auto options = std::make_shared<CalibrateOptions>();
  add_fields(command, *options);
  const ModeActions added = add_modes("calibrate", command, *options, context);
  context.add_options(command);
  return
      [options, added, &command, &context] { return calibrate(command, *options, added, context); };
}

}  // namespace orrery::commands
