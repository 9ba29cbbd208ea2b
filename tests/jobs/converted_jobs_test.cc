// SPDX-License-Identifier: Apache-2.0
//
// A converted job must not stall, whatever its ranks recorded.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "orrery/core/paths_testing.h"
#include "orrery/intake/job/job.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/simulate.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// One communication as a rank would record it.
struct Done {
  std::string kind;
  int group = 0;
  int elements = 0;
  int stream = 0;
  int peer = -1;
};

struct RandomJob {
  std::uint32_t world = 2;
  std::vector<std::uint32_t> here;  ///< ranks whose traces there are
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<std::vector<Done>> done;  ///< by place in `here`
  bool described = true;                ///< who is in which group
};

std::string list(const std::vector<std::uint32_t>& ranks) {
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

/// Each communication is launched by its own operator; the host waits for the device now and then.
std::string trace_of(const RandomJob& job, std::size_t place) {
  std::string groups;
  for (std::size_t g = 0; job.described && g < job.groups.size(); ++g) {
    groups += fmt::format(R"({}{{"pg_name": "{}", "pg_desc": "", "backend_config": "cuda:nccl", )"
                          R"("ranks": {}}})",
                          g == 0 ? "" : ", ", g, list(job.groups[g]));
  }
  std::string events;
  int at = 10, id = 0;
  const auto event = [&](const char* category, const std::string& name, int tid, int start,
                         int duration, const std::string& args) {
    events += fmt::format(
        R"({}{{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, )"
        R"("args": {{{}}}}})",
        events.empty() ? "" : ",\n", category, name, std::string(category) == "kernel" ? 0 : 4000,
        tid, start, duration, args);
  };
  for (const Done& one : job.done[place]) {
    ++id;
    std::string args = fmt::format(
        R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "dtype": "Float")",
        one.kind, one.elements, one.elements);
    if (job.described) args += fmt::format(R"(, "Process Group Name": "{}")", one.group);
    if (one.peer >= 0)
      args += fmt::format(R"(, "{} Rank": {})", one.kind == "send" ? "Dst" : "Src", one.peer);
    const std::string both = fmt::format(R"("External id": {}, )", id) + args;
    event("cpu_op", "record_param_comms", 7, at, 8, both);
    event("cuda_runtime", "cudaLaunchKernel", 7, at + 2, 3,
          fmt::format(R"("correlation": {})", id));
    event("kernel", "ncclDevKernel_Something(ncclDevKernelArgsStorage)", one.stream, at + 20, 9,
          fmt::format(R"("correlation": {}, "device": 0, "stream": {}, )", id, one.stream) + args);
    at += 30;
    if (one.elements % 3 != 0) continue;
    event("cuda_runtime", "cudaDeviceSynchronize", 7, at, 5,
          fmt::format(R"("correlation": {})", 100000 + id));
    at += 10;
  }
  return fmt::format(
      R"({{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {}, )"
      R"("world_size": {}, "pg_config": [{}]}}, "baseTimeNanoseconds": 1700000000000000000, )"
      R"("traceEvents": [{}]}})",
      job.here[place], job.world, groups, events);
}

/// Communications that all ranks of a group did, some of them lost, swapped or changed.
RandomJob random_job() {
  const auto below = [](int n) { return *rc::gen::inRange(0, n); };
  RandomJob job;
  job.world = static_cast<std::uint32_t>(2 + below(4));
  job.described = below(4) != 0;
  for (int g = 1 + below(4); g > 0; --g) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t r = 0; r < job.world; ++r) {
      if (below(3) != 0) ranks.push_back(r);
    }
    if (ranks.empty()) ranks.push_back(0);
    job.groups.push_back(ranks);
  }
  for (std::uint32_t r = 0; r < job.world; ++r) {
    if (below(6) != 0 || (r + 1 == job.world && job.here.empty())) job.here.push_back(r);
  }
  job.done.resize(job.here.size());
  const char* kinds[] = {"allreduce", "_allgather_base",      "all_to_all",
                         "broadcast", "_reduce_scatter_base", "send"};
  for (int i = below(14); i > 0; --i) {
    Done one{kinds[below(6)], below(static_cast<int>(job.groups.size())), below(40), 20 + below(3),
             -1};
    const auto& ranks = job.groups[static_cast<std::size_t>(one.group)];
    const auto sender = static_cast<std::uint32_t>(below(static_cast<int>(job.world)));
    const auto receiver = static_cast<std::uint32_t>(below(static_cast<int>(job.world)));
    for (std::size_t place = 0; place < job.here.size(); ++place) {
      Done mine = one;
      const std::uint32_t rank = job.here[place];
      if (one.kind == "send") {
        if (sender == receiver || (rank != sender && rank != receiver)) continue;
        mine.kind = rank == sender ? "send" : "recv";
        mine.peer = static_cast<int>(rank == sender ? receiver : sender);
      } else if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end() && below(20) != 0) {
        continue;
      }
      auto& done = job.done[place];
      if (below(12) == 0) continue;                         // lost
      if (below(12) == 0) mine.elements = below(4000);      // another size
      if (below(12) == 0) mine.stream = 20 + below(3);      // another stream
      const bool swapped = below(6) == 0 && !done.empty();  // another order
      done.insert(swapped ? done.end() - 1 : done.end(), mine);
    }
  }
  return job;
}

