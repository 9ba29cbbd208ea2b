// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/serving/engine_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/config/field.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/collective/library/library_machine.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::study {
namespace {

using platform::Architecture;
using serving::Engine;

/// Rows of queries that FlashAttention 2 computes for each sequence of a paged batch, also for one
/// query: kBlockM of run_mha_fwd_splitkv_dispatch (Dao-AILab/flash-attention, csrc/flash_attn/src/
/// flash_fwd_launch_template.h). vLLM calls it with a cache for prompts and decodes together; only
/// batches of decodes pack the heads of a group (csrc/flash_attn/flash_api.cpp,
/// seqlenq_ngroups_swapped).
constexpr std::int64_t kFlashAttention2Rows = 64;

// These constants follow from no data sheet or table. docs/serving.md lists the runs on which they
// were chosen.

/// Memory of CUDA's context and of what a server loads, without a collective library. Fitted to the
/// 2,588 blocks of vLLM 0.19 with Llama 3.1 8B on an RTX 4090, so that number is no test of it.
constexpr std::int64_t kServerContext = 430'000'000;

/// Time of a request before it is queued: HTTP, the way to the engine's process. Fitted to the
/// times to the first token of one run: vLLM on H100, Llama 2 7B, codegen at 5 requests/s.
constexpr double kRequestTime = 3e-3;

/// Time by which kernels overlap in a captured pass (its CUDA graph launches a kernel while the one
/// before it ends). Kernels of tables were measured one at a time. Fitted to the latency of the
/// same run, and chosen after its effect on the other runs was seen: none of them is independent of
/// it.
constexpr double kCapturedOverlap = 1.5e-6;

/// The same for each token of a prompt: reading and tokenizing its text. With the times of launches
/// below, chosen on every sixth of AIConfigurator's points (benchmarks/serving_points.py).
constexpr double kPromptTokenTime = 6e-6;

/// Time in which an engine's host launches a kernel outside of CUDA graphs: its own Python code and
/// that of PyTorch. Large prompts have such steps; with SGLang and TensorRT-LLM, all prompts.
constexpr double launch_time_of(Engine engine) { return engine == Engine::sglang ? 100e-6 : 40e-6; }

/// Time of vLLM between two steps if the next is not planned while one runs, and that of each
/// sequence of the step. Fitted to vLLM 0.12 on H100s, Qwen3 32B at tp 2 to 8.
constexpr double kSynchronousStep = 1.5e-3, kSynchronousSequence = 30e-6;

/// Steps of vLLM's CUDA graphs: 1, 2, 4, multiples of 8 up to 256 and of 16 above. The largest is
/// not above twice max_num_seqs, 512 and max_num_batched_tokens (config/vllm.py,
/// _set_cudagraph_sizes). The same sizes are assumed for SGLang and TensorRT-LLM, whose sizes
/// differ.
std::int64_t next_captured(std::int64_t tokens) {
  if (tokens <= 2) return tokens;
  if (tokens <= 4) return 4;
  return tokens <= 256 ? (tokens + 7) / 8 * 8 : (tokens + 15) / 16 * 16;
}
std::int64_t largest_captured(const serving::EngineOptions& options) {
  std::int64_t size =
      std::min({2 * options.max_num_seqs, std::int64_t{512}, options.max_num_batched_tokens});
  while (next_captured(size) > size) --size;
  return size;
}

/// Defaults of an engine on a device.
struct EngineDefaults {
  std::int64_t seqs = 256, tokens = 2048, block = 16;
  double memory = 0.9;
};

/// Sources: vLLM 0.19, engine/arg_utils.py (get_batch_defaults: 1,024 sequences and 8,192 tokens on
/// devices with 70 GiB or more except A100); SGLang 0.5, server_args.py (chunked_prefill_size by
/// memory; mem_fraction_static is 0.88 here, while SGLang subtracts memory for activations and
/// graphs that depends on the device, the chunk and tp); TensorRT-LLM 1.2, llmapi/llm_args.py
/// (max_batch_size, max_num_tokens, free_gpu_memory_fraction, tokens_per_block).
EngineDefaults defaults_of(Engine engine, const platform::DeviceEntry& device,
                           std::int64_t memory) {
  constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
  switch (engine) {
    case Engine::vllm:
    case Engine::static_batches: {
      const bool large = memory >= 70 * kGibibyte && device.architecture != Architecture::ampere;
      return large ? EngineDefaults{1024, 8192, 16, 0.9} : EngineDefaults{256, 2048, 16, 0.9};
    }
    case Engine::sglang: {
      const std::int64_t chunk = memory >= 160 * kGibibyte  ? 16384
                                 : memory >= 60 * kGibibyte ? 8192
                                 : memory >= 35 * kGibibyte ? 4096
                                                            : 2048;
      return {2048, chunk, 1, 0.88};
    }
    case Engine::trtllm:
      break;
  }
  return {2048, 8192, 32, 0.9};
}

Result<workload::Spec> spec_of(const InferQuestion& question, const ClusterSize& cluster,
                               Findings& findings) {
  const EngineQuestion& engine = question.engine;
  JobDescription job;
  if (workload::find_model(question.model) != nullptr)
    job.model = question.model;
  else
    job.spec = {question.model};
  job.tp = std::to_string(engine.tensor_parallel_size);
  job.dp = std::to_string(engine.data_parallel_size);
  // Copies of attention exchange tokens. The devices of a copy have the same tokens
  // (PassInputs::experts_over_tp).
  if (engine.enable_expert_parallel) job.ep = std::to_string(engine.data_parallel_size);
  if (engine.quantization == WeightFormat::fp8_block)
    job.set.insert(job.set.end(), {"precision.products=fp8", "precision.scaling=blockwise"});
  else
    job.precision = config::enum_name(engine.quantization);
  job.global_batch = job.dp;
  job.seq = "16";  // each pass has its own number of tokens
  // Engines copy heads of keys that are fewer than the devices: each device has one (vLLM,
  // model_executor/layers/linear.py, QKVParallelLinear, num_kv_head_replicas).
  if (const workload::ModelEntry* entry = workload::find_model(question.model);
      entry != nullptr && entry->model.kv_heads > 0 && !entry->model.mla &&
      entry->model.kv_heads < engine.tensor_parallel_size &&
      engine.tensor_parallel_size % entry->model.kv_heads == 0)
    job.set.push_back("model.kv_heads=" + job.tp);
  job.set.insert(job.set.end(), question.set.begin(), question.set.end());
  auto spec = specify(job, cluster, findings);
  if (!spec) {
    Error error = spec.error();
    if (job.model.empty() && error.code == Errc::config_not_found)
      error = {
          Errc::usage, "--model",
          fmt::format("{} is neither a model of the catalog nor a file", in_quotes(question.model)),
          "'orrery list models' lists the catalog; a file is Hugging Face's config.json"};
    return tl::unexpected(std::move(error));
  }
  if (engine.enable_expert_parallel && !spec->model.moe)
    return fail(Errc::usage, "--enable-expert-parallel", "the model has no experts",
                "leave the option out");
  return spec;
}

/// The devices of an instance as a cluster. A single device needs no network.
Result<platform::Platform> instance_platform(const std::string& gpu, std::int64_t devices,
                                             Findings& findings) {
  return platform::read_cluster(fmt::format("{}:{}", gpu, devices), findings);
}

Result<void> check_engine_question(const EngineQuestion& engine) {
  if (engine.gpu_memory_utilization < 0 || engine.gpu_memory_utilization > 1)
    return fail(Errc::usage, "--gpu-memory-utilization", "is a share from 0 to 1", "0.9");
  if (engine.data_parallel_size > 1 && !engine.enable_expert_parallel)
    return fail(Errc::usage, "--data-parallel-size",
                "shares experts, so it needs --enable-expert-parallel",
                "independent copies are --instances");
  if (engine.scheduler_recv_interval != EngineQuestion{}.scheduler_recv_interval &&
      engine.engine != Engine::sglang)
    return fail(Errc::usage, "--scheduler-recv-interval", "is an option of SGLang",
                "--engine sglang");
  return {};
}

/// The server's times: the given ones, else the known ones.
serving::ServerTime server_time(const EngineQuestion& engine, std::vector<ServerConstant>& named) {
  const auto choose = [&](const char* name, const std::optional<Duration>& given, double known,
                          const char* source) {
    const double seconds = given ? given->seconds : known;
    named.push_back({name, seconds, given ? "configured" : source});
    return Time(static_cast<std::int64_t>(seconds * 1e12 + 0.5));
  };
  const bool waits = engine.no_async_scheduling && engine.engine == Engine::vllm;
  const char* const between = waits ? "fitted to vLLM 0.12 on H100, Qwen3 32B"
                                    : "assumed: planned while the last step runs";
  serving::ServerTime time;
  time.step = choose("between steps", engine.step_time, waits ? kSynchronousStep : 0, between);
  time.sequence = choose("per sequence of a step", engine.sequence_time,
                         waits ? kSynchronousSequence : 0, between);
  time.request = choose("per request", engine.request_time, kRequestTime,
                        "fitted to vLLM on H100, Llama 2 7B at 5 requests/s");
  time.prompt_token = choose("per token of a prompt", engine.prompt_token_time, kPromptTokenTime,
                             "chosen on servers of docs/serving.md");
  time.launch = choose("launch of a kernel outside of graphs", engine.launch_time,
                       launch_time_of(engine.engine), "chosen on servers of docs/serving.md");
  named.push_back({"overlap of two kernels", kCapturedOverlap,
                   "chosen on the measured runs of docs/serving.md"});
  return time;
}

/// Usable bytes of a device.
std::int64_t memory_of(const platform::DeviceEntry& device) {
  return (device.usable > Bytes{} ? device.usable : device.memory).count();
}

/// The cache's share of the memory, by the engine's rule.
std::int64_t cache_bytes(Engine engine, double share, const ServingMemory& memory) {
  const auto of = [&](double bytes) { return static_cast<std::int64_t>(bytes); };
  const std::int64_t other = memory.context + memory.communicators;
  const auto total = static_cast<double>(memory.total);
  switch (engine) {
    case Engine::vllm:
    case Engine::static_batches:
      // vLLM, v1/worker/gpu_worker.py (determine_available_memory).
      return of(total * share) - memory.weights - memory.activations - other;
    case Engine::sglang:
      // SGLang, model_executor/model_runner.py (profile_max_num_token): activations use the rest.
      return of(total * share) - memory.weights - other;
    case Engine::trtllm:
      break;
  }
  // TensorRT-LLM: a share of what is free after a first pass.
  return of(share *
            static_cast<double>(memory.total - memory.weights - memory.activations - other));
}

/// The forward pass of the engine on its devices.
Result<std::shared_ptr<const serving::ForwardPass>> make_pass(const InferQuestion& question,
                                                              const std::string& gpu,
                                                              const platform::DeviceEntry& device,
                                                              Findings& findings,
                                                              const EngineSetup& setup) {
  const EngineQuestion& asked = question.engine;
  const Engine engine = asked.engine;
  platform::Platform platform;
  ClusterSize cluster{setup.devices, gpu, {gpu, 1}};
  serving::PassInputs inputs;
  if (setup.devices > 1) {
    auto read = instance_platform(gpu, setup.devices, findings);
    if (!read) return tl::unexpected(read.error());
    platform = *std::move(read);
    cluster = size_of(platform, gpu);
    auto library = model::make_library_times(platform);
    if (!library) return tl::unexpected(library.error());
    inputs.library = *std::move(library);
    inputs.node = std::max<std::int64_t>(cluster.machine.domain, 1);
  }
  auto spec = spec_of(question, cluster, findings);
  if (!spec) return tl::unexpected(spec.error());
  inputs.spec = *std::move(spec);
  inputs.kernels = model::kernel_models({});
  inputs.silicon = model::silicon_of(device);
  inputs.overlap = Time(static_cast<std::int64_t>(kCapturedOverlap * 1e12));
  inputs.captured = largest_captured(setup.options);
  inputs.captured_prompts = engine == Engine::vllm || engine == Engine::static_batches;
  inputs.launch = setup.options.server.launch;
  inputs.experts_over_tp = asked.enable_expert_parallel && asked.tensor_parallel_size > 1;
  inputs.all_reduce = serving::all_reduce_curve(gpu, engine, asked.tensor_parallel_size);
  if (inputs.spec.model.moe)
    inputs.experts = serving::ExpertTimes::of(gpu, engine, config::enum_name(asked.quantization));
  // NVIDIA's checkpoints of DeepSeek and Kimi in NVFP4 have attention in bf16
  // (hf_quant_config.json, exclude_modules: self_attn).
  inputs.plain_latent_products = asked.quantization == WeightFormat::nvfp4;
  inputs.fp8_cache =
      asked.kv_cache_dtype == CacheFormat::fp8 || asked.kv_cache_dtype == CacheFormat::int8;
  const Architecture architecture = device.architecture;
  if (engine == Engine::vllm &&
      (architecture == Architecture::ampere || architecture == Architecture::ada ||
       architecture == Architecture::rtx_blackwell))
    inputs.mixed_rows = kFlashAttention2Rows;
  return serving::ForwardPass::make(std::move(inputs));
}

Result<void> set_pass(const InferQuestion& question, const std::string& gpu,
                      const platform::DeviceEntry& device, Findings& findings, EngineSetup& setup,
                      SharedPasses* shared) {
  SharedPasses own;
  std::shared_ptr<const serving::ForwardPass>& known =
      (shared != nullptr ? *shared : own)[largest_captured(setup.options)];
  if (known == nullptr) {
    auto pass = make_pass(question, gpu, device, findings, setup);
    if (!pass) return tl::unexpected(pass.error());
    known = *std::move(pass);
  }
  setup.pass = known;
  setup.parts = serving::ForwardPass::parts(setup.pass);
  setup.parts.padded = [largest = largest_captured(setup.options)](std::int64_t tokens) {
    return tokens <= largest ? next_captured(tokens) : tokens;
  };
  return {};
}

std::int64_t given(std::int64_t value, std::int64_t known) { return value > 0 ? value : known; }

void set_options(const EngineQuestion& asked, const EngineDefaults& defaults, EngineSetup& setup) {
  const Engine engine = asked.engine;
  serving::EngineOptions& options = setup.options;
  options.engine = engine;
  options.max_num_seqs = given(asked.max_num_seqs, defaults.seqs);
  options.max_num_batched_tokens = given(asked.max_num_batched_tokens, defaults.tokens);
  options.long_prefill_token_threshold = asked.long_prefill_token_threshold;
  options.scheduler_recv_interval = asked.scheduler_recv_interval;
  options.enable_chunked_prefill = !asked.no_chunked_prefill;
  options.enable_prefix_caching = !asked.no_prefix_caching && engine != Engine::static_batches;
  options.async_scheduling = !asked.no_async_scheduling && engine != Engine::static_batches;
  options.server = server_time(asked, setup.server);
  setup.block_tokens = given(asked.block_size, defaults.block);
}

/// Errc: limit_exceeded if nothing is left for the cache.
Result<void> set_memory(const EngineQuestion& asked, const std::string& gpu, double share,
                        EngineSetup& setup) {
  const serving::EngineOptions& options = setup.options;
  ServingMemory& memory = setup.memory;
  memory.weights = setup.pass->weight_bytes();
  memory.activations =
      setup.pass->activation_bytes(options.max_num_batched_tokens,
                                   std::min(options.max_num_seqs, options.max_num_batched_tokens));
  memory.context = kServerContext;
  memory.communicators = setup.devices > 1 ? reserved_memory(gpu).communicator : 0;
  memory.token_bytes = setup.pass->token_bytes();
  memory.cache = cache_bytes(options.engine, share, memory) -
                 options.max_num_seqs * setup.pass->window_bytes();
  const std::int64_t block_bytes = memory.token_bytes * setup.block_tokens;
  setup.blocks = asked.num_gpu_blocks > 0 ? asked.num_gpu_blocks
                                          : std::max<std::int64_t>(memory.cache, 0) / block_bytes;
  if (setup.blocks > 0) return {};
  return fail(
      Errc::limit_exceeded, "--gpu",
      fmt::format(
          "{} of {} leave no memory for the cache of keys and values: weights {}, "
          "activations {}, context and buffers {}",
          format_bytes(Bytes(static_cast<std::int64_t>(share * static_cast<double>(memory.total)))),
          gpu, gigabytes(memory.weights), gigabytes(memory.activations),
          gigabytes(memory.context + memory.communicators)),
      "more devices (--tensor-parallel-size), 8-bit weights (--quantization fp8) or fewer "
      "tokens in a step (--max-num-batched-tokens, --max-num-seqs)");
}

}  // namespace

