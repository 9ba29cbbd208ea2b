// SPDX-License-Identifier: Apache-2.0
//
// Serving a model: a stream of requests on instances of an engine, and the latencies, throughput,
// energy and cost that follow. docs/serving.md has models, sources and validation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/config/unit_fields.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/serving/latencies.h"
#include "orrery/serving/sampled_requests.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/serving/measured_service.h"

namespace orrery::study {

/// Formats of weights and matrix products.
enum class WeightFormat : std::uint8_t { bf16, fp8, fp8_block, mxfp8, nvfp4 };
/// Formats of keys and values.
enum class CacheFormat : std::uint8_t { automatic, bf16, fp8, int8 };

}  // namespace orrery::study

namespace orrery::config {
template <>
struct EnumNames<study::WeightFormat> {
  static constexpr auto names =
      names_in_order<study::WeightFormat::nvfp4>("bf16", "fp8", "fp8_block", "mxfp8", "nvfp4");
};
template <>
struct EnumNames<study::CacheFormat> {
  static constexpr auto names =
      names_in_order<study::CacheFormat::int8>("auto", "bf16", "fp8", "int8");
};
}  // namespace orrery::config

namespace orrery::study {

/// Arguments of engines under their names. 0 or empty: the engine's default.
struct EngineQuestion {
  serving::Engine engine = serving::Engine::vllm;
  std::int64_t tensor_parallel_size = 0, data_parallel_size = 0;  ///< 0: 1, or searched
  bool enable_expert_parallel = false;
  WeightFormat quantization = WeightFormat::bf16;
  CacheFormat kv_cache_dtype = CacheFormat::automatic;
  std::int64_t max_num_seqs = 0, max_num_batched_tokens = 0, max_model_len = 0;
  std::int64_t long_prefill_token_threshold = 0, block_size = 0, num_gpu_blocks = 0;
  std::int64_t scheduler_recv_interval = 1;
  double gpu_memory_utilization = 0;
  bool no_prefix_caching = false, no_chunked_prefill = false, no_async_scheduling = false;
  std::optional<Duration> step_time, sequence_time, request_time, prompt_token_time, launch_time;

