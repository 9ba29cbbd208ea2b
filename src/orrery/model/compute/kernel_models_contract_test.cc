// SPDX-License-Identifier: Apache-2.0
//
// What holds for every registered model of kernel times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "orrery/config/document.h"
#include "orrery/core/models/time_source_table.h"
#include "orrery/core/paths_testing.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

/// The example file of a model that needs one.
std::string example_of(const KernelFileEntry& row) {
  const auto text =
      config::read_text(fmt::format("{}/{}", core_testing::kSourceFolder, row.example));
  EXPECT_TRUE(text) << row.example;
  return text.value_or("");
}

platform::Device catalog_h100() {
  const platform::DeviceEntry* const entry = platform::find_device("h100-sxm");
  platform::Device device;
  device.name = device.entry = entry->name;
  device.peak = device.rated = FlopRate(1e15);
  device.memory = Bandwidth(3e12);
  return device;
}

Result<KernelFileContent> read(TimeSource source, const std::string& text,
                               const platform::Device* device) {
  Findings findings;
  return read_kernel_file(source, {text, "file", "--option", device}, findings);
}

class KernelModelContract : public testing::TestWithParam<TimeSource> {
 protected:
  void SetUp() override {
    KernelModelInputs sources;
    if (const auto* const row = kernel_file_of(GetParam())) {
      auto content = read(GetParam(), example_of(*row), nullptr);
      ASSERT_TRUE(content) << to_string(content.error());
      EXPECT_FALSE(content->about.empty());
      sources.given[GetParam()] = std::move(content->model);
    }
    model_ = kernel_model_entry(GetParam())->make(sources);
    if (GetParam() == TimeSource::learned && model_ == nullptr)
      GTEST_SKIP() << "this build has no learned models";
    ASSERT_NE(model_, nullptr);
  }

  static graph::Kernel gemm(std::int64_t m) {
    graph::Kernel kernel = *graph::parse_kernel(
        "gemm forward bf16,bf16>bf16 transposed_b m=" + std::to_string(m) + " n=1024 k=2048");
    kernel.flops = 2 * m * 1024 * 2048;
    kernel.bytes = 2 * (m * 1024 + m * 2048 + 1024 * 2048);
    return kernel;
  }

  std::shared_ptr<const KernelModel> model_;
  const Silicon silicon_ = silicon_of(catalog_h100());
};

TEST_P(KernelModelContract, AnswersAreTheSameAndSayWhoMadeThem) {
  const auto time = model_->time(gemm(1024), silicon_);
  ASSERT_TRUE(time) << "no time for an ordinary product";
  EXPECT_EQ(time->source, GetParam());
  EXPECT_GT(time->seconds, 1e-7);
  EXPECT_LT(time->seconds, 1e-2);
  EXPECT_LE(time->band.lower, time->band.upper);
  EXPECT_GT(time->band.lower, -1);
  const auto again = model_->time(gemm(1024), silicon_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->seconds, time->seconds);
  EXPECT_EQ(again->band, time->band);
}

TEST_P(KernelModelContract, LaunchesAddUp) {
  graph::Kernel twice = gemm(2048);  // which the launches share
  twice.launches = 2;
  const auto one = model_->time(gemm(1024), silicon_), two = model_->time(twice, silicon_);
  ASSERT_TRUE(one && two);
  EXPECT_NEAR(two->seconds / one->seconds, 2, 0.2);
}

TEST_P(KernelModelContract, SixteenTimesTheWorkLastsLonger) {
  const auto less = model_->time(gemm(1024), silicon_), more = model_->time(gemm(16384), silicon_);
  ASSERT_TRUE(less && more);
  EXPECT_GT(more->seconds, 4 * less->seconds);
}

TEST_P(KernelModelContract, SaysNothingOrSomethingPositiveOfAnyOperation) {
  for (std::size_t i = 1; i < graph::kOperations; ++i) {
    graph::Kernel kernel;
    kernel.operation = static_cast<graph::Operation>(i);
    kernel.a = kernel.b = kernel.out = graph::Format::bf16;
    kernel.sizes.fill(64);
    kernel.flops = 1 << 20;
    kernel.bytes = 1 << 16;
    for (const Silicon& silicon : {silicon_, Silicon{}}) {
      const auto time = model_->time(kernel, silicon);
      if (time && time->seconds != 0) {
        EXPECT_GT(time->seconds, 0) << name(kernel.operation);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, KernelModelContract, testing::ValuesIn([] {
                           std::vector<TimeSource> all;
                           for (const KernelModelEntry& each : kernel_model_entries())
                             all.push_back(each.source);
                           return all;
                         }()),
                         [](const auto& each) { return std::string(name(each.param)); });

TEST(KernelModelFiles, OfOtherModelsAreRefused) {
  for (const KernelFileEntry& mine : kKernelFileTable) {
    for (const KernelFileEntry& row : kKernelFileTable)
      EXPECT_EQ(read(mine.source, example_of(row), nullptr).has_value(), row.source == mine.source)
          << mine.key << " reads " << row.example;
    EXPECT_FALSE(read(mine.source, "", nullptr)) << mine.key << " reads an empty file";
  }
}

TEST(KernelModelEntries, AreTheChoicesOfComputeAndReadTheFilesOfTheTable) {
  std::size_t choices = 0;
  for (const TimeSourceEntry& row : kTimeSourceTable) {
    const KernelModelEntry* const found = kernel_model_entry(row.source);
    const bool is_model = row.of == TimedWork::kernels && row.source != TimeSource::automatic;
    EXPECT_EQ(found != nullptr, is_model) << row.name;
    choices += is_model ? 1 : 0;
    if (found == nullptr) continue;
    const KernelFileEntry* const file = kernel_file_of(row.source);
    EXPECT_EQ(found->read != nullptr, file != nullptr) << row.name;
    if (file == nullptr) continue;
    EXPECT_EQ(file->is_used_by_auto, found->is_used_by_auto) << row.name;
  }
  EXPECT_EQ(kernel_model_entries().size(), choices);
}

}  // namespace
}  // namespace orrery::model
