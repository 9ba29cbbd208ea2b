// SPDX-License-Identifier: Apache-2.0
//
// A record that is taken as it is comes to what its bytes come to.
#include "orrery/trace/chakra/decode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orrery::trace::chakra {
namespace {

/// Everything that decoding says: the node, what was found, or why it was refused.
template <class Decode>
std::string said(graph::Repair repair, const Decode& decode) {
  Findings findings;
  const auto strings = std::make_shared<StringPool>();
  DecodeContext context("t.et", strings, repair, findings);
  NodeDecoder decoder(context, Schema::current);
  graph::NodeSpec node;
  std::string text;
  try {
    decode(decoder, node);
  } catch (const RecordError& bad) {
    return fmt::format("{} {} {}", static_cast<int>(bad.code), bad.what, bad.hint);
  }
  text += fmt::format("{} {} {} {} {} [{}] {} {}", node.id, static_cast<int>(node.kind), node.flags,
                      node.duration.count(), strings->view(node.name), fmt::join(node.deps, " "),
                      node.work.num_ops, node.work.tensor_size.count());
  const graph::Collective& collective = node.collective;
  text +=
      fmt::format(" | {} {} {} {} {} {} {}", collective.size.count(),
                  strings->view(collective.group), collective.priority, collective.root,
                  collective.dims_mask, collective.dims_count, static_cast<int>(collective.type));
  text += fmt::format(" | {} {} {} {} {}", node.message.size.count(), node.message.src,
                      node.message.dst, node.message.tag, node.message.pieces);
  for (const graph::TensorUse& use : node.tensors)
    text += fmt::format(" | {} {} {}", use.size.count(), strings->view(use.name), use.is_output);
  if (node.lane)
    text += fmt::format(" | lane {} {} {} {}", node.lane->id, node.lane->device, node.lane->row,
                        node.lane->host);
  text += fmt::format(" | {} {} {}", node.scope.step, node.scope.layer, name(node.scope.phase));
  for (const graph::DependencyNote& note : node.notes)
    text += fmt::format(" | {} {} {}", note.dep, note.lag.count(), name(note.kind));
  text += fmt::format(" | {}", decoder.input_values());
  for (const Finding& finding : findings.list())
    text += fmt::format(" | {} x {}", static_cast<int>(finding.code), finding.count);
  return text;
}

rc::Gen<AttributeRecord> any_attribute() {
  return rc::gen::exec([] {
    AttributeRecord made;
    made.name = *rc::gen::element<std::string>(
        "is_cpu_op", "num_ops", "tensor_size", "comm_type", "comm_size", "comm_priority",
        "comm_tag", "comm_src", "comm_dst", "pg_name", "comm_group", "involved_dim", "root_rank",
        "inputs", "outputs", "runtime", "rf_id", "stream", "tid", "device", "stream_row",
        "dep_kinds", "dep_lags_ps", "is_copy", "is_comm", "is_wait", "msg_chunk_cnt",
        "msg_chunk_idx", "total_chunk_cnt", "in_step", "in_layer", "in_phase", "comm_size_unknown",
        "");
    made.member = static_cast<Member>(*rc::gen::inRange(2, 33));
    if (made.member == static_cast<Member>(2)) made.member = Member::none;
    made.bits = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 20),
                                rc::gen::arbitrary<std::uint64_t>());
    const auto fixed32 = [&](Member member) { return made.member == member; };
    if (fixed32(Member::float_val) || fixed32(Member::fixed32_val) || fixed32(Member::sfixed32_val))
      made.bits &= 0xffffffffu;
    if (made.member == Member::bool_val) made.bits &= 1;
    made.text = *rc::gen::element<std::string>("", "0", "1", "tp", "backward", "[1, 2]", "a b");
    made.list =
        *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 3));
    made.texts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("w", "8", "-1", ""));
    return made;
  });
}

