// SPDX-License-Identifier: Apache-2.0
//
// What does not come out even: layers over stages, a vocabulary over tp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::workload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Spec small_stages(std::int64_t layers, std::int64_t stages,
                  ScheduleKind kind = ScheduleKind::one_f_one_b, std::int64_t chunks = 1) {
  Spec spec;
  spec.model.layers = layers;
  spec.model.hidden = 64;
  spec.model.heads = 8;
  spec.model.vocab = 1024;
  spec.parallel.pp = stages;
  spec.schedule.kind = kind;
  spec.schedule.chunks = chunks;
  spec.batch.seq = 32;
  return spec;
}

Program assemble_uneven(const Spec& spec) {
  Findings findings;
  auto program = assemble(spec, findings);
  EXPECT_TRUE(program) << to_string(program.error());
  return *std::move(program);
}

/// Where assembling finds `code`.
std::vector<std::string> places(const Spec& spec, FindingCode code) {
  Findings findings;
  EXPECT_TRUE(assemble(spec, findings));
  for (const Finding& each : findings.list()) {
    if (each.code == code) return each.places;
  }
  return {};
}

TEST(Uneven, LayersThatWereDealtOutAreSaid) {
  EXPECT_THAT(places(small_stages(126, 16), FindingCode::layers_uneven),
              ElementsAre("126 layers in 16 stages: 7, 14 x 8, 7"));
  EXPECT_THAT(places(small_stages(32, 4), FindingCode::layers_uneven), IsEmpty());
  Spec given = small_stages(5, 2);
  given.schedule.stage_layers = {2, 3};
  EXPECT_THAT(places(given, FindingCode::layers_uneven), IsEmpty());
}

/// Llama 3's 405B: 126 layers in 16 x 8 parts, the embedding and the head alone at the ends.
TEST(Uneven, TwoLayersLessThanPartsLeaveTheEndsAlone) {
  Spec spec = small_stages(126, 16, ScheduleKind::interleaved, 8);
  Program by_itself = assemble_uneven(spec);
  EXPECT_THAT(places(spec, FindingCode::layers_uneven),
              ElementsAre("126 layers in 128 stages: 0, 126 x 1, 0"));
  spec.schedule.stage_layers.assign(128, 1);
  spec.schedule.stage_layers.front() = spec.schedule.stage_layers.back() = 0;
  const Program listed = assemble_uneven(spec);
  ASSERT_EQ(by_itself.roles.size(), listed.roles.size());
  for (std::uint32_t role = 0; role < listed.roles.size(); ++role) {
    EXPECT_EQ(node_count(by_itself, role), node_count(listed, role));
    EXPECT_EQ(by_itself.roles[role].chunks.size(), listed.roles[role].chunks.size());
  }
  spec.schedule.stage_layers.clear();
  spec.model.layers = 125;
  EXPECT_FALSE(check_spec(spec)) << "a part in the middle would have nothing to do";
}

TEST(Uneven, RunsAreTheSameAsWithAListOfThem) {
  using enum ScheduleKind;
  struct Case {
    ScheduleKind kind;
    std::int64_t chunks;
  };
  for (const Case& each : {Case{gpipe, 1}, Case{one_f_one_b, 1}, Case{interleaved, 2},
                           Case{zb_h1, 1}, Case{zb_v, 2}, Case{dual_pipe, 2}}) {
    const std::int64_t parts = each.kind == dual_pipe ? 4 : 4 * each.chunks;
    for (const std::int64_t layers : {parts - 2, parts - 1, parts + 1, 2 * parts - 1}) {
      const Spec spec = small_stages(layers, 4, each.kind, each.chunks);
      const Program program = assemble_uneven(spec);
      std::int64_t weights = 0;
      const auto counted = count(program);
      ASSERT_TRUE(counted);
      for (const RoleCount& role : counted->roles) weights += role.weights.total();
      const std::int64_t copies = each.kind == dual_pipe ? 2 : 1;
      EXPECT_GE(weights, copies * count_parameters(spec.model).total);
      EXPECT_TRUE(account_memory(program)) << static_cast<int>(each.kind) << " " << layers;
      EXPECT_TRUE(to_workload(program)) << static_cast<int>(each.kind) << " " << layers;
    }
  }
}

TEST(Vocabulary, IsPaddedWhereTpDoesNotDivideIt) {
  Spec spec = small_stages(2, 1);
  spec.model.vocab = 50257;
  spec.parallel.tp = 8;
  const Program program = assemble_uneven(spec);
  EXPECT_EQ(program.spec.model.vocab, 51200) << "a multiple of 128 x 8, as Megatron makes it";
  EXPECT_THAT(places(spec, FindingCode::vocabulary_padded), ElementsAre("from 50,257 to 51,200"));
  Spec padded = spec;
  padded.model.vocab = 51200;
  const Program same = assemble_uneven(padded);
  EXPECT_THAT(places(padded, FindingCode::vocabulary_padded), IsEmpty());
  EXPECT_EQ(count(program)->flops.model(), count(same)->flops.model());
  EXPECT_EQ(count(program)->parameters.total, count(same)->parameters.total);
}

TEST(Vocabulary, IsLeftAloneWhereItDividesOrIsNotCut) {
  Spec spec = small_stages(2, 1);
  spec.model.vocab = 50257;
  EXPECT_EQ(assemble_uneven(spec).spec.model.vocab, 50257) << "published counts stay what they are";
  spec.parallel.tp = 8;
  spec.model.vocab = 50264;
  EXPECT_EQ(assemble_uneven(spec).spec.model.vocab, 50264);
  spec.model.vocab = 50257;
  spec.compat = Compat::stage;
  EXPECT_FALSE(check_spec(spec)) << "STAGE does not pad";
}

}  // namespace
}  // namespace orrery::workload
