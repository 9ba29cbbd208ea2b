// SPDX-License-Identifier: Apache-2.0
//
// Communications in replays: between processes, as long as a run says, or left out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "addons/bench/tests/bench_program_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery {
namespace {

using ::testing::HasSubstr;

const std::string kRanks =
    kRecordings + "ddp_mlp.rank0.json.gz " + kRecordings + "ddp_mlp.rank1.json.gz ";
const std::string kCluster =
    std::string(core_testing::kSourceFolder) + "/data/demo/ddp_transformer/two-hosts.yaml";

class Communication : public Bench {
 protected:
  /// The run file of a simulation of these recordings.
  std::string run_of(const std::string& traces, const std::string& cluster = kCluster) {
    const std::string et = folder_ / "et", run = folder_ / "run.orrery";
    const Said converted = ask("trace convert " + traces + " -o " + et + " --quiet");
    EXPECT_EQ(converted.code, 0) << converted.text;
    const Said simulated = ask("run " + et + " --cluster " + cluster + " -o " + run + " --quiet");
    EXPECT_EQ(simulated.code, 0) << simulated.text;
    return run;
  }
};

using Pair = std::tuple<const char*, const char*, bool>;  // communication, level, think

class EachWay : public Communication, public ::testing::WithParamInterface<Pair> {};

// Two ranks of DDP: every operator by its recorded name, all four all-reduces, nothing fails.
TEST_P(EachWay, TwoRanksAreReplayed) {
  const auto [how, level, think] = GetParam();
  std::string arguments = kRanks + "--iterations 3 --communication " + how + " --level " + level;
  if (think) arguments += " --think";
  const bool together = std::string_view(how) == "gloo";
  if (!together) arguments += " --replay-rank 1";
  if (std::string_view(how) == "predicted") arguments += " --run " + run_of(kRanks);
  const Json said = replay(arguments);
  const Json ranks = together ? said["per_rank"] : Json::array({said});
  ASSERT_EQ(ranks.size(), together ? 2u : 1u);
  for (const Json& rank : ranks) {
    const int communicated = rank["coverage"]["communicated_operators"]["count"];
    EXPECT_EQ(communicated, std::string_view(how) == "skip" ? 0 : 4);
    EXPECT_EQ(rank["communication"]["communications"], 4 - communicated);
    EXPECT_EQ(rank["coverage"]["exact_operators"]["count"].get<int>() + communicated,
              rank["coverage"]["all_operators"]["count"]);
    EXPECT_GT(rank["coverage"]["exact_operators"]["count"], 100);
    EXPECT_EQ(rank["replay"]["failed_operators"], 0) << rank["replay"]["failed_by_name"];
    EXPECT_EQ(rank["replay"]["wall_ns"].size(), 3u);
    if (communicated == 0) continue;
    const Json& kind = rank["communication"]["by_kind"][0];
    EXPECT_EQ(kind["kind"], "all_reduce");
    EXPECT_EQ(kind["bytes"], 396'292);
    EXPECT_GT(kind["length_ns"], 1000);
    EXPECT_GE(rank["replay"]["wall_time"]["max_ns"], kind["exposed_ns"]);
  }
}
INSTANTIATE_TEST_SUITE_P(Own, EachWay,
                         ::testing::Combine(::testing::Values("skip", "gloo", "predicted"),
                                            ::testing::Values("top", "kernel"), ::testing::Bool()));

// Delays are what the run says, one after another, between operators; the trace shows them.
TEST_F(Communication, TakesAsLongAsPredicted) {
  const std::string run = run_of(kRanks), trace = folder_ / "replayed.json",
                    plan = folder_ / "plan";
  const Json said = replay(kRanks + "--replay-rank 0 --iterations 2 --communication predicted --run " +
                           run + " --kineto " + trace + " --write-plan " + plan);
  std::ifstream lines(plan);
  std::int64_t delays = 0;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(" delay "); at != std::string::npos)
      delays += std::stoll(line.substr(at + 7));
  EXPECT_GT(delays, 100'000);
  const Json& kind = said["communication"]["by_kind"][0];
  EXPECT_EQ(kind["length_ns"], delays);
  EXPECT_EQ(said["communication"]["run_communications"], 4);
  // Means over iterations, each rounded down.
  EXPECT_GE(kind["exposed_ns"].get<std::int64_t>() + kind["hidden_ns"].get<std::int64_t>() + 2,
            delays);
  const Said seen = ask("trace info " + trace + " --json --quiet");
  EXPECT_EQ(seen.code, 0) << seen.text;
  EXPECT_THAT(seen.text, HasSubstr("all_reduce"));
  std::ifstream replayed(trace);
  const std::string text{std::istreambuf_iterator<char>(replayed), {}};
  std::size_t ranges = 0;
  for (std::size_t at = 0; (at = text.find("predicted:all_reduce", at)) != std::string::npos; ++at)
    ++ranges;
  EXPECT_EQ(ranges, 8u) << "four in each of two iterations";
  EXPECT_THAT(text, HasSubstr("\"tid\": 1000")) << "on a thread of their own";
}

/// A tensor as a recording has it: id, storage, elements, type.
struct Held {
  int id = 0, elements = 0;
  const char* type = "float";
  int width = 4;

  [[nodiscard]] std::string value() const {
    return fmt::format(R"j([{}, {}, 0, {}, {}, "cpu"])j", id, id + 1, elements, width);
  }
};

/// One rank's execution trace, node by node.
class Trace {
 public:
  /// Its groups as "## process_group:init ##" lists them.
  explicit Trace(const std::string& groups) {
    std::string quoted;
    for (const char c : groups) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    text_ =
        R"j({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "t", "start_ts": 1, "nodes": [)j";
    add("[pytorch|profiler|execution_trace|thread]", "", "", "", "", "", "", 1);
    add("## process_group:init ##", "\"" + quoted + "\"", "[]", "\"String\"", "", "", "", 2);
  }

  Trace& relu(Held in, Held out) {
    add("aten::relu", in.value(), fmt::format("[{}]", in.elements), "\"Tensor(float)\"",
        out.value(), fmt::format("[{}]", out.elements), "aten::relu(Tensor self) -> Tensor", 2);
    return *this;
  }
  Trace& communicate(const std::string& what, const std::string& group, int rank, Held sent,
                     Held received, const std::string& splits = "[], []") {
    const std::string first = sent.elements == 0 ? "" : sent.value() + ", ";
    const std::string types = sent.elements == 0 ? "" : fmt::format("\"Tensor({})\", ", sent.type);
    const std::string integers = splits == "[], []" ? "GenericList[]" : "GenericList[Int,Int]";
    add("record_param_comms",
        first + fmt::format(R"j({}, ["{}", ""], {}, "{}", {}, 0, 1, 2)j", sequence_++, group, rank,
                            what, splits),
        (sent.elements == 0 ? "" : fmt::format("[{}], ", sent.elements)) +
            "[], [[], []], [], [], [], [], [], [], []",
        types + fmt::format(R"j("Int", "Tuple[String,String]", "Int", "String", "{0}", "{0}",
                            "Int", "Int", "Int")j",
                            integers),
        received.elements == 0 ? "" : received.value(),
        received.elements == 0 ? "" : fmt::format("[{}]", received.elements), "", 2, received.type);
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_ + "]}"; }

 private:
  void add(const std::string& name, const std::string& values, const std::string& shapes,
           const std::string& types, const std::string& made, const std::string& made_shapes,
           const std::string& schema, int parent, const std::string& made_type = "float") {
    if (id_ > 2) text_ += ",";
    text_ += fmt::format(
        R"j({{"id": {}, "name": "{}", "ctrl_deps": {},
 "inputs": {{"values": [{}], "shapes": [{}], "types": [{}], "strides": []}},
 "outputs": {{"values": [{}], "shapes": [{}], "types": [{}], "strides": []}},
 "attrs": [{{"name": "op_schema", "type": "string", "value": "{}"}},
           {{"name": "tid", "type": "uint64", "value": 1}}]}})j",
        id_++, name, parent, values, shapes, types, made, made_shapes,
        made.empty() ? "" : "\"Tensor(" + made_type + ")\"", schema);
  }

  std::string text_;
  int id_ = 2;
  int sequence_ = 1;
};

