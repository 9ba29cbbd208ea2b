// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels: which kernels there are, how long they take, and who says so.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "kernels/kernel_context.h"
#include "kernels/kernels_options.h"
#include "options/input_options.h"
#include "orrery/graph/kernel.h"
#include "orrery/present/kernels/kernels_check_text.h"
#include "orrery/present/kernels/kernels_layers_text.h"
#include "orrery/present/kernels/kernels_step_text.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/study/kernels/kernel_parser.h"
#include "orrery/study/kernels/kernel_table_report.h"
#include "orrery/study/kernels/steps/step_kernels.h"
#include "orrery/study/kernels/systolic_report.h"
#include "orrery/study/questions/error_hints.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/job_description.h"
#include "question_options.h"

namespace orrery::app {

namespace {

constexpr const char* kDevice = "h100-sxm";
constexpr const char* kFormat = "bf16";

int one_kernel(KernelsOptions& options, Session& session) {
  const auto kernel = study::parse_kernel(
      options.words, options.dtype.empty() ? kFormat : options.dtype, options.pass);
  if (!kernel) return session.fail(kernel.error());
  if (options.sources.devices.empty()) options.sources.devices = {kDevice};
  Findings findings;
  const auto answers = study::estimate_kernel(*kernel, options.sources, findings);
  if (!answers) return session.fail(answers.error(), findings);
  return session.deliver(present::kernel_text(*kernel, *answers, findings, session.out_style()),
                         [&] { return present::kernel_json(*kernel, *answers, findings); });
}

int check_table_file(KernelsOptions& options, Session& session) {
  const std::size_t files =
      options.words.size() - 1 + (options.sources.files.kernel_table.empty() ? 0 : 1);
  if (files != 1)
    return session.fail({Errc::usage, "kernels check",
                         files == 0 ? "which table?" : "one table at a time",
                         "orrery kernels check TABLE.csv"});
  const auto report = study::report_kernel_table(
      options.words.size() > 1 ? options.words[1] : options.sources.files.kernel_table,
      options.sources.devices);
  if (!report) return session.fail(report.error());
  for (const Error& error : report->errors) session.talk_error(error);
  return session.deliver(
      present::kernels_check_text(*report, session.out_style()),
      [&] { return present::kernels_check_json(*report); },
      report->errors.empty() ? kOk : exit_code(report->errors.front().code));
}

int recorded_kernels(KernelsOptions& options, Session& session) {
  return kernel_context({{options.words.begin() + 1, options.words.end()},
                         options.sources.devices,
                         {.files = options.sources.files},
                         options.question.compute,
                         options.all},
                        session);
}

int plot_tables(KernelsOptions& options, Session& session) {
  const auto tables = named_tables(options, "plot");
  if (!tables) return session.fail(tables.error());
  study::KernelPlotQuestion question;
  question.tables = *tables;
  question.devices = options.tables.devices;
  if (!options.question.compute.empty()) question.compute = options.question.compute;
  question.files = options.sources.files;
  question.only_devices = options.sources.devices;
  question.held_back = options.tables.held_back;
  question.seed = options.tables.seed;
  return plot_kernels(std::move(question), session);
}

int layers_on_array(KernelsOptions& options, Session& session) {
  if (options.words.size() != 2 || options.sources.files.systolic.empty())
    return session.fail({Errc::usage, "kernels layers",
                         options.words.size() != 2 ? "name one file of layers" : "on which array?",
                         "orrery kernels layers TOPOLOGY.csv --systolic ARRAY.cfg"});
  const auto report =
      study::report_systolic_layers(options.words[1], options.sources.files.systolic);
  if (!report) return session.fail(report.error());
  return session.deliver(present::kernels_layers_text(*report, session.out_style()),
                         [&] { return present::kernels_layers_json(*report); });
}

int step_kernels(KernelsOptions& options, Session& session) {
  study::Question& question = options.question;
  if (!options.words.empty())
    return session.fail(
        {Errc::usage, "KERNEL", "a kernel and a job are two questions", "ask one at a time"});
  question.kernel_files = options.sources.files;
  if (auto fine = study::settle(question); !fine) return session.fail(fine.error());
  Findings findings;
  const auto cluster = study::read_cluster(question, findings);
  if (!cluster) return session.fail(cluster.error(), findings);
  const auto program =
      study::assemble(question.job, {cluster->platform.npu_count(), question.cluster}, findings);
  if (!program) return session.fail(program.error(), findings);
  if (auto fine = study::check_device_count(*program, cluster->platform, question.cluster); !fine)
    return session.fail(fine.error(), findings);
  const auto step = study::step_kernels(*program, *cluster);
  const auto& platform = cluster->platform;
  return session.deliver(
      present::kernels_step_text(*program, platform, step, options.all, findings,
                                 session.out_style()),
      [&] { return present::kernels_step_json(*program, platform, step, options.all, findings); });
}

constexpr std::array<Mode<KernelsOptions>, 4> kKernelModes = {{{"check", check_table_file},
                                                               {"context", recorded_kernels},
                                                               {"layers", layers_on_array},
                                                               {"plot", plot_tables}}};

int kernels(CLI::App& command, KernelsOptions& options, const ModeActions& added,
            Session& session) {
  const std::string first = options.words.empty() ? "" : options.words.front();
  const auto* const mode = find_mode(kKernelModes, first);
  const auto other = added.find(first);
  const bool is_mode = mode != nullptr || other != added.end();
  const bool job = options.question.job.given();
  if (is_mode && job)
    return session.fail({Errc::usage, "--spec", "is only for a job", "leave it out"});
  if (auto fine = check_mode(command, is_mode                 ? "'" + first + "'"
                                      : job                   ? "a job"
                                      : options.words.empty() ? "no kernel"
                                                              : "one kernel");
      !fine)
    return session.fail(fine.error());
  if (other != added.end()) return other->second();
  if (mode != nullptr) return mode->run(options, session);
  if (job) return step_kernels(options, session);
  if (!options.words.empty()) return one_kernel(options, session);
  return session.deliver(present::kernel_list_text(session.out_style()),
                         [] { return present::kernel_list_json(); });
}

}  // namespace

std::vector<std::string_view> kernel_words() {
  std::vector<std::string_view> words = with_added_modes("kernels", names_of(kKernelModes));
  for (std::size_t i = 1; i < graph::kOperations; ++i)
    words.emplace_back(name(static_cast<graph::Operation>(i)));
  return words;
}

Action add_kernels(CLI::App& command, Session& session) {
  describe(
      command,
      std::string(
          "Of one kernel, or of a training step. Each time has an interval; a warning appears\n"
          "where a table of measured kernels ends.\n"
          "  orrery kernels                        lists operations, formats and devices\n"
          "  orrery kernels check kernels.csv      contents of a table, and how far to trust it\n"
          "                                        (exit code 3: damaged, or impossible times)\n"
          "  orrery kernels context trace.json     kernels in recorded steps, compared with\n"
          "                                        their times alone\n"
          "  orrery kernels plot a.csv -o a.svg    measured against predicted times, as a plot\n"
          "  orrery kernels layers net.csv --systolic array.cfg\n"
          "                                        SCALE-Sim's layers on SCALE-Sim's array\n") +
          added_usage("kernels") +
          "\n"
          "Examples:\n"
          "  orrery kernels gemm 4096 8192 8192 --dtype bf16 --device h100-sxm,mi300x\n"
          "  orrery kernels --model llama-3.1-8b --tp 4 --cluster h100-sxm:8\n");
  const auto options = std::make_shared<KernelsOptions>();
  add_fields(command, *options);
  const ModeActions added = add_modes("kernels", command, *options, session);
  session.add_options(command);
  return
      [options, added, &command, &session] { return kernels(command, *options, added, session); };
}

}  // namespace orrery::app
