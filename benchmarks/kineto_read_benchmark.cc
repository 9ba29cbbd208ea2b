// SPDX-License-Identifier: Apache-2.0
//
// Reading Kineto traces: bytes per second, and resident bytes per event. The generated text has the
// form of a training step in PyTorch 2.4: operators with shapes, calls, kernels and the flow events
// between them. The environment variable KINETO_TRACE names a file to read instead.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "orrery/trace/io/json_document.h"
#include "orrery/trace/kineto/reader.h"

namespace {

using namespace orrery;

constexpr int kSteps = 20'000;

/// "4458676522690.655" and so on: microseconds with three digits.
std::string time(std::int64_t ns) {
  const std::string digits = std::to_string(ns % 1000 + 1000);
  return std::to_string(ns / 1000) + "." + digits.substr(1);
}

void add_step(int i, std::string& out) {
  const std::int64_t now = 4'458'676'522'690'655 + std::int64_t{i} * 40'000;
  const std::string id = std::to_string(i), correlation = std::to_string(i + 500'000);
  const std::string host = R"("pid": 2910249, "tid": 2919752, "ts": )";
  const auto event = [&out](std::string_view text) {
    out += out.back() == '[' ? "\n  {\n    " : ",\n  {\n    ";
    out += text;
    out += "\n  }";
  };
  const std::string layer = std::to_string(i % 97 + 1);
  event(R"("ph": "X", "cat": "cpu_op", "name": "aten::convolution_backward", )" + host + time(now) +
        R"(, "dur": 156.777,
    "args": {
      "External id": )" +
        id + R"(,"Record function id": )" + id +
        R"(, "Sequence number": 1080, "Fwd thread id": 1, "Input Dims": [[)" + layer +
        R"(, 2048], [2048, 1000], []], "Input type": ["float", "float", ""], "Ev Idx": )" + id +
        "\n    }");
  event(R"("ph": "X", "cat": "cpu_op", "name": "aten::mm", )" + host + time(now + 2'500) +
        R"(, "dur": 56.7,
    "args": {
      "External id": )" +
        id + R"(,"Record function id": )" + id + R"(, "Ev Idx": )" + id + "\n    }");
  event(R"("ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", )" + host +
        time(now + 5'000) + R"(, "dur": 7.577,
    "args": {
      "External id": )" +
        id + R"(, "cbid": 211, "correlation": )" + correlation + "\n    }");
  event(R"("ph": "s", "id": )" + correlation + ", " + host + time(now + 5'000) +
        ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"");
  event(
      R"j("ph": "X", "cat": "kernel", "name": "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 32, true, )j" +
      layer +
      R"j(>(float, float, float, float, cudnnTensorStruct, float const*)", "pid": 0, "tid": 7, "ts": )j" +
      time(now + 15'000) + R"(, "dur": 41.407,
    "args": {
      "External id": )" +
      id + R"(, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": )" +
      correlation +
      R"(, "registers per thread": 40, "shared memory": 400, "blocks per SM": 4.740741, "warps per SM": 75.851852, "grid": [512, 1, )" +
      layer + R"(], "block": [512, 1, 1], "est. achieved occupancy %": 75
    })");
  event(R"("ph": "f", "id": )" + correlation + R"(, "pid": 0, "tid": 7, "ts": )" +
        time(now + 15'000) + ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"");
}

const std::string& trace() {
  static const std::string text = [] {
    if (const char* path = std::getenv("KINETO_TRACE")) {
      std::ifstream file(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    }
    std::string out = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [";
    for (int i = 0; i < kSteps; ++i) add_step(i, out);
    return out + "\n  ],\n  \"baseTimeNanoseconds\": 1711964646000000000\n}\n";
  }();
  return text;
}

void split(benchmark::State& state) {
  const auto bytes = std::as_bytes(std::span(trace().data(), trace().size()));
  for (auto _ : state) {
    Findings findings;
    trace::MemorySource source(bytes);
    trace::json::Document document(source, "b.json", findings);
    while (document.next().value_or(false)) {
      if (document.key() != "traceEvents") continue;
      benchmark::DoNotOptimize(
          document.for_each_element([](auto&, std::uint64_t) { return true; }));
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * trace().size()));
}
BENCHMARK(split)->Unit(benchmark::kMillisecond);

void read(benchmark::State& state) {
  const auto bytes = std::as_bytes(std::span(trace().data(), trace().size()));
  double per_event = 0;
  for (auto _ : state) {
    Findings findings;
    auto profile = trace::kineto::read(std::make_unique<trace::MemorySource>(bytes),
                                       {"b.json", std::make_shared<StringPool>()}, findings);
    if (!profile) {
      state.SkipWithError(to_string(profile.error()).c_str());
      return;
    }
    per_event = static_cast<double>(profile->resident_bytes()) /
                static_cast<double>(profile->events.size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * trace().size()));
  state.counters["bytes_per_event"] = per_event;
}
BENCHMARK(read)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