constexpr Held kNone{};

/// Rank `rank` of four: everything there is, in a group of the pair {0,1} or {2,3} and in one of
/// {0,2} or {1,3}.
std::string one_of_four(int rank) {
  const int low = rank / 2 * 2, in_row = rank % 2, in_column = rank / 2;
  Trace trace(fmt::format(
      R"j([{{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "ranks": [],
"group_size": 4, "group_count": 3}}, {{"pg_name": "{}", "pg_desc": "row", "backend_config":
"cuda:nccl", "ranks": [{}, {}], "group_size": 2, "group_count": 3}}, {{"pg_name": "{}", "pg_desc":
"column", "backend_config": "cuda:nccl", "ranks": [{}, {}], "group_size": 2, "group_count": 3}}])j",
      1 + in_column, low, low + 1, 3 + in_row, in_row, in_row + 2));
  const std::string row = std::to_string(1 + in_column), column = std::to_string(3 + in_row);
  const Held a{100, 32}, all{110, 64}, half{120, 16}, other{130, 32},
      brain{140, 32, "c10::BFloat16", 2}, whole{150, 32, "long int", 8},
      uneven{160, in_row == 0 ? 12 : 52};
  trace.relu(a, {200, 32})
      .communicate("allreduce", "0", rank, a, a)
      .communicate("allreduce", row, in_row, brain, brain)
      .communicate("allreduce", column, in_column, whole, whole)
      .communicate("broadcast", row, 1, a, a)
      .communicate("reduce", column, 1, a, a)
      .communicate("_allgather_base", row, in_row, a, all)
      .communicate("_reduce_scatter_base", column, in_column, a, half)
      .communicate("all_to_all", row, in_row, a, other)
      .communicate("all_to_allv", row, in_row, a, uneven,
                   in_row == 0 ? "[8, 24], [8, 4]" : "[4, 28], [24, 28]")
      .communicate("gather", column, 0, a, in_column == 0 ? all : kNone)
      .communicate("scatter", row, 1, in_row == 1 ? all : kNone, a)
      .communicate("barrier", "0", rank, kNone, kNone);
  if (in_row == 0)
    trace.communicate("send", row, 1, other, kNone);
  else
    trace.communicate("recv", row, 0, other, other);
  trace.relu(other, {210, 32}).relu(all, {220, 64});
  return trace.text();
}

