// SPDX-License-Identifier: Apache-2.0
//
// What recorded events waited for, on traces that other programs recorded: the synchronization that
// HTA (Holistic Trace Analysis) finds, hand-offs between threads, and a replay of every file.
#include "orrery/profile/dependencies/dependencies.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "orrery/core/paths_testing.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/iterations.h"
#include "orrery/profile/link/link.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/kineto/reader.h"

namespace orrery::profile {
namespace {

namespace fs = std::filesystem;

const fs::path kTraces =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "traces";

Profile load(const trace::Input& input) {
  Findings findings;
  auto source = trace::open(input);
  EXPECT_TRUE(source.has_value()) << input.name;
  auto profile = trace::kineto::read(
      std::move(*source), {.where = input.name, .strings = std::make_shared<StringPool>()},
      findings);
  EXPECT_TRUE(profile.has_value()) << input.name;
  attach(*profile, findings);
  return std::move(*profile);
}
Profile load(const fs::path& path) { return load(trace::inputs_in(path.string())->front()); }

class RealDependencies : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kTraces))
      GTEST_SKIP() << "the recorded traces are not beside the project (../shared/data/traces)";
  }
};

/// The correlation of a call or of the call that launched a work.
std::uint64_t correlation(const Profile& profile, EventId e) {
  return is_host(profile.events[e].kind) ? profile.call(e).correlation
                                         : profile.work(e).correlation;
}

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The edges of a kind as pairs of correlations, sorted by the second.
Pairs pairs(const Profile& profile, const Dependencies& found, DependencyKind kind) {
  Pairs all;
  for (std::uint32_t node = 0; node < found.nodes.size(); ++node) {
    for (const Dependency& edge : found.of(node))
      if (edge.kind == kind)
        all.emplace_back(correlation(profile, edge.from), correlation(profile, found.nodes[node]));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  return all;
}

struct Waits {
  Pairs syncs, stream_waits;
};
Waits waits_of(const Profile& profile) {
  Findings findings;
  const Dependencies found = find_dependencies(profile, {}, findings);
  EXPECT_EQ(findings.count(FindingCode::dependency_contradicts_time), 0u);
  return {pairs(profile, found, DependencyKind::sync),
          pairs(profile, found, DependencyKind::stream_wait)};
}

// HTA's rules on its own test traces, by the correlation ids of the works and the calls. Its test
// of this file asks for 1526 → 1536 and 1526 → 1549; the copy and the query follow by the same
// rules.
TEST_F(RealDependencies, HtaEventSync) {
  const Waits waits = waits_of(load(kTraces / "hta/cp_cuda_event_sync.a100.json.gz"));
  EXPECT_EQ(waits.syncs, (Pairs{{1511, 1512}, {1526, 1536}, {1526, 1537}, {1526, 1549}}));
  EXPECT_EQ(waits.stream_waits, Pairs{});
}

// The event that stream 24 waits for was recorded on stream 20, although stream 28 was used in
// between: HTA's test asks for 27, and for the memset as the one that waits.
TEST_F(RealDependencies, HtaEventSyncOnManyStreams) {
  const Waits waits = waits_of(load(kTraces / "hta/cp_cuda_event_sync_multi_stream.a100.json.gz"));
  EXPECT_EQ(waits.syncs, (Pairs{{27, 54}, {57, 1410}, {27, 1424}, {57, 1424}, {1413, 1424}}));
  EXPECT_EQ(waits.stream_waits, (Pairs{{27, 1411}}));
}

/// Both traces of AlexNet have the same calls; only one has the records of events.
const Pairs kAlexNetSyncs = {{14, 15},     {25, 26},     {40, 41},     {51, 52},     {62, 63},
                             {73, 74},     {84, 85},     {95, 96},     {106, 107},   {117, 118},
                             {132, 133},   {143, 144},   {158, 159},   {169, 170},   {184, 185},
                             {195, 196},   {218, 225},   {5190, 5503}, {5498, 5503}, {5190, 5511},
                             {5498, 5511}, {5606, 5894}, {5889, 5894}, {5606, 5909}, {5889, 5909}};
const Pairs kAlexNetStreamWaits = {{5144, 5181}, {5178, 5188}, {5190, 5213},
                                   {5560, 5597}, {5594, 5604}, {5606, 5629}};

TEST_F(RealDependencies, HtaAlexNet) {
  const Waits waits = waits_of(load(kTraces / "hta/cp_alexnet.a100.json.gz"));
  EXPECT_EQ(waits.syncs, kAlexNetSyncs);
  EXPECT_EQ(waits.stream_waits, kAlexNetStreamWaits);
  EXPECT_EQ(waits_of(load(kTraces / "hta/cp_simple_add.a100.json.gz")).syncs, kAlexNetSyncs);
}

// Without the records the guesses find all syncs and four of the six waits across streams, and
// nothing that is not there.
TEST_F(RealDependencies, GuessesBesideRecords) {
  Profile profile = load(kTraces / "hta/cp_alexnet.a100.json.gz");
  profile.has_sync_events = false;
  for (std::size_t s = 0; s < profile.syncs.size(); ++s) profile.syncs[s] = Sync{};
  const Waits waits = waits_of(profile);
  EXPECT_EQ(waits.syncs, kAlexNetSyncs);
  EXPECT_EQ(waits.stream_waits.size(), 4u);
  EXPECT_TRUE(std::includes(kAlexNetStreamWaits.begin(), kAlexNetStreamWaits.end(),
                            waits.stream_waits.begin(), waits.stream_waits.end()));
}

/// The names of the operators around both ends of the guessed hand-offs.
std::vector<std::pair<std::string, std::string>> hand_offs(const Profile& profile) {
  Findings findings;
  const Dependencies found = find_dependencies(profile, {}, findings);
  std::vector<std::pair<std::string, std::string>> all;
  for (std::uint32_t node = 0; node < found.nodes.size(); ++node) {
    for (const Dependency& edge : found.of(node))
      if (edge.kind == DependencyKind::inter_thread && edge.guessed)
        all.emplace_back(profile.name(edge.from), profile.name(found.nodes[node]));
  }
  return all;
}

// The forward pass hands over to autograd's thread, which hands back to the optimizer: once each in
// every iteration of these data-parallel trainings, and nowhere else. In those of DLRM it also
// hands over a gradient to be accumulated on the host and goes on.
TEST_F(RealDependencies, HandOffsOfTrainings) {
  const auto three = hand_offs(load(kTraces / "hta/nccl_data.a100_2rank.rank0.json.gz"));
  ASSERT_EQ(three.size(), 6u);
  for (std::size_t i = 0; i < three.size(); i += 2) {
    EXPECT_EQ(three[i].first, "cudaLaunchKernel");
    EXPECT_TRUE(three[i].second.starts_with("autograd::engine::evaluate_function"));
    EXPECT_EQ(three[i + 1].second, "## optimizer ##");
  }
  const auto ranks = trace::inputs_in((kTraces / "param/dlrm_kineto.tar.gz").string());
  ASSERT_TRUE(ranks.has_value());
  for (const trace::Input& rank : *ranks) {
    const auto one = hand_offs(load(rank));
    ASSERT_EQ(one.size(), 3u) << rank.name;
    EXPECT_TRUE(one[0].second.starts_with("autograd::engine::evaluate_function"));
    EXPECT_EQ(one[1].second,
              "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad");
    EXPECT_EQ(one[2].second, "## optimizer ##");
  }
}

// A replay of these steps is exact.
TEST_F(RealDependencies, DlrmSteps) {
  const auto ranks = trace::inputs_in((kTraces / "param/dlrm_kineto.tar.gz").string());
  ASSERT_TRUE(ranks.has_value());
  for (const trace::Input& rank : *ranks) {
    const Profile profile = load(rank);
    const std::vector<Iteration> steps = iterations(profile);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(steps[0].number, 10);
    Findings findings;
    const Replay exact = replay(profile, find_dependencies(profile, {}, findings));
    EXPECT_GE(exact.total, steps[0].end);
    EXPECT_LE(exact.total, steps[0].end + us(60));  // the wait for the device at the very end
  }
}

void check(const Profile& profile, bool filtered) {
  Findings findings;
  const Dependencies found = find_dependencies(profile, {}, findings);
  const Replay played = replay(profile, found);
  ASSERT_TRUE(played.acyclic);
  Time recorded = played.begin;
  std::vector<bool> followed(found.nodes.size(), false);
  for (const Dependency& edge : found.edges) followed[found.node_of[edge.from]] = true;
  for (const EventId e : found.nodes)
    if (profile.events[e].timed()) recorded = std::max(recorded, profile.events[e].end());
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    EventId last = kNoEvent;
    for (const EventId e : profile.in_order(lane)) {
      if (!is_device_work(profile.events[e].kind)) continue;
      EXPECT_TRUE(last == kNoEvent || followed[found.node_of[last]]) << profile.name(last);
      last = e;
    }
  }
  // Missing is only what a thread did after its last step where that launched something.
  EXPECT_LE(played.total, recorded);
  const std::int64_t per_mille = filtered ? 4 : 1;
  EXPECT_LE(recorded - played.total, Time((recorded - played.begin).count() / 1000 * per_mille));
}

TEST_F(RealDependencies, ReplayEveryFile) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kTraces)) {
    if (entry.path().extension() != ".gz" && entry.path().extension() != ".json") continue;
    const auto inputs = trace::inputs_in(entry.path().string());
    if (!inputs) continue;
    for (const trace::Input& input : *inputs) {
      if (input.format != trace::Format::kineto) continue;
      SCOPED_TRACE(input.name);
      check(load(input), input.name.find("sampled") != std::string::npos);  // few events are left
      ++files;
    }
  }
  EXPECT_GE(files, 30);
}

}  // namespace
}  // namespace orrery::profile
