// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <utility>

#include "orrery/core/paths_testing.h"
#include "transcript.h"

namespace orrery::cli_test {
namespace {

namespace fs = std::filesystem;

const fs::path kProject = core_testing::kSourceFolder;

std::vector<std::string> files(const fs::path& folder, const std::string& suffix) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = fs::relative(entry.path(), kProject).generic_string();
    if (entry.is_regular_file() && path.ends_with(suffix)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_built(const std::string& addon) {
  return std::string(" " ORRERY_ADDONS " ").find(" " + addon + " ") != std::string::npos;
}

/// The folders in addons/.
std::vector<std::string> addons() {
  std::vector<std::string> names;
  if (!fs::exists(kProject / "addons")) return names;
  for (const auto& entry : fs::directory_iterator(kProject / "addons"))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  return names;
}

/// Whether one of the commands runs in a step.
bool runs_any(const std::vector<std::string>& commands, const std::vector<Step>& steps) {
  return std::any_of(commands.begin(), commands.end(), [&](const std::string& command) {
    const std::regex runs("orrery " + command + "\\b");
    return std::any_of(steps.begin(), steps.end(),
                       [&](const Step& step) { return std::regex_search(step.command, runs); });
  });
}

}  // namespace

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> transcripts() {
  std::vector<std::string> found = files(kProject / "tests/cli", ".txt");
  for (const std::string& addon : addons()) {
    const fs::path folder = kProject / "addons" / addon / "tests/cli";
    if (!is_built(addon) || !fs::exists(folder)) continue;
    for (std::string& path : files(folder, ".txt")) found.push_back(std::move(path));
  }
  std::erase_if(found, [](const std::string& path) {
    return path.ends_with("CMakeLists.txt") || path.starts_with("tests/cli/fixtures/");
  });
  return found;
}

std::vector<std::string> missing_commands() {
  static const std::regex name(R"re(\.(name|mode) = "([^"]+)")re");
  std::vector<std::string> missing;
  for (const std::string& addon : addons()) {
    if (is_built(addon)) continue;
    const std::string rows = read(kProject / "addons" / addon / "command/rows.h");
    for (std::sregex_iterator it(rows.begin(), rows.end(), name), end; it != end; ++it)
      missing.push_back((*it)[2]);
  }
  return missing;
}

std::vector<std::string> pages() {
  std::vector<std::string> found = files(kProject / "docs", ".md");
  found.emplace_back("README.md");
  const std::vector<std::string> missing = missing_commands();
  std::erase_if(found, [&](const std::string& path) {
    const std::vector<Step> steps = parse_page(read(kProject / path));
    return steps.empty() || runs_any(missing, steps);
  });
  return found;
}

}  // namespace orrery::cli_test