TEST_F(Communication, EveryKindInGroupsOfAJob) {
  std::string traces;
  for (int rank = 0; rank < 4; ++rank)
    traces += file(fmt::format("rank{}.json", rank), one_of_four(rank)) + " ";
  const Json all = replay(traces + "--communication gloo --iterations 2");
  ASSERT_EQ(all["per_rank"].size(), 4u);
  for (const Json& rank : all["per_rank"]) {
    EXPECT_EQ(rank["coverage"]["communicated_operators"]["count"], 13);
    EXPECT_EQ(rank["communication"]["communications"], 0);
    EXPECT_EQ(rank["replay"]["failed_operators"], 0) << rank["replay"]["failed_by_name"];
  }
  // A part of the job whose groups are whole would do, this one does not.
  const Said part = ask("bench run " + traces + "--communication gloo --ranks 0,1");
  EXPECT_EQ(part.code, 3) << part.text;
  EXPECT_THAT(part.text, HasSubstr("process group"));
  const Said absent = ask("bench run " + traces + "--communication gloo --ranks 0-7");
  EXPECT_EQ(absent.code, 2) << absent.text;
}

TEST_F(Communication, RanksThatDoNotFitEndWithOneError) {
  const auto rank = [](const char* what, const char* splits = "[], []") {
    return Trace(R"([{"pg_name": "0", "ranks": [], "group_size": 2, "group_count": 1}])")
        .relu({100, 32}, {200, 32})
        .communicate(what, "0", 0, {110, 32}, {110, 32}, splits)
        .text();
  };
  const std::string one = file("rank0.json", rank("allreduce")) + " ";
  const Said kinds =
      ask("bench run --communication gloo " + one + file("rank1.json", rank("broadcast")));
  EXPECT_EQ(kinds.code, 3) << kinds.text;
  EXPECT_THAT(kinds.text, HasSubstr("is a broadcast, but rank 0's is a all_reduce"));
  // How an all-to-all is split is not compared ahead: Gloo finds out, and ends the process.
  const Said splits = ask("bench run --communication gloo --timeout 3 --force " +
                          file("rank0.json", rank("all_to_allv", "[16, 16], [16, 16]")) + " " +
                          file("rank1.json", rank("all_to_allv", "[30, 2], [2, 30]")));
  EXPECT_EQ(splits.code, 5) << splits.text;
  EXPECT_THAT(splits.text, HasSubstr("replay of rank"));
}

/// Starts a long replay of two ranks, waits until both processes are there, does `then` with the
/// parent's id in $parent and those of the ranks in $ranks, and returns the result.
std::string meanwhile(const std::string& program, const std::filesystem::path& folder,
                      const std::string& then) {
  const std::string script = folder / "script";
  std::ofstream(script)
      << program << " bench run " << kRanks
      << "--communication gloo --timeout 4 --iterations 100000 > " << folder.string()
      << "/said 2>&1 &\nparent=$!\n"
      << "for i in $(seq 200); do ranks=$(cat /proc/$parent/task/$parent/children)\n"
      << "set -- $ranks; [ $# = 2 ] && break; sleep 0.05; done\nsleep 1\n"
      << then << "\nwait $parent; echo code $? >> " << folder.string()
      << "/said\nsleep 0.3\nfor r in $ranks; do [ -e /proc/$r/exe ] && echo alive >> "
      << folder.string() << "/said; done; true\n";
  EXPECT_EQ(std::system(("bash " + script + " 2>/dev/null").c_str()), 0);
  std::ifstream said(folder / "said");
  return {std::istreambuf_iterator<char>(said), {}};
}

