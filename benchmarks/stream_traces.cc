// SPDX-License-Identifier: Apache-2.0
//
// Writes traces of different ranks that are larger than memory, and simulates them.
//
// Usage: stream_traces write PREFIX RANKS NODES    NODES for each rank
//        stream_traces run PREFIX                  graphs in memory
//        stream_traces run PREFIX FOLDER MB        graphs beyond MB go to a file in FOLDER
#include <cstdio>
#include <cstdlib>
#include <string>

#include "orrery/sim/simulate.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"

namespace {

using namespace orrery;
using namespace orrery::trace::chakra;

constexpr std::uint64_t kComp = 4;
constexpr std::uint64_t kColl = 7;
constexpr std::uint64_t kLayer = 40;  // nodes between two all-reduces

/// Computations in two chains, with an all-reduce every kLayer nodes. Ranks differ in the duration
/// of the first computation, so all their later times differ.
NodeRecord node(std::uint64_t id, std::uint64_t rank) {
  NodeRecord out;
  out.id = id;
  const std::uint64_t place = id % kLayer;
  const bool coll = place == kLayer - 1;
  out.type = coll ? kColl : kComp;
  out.name = (coll ? "gradients." : "layer.") + std::to_string(id / kLayer % 80) + "." +
             std::to_string(place);
  out.attributes.push_back(attribute_bool("is_cpu_op", false));
  if (id > 0) out.data_deps.push_back(id - 1);
  if (id > 2) out.data_deps.push_back(id - 3);
  if (coll) {
    out.attributes.push_back(attribute_int64("comm_type", 0));
    out.attributes.push_back(attribute_int64("comm_size", std::int64_t{1} << 20));
  } else {
    out.duration_micros = id == 0 ? 100 + rank : 3 + id % 17;
    out.attributes.push_back(attribute_int64("num_ops", static_cast<std::int64_t>(1000 + place)));
    out.attributes.push_back(attribute_uint64("tensor_size", 4096 * (1 + place)));
  }
  return out;
}

Result<void> write_rank(const std::string& path, std::uint64_t rank, std::uint64_t nodes) {
  auto writer = TraceWriter::create(path, {.force = true});
  if (!writer) return tl::unexpected(writer.error());
  MetadataRecord metadata;
  metadata.version = kVersion;
  if (auto done = writer->write(metadata); !done) return done;
  for (std::uint64_t id = 0; id < nodes; ++id) {
    if (auto done = writer->write(node(id, rank)); !done) return done;
  }
  return writer->close();
}

Result<void> write_all(const std::string& prefix, std::uint64_t ranks, std::uint64_t nodes) {
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    if (auto done = write_rank(prefix + "." + std::to_string(rank) + ".et", rank, nodes); !done)
      return done;
  }
  return {};
}

Result<void> run(const std::string& prefix, const LoadOptions& reading) {
  auto workload = load_workload(prefix, reading);
  if (!workload) return tl::unexpected(workload.error());
  platform::Platform platform;
  platform.dims = {
      {platform::Block::switched, std::int64_t{workload->rank_count()}, Bandwidth(50e9), 500.0}};
  platform.collectives.all_reduce.per_dim = {{platform::Algorithm::ring, -1}};
  sim::Options options;  // as 'orrery run' sets them
  options.fold = true;
  options.keep_times = workload->spilled_bytes() == 0;
  const auto result = sim::simulate(*workload, platform, options);
  if (!result) return tl::unexpected(result.error());
  std::uint64_t nodes = 0;
  for (std::uint32_t rank = 0; rank < workload->rank_count(); ++rank)
    nodes += workload->graph(rank).size();
  std::printf("ranks %u nodes %llu graphs %zu spilled_bytes %llu end_ps %lld%s\n",
              workload->rank_count(), static_cast<unsigned long long>(nodes),
              workload->graphs.size(), static_cast<unsigned long long>(workload->spilled_bytes()),
              static_cast<long long>(result->end.count()), result->stall ? " stalled" : "");
  return {};
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 2 ? words[1] : "";
  Result<void> done =
      fail(Errc::usage, "stream_traces", "wrong arguments; its source file describes them");
  if (what == "write" && count == 5) {
    done = write_all(words[2], std::strtoull(words[3], nullptr, 10),
                     std::strtoull(words[4], nullptr, 10));
  } else if (what == "run" && (count == 3 || count == 5)) {
    LoadOptions reading;
    if (count == 5) {
      reading.spill_folder = words[3];
      reading.memory = std::strtoull(words[4], nullptr, 10) << 20;
    }
    done = run(words[2], reading);
  }
  if (!done) std::fprintf(stderr, "%s\n", to_string(done.error()).c_str());
  return done ? 0 : 1;
}
