// SPDX-License-Identifier: Apache-2.0
//
// What each version of PyTorch says about communications.
#include "orrery/trace/pytorch/comms.h"

#include <gtest/gtest.h>

#include "orrery/trace/pytorch/comm_arguments.h"
#include "orrery/trace/pytorch/pytorch_testing.h"

namespace orrery::trace::pytorch {
namespace {

using profile::Comm;
using profile::CommKind;

/// A record with these inputs, whose tensors are floats.
NodeText record(int id, std::string inputs, int parent = 2) {
  NodeText node{id, "record_param_comms", parent, std::move(inputs)};
  node.input_types = R"(["GenericList[Tensor(float)]","Int"])";
  return node;
}

NodeText groups(std::string text) {
  std::string quoted;
  for (const char c : text) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  NodeText node{3, "## process_group:init ##", 2, "[\"" + quoted + "\"]", R"(["String"])"};
  node.scope = 7;
  return node;
}

TEST(PyTorchEtComms, LayersOfNames) {
  EXPECT_EQ(comm_layer_of("record_param_comms"), CommLayer::record);
  EXPECT_EQ(comm_layer_of("c10d::allreduce_"), CommLayer::framework);
  EXPECT_EQ(comm_layer_of("_c10d_functional::wait_tensor"), CommLayer::framework);
  EXPECT_EQ(comm_layer_of("nccl:all_to_all"), CommLayer::library);
  EXPECT_EQ(comm_layer_of("gloo:barrier"), CommLayer::library);
  EXPECT_EQ(comm_layer_of("aten::scatter"), CommLayer::none);
  EXPECT_EQ(comm_layer_of("aten::gather"), CommLayer::none);
  EXPECT_EQ(comm_layer_of("reduce"), CommLayer::none);
}

TEST(PyTorchEtComms, ABrokenListIsNoSequenceNumber) {
  const RecordArguments arguments(R"([1, xtrue], ["0", "default_pg"], 1, "allreduce", [], [])");
  const RecordArguments broken(R"([[1.0], xtrue], ["0", "default_pg"], 1, "allreduce", [], []])");
  const RecordArguments whole(R"([[1.0], [49, false], ["0", "default_pg"], 1, "allreduce", []])");
  EXPECT_EQ(arguments.sequence, -1);
  EXPECT_EQ(broken.sequence, -1);
  EXPECT_EQ(whole.sequence, 49);
}

TEST(PyTorchEtComms, ThreeLayersShareOne) {
  // 1.0.3: group's name and description, ranks from 0 in steps of 1, three of them
  NodeText c10d{4, "c10d::allreduce_", 2, R"([[[5,6,0,2049000,4,"cuda:0"]],"<Object>",-1])"};
  NodeText nccl{8, "nccl:all_reduce", 7, R"([[5,6,0,2049000,4,"cuda:0"]])"};
  nccl.scope = 7;
  NodeText said = record(
      7, R"([[[5,6,0,2049000,4,"cuda:0"]],49,["0","default_pg"],2,"allreduce",[],[],0,1,3])", 4);
  const Outcome out = read_text(trace_of({nccl, said, c10d}, "1.0.3-chakra.0.0.4"));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  ASSERT_EQ(out->comms.size(), 1u);
  EXPECT_EQ(out.comm("nccl:all_reduce"), out.comm("record_param_comms"));
  EXPECT_EQ(out.comm("c10d::allreduce_"), out.comm("record_param_comms"));
  const Comm& comm = out->comms[0];
  EXPECT_EQ(comm.kind, CommKind::all_reduce);
  EXPECT_EQ(out->string(comm.name), "allreduce");
  EXPECT_EQ(out->string(comm.dtype), "float");
  EXPECT_EQ(comm.in_elements, 2'049'000);
  EXPECT_EQ(comm.element_bytes, 4);
  EXPECT_EQ(comm.sequence, 49);
  EXPECT_EQ(comm.group_size, 3);
  EXPECT_EQ(comm.peer, -1);
  ASSERT_EQ(out->groups.size(), 1u);
  EXPECT_EQ(out->groups[comm.group].name, "0");
  EXPECT_EQ(out->groups[comm.group].description, "default_pg");
  EXPECT_EQ(out->rank, 2u);
  EXPECT_EQ(out->world_size, 3u);
}

TEST(PyTorchEtComms, AttributesComeFirst) {
  NodeText said = record(
      7,
      R"([[[5,6,0,8,4,"cuda:0"]],[50,false],["3","ep"],1,"all_to_allv",[3,5],[4,4],-1,-1,2,true])");
  said.outputs = R"([[[9,6,0,8,4,"cuda:0"]]])";
  said.rest = attribute("collective_name", "\"all_to_allv\"") + "," +
              attribute("dtype", "\"BFloat16\"") + "," + attribute("in_msg_nelems", "16") + "," +
              attribute("out_msg_nelems", "18") + "," + attribute("in_split_size", "\"[6, 10]\"") +
              "," + attribute("out_split_size", "\"[8, ...]\"") + "," +
              attribute("global_rank_start", "4") + "," + attribute("global_rank_stride", "2") +
              "," + attribute("pg_name", "\"3\"") + "," + attribute("pg_desc", "\"ep\"") + "," +
              attribute("pg_size", "2") + "," + attribute("is_asynchronized_op", "true");
  const Outcome out = read_text(trace_of({said}));
  ASSERT_TRUE(out.profile);
  EXPECT_TRUE(out.findings.empty());
  const Comm& comm = *out.comm("record_param_comms");
  EXPECT_EQ(comm.kind, CommKind::all_to_all);
  EXPECT_EQ(comm.element_bytes, 2);
  EXPECT_EQ(comm.in_elements, 16);
  EXPECT_EQ(comm.out_elements, 18);
  EXPECT_EQ(out->string(comm.in_split), "[6, 10]");
  EXPECT_EQ(out->string(comm.out_split), "[4,4]");  // the attribute was shortened
  EXPECT_EQ(comm.sequence, 50);
  EXPECT_TRUE(comm.asynchronous);
  EXPECT_EQ(out->groups[comm.group].description, "ep");
  EXPECT_EQ(out->rank, 6u);  // 4 + 1 × 2
  EXPECT_FALSE(out->world_size);
}

TEST(PyTorchEtComms, EarlyLayouts) {
  // 1.0.1: the group's address; a wait has none. 1.0.0: neither sequence nor group.
  const Outcome out = read_text(
      trace_of({record(4, R"([[5,6,0,24,8,"cuda:0"],148,94594108284448,3,"all_to_all",[],[]])"),
                record(5, R"([148,0,0,"wait",[],[]])"),
                record(6, R"([[[5,6,0,24,4,"cuda:0"],[7,8,0,6,4,"cuda:0"]],1,"reduce",[],[]])")},
               "1.0.1"));
  ASSERT_TRUE(out.profile);
  ASSERT_EQ(out->comms.size(), 3u);
  const Comm& exchange = out->comms[0];
  EXPECT_EQ(exchange.kind, CommKind::all_to_all);
  EXPECT_EQ(exchange.bytes(), 192);
  EXPECT_EQ(exchange.sequence, 148);
  EXPECT_EQ(out->groups[exchange.group].name, "94594108284448");
  EXPECT_EQ(out->comms[1].kind, CommKind::wait);
  EXPECT_EQ(out->comms[1].sequence, 148);
  EXPECT_EQ(out->comms[1].group, ~0u);
  EXPECT_EQ(out->comms[2].kind, CommKind::reduce);
  EXPECT_EQ(out->comms[2].in_elements, 30);
  EXPECT_EQ(out->comms[2].peer, 1);
  EXPECT_EQ(out->comms[2].sequence, -1);
  EXPECT_EQ(out->rank, 3u);
}

TEST(PyTorchEtComms, ProcessGroups) {
  const Outcome out = read_text(
      trace_of({record(7, R"([[[5,6,0,9,4,"cuda:0"]],3,["7","mesh_tp"],1,"send",[],[],-1,-1,2])"),
                record(8, R"([[[5,6,0,9,4,"cuda:0"]],4,82149104,0,"broadcast",[],[]])"),
                groups(R"([{"pg_name": "0", "pg_desc": "default_pg", "backend_id": 82149104,)"
                       R"( "backend_config": "cpu:gloo,cuda:nccl", "ranks": [], "group_size": 8},)"
                       R"({"pg_name": "7", "pg_desc": "mesh_tp", "ranks": [2, 6]},)"
                       R"({"pg_name": "8", "ranks": [1, 1]}, 5])")}));
  ASSERT_TRUE(out.profile);
  ASSERT_EQ(out->groups.size(), 3u);  // the one at an address came to be known by both
  EXPECT_EQ(out->comms[0].kind, CommKind::send);
  EXPECT_EQ(out->comms[0].peer, 6);
  EXPECT_EQ(out->groups[out->comms[0].group].ranks, (std::vector<std::uint32_t>{2, 6}));
  EXPECT_EQ(out->groups[out->comms[0].group].size, 2);
  EXPECT_EQ(out->comms[1].peer, 0);
  EXPECT_EQ(out->world_size, 8u);
  EXPECT_EQ(out->backend, "nccl");
  EXPECT_EQ(out.findings.count(FindingCode::metadata_group_ignored), 1u);
  for (const char* text : {"not JSON", "{}", "5", ""}) {
    const Outcome none = read_text(trace_of({groups(text)}));
    ASSERT_TRUE(none.profile);
    EXPECT_EQ(none.findings.count(FindingCode::metadata_group_ignored), 1u) << text;
  }
  const std::string deep(200, '[');
  EXPECT_EQ(read_text(trace_of({groups(deep)})).findings.count(FindingCode::metadata_group_ignored),
            1u);
}

TEST(PyTorchEtComms, FrameworksOwnOperators) {
  // gloo of torch 1.13: no record; the annotation follows once the operator has returned.
  NodeText gather{10, "c10d::allgather_", 2,
                  R"([[[[3,4,0,4,4,"cpu"],[5,6,0,4,4,"cpu"]]],[[7,8,0,4,4,"cpu"]],"<Object>",-1])"};
  NodeText gloo{11, "gloo:all_gather", 2, R"([[7,8,0,4,4,"cpu"]])"};
  NodeText recv{12, "c10d::recv_", 2, R"([[[7,8,0,4,4,"cpu"]],"<Object>",3,0])"};
  NodeText functional{13, "_c10d_functional::all_reduce", 2, R"([[7,8,0,4,2,"cuda:0"],"sum","5"])"};
  functional.outputs = R"([[9,9,0,4,2,"cuda:0"]])";
  const Outcome out = read_text(trace_of({gather, gloo, recv, functional}));
  ASSERT_TRUE(out.profile);
  ASSERT_EQ(out->comms.size(), 3u);
  EXPECT_EQ(out.comm("gloo:all_gather"), out.comm("c10d::allgather_"));
  EXPECT_EQ(out->comms[0].in_elements, 4);
  EXPECT_EQ(out->comms[0].out_elements, 8);
  EXPECT_EQ(out->comms[1].peer, 3);
  EXPECT_EQ(out->comms[2].bytes(), 8);
  EXPECT_EQ(out->comms[2].out_elements, 4);
  ASSERT_EQ(out->groups.size(), 1u);
  EXPECT_EQ(out->groups[0].name, "5");
}

TEST(PyTorchEtComms, SeveralInOneRecord) {
  NodeText first{8, "nccl:send 0->1", 7, R"([[5,6,0,9,4,"cuda:0"]])"};
  NodeText second{9, "nccl:recv 0<-3", 7, R"([[5,6,0,9,4,"cuda:0"]])"};
  const Outcome out = read_text(
      trace_of({first, second, record(7, R"([[],9,["2",""],0,"coalesced",[],[],-1,-1,4])")}));
  ASSERT_TRUE(out.profile);
  ASSERT_EQ(out->comms.size(), 3u);
  EXPECT_EQ(out.comm("record_param_comms")->kind, CommKind::coalesced);
  EXPECT_EQ(out.comm("nccl:send 0->1")->kind, CommKind::send);
  EXPECT_EQ(out.comm("nccl:send 0->1")->peer, 1);
  EXPECT_EQ(out.comm("nccl:recv 0<-3")->peer, 3);
  EXPECT_EQ(out.comm("nccl:recv 0<-3")->group, out.comm("record_param_comms")->group);
  EXPECT_EQ(out.comm("nccl:recv 0<-3")->group_size, 4);
}

TEST(PyTorchEtComms, CoalescedInAnyCase) {
  EXPECT_EQ(comm_kind_of_name("allreduce_coalesced"), CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("AllReduce_Coalesced"), CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("nccl:Coalesced"), CommKind::coalesced);
  EXPECT_EQ(comm_kind_of_name("nccl:co_alesced"), CommKind::coalesced);
}

TEST(PyTorchEtComms, AmountsOfDifferentWidthAreBytes) {
  RawNode::IoTexts side;
  side.values = R"([[[1,1,0,3,4,"c"],[2,2,0,5,2,"c"]],[[3,3,0,7,4,"c"]]])";
  EXPECT_EQ(amount(side, 0, 1).elements, 22);
  EXPECT_EQ(amount(side, 0, 1).width, 1);
  EXPECT_EQ(amount(side, 1, 9).elements, 7);
  EXPECT_EQ(amount(side, 1, 9).width, 4);
  EXPECT_EQ(amount(side, 2, 9).elements, -1);
  side.values = R"([[1,1,0,9223372036854775807,8,"c"],[1,1,0,9223372036854775807,8,"c"]])";
  EXPECT_EQ(amount(side, 0, 2).elements, -1);
}

TEST(PyTorchEtComms, RecordsThatAreNone) {
  for (const char* inputs : {"[]", "[1]", "[\"\"]", "[[],[],[],\"x\"]", "[\"allreduce\"]",
                             "[1,[true],2,\"allreduce\",[]]", "[[true],2,3,\"allreduce\"]"}) {
    const Outcome out = read_text(trace_of({record(7, inputs)}));
    ASSERT_TRUE(out.profile) << inputs;
    EXPECT_EQ(out->events.size(), 1u);
  }
}

}  // namespace
}  // namespace orrery::trace::pytorch
