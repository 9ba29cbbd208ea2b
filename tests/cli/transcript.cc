// SPDX-License-Identifier: Apache-2.0
#include "transcript.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery::cli_test {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Does `line` match `pattern`, whose "..." stand for any text? Greedy from the left is enough: gaps
// are independent.
bool line_matches(std::string_view pattern, std::string_view line) {
  std::size_t gap = pattern.find("...");
  if (gap == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, gap))) return false;
  line.remove_prefix(gap);
  pattern.remove_prefix(gap + 3);
  while ((gap = pattern.find("...")) != std::string_view::npos) {
    const std::size_t at = line.find(pattern.substr(0, gap));
    if (at == std::string_view::npos) return false;
    line.remove_prefix(at + gap);
    pattern.remove_prefix(gap + 3);
  }
  return line.ends_with(pattern);
}

using Lines = std::vector<std::string>;

// reach[j]: the patterns so far can match the first j lines.
bool lines_match(const Lines& patterns, const Lines& lines) {
  std::vector<bool> reach(lines.size() + 1, false);
  reach[0] = true;
  for (const std::string& pattern : patterns) {
    std::vector<bool> next(lines.size() + 1, false);
    for (std::size_t j = 0; j <= lines.size(); ++j) {
      if (pattern == "...") {
        next[j] = reach[j] || (j > 0 && next[j - 1]);
      } else {
        next[j] = j > 0 && reach[j - 1] && line_matches(pattern, lines[j - 1]);
      }
    }
    reach = std::move(next);
  }
  return reach.back();
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void append_stream(std::string& text, char mark, std::string_view stream) {
  for (const std::string& line : lines_of(stream)) text += std::string(1, mark) + " " + line + "\n";
}

// In the child: what goes wrong here ends with an exit code that no step expects.
[[noreturn]] void become(const std::string& command, std::vector<std::string> environment,
                         const fs::path& folder, const fs::path& out, const fs::path& err) {
  const auto onto = [](const char* path, int flags, int target) {
    const int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, target) < 0) _exit(99);
  };
  if (chdir(folder.c_str()) != 0) _exit(99);
  onto("/dev/null", O_RDONLY, 0);
  onto(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
  onto(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2);
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  execle("/usr/bin/timeout", "timeout", "1200", "/bin/sh", "-c", command.c_str(), nullptr,
         variables.data());
  _exit(99);
}

}  // namespace

std::vector<Step> parse_transcript(std::string_view text, std::vector<std::string>& bad) {
  std::vector<Step> steps;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::string rest = line.size() > 2 ? line.substr(2) : "";
    const bool shaped = line.size() == 1 || line[1] == ' ';
    if (line.starts_with("$$ ") && rest.size() > 1) {
      steps.push_back({.line = number, .command = rest.substr(1), .full = true});
    } else if (shaped && line[0] == '$' && !rest.empty()) {
      steps.push_back({.line = number, .command = rest});
    } else if (shaped && line[0] == '>' && !steps.empty()) {
      steps.back().out.push_back(rest);
    } else if (shaped && line[0] == '!' && !steps.empty()) {
      steps.back().err.push_back(rest);
    } else if (shaped && line[0] == '?' && !steps.empty() &&
               rest.find_first_not_of("0123456789") == std::string::npos) {
      steps.back().exit_code = std::atoi(rest.c_str());
    } else {
      bad.push_back(std::to_string(number) + ": " + line);
    }
  }
  return steps;
}

