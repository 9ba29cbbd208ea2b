// SPDX-License-Identifier: Apache-2.0
//
// One simulation of the scaling series: makes a case, simulates it once and prints a line of JSON
// with its cost. run_scale.py makes the table and the picture of many cases.
//
// Usage: scale KIND [NAME=VALUE…]
//   KIND   all_reduce | drifting | job
//   all_reduce: shape=4x4x4 (1 to 3 of them: ring, fully connected, switch; or switch=1 for one
//               switch) chunks=1 mib=1024 rules=astra|orrery algorithm=ring|direct|halving_doubling
//   drifting:   ranks=4096 messages=32 (the desynchronized pattern)
//   job:        spec=FILE cluster=FILE, values of the specification as NAME=VALUE, and last=N for
//               the size of the outermost dimension
//   all:        fold=1 forms=1 repeats=1 threads=1 record=0 rendezvous=0
//               run_file=FILE (records, and writes the run as `-o` does)
//               network=analytical|message|flow (the cluster's by default)
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/models/network_names.h"
#include "orrery/graph/builder.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/record/make_run.h"
#include "orrery/result/run_file.h"
#include "orrery/sim/simulate.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"
#include "shared_workloads.h"

namespace {

using namespace orrery;
using platform::Algorithm;
using platform::Block;

using Values = std::map<std::string, std::string>;

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "scale: {}\n", why);
  std::exit(2);
}

template <typename T>
T expect(Result<T> result) {
  if (!result) give_up(to_string(result.error()));
  return *std::move(result);
}

std::string take(Values& values, const std::string& name, const std::string& otherwise) {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  std::string value = found->second;
  values.erase(found);
  return value;
}

std::uint32_t number(Values& values, const std::string& name, std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(
      std::strtoul(take(values, name, fmt::format("{}", otherwise)).c_str(), nullptr, 10));
}

struct Case {
  graph::Workload workload;
  platform::Platform platform;
};

// The network and the system of the reference's scaling series: 200, 100 and 50 GB/s, 500 ns, four
// chunks active, 10 ns at the boundary.
Case all_reduce(Values& values) {
  Case made;
  platform::Platform& machine = made.platform;
  const bool orrery_rules = take(values, "rules", "astra") == "orrery";
  machine.rules = orrery_rules ? platform::Rules::orrery : platform::Rules::astra;
  const std::string algorithm = take(values, "algorithm", "");
  const bool one_switch = number(values, "switch", 0) != 0;
  constexpr Block kBlocks[] = {Block::ring, Block::fully_connected, Block::switched};
  constexpr double kBandwidths[] = {200e9, 100e9, 50e9};
  constexpr Algorithm kAlgorithms[] = {Algorithm::ring, Algorithm::direct,
                                       Algorithm::halving_doubling};
  auto& config = machine.collectives;
  std::string shape = take(values, "shape", "4x4x4");
  for (std::size_t d = 0; d < 3 && !shape.empty(); ++d) {
    const std::size_t cross = shape.find('x');
    const long size = std::strtol(shape.c_str(), nullptr, 10);
    shape = cross == std::string::npos ? "" : shape.substr(cross + 1);
    const bool lone = d == 0 && shape.empty();
    machine.dims.push_back({one_switch ? Block::switched : kBlocks[d], size,
                            Bandwidth(lone ? 50e9 : kBandwidths[d]), 500.0});
    const Algorithm chosen = algorithm == "ring"               ? Algorithm::ring
                             : algorithm == "direct"           ? Algorithm::direct
                             : algorithm == "halving_doubling" ? Algorithm::halving_doubling
                                                               : kAlgorithms[d];
    for (auto* plan : config.plans()) plan->per_dim.push_back({chosen, -1});
  }
  config.splits = number(values, "chunks", 1);
  config.active_chunks = 4;
  config.endpoint_delay = ns(10);
  machine.device.memory = Bandwidth(1600e9);
  graph::GraphBuilder builder("scale", std::make_shared<StringPool>(), graph::Repair::refuse);
  graph::NodeSpec node;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective.size = Bytes(std::int64_t{number(values, "mib", 1024)} << 20);
  builder.add(node);
  made.workload.graphs = {benchmarks::finish(std::move(builder))};
  made.workload.graph_of_rank.assign(static_cast<std::size_t>(machine.npu_count()), 0);
  return made;
}

Case drifting(Values& values) {
  Case made;
  const std::uint32_t ranks = number(values, "ranks", 4096);
  const std::uint32_t messages = number(values, "messages", 32);
  made.platform.rules = platform::Rules::astra;
  made.platform.dims = {{Block::switched, ranks, Bandwidth(50e9), 500.0}};
  made.platform.device.memory = Bandwidth(1600e9);
  made.workload = benchmarks::drifting(ranks, messages);
  return made;
}

Case job(Values& values) {
  Case made;
  const std::string path = take(values, "spec", "");
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Findings findings;
  made.platform = expect(platform::read_cluster(take(values, "cluster", ""), findings));
  if (const std::uint32_t last = number(values, "last", 0); last != 0)
    made.platform.dims.back().size = last;
  workload::Spec spec = expect(workload::parse_spec(text, path));
  for (const auto& [name, value] : std::exchange(values, {})) {
    if (const auto done = workload::set(spec, name, value); !done) give_up(to_string(done.error()));
  }
  if (const auto fine = workload::check_spec(spec); !fine) give_up(to_string(fine.error()));
  made.workload = expect(workload::to_workload(expect(workload::assemble(spec, findings))));
  return made;
}

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// VmRSS: memory now; VmHWM: peak memory of this process only (rusage starts with the peak of the
// parent).
double megabytes(std::string_view key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) == 0) return std::strtod(line.c_str() + key.size(), nullptr) / 1024;
  }
  return 0;
}

