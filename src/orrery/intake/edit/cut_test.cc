// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/edit/cut.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "orrery/trace/chakra/records/writer.h"
#include "orrery/trace/kineto/reader.h"
#include "orrery/trace/pytorch/reader.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using trace::chakra::NodeRecord;

class Cut : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("orrery_cut_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] trace::Input write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return trace::inputs_in(path(name)).value().front();
  }
  [[nodiscard]] profile::Profile kineto(const std::string& name) {
    return trace::kineto::read(trace::open(trace::inputs_in(path(name))->front()).value(),
                               {name, std::make_shared<StringPool>()}, findings_)
        .value();
  }
  static std::vector<std::string> names(const profile::Profile& profile) {
    std::vector<std::string> list;
    for (profile::EventId e = 0; e < profile.events.size(); ++e) list.emplace_back(profile.name(e));
    std::sort(list.begin(), list.end());
    return list;
  }

  fs::path folder_;
  Findings findings_;
};

/// Two iterations; the kernel launched in the first runs in the second.
constexpr const char* kKineto = R"({"schemaVersion": 1, "baseTimeNanoseconds": 1000,
"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0.0, "args": {"name": "python"}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 1, "tid": 1, "ts": 100.5 , "dur": 50, "args": {"External id": 1}},
{"ph": "X", "cat": "cpu_op", "name": "early", "pid": 1, "tid": 1, "ts": 110, "dur": 10, "args": {"External id": 2}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 112, "dur": 2, "args": {"correlation": 7}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#5", "pid": 1, "tid": 1, "ts": 160, "dur": 40, "args": {"External id": 3}},
{"ph": "X", "cat": "kernel", "name": "slow", "pid": 0, "tid": 7, "ts": 170, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 7}},
{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 7, "pid": 1, "tid": 1, "ts": 112},
{"ph": "X", "cat": "cpu_op", "name": "late", "pid": 1, "tid": 1, "ts": 180, "dur": 10, "args": {"External id": 4}},
{"ph": "X", "cat": "kernel", "name": "orphan", "pid": 0, "tid": 7, "ts": 190, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 99}}
], "traceName": "x.json"})";

TEST_F(Cut, AnIterationKeepsWhatItLaunched) {
  const auto input = write("t.json", kKineto);
  CutOptions options;
  options.iteration = 4;
  const auto report = cut(input, options, path("four.json"), findings_);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->records, 9u);
  EXPECT_EQ(report->retained,
            6u);  // the name, the step, the operator, the call, its kernel, its flow
  EXPECT_EQ(names(kineto("four.json")),
            (std::vector<std::string>{"ProfilerStep#4", "cudaLaunchKernel", "early", "slow"}));
  options.iteration = 5;
  ASSERT_TRUE(cut(input, options, path("five.json.gz"), findings_));
  EXPECT_EQ(names(kineto("five.json.gz")),
            (std::vector<std::string>{"ProfilerStep#5", "late", "orphan"}));
  options.iteration = 6;
  const auto none = cut(input, options, path("six.json"), findings_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::usage);
  EXPECT_NE(none.error().hint.find("4, 5"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("six.json")));
}

TEST_F(Cut, AWindowCountsFromTheFirstTime) {
  const auto input = write("t.json", kKineto);
  CutOptions options;
  options.from = us(70);
  options.to = us(85);
  const auto report = cut(input, options, path("window.json"), findings_);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(names(kineto("window.json")), (std::vector<std::string>{"late"}));
  options.to = us(70);
  EXPECT_EQ(cut(input, options, path("w.json"), findings_).error().code, Errc::usage);
  options.from = us(5000);
  options.to.reset();
  const auto empty = cut(input, options, path("w.json"), findings_);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().what, "no event begins in this window");
  EXPECT_NE(empty.error().hint.find("99.5 us"), std::string::npos) << empty.error().hint;
  EXPECT_FALSE(fs::exists(path("w.json")));
}

TEST_F(Cut, ManyIterationsAreNotAllListed) {
  std::string events;
  for (int i = 0; i < 1000; ++i) {
    events += (i > 0 ? "," : "") +
              std::string(R"({"ph": "X", "cat": "user_annotation", "name": )") + "\"ProfilerStep#" +
              std::to_string(i) + R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(10 * i) +
              R"(, "dur": 9})";
  }
  CutOptions options;
  options.iteration = 1000;
  const auto none = cut(write("t.json", R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}"),
                        options, path("w.json"), findings_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().hint, "the trace has 1000 iterations, from 0 to 999");
}

