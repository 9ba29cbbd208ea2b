// SPDX-License-Identifier: Apache-2.0
//
// Connection matrices of htsim through the command line, compared with runs of the Ultra Ethernet
// simulator (uet-htsim, 40ccb05), whose results are in shared/data/packets. 0.2 CPU s.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "orrery/core/paths_testing.h"

namespace orrery::cli_test {
namespace {

namespace fs = std::filesystem;

/// The step time that `orrery run` prints for a matrix in shared/data/packets/cm, in microseconds.
double step_us(const std::string& matrix) {
  const fs::path root = core_testing::kSourceFolder;
  const std::string command = fmt::format(
      "'{}' run '{}' --cluster '{}' --network packet --json -q", core_testing::kProgram,
      (root / "../shared/data/packets/cm" / matrix).string(),
      (root / "examples/clusters/uet-fat-tree-16.yaml").string());
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  std::string out;
  std::array<char, 4096> block{};
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), pipe))
    out.append(block.data(), size);
  EXPECT_EQ(::pclose(pipe), 0);
  constexpr std::string_view kKey = "\"step_ns\": ";
  const std::size_t at = out.find(kKey);
  return at == std::string::npos ? 0 : std::atof(out.c_str() + at + kKey.size()) / 1000;
}

// A step ends with the last packet. htsim's flows end with its acknowledgement, which crosses six
// idle links of 1 us and 100 Gb/s with 64 B.
TEST(MessageRuns, UncontendedFlowsLastAsLongAsInHtsim) {
  if (!fs::exists(fs::path(core_testing::kSourceFolder) / "../shared/data/packets"))
    GTEST_SKIP() << "no runs at ../shared/data/packets";
  constexpr double kAcknowledgement = 6 * (1 + 64 / 12.5e3);
  EXPECT_NEAR((step_us("one.cm") + kAcknowledgement) / 176.2, 1, 0.001);
  EXPECT_NEAR((step_us("bidir.cm") + kAcknowledgement) / 176.804, 1, 0.001);
}

}  // namespace
}  // namespace orrery::cli_test