void expect_to_end(const intake::JobOptions& options) {
  Findings findings;
  const auto workload = intake::load_job(options, findings);
  RC_ASSERT_FALSE(!workload && workload.error().code != Errc::input_empty);
  if (!workload) return;
  auto platform = platform::parse_cluster(
      fmt::format("{{device: a100-40gb, network: [{{block: switch, size: {}, link: nvlink3}}]}}",
                  std::max(workload->rank_count(), 2u)),
      "cluster", findings);
  RC_ASSERT(platform.has_value());
  if (workload->rank_count() == 1) return;
  const auto result = sim::simulate(*workload, *platform);
  if (!result) RC_FAIL(to_string(result.error()));
  if (result->stall)
    RC_FAIL("stalls: " + (result->stall->nodes.empty() ? "" : result->stall->nodes[0].why));
}

RC_GTEST_PROP(Jobs, RunToTheirEnd, ()) {
  const RandomJob job = random_job();
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("orrery_jobs_{}", ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  intake::JobOptions options;
  options.threads = 1;
  bool any = false;
  for (std::size_t place = 0; place < job.here.size(); ++place) {
    any = any || !job.done[place].empty();
    const std::string path = (folder / fmt::format("rank{}.json", job.here[place])).string();
    const std::string text = trace_of(job, place);
    RC_LOG(path + "\n" + text + "\n");
    std::ofstream(path) << text;
    if (!job.done[place].empty()) options.traces.push_back(path);
  }
  if (any) expect_to_end(options);
  fs::remove_all(folder);
}

const fs::path kTraces =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "traces" / "hta";

TEST(Jobs, GroupsThatNothingDescribesContradictNothing) {
  if (!fs::exists(kTraces))
    GTEST_SKIP() << "the recorded traces are not beside the project (../shared/data/traces)";
  intake::JobOptions options;
  for (const int rank : {0, 1})
    options.traces.push_back(
        (kTraces / fmt::format("sampled_128rank.rank{}.json.gz", rank)).string());
  const auto job = intake::for_each_rank(options, {});
  ASSERT_TRUE(job) << to_string(job.error());
  EXPECT_TRUE(intake::mismatches(*job, 10).empty());
  EXPECT_EQ(job->unmatched, 0u);
  EXPECT_GT(job->matched, 0u);
  EXPECT_GT(job->alone, 0u);
  Findings findings;
  const auto workload = intake::load_job(options, findings);
  ASSERT_TRUE(workload);
  const auto platform = platform::parse_cluster(
      "{device: a100-40gb, network: [{block: switch, size: 2, link: nvlink3}]}", "cluster",
      findings);
  ASSERT_TRUE(platform);
  const auto result = sim::simulate(*workload, *platform);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_FALSE(result->stall) << (result->stall ? result->stall->nodes.at(0).why : "");
}

// Two worker threads of gloo, which start what was queued in another order at each rank.
TEST(Jobs, TheDemonstrationAgrees) {
  intake::JobOptions options;
  options.traces = {
      (fs::path(core_testing::kSourceFolder) / "data/demo/ddp_transformer/*").string()};
  const auto job = intake::for_each_rank(options, {});
  ASSERT_TRUE(job) << to_string(job.error());
  EXPECT_EQ(job->ranks.size(), 2u);
  EXPECT_EQ(job->unmatched, 0u);
  EXPECT_GT(job->findings.count(FindingCode::file_skipped), 0u);
  EXPECT_TRUE(intake::mismatches(*job, 10).empty());
}

}  // namespace
}  // namespace orrery
