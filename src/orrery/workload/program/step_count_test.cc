// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/program/step_count.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/workload/stage_compat/stage_compat.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::NodeKind;

/// The same figures from the nodes of every rank, one by one.
struct BruteForce {
  struct Traffic {
    Total operations = 0;
    Total payload = 0;
    Total wire_times_n = 0;
  };
  Total nodes = 0;
  Total flops = 0;
  Total bytes = 0;
  std::map<std::pair<std::string, std::string>, Traffic> traffic;
};

/// Bytes that one rank of `n` sends in a ring, times n so that it is whole.
Total wire_times_n(CollectiveType type, Total size, Total n) {
  switch (type) {
    case CollectiveType::all_gather:
      return (n - 1) * size * n;  // everybody's share but the next one's own
    case CollectiveType::all_reduce:
      return 2 * (n - 1) * size;
    default:
      return (n - 1) * size;
  }
}

void visit(const Program& program, std::uint64_t rank, const graph::NodeSpec& node,
           const StringPool& pool, BruteForce& sum) {
  ++sum.nodes;
  if (node.kind == NodeKind::comp) {
    sum.flops += static_cast<Total>(node.work.num_ops);
    sum.bytes += static_cast<Total>(node.work.tensor_size.count());
    return;
  }
  if (node.kind != NodeKind::coll) {  // whose axis nodes do not tell
    auto& traffic = sum.traffic[{"", node.kind == NodeKind::send ? "send" : "recv"}];
    ++traffic.operations;
    traffic.payload += static_cast<Total>(node.message.size.count());
    return;
  }
  const std::string axis(pool.view(node.collective.group));
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (name(static_cast<Axis>(i)) != axis) continue;
    const graph::GroupAxis& group = program.mesh.axis(static_cast<Axis>(i));
    const auto member = static_cast<std::uint32_t>(rank);
    EXPECT_TRUE(group.has(member));
    auto& traffic = sum.traffic[{axis, std::string(graph::name(node.collective.type))}];
    if (group.first(member) == member) ++traffic.operations;
    const auto size = static_cast<Total>(node.collective.size.count());
    const bool shard = node.collective.type == graph::CollectiveType::all_gather;
    traffic.payload += shard ? size * group.extent() : size;
    traffic.wire_times_n += wire_times_n(node.collective.type, size, group.extent());
  }
}

BruteForce brute_force(const Program& program) {
  BruteForce sum;
  for (std::uint64_t rank = 0; rank < program.mesh.world(); ++rank) {
    StringPool pool;
    graph::KernelTable kernels;
    EXPECT_TRUE(unroll(program, program.role_of(rank), pool, kernels,
                       [&](const graph::NodeSpec& node) -> Result<void> {
                         visit(program, rank, node, pool, sum);
                         return {};
                       }));
  }
  return sum;
}

void expect_equal(const TrafficCount& traffic, const BruteForce::Traffic& expected) {
  EXPECT_EQ(to_string(traffic.operations), to_string(expected.operations));
  EXPECT_EQ(to_string(traffic.payload), to_string(expected.payload));
  if (traffic.type == "send") {
    EXPECT_EQ(to_string(traffic.wire), to_string(expected.payload));
  } else if (traffic.type == "recv") {
    EXPECT_EQ(to_string(traffic.wire), "0");
  } else {
    const Total n = traffic.group_size;
    EXPECT_EQ(to_string(traffic.wire), to_string((expected.wire_times_n + n - 1) / n));
  }
}

