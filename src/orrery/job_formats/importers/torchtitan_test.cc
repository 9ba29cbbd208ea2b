// SPDX-License-Identifier: Apache-2.0
//
// torchtitan's TOML files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/job_formats/importers/importer.h"
#include "orrery/job_formats/importers/toml.h"

namespace orrery::workload {
namespace {

using ::testing::HasSubstr;

struct TitanJob {
  Spec spec;
  Findings findings;
};

TitanJob import_titan(std::string_view text) {
  TitanJob job;
  const auto done = import_into(job.spec, text, "job.toml", job.findings);
  EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  return job;
}

Error titan_error(std::string_view text) {
  Spec spec;
  Findings findings;
  const auto done = import_into(spec, text, "job.toml", findings);
  EXPECT_FALSE(done.has_value());
  return done ? Error{} : done.error();
}

/// A file with these lines of [training], [parallelism] and [activation_checkpoint].
std::string titan_file(const std::string& training, const std::string& plan,
                       const std::string& checkpoint, const std::string& rest = "") {
  return "[model]\nname = \"llama3\"\nflavor = \"70B\"\n[training]\n" + training +
         "\n[parallelism]\n" + plan + "\n[activation_checkpoint]\n" + checkpoint + "\n" + rest;
}

// pytorch/torchtitan, a configuration of Llama 3 70B on eight B200, its way of writing.
TEST(Torchtitan, ReadsAJob) {
  const TitanJob job = import_titan(
      titan_file("local_batch_size = 6\nseq_len = 8192\nmax_norm = 1.0  # grad norm clipping\n"
                 "steps = 1000\ndataset = \"c4\"\nmixed_precision_reduce = \"bfloat16\"",
                 "data_parallel_replicate_degree = 1\ndata_parallel_shard_degree = 8\n"
                 "tensor_parallel_degree = 1\npipeline_parallel_degree = 1",
                 "mode = \"full\"  # [\"none\", \"selective\", \"full\"]\n"
                 "selective_ac_option = \"op\"",
                 "[optimizer]\nname = \"AdamW\"\nlr = 3e-4\n[compile]\nenable = true\n"
                 "components = [\"model\", \"loss\"]\n[job]\ndump_folder = \"./outputs\"\n"));
  const Spec& spec = job.spec;
  EXPECT_EQ(spec.model.is, "llama-3.1-70b");
  EXPECT_EQ(spec.model.layers, 80);
  EXPECT_EQ(spec.batch.micro, 6);
  EXPECT_EQ(spec.batch.global, 48);
  EXPECT_EQ(spec.batch.seq, 8192);
  EXPECT_EQ(spec.parallel.dp, 8);
  EXPECT_EQ(spec.model.name, "llama-3.1-70b");
  EXPECT_EQ(spec.parallel.sharding, Sharding::zero3);
  EXPECT_EQ(spec.precision.reduce, Dtype::bf16);
  EXPECT_EQ(spec.recompute.kind, RecomputeKind::full);
  EXPECT_EQ(spec.kernels.framework, Framework::torchtitan_compiled);
  EXPECT_EQ(spec.kernels.loss_kernel(), Loss::compiled);
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 0u);
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 0u);
  EXPECT_TRUE(check_spec(spec));
}

// pytorch/torchtitan, train_configs of 2024: the plan was in another section.
TEST(Torchtitan, SaysWhatItDoesNotReadOfOldFiles) {
  const TitanJob job = import_titan(
      titan_file("", "data_parallel_shard_degree = 8", "mode = \"none\"",
                 "[experimental]\npipeline_parallel_degree = 2\ncontext_parallel_degree = 1\n"
                 "pipeline_parallel_split_points = [\"layers.4\"]\ncustom_import = \"mine\"\n"));
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 1u);  // the degree
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 1u);         // the split points
}

