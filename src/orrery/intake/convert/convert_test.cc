// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include "orrery/intake/convert/convert_testing.h"
#include "orrery/trace/chakra/groups.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {
namespace {

using profile::CommKind;
using profile::EventId;
using profile::Maker;
using testing::attribute;
using testing::chain;
using testing::converted;
using ::testing::ElementsAre;
using testing::number;
using testing::text;

constexpr std::uint64_t kMetadata = 1, kCompType = 4;

/// An operator with a launch, its kernel and one more on the stream.
struct Small {
  Maker make;
  std::uint32_t main = make.thread(77), stream = make.stream(7);
  EventId op = make.op(main, "aten::mm", 10, 30);
  EventId call = make.call(main, "cudaLaunchKernel", 12, 3, 5);
  EventId first = make.kernel(stream, "gemm", 20, 10, 5);
  EventId copy = make.kernel(stream, "Memcpy", 31, 4, 6, profile::kNoId, profile::Kind::memcpy);

  Small() {
    make.work_of(first).call = call;
    make.work_of(first).op = op;
    make.work_of(copy).bytes = 4096;
    make.profile.origin_ns = 5'000'000;
  }
};

TEST(Convert, RecordedStarts) {
  Small small;
  const auto profile = small.make.take();
  auto dependencies = chain(profile);
  dependencies.start[2] = dependencies.start[3] = us(700);
  const auto plain = converted(profile, dependencies);
  ASSERT_TRUE(plain.report);
  EXPECT_EQ(plain.report->starts, 1u);
  EXPECT_EQ(plain.report->nodes, 5u);
  EXPECT_EQ(plain.report->compute, 5u);
  ASSERT_EQ(plain.nodes.size(), 5u);
  EXPECT_EQ(plain.nodes[4].name, "[recorded start]");
  EXPECT_EQ(plain.nodes[4].id, 5u);
  EXPECT_EQ(plain.nodes[4].duration_micros, 700u);
  EXPECT_THAT(plain.nodes[0].data_deps, ElementsAre());
  EXPECT_THAT(plain.nodes[2].data_deps, ElementsAre(2, 5));
  EXPECT_THAT(plain.nodes[3].data_deps, ElementsAre(3, 5));

  ConvertOptions options;
  options.begin = us(10);
  const auto later = converted(profile, dependencies, options);
  ASSERT_EQ(later.nodes.size(), 6u);
  EXPECT_EQ(later.report->starts, 2u);
  EXPECT_EQ(later.node(5).duration_micros, 10u);
  EXPECT_EQ(later.node(6).duration_micros, 710u);
  EXPECT_THAT(later.nodes[0].data_deps, ElementsAre(5));
  EXPECT_THAT(later.nodes[1].data_deps, ElementsAre(1));
  EXPECT_THAT(later.nodes[2].data_deps, ElementsAre(2, 6));
}

// A communication takes its own time; how long its thread had nothing to do comes before it.
TEST(Convert, PausesOfAThread) {
  Maker make;
  const std::uint32_t thread = make.thread(1);
  make.annotation(thread, "gloo:all_reduce", 0, 30);
  make.annotation(thread, "gloo:all_reduce", 100, 20);
  const auto profile = make.take();
  auto dependencies = chain(profile);
  dependencies.cost[1] = us(90);
  const auto out = converted(profile, dependencies);
  ASSERT_TRUE(out.report);
  ASSERT_EQ(out.nodes.size(), 3u);
  EXPECT_EQ(out.report->collectives, 2u);
  EXPECT_EQ(out.report->pauses, 1u);
  EXPECT_EQ(out.nodes[2].name, "[recorded pause]");
  EXPECT_EQ(out.nodes[2].duration_micros, 70u);
  EXPECT_THAT(out.nodes[2].data_deps, ElementsAre(1));
  EXPECT_THAT(out.nodes[1].data_deps, ElementsAre(3));
  EXPECT_EQ(out.nodes[1].duration_micros, 20u);

  dependencies.previous_duration = {us(30),
                                    us(50)};  // what was learned elsewhere: 40 idle, then 50
  const auto learned = converted(profile, dependencies);
  EXPECT_EQ(learned.nodes[2].duration_micros, 40u);
  EXPECT_EQ(learned.nodes[1].duration_micros, 50u);
}

TEST(Convert, HostAndDeviceNodes) {
  Small small;
  small.make.op_of(small.op).record_function_id = 31;
  small.make.op_of(small.op).sequence = 9;
  small.make.op_of(small.op).dims = small.make.text("[[2,3],[]]");
  small.make.op_of(small.op).types = small.make.text(R"(["float",""])");
  const auto profile = small.make.take();
  const auto out = converted(profile, chain(profile));
  ASSERT_TRUE(out.report);
  ASSERT_EQ(out.nodes.size(), 4u);
  EXPECT_EQ(out.metadata.version, "0.0.4");

  const auto& op = out.nodes[0];
  EXPECT_EQ(op.id, 1u);
  EXPECT_EQ(op.name, "aten::mm");
  EXPECT_EQ(op.type, kCompType);
  EXPECT_EQ(op.start_time_micros, 5010u);
  EXPECT_EQ(op.duration_micros, 30u);
  EXPECT_EQ(number(op, "is_cpu_op"), 1);
  EXPECT_EQ(number(op, "tid"), 77);
  EXPECT_EQ(number(op, "rf_id"), 31);
  EXPECT_EQ(number(op, "seq_id"), 9);
  EXPECT_EQ(attribute(op, "stream"), nullptr);
  ASSERT_TRUE(op.inputs);
  EXPECT_EQ(op.inputs->shapes, "[[2, 3], []]");
  EXPECT_EQ(op.inputs->types, "['float', '']");
  EXPECT_EQ(op.inputs->values, "");

  EXPECT_THAT(out.nodes[1].ctrl_deps, ElementsAre(1)) << "the operator around the call";
  EXPECT_THAT(out.nodes[1].data_deps, ElementsAre(1));
  EXPECT_FALSE(out.nodes[1].inputs);

  const auto& kernel = out.nodes[2];
  EXPECT_EQ(number(kernel, "is_cpu_op"), 0);
  EXPECT_EQ(number(kernel, "stream"), 7);
  EXPECT_EQ(number(kernel, "correlation"), 5);
  EXPECT_THAT(kernel.data_deps, ElementsAre(2));
  EXPECT_THAT(kernel.ctrl_deps, ElementsAre(1));
  EXPECT_EQ(attribute(kernel, "device"), nullptr);

  const auto& copy = out.nodes[3];
  EXPECT_EQ(number(copy, "tensor_size"), 4096);
  EXPECT_THAT(copy.data_deps, ElementsAre(3));
  EXPECT_TRUE(copy.ctrl_deps.empty()) << "nothing launched it that is known";

  EXPECT_EQ(out.report->nodes, 4u);
  EXPECT_EQ(out.report->edges, 3u);
  EXPECT_EQ(out.report->compute, 4u);
  EXPECT_EQ(out.report->device_nodes, 2u);
  EXPECT_EQ(out.report->device_with_later, 1u);
  EXPECT_EQ(out.report->device_with_successor, 1u);
}

TEST(Convert, WhereInAStepNodesStand) {
  Small small;
  small.make.annotation(small.main, "ProfilerStep#6", 9, 40);
  small.make.annotation(small.main, "Optimizer.step#SGD.step", 9, 35);
  const auto profile = small.make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(number(out.nodes[2], "in_step"), 6);
  EXPECT_EQ(text(out.nodes[2], "in_phase"), "optimizer");
  EXPECT_EQ(attribute(out.nodes[2], "in_layer"), nullptr);
  EXPECT_EQ(attribute(out.nodes[3], "in_step"), nullptr) << "its launch is unknown";
  EXPECT_EQ(attribute(out.nodes[0], "in_step"), nullptr) << "its works say it";

  Maker host;
  host.op(host.thread(1), "aten::mm", 10, 5);
  host.annotation(host.thread(1), "ProfilerStep#6", 9, 40);
  const auto alone = host.take();
  EXPECT_EQ(number(converted(alone, chain(alone)).nodes[0], "in_step"), 6);
}

TEST(Convert, NodesOfExecutionTraces) {
  Maker make;
  const auto main = make.thread(2);
  const EventId root = make.node(main, "[pytorch|profiler|execution_trace|thread]", 2);
  const EventId op = make.node(main, "triton_poi", 5, root);
  profile::Node& node = make.node_of(op);
  node.forward_parent = 3;
  node.scope = 1;
  node.forward_thread = 4;
  node.schema = make.text("aten::mm(Tensor a) -> Tensor");
  node.kernel_backend = make.text("triton");
  node.extra = make.text(R"({"tensor_range":"{}"})");
  node.inputs = make.profile.texts.add(R"([[7,8,0,6,4,"cuda:0"],"<None>",true])");
  node.input_shapes = make.text("[[2,3],[],[]]");
  node.input_types = make.text(R"x(["Tensor(float)","None","Bool"])x");
  const EventId init = make.node(main, "## process_group:init ##", 6, root);
  make.node_of(init).inputs = make.profile.texts.add(R"(["[]"])");
  const auto profile = make.take();
  const auto out = converted(profile, chain(profile));
  ASSERT_TRUE(out.report);
  const auto& record = out.node(2);
  EXPECT_EQ(record.inputs->values, "[[7, 8, 0, 6, 4, 'cuda:0'], '<None>', True]");
  EXPECT_EQ(record.inputs->types, "['Tensor(float)', 'None', 'Bool']");
  EXPECT_EQ(record.start_time_micros, 0u);
  EXPECT_EQ(number(record, "fw_parent"), 3);
  EXPECT_EQ(number(record, "scope"), 1);
  EXPECT_EQ(number(record, "fw_tid"), 4);
  EXPECT_EQ(number(record, "tid"), 2);
  EXPECT_EQ(text(record, "op_schema"), "aten::mm(Tensor a) -> Tensor");
  EXPECT_EQ(text(record, "kernel_backend"), "triton");
  EXPECT_EQ(text(record, "et_attrs"), R"({"tensor_range":"{}"})");
  EXPECT_EQ(out.node(3).type, kMetadata);
}

TEST(Convert, DurationsAreExact) {
  Maker make;
  const auto main = make.thread(1);
  for (int i = 0; i < 10; ++i) make.op(main, "op", 10 * i, 5);
  auto profile = make.take();
  auto dependencies = chain(profile);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    dependencies.cost[i] = ps(i == 4 ? 3 * kPsPerUs : 700'000 + static_cast<std::int64_t>(i));
    sum += dependencies.cost[i].count();
  }
  const auto out = converted(profile, dependencies);
  std::int64_t micros = 0;
  for (const auto& node : out.nodes) micros += static_cast<std::int64_t>(node.duration_micros);
  EXPECT_EQ(micros, sum / kPsPerUs) << "the sums do not drift";

  Findings findings;
  const auto graph =
      convert_to_graph(profile, dependencies, {}, std::make_shared<StringPool>(), findings);
  ASSERT_TRUE(graph) << to_string(graph.error());
  for (std::uint32_t n = 0; n < 10; ++n) EXPECT_EQ(graph->duration(n), dependencies.cost[n]);
  EXPECT_EQ(attribute(out.nodes[4], "duration_ps"), nullptr) << "whole microseconds need none";
}

// The conversion of files, compared with the one without their bytes.
TEST(Convert, AGraphIsWhatItsFileWouldBeReadAs) {
  Small small;
  small.make.annotation(small.make.thread(78), "ProfilerStep#6", 9, 40);
  const auto profile = small.make.take();
  auto dependencies = chain(profile);
  dependencies.start[2] = us(700);
  dependencies.cost[3] = ps(1'234'567);
  const auto out = converted(profile, dependencies);
  std::string bytes;
  trace::chakra::append_framed(bytes, out.metadata);
  for (const auto& node : out.nodes) trace::chakra::append_framed(bytes, node);
  Findings read_findings, findings;
  trace::chakra::GroupMap groups;
  const auto read = trace::chakra::read_rank(
      std::make_unique<trace::MemorySource>(std::as_bytes(std::span(bytes))),
      {"t.et", std::make_shared<StringPool>(), graph::Repair::refuse, &groups}, read_findings);
  const auto made =
      convert_to_graph(profile, dependencies, {}, std::make_shared<StringPool>(), findings);
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->content_hash(), read->content_hash());
  ASSERT_EQ(made->size(), read->size());
  for (graph::NodeId node = 0; node < made->size(); ++node) {
    EXPECT_EQ(made->id(node), read->id(node));
    EXPECT_EQ(made->name(node), read->name(node));
    EXPECT_EQ(made->scope(node), read->scope(node));
  }
  EXPECT_TRUE(read_findings.list().empty());
}