  static constexpr std::string_view group = "Engine";
  static constexpr auto fields = std::tuple{
      QuestionField{"engine", &EngineQuestion::engine, "--engine", "NAME", kAnswer, "sglang",
                    "The engine whose scheduler and defaults are used"}
          .shows_default(),
      QuestionField{"tensor_parallel_size", &EngineQuestion::tensor_parallel_size,
                    "--tensor-parallel-size,--tp,--tp-size,--tp_size", "N", kAnswer, "2",
                    "Devices over which each layer is split; by default 1"}
          .between(1, 1 << 12),
      QuestionField{"data_parallel_size", &EngineQuestion::data_parallel_size,
                    "--data-parallel-size,--dp,--dp-size", "N", kAnswer, "2",
                    "Copies of attention that share the experts; by default 1"}
          .between(1, 1 << 12),
      QuestionField{"enable_expert_parallel", &EngineQuestion::enable_expert_parallel,
                    "--enable-expert-parallel,--enable-ep", "", kAnswer, "true",
                    "Each device has some of the experts, not a part of each"},
      QuestionField{"quantization", &EngineQuestion::quantization, "--quantization", "FORMAT",
                    kAnswer, "fp8", "Format of weights and matrix products"}
          .shows_default(),
      QuestionField{"kv_cache_dtype", &EngineQuestion::kv_cache_dtype, "--kv-cache-dtype", "FORMAT",
                    kAnswer, "fp8", "Format of keys and values; auto is bf16"}
          .shows_default(),
      QuestionField{"max_num_seqs", &EngineQuestion::max_num_seqs,
                    "--max-num-seqs,--max-running-requests,--max_batch_size", "N", kAnswer, "128",
                    "Sequences of a step; by default the engine's"}
          .between(1, 1 << 20),
      QuestionField{"max_num_batched_tokens", &EngineQuestion::max_num_batched_tokens,
                    "--max-num-batched-tokens,--chunked-prefill-size,--max_num_tokens", "N",
                    kAnswer, "4096", "Tokens of a step; by default the engine's"}
          .between(1, 1 << 24),
      QuestionField{"max_model_len", &EngineQuestion::max_model_len,
                    "--max-model-len,--context-length,--max_seq_len", "N", kAnswer, "32768",
                    "Longest request, prompt and output; by default what the cache holds"}
          .between(1, 1 << 26),
      QuestionField{"gpu_memory_utilization", &EngineQuestion::gpu_memory_utilization,
                    "--gpu-memory-utilization,--mem-fraction-static,"
                    "--kv_cache_free_gpu_memory_fraction",
                    "SHARE", kAnswer, "0.8",
                    "Share of the memory for the server (TensorRT-LLM: of the free memory, for the "
                    "cache); by default the engine's"},
      QuestionField{"no_prefix_caching", &EngineQuestion::no_prefix_caching,
                    "--no-enable-prefix-caching,--disable-radix-cache", "", kAnswer, "true",
                    "Computes shared prefixes again"}
          .advanced(),
      QuestionField{"no_chunked_prefill", &EngineQuestion::no_chunked_prefill,
                    "--no-enable-chunked-prefill", "", kAnswer, "true",
                    "A step computes complete prompts only"}
          .advanced(),
      QuestionField{"no_async_scheduling", &EngineQuestion::no_async_scheduling,
                    "--no-async-scheduling,--disable-overlap-schedule", "", kAnswer, "true",
                    "Plans a step when the last one has ended"}
          .advanced(),
      QuestionField{"long_prefill_token_threshold", &EngineQuestion::long_prefill_token_threshold,
                    "--long-prefill-token-threshold", "N", kAnswer, "512",
                    "Tokens of a prompt in one step; by default only limited by the step"}
          .between(1, 1 << 24)
          .advanced(),
      QuestionField{"block_size", &EngineQuestion::block_size,
                    "--block-size,--page-size,--tokens_per_block", "N", kAnswer, "32",
                    "Tokens of a block of the cache; by default the engine's"}
          .between(1, 1 << 12)
          .advanced(),
      QuestionField{"num_gpu_blocks", &EngineQuestion::num_gpu_blocks, "--num-gpu-blocks-override",
                    "N", kAnswer, "4000", "Blocks of the cache; by default what the memory holds"}
          .between(1, std::int64_t{1} << 40)
          .advanced(),
      QuestionField{"scheduler_recv_interval", &EngineQuestion::scheduler_recv_interval,
                    "--scheduler-recv-interval", "N", kAnswer, "30",
                    "SGLang: decode steps between two looks at the queue of new requests"}
          .between(1, 1 << 20)
          .advanced(),
      QuestionField{"step_time", &EngineQuestion::step_time, "--step-time", "TIME", kAnswer, "1ms",
                    "Time of the server between two steps; docs/serving.md has the default"}
          .advanced(),
      QuestionField{"sequence_time", &EngineQuestion::sequence_time, "--sequence-time", "TIME",
                    kAnswer, "0.01ms", "The same, for each sequence of a step"}
          .advanced(),
      QuestionField{"request_time", &EngineQuestion::request_time, "--request-time", "TIME",
                    kAnswer, "10ms",
                    "Time of the server before a request is queued; docs/serving.md has the "
                    "default"}
          .advanced(),
      QuestionField{"prompt_token_time", &EngineQuestion::prompt_token_time, "--prompt-token-time",
                    "TIME", kAnswer, "0.005ms", "The same, for each token of the prompt"}
          .advanced(),
      QuestionField{"launch_time", &EngineQuestion::launch_time, "--launch-time", "TIME", kAnswer,
                    "0.02ms",
                    "Time of the host to launch a kernel outside of CUDA graphs; docs/serving.md "
                    "has the defaults"}
          .advanced()};
};

/// The requests.
struct LoadQuestion {
  std::string requests, benchmark;
  double rate = 0;
  serving::Arrivals arrivals = serving::Arrivals::poisson;
  double burstiness = 1;
  std::int64_t num_prompts = 0, concurrency = 0;
  std::int64_t input_len = 1024, output_len = 128;
  double range_ratio = 0;
  std::int64_t prefixes = 0, prefix_len = 0;
  std::uint64_t seed = 1;