TEST(Torchtitan, ReadsCheckpointing) {
  const auto recompute = [](const std::string& lines) {
    return import_titan(titan_file("", "data_parallel_shard_degree = 8", lines)).spec.recompute;
  };
  EXPECT_EQ(recompute("mode = \"none\"").kind, RecomputeKind::none);
  EXPECT_EQ(recompute("mode = \"selective\"\nselective_ac_option = 'op'").kind,
            RecomputeKind::torchtitan_op);
  const Recompute layers = recompute("mode = \"selective\"\nselective_ac_option = \"3\"");
  EXPECT_EQ(layers.kind, RecomputeKind::full);
  EXPECT_EQ(layers.every, 3);
  EXPECT_EQ(recompute("mode = \"selective\"").every, 2);
  EXPECT_EQ(recompute("mode = \"full\"\nearly_stop = false").early_stop, false);
  const Error budget =
      titan_error(titan_file("", "data_parallel_shard_degree = 8", "mode = \"memory_budget\""));
  EXPECT_EQ(budget.code, Errc::input_unsupported);
  EXPECT_EQ(budget.where, "job.toml:/activation_checkpoint:/mode");
  EXPECT_THAT(budget.what, HasSubstr("memory_budget"));
  EXPECT_EQ(
      titan_error(titan_file("", "", "mode = \"selective\"\nselective_ac_option = \"x\"")).code,
      Errc::config_range);
}

TEST(Torchtitan, CompilesComponents) {
  const auto kernels = [](const std::string& training, const std::string& rest) {
    return import_titan(
               titan_file(training, "data_parallel_shard_degree = 8", "mode = \"full\"", rest))
        .spec.kernels;
  };
  const Kernels eager = kernels("", "");
  EXPECT_EQ(eager.framework, Framework::torchtitan);
  EXPECT_EQ(eager.loss_kernel(), Loss::eager);
  const Kernels older = kernels("compile = true", "");
  EXPECT_EQ(older.framework, Framework::torchtitan_compiled);
  EXPECT_EQ(older.loss_kernel(), Loss::eager);
  const Kernels only = kernels("", "[compile]\nenable = true\ncomponents = [\"loss\"]\n");
  EXPECT_EQ(only.framework, Framework::torchtitan);
  EXPECT_EQ(only.loss_kernel(), Loss::compiled);
}

TEST(Torchtitan, ReadsFloat8) {
  const auto precision = [](const std::string& rest) {
    return import_titan(
               "[training]\nlocal_batch_size = 1\n[model]\nname = \"llama3\"\n"
               "flavor = \"8B\"\n" +
               rest)
        .spec.precision;
  };
  const Precision rows = precision(
      "converters = [\"quantize.linear.float8\"]\n[quantize.linear.float8]\n"
      "recipe_name = \"rowwise_with_gw_hp\"\n");
  EXPECT_EQ(rows.products, Dtype::fp8);
  EXPECT_EQ(rows.scaling, Scaling::rowwise_with_gw_hp);
  EXPECT_EQ(rows.weights, Dtype::bf16);
  const Precision gathered =
      precision("converters = [\"float8\"]\n[float8]\nenable_fsdp_float8_all_gather = true\n");
  EXPECT_EQ(gathered.scaling, Scaling::tensor);
  EXPECT_EQ(gathered.weights, Dtype::fp8);
  EXPECT_EQ(precision("converters = [\"mx\"]\n").scaling, Scaling::mx);
  EXPECT_EQ(precision("").products, std::nullopt);
}

