// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

using testing::HasSubstr;

TEST(Spec, FillsInTheCatalogAndDefaults) {
  const Result<Spec> spec = parse_spec(R"(
model: {is: llama-3.1-70b, layers: 40}
parallel: {tp: 8, sp: true, dp: 16, sharding: zero1, bucket: 40 MB}
batch: {global: 512, seq: 8192}
)",
                                       "s.yaml");
  ASSERT_TRUE(spec) << to_string(spec.error());
  EXPECT_EQ(spec->model.name, "llama-3.1-70b");
  EXPECT_TRUE(spec->model.is.empty()) << "it has done its work";
  EXPECT_EQ(spec->model.layers, 40);
  EXPECT_EQ(spec->model.hidden, 8192);
  EXPECT_EQ(spec->model.mlp, Mlp::swiglu);
  EXPECT_EQ(spec->parallel.bucket->count(), 40'000'000);
  EXPECT_EQ(spec->parallel.sharding, Sharding::zero1);
  EXPECT_EQ(spec->schedule.kind, ScheduleKind::one_f_one_b);
  EXPECT_EQ(spec->microbatches(), 32);
}

TEST(Spec, ModelMayBeOneWord) {
  const Result<Spec> spec = parse_spec("model: deepseek-v3", "s");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->model.moe->experts, 256);
  EXPECT_EQ(spec->model.mla->q_rank, 1536);
}

TEST(Spec, KeysInsideOverrideTheCatalogOneByOne) {
  const Result<Spec> spec =
      parse_spec("model: {is: mixtral-8x7b, name: mine, moe: {experts: 16}}", "s");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->model.name, "mine");
  EXPECT_EQ(spec->model.moe->experts, 16);
  EXPECT_EQ(spec->model.moe->top_k, 2);
  const Result<Spec> dense = parse_spec("model: {is: mixtral-8x7b, moe: null}", "s");
  ASSERT_TRUE(dense);
  EXPECT_FALSE(dense->model.moe) << "null takes a key away";
  const Result<Spec> tables = parse_spec("model: {is: dlrm-kaggle, dlrm: {sharding: row}}", "s");
  ASSERT_TRUE(tables) << to_string(tables.error());
  EXPECT_EQ(tables->model.dlrm->tables.size(), 26u);
}

TEST(Spec, NamesWhatIsWrongAndWhere) {
  const auto error = [](const char* text) { return to_string(parse_spec(text, "s.yaml").error()); };
  EXPECT_THAT(error("parallel: {tp: 2}"), HasSubstr("s.yaml:/model"));
  EXPECT_THAT(error("model: lama-3.1-70b"), HasSubstr("did you mean \"llama-3.1-70b\"?"));
  EXPECT_THAT(error("model: abacus"), HasSubstr("docs/reference/models.md"));
  EXPECT_THAT(error("model: {is: gpt2, layer: 2}"), HasSubstr("s.yaml:/model/layer"));
  EXPECT_THAT(error("model: {is: 3}"), HasSubstr("s.yaml:/model/is"));
  EXPECT_THAT(error("model: [gpt2]"), HasSubstr("s.yaml:/model"));
  EXPECT_THAT(error("[1, 2]"), HasSubstr("is a list, but must be a mapping"));
  EXPECT_THAT(error("model: gpt2\nparallel: {tp: 0}"), HasSubstr("s.yaml:/parallel/tp"));
  EXPECT_THAT(error("model: gpt2\nschedule: {kind: 1f2b}"), HasSubstr("did you mean \"1f1b\"?"));
  EXPECT_THAT(error("model: gpt2\nparallel: {bucket: 25}"), HasSubstr("has no unit"));
  EXPECT_THAT(error("model: gpt2\nrecompute: {ops: [3]}"), HasSubstr("s.yaml:/recompute/ops/0"));
  EXPECT_THAT(error("model: gpt2\nversion: 2"), HasSubstr("s.yaml:/version"));
}