  static constexpr std::string_view group = "Requests";
  static constexpr auto fields = std::tuple{
      QuestionField{"requests", &LoadQuestion::requests, "--requests", "FILE", kAnswer, "a.jsonl",
                    "Requests: JSON Lines or CSV of Orrery, vLLM, Mooncake, Azure, Splitwise, "
                    "Vidur, ShareGPT (docs/serving.md)"},
      QuestionField{"benchmark", &LoadQuestion::benchmark, "--benchmark", "FILE", kAnswer, "r.json",
                    "Result of vLLM's bench serve or SGLang's bench_serving, to compare"},
      QuestionField{"rate", &LoadQuestion::rate, "--rate,--request-rate", "N", kAnswer, "10",
                    "Requests per second; by default those of the file, or all at once"},
      QuestionField{"arrivals", &LoadQuestion::arrivals, "--arrivals", "NAME", kAnswer, "constant",
                    "How requests arrive, with --rate"}
          .shows_default(),
      QuestionField{"burstiness", &LoadQuestion::burstiness, "--burstiness", "N", kAnswer, "0.5",
                    "Shape of gamma arrivals; below 1: in bursts"}
          .advanced(),
      QuestionField{"num_prompts", &LoadQuestion::num_prompts, "--num-prompts", "N", kAnswer, "100",
                    "Requests; by default all of the file, or 1000"}
          .between(1, serving::kMaxRequests),
      QuestionField{"concurrency", &LoadQuestion::concurrency, "--max-concurrency,--concurrency",
                    "N", kAnswer, "16",
                    "Clients that each wait for their last request (closed loop)"}
          .between(1, serving::kMaxRequests),
      QuestionField{"input_len", &LoadQuestion::input_len, "--random-input-len,--input-len", "N",
                    kAnswer, "512", "Tokens of a prompt, without a file"}
          .between(1, serving::kMaxRequestTokens)
          .shows_default(),
      QuestionField{"output_len", &LoadQuestion::output_len, "--random-output-len,--output-len",
                    "N", kAnswer, "64", "Tokens of an output, without a file"}
          .between(1, serving::kMaxRequestTokens)
          .shows_default(),
      QuestionField{"range_ratio", &LoadQuestion::range_ratio, "--random-range-ratio", "SHARE",
                    kAnswer, "0.5", "Lengths are uniform in LENGTH x (1 - SHARE ... 1 + SHARE)"}
          .advanced(),
      QuestionField{"prefixes", &LoadQuestion::prefixes, "--prefixes", "N", kAnswer, "5",
                    "Distinct prefixes that requests share, without a file"}
          .between(1, 1 << 24)
          .advanced(),
      QuestionField{"prefix_len", &LoadQuestion::prefix_len, "--prefix-len", "N", kAnswer, "100",
                    "Tokens of each, part of the prompt"}
          .between(1, serving::kMaxRequestTokens)
          .advanced(),
      QuestionField{"seed", &LoadQuestion::seed, "--seed", "N", kAnswer, "2",
                    "Seed of the requests"}
          .advanced()};
};

struct InferQuestion {
  std::string model, gpu;
  std::int64_t instances = 0;  ///< 0: 1, or searched
  serving::Routing router = serving::Routing::round_robin;
  std::vector<std::string> set;
  EngineQuestion engine;
  LoadQuestion load;
  std::string slo, price, power;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"model", &InferQuestion::model, "--model", "NAME", kAnswer, "llama-3-8b",
                    "A model of the catalog (docs/reference/models.md)"}
          .required(),
      QuestionField{"gpu", &InferQuestion::gpu, "--gpu", "NAME", kAnswer, "h100-sxm",
                    "A device of the catalog; h100-sxm by default"},
      QuestionField{"instances", &InferQuestion::instances, "--instances", "N", kAnswer, "4",
                    "Instances of the engine behind a router; by default 1"}
          .between(1, 1 << 16),
      QuestionField{"router", &InferQuestion::router, "--router", "NAME", kAnswer, "least-loaded",
                    "How the router selects an instance"}
          .shows_default(),
      QuestionField{"set", &InferQuestion::set, "--set", "KEY=VALUE", kAnswer, "model.layers=2",
                    "Any key of the specification, e.g. kernels.fused=false"}
          .one_each()
          .advanced(),
      QuestionStruct{"load", &InferQuestion::load},
      QuestionStruct{"engine", &InferQuestion::engine},
      QuestionGroup{"Service"},
      QuestionField{"slo", &InferQuestion::slo, "--slo,--goodput", "LIMITS", kAnswer, "ttft=1s",
                    "Limits: ttft_p99=500ms,tpot_mean=30ms (itl, latency; p50, p90), or of each "
                    "request: ttft=500ms,tpot=30ms,share=0.95 (a share meets them; 0.99). Exit "
                    "code 1: missed"},
      QuestionField{"price", &InferQuestion::price, "--price", "PRICE", kAnswer, "2.5",
                    "Price of a device per hour, in any currency"},
      QuestionField{"power", &InferQuestion::power, "--power", "WATT", kAnswer, "100-700",
                    "Power of a device in W: catalog, 700, or idle and busy: 100-700"}
          .advanced()};
};