// Llama 3.1 405B of 126 layers: the embedding and the head count as a layer each.
TEST(Torchtitan, SplitsLayersOverStages) {
  const std::string plan =
      "data_parallel_shard_degree = 8\ntensor_parallel_degree = 8\n"
      "enable_async_tensor_parallel = true\npipeline_parallel_degree = 4\n";
  const Spec plain = import_titan(titan_file("local_batch_size = 8", plan, "mode = \"none\"")).spec;
  EXPECT_EQ(plain.schedule.stage_layers, (std::vector<std::int64_t>{20, 21, 20, 19}));
  EXPECT_EQ(plain.batch.micro, 1);
  EXPECT_EQ(plain.microbatches(), 8);
  EXPECT_TRUE(plain.parallel.sp);
  EXPECT_EQ(plain.parallel.tp_overlap, TensorOverlap::ring);
  EXPECT_TRUE(check_spec(plain));
  const Spec looped =
      import_titan(titan_file("local_batch_size = 16",
                              plan + "pipeline_parallel_schedule = \"Interleaved1F1B\"\n"
                                     "pipeline_parallel_microbatch_size = 2",
                              "mode = \"none\""))
          .spec;
  EXPECT_EQ(looped.schedule.chunks, 2);
  EXPECT_EQ(looped.schedule.kind, ScheduleKind::interleaved);
  EXPECT_EQ(looped.microbatches(), 8);
  EXPECT_EQ(titan_error(titan_file("", "pipeline_parallel_degree = 4", "mode = \"none\"")).code,
            Errc::config_missing_key);
}

TEST(Torchtitan, ReportsWhatItDoesNotModel) {
  const TitanJob job =
      import_titan(titan_file("enable_cpu_offload = true\nfrobnicate = 1",
                              "data_parallel_shard_degree = 8", "mode = \"full\"",
                              "[optimizer]\nearly_step_in_backward = true\n[surprise]\nx = 1\n"
                              "[quantize.grouped_mm.mx]\nfqns = [\"experts\"]\n"));
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 3u);
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 2u);
  const Error flavor =
      titan_error("[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\n");
  EXPECT_EQ(flavor.code, Errc::input_unsupported);
  EXPECT_THAT(flavor.hint, HasSubstr("--model"));
}

TEST(Toml, ReadsTablesAndValues) {
  const auto file = parse_toml(
      "# a comment ...\na.b = 1_000\r\n[t.\"x y\"]\ns = \"a\\\"#\" # end\nr = -1.5e2\n"
      "list = [ [1, 2], # inner\n  'two',\n]\nyes = true\n[[u]]\nv = {w = 0x10}\n[[u]]\n"
      "m = \"\"\"\ntwo\nlines\"\"\"",
      "f.toml");
  ASSERT_TRUE(file) << to_string(file.error());
  EXPECT_EQ(
      file->dump(),
      R"({"a":{"b":1000},"t":{"x y":{"list":[[1,2],"two"],"r":-150.0,"s":"a\"#","yes":true}},)"
      R"("u":[{"v":{"w":16}},{"m":"two\nlines"}]})");
}

TEST(Toml, RefusesOtherTextWithItsLine) {
  for (const char* const text :
       {"a", "a =", "a = 1 2", "= 1", "[a", "a = \"x", "a = [1", "a = 1\na = 2", "a = 1979-05-27",
        "a = 1\n[a]\nb = 2", "a = \"\\q\""}) {
    const auto file = parse_toml(text, "f.toml");
    ASSERT_FALSE(file.has_value()) << text;
    EXPECT_EQ(file.error().code, Errc::config_syntax) << text;
    EXPECT_THAT(file.error().where, HasSubstr("f.toml:")) << text;
  }
  EXPECT_EQ(parse_toml("a = 1\nb = ?", "f.toml").error().where, "f.toml:2");
}

TEST(Toml, RefusesDeepText) {
  const auto repeated = [](std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const std::string& text :
       {repeated("a.", 100'000) + "a = 1", "[" + repeated("a.", 100'000) + "a]\n",
        repeated("a.", 12) + "a = {" + repeated("b.", 12) + "b = 1}",
        "x = {" + repeated("a.", 100'000) + "a = 1}"})
    EXPECT_EQ(parse_toml(text, "f.toml").error().code, Errc::limit_exceeded) << text.substr(0, 40);
  EXPECT_FALSE(parse_toml("a = " + repeated("[", 100'000), "f.toml").has_value());
  EXPECT_FALSE(parse_toml("a = " + repeated("{a=", 100'000), "f.toml").has_value());
}

}  // namespace
}  // namespace orrery::workload