Result<serving::EngineOptions> engine_options(const InferQuestion& question) {
  const auto device = catalog_device(question.gpu);
  if (!device) return tl::unexpected(device.error());
  EngineSetup setup;
  set_options(question.engine, defaults_of(question.engine.engine, **device, memory_of(**device)),
              setup);
  return setup.options;
}

Result<bool> has_experts(const InferQuestion& question) {
  InferQuestion small = question;
  small.engine.tensor_parallel_size = small.engine.data_parallel_size = 1;
  Findings ignored;
  const auto spec = spec_of(small, {1, small.gpu, {small.gpu, 1}}, ignored);
  if (!spec) return tl::unexpected(spec.error());
  return spec->model.moe.has_value();
}

serving::ServingSetup serving_setup(const InferQuestion& question, const EngineSetup& engine) {
  return {engine.options, question.instances * question.engine.data_parallel_size, question.router,
          engine.blocks, engine.block_tokens};
}

Result<EngineSetup> set_up_engine(const InferQuestion& question, Findings& findings,
                                  SharedPasses* shared) {
  const EngineQuestion& asked = question.engine;
  if (auto fine = check_engine_question(asked); !fine) return tl::unexpected(fine.error());
  const std::string& gpu = question.gpu;
  const auto device = catalog_device(gpu);
  if (!device) return tl::unexpected(device.error());
  EngineSetup setup;
  setup.devices = asked.tensor_parallel_size * asked.data_parallel_size;
  setup.device_power = (*device)->power_w;
  setup.memory.total = memory_of(**device);
  const EngineDefaults defaults = defaults_of(asked.engine, **device, setup.memory.total);
  set_options(asked, defaults, setup);
  if (auto made = set_pass(question, gpu, **device, findings, setup, shared); !made)
    return tl::unexpected(made.error());
  const double share =
      asked.gpu_memory_utilization > 0 ? asked.gpu_memory_utilization : defaults.memory;
  if (auto fits = set_memory(asked, gpu, share, setup); !fits) return tl::unexpected(fits.error());
  return setup;
}

}  // namespace orrery::study