/// The memory of one device, in bytes.
struct ServingMemory {
  std::int64_t total = 0, weights = 0, activations = 0, context = 0, communicators = 0, cache = 0;
  std::int64_t token_bytes = 0;  ///< keys and values of one token
};

/// Parts of the time of a step, in seconds, at one size.
struct StepBreakdown {
  std::int64_t tokens = 0, sequences = 0, keys = 0;
  double kernels = 0, collectives = 0, head = 0, attention = 0, server = 0;

  [[nodiscard]] double total() const { return kernels + collectives + head + attention + server; }
};

/// A constant of the server's own time, and its source.
struct ServerConstant {
  std::string name;
  double seconds = 0;
  std::string source;  ///< "configured", "fitted: …", "assumed: …"
};

struct Inference {
  std::string model, gpu, engine;
  std::int64_t devices_per_instance = 1, instances = 1;
  std::string parallel;  ///< "tp 2 x dp 4, experts over 8"
  serving::ServingSetup setup;
  serving::RequestStream stream;
  std::string load;  ///< how requests arrive, in words
  serving::ServingRun run;
  serving::ServiceMetrics metrics;
  std::vector<MeasuredValue> measured;  ///< of LoadQuestion::benchmark
  serving::ServiceLimits limits;
  std::vector<serving::ServiceInterval> intervals;
  ServingMemory memory;
  StepBreakdown decode_step, prompt_step;  ///< a typical step of each kind
  std::vector<ServerConstant> server;
  double grid_error = 0;  ///< largest relative error of sampled steps: grid compared with exact
  std::size_t grid_points = 0;
  double power = 0;                    ///< W, all devices, mean over the run
  double energy_per_1e6 = 0;           ///< J per million tokens of outputs
  std::optional<double> price;         ///< of a device hour
  std::optional<double> cost_per_1e6;  ///< of outputs
  Findings findings;

  [[nodiscard]] std::int64_t devices() const { return devices_per_instance * instances; }
  [[nodiscard]] bool meets_limits() const { return serving::meets(metrics, limits); }
};

/// The question with the default device and sizes where it has none.
[[nodiscard]] InferQuestion with_default_sizes(InferQuestion question);

/// The requests of a question.
struct ServingLoad {
  serving::RequestStream stream;
  std::string words;                    ///< how they arrive
  std::vector<MeasuredValue> measured;  ///< of LoadQuestion::benchmark
};
/// Errc: usage, config_*, input_*, limit_exceeded.
[[nodiscard]] Result<ServingLoad> read_load(const LoadQuestion& question, Findings& findings);
/// Errc: usage (a request is longer than EngineQuestion::max_model_len).
[[nodiscard]] Result<void> check_longest(const InferQuestion& question,
                                         const serving::RequestStream& stream);

/// Serves the requests. Errc: usage, config_*, input_*, limit_exceeded (the model or a request does
/// not fit). `findings`: what is found before an error.
[[nodiscard]] Result<Inference> infer(const InferQuestion& question, Findings& findings);

/// "ttft_p99=500ms,tpot=30ms,share=0.95". Errc: usage.
[[nodiscard]] Result<serving::ServiceLimits> parse_limits(const std::string& text);

}  // namespace orrery::study