#ifdef ORRERY_PROGRAM
TEST_F(Communication, ARankThatDiesEndsAll) {
  const std::string said = meanwhile(core_testing::kProgram, folder_, "set -- $ranks; kill -9 $2");
  EXPECT_THAT(said, HasSubstr("replay of rank"));
  EXPECT_THAT(said, HasSubstr("code 5"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("alive")));
}

TEST_F(Communication, ARankThatHangsEndsAll) {
  const std::string said =
      meanwhile(core_testing::kProgram, folder_, "set -- $ranks; kill -STOP $2");
  EXPECT_THAT(said, HasSubstr("replay of rank 0"));
  EXPECT_THAT(said, HasSubstr("code 5"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("alive")));
}

TEST_F(Communication, RanksEndWithTheProgram) {
  for (const char* signal : {"kill -9 $parent", "kill -TERM $parent"}) {
    const std::string said = meanwhile(core_testing::kProgram, folder_, signal);
    EXPECT_THAT(said, HasSubstr("code"));
    EXPECT_THAT(said, ::testing::Not(HasSubstr("alive"))) << signal;
  }
}
#endif

TEST_F(Communication, MistakesAreTold) {
  const std::string run = "bench run " + kRanks;
  EXPECT_EQ(ask(run + "--replay-rank 0 --communication dance").code, 2);
  EXPECT_EQ(ask(run + "--replay-rank 0 --communication predicted").code, 2) << "which run?";
  EXPECT_EQ(ask(run + "--replay-rank 0 --run " + kCluster).code, 2) << "not predicted";
  EXPECT_EQ(ask(run + "--replay-rank 0 --ranks 0-1").code, 2) << "not gloo";
  EXPECT_EQ(ask(run + "--communication gloo --ranks x").code, 2);
  EXPECT_EQ(ask(run + "--communication gloo --timeout 0").code, 2);
  EXPECT_EQ(ask(run + "--communication gloo --replay-rank 0").code, 2);
  EXPECT_EQ(ask(run + "--communication gloo --kineto " + (folder_ / "x").string()).code, 2);
  EXPECT_EQ(ask(run + "--communication gloo --html " + (folder_ / "x").string()).code, 2);
  EXPECT_EQ(ask(run + "--communication gloo --similarity").code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  EXPECT_EQ(ask("bench generate " + kRanks + "--replay-rank 0 --communication gloo -o " +
                (folder_ / "program").string())
                .code,
            2);
  EXPECT_EQ(ask("bench play-rank < /dev/null").code, 2);
  EXPECT_EQ(ask(run + "--replay-rank 0 --communication predicted --run " + kCluster).code, 3)
      << "no run file";
  const std::string another =
      std::string(core_testing::kSourceFolder) + "/data/demo/ddp_transformer/rank";
  const Said mismatch = ask(run + "--replay-rank 0 --communication predicted --run " +
                            run_of(another + "0.et.json.gz " + another + "0.kineto.json.gz " +
                                   another + "1.et.json.gz " + another + "1.kineto.json.gz"));
  EXPECT_EQ(mismatch.code, 3) << mismatch.text;
  EXPECT_THAT(mismatch.text, HasSubstr("as communication 1 of 4"));
}

// Rank 0 of eight, alone: what is under way is what the simulation said.
TEST_F(Communication, RankOfARecommenderAlone) {
  if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const std::string traces = kShared + "dlrm_pytorch_et.tar.gz " + kShared + "dlrm_kineto.tar.gz ";
  const std::string cluster = file("v100.yaml",
                                   "version: 1\nname: eight\ndevice: v100-sxm2\nnetwork:\n"
                                   "  - {block: switch, size: 8, link: nvlink2}\n");
  const std::string run = run_of(traces, cluster);
  for (const char* level : {"top", "kernel"}) {
    const Json said = replay(traces + "--replay-rank 0 --iterations 2 --memory-limit 8GB --level " +
                             level + " --communication predicted --run " + run);
    EXPECT_EQ(said["communication"]["communications"], 0);
    EXPECT_EQ(said["communication"]["run_communications"], 8);
    EXPECT_EQ(said["replay"]["failed_operators"], 0) << said["replay"]["failed_by_name"];
    ASSERT_EQ(said["communication"]["by_kind"].size(), 2u);
    for (const Json& kind : said["communication"]["by_kind"]) {
      EXPECT_EQ(kind["count"], kind["kind"] == "all_to_all" ? 5 : 3);
      EXPECT_GT(kind["recorded_ns"], 1'000'000);
      EXPECT_NEAR(kind["length_ns"].get<double>() / kind["recorded_ns"].get<double>(), 1, 0.2);
    }
  }
}

}  // namespace
}  // namespace orrery
