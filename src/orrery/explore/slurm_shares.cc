// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/slurm_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/core/text/text.h"
#include "orrery/explore/explore.h"
#include "orrery/explore/journal/journal.h"
#include "orrery/explore/space/sample.h"

namespace orrery::explore {

namespace {

/// Whether the point needs an evaluation.
Result<bool> is_open(const SearchSpace& space, std::uint64_t point, Evaluation evaluation,
                     const StoredPoints& stored) {
  if (stored.empty()) return true;
  const auto asked = spec_at(space, space.at(point));
  if (!asked) return false;  // not readable
  const auto first = stored.find(digest(space, *asked, first_evaluation(space, evaluation)));
  if (first == stored.end()) return true;
  if (evaluation != Evaluation::automatic || first->second.state != State::needs_simulation)
    return false;
  return !stored.contains(digest(space, *asked, Evaluation::simulate));
}

/// "1-4,7,9-12"
std::string array_of(const std::vector<SearchShare>& shares) {
  std::string text;
  for (std::size_t i = 0; i < shares.size();) {
    if (shares[i].open == 0) {
      ++i;
      continue;
    }
    std::size_t last = i;
    while (last + 1 < shares.size() && shares[last + 1].open > 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", shares[i].number);
    if (last > i) text += fmt::format("-{}", shares[last].number);
    i = last + 1;
  }
  return text;
}

/// Whether text can be quoted in a line of `#SBATCH`.
bool fits_a_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\';
  });
}

bool is_option_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  }) && text.front() != '-';
}

/// "account=me" as a line; options that the script itself sets are rejected.
Result<std::string> option_line(const std::string& option) {
  const std::string_view name = std::string_view(option).substr(0, option.find('='));
  const std::string hint =
      "write it as for sbatch, without dashes: account=me, time=2:00:00, exclusive";
  if (!is_option_name(name) || !fits_a_line(option))
    return fail(Errc::usage, "--slurm-option", in_quotes(option) + " is not an option", hint);
  for (const std::string_view own : {"array", "output", "chdir", "cpus-per-task", "wrap"})
    if (name == own)
      return fail(Errc::usage, "--slurm-option", in_quotes(name) + " is set by the script",
                  own == "cpus-per-task" ? "set it with --threads" : hint);
  if (name.size() == option.size()) return fmt::format("#SBATCH --{}\n", option);
  return fmt::format("#SBATCH --{}=\"{}\"\n", name, option.substr(name.size() + 1));
}

}  // namespace

Result<std::vector<SearchShare>> search_shares_of(const SearchSpace& space,
                                                  const ExploreOptions& options,
                                                  std::uint32_t parts) {
  const Sample& how = space.file.sample;
  if (how.how == SampleMethod::evolve) return tl::unexpected(parts_error());
  const auto drawn = sample_points(space, how.how, static_cast<std::uint64_t>(how.points));
  if (!drawn) return tl::unexpected(drawn.error());
  StoredPoints stored;
  std::map<std::string, std::string> lines;
  Freshness fresh(space.where);
  if (auto fine = read_journals(options.answers.file, fresh, stored, lines); !fine)
    return tl::unexpected(fine.error());
  std::erase_if(stored, [&](const auto& one) { return !fresh.holds(one.second.provenance); });
  const auto count =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(drawn->points.size(), 1, parts));
  std::vector<SearchShare> shares(count);
  for (std::uint32_t i = 0; i < count; ++i) shares[i].number = i + 1;
  for (std::size_t i = 0; i < drawn->points.size(); ++i) {
    SearchShare& share = shares[i % count];
    const auto open = is_open(space, drawn->points[i], options.evaluation, stored);
    if (!open) return tl::unexpected(open.error());
    ++share.points;
    share.open += *open ? 1 : 0;
  }
  return shares;
}

Result<std::string> share_script(const ShareScript& how, const std::vector<SearchShare>& shares) {
  for (const std::string* path : {&how.folder, &how.logs, &how.name})
    if (!fits_a_line(*path))
      return fail(Errc::usage, *path, "cannot be used in a script for sbatch",
                  "use a name without quotes, backslashes and control characters");
  std::string logs;  // escapes percent signs
  for (const char c : how.logs) logs += c == '%' ? std::string("%%") : std::string(1, c);
  std::string text = fmt::format(
      "#!/bin/sh\n# Shares of a search: sbatch runs all unfinished shares; by hand, the first "
      "argument is the number of one share.\n#SBATCH --job-name=\"{}\"\n#SBATCH "
      "--array={}\n#SBATCH "
      "--output=\"{}/share-%a.log\"\n#SBATCH --open-mode=append\n",
      how.name, array_of(shares), logs);
  if (how.threads > 0) text += fmt::format("#SBATCH --cpus-per-task={}\n", how.threads);
  for (const std::string& option : how.options) {
    const auto line = option_line(option);
    if (!line) return line;
    text += *line;
  }
  text += fmt::format(
      "share=${{1:-${{SLURM_ARRAY_TASK_ID:?give the number of a share as the first "
      "argument}}}}\ncd {} || exit\nexec",
      shell_word(how.folder));
  for (const std::string& word : how.command) text += " " + shell_word(word);
  return text + fmt::format(" --part \"$share/{}\" --threads \"${{SLURM_CPUS_PER_TASK:-{}}}\"\n",
                            shares.size(), std::max(1u, how.threads));
}

std::string share_manifest(const std::vector<SearchShare>& shares, const std::string& file) {
  std::string text = "share\tpoints\topen\tfile\n";
  for (const SearchShare& share : shares)
    text += fmt::format("{}\t{}\t{}\t{}\n", share.number, share.points, share.open,
                        part_file(file, share.number, static_cast<std::uint32_t>(shares.size())));
  return text;
}

}  // namespace orrery::explore
