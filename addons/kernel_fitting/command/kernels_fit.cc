// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels fit: fits a model of kernel times to tables of measured kernels.
#include <memory>
#include <utility>

#include "addons/kernel_fitting/command/rows.h"
#include "addons/kernel_fitting/text/kernels_fit_answer.h"
#include "orrery/commands/kernels/kernels_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"

namespace orrery::commands {

namespace {

struct FitOptions {
  std::string by;
  std::vector<std::string> classes;
  std::int64_t epochs = 0;
  std::string notes;
  bool quick = false;

  static constexpr std::string_view group = "fit";
  static constexpr auto fields = std::tuple{
      QuestionField{
          "by", &FitOptions::by, "--by", "HOW", kAnswer, "nets",
          "fit: trees (XGBoost) or nets (neural networks); by default trees, if XGBoost is there"}
          .only_for("'fit'"),
      QuestionField{"classes", &FitOptions::classes, "--classes", "NAMES", kAnswer, "softmax",
                    "fit: only these classes, separated by commas: gemm_bf16,softmax"}
          .only_for("'fit'")
          .comma_separated()
          .one_each(),
      QuestionField{"epochs", &FitOptions::epochs, "--epochs", "N", kAnswer, "3",
                    "fit: epochs of neural networks; by default about one minute per network"}
          .only_for("'fit'"),
      QuestionField{"notes", &FitOptions::notes, "--notes", "FILE", kAnswer, "notes.txt",
                    "fit: file of text for the header of the model, such as sources"}
          .only_for("'fit'"),
      QuestionField{"quick", &FitOptions::quick, "--no-leave-out", "", kAnswer, "true",
                    "fit: skip the test that predicts each device from the others"}
          .only_for("'fit'")};
};

int fit_kernels(const study::KernelFitQuestion& question, Context& context) {
  const auto path = take_output(context, "model");
  if (!path) return context.fail(path.error());
  Progress progress(context);
  const Progress::Phase fitting{"fit", "fitting", "classes"};
  progress.begin(fitting, 0);
  std::uint64_t done = 0;
  const auto fitted = study::fit_kernels(
      question, [&](const model::KernelFitReport&) { progress.update(fitting, ++done, 0); });
  progress.clear();
  if (!fitted) return context.fail(fitted.error());
  if (auto written = write_output(*path, fitted->fit.file, context.force); !written)
    return context.fail(written.error(), fitted->findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_kernels_fit(answer, *fitted, *path); });
}

int fit_tables(const KernelsOptions& options, const FitOptions& own, Context& context) {
  const auto tables = named_tables(options, "fit");
  if (!tables) return context.fail(tables.error());
  study::KernelFitQuestion question;
  question.tables = *tables;
  question.devices = options.tables.devices;
  question.by = own.by;
  question.notes = own.notes;
  question.classes = own.classes;
  question.seed = options.tables.seed;
  question.epochs = own.epochs;
  question.leave_out = !own.quick;
  return fit_kernels(question, context);
}

}  // namespace

Action add_kernels_fit(CommandOptions& command, const KernelsOptions& options, Context& context) {
  const auto own = std::make_shared<FitOptions>();
  add_fields(command, *own);
  set_modes(command, "--device-sheets", "'fit', 'plot'");
  set_advanced(command, {"--by", "--classes", "--epochs", "--notes", "--no-leave-out"});
  set_modes(command, "--seed", "'fit', 'plot'");
  return [own, &options, &context] { return fit_tables(options, *own, context); };
}

}  // namespace orrery::commands
