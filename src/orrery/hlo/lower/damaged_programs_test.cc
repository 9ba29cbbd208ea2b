// SPDX-License-Identifier: Apache-2.0
//
// Programs with changed bytes: an error with its place, or counts, never a crash.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "orrery/core/paths_testing.h"
#include "orrery/hlo/lower/hlo_fuzzing_testing.h"

namespace orrery::hlo {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Changes some bytes to others of the text, drops a piece, or repeats one.
std::string changed(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t most) { return random() % most; };
  for (std::size_t i = 0; i < 1 + below(4); ++i) {
    const std::size_t at = below(text.size()), size = 1 + below(24);
    switch (below(3)) {
      case 0:
        text[at] = text[below(text.size())];
        break;
      case 1:
        text.erase(at, size);
        break;
      default:
        text.insert(below(text.size()), text.substr(at, size));
    }
    if (text.empty()) text = " ";
  }
  return text;
}

TEST(DamagedPrograms, AreErrorsOrPrograms) {
  const fs::path corpus = fs::path(core_testing::kSourceFolder) / "tests/fuzz/corpus";
  std::mt19937 random(1);
  for (const auto& [folder, reader] :
       {std::pair<std::string, testing::Reader>{"stablehlo_fuzz", read_stablehlo},
        {"hlo_text_fuzz", read_hlo_text}}) {
    for (const auto& entry : fs::directory_iterator(corpus / folder)) {
      const std::string text = content(entry.path());
      ASSERT_FALSE(text.empty());
      for (int i = 0; i < 3000; ++i) {
        const std::string bad = changed(text, random);
        testing::read_any(reader, reinterpret_cast<const std::uint8_t*>(bad.data()), bad.size());
      }
    }
  }
}

}  // namespace
}  // namespace orrery::hlo
