// SPDX-License-Identifier: Apache-2.0
//
// Public StableHLO programs of shared/data/xla: counts that are known from elsewhere.
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <map>
#include <string>

#include "orrery/core/paths_testing.h"
#include "orrery/hlo/lower/program_count.h"
#include "orrery/hlo/text/read_program.h"

namespace orrery::hlo {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = fs::path(core_testing::kSourceFolder) / "../shared/data/xla/stablehlo";

std::string unpacked(const fs::path& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  char buffer[1 << 16];
  for (int n = 0; (n = gzread(file, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

class PublicPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPrograms)) GTEST_SKIP() << "no StableHLO programs at ../shared/data/xla";
  }
  static ProgramCount count(const std::string& name, Findings& findings) {
    const auto program = read_program(unpacked(kPrograms / name), name, findings);
    EXPECT_TRUE(program) << to_string(program.error());
    if (!program) return {};
    const auto counted = count_program(*program, name, findings);
    EXPECT_TRUE(counted) << to_string(counted.error());
    return counted.value_or(ProgramCount{});
  }
};

TEST_F(PublicPrograms, AllAreReadWithoutUnknownOperations) {
  for (const auto& entry : fs::directory_iterator(kPrograms)) {
    Findings findings;
    (void)count(entry.path().filename(), findings);
    EXPECT_EQ(findings.count(FindingCode::key_without_effect), 0u) << entry.path();
  }
}

TEST_F(PublicPrograms, TheTrainingStepOfResNet50) {
  Findings findings;
  const ProgramCount step = count("resnet_50_train_step_4_devices_1024_batch.mlir.gz", findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(step.devices, 4);
  // `orrery job count` of the catalog's resnet-50, 256 samples per device: 6.22 TFLOP.
  EXPECT_NEAR(static_cast<double>(step.product_flop), 6.22e12, 0.01 * 6.22e12);
  std::map<Purpose, std::int64_t> values;
  for (const auto& row : step.traffic) {
    EXPECT_EQ(row.type, "all_reduce");
    EXPECT_EQ(row.group_size, 4);
    values[row.purpose] += row.elements;
  }
  // The parameters of torchvision's resnet50. 53 batch norms with 26,560 channels together reduce a
  // mean and a variance forward, two gradients backward, and two running averages; then the loss
  // and the accuracy.
  EXPECT_EQ(values[Purpose::gradients], 25'557'032);
  EXPECT_EQ(values[Purpose::statistics], 4 * 26'560);
  EXPECT_EQ(values[Purpose::state], 2 * 26'560);
  EXPECT_EQ(values[Purpose::results], 2);
  EXPECT_EQ(values.size(), 4u);
}

}  // namespace
}  // namespace orrery::hlo
