// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/steps/kernel_context.h"

#include <gtest/gtest.h>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::study {
namespace {

using profile::Maker;

/// 10 us for each product, nothing for all else.
class TenMicroseconds final : public model::KernelModel {
 public:
  [[nodiscard]] std::optional<model::KernelTime> time(const graph::Kernel& kernel,
                                                      const model::Silicon&) const override {
    if (kernel.operation != graph::Operation::gemm) return std::nullopt;
    return model::KernelTime{10e-6};
  }
};

std::vector<model::NamedKernelModel> ten() {
  return {{TimeSource::table, std::make_shared<TenMicroseconds>()}};
}

/// A rank on a thread and two streams, launch by launch.
struct Rank {
  Maker make;
  std::uint32_t thread = make.thread(1), compute = make.stream(7), other = make.stream(20);
  std::uint64_t correlation = 0;

  explicit Rank(std::string_view device = "NVIDIA H100 80GB HBM3") {
    if (!device.empty()) make.profile.devices.push_back({0, std::string(device), 0, 132});
  }
  /// Launched at `launch`, runs from `begin` for `length` (us).
  void product(std::int64_t launch, std::int64_t begin, std::int64_t length,
               std::string_view dims = "[[64, 64], [64, 64]]") {
    const auto op = make.op(thread, "aten::mm", launch, 2);
    make.op_of(op).dims = make.text(dims);
    make.op_of(op).types = make.text(R"(["float", "float"])");
    work(compute, "sgemm_128x128", launch, begin, length);
  }
  void work(std::uint32_t lane, std::string_view name, std::int64_t launch, std::int64_t begin,
            std::int64_t length) {
    ++correlation;
    make.call(thread, "cudaLaunchKernel", launch, 1, correlation);
    make.kernel(lane, name, begin, length, correlation);
  }
  profile::Profile take() {
    profile::Profile made = make.take();
    (void)profile::attach(made, make.findings);
    return made;
  }
};

std::vector<DeviceKernelContext> contexts_of(const profile::Profile& profile, bool shapes = false) {
  KernelContextBuilder builder(ten(), nullptr, shapes);
  builder.add(profile);
  return builder.contexts();
}

TEST(KernelContext, ComparesRecordedTimesWithThoseAlone) {
  Rank rank;
  rank.product(0, 100, 10);
  rank.product(10, 200, 12);
  rank.product(20, 300, 20);
  rank.work(rank.compute, "elementwise_kernel", 40, 400, 5);  // unknown kernel
  const auto contexts = contexts_of(rank.take());
  ASSERT_EQ(contexts.size(), 1u);
  const DeviceKernelContext& device = contexts[0];
  EXPECT_EQ(device.silicon.name, "h100-sxm");
  EXPECT_EQ(device.recorded_as, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(device.kernels, 4u);
  EXPECT_EQ(device.time, us(47));
  EXPECT_EQ(device.known, 3u);
  EXPECT_EQ(device.known_kernel_time, us(42));
  ASSERT_EQ(device.rows.size(), 1u);
  const StepKernelTimes& all = device.rows[0].all;
  EXPECT_EQ(device.rows[0].models, "table");
  EXPECT_EQ(all.kernels, 3u);
  EXPECT_DOUBLE_EQ(all.factor(), 1.4);
  EXPECT_DOUBLE_EQ(all.ratio.median, 1.2);
  EXPECT_DOUBLE_EQ(all.ratio.p10, 1.0);
  EXPECT_DOUBLE_EQ(all.ratio.p90, 2.0);
  EXPECT_EQ(device.rows[0].overlapped.kernels, 0u);
}

TEST(KernelContext, TellsKernelsThatRanBesideCommunication) {
  Rank rank;
  rank.work(rank.other, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 0, 100, 50);
  rank.product(10, 90, 20);   // half of it overlaps
  rank.product(20, 120, 15);  // all of it
  rank.product(30, 145, 20);  // a quarter
  const auto contexts = contexts_of(rank.take());
  ASSERT_EQ(contexts.size(), 1u);
  EXPECT_EQ(contexts[0].kernels, 3u) << "communication does not compute";
  ASSERT_EQ(contexts[0].rows.size(), 1u);
  EXPECT_EQ(contexts[0].rows[0].all.kernels, 3u);
  EXPECT_EQ(contexts[0].rows[0].overlapped.kernels, 2u);
  EXPECT_DOUBLE_EQ(contexts[0].rows[0].overlapped.factor(), 1.75);
}

TEST(KernelContext, MeasuresGapsWhereTheNextKernelWaitedInTheQueue) {
  Rank rank;
  rank.product(0, 100, 10);
  rank.product(10, 112, 10);   // waited: 2 us
  rank.product(20, 125, 10);   // waited: 3 us
  rank.product(130, 140, 10);  // launched just before: the host was late
  rank.work(rank.compute, "Memcpy DtoD", 30, 155, 5);
  const auto contexts = contexts_of(rank.take());
  ASSERT_EQ(contexts.size(), 1u);
  EXPECT_EQ(contexts[0].gaps, 3u);
  EXPECT_DOUBLE_EQ(contexts[0].gap.p10, 2e6);
  EXPECT_DOUBLE_EQ(contexts[0].gap.median, 3e6);
}

TEST(KernelContext, HasARowForEachShapeOrEachClass) {
  Rank rank;
  rank.product(0, 100, 10);
  rank.product(10, 120, 30, "[[128, 64], [64, 64]]");
  const profile::Profile profile = rank.take();
  EXPECT_EQ(contexts_of(profile)[0].rows.size(), 1u);
  const auto by_shape = contexts_of(profile, true);
  ASSERT_EQ(by_shape[0].rows.size(), 2u);
  EXPECT_EQ(by_shape[0].rows[0].kernel.sizes[0], 128) << "longest first";
}

TEST(KernelContext, SumsRanksOfADeviceAndLeavesOutStrangers) {
  KernelContextBuilder builder(ten(), nullptr, false);
  for (const std::string_view device :
       {"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", "Tesla V100-SXM2-32GB", "Abacus 3000"}) {
    Rank rank(device);
    rank.product(0, 100, 10);
    builder.add(rank.take());
  }
  const auto contexts = builder.contexts();
  ASSERT_EQ(contexts.size(), 2u);
  EXPECT_EQ(contexts[0].ranks, 2u);
  EXPECT_EQ(contexts[0].kernels, 2u);
  EXPECT_EQ(contexts[1].silicon.name, "v100-sxm2");
  EXPECT_EQ(builder.unknown_devices(), std::set<std::string>{"Abacus 3000"});
}

TEST(KernelContext, TakesAllRanksForADeviceThatIsNamed) {
  KernelContextBuilder builder(ten(), platform::find_device("b200"), false);
  Rank rank("");
  rank.product(0, 100, 10);
  builder.add(rank.take());
  ASSERT_EQ(builder.contexts().size(), 1u);
  EXPECT_EQ(builder.contexts()[0].silicon.name, "b200");
  EXPECT_TRUE(builder.unknown_devices().empty());
}

}  // namespace
}  // namespace orrery::study
