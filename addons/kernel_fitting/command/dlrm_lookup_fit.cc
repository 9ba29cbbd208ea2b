// SPDX-License-Identifier: Apache-2.0
//
// orrery dlrm lookup fit: trains neural networks for lookup times on measured lookups.
#include <memory>
#include <utility>

#include "addons/kernel_fitting/command/rows.h"
#include "addons/kernel_fitting/text/lookup_fit_answer.h"
#include "orrery/commands/kernels/dlrm_lookup_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"

namespace orrery::commands {

namespace {

struct LookupFitOptions {
  int epochs = 0;

  static constexpr std::string_view group = "fit";
  static constexpr auto fields =
      std::tuple{QuestionField{"epochs", &LookupFitOptions::epochs, "--epochs", "N", kAnswer, "3",
                               "fit: number of epochs; by default 120"}
                     .only_for("'fit'")};
};

int fit_lookups(const EmbeddingsOptions& options, int epochs, Context& context) {
  if (options.words.size() < 2)
    return context.fail(
        {Errc::usage, "embeddings fit", "no measured lookups are given",
         "the program includes no measurements: orrery dlrm lookup fit lookups.csv -o my.nets"});
  const std::string path = std::exchange(context.output, {});
  if (path.empty() || path == "-")
    return context.fail({Errc::usage, "--output", "is missing", "-o FILE, for the nets"});
  Progress progress(context);
  const Progress::Phase fitting{"fit", "fitting", "nets"};
  progress.begin(fitting, 0);
  std::uint64_t done = 0;
  const auto fit = study::fit_lookups(
      {options.words.begin() + 1, options.words.end()}, epochs,
      static_cast<std::uint64_t>(options.seed),
      [&](const model::DeviceLookupNet&) { progress.update(fitting, ++done, 0); });
  progress.clear();
  if (!fit) return context.fail(fit.error());
  if (auto written = write_output(path, fit->file, context.force); !written)
    return context.fail(written.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_lookup_fit(answer, *fit, path); });
}

}  // namespace

Action add_dlrm_lookup_fit(CommandOptions& command, const EmbeddingsOptions& options,
                          Context& context) {
  const auto own = std::make_shared<LookupFitOptions>();
  add_fields(command, *own);
  set_modes(command, "--seed", "'synthesize', 'fit'");
  return [own, &options, &context] { return fit_lookups(options, own->epochs, context); };
}

}  // namespace orrery::commands
