// SPDX-License-Identifier: Apache-2.0
//
// orrery reproduce: a case study run again, beside what was published.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "addons/case_study/command/rows.h"
#include "addons/case_study/text/reproduce_text.h"
#include "apps/orrery/output_file.h"
#include "apps/orrery/progress.h"
#include "apps/orrery/question_options.h"

namespace orrery::app {

namespace {

struct ReproduceOptions {
  std::string name;
  bool list = false;
  std::uint32_t threads = 0;

  static constexpr auto fields = std::tuple{
      QuestionField{"name", &ReproduceOptions::name, "NAME", "", kAnswer, "themis-tutorial",
                    "A case study that is built in, or a file (study.yaml)"},
      QuestionField{"list", &ReproduceOptions::list, "--list", "", kAnswer, "true",
                    "Name those that are built in"},
      QuestionField{"threads", &ReproduceOptions::threads, "--threads", "N", kNothing, "2",
                    "Runs at a time; 0: as many as there are cores"}};
};

/// What goes into the folder beside the results.
std::vector<std::pair<std::string, std::string>> files_of(
    const present::Reproduction& reproduction) {
  std::vector<std::pair<std::string, std::string>> files{
      {"table.md", present::reproduce_markdown(reproduction)},
      {"table.csv", present::reproduce_csv(reproduction)}};
  if (std::string svg = present::reproduce_svg(reproduction); !svg.empty())
    files.emplace_back("picture.svg", std::move(svg));
  return files;
}

/// A folder with results in it is ours to write into again.
Result<void> check_folder(const std::string& folder, const std::string& results, bool force) {
  std::error_code none;
  if (force || std::filesystem::exists(results, none)) return {};
  for (const char* name : {"table.md", "table.csv", "picture.svg"})
    if (auto fine = check_absent(folder + "/" + name, false); !fine) return fine;
  return {};
}

int list(const Session& session) {
  return session.deliver(present::case_studies_text(session.out_style()),
                         [] { return present::case_studies_json(); });
}

int reproduce(ReproduceOptions& options, Session& session) {
  if (options.list) return list(session);
  if (options.name.empty())
    return session.fail(
        {Errc::usage, "NAME", "is missing", "'orrery reproduce --list' names them"});
  auto study = case_study::read_case_study(options.name);
  if (!study) return session.fail(study.error());
  const std::string folder = std::exchange(session.output, {});
  case_study::CaseRunOptions how;
  how.threads = options.threads;
  if (!folder.empty()) {
    how.file = folder + "/results.jsonl";
    if (auto fine = check_folder(folder, how.file, session.force); !fine)
      return session.fail(fine.error());
  }
  Progress progress(session);
  const Progress::Phase phase{"simulate", "simulating", "runs"};
  how.progress = [&](std::size_t done, std::size_t of) { progress.tell(phase, done, of); };
  auto answers = case_study::evaluate_runs(study->space, study->runs, how);
  progress.clear();
  if (!answers) return session.fail(answers.error());
  present::Reproduction reproduction{*std::move(study), *std::move(answers), {}};
  reproduction.table = case_study::fill_case_table(reproduction.study, reproduction.answers.runs);
  if (!folder.empty())
    for (const auto& [name, text] : files_of(reproduction))
      if (auto written = write_output(folder + "/" + name, text, true); !written)
        return session.fail(written.error());
  return session.deliver(
      present::reproduce_text(reproduction, session.out_style()),
      [&] { return present::reproduce_json(reproduction); },
      reproduction.failed() > 0 ? kSaysNo : kOk);
}

}  // namespace

Action add_reproduce(CLI::App& command, Session& session) {
  describe(command,
           "Shows which inputs are known and from where, the simulated figures, their\n"
           "difference from the published ones, and why.\n"
           "With -o the results are stored; the same command continues after an interruption.\n"
           "Exit code: 0, or 1 if a run could not be simulated.\n"
           "\n"
           "Examples:\n"
           "  orrery reproduce --list\n"
           "  orrery reproduce themis-tutorial -o themis\n");
  const auto options = std::make_shared<ReproduceOptions>();
  add_fields(command, *options);
  session.add_options(command);
  command.get_option("--output")->type_name("DIR");
  return [options, &session] { return reproduce(*options, session); };
}

}  // namespace orrery::app