TEST(Convert, LabelsUnusualDependencies) {
  Small small;
  const auto profile = small.make.take();
  auto dependencies = chain(profile);
  for (auto& edge : dependencies.edges) {
    if (edge.kind == DependencyKind::stream) edge = {edge.from, DependencyKind::stream_wait, true};
  }
  const auto out = converted(profile, dependencies);
  ASSERT_NE(attribute(out.nodes[3], "dep_kinds"), nullptr);
  EXPECT_THAT(attribute(out.nodes[3], "dep_kinds")->texts, ElementsAre("stream_wait?"));
  EXPECT_EQ(attribute(out.nodes[2], "dep_kinds"), nullptr);
}

TEST(Convert, NeverDanglesOrRepeats) {
  Small small;
  const auto profile = small.make.take();
  auto dependencies = chain(profile);
  // The copy waits twice for the kernel, for an event that is no node, and for itself.
  dependencies.node_of[small.call] = profile::kNone;
  dependencies.edges.push_back({small.first, DependencyKind::sync, false});
  dependencies.edges.push_back({small.call, DependencyKind::launch, false});
  dependencies.edges.push_back({small.copy, DependencyKind::stream, false});
  dependencies.first.back() = static_cast<std::uint32_t>(dependencies.edges.size());
  const auto out = converted(profile, dependencies);
  EXPECT_THAT(out.nodes[3].data_deps, ElementsAre(3));
}

