// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/search/search_executor.h"

#include <algorithm>
#include <filesystem>

#include "orrery/core/system/atomic_file.h"
#include "orrery/core/text/text.h"
#include "orrery/present/search/search_shares_answer.h"

namespace orrery::commands {

namespace {

namespace fs = std::filesystem;

/// The command line of the search, without the options of executors.
std::vector<std::string> search_words(const SearchedSpace& searched,
                                      const explore::ExploreOptions& how) {
  std::vector<std::string> words{"search", searched.path, "-o", how.answers.file};
  if (how.evaluation != explore::Evaluation::automatic) {
    words.emplace_back("--method");
    words.emplace_back(config::enum_name(how.evaluation));
  }
  return words;
}

std::string typed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

/// The command that merges the shares.
std::string merging(const SearchedSpace& searched, const explore::ExploreOptions& how,
                    std::size_t rows, const std::string& program) {
  auto words = search_words(searched, how);
  words.insert(words.begin(), program);
  const auto add = [&](const char* option, std::size_t value) {
    words.emplace_back(option);
    words.push_back(std::to_string(value));
  };
  if (how.simulated != explore::ExploreOptions{}.simulated) add("--simulated", how.simulated);
  if (rows != explore::PlanQuestion{}.best) add("--top", rows);
  if (how.answers.threads > 0) add("--threads", how.answers.threads);
  return typed(words);
}

/// The script of the shares that are not finished.
Result<std::string> script_of(const SearchedSpace& searched, const explore::ExploreOptions& how,
                              const ExecutorOptions& options, const fs::path& folder,
                              const std::vector<explore::SearchShare>& shares,
                              const Context& context) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return fail(Errc::output_failed, ".", error.message());
  explore::ShareScript script;
  script.folder = here.string();
  script.command = search_words(searched, how);
  script.command.insert(script.command.begin(), context.program_file());
  script.command.emplace_back("-q");
  script.logs = (here / folder).lexically_normal().string();
  script.name = folder.stem().string();
  script.threads = how.answers.threads;
  script.options = options.slurm;
  return explore::share_script(script, shares);
}

}  // namespace

int write_shares(const SearchedSpace& searched, const explore::ExploreOptions& how,
                 const ExecutorOptions& options, std::size_t rows, Context& context) {
  const auto shares = explore::search_shares_of(searched.space, how, options.shares);
  if (!shares) return context.fail(shares.error());
  const fs::path folder = fs::path(how.answers.file).replace_extension(".slurm");
  const auto script = script_of(searched, how, options, folder, *shares, context);
  if (!script) return context.fail(script.error());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return context.fail({Errc::output_failed, folder.string(), error.message()});
  present::ShareCommands commands;
  commands.merge = merging(searched, how, rows, context.program);
  const bool open = std::any_of(shares->begin(), shares->end(),
                                [](const explore::SearchShare& share) { return share.open > 0; });
  if (open) {
    commands.script = (folder / "shares.sh").string();
    commands.submit = typed({"sbatch", commands.script});
    if (auto written = write_file_atomically(commands.script, *script, {.force = true}); !written)
      return context.fail(written.error());
  }
  commands.manifest = (folder / "shares.tsv").string();
  auto written = write_file_atomically(
      commands.manifest, explore::share_manifest(*shares, how.answers.file), {.force = true});
  if (!written) return context.fail(written.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_search_shares(answer, *shares, commands); });
}

}  // namespace orrery::commands
