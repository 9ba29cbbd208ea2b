// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {
namespace {

Question small_job() {
  Question question;
  question.job.model = "gpt2";
  question.job.global_batch = "16";
  question.job.seq = "128";
  question.cluster = "h100-sxm:8";
  return question;
}

Errc why_not(Question question) {
  const auto settled = settle(question);
  return settled ? Errc::stall : settled.error().code;
}

TEST(Question, IsCalledByWhatItIsAbout) {
  Question question;
  EXPECT_EQ(question.workload_name(), "");
  question.workload = "dir/w";
  EXPECT_EQ(question.workload_name(), "dir/w");
  question.recorded.traces = {"a.json", "b.json"};
  EXPECT_EQ(question.workload_name(), "a.json");
  question.job.model = "gpt2";
  EXPECT_EQ(question.workload_name(), "gpt2");
  question.job.spec = {"job.yaml"};
  EXPECT_EQ(question.workload_name(), "job.yaml");
  question.cluster = "c.yaml";
  EXPECT_EQ(question.cluster_name(), "c.yaml");
  question.astra_network = "network.yml";
  EXPECT_EQ(question.cluster_name(), "network.yml");
}

TEST(Question, ThatContradictsItselfIsRefused) {
  EXPECT_EQ(why_not(small_job()), Errc::stall);
  const auto with = [](auto change) {
    Question question = small_job();
    change(question);
    return why_not(question);
  };
  EXPECT_EQ(with([](Question& q) { q.workload = "w"; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.recorded.traces = {"w.json"}; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.network = "string"; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.rules = "none"; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.spans = "some"; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.work.fold = "on"; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.work.collectives = "none"; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.work.skip = "on"; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.work.threads = -1; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.recorded.threads = 2000; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.work = {.fold = "off", .verify_fold = true}; }), Errc::usage);
  EXPECT_EQ(with([](Question& q) { q.astra_system = "s.json"; }), Errc::config_conflict);
  const auto astra_alone = [](Question& q) {
    q.cluster.clear();
    q.astra_system = "s.json";
  };
  EXPECT_EQ(with(astra_alone), Errc::usage);
}

TEST(Study, AnswersAJob) {
  const auto answer = simulate(small_job());
  ASSERT_TRUE(answer.has_value()) << to_string(answer.error());
  EXPECT_GT(answer->step(), Time{});
  EXPECT_FALSE(answer->stalled());
  EXPECT_EQ(answer->ranks(), 8u);
  EXPECT_NE(answer->json().find("\"step_ns\""), std::string::npos);
  const auto run = answer->run();
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().code, Errc::usage);
}

// Four hosts of two on a leaf each, and two spines.
constexpr const char* kSmallFabric =
    "device: h100-sxm\nfabric: {hosts: [{count: 4, devices: 2, scale_up: nvlink4, nics: 1, pcie: "
    "{bandwidth: 64 GB/s, latency: 250 ns}}], network: {kind: fat_tree, per_leaf: 1, radix: 4, "
    "oversubscription: 0.5, port: ib-ndr}";

TEST(Study, ChosenChunksOfFabricsHaveTheBoundOfTheirCut) {
  for (const char* order : {"best", "themis", "ascending"})
    for (const char* network : {"flow", "message"}) {
      Question question = small_job();
      question.job.dp = "8";
      question.network = network;
      question.cluster = "f.yaml";
      question.cluster_text =
          std::string(kSmallFabric) + "}\ncollectives: {chunks: auto, order: " + order + "}\n";
      const auto answer = simulate(question);
      ASSERT_TRUE(answer.has_value()) << to_string(answer.error());
      const std::string json = answer->json();
      const auto at = json.find("\"bound_ns\"");
      ASSERT_NE(at, std::string::npos) << order << network;
      EXPECT_NE(json.find("\"cut\": \"traffic out of", at), std::string::npos)
          << json.substr(at, 200);
    }
}

TEST(Study, SaysWhereTensorParallelismCrossesHosts) {
  const auto found = [](const char* tp, const std::string& cluster, const std::string& text) {
    Question question = small_job();
    question.job.tp = tp;
    question.cluster = cluster;
    question.cluster_text = text;
    const auto answer = simulate(question);
    EXPECT_TRUE(answer.has_value()) << to_string(answer.error());
    for (const Finding& each : answer->findings().list())
      if (each.code == FindingCode::tp_crosses_hosts) return each;
    return Finding{};
  };
  const std::string fabric = std::string(kSmallFabric) + "}\n";
  EXPECT_EQ(found("2", "f.yaml", fabric).count, 0u);
  const Finding four = found("4", "f.yaml", fabric);
  EXPECT_EQ(four.count, 2u);
  ASSERT_EQ(four.places.size(), 1u);
  EXPECT_EQ(four.places[0],
            "ranks 0-3 span 2 hosts, with 50 GB/s between hosts and 9 times as much inside a host");
  EXPECT_EQ(found("4", "h100-sxm:16", "").count, 0u);
  EXPECT_EQ(found("4", "d.yaml",
                  "device: h100-sxm\nnetwork: [{block: switch, size: 2, link: nvlink4}, {block: "
                  "switch, size: 4, link: ib-ndr}]\n")
                .places.at(0),
            "ranks 0-3 span 2 hosts, with 50 GB/s between hosts and 9 times as much inside a host");
}