TEST(Spec, ResolvedHoldsFiguresNotZeros) {
  Result<Spec> spec = parse_spec("model: {layers: 2}\nparallel: {dp: 4}\nbatch: {micro: 3}", "s");
  const std::string text = to_yaml(*spec);
  for (const char* line :
       {"\n  ffn: 4096\n", "\n  kv_heads: 16\n", "\n  head_dim: 64\n", "\n  global: 12\n",
        "\n  overlap_gradients: true\n", "\n  kind: \"1f1b\"\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, testing::Not(HasSubstr("moe")));
  const auto json = nlohmann::json::parse(to_json(*spec));
  EXPECT_EQ(json["model"]["ffn"], 4096);
  EXPECT_FALSE(json["model"].contains("is"));
}

TEST(Spec, EveryModelComesBackFromItsText) {
  for (const ModelEntry& entry : models()) {
    const Result<Spec> spec = parse_spec("model: " + std::string(entry.name), "s");
    ASSERT_TRUE(spec);
    for (const std::string& text : {to_yaml(*spec), to_json(*spec)}) {
      const Result<Spec> again = parse_spec(text, "again");
      ASSERT_TRUE(again) << entry.name << to_string(again.error());
      EXPECT_EQ(to_yaml(*again), to_yaml(*spec));
      EXPECT_EQ(count_parameters(again->model).total, count_parameters(spec->model).total);
    }
  }
}

/// A job with anything in it that its keys allow.
Spec random_spec() {
  const auto number = [](int low, int high) -> std::int64_t {
    return *rc::gen::inRange(low, high + 1);
  };
  const auto flag = [] { return *rc::gen::arbitrary<bool>(); };
  const auto entry =
      models()[static_cast<std::size_t>(number(0, static_cast<int>(models().size()) - 1))];
  Spec spec;
  spec.name = *rc::gen::element<std::string>("", "a \"b\": c", "# no comment", "123", "true");
  spec.model = entry.model;
  spec.model.name = entry.name;
  spec.model.window = number(0, 5000);
  spec.model.dropout = flag();
  if (spec.model.moe) spec.model.moe->capacity_factor = static_cast<double>(number(0, 100)) / 32;
  spec.parallel.tp = number(1, 64);
  spec.parallel.sp = flag();
  spec.parallel.cp_method = *rc::gen::element(ContextMethod::ring, ContextMethod::ulysses);
  spec.parallel.dp = number(1, 4096);
  spec.parallel.sharding = *rc::gen::element(Sharding::none, Sharding::zero2, Sharding::zero3);
  spec.parallel.bucket = Bytes(number(0, 1 << 30));
  spec.schedule.kind = *rc::gen::element(ScheduleKind::gpipe, ScheduleKind::dual_pipe);
  spec.schedule.stage_layers =
      *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 100));
  spec.batch.global = number(0, 1 << 20);
  spec.batch.micro = number(1, 64);
  spec.precision.activations = *rc::gen::element(Dtype::fp8, Dtype::bf16, Dtype::tf32);
  spec.recompute.ops =
      *rc::gen::element(std::vector<std::string>{}, std::vector<std::string>{"norm", "mlp_up"});
  spec.compat = *rc::gen::element(Compat::none, Compat::stage);
  return spec;
}

RC_GTEST_PROP(Spec, ComesBackFromYamlAndJson, ()) {
  const Spec spec = random_spec();
  const std::string yaml = to_yaml(spec);
  for (const std::string& text : {yaml, to_json(spec)}) {
    const Result<Spec> again = parse_spec(text, "again");
    RC_ASSERT(again.has_value());
    RC_ASSERT(to_yaml(*again) == yaml);
    RC_ASSERT(again->name == spec.name);
    RC_ASSERT(again->parallel.bucket == spec.parallel.bucket);
    RC_ASSERT(again->schedule.stage_layers == spec.schedule.stage_layers);
    RC_ASSERT(again->recompute.ops == spec.recompute.ops);
  }
}