rc::Gen<NodeRecord> any_record() {
  return rc::gen::exec([] {
    NodeRecord made;
    made.id = *rc::gen::inRange<std::uint64_t>(0, 4);
    made.name = *rc::gen::element<std::string>("", "matmul", "ncclAllReduce");
    made.type = *rc::gen::inRange<std::uint64_t>(0, 10);
    const auto deps =
        rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 4));
    made.ctrl_deps = *deps;
    made.data_deps = *deps;
    made.duration_micros =
        *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 9), rc::gen::arbitrary<std::uint64_t>());
    if (*rc::gen::arbitrary<bool>()) made.inputs = IoRecord{"[pg_name]", "", "", ""};
    made.attributes = *rc::gen::container<std::vector<AttributeRecord>>(any_attribute());
    return made;
  });
}

RC_GTEST_PROP(Decode, TakesARecordAsItsBytes, ()) {
  const NodeRecord record = *any_record();
  for (const graph::Repair repair : {graph::Repair::refuse, graph::Repair::repair}) {
    const std::string bytes = encode(record);
    const std::string decoded = said(repair, [&](NodeDecoder& decoder, graph::NodeSpec& node) {
      decoder.decode(std::as_bytes(std::span(bytes)), 0, node);
    });
    const std::string taken = said(repair, [&](NodeDecoder& decoder, graph::NodeSpec& node) {
      decoder.convert(record, node);
    });
    RC_ASSERT(taken == decoded);
  }
}

TEST(NodeDecoder, ReadsWhereInAStepNodesStand) {
  NodeRecord record;
  record.id = 9;
  record.type = static_cast<std::uint64_t>(graph::NodeKind::comp);
  record.attributes = {attribute_int32("in_step", 6), attribute_int64("in_layer", 0),
                       attribute_string("in_phase", "backward")};
  (void)said(graph::Repair::refuse, [&](NodeDecoder& decoder, graph::NodeSpec& node) {
    decoder.convert(record, node);
    EXPECT_EQ(node.scope, (StepScope{.step = 6, .layer = 0, .phase = StepPhase::backward}));
    record.attributes = {attribute_string("in_phase", "sideways"), attribute_int64("in_step", 1)};
    decoder.convert(record, node);
    EXPECT_EQ(node.scope, (StepScope{.step = 1}));
  });
}

TEST(NodeDecoder, ReadsWhereNodesRanAndWhyTheyWaited) {
  NodeRecord record;
  record.id = 9;
  record.type = static_cast<std::uint64_t>(graph::NodeKind::comp);
  record.ctrl_deps = {5};
  record.data_deps = {7, 3};
  record.attributes = {attribute_bool("is_cpu_op", false), attribute_int64("tid", 44),
                       attribute_int64("stream", 20), attribute_int64("device", 1),
                       attribute_strings("dep_kinds", {"stream", "launch?"})};
  AttributeRecord lags = attribute("dep_lags_ps", Member::int64_list, 0);
  lags.list = {0, 4'000'000};
  record.attributes.push_back(lags);
  const auto decode = [&](NodeDecoder& decoder, graph::NodeSpec& node) {
    decoder.convert(record, node);
    ASSERT_TRUE(node.lane);
    EXPECT_EQ(*node.lane, (graph::Lane{.id = 20, .device = 1}));
    ASSERT_EQ(node.notes.size(), 2u);
    EXPECT_EQ(node.notes[0].dep, 7u);
    EXPECT_EQ(node.notes[0].kind, DependencyKind::stream);
    EXPECT_EQ(node.notes[1].dep, 3u);
    EXPECT_EQ(node.notes[1].lag, us(4));
    EXPECT_EQ(node.notes[1].kind, DependencyKind::launch);
  };
  (void)said(graph::Repair::refuse, decode);
  record.attributes.back().list = {0, ~std::uint64_t{0}};
  const auto take = [&](NodeDecoder& decoder, graph::NodeSpec& node) {
    decoder.convert(record, node);
  };
  EXPECT_NE(said(graph::Repair::refuse, take).find("dep_lags_ps has -1"), std::string::npos);
  record.attributes.back().list = {1};  // not one for each
  EXPECT_EQ(said(graph::Repair::refuse, take).find("| 7 "), std::string::npos);
}

}  // namespace
}  // namespace orrery::trace::chakra
