// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/tensorflow/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>
#include <span>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/link/link.h"
#include "orrery/trace/io/profile_check_testing.h"
#include "orrery/trace/tensorflow/device_name.h"
#include "orrery/trace/tensorflow/node_records.h"
#include "orrery/trace/tensorflow/proto_fields.h"

namespace orrery::trace::tensorflow {
namespace {

using profile::Kind;
using ::testing::ElementsAre;

constexpr std::int64_t kBegin = 1'500'000'000'000'000;  // us

/// A node that began `start` us after kBegin and lasted for `length` us.
std::string node(std::string_view name, std::string_view label, std::int64_t start,
                 std::int64_t length, std::uint64_t thread = 0) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(kNodeName, name.data(), name.size());
  writer.add_int64(kAllStartMicros, kBegin + start);
  writer.add_int64(kOpStartMicros, 0);
  writer.add_int64(kOpEndMicros, length);
  writer.add_int64(kAllEndMicros, length);
  writer.add_string(kTimelineLabel, label.data(), label.size());
  if (thread != 0) writer.add_uint64(kThreadId, thread);
  return bytes;
}

/// The same with a float tensor as output 0.
std::string with_output(std::string node, const std::vector<std::int64_t>& dims) {
  std::string shape, tensor, output;
  for (const std::int64_t dim : dims) {
    std::string dimension;
    protozero::pbf_writer(dimension).add_int64(kDimensionSize, dim);
    protozero::pbf_writer(shape).add_message(kDimension, dimension);
  }
  protozero::pbf_writer about(tensor);
  about.add_int32(kTensorType, 1);  // DT_FLOAT
  about.add_message(kTensorShape, shape);
  protozero::pbf_writer(output).add_message(kOutputTensor, tensor);
  protozero::pbf_writer(node).add_message(kNodeOutput, output);
  return node;
}

std::string device(std::string_view name, const std::vector<std::string>& nodes) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(kDeviceName, name.data(), name.size());
  for (const std::string& one : nodes) writer.add_message(kNodeStats, one);
  return bytes;
}

std::string step_stats(const std::vector<std::string>& devices) {
  std::string bytes;
  for (const std::string& one : devices)
    protozero::pbf_writer(bytes).add_message(kDeviceStats, one);
  return bytes;
}

/// a on thread 1, then b = MatMul(a) on thread 2, whose kernel and copy run on two streams.
std::string small_step() {
  const std::vector<std::string> works = {node("b:MatMul", "", 30, 50),
                                          node("b:MEMCPYHtoD", "HtoD bytes:4096", 25, 4)};
  return step_stats(
      {device("/job:w/replica:0/task:0/device:CPU:0", {node("a", "a = Const()", 0, 10, 1)}),
       device("/job:w/replica:0/task:0/device:GPU:0",
              {node("b", "[CPU 4B] b = MatMul(a, a:1, ^c)", 20, 8, 2)}),
       device("/job:w/replica:0/task:0/device:GPU:0/stream:all", works),
       device("/job:w/replica:0/task:0/device:GPU:0/stream:13", {works[0]}),
       device("/job:w/replica:0/task:0/device:GPU:0/stream:14", {works[1]}),
       device("/job:w/replica:0/task:0/device:GPU:0/memcpy", {works[1]})});
}

std::string metadata(const std::string& stats) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(kStepStats, stats);
  return bytes;
}

struct Outcome {
  Findings findings;
  Result<profile::Profile> profile;
  explicit Outcome(const std::string& bytes, std::optional<std::int64_t> of = {})
      : profile(tensorflow::read(std::make_unique<MemorySource>(std::as_bytes(std::span(bytes))),
                                 {"m.pb", std::make_shared<StringPool>(), of}, findings)) {}
};

std::vector<std::string> events_of(const profile::Profile& profile) {
  std::vector<std::string> words;
  for (profile::EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    words.push_back(std::string(profile::name(event.kind)) + " " + std::string(profile.name(e)) +
                    " " + std::to_string(event.start.count() / kPsPerUs) + "+" +
                    std::to_string(event.duration.count() / kPsPerUs));
  }
  return words;
}

