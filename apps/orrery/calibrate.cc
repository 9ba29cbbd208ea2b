// SPDX-License-Identifier: Apache-2.0
#include "calibrate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <utility>

#include "commands.h"
#include "orrery/core/suggest.h"
#include "orrery/core/text.h"

namespace orrery::app {

namespace {

/// An option that was typed, and for which kinds it is.
Result<void> check_strays(const CalibrateOptions& options, const std::string& kind) {
  struct Option {
    const char* name;
    bool given;
    bool fits;
    const char* only_for;
  };
  const bool network = kind == "network", compute = kind == "compute";
  constexpr const char *kNetwork = "'calibrate network'", *kCompute = "'calibrate compute'";
  for (const Option& one :
       {Option{"--collective", !options.collective.empty(), network, kNetwork},
        Option{"--ranks", options.ranks != 0, network, kNetwork},
        Option{"--nodes", options.nodes != 0, network, kNetwork},
        Option{"--write-tuner", !options.tuner.empty(), network, kNetwork},
        Option{"--plot", !options.plot.empty(), network, kNetwork},
        Option{"--steps", options.steps != 0, kind == "variability", "'calibrate variability'"},
        Option{"--devices", !options.devices.empty(), compute, kCompute},
        Option{"--write-model", !options.model.empty(), compute, kCompute}})
    if (one.given && !one.fits)
      return fail(Errc::usage, one.name, std::string("is only for ") + one.only_for,
                  "leave it out");
  return {};
}

constexpr std::array<Mode<const CalibrateOptions>, 4> kCalibrations = {
    {{"network", calibrate_network},
     {"compute", calibrate_compute},
     {"overheads", calibrate_overheads},
     {"variability", calibrate_variability}}};

int calibrate(const CalibrateOptions& options, Session& session) {
  const std::string kind = options.words.empty() ? "" : options.words.front();
  const auto* const calibration = find_mode(kCalibrations, kind);
  if (calibration == nullptr)
    return session.fail({Errc::usage, "calibrate",
                         kind.empty() ? "what?" : in_quotes(kind) + " cannot be calibrated",
                         "orrery calibrate network FILE…, compute FILE…, overheads TRACE… or "
                         "variability TRACE…"});
  if (auto fine = check_strays(options, kind); !fine) return session.fail(fine.error());
  if (options.words.size() < 2)
    return session.fail({Errc::usage, "calibrate " + kind, "from which measurements?",
                         "orrery calibrate " + kind + " FILE…"});
  return calibration->run(options, session);
}

}  // namespace

Result<std::string> take_result_path(Session& session) {
  std::string path = std::exchange(session.output, {});
  if (path == "-" && session.json)
    return fail(Errc::usage, "--output", "stdout cannot take both the file and JSON",
                "give a file");
  return path;
}

std::vector<std::string_view> calibration_words() { return names_of(kCalibrations); }

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
  command
      .add_option("WHAT", options->words,
                  "network, compute, overheads or variability, then files, folders or patterns")
      ->type_name("");
  const auto option = [&](const char* names, auto& value, const char* about, const char* type) {
    return command.add_option(names, value, about)->type_name(type)->group("Inputs");
  };
  option("--device", options->device, "Of the catalogue, where files do not say one that is",
         "NAME");
  option("--date", options->date, "When it was measured, where files do not say: 2026-01-31",
         "DATE");
  option("--collective", options->collective, "network: which, where files do not say", "NAME");
  option("--ranks", options->ranks, "network: among how many, where files do not say", "N");
  option("--nodes", options->nodes, "network: on how many, where files do not say", "N");
  option("--steps", options->steps,
         "variability: how many steps traces hold; by default as many as repeat", "N");
  option("--devices", options->devices,
         "compute: data sheets of devices that the catalogue lacks, for tables", "FILE");
  session.add_options(command);
  const auto output = [&](const char* names, auto& value, const char* about) {
    command.add_option(names, value, about)->type_name("FILE")->group("Output");
  };
  output("--write-tuner", options->tuner, "network: what NCCL should choose, as its tuner's CSV");
  output("--write-model", options->model, "compute: a model fitted to the kernels, too");
  output("--plot", options->plot,
         "network: held-back sizes, measured against predicted, as a drawing");
  return [options, &session] { return calibrate(*options, session); };
}

}  // namespace orrery::app
