// SPDX-License-Identifier: Apache-2.0
#include "typed_questions.h"

#include <functional>
#include <utility>

namespace orrery::study_test {

using study::Question;

namespace {

using Fill = std::function<void(Question&)>;

class List {
 public:
  void add(std::string arguments, const Fill& fill) {
    TypedQuestion typed{std::move(arguments), {}};
    fill(typed.question);
    list_.push_back(std::move(typed));
  }
  [[nodiscard]] std::vector<TypedQuestion> take() && { return std::move(list_); }

 private:
  std::vector<TypedQuestion> list_;
};

constexpr const char* kStep = "examples/step/step --cluster examples/clusters/dgx-h100-8.yaml";
constexpr const char* kLlama =
    "--model llama-3.2-1b --tp 2 --dp 4 --cluster examples/clusters/dgx-h100-8.yaml";
constexpr const char* kAstra =
    "examples/astra/all_reduce --astra-network examples/astra/network.yml --astra-system "
    "examples/astra/system.json";

void step(Question& q) {
  q.workload = "examples/step/step";
  q.cluster = "examples/clusters/dgx-h100-8.yaml";
}
void llama(Question& q) {
  q.job.model = "llama-3.2-1b";
  q.job.tp = "2";
  q.job.dp = "4";
  q.cluster = "examples/clusters/dgx-h100-8.yaml";
}
void astra(Question& q) {
  q.workload = "examples/astra/all_reduce";
  q.astra_network = "examples/astra/network.yml";
  q.astra_system = "examples/astra/system.json";
}
void demo(Question& q, const char* cluster) {
  q.workload = "data/demo/llama";
  q.cluster = std::string("data/demo/") + cluster + ".yaml";
}
void recorded(Question& q) {
  q.recorded.traces = {"data/demo/ddp_transformer/*.json.gz"};
  q.cluster = "examples/clusters/two-h100.yaml";
}

/// One question in another way: "<arguments> <more>".
void vary(List& list, const char* arguments, const Fill& base, const std::string& more,
          const Fill& change) {
  list.add(std::string(arguments) + " " + more, [&](Question& q) {
    base(q);
    change(q);
  });
}

void add_traces(List& list) {
  list.add(kStep, step);
  vary(list, kStep, step, "--network message", [](Question& q) { q.network = "message"; });
  vary(list, kStep, step, "--rules astra", [](Question& q) { q.rules = "astra"; });
  vary(list, kStep, step, "--collectives messages",
       [](Question& q) { q.work.collectives = "messages"; });
  vary(list, kStep, step, "--verify-fold", [](Question& q) { q.work.verify_fold = true; });
  vary(list, kStep, step, "--threads 2", [](Question& q) { q.recorded.threads = 2; });
  list.add("data/demo/llama --cluster data/demo/one-node.yaml",
           [](Question& q) { demo(q, "one-node"); });
  list.add("data/demo/llama --cluster data/demo/two-nodes.yaml --fold off", [](Question& q) {
    demo(q, "two-nodes");
    q.work.fold = "off";
  });
  list.add("examples/step/step.0.et --cluster h100-sxm:4 --replicate", [](Question& q) {
    q.workload = "examples/step/step.0.et";
    q.cluster = "h100-sxm:4";
    q.replicate = true;
  });
  const char* const traces =
      "--traces 'data/demo/ddp_transformer/*.json.gz' --cluster examples/clusters/two-h100.yaml";
  list.add(traces, recorded);
  list.add(
      "--traces 'data/demo/ddp_transformer/*.kineto.json.gz' --no-link --cluster "
      "examples/clusters/two-h100.yaml",
      [](Question& q) {
        recorded(q);
        q.recorded.traces = {"data/demo/ddp_transformer/*.kineto.json.gz"};
        q.recorded.no_link = true;
      });
  vary(list, traces, recorded, "--tensors", [](Question& q) { q.recorded.tensors = true; });
  list.add(
      "data/demo/ddp_transformer/rank0.kineto.json.gz --cluster examples/clusters/two-h100.yaml "
      "--replicate",
      [](Question& q) {
        q.workload = "data/demo/ddp_transformer/rank0.kineto.json.gz";
        q.cluster = "examples/clusters/two-h100.yaml";
        q.replicate = true;
      });
}

void add_astra(List& list) {
  list.add(kAstra, astra);
  vary(list, kAstra, astra, "--astra-memory examples/astra/memory.json",
       [](Question& q) { q.astra_memory = "examples/astra/memory.json"; });
  vary(list, kAstra, astra, "--num-queues-per-dim 2 --injection-scale 2 --network message",
       [](Question& q) {
         q.num_queues_per_dim = 2;
         q.injection_scale = 2;
         q.network = "message";
       });
  vary(list, kAstra, astra, "--rendezvous-protocol true",
       [](Question& q) { q.rendezvous_protocol = true; });
}

void add_jobs(List& list) {
  list.add(kLlama, llama);
  vary(list, kLlama, llama, "--sp --seq 1024 --global-batch 16 --recompute full", [](Question& q) {
    q.job.sp = true;
    q.job.seq = "1024";
    q.job.global_batch = "16";
    q.job.recompute = "full";
  });
  vary(list, kLlama, llama, "--set kernels.fused=false --skip off", [](Question& q) {
    q.job.set = {"kernels.fused=false"};
    q.work.skip = "off";
  });
  list.add("--spec examples/workloads/mixtral-8x7b-64.yaml --cluster h100-sxm:64", [](Question& q) {
    q.job.spec = {"examples/workloads/mixtral-8x7b-64.yaml"};
    q.cluster = "h100-sxm:64";
  });
  list.add("--model resnet-50 --dp 8 --global-batch 256 --cluster h100-sxm:8", [](Question& q) {
    q.job.model = "resnet-50";
    q.job.dp = "8";
    q.job.global_batch = "256";
    q.cluster = "h100-sxm:8";
  });
  list.add("--model gpt2 --pp 4 --schedule 1f1b --micro-batch 1 --cluster h100-sxm:4",
           [](Question& q) {
             q.job.model = "gpt2";
             q.job.pp = "4";
             q.job.schedule = "1f1b";
             q.job.micro_batch = "1";
             q.cluster = "h100-sxm:4";
           });
}

void record(List& list, const char* arguments, const Fill& base, const char* spans) {
  vary(list, arguments, base, std::string("--spans ") + spans, [&](Question& q) {
    q.record = true;
    q.spans = spans;
  });
}

void add_recorded(List& list) {
  record(list, kStep, step, "all");
  record(list, kStep, step, "critical");
  record(list, kLlama, llama, "all");
  record(list, kLlama, llama, "none");
  record(list, kAstra, astra, "all");
  record(
      list, "data/demo/llama --cluster data/demo/two-nodes.yaml --network message",
      [](Question& q) {
        demo(q, "two-nodes");
        q.network = "message";
      },
      "all");
  record(list,
         "--traces 'data/demo/ddp_transformer/*.json.gz' --cluster "
         "examples/clusters/two-h100.yaml",
         recorded, "all");
}

}  // namespace

std::vector<TypedQuestion> questions() {
  List list;
  add_traces(list);
  add_astra(list);
  add_jobs(list);
  add_recorded(list);
  return std::move(list).take();
}

}  // namespace orrery::study_test
