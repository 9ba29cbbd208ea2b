// SPDX-License-Identifier: Apache-2.0
//
// Writes the inputs of run_commands.sh into a folder: one sub-folder per case, in ASTRA-sim's
// formats.
//
// Usage: make_inputs FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "orrery/trace/chakra/records/writer.h"

namespace {

namespace fs = std::filesystem;
using namespace orrery;
using namespace orrery::trace::chakra;

constexpr std::uint64_t kComp = 4;
constexpr std::uint64_t kSend = 5;
constexpr std::uint64_t kRecv = 6;
constexpr std::uint64_t kColl = 7;

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string system_json(int splits, const std::string& algorithms) {
  std::string text =
      R"({"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": )" +
      std::to_string(splits > 1 && algorithms.find(',') != std::string::npos ? splits : 1) +
      R"(, "preferred-dataset-splits": )" + std::to_string(splits) + ",\n";
  for (const char* type : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"})
    text += std::string("\"") + type + "-implementation\": [" + algorithms + "],\n";
  return text + R"("collective-optimization": "localBWAware", "local-mem-bw": 1600})" + "\n";
}

void configurations(const fs::path& folder, int splits, const std::string& algorithms,
                    const std::string& network) {
  fs::create_directories(folder / "workload");
  put(folder / "system.json", system_json(splits, algorithms));
  put(folder / "network.yml", network);
  put(folder / "memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n");
}

std::string trace_path(const fs::path& folder, std::uint32_t rank) {
  return (folder / "workload" / ("wl." + std::to_string(rank) + ".et")).string();
}

NodeRecord node(std::uint64_t id, std::uint64_t type, std::string name) {
  NodeRecord out;
  out.id = id;
  out.type = type;
  out.name = std::move(name);
  out.attributes.push_back(attribute_bool("is_cpu_op", false));
  return out;
}

/// One trace per rank, all with the same bytes.
Result<void> one_all_reduce(const fs::path& folder, std::uint32_t ranks, std::int64_t size) {
  NodeRecord coll = node(1, kColl, "all_reduce");
  coll.attributes.push_back(attribute_int64("comm_type", 0));
  coll.attributes.push_back(attribute_int64("comm_size", size));
  TraceRecords trace;
  trace.metadata.emplace().version = kVersion;
  trace.nodes = {coll};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (auto done = write_records(trace_path(folder, rank), trace, {.force = true}); !done)
      return done;
  }
  return {};
}

/// Ranks begin at different times. Each then sends one message after another, each to another rank.
Result<void> drifting(const fs::path& folder, std::uint32_t ranks, std::uint32_t messages) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    TraceRecords trace;
    trace.metadata.emplace().version = kVersion;
    NodeRecord compute = node(1, kComp, "compute");
    compute.duration_micros = 1 + 7919 * rank % ranks;
    trace.nodes.push_back(compute);
    const auto message = [&](std::uint64_t id, std::uint64_t type, std::uint32_t from,
                             std::uint32_t to, std::uint32_t m, std::uint64_t after) {
      NodeRecord out = node(id, type, type == kSend ? "send" : "receive");
      out.data_deps = {after};
      out.attributes.push_back(
          attribute_int64("comm_size", 1000 + 13 * std::int64_t{from} + 101 * std::int64_t{m}));
      out.attributes.push_back(attribute_int32("comm_src", static_cast<std::int32_t>(from)));
      out.attributes.push_back(attribute_int32("comm_dst", static_cast<std::int32_t>(to)));
      out.attributes.push_back(attribute_int32("comm_tag", static_cast<std::int32_t>(m)));
      trace.nodes.push_back(std::move(out));
    };
    for (std::uint32_t m = 0; m < messages; ++m) {
      message(10 + 3 * m, kSend, rank, (rank + 1 + m) % ranks, m, m == 0 ? 1 : 10 + 3 * (m - 1));
      message(11 + 3 * m, kRecv, (rank + 2 * ranks - 1 - m) % ranks, rank, m, 1);
    }
    if (auto done = write_records(trace_path(folder, rank), trace, {.force = true}); !done)
      return done;
  }
  return {};
}