TEST(RunMetadata, ReadsNodesAndWorks) {
  for (const std::string& bytes : {metadata(small_step()), small_step()}) {
    const Outcome out(bytes);
    ASSERT_TRUE(out.profile) << to_string(out.profile.error());
    EXPECT_THAT(events_of(*out.profile),
                ElementsAre("op a 0+10", "op b 20+8", "memcpy Memcpy HtoD 25+4",
                            "call Compute 20+8", "kernel MatMul 30+50"));
    EXPECT_EQ(out.profile->work(2).bytes, 4096);
    EXPECT_EQ(out.profile->work(2).correlation, out.profile->work(4).correlation);
    EXPECT_EQ(out.profile->origin_ns, kBegin * 1000);
    EXPECT_EQ(out.profile->account.records, 7u);
    EXPECT_EQ(out.profile->account.left_out.size(), 1u) << "the combined stream and the copies";
    EXPECT_EQ(out.profile->account.left_out[0].second, 3u);
    EXPECT_TRUE(trace::testing::check_profile(out.profile));
  }
}

TEST(RunMetadata, InputsAndLaunchesAreDependencies) {
  Outcome out(metadata(small_step()));
  ASSERT_TRUE(out.profile);
  (void)profile::attach(*out.profile, out.findings);
  const auto found = profile::find_dependencies(*out.profile, {}, out.findings);
  const auto count = [&](DependencyKind kind) {
    return found.counts[static_cast<std::size_t>(kind)];
  };
  EXPECT_EQ(count(DependencyKind::tensor), 1u) << "b reads a, which another thread wrote";
  EXPECT_EQ(count(DependencyKind::launch), 2u);
}

TEST(RunMetadata, TakesInputsFromPartitionGraphsIfLabelsLackThem) {
  std::string bytes =
      metadata(step_stats({device("/cpu:0", {node("a", "", 0, 10, 1), node("b", "", 20, 8, 2)})}));
  std::string b, graph;
  protozero::pbf_writer writer(b);
  writer.add_string(kNodeDefName, "b");
  writer.add_string(kNodeDefOp, "Add");
  writer.add_string(kNodeDefInput, "a");
  protozero::pbf_writer(graph).add_message(kGraphNode, b);
  protozero::pbf_writer(bytes).add_message(kPartitionGraphs, graph);
  Outcome out(bytes);
  ASSERT_TRUE(out.profile);
  ASSERT_NE(out.profile->node(1), nullptr);
  EXPECT_EQ(out.profile->string(out.profile->node(1)->schema), "Add");
  EXPECT_EQ(out.profile->texts.view(out.profile->node(1)->inputs), R"([[1, 1, 0, 0, 0, ""]])");
}

/// A graph's node with attributes.
std::string graph_of_collective(std::int64_t key, std::int64_t members) {
  std::string node, graph;
  protozero::pbf_writer writer(node);
  writer.add_string(kNodeDefName, "sum");
  writer.add_string(kNodeDefOp, "CollectiveReduce");
  for (const auto& [name, number] :
       {std::pair<std::string, std::int64_t>{"group_key", key}, {"group_size", members}}) {
    std::string value, entry;
    protozero::pbf_writer(value).add_int64(kAttributeInteger, number);
    protozero::pbf_writer map(entry);
    map.add_string(kMapKey, name);
    map.add_message(kMapValue, value);
    writer.add_message(kNodeDefAttribute, entry);
  }
  protozero::pbf_writer(graph).add_message(kGraphNode, node);
  return graph;
}

TEST(RunMetadata, CollectivesHaveTheSizeOfTheirTensorsAndTheirGroup) {
  const std::string step = step_stats({device(
      "/device:GPU:0", {with_output(node("sum", "sum = CollectiveReduce(x)", 0, 20, 1), {64, 8}),
                        node("all", "all = CollectiveGather(x)", 30, 20, 1)})});
  std::string bytes = metadata(step);
  protozero::pbf_writer(bytes).add_message(kPartitionGraphs, graph_of_collective(3, 2));
  const Outcome out(bytes);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  ASSERT_EQ(out.profile->comms.size(), 2u);
  const profile::Comm& sum = out.profile->comms[0];
  EXPECT_EQ(sum.kind, profile::CommKind::all_reduce);
  EXPECT_EQ(sum.bytes(), 64 * 8 * 4);
  EXPECT_EQ(sum.group_size, 2);
  EXPECT_EQ(out.profile->groups.at(sum.group).name, "group_key 3");
  const profile::Comm& all = out.profile->comms[1];
  EXPECT_EQ(all.kind, profile::CommKind::all_gather);
  EXPECT_EQ(all.bytes(), -1) << "no record of its tensors";
  EXPECT_EQ(all.group, ~0u);
}