// Before the simulation.
struct Start {
  double megabytes = 0;
  double cpu_s = 0;
};

std::string work_text(const sim::SimulationWork& work) {
  return fmt::format(
      "{{\"ranks\": {}, \"nodes\": {}, \"collectives\": {}, \"phases_by_closed_form\": {}, "
      "\"phases_by_messages\": {}, \"messages\": {}, \"chunk_states\": {}, \"ring_states\": {}, "
      "\"key_states\": {}, \"running_chunks\": {}, \"finished_chunks\": {}, "
      "\"messages_in_flight\": {}, "
      "\"mailboxes\": {}}}",
      work.ranks, work.nodes, work.collectives, work.phases_by_closed_form, work.phases_by_messages,
      work.messages, work.chunk_states, work.ring_states, work.key_states, work.running_chunks,
      work.finished_chunks, work.messages_in_flight, work.mailboxes);
}

// A checksum of the results of all ranks and collectives: equal for equal runs.
std::uint64_t summary(const sim::SimResult& result) {
  std::uint64_t all = 1469598103934665603ull;
  const auto add = [&](std::uint64_t value) { all = (all ^ value) * 1099511628211ull; };
  for (const sim::RankResult& rank : result.ranks) {
    add(static_cast<std::uint64_t>(rank.finish.value_or(Time(-1)).count()));
    for (const Time time : {rank.exposed_comm, rank.compute, rank.overlapped, rank.comm,
                            rank.memory, rank.comm_only, rank.memory_only, rank.idle})
      add(static_cast<std::uint64_t>(time.count()));
    add(rank.sent_bytes);
  }
  for (const sim::CollectiveTotal& total : result.collectives) {
    add(total.operations);
    add(total.bytes);
    add(static_cast<std::uint64_t>(total.time.count()));
  }
  return all;
}

void report(const Case& one, const sim::SimResult& result, double before, double made, double ran,
            double wall, const Start& start) {
  std::uint64_t nodes = 0;
  for (std::uint32_t rank = 0; rank < one.workload.rank_count(); ++rank)
    nodes += one.workload.graph(rank).size();
  fmt::print(
      "{{\"ranks\": {}, \"representatives\": {}, \"nodes\": {}, \"messages\": {}, \"events\": {}, "
      "\"step_ps\": {}, \"summary\": \"{:016x}\", \"stalled\": {}, \"skipped\": {}, \"parts\": {}, "
      "\"make_cpu_s\": {:.4f}, \"simulate_cpu_s\": {:.4f}, \"simulate_wall_s\": {:.4f}, "
      "\"peak_mb\": {:.1f}, \"start_mb\": {:.1f}, \"estimated_mb\": {:.1f}, "
      "\"run_cpu_s\": {:.4f}, \"estimated_cpu_s\": {:.4f}, \"work\": {}}}\n",
      one.workload.rank_count(), result.savings.representatives, nodes, result.messages,
      result.events, result.end.count(), summary(result), result.stall.has_value(),
      result.savings.iterations_skipped, result.savings.parts, made - before, ran - made, wall,
      megabytes("VmHWM:"), start.megabytes, static_cast<double>(result.estimate.bytes) / 1048576,
      ran - start.cpu_s, result.estimate.cpu_seconds, work_text(result.estimate.work));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) give_up("the kind is missing; use all_reduce, drifting or job");
  Values values;
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) give_up(word + ": is not NAME=VALUE");
    values[word.substr(0, equals)] = word.substr(equals + 1);
  }
  sim::Options options;
  options.fold = number(values, "fold", 1) != 0;
  options.closed_forms = number(values, "forms", 1) != 0;
  options.skip_repeats = number(values, "repeats", 1) != 0;
  options.threads = number(values, "threads", 1);
  const std::string run_file = take(values, "run_file", "");
  options.record = number(values, "record", 0) != 0 || !run_file.empty();
  const bool rendezvous = number(values, "rendezvous", 0) != 0;
  const std::string network = take(values, "network", "");
  const std::string kind = words[1];
  const double before = cpu_seconds();
  Case one = kind == "all_reduce" ? all_reduce(values)
             : kind == "drifting" ? drifting(values)
             : kind == "job"
                 ? job(values)
                 : (give_up(kind + ": unknown kind; use all_reduce, drifting or job"), Case{});
  if (!values.empty()) give_up(values.begin()->first + ": unknown name for this kind");
  if (!network.empty()) {
    const NetworkModelEntry* model = find_network_model(network);
    if (model == nullptr) give_up(network + ": unknown network");
    one.platform.network = model->kind;
  }
  one.platform.collectives.rendezvous = rendezvous;
  Start before_run;
  options.estimated = [&](const sim::SimulationEstimate&) {
    before_run = {megabytes("VmRSS:"), cpu_seconds()};
  };
  const double made = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const auto result = expect(sim::simulate(one.workload, one.platform, options));
  if (!run_file.empty()) {
    const auto done =
        result::write_run(record::make_run(one.workload, one.platform, result), run_file, true);
    if (!done) give_up(to_string(done.error()));
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  report(one, result, before, made, cpu_seconds(), wall.count(), before_run);
}
