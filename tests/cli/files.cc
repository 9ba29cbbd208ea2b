// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

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

}  // namespace

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> transcripts() {
  std::vector<std::string> found = files(kProject / "tests/cli", ".txt");
  std::erase_if(found, [](const std::string& path) {
    return path.ends_with("CMakeLists.txt") || path.starts_with("tests/cli/fixtures/");
  });
  return found;
}

std::vector<std::string> pages() {
  std::vector<std::string> found = files(kProject / "docs", ".md");
  found.emplace_back("README.md");
  std::erase_if(found,
                [](const std::string& path) { return parse_page(read(kProject / path)).empty(); });
  return found;
}

}  // namespace orrery::cli_test
