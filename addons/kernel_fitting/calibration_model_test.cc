// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/calibration_model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace orrery::study {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(CalibrationModel, FitsTheKernelsOfACalibration) {
  std::string text = "device,kernel,us\n";
  for (int i = 0; i < 260; ++i) {
    const int m = 256 * (1 + i % 20), k = 512 * (1 + i / 20);
    text += fmt::format("h100-sxm,\"gemm forward bf16,bf16>bf16 m={} n=4096 k={}\",{}\n", m, k,
                        5 + 2.0 * m * 4096 * k / 6e8);
  }
  const fs::path folder =
      fs::path(testing::TempDir()) / ("orrery_model_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "a.csv", std::ios::binary) << text;
  Findings findings;
  const auto answer = calibrate_compute({.files = {(folder / "a.csv").string()}}, findings);
  fs::remove_all(folder);
  ASSERT_TRUE(answer) << to_string(answer.error());
  const auto fit = fit_calibration(*answer);
  ASSERT_TRUE(fit) << to_string(fit.error());
  ASSERT_EQ(fit->reports.size(), 1u);
  EXPECT_GT(fit->reports[0].test_error.rows, 10);
  EXPECT_THAT(fit->file, HasSubstr("made by orrery calibrate compute"));
  EXPECT_THAT(fit->file, HasSubstr("from a.csv sha256"));
}

}  // namespace
}  // namespace orrery::study