std::vector<Step> parse_page(std::string_view markdown) {
  std::vector<Step> steps;
  bool inside = false;
  bool taking = false;  // output lines belong to the last step
  int exit_code = 0;
  std::size_t number = 0;
  for (const std::string& line : lines_of(markdown)) {
    ++number;
    if (line.starts_with("```")) {
      inside =
          !inside && line.starts_with("```console") && line.find("no-run") == std::string::npos;
      const std::size_t code = line.find("exit=");
      exit_code = code == std::string::npos ? 0 : std::atoi(line.c_str() + code + 5);
      taking = false;
    } else if (inside && line.starts_with("$ ")) {
      taking = line.starts_with("$ orrery ") || line.starts_with("$ ./orrery ") ||
               (line.starts_with("$ for ") && line.find(" orrery ") != std::string::npos);
      if (taking) steps.push_back({number, number + 1, line.substr(2), {}, {}, exit_code});
    } else if (inside && taking && steps.back().out.empty() &&
               steps.back().command.ends_with("\\")) {
      std::string& command = steps.back().command;
      command.replace(command.size() - 1, 1, line.substr(line.find_first_not_of(' ')));
      steps.back().out_line = number + 1;
    } else if (inside && taking) {
      steps.back().out.push_back(line);
    }
  }
  return steps;
}

std::string with_outputs(std::string_view markdown, const std::vector<Step>& steps,
                         const Lines& outputs) {
  Lines lines = lines_of(markdown);
  for (std::size_t i = steps.size();
       i-- > 0;) {  // from the end, so that line numbers before stay right
    const Lines& shown = steps[i].out;
    const bool gaps = std::any_of(shown.begin(), shown.end(), [](const std::string& line) {
      return line.find("...") != std::string::npos;
    });
    if (shown.empty() || gaps) continue;
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(steps[i].out_line - 1);
    const auto after = lines.erase(first, first + static_cast<std::ptrdiff_t>(shown.size()));
    const Lines fresh = lines_of(outputs[i]);
    lines.insert(after, fresh.begin(), fresh.end());
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool matches(const std::vector<std::string>& expected, std::string_view actual) {
  if (expected.empty()) return true;
  if (expected == Lines{"(nothing)"}) return actual.empty();
  return lines_match(expected, lines_of(actual));
}

fs::path json_folder(const fs::path& folder) { return folder.string() + ".talk/json"; }

Outcome run(const std::string& command, const fs::path& folder, const fs::path& program) {
  const fs::path talk = fs::path(folder.string() + ".talk");
  const fs::path wrapper = fs::path(core_testing::kSourceFolder) / "tests/cli/run_orrery.sh";
  fs::create_directories(talk / "bin");
  fs::create_directories(json_folder(folder));
  std::error_code ignored;
  // What prints the program's name as it was typed, which a script cannot pass on, or leaves traces
  // of each time that it ran.
  const bool copies = command.find("--json") != std::string::npos || core_testing::full_effort();
  constexpr std::array kAlone = {"orrery demo", "$program demo", "--executor slurm", "--open"};
  const bool alone = std::any_of(kAlone.begin(), kAlone.end(), [&](const char* words) {
    return command.find(words) != std::string::npos;
  });
  fs::remove(talk / "bin" / "orrery", ignored);
  fs::create_symlink(copies && !alone ? wrapper : program, talk / "bin" / "orrery", ignored);
  fs::create_symlink(program, folder / "orrery", ignored);
  const fs::path out = talk / "out", err = talk / "err";
  const std::string home = "HOME=" + folder.string();
  const std::string path = "PATH=" + (talk / "bin").string() + ":/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> environment = {home,
                                          path,
                                          "LC_ALL=C",
                                          "TERM=dumb",
                                          "ORRERY_PROGRAM=" + program.string(),
                                          "ORRERY_JSON=" + json_folder(folder).string()};
  if (core_testing::full_effort()) environment.emplace_back("ORRERY_JSON_ALL=1");
  const pid_t child = fork();
  if (child == 0) become(command, std::move(environment), folder, out, err);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return {.out = read_file(out),
          .err = read_file(err),
          .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

std::string as_transcript(const Step& step, const Outcome& outcome) {
  std::string text = "$ " + step.command + "\n";
  append_stream(text, '>', outcome.out);
  append_stream(text, '!', outcome.err);
  if (outcome.exit_code != 0) text += "? " + std::to_string(outcome.exit_code) + "\n";
  return text;
}

}  // namespace orrery::cli_test