void expect_equal(const Program& program) {
  const Result<StepCount> counted = count(program);
  ASSERT_TRUE(counted);
  const BruteForce truth = brute_force(program);
  EXPECT_EQ(counted->ranks, program.mesh.world());
  EXPECT_EQ(to_string(counted->nodes), to_string(truth.nodes));
  EXPECT_EQ(to_string(counted->flops.all()), to_string(truth.flops));
  EXPECT_EQ(to_string(counted->bytes), to_string(truth.bytes));
  std::map<std::pair<std::string, std::string>, TrafficCount> traffics;
  for (const TrafficCount& traffic : counted->traffic) {
    const bool message = traffic.type == "send" || traffic.type == "recv";
    TrafficCount& sum = traffics[{message ? "" : std::string(name(traffic.axis)), traffic.type}];
    sum.type = traffic.type;
    sum.group_size = traffic.group_size;
    sum.operations += traffic.operations;
    sum.payload += traffic.payload;
    sum.wire += traffic.wire;
  }
  EXPECT_EQ(traffics.size(), truth.traffic.size());
  for (const auto& [key, traffic] : traffics) {
    SCOPED_TRACE(key.first + " " + key.second);
    ASSERT_EQ(truth.traffic.count(key), 1u);
    expect_equal(traffic, truth.traffic.at(key));
  }
  for (const RoleCount& role : counted->roles)
    EXPECT_EQ(role.nodes, node_count(program, role.role));
}

Spec small() {
  Spec spec;
  spec.model.layers = 4;
  spec.model.hidden = 64;
  spec.model.heads = 8;
  spec.model.vocab = 256;
  spec.batch.seq = 32;
  spec.batch.global = 16;
  return spec;
}

/// One specification of every kind that makes its program differently.
std::vector<std::pair<const char*, void (*)(Spec&)>> plans() {
  return {{"alone", [](Spec&) {}},
          {"zero1", [](Spec& s) { s.parallel.sharding = Sharding::zero1; }},
          {"hybrid shards",
           [](Spec& s) {
             s.parallel.sharding = Sharding::zero3;
             s.parallel.shard_size = 2;
           }},
          {"sequence parallel, interleaved",
           [](Spec& s) {
             s.parallel.tp = 2;
             s.parallel.sp = true;
             s.parallel.pp = 2;
             s.schedule.kind = ScheduleKind::interleaved;
             s.schedule.chunks = 2;
             s.recompute.kind = RecomputeKind::full;
           }},
          {"ring, split backward",
           [](Spec& s) {
             s.parallel.cp = 4;
             s.parallel.cp_method = ContextMethod::ring;
             s.parallel.pp = 4;
             s.schedule.kind = ScheduleKind::zb_h1;
           }},
          {"experts",
           [](Spec& s) {
             s.model.moe.emplace();
             s.parallel.ep = 4;
             s.parallel.etp = 1;
             s.parallel.tp = 2;
             s.parallel.sp = true;
             s.optimizer.kind = OptimizerKind::muon;
           }},
          {"busy experts on an axis of their own",
           [](Spec& s) {
             s.model.moe.emplace().imbalance = 2;
             s.parallel.ep = 4;
             s.parallel.ep_own_axis = true;
           }},
          {"tables", [](Spec& s) {
             s.model.kind = ModelKind::dlrm;
             Dlrm& dlrm = s.model.dlrm.emplace();
             dlrm.tables = {EmbeddingTables{1000, 6, 3}};
             dlrm.dim = 16;
             dlrm.bottom_mlp = {32, 16};
             dlrm.top_mlp = {32, 1};
           }}};
}

TEST(StepCount, IsWhatTheNodesSay) {
  for (const auto& [plan, change] : plans()) {
    SCOPED_TRACE(plan);
    Spec spec = small();
    spec.parallel.dp = 4;
    change(spec);
    Findings findings;
    const Result<Program> program = assemble(spec, findings);
    ASSERT_TRUE(program) << to_string(program.error());
    expect_equal(*program);
  }
}

TEST(StepCount, IsWhatStagesNodesSay) {
  Spec spec = small();
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.parallel.pp = 2;
  spec.parallel.dp = 2;
  spec.parallel.cp = 2;
  spec.parallel.cp_method = ContextMethod::all_gather;
  for (const Sharding sharding : {Sharding::none, Sharding::zero3}) {
    spec.parallel.sharding = sharding;
    const Result<Program> program = assemble_stage(spec);
    ASSERT_TRUE(program) << to_string(program.error());
    expect_equal(*program);
  }
}

/// One role of `ranks` ranks that runs one body `times` times.
Program program_of_ops(const Spec& spec, std::vector<Op> ops, std::uint32_t times) {
  Program program;
  program.spec = spec;
  program.mesh = Mesh(spec);
  program.bodies.push_back({"body", std::move(ops)});
  Role& role = program.roles.emplace_back();
  role.ranks = program.mesh.world();
  role.recipes = {{Segment{}}};
  role.tasks = {TaskLoop{{Task{}}, times, 1}};
  return program;
}

