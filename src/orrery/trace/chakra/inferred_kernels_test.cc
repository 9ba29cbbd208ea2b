// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/inferred_kernels.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "orrery/trace/chakra/decode.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::trace::chakra {
namespace {

constexpr const char* kValues = "[[5, 1, 0, 8192, 4, 'cuda:0'], [6, 2, 0, 2048, 4, 'cuda:0']]";
constexpr const char* kShapes = "[[128, 64], [64, 32]]";
constexpr const char* kTypes = "['Tensor(float)', 'Tensor(float)']";
constexpr const char* kProduct =
    "gemm forward fp32,fp32>fp32 m=128 n=32 k=64 flops=524288 bytes=57344";

NodeRecord node(std::uint64_t id, std::string name, bool host, std::string shapes = kShapes) {
  NodeRecord made;
  made.id = id;
  made.name = std::move(name);
  made.type = 4;
  made.inputs = IoRecord{kValues, std::move(shapes), kTypes, ""};
  made.attributes.push_back(attribute_bool("is_cpu_op", host));
  return made;
}

NodeRecord with_schema(NodeRecord made) {
  made.attributes.push_back(
      attribute_string("op_schema", "aten::mm(Tensor self, Tensor mat2) -> Tensor"));
  return made;
}

/// What the nodes of a file compute, "-" for nothing known.
std::vector<std::string> kernels_of(const std::vector<NodeRecord>& nodes) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "inferred.0.et";
  auto writer = TraceWriter::create(path.string(), {.force = true});
  MetadataRecord metadata;
  metadata.version = kVersion;
  EXPECT_TRUE(writer && writer->write(metadata));
  for (const NodeRecord& each : nodes) EXPECT_TRUE(writer->write(each));
  EXPECT_TRUE(writer->close());
  Findings findings;
  const auto graph =
      load_rank(path.string(), std::make_shared<StringPool>(), graph::Repair::refuse, findings);
  std::vector<std::string> texts;
  if (!graph) return {graph.error().what};
  for (graph::NodeId n = 0; n < graph->size(); ++n) {
    const graph::KernelId kernel = graph->kernel(n);
    texts.push_back(kernel == graph::kNoKernel ? "-" : to_text((*graph->kernels())[kernel]));
  }
  return texts;
}

using Texts = std::vector<std::string>;

// Chakra's linker copies an operator's inputs and attributes to its kernels.
TEST(InferredKernels, AreToldByTheSchema) {
  EXPECT_EQ(kernels_of({with_schema(node(1, "aten::mm", true)),
                        with_schema(node(2, "ampere_sgemm_128x64_tn", false)),
                        with_schema(node(3, "splitKreduce_kernel", false))}),
            (Texts{"-", kProduct, "-"}));
}

TEST(InferredKernels, AreToldByTheNodesOwnName) {
  EXPECT_EQ(kernels_of({node(1, "aten::mm", false), node(2, "mine::mm", false)}),
            (Texts{kProduct, "-"}));
}

// Older versions copied no schema; the control dependency is the operator's node, cut in two.
TEST(InferredKernels, AreToldByTheirParent) {
  NodeRecord right = node(3, "ampere_sgemm_128x64_tn", false);
  NodeRecord wrong = node(4, "ampere_sgemm_128x64_tn", false, "[[4, 4], [4, 4]]");
  right.ctrl_deps = wrong.ctrl_deps = {1};
  NodeRecord orphan = node(5, "ampere_sgemm_128x64_tn", false);
  orphan.ctrl_deps = {2};
  EXPECT_EQ(kernels_of({node(1, "aten::mm(0)", true), node(2, "mine", true), right, wrong, orphan}),
            (Texts{"-", "-", kProduct, "-", "-"}));
}

TEST(InferredKernels, LeaveNodesAloneThatSaySomethingElse) {
  NodeRecord counted = with_schema(node(1, "ampere_sgemm_128x64_tn", false));
  counted.attributes.push_back(attribute_int64("num_ops", 100));
  NodeRecord named = with_schema(node(2, "ampere_sgemm_128x64_tn", false));
  named.attributes.push_back(attribute_string("kernel", "copy forward unsaid,unsaid>unsaid"));
  NodeRecord message = with_schema(node(3, "ncclKernel", false));
  message.type = 7;
  message.attributes.push_back(attribute_int64("comm_type", 0));
  message.attributes.push_back(attribute_int64("comm_size", 8));
  NodeRecord shapeless = with_schema(node(4, "ampere_sgemm_128x64_tn", false, ""));
  NodeRecord damaged = with_schema(node(5, "ampere_sgemm_128x64_tn", false, "[[1, 2"));
  NodeRecord brief = with_schema(node(6, "ampere_sgemm_128x64_tn", false));
  brief.start_time_micros = 5;
  EXPECT_EQ(kernels_of({counted, named, message, shapeless, damaged, brief}),
            (Texts{"-", "copy forward unsaid,unsaid>unsaid", "-", "-", "-", "-"}));
  brief.duration_micros = 1;
  EXPECT_NE(kernels_of({brief}), Texts{"-"});
}

// The same node with and without its bytes.
TEST(InferredKernels, AreTheSameOfRecords) {
  Findings findings;
  const auto strings = std::make_shared<StringPool>();
  graph::KernelTable kernels;
  DecodeContext context("w.0.et", strings, graph::Repair::refuse, findings);
  context.use_kernels(kernels, {});
  NodeDecoder decoder(context, Schema::current);
  const NodeRecord record = with_schema(node(2, "ampere_sgemm_128x64_tn", false));
  graph::NodeSpec taken, decoded;
  decoder.convert(record, taken);
  const std::string bytes = encode(record);
  decoder.decode(std::as_bytes(std::span(bytes)), 0, decoded);
  ASSERT_NE(taken.kernel, graph::kNoKernel);
  EXPECT_EQ(taken.kernel, decoded.kernel);
  EXPECT_EQ(to_text(kernels[taken.kernel]), kProduct);
}

}  // namespace
}  // namespace orrery::trace::chakra