TEST(Convert, GroupsInTheirOwnNode) {
  Maker make;
  const auto main = make.thread(1);
  const auto stream = make.stream(7);
  const auto op = make.op(main, "record_param_comms", 0, 10);
  const auto kernel = make.kernel(stream, "ncclDevKernel_AllReduce_Sum_f32", 5, 20);
  const auto group = make.group("1", {4, 5});
  make.group("1", {4, 5});
  make.profile.groups[group].description = "dp's";
  make.comm(op, CommKind::all_reduce, 100, group);
  make.comm(kernel, CommKind::all_reduce, 100, group);
  make.work_of(kernel).op = op;
  const auto profile = make.take();
  ConvertOptions options;
  options.groups[group] = {"dp0", {0, 1}};
  auto out = converted(profile, chain(profile), options);
  ASSERT_EQ(out.nodes.size(), 3u);
  EXPECT_EQ(out.nodes[0].id, 0u);
  EXPECT_EQ(out.nodes[0].type, kMetadata);
  EXPECT_EQ(text(out.node(2), "pg_name"), "dp0");
  const auto groups = trace::chakra::parse_group_dump(out.nodes[0].inputs->values, "test");
  ASSERT_TRUE(groups) << to_string(groups.error());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_THAT(groups->at("dp0").ranks, ElementsAre(0, 1));
  EXPECT_THAT(groups->at("1").ranks, ElementsAre(4, 5));
  EXPECT_EQ(out.findings.count(FindingCode::group_unknown), 0u);
}

