// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/xplane/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/graph/kernel.h"
#include "orrery/profile/iterations.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/io_testing.h"
#include "orrery/trace/xplane/planes.h"
#include "orrery/trace/xplane/xplane_testing.h"

namespace orrery::trace::xplane {
namespace {

using profile::Kind;
using ::testing::ElementsAre;
using testing::file;
using testing::number;
using testing::Outcome;
using testing::PlaneBuilder;
using testing::read;
using testing::source_of;
using testing::text;
using testing::two_devices;

TEST(XplaneReader, ReadsWhatRanOnStreamsAndThreads) {
  const Outcome out = read(two_devices(), 1);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  EXPECT_EQ(profile.format, "xplane");
  // The first event is the step's annotation.
  EXPECT_EQ(profile.origin_ns, 1'700'000'000'000'001'000);
  ASSERT_EQ(profile.devices.size(), 1u);
  EXPECT_EQ(profile.devices[0].id, 1);
  EXPECT_EQ(profile.devices[0].name, "AMD GPU");
  EXPECT_EQ(profile.devices[0].processors, 304);

  const profile::EventId product = out.event("Cijk_Ailk_BBS");
  const profile::Event& event = profile.events[product];
  EXPECT_EQ(event.kind, Kind::kernel);
  EXPECT_EQ(event.start, ns(11'000));
  EXPECT_EQ(event.duration, ns(20'000));
  const profile::Lane& stream = profile.lanes[event.lane];
  EXPECT_TRUE(stream.device);
  EXPECT_EQ(stream.process, 1);
  EXPECT_EQ(stream.id, 17);
  EXPECT_EQ(stream.name, "Stream #17(Kernel)");
  EXPECT_EQ(profile.work(product).correlation, 6u);
  EXPECT_EQ(profile.string(profile.work(product).launch),
            R"({"grid": [64, 2, 1], "block": [256, 1, 1], "shared memory": 2112})");

  const profile::EventId copy = out.event("Memcpy DtoH");
  EXPECT_EQ(profile.events[copy].kind, Kind::memcpy);
  EXPECT_EQ(profile.work(copy).bytes, 4096);
  EXPECT_EQ(profile.work(copy).captured, profile::kNone);
  EXPECT_EQ(profile.events[out.event("hipMemcpyAsync")].kind, Kind::call);
  EXPECT_EQ(profile.events[out.event("train.py:12 step")].kind, Kind::python);
  EXPECT_EQ(profile.events[out.event("ProfilerStep#5")].kind, Kind::annotation);
  EXPECT_EQ(profile.events[out.event("ProfilerStep#6")].start, ns(100'000));
  // Two events without a duration; one of a line that the profiler derives.
  EXPECT_EQ(profile.account.records, profile.account.events + 3);
  EXPECT_EQ(out.findings.count(FindingCode::event_not_kept), 3u);
}

/// Operations have the shapes, FLOPs and bytes of their program.
TEST(XplaneReader, JoinsWorkWithOperationsOfPrograms) {
  const Outcome out = read(two_devices(), 0);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  const profile::Work& work = profile.work(out.event("Cijk_Ailk_BBS"));
  ASSERT_NE(work.captured, profile::kNone);
  EXPECT_EQ(work.captured, profile.work(out.event("layout_kernel")).captured);
  const profile::CapturedOperator& captured = profile.captured[work.captured];
  EXPECT_EQ(profile.string(captured.name), "dot.1");
  EXPECT_EQ(profile.string(captured.dims), "[[256, 512], [512, 128]]");
  EXPECT_EQ(profile.string(captured.types), R"(["bf16", "bf16"])");
  const auto kernel = graph::parse_kernel(profile.string(captured.concrete));
  ASSERT_TRUE(kernel) << profile.string(captured.concrete);
  EXPECT_EQ(kernel->operation, graph::Operation::gemm);
  EXPECT_EQ(kernel->flops, 2 * 256 * 512 * 128);
  EXPECT_EQ(kernel->bytes, 2 * (256 * 512 + 512 * 128 + 256 * 128));
}

TEST(XplaneReader, CollectivesHaveTheGroupsOfTheirProgram) {
  for (const std::uint32_t device : {0u, 1u}) {
    const Outcome out = read(two_devices(), device);
    ASSERT_TRUE(out.profile) << to_string(out.profile.error());
    const profile::Comm* const comm = out.profile->comm(out.event("ncclDevKernel_Generic"));
    ASSERT_NE(comm, nullptr);
    EXPECT_EQ(comm->kind, profile::CommKind::all_reduce);
    EXPECT_EQ(comm->bytes(), 2 * 256 * 128);
    EXPECT_EQ(comm->group_size, 2);
    EXPECT_THAT(out.profile->groups.at(comm->group).ranks, ElementsAre(0u, 1u));
  }
}

TEST(XplaneReader, FindsTheDevicesThatWork) {
  const std::string bytes = two_devices();
  EXPECT_THAT(devices_in(source_of(bytes), "x").value(), ElementsAre(0, 1));
  std::vector<PlaneBuilder> planes;
  planes.emplace_back("/device:GPU:3").line(1, "Stream #1", 5).event("k", 1, 1);
  planes.emplace_back("/device:GPU:4").line(1, "XLA Modules", 5).event("k", 1, 1);
  planes.emplace_back("/device:TPU:5").line(1, "XLA Ops", 5).event("k", 1, 1);
  planes.emplace_back("/device:CUSTOM:6").line(1, "Stream #1", 5).event("k", 1, 1);
  const std::string others = file(planes);
  EXPECT_THAT(devices_in(source_of(others), "x").value(), ElementsAre(3, 5));
}

TEST(XplaneReader, KnowsPlanesByTheirNames) {
  std::int64_t device = 0;
  EXPECT_EQ(plane_kind("/device:GPU:12", device), PlaneKind::gpu);
  EXPECT_EQ(device, 12);
  EXPECT_EQ(plane_kind("/device:TPU:3", device), PlaneKind::tpu);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(plane_kind("/device:GPU:x", device), PlaneKind::other);
  EXPECT_EQ(plane_kind("/device:CUSTOM:Megascale Trace", device), PlaneKind::other);
  EXPECT_EQ(plane_kind("/host:CPU", device), PlaneKind::host);
  EXPECT_EQ(plane_kind("/host:python-tracer", device), PlaneKind::host);
  EXPECT_EQ(plane_kind("/host:metadata", device), PlaneKind::programs);
  EXPECT_EQ(plane_kind("Task Environment", device), PlaneKind::environment);
}

/// Of operations of a TPU that contain others, the inner ones are work.
TEST(XplaneReader, ReadsOperationsOfTpus) {
  std::vector<PlaneBuilder> planes;
  PlaneBuilder plane("/device:TPU:0");
  plane.property(text("device_type_string", "TPU v5p"));
  plane.line(1, "XLA Modules", 2'000).event("jit_step", 0, 100);
  plane.line(2, "XLA Ops", 2'000);
  plane.event("%while.1 = …", 0, 60).event("%fusion.1 = …", 0, 20).event("%fusion.1 = …", 30, 20);
  plane.event("%all-reduce.1 = …", 60, 40);
  plane.display_name("%while.1 = …", "while.1").display_name("%fusion.1 = …", "fusion.1");
  plane.display_name("%all-reduce.1 = …", "all-reduce.1");
  plane.shared("%all-reduce.1 = …", number("program_id", 15));
  plane.line(3, "Async XLA Ops", 2'000).event("copy-start.2", 5, 30).event("copy-start.3", 8, 5);
  plane.event("copy-start.4", 20, 30);
  planes.push_back(plane);
  planes.emplace_back("/host:metadata").program(15, testing::product_and_sum());
  const Outcome out = read(file(planes));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  EXPECT_EQ(profile.devices.at(0).name, "TPU v5p");
  EXPECT_EQ(profile.events.size(), 6u);
  EXPECT_EQ(out.event("while.1"), profile::kNoEvent);
  EXPECT_EQ(profile.events[out.event("fusion.1")].duration, ns(20));
  EXPECT_EQ(profile.events[out.event("copy-start.2")].kind, Kind::memcpy);
  EXPECT_EQ(profile.lanes[profile.events[out.event("copy-start.2")].lane].id, 1);
  EXPECT_EQ(profile.lanes[profile.events[out.event("copy-start.3")].lane].id, 2) << "at once";
  EXPECT_EQ(profile.lanes[profile.events[out.event("copy-start.4")].lane].id, 2);
  EXPECT_EQ(profile.lanes[profile.events[out.event("copy-start.2")].lane].name, "Async XLA Ops");
  const auto& reduced = profile.work(out.event("all-reduce.1"));
  EXPECT_EQ(profile.string(profile.captured[reduced.captured].dims), "[[256, 128]]");
  EXPECT_EQ(profile.origin_ns, 2'000);
}

/// Without annotations of the host, the line "Steps" has the iterations.
TEST(XplaneReader, StepsOfTpusAreIterations) {
  const auto iterations_of = [](bool host_steps) {
    std::vector<PlaneBuilder> planes;
    PlaneBuilder plane("/device:TPU:0");
    plane.line(1, "Steps", 2'000).event("7", 0, 100).event("8", 110, 90);
    plane.line(2, "XLA Ops", 2'000).event("fusion.1", 10, 20).event("fusion.1", 120, 20);
    planes.push_back(plane);
    PlaneBuilder host("/host:CPU");
    host.line(1, "python", 2'000).event("run", 0, 300);
    if (host_steps) host.event("train", 0, 95, {number("step_num", 3)});
    planes.push_back(host);
    const Outcome out = read(file(planes));
    EXPECT_TRUE(out.profile) << to_string(out.profile.error());
    return profile::iterations(*out.profile);
  };
  const auto steps = iterations_of(false);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].number, 7);
  EXPECT_EQ(steps[1].number, 8);
  EXPECT_EQ(steps[1].end - steps[1].start, ns(90));
  const auto annotated = iterations_of(true);
  ASSERT_EQ(annotated.size(), 1u);
  EXPECT_EQ(annotated[0].number, 3);
}

TEST(XplaneReader, LeavesOutOperationsOfTpusWithoutDuration) {
  std::vector<PlaneBuilder> planes;
  PlaneBuilder plane("/device:TPU:0");
  plane.line(2, "XLA Ops", 2'000).event("while.1", 0, 60).event("bitcast.1", 0, 0);
  plane.event("fusion.1", 10, 20).event("all-reduce.1", 70, 0, {number("program_id", 15)});
  planes.push_back(plane);
  planes.emplace_back("/host:metadata").program(15, testing::product_and_sum());
  const Outcome out = read(file(planes));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->events.size(), 2u);
  EXPECT_EQ(out.event("while.1"), profile::kNoEvent) << "it contains fusion.1";
  EXPECT_NE(out.event("all-reduce.1"), profile::kNoEvent) << "a collective";
  EXPECT_EQ(out.findings.count(FindingCode::event_not_kept), 2u);
}

TEST(XplaneReader, ReportsErrorsOfTheProfiler) {
  std::string bytes = two_devices();
  protozero::pbf_writer space(bytes);
  space.add_string(kErrors, "Failed to start tracing");
  for (int i = 0; i < 5; ++i) space.add_string(kWarnings, "dropped events");
  const Outcome out = read(bytes);
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.findings.count(FindingCode::profiler_error), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::profiler_warning), 5u);
  for (const Finding& finding : out.findings.list()) {
    if (finding.code != FindingCode::profiler_error) continue;
    EXPECT_EQ(finding.places[0], "x.xplane.pb: Failed to start tracing");
  }
}

/// XLA loses the operations of kernels in command buffers.
TEST(XplaneReader, CountsCommandBuffersWithoutOperations) {
  std::vector<PlaneBuilder> planes;
  PlaneBuilder device("/device:GPU:0"), host("/host:CPU");
  host.line(1, "main", 0).event("cuGraphLaunch", 0, 5, {number("correlation_id", 9)});
  host.event("cuLaunchKernel", 6, 5, {number("correlation_id", 10)});
  device.line(7, "Stream #7(Kernel)", 0).event("a", 10, 5, {number("correlation_id", 9)});
  device.event("b", 20, 5, {number("correlation_id", 9)});
  device.event("c", 30, 5, {number("correlation_id", 10)});
  planes.push_back(device);
  planes.push_back(host);
  const Outcome out = read(file(planes));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.findings.count(FindingCode::capture_unmatched), 1u);
}

TEST(XplaneReader, IsKnownByItsFirstPlane) {
  const trace::testing::TempFolder folder;
  const std::string bytes = two_devices();
  const auto format = [&](const std::string& name, const std::string& content) {
    return inputs_in(folder.write(name, content)).value().at(0).format;
  };
  EXPECT_EQ(format("a.xplane.pb", bytes), Format::xplane);
  EXPECT_EQ(format("a.bin", trace::testing::gzip(bytes)), Format::xplane);
  EXPECT_EQ(
      format(
          "long.bin",
          file({PlaneBuilder("/host:CPU").line(1, "t", 0).event(std::string(200'000, 'n'), 0, 1)})),
      Format::xplane);
  EXPECT_NE(format("other.bin", file({PlaneBuilder("tracks")})), Format::xplane);
  EXPECT_NE(format("cut.bin", bytes.substr(0, 6)), Format::xplane);
}

}  // namespace
}  // namespace orrery::trace::xplane