Op work(Phase phase, OpClass op_class, std::int64_t matmul, std::int64_t vector,
        std::int64_t redone = 0) {
  Op op;
  op.op_class = op_class;
  op.phase = phase;
  op.matmul = matmul;
  op.vector = vector;
  op.repeated_flops = redone;
  op.bytes = 10;
  return op;
}

Op collective(CollectiveType type, Axis axis, std::int64_t size) {
  Op op;
  op.op_class = OpClass::communication;
  op.kind = NodeKind::coll;
  op.stream = stream::tp;
  op.collective = type;
  op.axis = axis;
  op.size = size;
  return op;
}

TEST(StepCount, TellsForwardBackwardRepeatedAndTheOptimizerApart) {
  Op copy = work(Phase::forward, OpClass::copy, 7, 7);
  copy.waits[0] = stream::tp;
  const Result<StepCount> counted = count(program_of_ops(
      small(),
      {work(Phase::forward, OpClass::matmul, 1100, 1, 100),
       work(Phase::input_grad, OpClass::attention, 1500, 2, 500),
       work(Phase::weight_grad, OpClass::matmul, 1000, 4),
       work(Phase::recompute, OpClass::matmul, 30, 8), copy,
       work(Phase::step, OpClass::vector, 0, 16), work(Phase::step, OpClass::optimizer, 64, 32)},
      3));
  ASSERT_TRUE(counted);
  const FlopCount& flops = counted->flops;
  EXPECT_EQ(to_string(flops.forward), "3000");
  EXPECT_EQ(to_string(flops.backward), "6000");
  EXPECT_EQ(to_string(flops.recompute), "1890");
  EXPECT_EQ(to_string(flops.vector), "93");
  EXPECT_EQ(to_string(flops.optimizer), "288");
  EXPECT_EQ(to_string(flops.model()), "9000");
  EXPECT_EQ(to_string(flops.all()), "11271");
  EXPECT_EQ(to_string(counted->nodes), "18");
  EXPECT_EQ(to_string(counted->bytes), "180");
  EXPECT_DOUBLE_EQ(counted->intensity, 11271.0 / 180);
}

// A ring of n ranks sends (n-1)/n of the whole buffer per rank to gather or to reduce and scatter
// it, twice that to do both (Thakur et al. 2005). Messages go over the wire once, though both ends
// count.
TEST(StepCount, WireBytesOfEachKind) {
  Spec spec = small();
  spec.parallel.tp = 4;
  spec.parallel.dp = 2;
  const auto wire_of_one = [&](CollectiveType type, std::int64_t size) {
    const Result<StepCount> counted =
        count(program_of_ops(spec, {collective(type, Axis::tp, size)}, 5));
    EXPECT_TRUE(counted);
    EXPECT_EQ(counted->traffic.size(), 1u);
    EXPECT_EQ(counted->traffic[0].group_size, 4u);
    EXPECT_EQ(to_string(counted->traffic[0].operations), "10");  // 5 in each of 2 groups
    EXPECT_EQ(to_string(counted->roles[0].traffic[0].operations), "5");
    return to_string(counted->roles[0].traffic[0].wire);
  };
  EXPECT_EQ(wire_of_one(CollectiveType::all_gather, 100), "1500");  // 3 other shares
  EXPECT_EQ(wire_of_one(CollectiveType::reduce_scatter, 400), "1500");
  EXPECT_EQ(wire_of_one(CollectiveType::all_reduce, 400), "3000");
  EXPECT_EQ(wire_of_one(CollectiveType::all_to_all, 400), "1500");
  EXPECT_EQ(wire_of_one(CollectiveType::all_to_all, 1), "4");  // 3.75, rounded up
}

