// SPDX-License-Identifier: Apache-2.0
//
// Reading a trace of a million nodes: bytes per second, and resident bytes per node.
//
// Three shapes of node: as PyTorch's converter writes them (printed tensors, nine attributes), as
// STAGE writes them (tensor lists, FLOPs), and the least a simulator needs.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"

namespace {

namespace fs = std::filesystem;
using namespace orrery;
using namespace orrery::trace::chakra;

constexpr std::uint64_t kNodes = 1'000'000;

enum Shape : int { converter, stage, plain };

NodeRecord make_node(Shape shape, std::uint64_t id) {
  NodeRecord node;
  node.id = id * (shape == converter ? 2 : 1);  // the converter leaves gaps
  const std::uint64_t step = shape == converter ? 2 : 1;
  const std::uint64_t layer = id % 1000;
  const bool collective = id % 20 == 19;
  node.type = collective ? 7 : 4;
  if (id > 0) node.data_deps.push_back((id - 1) * step);
  if (id > 8) node.ctrl_deps.push_back((id - 8) * step);
  node.duration_micros = 3 + layer % 17;
  if (shape == stage) {
    node.name = "mb0.transformer." + std::to_string(layer) + ".norm@0_COMP";
    node.attributes.push_back(
        attribute_strings("inputs", {"mb0.x" + std::to_string(layer), "134217728.0"}));
    node.attributes.push_back(
        attribute_strings("outputs", {"mb0.y" + std::to_string(layer), "134217728.0"}));
    node.attributes.push_back(attribute_string("op_type", "E"));
  } else if (shape == converter) {
    node.name = "aten::convolution_backward_" + std::to_string(layer);
    node.inputs =
        IoRecord{"[[5, 1, 0, 32768, 4, 'cuda:0'], 0, 6, '<None>']", "[[[32768]], [], [], []]",
                 "['Tensor(float)', 'Int', 'Int', 'None']", ""};
    node.outputs =
        IoRecord{"[[5, 1, 0, 32768, 4, 'cuda:0']]", "[[32768]]", "['Tensor(float)']", ""};
    for (const char* name : {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "stream"}) {
      node.attributes.push_back(attribute_int64(name, static_cast<std::int64_t>(id % 5000)));
    }
    node.attributes.push_back(
        attribute_string("op_schema", "aten::add(Tensor self, Tensor other) -> Tensor"));
  } else {
    node.name = "n" + std::to_string(layer);
  }
  node.attributes.push_back(attribute_bool("is_cpu_op", false));
  if (collective) {
    node.attributes.push_back(attribute_int64("comm_type", 0));
    node.attributes.push_back(attribute_int64("comm_size", 1 << 20));
  } else if (shape != converter) {
    node.attributes.push_back(
        attribute_int64("num_ops", static_cast<std::int64_t>(1'000'000 + layer)));
    node.attributes.push_back(attribute_uint64("tensor_size", 4096 * layer));
  }
  return node;
}

/// The file, made once per shape and removed when the program ends.
class TraceFile {
 public:
  explicit TraceFile(Shape shape)
      : path_(
            (fs::temp_directory_path() / ("orrery_read_benchmark_" + std::to_string(shape) + ".et"))
                .string()) {
    auto writer = TraceWriter::create(path_, {.force = true});
    MetadataRecord metadata;
    metadata.version = kVersion;
    bool good = writer && writer->write(metadata);
    for (std::uint64_t id = 0; good && id < kNodes; ++id)
      good = writer->write(make_node(shape, id)).has_value();
    if (!good || !writer->close()) std::abort();
  }
  ~TraceFile() { fs::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const TraceFile& trace_file(Shape shape) {
  static const TraceFile files[] = {TraceFile(converter), TraceFile(stage), TraceFile(plain)};
  return files[shape];
}

void read_trace(benchmark::State& state) {
  const std::string& path = trace_file(static_cast<Shape>(state.range(0))).path();
  double per_node = 0;
  double edges = 0;
  for (auto _ : state) {
    Findings findings;
    const auto graph =
        load_rank(path, std::make_shared<StringPool>(), graph::Repair::refuse, findings);
    if (!graph) {
      state.SkipWithError(to_string(graph.error()).c_str());
      return;
    }
    const double edge_bytes = static_cast<double>(graph->edge_count()) * sizeof(graph::NodeId);
    per_node = (static_cast<double>(graph->resident_bytes()) - edge_bytes) /
               static_cast<double>(graph->size());
    edges = static_cast<double>(graph->edge_count());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(fs::file_size(path)) * state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(kNodes) * state.iterations());
  state.counters["file_MB"] = static_cast<double>(fs::file_size(path)) / 1e6;
  state.counters["bytes_per_node"] = per_node;
  state.counters["edges"] = edges;
  state.SetLabel(state.range(0) == converter ? "converter"
                 : state.range(0) == stage   ? "stage"
                                             : "plain");
}

BENCHMARK(read_trace)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