TEST_F(Cut, RecordsWhoseQuotesDoNotMatch) {
  const std::string whole = kKineto;
  CutOptions options;
  options.from = Time{};
  for (std::size_t at = whole.find("{\"ph\"");
       (at = whole.find('"', at + 1)) < whole.size() - 30;) {
    std::string text = whole;
    text[at] = ' ';
    const auto report = cut(write("t.json", text), options, path("w.json"), findings_);
    if (report) {
      EXPECT_LE(report->retained, 9u) << at;
    }
  }
}

TEST_F(Cut, IterationsOfExecutionTraces) {
  const auto node = [](int id, const char* name, int parent) {
    return R"({"id": )" + std::to_string(id) + R"(, "name": ")" + name + R"(", "ctrl_deps": )" +
           std::to_string(parent) +
           R"(, "inputs": {"values": [], "shapes": [], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "rf_id", "type": "uint64", "value": )" +
           std::to_string(id) +
           R"(}, {"name": "scope", "type": "uint64", "value": 7}, {"name": "tid", "type": "uint64", "value": 1}]})";
  };
  const auto input =
      write("et.json",
            R"({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "time": "x", "start_ts": 1, "nodes": [)" +
                node(2, "[pytorch|profiler|execution_trace|thread]", 1) + ",\n" +
                node(3, "## process_group:init ##", 2) + ",\n" + node(11, "a", 10) + ",\n" +
                node(10, "ProfilerStep#1", 2) + ",\n" + node(21, "b", 20) + ",\n" +
                node(20, "ProfilerStep#2", 2) + ",\n" +
                node(1, "[pytorch|profiler|execution_trace|process]", 1) + R"(], "finish_ts": 2})");
  CutOptions options;
  options.iteration = 2;
  const auto report = cut(input, options, path("two.json"), findings_);
  ASSERT_TRUE(report) << to_string(report.error());
  const auto two =
      trace::pytorch::read(trace::open(trace::inputs_in(path("two.json"))->front()).value(),
                           {"two.json", std::make_shared<StringPool>()}, findings_);
  ASSERT_TRUE(two) << to_string(two.error());
  EXPECT_EQ(names(*two),
            (std::vector<std::string>{"## process_group:init ##", "ProfilerStep#2", "b"}));
  options.iteration.reset();
  options.from = us(1);
  EXPECT_EQ(cut(input, options, path("w.json"), findings_).error().code, Errc::usage);
}

TEST_F(Cut, ChakraByStartTimes) {
  trace::chakra::TraceRecords records;
  records.metadata.emplace();
  const auto add = [&](std::uint64_t id, const char* name, std::uint64_t start, bool host,
                       std::vector<std::uint64_t> deps, std::uint64_t parent = 0) {
    NodeRecord node;
    node.id = id;
    node.name = name;
    node.type = 4;
    node.start_time_micros = start;
    node.data_deps = std::move(deps);
    if (parent > 0) node.ctrl_deps = {parent};
    node.attributes.push_back(trace::chakra::attribute_bool("is_cpu_op", host));
    records.nodes.push_back(node);
  };
  add(1, "ProfilerStep#1", 1000, true, {});
  add(2, "launch", 1010, true, {1}, 1);
  add(3, "ProfilerStep#2", 1100, true, {2});
  add(4, "kernel of 1", 1120, false, {2}, 2);
  add(5, "op", 1130, true, {3, 4}, 3);
  auto& said = records.nodes.back().attributes;
  said.push_back(trace::chakra::attribute_strings("dep_kinds", {"thread", "sync?"}));
  said.push_back(trace::chakra::attribute("dep_lags_ps", trace::chakra::Member::int64_list, 0));
  said.back().list = {5, 7};
  ASSERT_TRUE(write_records(path("w.0.et"), records, {}));
  const auto input = trace::inputs_in(path("w.0.et")).value().front();
  CutOptions options;
  options.iteration = 2;
  auto report = cut(input, options, path("two.et"), findings_);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->retained, 2u);
  EXPECT_EQ(report->edges_cut, 2u);  // on the launch, and on the kernel of the step before
  EXPECT_EQ(report->from, us(100));
  const auto made = trace::chakra::read_records(path("two.et"));
  ASSERT_TRUE(made);
  const NodeRecord& last = made->nodes.back();
  EXPECT_EQ(last.data_deps, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(last.attributes[1].texts, (std::vector<std::string>{"thread"}));
  EXPECT_EQ(last.attributes[2].list, (std::vector<std::uint64_t>{5}));
  options.iteration = 1;
  report = cut(input, options, path("one.et"), findings_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->retained, 3u);
  EXPECT_EQ(report->edges_cut, 0u);
}

}  // namespace
}  // namespace orrery::intake
