// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/host/predicted_host.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "orrery/profile/link/launching_host_testing.h"

namespace orrery::profile {
namespace {

const std::vector<OverheadRow> kRows = {
    {Overhead::between_operators, "", 1, 0, 0, 3},     {Overhead::before_launch, "", 1, 0, 0, 20},
    {Overhead::before_launch, "a", 1, 0, 0, 10},       {Overhead::after_launch, "", 1, 0, 0, 7},
    {Overhead::launch_call, "", 1, 0, 0, 5},           {Overhead::between_launches, "", 1, 0, 0, 2},
    {Overhead::between_launches, "plain", 1, 0, 0, 40}};

/// Costs of a thread's nodes, by name.
std::vector<std::pair<std::string, Time>> costs(const Profile& profile,
                                                const Dependencies& dependencies) {
  std::vector<std::pair<std::string, Time>> made;
  for (std::uint32_t node = 0; node < dependencies.nodes.size(); ++node) {
    const EventId e = dependencies.nodes[node];
    if (is_host(profile.events[e].kind))
      made.emplace_back(profile.name(e), dependencies.cost[node]);
  }
  return made;
}

TEST(PredictedHost, OperatorsTakeWhatIsTold) {
  LaunchingHost host;
  host.make.op(host.thread, "first", 0, 10);
  host.make.op(host.thread, "a", 14, 40);
  host.launch(20, 6, 40);
  host.launch(30, 6, 50);
  host.make.op(host.thread, "plain", 60, 9);
  const Profile profile = host.take();
  Findings findings;
  Dependencies dependencies = find_dependencies(profile, {}, findings);
  const PredictedHost predicted = predict_host(profile, dependencies, HostOverheadTimes(kRows));
  const std::vector<std::pair<std::string, Time>> expected = {
      {"first", us(2)},             // launches nothing: T5 of all
      {"a", us(3 + 10)},            // T1 of all, its own T2
      {"cudaLaunchKernel", us(5)},  // T4
      {"cudaLaunchKernel", us(2 + 5)},
      {"plain", us(7 + 3 + 40)}};  // T3 of the one before, T1, its own T5
  EXPECT_EQ(costs(profile, dependencies), expected);
  EXPECT_EQ(predicted.predicted, us(2 + 13 + 5 + 7 + 50));
  EXPECT_EQ(predicted.recorded, us(69));
  EXPECT_EQ(predicted.retained, Time{});
  EXPECT_EQ(dependencies.recorded_cost.size(), dependencies.cost.size());
}

// Pauses stay, and so does what waits for the device.
TEST(PredictedHost, KeepsPausesAndWaits) {
  LaunchingHost host;
  host.make.op(host.thread, "first", 0, 10);
  host.make.op(host.thread, "late", 500, 10);
  host.make.op(host.thread, "waits", 512, 30);
  host.make.call(host.thread, "cudaStreamSynchronize", 520, 20, ++host.correlation);
  const Profile profile = host.take();
  Findings findings;
  Dependencies dependencies = find_dependencies(profile, {}, findings);
  const auto before = costs(profile, dependencies);
  (void)predict_host(profile, dependencies, HostOverheadTimes(kRows));
  const auto after = costs(profile, dependencies);
  ASSERT_EQ(after.size(), before.size());
  EXPECT_EQ(after[1].second, us(490 + 2));
  for (std::size_t i = 2; i < after.size(); ++i) EXPECT_EQ(after[i], before[i]) << after[i].first;
}

// What a rank's own means say of it is what it took in all.
TEST(PredictedHost, OwnMeansAddUp) {
  LaunchingHost host;
  std::int64_t at = 0;
  for (int i = 0; i < 20; ++i) {
    host.make.op(host.thread, i % 3 == 0 ? "a" : "b", at, 30 + i);
    host.launch(at + 5 + i % 4, 6, at + 40);
    at += 40 + 2 * i;
  }
  const Profile profile = host.take();
  OverheadBuilder builder;
  builder.add(profile);
  Findings findings;
  Dependencies dependencies = find_dependencies(profile, {}, findings);
  const auto rows = builder.recorded_rows();
  const PredictedHost predicted = predict_host(profile, dependencies, HostOverheadTimes(rows));
  EXPECT_LT(std::abs((predicted.predicted - predicted.recorded).count()), us(15).count());
}

// One slow conversion on the CPU says little about a hundred others.
TEST(PredictedHost, FewTimesSayLittleAboutManyUses) {
  const std::vector<OverheadRow> rows = {
      {Overhead::between_launches, "", 1000, 0, 0, 25, 3},
      {Overhead::between_launches, "aten::to", 1, 0, 0, 20'840},
      {Overhead::between_launches, "aten::to", 1, 0, 0, 20'840, 0, "[[65536]]"}};
  const std::vector<OverheadRow> uses = {
      {Overhead::between_launches, "aten::to", 100, 0, 0, 0},
      {Overhead::between_launches, "aten::to", 1, 0, 0, 0, 0, "[[65536]]"}};
  const HostOverheadTimes times(rows, uses);
  EXPECT_LT(times.us(Overhead::between_launches, "aten::to", "[[16]]"), 40);
  EXPECT_DOUBLE_EQ(times.us(Overhead::between_launches, "aten::to", "[[65536]]"), 20'840);
  EXPECT_DOUBLE_EQ(times.us(Overhead::between_launches, "aten::add"), 25);
  // Without counts, and if as many are measured as are used, means stay.
  EXPECT_DOUBLE_EQ(HostOverheadTimes(rows).us(Overhead::between_launches, "aten::to"), 20'840);
}

// A communication of the host waits for other hosts: it keeps its recorded time.
TEST(PredictedHost, KeepsCommunicationOfTheHost) {
  LaunchingHost host;
  host.make.op(host.thread, "record_param_comms", 0, 69);
  const EventId range = host.make.annotation(host.thread, "nccl:all_to_all", 9, 56);
  host.make.comm(range, CommKind::all_to_all, 1000);
  const Profile profile = host.take();
  Findings findings;
  Dependencies dependencies = find_dependencies(profile, {}, findings);
  const auto before = costs(profile, dependencies);
  (void)predict_host(profile, dependencies, HostOverheadTimes(kRows));
  EXPECT_EQ(costs(profile, dependencies), before);
  OverheadBuilder builder;
  builder.add(profile);
  EXPECT_EQ(builder.waiting(), 1u);
}

}  // namespace
}  // namespace orrery::profile