/// A million nodes on ranks with different times. Each rank repeats two computations, and an
/// all-reduce that overlaps a third one.
Result<void> million_steps(const fs::path& folder, std::uint32_t ranks) {
  const std::uint64_t steps = 1'000'000 / 4 / ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    TraceRecords trace;
    trace.metadata.emplace().version = kVersion;
    const auto compute = [&](std::uint64_t id, const char* name, std::uint64_t micros) {
      NodeRecord out = node(id, kComp, name);
      out.duration_micros = micros;
      trace.nodes.push_back(std::move(out));
    };
    for (std::uint64_t step = 0; step < steps; ++step) {
      const std::uint64_t id = 4 * step;
      compute(id, "forward", 10 + (rank * 389 + step * 3) % 1009 % 37);
      if (step > 0) trace.nodes.back().data_deps = {id - 1, id - 2};
      compute(id + 1, "backward", 20 + (rank * 5 + step) % 13);
      trace.nodes.back().data_deps = {id};
      NodeRecord coll = node(id + 2, kColl, "gradients");
      coll.attributes.push_back(attribute_int64("comm_type", 0));
      coll.attributes.push_back(attribute_int64("comm_size", 1 << 20));
      coll.data_deps = {id + 1};
      trace.nodes.push_back(std::move(coll));
      compute(id + 3, "optimizer", 5);
      trace.nodes.back().data_deps = {id + 1};
    }
    if (auto done = write_records(trace_path(folder, rank), trace, {.force = true}); !done)
      return done;
  }
  return {};
}

/// A chain of a million nodes with names and attributes as a generator writes them.
Result<void> a_million_nodes(const fs::path& folder) {
  fs::create_directories(folder);
  auto writer = TraceWriter::create((folder / "million.et").string(), {.force = true});
  if (!writer) return tl::unexpected(writer.error());
  MetadataRecord metadata;
  metadata.version = kVersion;
  if (auto done = writer->write(metadata); !done) return done;
  for (std::uint64_t id = 0; id < 1'000'000; ++id) {
    NodeRecord out =
        node(id, kComp, "mb0.transformer." + std::to_string(id % 1000) + ".norm@0_COMP");
    if (id > 0) out.data_deps.push_back(id - 1);
    if (id > 8) out.ctrl_deps.push_back(id - 8);
    out.duration_micros = 3 + id % 17;
    out.attributes.push_back(
        attribute_int64("num_ops", static_cast<std::int64_t>(1'000'000 + id % 1000)));
    out.attributes.push_back(attribute_uint64("tensor_size", 4096 * (1 + id % 1000)));
    out.attributes.push_back(attribute_string("op_type", "E"));
    out.attributes.push_back(
        attribute_strings("inputs", {"mb0.x" + std::to_string(id % 1000), "134217728.0"}));
    if (auto done = writer->write(out); !done) return done;
  }
  return writer->close();
}

Result<void> make_all(const fs::path& root) {
  const std::string three = R"("ring", "direct", "halvingDoubling")";
  const auto three_dims = [](const char* sizes) {
    return std::string("topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ ") + sizes +
           " ]\nbandwidth: [ 200.0, 100.0, 50.0 ]\nlatency: [ 500.0, 500.0, 500.0 ]\n";
  };
  for (const int splits : {1, 4}) {
    for (const std::uint32_t ranks : {4096u, 16384u}) {
      const fs::path folder =
          root / ("rfs_" + std::to_string(ranks) + "_" + std::to_string(splits));
      configurations(folder, splits, three,
                     three_dims(ranks == 4096 ? "16, 16, 16" : "32, 32, 16"));
      if (auto done = one_all_reduce(folder, ranks, std::int64_t{1} << 30); !done) return done;
    }
  }
  const auto one_dim = [](const char* block, const char* size) {
    return std::string("topology: [ ") + block + " ]\nnpus_count: [ " + size +
           " ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
  };
  configurations(root / "ring_1024_4", 4, R"("ring")", one_dim("Ring", "1024"));
  if (auto done = one_all_reduce(root / "ring_1024_4", 1024, 64 << 20); !done) return done;
  configurations(root / "drifting_4096_32", 1, R"("ring")", one_dim("Switch", "4096"));
  if (auto done = drifting(root / "drifting_4096_32", 4096, 32); !done) return done;
  for (const char* ranks : {"64", "1024"}) {
    const fs::path folder = root / (std::string("steps_") + ranks);
    configurations(folder, 1, R"("halvingDoubling")", one_dim("Switch", ranks));
    const auto count = static_cast<std::uint32_t>(std::stoul(ranks));
    if (auto done = million_steps(folder, count); !done) return done;
  }
  return a_million_nodes(root / "million");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_inputs FOLDER\n", stderr);
    return 2;
  }
  const auto done = make_all(argv[1]);
  if (!done) std::fprintf(stderr, "make_inputs: %s\n", to_string(done.error()).c_str());
  return done ? 0 : 1;
}
