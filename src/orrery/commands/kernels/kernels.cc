// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels: predicts kernel times, and shows the models that predict them.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/kernels/kernel_context.h"
#include "orrery/commands/kernels/kernels_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/graph/kernel.h"
#include "orrery/present/kernels/kernels_answer.h"
#include "orrery/present/kernels/kernels_check_answer.h"
#include "orrery/present/kernels/kernels_layers_answer.h"
#include "orrery/present/kernels/kernels_step_answer.h"
#include "orrery/study/kernels/kernel_parser.h"
#include "orrery/study/kernels/kernel_table_report.h"
#include "orrery/study/kernels/steps/step_kernels.h"
#include "orrery/study/kernels/systolic_report.h"
#include "orrery/study/questions/error_hints.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

constexpr const char* kDevice = "h100-sxm";
constexpr const char* kFormat = "bf16";

int one_kernel(KernelsOptions& options, Context& context) {
  const auto kernel = study::parse_kernel(
      options.words, options.dtype.empty() ? kFormat : options.dtype, options.pass);
  if (!kernel) return context.fail(kernel.error());
  if (options.sources.devices.empty()) options.sources.devices = {kDevice};
  Findings findings;
  const auto devices = study::estimate_kernel(*kernel, options.sources, findings);
  if (!devices) return context.fail(devices.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_kernel(answer, *kernel, *devices, findings); });
}

int check_table_file(KernelsOptions& options, Context& context) {
  const std::size_t files =
      options.words.size() - 1 + (options.sources.files.kernel_table.empty() ? 0 : 1);
  if (files != 1)
    return context.fail({Errc::usage, "kernels check",
                         files == 0 ? "no table is given" : "takes one table",
                         "orrery kernels check TABLE.csv"});
  const auto report = study::report_kernel_table(
      options.words.size() > 1 ? options.words[1] : options.sources.files.kernel_table,
      options.sources.devices);
  if (!report) return context.fail(report.error());
  for (const Error& error : report->errors) context.report_error(error);
  return context.deliver(
      [&](report::Answer& answer) { present::state_kernel_table(answer, *report); },
      report->errors.empty() ? kOk : exit_code(report->errors.front().code));
}

int recorded_kernels(KernelsOptions& options, Context& context) {
  return kernel_context({{options.words.begin() + 1, options.words.end()},
                         options.sources.devices,
                         {.files = options.sources.files},
                         options.question.compute,
                         options.all},
                        context);
}

int plot_tables(KernelsOptions& options, Context& context) {
  const auto tables = named_tables(options, "plot");
  if (!tables) return context.fail(tables.error());
  study::KernelPlotQuestion question;
  question.tables = *tables;
  question.devices = options.tables.devices;
  if (!options.question.compute.empty()) question.compute = options.question.compute;
  question.files = options.sources.files;
  question.only_devices = options.sources.devices;
  question.held_back = options.tables.held_back;
  question.seed = options.tables.seed;
  return plot_kernels(std::move(question), context);
}

int layers_on_array(KernelsOptions& options, Context& context) {
  if (options.words.size() != 2 || options.sources.files.systolic.empty())
    return context.fail(
        {Errc::usage, "kernels layers",
         options.words.size() != 2 ? "takes one file of layers" : "no systolic array is given",
         "orrery kernels layers TOPOLOGY.csv --systolic ARRAY.cfg"});
  const auto report =
      study::report_systolic_layers(options.words[1], options.sources.files.systolic);
  if (!report) return context.fail(report.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_systolic_layers(answer, *report); });
}

int step_kernels(KernelsOptions& options, Context& context) {
  study::Question& question = options.question;
  if (!options.words.empty())
    return context.fail(
        {Errc::usage, "KERNEL", "cannot be combined with a job", "give a kernel or a job"});
  question.kernel_files = options.sources.files;
  if (auto fine = study::settle(question); !fine) return context.fail(fine.error());
  Findings findings;
  const auto cluster = study::read_cluster(question, findings);
  if (!cluster) return context.fail(cluster.error(), findings);
  const auto program =
      study::assemble(question.job, study::size_of(cluster->platform, question.cluster), findings);
  if (!program) return context.fail(program.error(), findings);
  if (auto fine = study::check_device_count(*program, cluster->platform, question.cluster); !fine)
    return context.fail(fine.error(), findings);
  const auto step = study::step_kernels(*program, *cluster);
  return context.deliver([&](report::Answer& answer) {
    present::state_step_kernels(answer, *program, cluster->platform, step, options.all, findings);
  });
}

constexpr std::array<Mode<KernelsOptions>, 4> kKernelModes = {{{"check", check_table_file},
                                                               {"context", recorded_kernels},
                                                               {"layers", layers_on_array},
                                                               {"plot", plot_tables}}};

int kernels(CommandOptions& command, KernelsOptions& options, const ModeActions& added,
            Context& context) {
  const std::string first = options.words.empty() ? "" : options.words.front();
  const auto* const mode = find_mode(kKernelModes, first);
  const auto other = added.find(first);
  const bool is_mode = mode != nullptr || other != added.end();
  const bool job = options.question.job.given();
  if (is_mode && job)
    return context.fail({Errc::usage, "--spec",
                         fmt::format("cannot be combined with 'kernels {}'", first),
                         "leave the job out"});
  if (auto fine = check_mode(command, is_mode                 ? "'" + first + "'"
                                      : job                   ? "a job"
                                      : options.words.empty() ? "no kernel"
                                                              : "one kernel");
      !fine)
    return context.fail(fine.error());
  if (other != added.end()) return other->second();
  if (mode != nullptr) return mode->run(options, context);
  if (job) return step_kernels(options, context);
  if (!options.words.empty()) return one_kernel(options, context);
  return context.deliver(present::state_kernel_list);
}

}  // namespace

std::vector<std::string_view> kernel_words() {
  std::vector<std::string_view> words = with_added_modes("kernels", names_of(kKernelModes));
  for (std::size_t i = 1; i < graph::kOperations; ++i)
    words.emplace_back(name(static_cast<graph::Operation>(i)));
  return words;
}

Action add_kernels(CommandOptions& command, Context& context) {
  describe(
      command,
      std::string(
          "Predicts one kernel, or all kernels of a training step. Each time has a\n"
          "prediction interval. A warning marks kernels outside a table of measured\n"
          "kernels.\n"
          "  orrery kernels                        lists operations, formats and devices\n"
          "  orrery kernels check kernels.csv      contents and errors of a table; exit code 3: "
          "damaged\n"
          "  orrery kernels context trace.json     kernels in recorded steps, compared with alone\n"
          "  orrery kernels plot a.csv -o a.svg    measured against predicted times, as a plot\n"
          "  orrery kernels layers net.csv --systolic a.cfg    SCALE-Sim's layers on its array\n") +
          added_usage("kernels") +
          "\n"
          "Examples:\n"
          "  orrery kernels gemm 4096 8192 8192 --dtype bf16 --device h100-sxm,mi300x\n"
          "  orrery kernels --model llama-3.1-8b --tp 4 --cluster h100-sxm:8\n");
  const auto options = std::make_shared<KernelsOptions>();
  add_fields(command, *options);
  set_advanced(command,
               {"--device-sheets", "--seed", "--held-back", "--systolic", "--kernel-model"});
  const ModeActions added = add_modes("kernels", command, *options, context);
  context.add_options(command);
  return
      [options, added, &command, &context] { return kernels(command, *options, added, context); };
}

}  // namespace orrery::commands