TEST(StepCount, SumsBeyond64Bits) {
  Spec spec = small();
  spec.parallel.dp = 1 << 20;
  spec.batch.global = 1 << 20;
  const std::int64_t large = std::int64_t{1} << 62;
  const Result<StepCount> counted =
      count(program_of_ops(spec, {work(Phase::forward, OpClass::matmul, large, 0)}, 1 << 10));
  ASSERT_TRUE(counted);
  EXPECT_EQ(to_string(counted->flops.forward), "4951760157141521099596496896");  // 2^92
  EXPECT_DOUBLE_EQ(to_double(counted->flops.forward), 0x1p92);
  EXPECT_EQ(to_string(0), "0");
}

TEST(StepCount, TokensOfEachFamily) {
  const auto tokens = [](ModelKind kind) {
    Spec spec = small();
    spec.model.kind = kind;
    spec.model.vision.emplace();
    spec.model.vision->blocks = {1, 1, 1, 1};
    spec.model.dlrm.emplace();
    spec.model.dlrm->tables.emplace_back();
    spec.batch.source_seq = 8;
    const Result<StepCount> counted = count(program_of_ops(spec, {}, 1));
    EXPECT_TRUE(counted);
    return counted->tokens;
  };
  EXPECT_EQ(tokens(ModelKind::decoder), 16 * 32);
  EXPECT_EQ(tokens(ModelKind::encoder_decoder), 16 * 40);
  EXPECT_EQ(tokens(ModelKind::vit), 16);
  EXPECT_EQ(tokens(ModelKind::dlrm), 16);
}

// Eight ranks a node, four nodes a rail.
TEST(Spans, TheOutermostDimensionThatAGroupCrosses) {
  const std::vector<std::int64_t> dims = {8, 4};
  const auto axis = [](std::vector<graph::GroupAxis::Digit> digits) {
    return graph::GroupAxis{"a", std::move(digits)};
  };
  EXPECT_EQ(outermost_dimension(axis({}), dims), 0u);
  EXPECT_EQ(outermost_dimension(axis({{1, 8, 1}}), dims), 0u);
  EXPECT_EQ(outermost_dimension(axis({{1, 16, 1}}), dims), 1u);
  EXPECT_EQ(outermost_dimension(axis({{8, 4, 1}}), dims), 1u);
  EXPECT_EQ(outermost_dimension(axis({{2, 4, 1}}), dims), 0u);
  EXPECT_EQ(outermost_dimension(axis({{1, 2, 1}, {8, 2, 1}}), dims), 1u);
  EXPECT_EQ(outermost_dimension(axis({{1, 2, 31}}), dims),
            1u);  // first and last rank of the cluster
  EXPECT_EQ(outermost_dimension(axis({{1, 2, 1}}), {}), 0u);
}

// Three does not divide eight: groups 0-2 and 3-5 stay in a node, 6-8 does not.
TEST(Spans, TheWorstGroupCounts) {
  const graph::GroupAxis axis{"a", {{1, 3, 1}}};
  EXPECT_EQ(outermost_dimension(axis, std::vector<std::int64_t>{8, 3}), 1u);
  EXPECT_EQ(outermost_dimension(axis, std::vector<std::int64_t>{9, 3}), 0u);
}

// Against members themselves, for every mesh of a few sizes.
TEST(Spans, AgreesWithAllMembers) {
  const std::vector<std::int64_t> dims = {2, 3, 4};
  const auto differs = [&](std::uint32_t a, std::uint32_t b) {
    std::uint32_t outermost = 0;
    for (std::uint32_t d = 0; d < dims.size(); ++d) {
      const auto size = static_cast<std::uint32_t>(dims[d]);
      if (a % size != b % size) outermost = d;
      a /= size;
      b /= size;
    }
    return outermost;
  };
  for (const std::uint32_t stride : {1u, 2u, 3u, 4u, 6u, 12u}) {
    for (const std::uint32_t extent : {2u, 3u, 4u}) {
      if (24 % (stride * extent) != 0) continue;
      const graph::GroupAxis axis{"a", {{stride, extent, 1}}};
      std::uint32_t worst = 0;
      for (std::uint32_t rank = 0; rank < 24; ++rank) {
        for (const std::uint32_t member : axis.members(axis.first(rank)))
          worst = std::max(worst, differs(rank, member));
      }
      EXPECT_EQ(outermost_dimension(axis, dims), worst) << stride << " x " << extent;
    }
  }
}

}  // namespace
}  // namespace orrery::workload