TEST(Convert, TheSameBytesEveryTime) {
  const auto directory = std::filesystem::path(::testing::TempDir()) / "orrery_convert";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  const auto bytes = [&](const std::string& name) {
    Small small;
    const auto profile = small.make.take();
    Findings findings;
    const auto path = (directory / name).string();
    const auto report = convert_to_file(profile, chain(profile), {}, path, true, findings);
    EXPECT_TRUE(report);
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(bytes("a.0.et"), bytes("b.0.et"));
  const auto names = std::filesystem::directory_iterator(directory);
  EXPECT_EQ(std::distance(begin(names), end(names)), 2) << "no other files";

  Findings findings;
  const auto graph =
      trace::chakra::load_rank((directory / "a.0.et").string(), std::make_shared<StringPool>(),
                               graph::Repair::refuse, findings);
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(graph->size(), 4u);
  Small small;
  const auto profile = small.make.take();
  EXPECT_EQ(
      convert_to_file(profile, chain(profile), {}, "/dev/null/x.et", true, findings).error().code,
      Errc::output_failed);
}

TEST(Convert, EndsWithTheCallersError) {
  Small small;
  const auto profile = small.make.take();
  Findings findings;
  const auto stop = [](const auto&) -> Result<void> {
    return fail(Errc::output_failed, "x", "full");
  };
  const auto go = [](const auto&) -> Result<void> { return {}; };
  EXPECT_FALSE(convert(profile, chain(profile), {}, findings, stop, go));
  EXPECT_FALSE(convert(profile, chain(profile), {}, findings, go, stop));
}

TEST(Convert, AlignsClocks) {
  Small small;
  const auto profile = small.make.take();
  ConvertOptions options;
  options.clock_offset = us(-4000);
  EXPECT_EQ(converted(profile, chain(profile), options).nodes[0].start_time_micros, 1010u);
  options.clock_offset = us(-40000);
  EXPECT_EQ(converted(profile, chain(profile), options).nodes[0].start_time_micros, 0u);
}

}  // namespace
}  // namespace orrery::intake