TEST(Set, ChangesOneValueByItsPath) {
  Result<Spec> spec = parse_spec("model: gpt2", "s");
  const auto done = [&](const char* path, const char* value) {
    const Result<void> result = set(*spec, path, value);
    return result ? std::string() : to_string(result.error());
  };
  EXPECT_EQ(done("parallel.tp", "8"), "");
  EXPECT_EQ(done("parallel.sp", "true"), "");
  EXPECT_EQ(done("parallel.bucket", "40 MB"), "");
  EXPECT_EQ(done("recompute.kind", "ops"), "");
  EXPECT_EQ(done("recompute.ops", "norm,qkv"), "");
  EXPECT_EQ(done("schedule.stage_layers", "[3, 4]"), "");
  EXPECT_EQ(done("name", "123"), "") << "text stays text";
  EXPECT_EQ(done("model.moe.experts", "4"), "");
  EXPECT_EQ(spec->parallel.tp, 8);
  EXPECT_TRUE(spec->parallel.sp);
  EXPECT_EQ(spec->parallel.bucket->count(), 40'000'000);
  EXPECT_THAT(spec->recompute.ops, testing::ElementsAre("norm", "qkv"));
  EXPECT_THAT(spec->schedule.stage_layers, testing::ElementsAre(3, 4));
  EXPECT_EQ(spec->name, "123");
  EXPECT_EQ(spec->model.moe->experts, 4);
  EXPECT_EQ(done("model", "llama-3.1-8b"), "");
  EXPECT_EQ(spec->model.hidden, 4096);
  EXPECT_FALSE(spec->model.moe) << "the model is replaced";
  EXPECT_EQ(spec->parallel.tp, 8) << "nothing else is";
  EXPECT_EQ(done("model.is", "gpt2"), "");
  EXPECT_EQ(spec->model.hidden, 768);
  EXPECT_EQ(done("recompute.ops", "[]"), "");
  EXPECT_TRUE(spec->recompute.ops.empty());
}

TEST(Set, RefusesWhatIsNotAKeyOrNotAValue) {
  Result<Spec> spec = parse_spec("model: gpt2", "s");
  const std::string before = to_yaml(*spec);
  const auto error = [&](const char* path, const char* value) {
    const Result<void> result = set(*spec, path, value);
    return result ? std::string("taken") : to_string(result.error());
  };
  EXPECT_THAT(error("parallel.tq", "8"), HasSubstr("parallel.tq: is not a key of this mapping"));
  EXPECT_THAT(error("parallel.tp", "8.5"),
              HasSubstr("parallel.tp: is 8.5, but must be a whole number"));
  EXPECT_THAT(error("parallel.tp", ""), testing::Not("taken"));
  EXPECT_THAT(error("parallel.tp", "{"), HasSubstr("parallel.tp"));
  EXPECT_THAT(error("parallel.tp.x", "1"), testing::Not("taken"));
  EXPECT_THAT(error("", "1"), testing::Not("taken"));
  EXPECT_THAT(error(".", "1"), testing::Not("taken"));
  EXPECT_THAT(error("model", "gtp2"), HasSubstr("did you mean \"gpt2\"?"));
  EXPECT_THAT(error("recompute.kind", "ful"), HasSubstr("did you mean \"full\"?"));
  EXPECT_EQ(to_yaml(*spec), before) << "an error leaves everything as it was";
}

TEST(Spec, SchemaNamesEveryKey) {
  const auto schema = nlohmann::json::parse(spec_schema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], nlohmann::json{"model"});
  const auto& model = schema["properties"]["model"]["oneOf"][1]["properties"];
  EXPECT_EQ(model["kind"]["enum"].size(), 7u);
  EXPECT_EQ(model["moe"]["properties"]["top_k"]["default"], 2);
  EXPECT_EQ(schema["properties"]["schedule"]["properties"]["stage_layers"]["type"], "array");
}

/// The page is generated from the tables; ORRERY_UPDATE_DOCS=1 writes it anew.
TEST(Spec, ReferencePageIsUpToDate) {
  const std::string path = std::string(core_testing::kSourceFolder) + "/docs/reference/workload.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << spec_reference();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), spec_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

TEST(Spec, ReferenceListsEveryRule) {
  const std::string text = spec_reference();
  for (const Rule& rule : rules())
    EXPECT_THAT(text, HasSubstr("| `" + std::string(rule.name) + "` | " +
                                std::string(rule.sentence) + " |"));
}

}  // namespace
}  // namespace orrery::workload
