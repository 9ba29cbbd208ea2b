// SPDX-License-Identifier: Apache-2.0
//
// Real recordings of JAX on AMD devices.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/graph/kernel.h"
#include "orrery/trace/xplane/xplane_testing.h"

namespace orrery::trace::xplane {
namespace {

using profile::Kind;
using testing::Outcome;
using testing::read;
using testing::source_of;

std::string sample(const std::string& name) {
  std::ifstream file(
      std::string(core_testing::kSourceFolder) + "/../shared/data/xla/tracelens/" + name,
      std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

/// Time in which a device works.
Time busy(const profile::Profile& profile) {
  std::vector<std::pair<Time, Time>> spans;
  for (profile::EventId e = 0; e < profile.events.size(); ++e)
    if (is_device_work(profile.events[e].kind))
      spans.emplace_back(profile.events[e].start, profile.events[e].end());
  std::sort(spans.begin(), spans.end());
  Time sum{}, until{};
  for (const auto& [from, to] : spans) {
    if (to <= until) continue;
    sum += to - std::max(from, until);
    until = to;
  }
  return sum;
}

/// A convolution runs five times on each of eight devices. Its kernels have the kinds and counts
/// that TraceLens reports for another recording of the program
/// (jax_conv_minimal_expected_kernel_launchers_summary.csv).
TEST(XplaneSamples, ReadsAConvolutionOnEightDevices) {
  const std::string bytes = sample("jax_conv_minimal_08.xplane.pb");
  if (bytes.empty()) GTEST_SKIP() << "no recordings of JAX";
  const auto devices = devices_in(source_of(bytes), "conv").value();
  ASSERT_EQ(devices.size(), 8u);
  for (const std::int64_t device : devices) {
    const Outcome out = read(bytes, device);
    ASSERT_TRUE(out.profile) << to_string(out.profile.error());
    const profile::Profile& profile = *out.profile;
    EXPECT_EQ(profile.devices.at(0).processors, 304);
    std::map<std::string, int> kernels;  // of the program, by the beginning of their names
    std::set<std::uint64_t> calls;
    std::uint64_t works = 0, launched = 0, without_operation = 0;
    for (profile::EventId e = 0; e < profile.events.size(); ++e)
      if (profile.events[e].kind == Kind::call) calls.insert(profile.call(e).correlation);
    for (profile::EventId e = 0; e < profile.events.size(); ++e) {
      if (!is_device_work(profile.events[e].kind)) continue;
      const profile::Work& work = profile.work(e);
      ++works;
      launched += calls.count(work.correlation);
      if (profile.events[e].kind == Kind::memcpy) continue;
      without_operation += work.captured == profile::kNone;
      if (work.captured != profile::kNone) {
        EXPECT_NE(profile.captured[work.captured].dims, StringId::empty);
      }
      ++kernels[std::string(profile.name(e).substr(0, 24))];
    }
    EXPECT_EQ(launched, works);
    EXPECT_EQ(without_operation, device == 0 ? 2u : 0u) << "as in the file";
    const std::map<std::string, int> expected = {{"Cijk_Ailk_Bljk_BBS_BH_MT", 5},
                                                 {"Im3d2Col", 5},
                                                 {"input_transpose_fusion", 5},
                                                 {"input_transpose_fusion_1", 5},
                                                 {"loop_transpose_fusion", 5}};
    EXPECT_EQ(kernels, expected) << device;
  }
}

/// FLOPs of the convolution, from the shapes in df_xla_perf.csv: 2 per multiplication of
/// (1, 16, 32, 60, 104) by (5120, 16, 1, 2, 2), to (1, 5120, 34, 31, 53).
TEST(XplaneSamples, ProgramsHaveTheWorkOfAConvolution) {
  const std::string bytes = sample("jax_conv_minimal_08.xplane.pb");
  if (bytes.empty()) GTEST_SKIP() << "no recordings of JAX";
  const Outcome out = read(bytes, 1);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  const profile::Work& work = profile.work(out.event("Im3d2Col"));
  const profile::CapturedOperator& conv = profile.captured.at(work.captured);
  EXPECT_EQ(profile.string(conv.name), "cudnn-conv.1");
  EXPECT_EQ(profile.string(conv.dims), "[[1, 16, 32, 60, 104], [5120, 16, 1, 2, 2]]");
  const auto kernel = graph::parse_kernel(profile.string(conv.concrete));
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->operation, graph::Operation::convolution);
  EXPECT_EQ(kernel->flops, std::int64_t{2} * 5120 * 34 * 31 * 53 * 16 * 2 * 2);
  // Bytes that df_xla_perf.csv has for the inputs of the fusion.
  const auto& fusion =
      profile.captured.at(profile.work(out.event("input_transpose_fusion_1")).captured);
  const auto moved = graph::parse_kernel(profile.string(fusion.concrete));
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->bytes, 2 * 6'389'760);
}

/// Busy times are sums of the file's picoseconds without overlaps, by another reader.
TEST(XplaneSamples, BusyTimesAreThoseOfTheFiles) {
  struct Expected {
    const char* file;
    std::int64_t device, works, with_operation, busy;
  };
  for (const Expected& is :
       {Expected{"jax_conv_minimal_08.xplane.pb", 0, 60, 23, 3'995'965'000},
        Expected{"jax_conv_minimal_08.xplane.pb", 1, 25, 25, 3'345'845'000},
        Expected{"jax08_gemm.xplane.pb", 0, 54, 42, 3'475'484'000},
        Expected{"jax_te_fused_attn.xplane.pb", 0, 150, 150, 12'133'127'000}}) {
    const std::string bytes = sample(is.file);
    if (bytes.empty()) GTEST_SKIP() << "no recordings of JAX";
    const Outcome out = read(bytes, is.device);
    ASSERT_TRUE(out.profile) << to_string(out.profile.error());
    std::int64_t works = 0, with_operation = 0;
    for (profile::EventId e = 0; e < out.profile->events.size(); ++e) {
      if (!is_device_work(out.profile->events[e].kind)) continue;
      ++works;
      with_operation += out.profile->work(e).captured != profile::kNone;
    }
    EXPECT_EQ(works, is.works) << is.file;
    EXPECT_EQ(with_operation, is.with_operation) << "those whose events have an operation";
    EXPECT_EQ(busy(*out.profile), ps(is.busy)) << is.file;
  }
}

TEST(XplaneSamples, IdleDevicesAreNotOfTheRecording) {
  const std::string bytes = sample("jax08_gemm.xplane.pb");
  if (bytes.empty()) GTEST_SKIP() << "no recordings of JAX";
  const Outcome out = read(bytes);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->devices.size(), 1u);
}

}  // namespace
}  // namespace orrery::trace::xplane