TEST(RunMetadata, NodesWithoutThreadNumbersThatOverlapAreOnSeveralLanes) {
  const Outcome out(metadata(step_stats(
      {device("/cpu:0", {node("a", "", 0, 10), node("b", "", 5, 10), node("c", "", 12, 1)})})));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->events[0].lane, out.profile->events[2].lane);
  EXPECT_NE(out.profile->events[0].lane, out.profile->events[1].lane);
}

TEST(RunMetadata, EachDeviceIsARank) {
  const std::string bytes =
      metadata(step_stats({device("/device:CPU:0", {node("h", "", 0, 1, 1)}),
                           device("/device:GPU:0", {node("x", "", 2, 1, 2)}),
                           device("/device:GPU:1", {node("y", "", 2, 1, 3)}),
                           device("/device:GPU:0/stream:1", {node("x:Relu", "", 4, 1)}),
                           device("/device:GPU:1/stream:1", {node("y:Relu", "", 4, 2)})}));
  const auto numbers =
      devices_in(std::make_unique<MemorySource>(std::as_bytes(std::span(bytes))), "m.pb");
  ASSERT_TRUE(numbers);
  EXPECT_THAT(*numbers, ElementsAre(0, 1));
  const Outcome out(bytes, 1);
  ASSERT_TRUE(out.profile);
  EXPECT_THAT(events_of(*out.profile),
              ElementsAre("op h 0+1", "op y 2+1", "kernel Relu 4+2", "call Compute 2+1"));
  EXPECT_TRUE(trace::testing::check_profile(out.profile));
}

TEST(RunMetadata, TruncatedAndEmptyFilesAreErrors) {
  const std::string bytes = metadata(small_step());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const Outcome out(bytes.substr(0, size));
    ASSERT_FALSE(out.profile) << size;
    EXPECT_EQ(out.profile.error().code, Errc::input_truncated) << size;
    EXPECT_EQ(out.profile.error().where.substr(0, 4), "m.pb");
  }
  const Outcome empty(metadata(step_stats({device("/cpu:0", {})})));
  ASSERT_FALSE(empty.profile);
  EXPECT_EQ(empty.profile.error().code, Errc::input_empty);
  const Outcome damaged(std::string(20, '\xFF'));
  ASSERT_FALSE(damaged.profile);
  EXPECT_EQ(damaged.profile.error().code, Errc::input_corrupt);
}

TEST(RunMetadata, ParsesNamesOfDevicesAndLabels) {
  const DeviceName stream = parse_device_name("/job:w/replica:0/task:3/device:GPU:2/stream:13<C>");
  EXPECT_EQ(stream.use, DeviceName::Use::stream);
  EXPECT_EQ(stream.stream, 13);
  EXPECT_EQ(stream.number, 2);
  EXPECT_TRUE(stream.is_gpu);
  EXPECT_EQ(stream.task, "/job:w/replica:0/task:3");
  EXPECT_EQ(parse_device_name("/gpu:0/memcpy").device, parse_device_name("/device:GPU:0").device);
  EXPECT_FALSE(parse_device_name("/cpu:0").is_gpu);
  NodeLabel label;
  ASSERT_TRUE(parse_label("[GPU 4B] c/x = Add(a, b:1, ^d)", label));
  EXPECT_EQ(label.op, "Add");
  EXPECT_THAT(label.inputs, ElementsAre("a", "b:1", "^d"));
  EXPECT_FALSE(parse_label("RecvTensor", label));
}

}  // namespace
}  // namespace orrery::trace::tensorflow
