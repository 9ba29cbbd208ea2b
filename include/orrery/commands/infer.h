// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Predict latencies, throughput and cost of serving a model: `orrery infer`.
struct InferQuestion {
  /// A model of the catalog (docs/reference/models.md).
  std::optional<std::string> model{};
  /// A device of the catalog; h100-sxm by default.
  std::optional<std::string> gpu{};
  /// Instances of the engine behind a router; by default 1. Default: 0.
  std::optional<std::int64_t> instances{};
  /// How the router selects an instance. One of round-robin, least-loaded, prefix-aware. Default:
  /// round-robin.
  std::optional<std::string> router{};
  /// Any key of the specification, e.g. kernels.fused=false.
  std::vector<std::string> set{};
  /// Requests: JSON Lines or CSV of Orrery, vLLM, Mooncake, Azure, Splitwise, Vidur, ShareGPT
  /// (docs/serving.md).
  std::optional<std::string> requests{};
  /// Result of vLLM's bench serve or SGLang's bench_serving, to compare.
  std::optional<std::string> benchmark{};
  /// Requests per second; by default those of the file, or all at once. Default: 0.
  std::optional<double> rate{};
  /// How requests arrive, with --rate. One of constant, poisson, gamma. Default: poisson.
  std::optional<std::string> arrivals{};
  /// Shape of gamma arrivals; below 1: in bursts. Default: 1.
  std::optional<double> burstiness{};
  /// Requests; by default all of the file, or 1000. Default: 0.
  std::optional<std::int64_t> num_prompts{};
  /// Clients that each wait for their last request (closed loop). Default: 0.
  std::optional<std::int64_t> max_concurrency{};
  /// Tokens of a prompt, without a file. Default: 1024.
  std::optional<std::int64_t> random_input_len{};
  /// Tokens of an output, without a file. Default: 128.
  std::optional<std::int64_t> random_output_len{};
  /// Lengths are uniform in LENGTH x (1 - SHARE ... 1 + SHARE). Default: 0.
  std::optional<double> random_range_ratio{};
  /// Distinct prefixes that requests share, without a file. Default: 0.
  std::optional<std::int64_t> prefixes{};
  /// Tokens of each, part of the prompt. Default: 0.
  std::optional<std::int64_t> prefix_len{};
  /// Seed of the requests. Default: 1.
  std::optional<std::int64_t> seed{};
  /// The engine whose scheduler and defaults are used. One of vllm, sglang, trtllm, static.
  /// Default: vllm.
  std::optional<std::string> engine{};
  /// Devices over which each layer is split; by default 1. Default: 0.
  std::optional<std::int64_t> tensor_parallel_size{};
  /// Copies of attention that share the experts; by default 1. Default: 0.
  std::optional<std::int64_t> data_parallel_size{};
  /// Each device has some of the experts, not a part of each.
  std::optional<bool> enable_expert_parallel{};
  /// Format of weights and matrix products. One of bf16, fp8, fp8_block, mxfp8, nvfp4. Default:
  /// bf16.
  std::optional<std::string> quantization{};
  /// Format of keys and values; auto is bf16. One of auto, bf16, fp8, int8. Default: auto.
  std::optional<std::string> kv_cache_dtype{};
  /// Sequences of a step; by default the engine's. Default: 0.
  std::optional<std::int64_t> max_num_seqs{};
  /// Tokens of a step; by default the engine's. Default: 0.
  std::optional<std::int64_t> max_num_batched_tokens{};
  /// Longest request, prompt and output; by default what the cache holds. Default: 0.
  std::optional<std::int64_t> max_model_len{};
  /// Share of the memory for the server (TensorRT-LLM: of the free memory, for the cache); by
  /// default the engine's. Default: 0.
  std::optional<double> gpu_memory_utilization{};
  /// Computes shared prefixes again.
  std::optional<bool> no_enable_prefix_caching{};
  /// A step computes complete prompts only.
  std::optional<bool> no_enable_chunked_prefill{};
  /// Plans a step when the last one has ended.
  std::optional<bool> no_async_scheduling{};
  /// Tokens of a prompt in one step; by default only limited by the step. Default: 0.
  std::optional<std::int64_t> long_prefill_token_threshold{};
  /// Tokens of a block of the cache; by default the engine's. Default: 0.
  std::optional<std::int64_t> block_size{};
  /// Blocks of the cache; by default what the memory holds. Default: 0.
  std::optional<std::int64_t> num_gpu_blocks_override{};
  /// SGLang: decode steps between two looks at the queue of new requests. Default: 1.
  std::optional<std::int64_t> scheduler_recv_interval{};
  /// Time of the server between two steps; docs/serving.md has the default. A duration: 90d.
  std::optional<std::string> step_time{};
  /// The same, for each sequence of a step. A duration: 90d.
  std::optional<std::string> sequence_time{};
  /// Time of the server before a request is queued; docs/serving.md has the default. A duration:
  /// 90d.
  std::optional<std::string> request_time{};
  /// The same, for each token of the prompt. A duration: 90d.
  std::optional<std::string> prompt_token_time{};
  /// Time of the host to launch a kernel outside of CUDA graphs; docs/serving.md has the defaults.
  /// A duration: 90d.
  std::optional<std::string> launch_time{};
  /// Limits: ttft_p99=500ms,tpot_mean=30ms (itl, latency; p50, p90), or of each request:
  /// ttft=500ms,tpot=30ms,share=0.95 (a share meets them; 0.99). Exit code 1: missed.
  std::optional<std::string> slo{};
  /// Price of a device per hour, in any currency.
  std::optional<std::string> price{};
  /// Power of a device in W: catalog, 700, or idle and busy: 100-700.
  std::optional<std::string> power{};
  /// Finds what options leave open to meet --slo; so do several --gpu.
  std::optional<bool> search{};
  /// What the search minimizes: devices, or cost per hour; auto: cost if there are prices. One of
  /// auto, devices, cost. Default: auto.
  std::optional<std::string> objective{};
  /// Number of setups to show. Default: 10.
  std::optional<std::int64_t> top{};
  /// Number of setups with the best estimates to simulate. Default: 20.
  std::optional<std::int64_t> simulated{};
  /// Number of threads; 0: all cores. Default: 0.
  std::optional<std::int64_t> threads{};
  /// A timeline for ui.perfetto.dev.
  std::optional<std::string> perfetto{};
  /// Write an SQLite database: a row for each request and each step.
  std::optional<std::string> records{};
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("model", model);
    text.add("gpu", gpu);
    text.add("instances", instances);
    text.add("router", router);
    text.add("set", set);
    text.add("requests", requests);
    text.add("benchmark", benchmark);
    text.add("rate", rate);
    text.add("arrivals", arrivals);
    text.add("burstiness", burstiness);
    text.add("num_prompts", num_prompts);
    text.add("max_concurrency", max_concurrency);
    text.add("random_input_len", random_input_len);
    text.add("random_output_len", random_output_len);
    text.add("random_range_ratio", random_range_ratio);
    text.add("prefixes", prefixes);
    text.add("prefix_len", prefix_len);
    text.add("seed", seed);
    text.add("engine", engine);
    text.add("tensor_parallel_size", tensor_parallel_size);
    text.add("data_parallel_size", data_parallel_size);
    text.add("enable_expert_parallel", enable_expert_parallel);
    text.add("quantization", quantization);
    text.add("kv_cache_dtype", kv_cache_dtype);
    text.add("max_num_seqs", max_num_seqs);
    text.add("max_num_batched_tokens", max_num_batched_tokens);
    text.add("max_model_len", max_model_len);
    text.add("gpu_memory_utilization", gpu_memory_utilization);
    text.add("no_enable_prefix_caching", no_enable_prefix_caching);
    text.add("no_enable_chunked_prefill", no_enable_chunked_prefill);
    text.add("no_async_scheduling", no_async_scheduling);
    text.add("long_prefill_token_threshold", long_prefill_token_threshold);
    text.add("block_size", block_size);
    text.add("num_gpu_blocks_override", num_gpu_blocks_override);
    text.add("scheduler_recv_interval", scheduler_recv_interval);
    text.add("step_time", step_time);
    text.add("sequence_time", sequence_time);
    text.add("request_time", request_time);
    text.add("prompt_token_time", prompt_token_time);
    text.add("launch_time", launch_time);
    text.add("slo", slo);
    text.add("price", price);
    text.add("power", power);
    text.add("search", search);
    text.add("objective", objective);
    text.add("top", top);
    text.add("simulated", simulated);
    text.add("threads", threads);
    text.add("perfetto", perfetto);
    text.add("records", records);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer infer(const InferQuestion& question, const CallOptions& options = {}) {
  return call("infer", question.json(), options);
}

}  // namespace orrery::api
