# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def infer(
    *,
    model: Optional[Value] = None,
    gpu: Optional[Value] = None,
    instances: Optional[int] = None,
    router: Optional[Value] = None,
    set: Union[Value, Sequence[Value], None] = None,
    requests: Optional[Value] = None,
    benchmark: Optional[Value] = None,
    rate: Optional[float] = None,
    arrivals: Optional[Value] = None,
    burstiness: Optional[float] = None,
    num_prompts: Optional[int] = None,
    max_concurrency: Optional[int] = None,
    random_input_len: Optional[int] = None,
    random_output_len: Optional[int] = None,
    random_range_ratio: Optional[float] = None,
    prefixes: Optional[int] = None,
    prefix_len: Optional[int] = None,
    seed: Optional[int] = None,
    engine: Optional[Value] = None,
    tensor_parallel_size: Optional[int] = None,
    data_parallel_size: Optional[int] = None,
    enable_expert_parallel: Optional[bool] = None,
    quantization: Optional[Value] = None,
    kv_cache_dtype: Optional[Value] = None,
    max_num_seqs: Optional[int] = None,
    max_num_batched_tokens: Optional[int] = None,
    max_model_len: Optional[int] = None,
    gpu_memory_utilization: Optional[float] = None,
    no_enable_prefix_caching: Optional[bool] = None,
    no_enable_chunked_prefill: Optional[bool] = None,
    no_async_scheduling: Optional[bool] = None,
    long_prefill_token_threshold: Optional[int] = None,
    block_size: Optional[int] = None,
    num_gpu_blocks_override: Optional[int] = None,
    scheduler_recv_interval: Optional[int] = None,
    step_time: Optional[Value] = None,
    sequence_time: Optional[Value] = None,
    request_time: Optional[Value] = None,
    prompt_token_time: Optional[Value] = None,
    launch_time: Optional[Value] = None,
    slo: Optional[Value] = None,
    price: Optional[Value] = None,
    power: Optional[Value] = None,
    search: Optional[bool] = None,
    objective: Optional[Value] = None,
    top: Optional[int] = None,
    simulated: Optional[int] = None,
    threads: Optional[int] = None,
    perfetto: Optional[Value] = None,
    records: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Predict latencies, throughput and cost of serving a model: `orrery infer`.

    model: A model of the catalog (docs/reference/models.md).
    gpu: A device of the catalog; h100-sxm by default.
    instances: Instances of the engine behind a router; by default 1. Default: 0.
    router: How the router selects an instance. One of round-robin, least-loaded, prefix-aware.
        Default: round-robin.
    set: Any key of the specification, e.g. kernels.fused=false.
    requests: Requests: JSON Lines or CSV of Orrery, vLLM, Mooncake, Azure, Splitwise, Vidur,
        ShareGPT (docs/serving.md).
    benchmark: Result of vLLM's bench serve or SGLang's bench_serving, to compare.
    rate: Requests per second; by default those of the file, or all at once. Default: 0.
    arrivals: How requests arrive, with --rate. One of constant, poisson, gamma. Default: poisson.
    burstiness: Shape of gamma arrivals; below 1: in bursts. Default: 1.
    num_prompts: Requests; by default all of the file, or 1000. Default: 0.
    max_concurrency: Clients that each wait for their last request (closed loop). Default: 0.
    random_input_len: Tokens of a prompt, without a file. Default: 1024.
    random_output_len: Tokens of an output, without a file. Default: 128.
    random_range_ratio: Lengths are uniform in LENGTH x (1 - SHARE ... 1 + SHARE). Default: 0.
    prefixes: Distinct prefixes that requests share, without a file. Default: 0.
    prefix_len: Tokens of each, part of the prompt. Default: 0.
    seed: Seed of the requests. Default: 1.
    engine: The engine whose scheduler and defaults are used. One of vllm, sglang, trtllm, static.
        Default: vllm.
    tensor_parallel_size: Devices over which each layer is split; by default 1. Default: 0.
    data_parallel_size: Copies of attention that share the experts; by default 1. Default: 0.
    enable_expert_parallel: Each device has some of the experts, not a part of each.
    quantization: Format of weights and matrix products. One of bf16, fp8, fp8_block, mxfp8, nvfp4.
        Default: bf16.
    kv_cache_dtype: Format of keys and values; auto is bf16. One of auto, bf16, fp8, int8. Default:
        auto.
    max_num_seqs: Sequences of a step; by default the engine's. Default: 0.
    max_num_batched_tokens: Tokens of a step; by default the engine's. Default: 0.
    max_model_len: Longest request, prompt and output; by default what the cache holds. Default: 0.
    gpu_memory_utilization: Share of the memory for the server (TensorRT-LLM: of the free memory,
        for the cache); by default the engine's. Default: 0.
    no_enable_prefix_caching: Computes shared prefixes again.
    no_enable_chunked_prefill: A step computes complete prompts only.
    no_async_scheduling: Plans a step when the last one has ended.
    long_prefill_token_threshold: Tokens of a prompt in one step; by default only limited by the
        step. Default: 0.
    block_size: Tokens of a block of the cache; by default the engine's. Default: 0.
    num_gpu_blocks_override: Blocks of the cache; by default what the memory holds. Default: 0.
    scheduler_recv_interval: SGLang: decode steps between two looks at the queue of new requests.
        Default: 1.
    step_time: Time of the server between two steps; docs/serving.md has the default. A duration:
        90d.
    sequence_time: The same, for each sequence of a step. A duration: 90d.
    request_time: Time of the server before a request is queued; docs/serving.md has the default. A
        duration: 90d.
    prompt_token_time: The same, for each token of the prompt. A duration: 90d.
    launch_time: Time of the host to launch a kernel outside of CUDA graphs; docs/serving.md has the
        defaults. A duration: 90d.
    slo: Limits: ttft_p99=500ms,tpot_mean=30ms (itl, latency; p50, p90), or of each request:
        ttft=500ms,tpot=30ms,share=0.95 (a share meets them; 0.99). Exit code 1: missed.
    price: Price of a device per hour, in any currency.
    power: Power of a device in W: catalog, 700, or idle and busy: 100-700.
    search: Finds what options leave open to meet --slo; so do several --gpu.
    objective: What the search minimizes: devices, or cost per hour; auto: cost if there are prices.
        One of auto, devices, cost. Default: auto.
    top: Number of setups to show. Default: 10.
    simulated: Number of setups with the best estimates to simulate. Default: 20.
    threads: Number of threads; 0: all cores. Default: 0.
    perfetto: A timeline for ui.perfetto.dev.
    records: Write an SQLite database: a row for each request and each step.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "infer", question, keep_run=keep_run, progress=progress)

