// SPDX-License-Identifier: Apache-2.0
//
// orrery study reproduce: repeats a case study and compares it with its publication.
#include <filesystem>
#include <memory>
#include <utility>

#include "addons/case_study/command/rows.h"
#include "addons/case_study/text/reproduce_answer.h"
#include "addons/case_study/text/reproduce_files.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"

namespace orrery::commands {

namespace {

struct ReproduceOptions {
  std::string name;
  bool list = false;
  std::uint32_t threads = 0;

  static constexpr auto fields =
      std::tuple{QuestionField{"name", &ReproduceOptions::name, "NAME", "", kAnswer,
                               "themis-tutorial", "A built-in case study, or a file (study.yaml)"},
                 QuestionField{"list", &ReproduceOptions::list, "--list-studies", "", kAnswer, "true",
                               "List the built-in case studies"},
                 QuestionField{"threads", &ReproduceOptions::threads, "--threads", "N", kNothing,
                               "2", "Runs that are simulated concurrently; 0: one per core"}};
};

/// The files of the folder in addition to the results.
std::vector<std::pair<std::string, std::string>> files_of(
    const present::Reproduction& reproduction) {
  std::vector<std::pair<std::string, std::string>> files{
      {"table.md", present::reproduce_markdown(reproduction)},
      {"table.csv", present::reproduce_csv(reproduction)}};
  if (std::string svg = present::reproduce_svg(reproduction); !svg.empty())
    files.emplace_back("picture.svg", std::move(svg));
  return files;
}

/// Files in a folder with results may be overwritten.
Result<void> check_folder(const std::string& folder, const std::string& results, bool force) {
  std::error_code none;
  if (force || std::filesystem::exists(results, none)) return {};
  for (const char* name : {"table.md", "table.csv", "picture.svg"})
    if (auto fine = check_absent(folder + "/" + name, false); !fine) return fine;
  return {};
}

int reproduce(ReproduceOptions& options, Context& context) {
  if (options.list) return context.deliver(present::state_case_studies);
  if (options.name.empty())
    return context.fail(
        {Errc::usage, "NAME", "is missing", "'orrery study reproduce --list-studies' lists them"});
  auto study = case_study::read_case_study(options.name);
  if (!study) return context.fail(study.error());
  const std::string folder = std::exchange(context.output, {});
  case_study::CaseRunOptions how;
  how.threads = options.threads;
  if (!folder.empty()) {
    how.file = folder + "/results.jsonl";
    if (auto fine = check_folder(folder, how.file, context.force); !fine)
      return context.fail(fine.error());
  }
  Progress progress(context);
  const Progress::Phase phase{"simulate", "simulating", "runs"};
  how.progress = [&](std::size_t done, std::size_t of) { progress.update(phase, done, of); };
  auto answers = case_study::evaluate_runs(study->space, study->runs, how);
  progress.clear();
  if (!answers) return context.fail(answers.error());
  present::Reproduction reproduction{*std::move(study), *std::move(answers), {}};
  reproduction.table = case_study::fill_case_table(reproduction.study, reproduction.answers.runs);
  if (!folder.empty())
    for (const auto& [name, text] : files_of(reproduction))
      if (auto written = write_output(folder + "/" + name, text, true); !written)
        return context.fail(written.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_reproduction(answer, reproduction); },
      reproduction.failed() > 0 ? kSaysNo : kOk);
}

}  // namespace

Action add_study_reproduce(CommandOptions& command, Context& context) {
  describe(command,
           "Shows which inputs are known and from where, the simulated figures, their\n"
           "difference from the published ones, and why. With -o the results are stored; the\n"
           "same command continues after an interruption.\n"
           "Exit code: 0, or 1 if a run could not be simulated.\n"
           "\n"
           "Examples:\n"
           "  orrery study reproduce --list-studies\n"
           "  orrery study reproduce themis-tutorial -o themis\n");
  const auto options = std::make_shared<ReproduceOptions>();
  add_fields(command, *options);
  context.add_options(command);
  command.field("--output").type = "DIR";
  return [options, &context] { return reproduce(*options, context); };
}

}  // namespace orrery::commands
