// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/steps/step_kernels.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {
namespace {

Question job(std::vector<std::string> set) {
  Question question;
  question.job.model = "gpt2";
  question.job.global_batch = "16";
  question.job.seq = "128";
  question.job.set = std::move(set);
  question.cluster = "h100-sxm:8";
  return question;
}

/// Eight H100s whose kernels are as fast while overlapping collectives as alone.
std::string undisturbed() {
  std::string path = testing::TempDir() + "orrery_undisturbed.yaml";
  std::ofstream(path)
      << "device: {is: h100-sxm, in_step: {overlapping_collectives: {products: 1}}}\n"
         "network: [{block: switch, size: 8, link: nvlink4}]\n";
  return path;
}

std::vector<Question> jobs() {
  std::vector<Question> all = {job({}), job({"parallel.tp=2", "parallel.sp=true"})};
  all.push_back(job({"parallel.pp=4"}));
  all.back().job.schedule = "interleaved";
  all.back().job.chunks = "3";
  all.push_back(job({"recompute.kind=full", "parallel.sharding=zero3"}));
  return all;
}

TEST(StepKernels, AreThoseOfTheRanksNodes) {
  for (Question question : jobs()) {
    question.cluster = undisturbed();
    Findings findings;
    const auto outcome = answer(question, *std::make_unique<Watch>(), findings);
    ASSERT_TRUE(outcome) << to_string(outcome.error());
    const auto& program = *outcome->inputs.load->program;
    const StepKernels step = step_kernels(program, *outcome->inputs.cluster);
    const graph::Graph& graph = outcome->workload().graph(static_cast<std::uint32_t>(step.rank));
    std::map<std::string, std::uint64_t> counted, unrolled;
    Time sum{};
    for (const StepKernel& one : step.kernels) {
      counted[graph::to_text(one.kernel)] += one.nodes;
      ASSERT_TRUE(one.each);
      sum = sum + Time(one.each->time.count() * static_cast<std::int64_t>(one.nodes));
    }
    for (graph::NodeId node = 0; node < graph.size(); ++node) {
      if (graph.kind(node) != graph::NodeKind::comp) continue;
      graph::Kernel kernel;
      if (graph.kernel(node) != graph::kNoKernel) {
        kernel = (*graph.kernels())[graph.kernel(node)];
      } else {
        kernel.flops = graph.work(node).num_ops;
        kernel.bytes = graph.work(node).tensor_size.count();
        if (kernel.flops == 0 && kernel.bytes == 0) continue;
      }
      ++unrolled[graph::to_text(kernel)];
    }
    EXPECT_EQ(counted, unrolled);
    EXPECT_EQ(sum, outcome->result.ranks[step.rank].compute) << "one stream computes, one by one";
  }
}

/// A table of one class, 10 us longer than any kernel takes by its roofline.
std::string table_of(const StepKernels& step) {
  std::string rows = "device,kernel,us\n";
  for (const StepKernel& one : step.kernels) {
    if (one.kernel.operation != graph::Operation::gemm) continue;
    graph::Kernel bare = one.kernel;
    bare.flops = bare.bytes = 0;
    rows += "h100-sxm,\"" + graph::to_text(bare) + "\"," +
            std::to_string(static_cast<double>(one.each->time.count()) * 1e-6 + 10) + "\n";
  }
  return rows;
}

TEST(StepKernels, TakeMeasuredTimesFirst) {
  Question question = job({});
  question.without = {"in_step_factors"};
  Findings findings;
  const auto cluster = read_cluster(question, findings);
  ASSERT_TRUE(cluster);
  const auto program = assemble(question.job, {8, "h100-sxm:8"}, findings);
  ASSERT_TRUE(program);
  const StepKernels before = step_kernels(*program, *cluster);
  question.kernel_files.kernel_table = testing::TempDir() + "orrery_step_kernels.csv";
  std::ofstream(question.kernel_files.kernel_table) << table_of(before);
  const auto tabled = read_cluster(question, findings);
  ASSERT_TRUE(tabled) << to_string(tabled.error());
  const StepKernels after = step_kernels(*program, *tabled);
  ASSERT_EQ(before.kernels.size(), after.kernels.size());
  std::size_t gemms = 0;
  for (std::size_t i = 0; i < before.kernels.size(); ++i) {
    const StepKernel& was = before.kernels[i];
    const StepKernel& is = after.kernels[i];
    const bool gemm = was.kernel.operation == graph::Operation::gemm;
    gemms += gemm ? 1 : 0;
    EXPECT_EQ(is.each->source == TimeSource::table, gemm);
    if (gemm) {
      const double gaps = 1.376e6 * was.kernel.launches;  // an h100's, as before
      EXPECT_NEAR(static_cast<double>((is.each->time - was.each->time).count()), 10e6 + gaps, 2);
    } else {
      EXPECT_EQ(is.each, was.each);
    }
  }
  EXPECT_GT(gemms, 3u);

  // Several questions at a time: each has the models that it asks for.
  Question plain = job({}), recorded = job({});
  recorded.compute = "recorded";
  const auto answers = simulate_all(std::vector<Question>{plain, question, recorded}, 2);
  ASSERT_TRUE(answers[0] && answers[1] && answers[2]);
  EXPECT_GT(answers[1]->step(), answers[0]->step());
  EXPECT_LT(answers[2]->step(), answers[0]->step());
  EXPECT_EQ(answers[1]->step(), simulate(question)->step());
}

/// Small experts in an eager framework: kernels are shorter than their launches.
Question short_kernels() {
  Question question = job({"kernels.framework=pytorch", "model.moe.experts=16", "model.moe.top_k=2",
                           "model.moe.ffn=256"});
  question.job.micro_batch = "1";
  return question;
}

TEST(Launches, MakeAStepOfShortKernelsLonger) {
  Question question = short_kernels();
  const auto eager = simulate(question);
  ASSERT_TRUE(eager) << to_string(eager.error());
  question.job.set.push_back("kernels.graphs=true");
  const auto graphs = simulate(question);
  ASSERT_TRUE(graphs);
  EXPECT_GT(eager->step().count(), 3 * graphs->step().count());
  question.job.set.back() = "kernels.launch=0";
  EXPECT_EQ(simulate(question)->step(), graphs->step());
  question.job.set.back() = "kernels.launch=1000 us";  // nothing but launches counts
  const auto slow = simulate(question);
  const StepKernels step = [&] {
    Findings findings;
    const auto cluster = read_cluster(question, findings);
    return step_kernels(*assemble(question.job, {8, "h100-sxm:8"}, findings), *cluster);
  }();
  std::int64_t launches = 0;
  for (const StepKernel& one : step.kernels)
    if (one.kernel.operation != graph::Operation::unsaid)
      launches += static_cast<std::int64_t>(one.nodes) * one.kernel.launches;
  EXPECT_GT(launches, 1000);
  EXPECT_GE(slow->step(), us(1000 * launches));
  EXPECT_LT(slow->step(), us(1000 * launches + 5000));
}

TEST(Launches, AreTheSameHoweverTheStepIsWorkedOutOrWrittenDown) {
  Question question = short_kernels();
  question.job.set.push_back("batch.global=64");
  question.job.global_batch = "64";
  const auto expected = simulate(question);
  ASSERT_TRUE(expected) << to_string(expected.error());
  for (const char* fold : {"auto", "off"}) {
    for (const char* skip : {"auto", "off"}) {
      question.work.fold = fold;
      question.work.skip = skip;
      EXPECT_EQ(simulate(question)->step(), expected->step()) << fold << ' ' << skip;
    }
  }
  Findings findings;
  const auto program = assemble(question.job, {8, "h100-sxm:8"}, findings);
  ASSERT_TRUE(program);
  Question written;
  written.cluster = question.cluster;
  written.workload = testing::TempDir() + "orrery_launches";
  ChakraWriteOptions how;
  how.prefix = written.workload;
  how.overwrite = true;
  ASSERT_TRUE(write_chakra(*program, how));
  const auto traces = simulate(written);
  ASSERT_TRUE(traces) << to_string(traces.error());
  EXPECT_EQ(traces->step(), expected->step());
}

}  // namespace
}  // namespace orrery::study
