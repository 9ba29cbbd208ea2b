// SPDX-License-Identifier: Apache-2.0
//
// For tests: for each field of a question, a question in which a test changes this field.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "orrery/core/paths_testing.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// A temporary folder for files that questions name.
class Folder {
 public:
  Folder() : path_(std::filesystem::path(testing::TempDir()) / "orrery_run_options") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return at(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string source(const std::string& path) {
  return std::string(core_testing::kSourceFolder) + "/" + path;
}

inline Question job() {
  Question question;
  question.job.model = "gpt2";
  question.job.global_batch = "16";
  question.job.seq = "128";
  question.job.set = {"model.layers=4"};
  question.cluster = "h100-sxm:8";
  return question;
}

inline Question chakra() {
  Question question;
  question.workload = source("data/demo/llama");
  question.cluster = "h100-sxm:8";
  return question;
}

inline Question recorded() {
  Question question;
  question.recorded.traces = {source("data/demo/ddp_transformer/*.json.gz")};
  question.cluster = "h100-sxm:2";
  return question;
}

inline Question astra() {
  Question question;
  question.workload = source("examples/astra/all_reduce");
  question.astra_network = source("examples/astra/network.yml");
  question.astra_system = source("examples/astra/system.json");
  return question;
}

inline Question two_dims(const Folder& folder) {
  Question question = job();
  question.cluster =
      folder.write("two.yaml",
                   "device: h100-sxm\ncollectives: {library: ideal}\nnetwork:\n"
                   "  - {block: ring, size: 4, bandwidth: 90 GB/s, latency: 1 us}\n"
                   "  - {block: switch, size: 2, bandwidth: 50 GB/s, latency: 2 us}\n");
  return question;
}

/// Effect of a changed field on the outcome.
enum class Expect { differs, same, error };

struct Scenario {
  Question base;
  Expect expect = Expect::differs;
  std::string other{};  ///< value instead of the example of the field's table
};

using Scenarios = std::map<std::string, std::function<Scenario(const Folder&)>>;

/// A scenario with a base that needs no files.
inline auto with(Question (*base)(), Expect expect = Expect::differs, std::string other = {}) {
  return [=](const Folder&) { return Scenario{base(), expect, other}; };
}

inline void add_traces(Scenarios& all) {
  all["workload"] = [](const Folder&) {
    return Scenario{chakra(), Expect::differs, source("examples/step/step")};
  };
  all["recorded.traces"] = [](const Folder&) {
    Question one = recorded();
    one.recorded.traces = {source("data/demo/transformer/layers4_microbatches1.json.gz")};
    one.cluster = "h100-sxm:1";
    return Scenario{one, Expect::differs,
                    source("data/demo/transformer/layers6_microbatches2.json.gz")};
  };
  all["recorded.rank"] = [](const Folder&) {
    Question one = recorded();
    one.recorded.traces = {source("data/demo/ddp_transformer/rank0.kineto.json.gz")};
    one.cluster = "h100-sxm:1";
    return Scenario{one, Expect::same};  // the trace contains its rank, 0
  };
  all["recorded.threads"] = with(recorded, Expect::same);
  all["recorded.no_link"] = with(recorded, Expect::error);  // then rank 0 has two traces
  all["recorded.tensors"] = with(recorded, Expect::differs);
  all["groups"] = [](const Folder& folder) {
    Question question = chakra();
    question.workload = source("examples/step/step");
    return Scenario{question, Expect::error, folder.write("groups.json", "{\"x\": [0, 99]}")};
  };
  all["replicate"] = with(chakra, Expect::differs);
  all["repair"] = with(chakra, Expect::same);      // nothing is damaged
  all["some_ranks"] = with(chakra, Expect::same);  // no rank is missing
}

inline void add_reshaping(Scenarios& all) {
  const auto reshaped = [](const char* change, std::string other) {
    return [=](const Folder&) {
      Question question = recorded();
      question.recorded.traces = {source("data/demo/transformer/layers6_microbatches4.json.gz")};
      question.cluster = "h100-sxm:1";
      question.changes = {change};
      return Scenario{question, Expect::differs, other};
    };
  };
  all["structure.layers"] = reshaped("layers=4", "7");
  all["structure.microbatches"] = reshaped("microbatches=2", "3");
  all["recorded_on"] = [](const Folder&) {
    Question question = recorded();
    question.changes = {"bandwidth=2"};
    return Scenario{question};
  };
}

inline void add_jobs(Scenarios& all) {
  all["job.spec"] = [](const Folder& folder) {
    return Scenario{job(), Expect::differs,
                    folder.write("job.yaml", "model: gpt2\nbatch: {micro: 2}\n")};
  };
  all["job.texts"] = [](const Folder&) {
    return Scenario{job(), Expect::differs, "job.yaml\nmodel: gpt2\nbatch: {micro: 2}"};
  };
  for (const char* name : {"model", "tp", "pp", "cp", "sharding", "recompute", "global_batch",
                           "micro_batch", "seq", "optimizer", "precision"})
    all["job." + std::string(name)] = with(job);
  all["job.dp"] = with(job, Expect::error);  // uses 4 of 8 devices
  all["job.ep"] = with(job, Expect::error);  // no experts
  all["job.offload"] = with(job);
  all["job.compat"] = with(job);
  const auto pipeline = [](const Folder&) {
    Question question = job();
    question.job.pp = "2";
    return Scenario{question};
  };
  all["job.schedule"] = [=](const Folder& folder) {
    Scenario made = pipeline(folder);
    made.other = "zb_h1";
    return made;
  };
  all["job.chunks"] = [=](const Folder& folder) {
    Scenario made = pipeline(folder);
    made.base.job.schedule = "interleaved";
    made.base.job.chunks = "4";
    made.base.job.set = {"model.layers=8"};
    return made;
  };
  all["job.sp"] = [](const Folder&) {
    Question question = job();
    question.job.tp = "2";
    return Scenario{question};
  };
  all["job.set"] = with(job);
}

inline void add_astra(Scenarios& all) {
  all["astra_network"] = [](const Folder& folder) {
    return Scenario{astra(), Expect::differs,
                    folder.write("network.yml",
                                 "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 5.0 ]\n"
                                 "latency: [ 500.0 ]\n")};
  };
  all["astra_system"] = [](const Folder& folder) {
    std::ifstream in(source("examples/astra/system.json"));
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto at = text.find("\"preferred-dataset-splits\"");
    EXPECT_NE(at, std::string::npos);
    const auto digit = text.find_first_of("0123456789", at);
    text.replace(digit, text.find_first_not_of("0123456789", digit) - digit, "7");
    return Scenario{astra(), Expect::differs, folder.write("system.json", text)};
  };
  all["astra_memory"] = [](const Folder&) {
    return Scenario{astra(), Expect::same, source("examples/astra/memory.json")};  // nothing loads
  };
  all["num_queues_per_dim"] =
      with(astra, Expect::same);  // one queue suffices: collectives do not overlap
  all["injection_scale"] = with(astra, Expect::differs);
  all["compute_scale"] = with(astra, Expect::same);
  all["comm_scale"] = with(astra, Expect::same);
  all["rendezvous_protocol"] = with(astra, Expect::differs);
}

inline void add_models(Scenarios& all) {
  all["cluster"] = with(job, Expect::differs);
  all["cluster_text"] = with(job, Expect::differs);
  all["network"] = [](const Folder& folder) {
    Question question = two_dims(folder);
    question.job.tp = "2";
    question.cluster_text =
        "device: h100-sxm\ncollectives: {library: ideal}\n"
        "network: [{block: ring, size: 8, bandwidth: 100 GB/s, latency: 1 us}]\n";
    return Scenario{question};  // groups of four share the links of a ring of eight
  };
  for (const char* name : {"network_bandwidth", "network_latency", "network_link"})
    all[name] = [](const Folder& folder) { return Scenario{two_dims(folder)}; };
  all["collective_algorithm"] = [](const Folder& folder) { return Scenario{two_dims(folder)}; };
  all["chunk_order"] = [](const Folder& folder) { return Scenario{two_dims(folder)}; };
  all["compute"] = with(job);
  all["kernel_table"] = [](const Folder&) {
    return Scenario{job(), Expect::same,
                    source("examples/kernels/made-up.csv")};  // the table has no kernel of the job
  };
  all["kernel_model"] = with(job, Expect::error, "there/is/none.model");
  all["systolic"] = [](const Folder&) {
    Question question = job();
    question.compute = "systolic";
    question.kernel_files.systolic = source("examples/kernels/array.cfg");
    return Scenario{question, Expect::error, "there/is/none.cfg"};
  };
  all["rules"] = [](const Folder& folder) { return Scenario{two_dims(folder)}; };
  all["changes"] = with(job);
  all["without"] = with(job);
  all["in_step_factors"] = with(job);
}

inline void add_work(Scenarios& all) {
  const auto work = with(job, Expect::same);
  all["device"] = with(recorded, Expect::same);  // only a finding changes
  all["device_ratios"] = with(recorded, Expect::same);  // without another device
  all["work.fold"] = work;
  all["work.collectives"] = work;
  all["work.skip"] = work;
  all["work.threads"] = work;
  all["work.verify_fold"] = work;
  all["work.brief_names"] = work;
  all["record"] = work;
  all["exposed_by_group"] = work;
  all["spans"] = work;
  all["stream_folder"] = [](const Folder& folder) {
    return Scenario{chakra(), Expect::same, folder.at(".")};
  };
  all["stream_beyond"] = with(chakra, Expect::same);
}

/// All scenarios, by field name.
inline Scenarios scenarios() {
  Scenarios all;
  add_traces(all);
  add_reshaping(all);
  add_jobs(all);
  add_astra(all);
  add_models(all);
  add_work(all);
  return all;
}

}  // namespace orrery::study
