// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/recorded_kernels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "orrery/intake/convert/convert_testing.h"
#include "orrery/intake/convert/graph_sink.h"
#include "orrery/profile/link/link.h"
#include "orrery/trace/xplane/xplane_testing.h"

namespace orrery::intake {
namespace {

using profile::EventId;
using profile::Kind;
using profile::Maker;

constexpr const char* kTypes = R"(["float", "float", "float", "", ""])";

/// A thread and a stream, with operators that have arguments and kernels.
struct Recording {
  Maker make;
  std::uint32_t thread = make.thread(1), stream = make.stream(7);
  std::int64_t now = 0;

  EventId op(const char* name, std::int64_t start, std::int64_t duration, const char* dims = "",
             const char* values = "") {
    const EventId e = make.op(thread, name, start, duration);
    if (dims[0] == 0) return e;
    make.op_of(e).dims = make.text(dims);
    make.op_of(e).types = make.text(kTypes);
    if (values[0] != 0) make.op_of(e).concrete = make.text(values);
    return e;
  }
  EventId kernel(EventId op, const char* name) {
    const EventId e = make.kernel(stream, name, now += 10, 5);
    make.work_of(e).op = op;
    return e;
  }
};

std::string text_of(const profile::Profile& profile, const RecordedKernels& kernels, EventId e) {
  const graph::KernelId id = kernels.of(profile.events[e].detail);
  return id == graph::kNoKernel ? "-" : to_text(kernels.table()[id]);
}

/// The program states the kernel of an HLO operation; the name shows which kernel computes it.
TEST(RecordedKernels, OfAnHloOperationIsOneOfItsKernels) {
  auto read = trace::xplane::testing::read(trace::xplane::testing::two_devices(), 0);
  ASSERT_TRUE(read.profile) << to_string(read.profile.error());
  profile::Profile& profile = *read.profile;
  profile::attach(profile, read.findings);
  const RecordedKernels kernels(profile);
  const std::string product =
      "gemm forward bf16,bf16>bf16 m=256 n=128 k=512 flops=33554432 bytes=458752";
  std::vector<std::string> seen;
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (profile.events[e].kind == Kind::kernel) seen.push_back(text_of(profile, kernels, e));
  EXPECT_EQ(seen, (std::vector<std::string>{"-", product, "-", "-", product, "-"}))
      << "a layout kernel, the product and a collective, twice";
}

// A linear layer of 512 rows, 64 in, 32 out, and its gradients.
TEST(RecordedKernels, OfALayerAreAsGenerated) {
  Recording is;
  const EventId linear = is.op("aten::linear", 0, 10, "[[512,64],[32,64],[32]]");
  const EventId addmm = is.op("aten::addmm", 1, 5, "[[32],[512,64],[64,32],[],[]]");
  const EventId node = is.op("AddmmBackward0", 20, 20);
  const EventId input = is.op("aten::mm", 22, 2, "[[512,32],[32,64]]");
  const EventId weight = is.op("aten::mm", 25, 2, "[[32,512],[512,64]]");
  is.make.op_of(addmm).sequence = is.make.op_of(node).sequence = 9;
  (void)linear;
  const EventId forward = is.kernel(addmm, "volta_sgemm_tn");
  const EventId helper = is.kernel(addmm, "splitKreduce_kernel");
  const EventId first = is.kernel(input, "volta_sgemm_nn");
  const EventId second = is.kernel(weight, "volta_sgemm_nt");
  const profile::Profile profile = is.make.take();
  const RecordedKernels kernels(profile);
  const std::string work = " flops=2097152 bytes=204800";
  EXPECT_EQ(text_of(profile, kernels, forward),
            "gemm forward fp32,fp32>fp32 m=512 n=32 k=64 bias transposed_b" + work);
  EXPECT_EQ(text_of(profile, kernels, helper), "-");
  EXPECT_EQ(text_of(profile, kernels, first),
            "gemm input_grad fp32,fp32>fp32 m=512 n=64 k=32" + work);
  EXPECT_EQ(text_of(profile, kernels, second),
            "gemm weight_grad fp32,fp32>fp32 m=32 n=64 k=512 transposed_a" + work);
}

TEST(RecordedKernels, OfSumsKnowWhoseGradientTheyAre) {
  Recording is;
  (void)is.op("autograd::engine::evaluate_function: AddmmBackward0", 0, 10);
  const EventId bias = is.kernel(is.op("aten::sum", 2, 2, "[[512,32],[]]"), "reduce_kernel");
  (void)is.op("torch::autograd::AccumulateGrad", 20, 10);
  const EventId adds = is.kernel(is.op("aten::add_", 22, 2, "[[32],[32]]"), "elementwise_kernel");
  (void)is.op("MulBackward0", 40, 10);
  const EventId times = is.kernel(is.op("aten::mul", 42, 2, "[[32],[32]]"), "elementwise_kernel");
  (void)is.op("CheckpointFunctionBackward", 60, 10);
  const EventId again = is.kernel(is.op("aten::mul", 62, 2, "[[32],[32]]"), "elementwise_kernel");
  const profile::Profile profile = is.make.take();
  const RecordedKernels kernels(profile);
  const auto begins = [&](EventId e) {
    const std::string text = text_of(profile, kernels, e);
    return text.substr(0, text.find(' ', text.find(' ') + 1));
  };
  EXPECT_EQ(begins(bias), "reduction weight_grad");
  EXPECT_EQ(begins(adds), "elementwise weight_grad");
  EXPECT_EQ(begins(times), "elementwise input_grad");
  EXPECT_EQ(begins(again), "elementwise forward");  // made again, not a gradient
}

TEST(RecordedKernels, OfCopiesAreKnownByTheirBytes) {
  Recording is;
  const EventId op = is.op("aten::copy_", 0, 5, "[[1024],[1024],[]]");
  const auto engine = [&](Kind kind, const char* name, std::int64_t bytes, EventId by) {
    const EventId e =
        is.make.kernel(is.stream, name, is.now += 10, 5, profile::kNoId, profile::kNoId, kind);
    is.make.work_of(e).bytes = bytes;
    is.make.work_of(e).op = by;
    return e;
  };
  const EventId there = engine(Kind::memcpy, "Memcpy HtoD (Pinned -> Device)", 4096, op);
  const EventId along = engine(Kind::memcpy, "Memcpy DtoD (Device -> Device)", 4096, op);
  const EventId plain = engine(Kind::memcpy, "Memcpy DtoD", 4096, profile::kNoEvent);
  const EventId fill = engine(Kind::memset, "Memset (Device)", 512, profile::kNoEvent);
  const EventId unsaid = engine(Kind::memcpy, "Memcpy DtoD", -1, profile::kNoEvent);
  const EventId between = engine(Kind::memcpy, "Memcpy PtoP", 4096, profile::kNoEvent);
  const profile::Profile profile = is.make.take();
  const RecordedKernels kernels(profile);
  EXPECT_EQ(text_of(profile, kernels, there),
            "transfer forward fp32,unsaid>fp32 elements=1024 bytes=4096");
  EXPECT_EQ(text_of(profile, kernels, along),
            "copy forward fp32,unsaid>fp32 elements=1024 bytes=8192");
  EXPECT_EQ(text_of(profile, kernels, plain),
            "copy forward int8,unsaid>int8 elements=4096 bytes=8192");
  EXPECT_EQ(text_of(profile, kernels, fill),
            "copy forward unsaid,unsaid>int8 elements=512 bytes=512");
  EXPECT_EQ(text_of(profile, kernels, unsaid), "-");
  EXPECT_EQ(text_of(profile, kernels, between), "-");
}

// A node of a graph has its capture's operator, values included.
TEST(RecordedKernels, OfGraphsAreThoseOfTheirCaptures) {
  Recording is;
  const EventId conv = is.kernel(profile::kNoEvent, "sm80_xmma_fprop_implicit_gemm");
  const EventId layout = is.kernel(profile::kNoEvent, "nchwToNhwcKernel");
  profile::CapturedOperator captured;
  captured.name = is.make.text("aten::cudnn_convolution");
  captured.dims = is.make.text("[[2,4,8,8],[16,4,3,3],[],[],[],[]]");
  captured.types = is.make.text(kTypes);
  captured.concrete = is.make.text(R"(["","","[1, 1]","[1, 1]","[1, 1]","1"])");
  is.make.profile.captured.push_back(captured);
  is.make.work_of(conv).captured = is.make.work_of(layout).captured = 0;
  const profile::Profile profile = is.make.take();
  const RecordedKernels kernels(profile);
  EXPECT_EQ(text_of(profile, kernels, conv),
            "convolution forward fp32,fp32>fp32 batch=2 in=4 out=16 height=8 width=8 filter_h=3 "
            "filter_w=3 stride=1 flops=147456 bytes=12544");
  EXPECT_EQ(text_of(profile, kernels, layout), "-");
}

// Written and read again, and made at once.
TEST(RecordedKernels, AreTheSameInFilesAndGraphs) {
  Recording is;
  const EventId op = is.op("aten::mm", 0, 5, "[[64,32],[32,16]]");
  (void)is.kernel(op, "volta_sgemm_nn");
  const profile::Profile profile = is.make.take();
  const auto dependencies = testing::chain(profile);
  Findings findings;
  const auto graph = convert_to_graph(profile, dependencies, {}, std::make_shared<StringPool>(),
                                      findings, nullptr);
  ASSERT_TRUE(graph);
  ASSERT_EQ(graph->size(), 2u);
  EXPECT_EQ(graph->kernel(0), graph::kNoKernel);
  ASSERT_NE(graph->kernel(1), graph::kNoKernel);
  const std::string text = to_text((*graph->kernels())[graph->kernel(1)]);
  EXPECT_EQ(text, "gemm forward fp32,fp32>fp32 m=64 n=16 k=32 flops=65536 bytes=14336");
  const auto written = testing::converted(profile, dependencies);
  ASSERT_FALSE(written.metadata.attributes.empty());
  EXPECT_EQ(written.metadata.attributes.back().texts, std::vector<std::string>{text});
}

}  // namespace
}  // namespace orrery::intake
