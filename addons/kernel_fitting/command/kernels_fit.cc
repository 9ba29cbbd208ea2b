// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels fit: a model of kernel times, fitted to tables of measured ones.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "addons/kernel_fitting/command/rows.h"
#include "addons/kernel_fitting/text/kernels_fit_text.h"
#include "apps/orrery/kernels/kernels_options.h"
#include "apps/orrery/progress.h"

namespace orrery::app {

namespace {

struct FitOptions {
  std::string by;
  std::vector<std::string> classes;
  std::int64_t epochs = 0;
  std::string notes;
  bool quick = false;

  static constexpr std::string_view group = "fit";
  static constexpr auto fields = std::tuple{
      QuestionField{"by", &FitOptions::by, "--by", "HOW", kAnswer, "nets",
                    "fit: trees (XGBoost) or nets; trees where there is XGBoost"}
          .only_for("'fit'"),
      QuestionField{"classes", &FitOptions::classes, "--classes", "NAMES", kAnswer, "softmax",
                    "fit: only these, commas between them: gemm_bf16,softmax"}
          .only_for("'fit'")
          .comma_separated()
          .one_each(),
      QuestionField{"epochs", &FitOptions::epochs, "--epochs", "N", kAnswer, "3",
                    "fit: how often nets see each row; by default what takes about a minute a "
                    "net"}
          .only_for("'fit'"),
      QuestionField{"notes", &FitOptions::notes, "--notes", "FILE", kAnswer, "notes.txt",
                    "fit: text for the model's head, such as sources"}
          .only_for("'fit'"),
      QuestionField{"quick", &FitOptions::quick, "--no-leave-out", "", kAnswer, "true",
                    "fit: do not try each device by the others"}
          .only_for("'fit'")};
};

int fit_kernels(const study::KernelFitQuestion& question, Session& session) {
  const auto path = take_output(session, "model");
  if (!path) return session.fail(path.error());
  Progress progress(session);
  const Progress::Phase fitting{"fit", "fitting", "classes"};
  progress.begin(fitting, 0);
  std::uint64_t done = 0;
  const auto answer = study::fit_kernels(
      question, [&](const model::KernelFitReport&) { progress.tell(fitting, ++done, 0); });
  progress.clear();
  if (!answer) return session.fail(answer.error());
  if (auto written = write_output(*path, answer->fit.file, session.force); !written)
    return session.fail(written.error(), answer->findings);
  return session.deliver(present::kernels_fit_text(*answer, *path, session.out_style()),
                         [&] { return present::kernels_fit_json(*answer, *path); });
}

int fit_tables(const KernelsOptions& options, const FitOptions& own, Session& session) {
  const auto tables = named_tables(options, "fit");
  if (!tables) return session.fail(tables.error());
  study::KernelFitQuestion question;
  question.tables = *tables;
  question.devices = options.tables.devices;
  question.by = own.by;
  question.notes = own.notes;
  question.classes = own.classes;
  question.seed = options.tables.seed;
  question.epochs = own.epochs;
  question.leave_out = !own.quick;
  return fit_kernels(question, session);
}

}  // namespace

Action add_kernels_fit(CLI::App& command, const KernelsOptions& options, Session& session) {
  const auto own = std::make_shared<FitOptions>();
  add_fields(command, *own);
  set_modes(command, "--devices", "'fit', 'plot'");
  set_modes(command, "--seed", "'fit', 'plot'");
  return [own, &options, &session] { return fit_tables(options, *own, session); };
}

}  // namespace orrery::app