TEST(Study, KeepsWhatWasDownOrSlow) {
  Question question = small_job();
  question.cluster = "f.yaml";
  question.cluster_text = std::string(kSmallFabric) +
                          ", faults: [{node: spine0}, {from: leaf1, to: spine1, bandwidth: 0.5, "
                          "start: 1 us, every: 10 us, lasts: 2 us}]}\n";
  question.record = true;
  const auto answer = simulate(question);
  ASSERT_TRUE(answer.has_value()) << to_string(answer.error());
  const auto run = answer->run();
  ASSERT_TRUE(run.has_value()) << to_string(run.error());
  const auto name = [&](std::uint32_t node) { return run->fabric.at(node).name; };
  std::vector<std::string> down;
  for (const result::FabricFault& fault : run->faults) {
    if (fault.bandwidth > 0) continue;
    EXPECT_EQ(fault.end, std::nullopt);
    down.push_back(name(fault.from) + " " + name(fault.to));
  }
  EXPECT_EQ(down.size(), 8u) << "both directions to four leaves";
  EXPECT_EQ(std::count(down.begin(), down.end(), "spine0 leaf3"), 1);
  const result::FabricFault& slow = run->faults.back();
  EXPECT_EQ(run->faults.size(), 10u);
  EXPECT_EQ(slow.bandwidth, 0.5);
  EXPECT_EQ(slow.start, us(1));
  EXPECT_EQ(slow.every, us(10));
  EXPECT_EQ(slow.lasts, us(2));
  for (const result::Link& link : run->links.links)
    EXPECT_EQ(link.name.find("spine0"), std::string::npos) << link.name << " carried something";
}

TEST(Study, RecordsWhereItIsAskedTo) {
  Question question = small_job();
  question.record = true;
  const auto answer = simulate(question);
  ASSERT_TRUE(answer.has_value());
  const auto run = answer->run();
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->step, answer->step());
  EXPECT_EQ(run->ranks.size(), 8u);
  EXPECT_EQ(run->fact("workload"), "gpt2");
}

class Counting : public Watch {
 public:
  void simulating(std::uint32_t, std::uint32_t of, std::uint64_t) override { ranks = of; }
  void phase_done() override { ++phases; }
  std::uint32_t ranks = 0;
  int phases = 0;
};

TEST(Study, TellsHowFarItIs) {
  Question question = small_job();
  question.work = {.fold = "off", .collectives = "messages"};
  Counting watch;
  ASSERT_TRUE(simulate(question, &watch).has_value());
  EXPECT_GE(watch.phases, 1);
  EXPECT_EQ(watch.ranks, 8u);
}

TEST(Study, ReadsOnceWhatSeveralQuestionsAreAbout) {
  std::vector<Question> asked(5, small_job());
  asked[1].work.fold = "off";       // another way: the same workload and cluster
  asked[2].network = "message";     // another cluster, which the workload does not see
  asked[3].cluster = "h100-sxm:4";  // another size
  asked[4].job.micro_batch = "2";   // another workload
  const auto answers = simulate_all(asked, 2);
  const auto inputs = [&](std::size_t i) { return answers.at(i)->outcome().inputs; };
  for (const auto& answer : answers) ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(inputs(0).load, inputs(1).load);
  EXPECT_EQ(inputs(0).cluster, inputs(1).cluster);
  EXPECT_EQ(inputs(0).load, inputs(2).load);
  EXPECT_NE(inputs(0).cluster, inputs(2).cluster);
  EXPECT_NE(inputs(0).load, inputs(3).load);
  EXPECT_NE(inputs(0).load, inputs(4).load);
  EXPECT_EQ(inputs(0).cluster, inputs(4).cluster);
  EXPECT_EQ(answers[3]->ranks(), 4u);
}

TEST(Study, OneWrongQuestionIsNoTroubleForOthers) {
  std::vector<Question> asked(3, small_job());
  asked[1].cluster = "no-such-file.yaml";
  asked[2].rules = "none";
  const auto answers = simulate_all(asked);
  EXPECT_TRUE(answers[0].has_value());
  ASSERT_FALSE(answers[1].has_value());
  EXPECT_EQ(answers[1].error().code, Errc::config_not_found);
  ASSERT_FALSE(answers[2].has_value());
  EXPECT_EQ(answers[2].error().code, Errc::usage);
  EXPECT_TRUE(simulate_all({}).empty());
}

}  // namespace
}  // namespace orrery::study
