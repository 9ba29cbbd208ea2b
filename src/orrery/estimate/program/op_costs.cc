// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/op_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/estimate/program/op_costs_internal.h"
#include "orrery/estimate/program/program_simulation.h"
#include "orrery/model/compute/interference.h"
#include "orrery/network/network.h"
#include "orrery/workload/spec/launch_policy.h"

namespace orrery::estimate {

using graph::NodeKind;
using workload::Body;
using workload::Op;
using workload::OpClass;
using workload::Program;
using workload::Role;

namespace {

bool is_message(const Op& op) { return op.kind == NodeKind::send || op.kind == NodeKind::recv; }

/// Calls `visit` with the number of each body that the role runs, once each.
template <class Visit>
void each_body(const Role& role, std::size_t bodies, Visit visit) {
  std::vector<bool> seen(bodies);
  for (const auto& recipe : role.recipes) {
    for (const workload::Segment& segment : recipe) {
      if (seen[segment.body]) continue;
      seen[segment.body] = true;
      visit(segment.body);
    }
  }
}

/// Assigns `ops` to all roles of the stage of `role`: collectives that do not cross stages run
/// within these.
std::vector<std::vector<Op>> on_stage_of(const Program& program, std::size_t role,
                                         const std::vector<Op>& ops) {
  std::vector<std::vector<Op>> by_role(program.roles.size());
  for (std::size_t r = 0; r < by_role.size(); ++r)
    if (program.roles[r].where.stage == program.roles[role].where.stage) by_role[r] = ops;
  return by_role;
}

}  // namespace

OpCosts::OpCosts(std::shared_ptr<const study::Cluster> cluster)
    : cluster_(std::move(cluster)), network_(model::make_network(cluster_->platform)) {}

OpCosts::~OpCosts() = default;

std::string OpCosts::key(const Program& program, const Op& op) {
  if (op.kind == NodeKind::coll) {
    std::string text =
        fmt::format("{}|{}|{}", static_cast<int>(op.collective), op.size, program.mesh.world());
    for (const auto& digit : program.mesh.axis(op.axis).digits)
      text += fmt::format("|{},{},{}", digit.stride, digit.count, digit.step);
    if (op.exchange) text += fmt::format("|{}", op.exchange.bits());
    if (crosses_stages(program, op.axis)) text += fmt::format("|{}", program.roles.size());
    return text;
  }
  if (op.kind != NodeKind::comp)
    return fmt::format("m{}|{}|{}|{}", static_cast<int>(op.kind), op.bytes, op.devices,
                       program.mesh.world());
  const auto kernel = workload::kernel_of(op);
  const auto number = kernel ? kernels_.intern(*kernel) : graph::kNoKernel;
  return fmt::format("c{}|{}|{}", static_cast<std::int64_t>(number), op.matmul + op.vector,
                     op.bytes);
}

void OpCosts::add_messages(const Program& program, ProgramCosts& times) const {
  for (std::uint32_t rank_class = 0; rank_class < times.classes.size(); ++rank_class) {
    const std::uint32_t rank = times.classes.rank(rank_class);
    each_body(program.roles[program.role_of(rank)], program.bodies.size(), [&](std::uint32_t body) {
      const auto& ops = program.bodies[body].ops;
      for (std::uint32_t i = 0; i < ops.size(); ++i) {
        if (!is_message(ops[i])) continue;
        const RankClasses::Peer peer =
            times.classes.peer(program, rank_class, ops[i].axis, ops[i].peer_offset);
        const bool sends = ops[i].kind == NodeKind::send;
        times.messages[{rank_class, body, i}] = {
            peer.rank_class, sends ? network_->uncontended_time(rank, peer.rank, ops[i].size) : 0};
      }
    });
  }
}

namespace {

/// A program whose roles run these ops once.
Program probe_of(const Program& program, const std::vector<std::vector<Op>>& by_role) {
  Program probe;
  probe.spec = program.spec;
  probe.spec.kernels = {};  // launches take no time
  probe.mesh = program.mesh;
  probe.cp_classes = program.cp_classes;
  probe.expert_classes = program.expert_classes;
  probe.role_per_rank = program.role_per_rank;
  for (std::size_t r = 0; r < by_role.size(); ++r) {
    Body body{"probe", by_role[r]};
    if (body.ops.empty()) body.ops.emplace_back().name = "nothing";
    probe.bodies.push_back(std::move(body));
    const Role& role = program.roles[r];
    const auto number = static_cast<std::uint32_t>(r);
    probe.roles.push_back(
        {role.name, role.where, role.ranks, {}, {{{number}}}, {{{{workload::TaskKind::forward}}}}});
  }
  return probe;
}

Op isolated_op(Op op, workload::Stream stream) {
  op.stream = stream;
  op.waits.fill(workload::stream::none);
  op.marks = workload::stream::none;
  return op;
}

bool is_product(const Op& op) {
  const auto kernel = workload::kernel_of(op);
  return !kernel || model::Interference::is_product(kernel->operation);
}

}  // namespace

Result<void> OpCosts::store_durations(const Program& program,
                                      const std::vector<std::vector<Op>>& by_role,
                                      const std::vector<std::string>& keys) {
  std::vector<std::vector<Op>> chains = by_role;
  for (auto& chain : chains)
    for (Op& op : chain) op = isolated_op(op, workload::stream::compute);
  const auto result =
      simulate_program(probe_of(program, chains), *cluster_,
                       has_chunk_contention() ? SimulationDetail::chunks : SimulationDetail::path);
  if (!result) return tl::unexpected(result.error());
  std::vector<Cost> costs(keys.size());
  for (const sim::CriticalPathNode& link : result->path)
    if (link.node < costs.size()) costs[link.node].duration = (link.end - link.start).count();
  for (const auto& chain : by_role)
    for (std::size_t i = 0; i < chain.size(); ++i) costs[i].product = is_product(chain[i]);
  for (std::size_t i = 0; i < keys.size(); ++i) known_.emplace(keys[i], costs[i]);
  if (has_chunk_contention()) store_chunks(*result, keys);
  return {};
}

bool OpCosts::has_chunk_contention() const {
  const platform::Platform& platform = cluster_->platform;
  return cluster_->library == nullptr && platform.fabric == nullptr &&
         platform.network == platform::NetworkModelKind::analytical &&
         platform.collectives.queues_per_dim == 1 &&
         platform.collectives.policy != platform::SchedulingPolicy::explicit_priority &&
         platform.collectives.intra_dimension == platform::IntraDimension::fifo;
}

// Stores the chunks of each node from the first simulated rank. A collective stays without chunks
// if replaying them alone does not give its duration: then it depends on more than chunks and
// queues.
void OpCosts::store_chunks(const sim::SimResult& result, const std::vector<std::string>& keys) {
  if (result.recording == nullptr) return;
  std::map<graph::NodeId, std::uint32_t> ranks;
  std::map<graph::NodeId, std::map<std::uint32_t, std::vector<ChunkWork::Phase>>> found;
  for (const sim::ChunkPhase& phase : result.recording->chunk_phases) {
    const auto rank = ranks.try_emplace(phase.node, phase.rank).first->second;
    if (rank != phase.rank || phase.node >= keys.size()) continue;
    found[phase.node][phase.chunk].push_back({phase.queue, phase.end - phase.begin});
  }
  for (auto& [node, chunks] : found) {
    ChunkWork work;
    for (auto& [number, phases] : chunks) work.chunks.push_back(std::move(phases));
    work.isolated_duration = known_.at(keys[node]).duration;
    const IssuedCollective isolated{0, &work};
    if (collective_ends({&isolated, 1}, {cluster_->platform.collectives.active_chunks}).front() ==
        work.isolated_duration)
      known_chunks_.emplace(keys[node], std::move(work));
  }
}

// Runs `kernel` repeatedly, for longer than the collective (or copy), concurrently with it. The
// extra duration of the kernels gives the share of the device that they lose.
Result<double> OpCosts::slowdown_by(const Program& program,
                                    const std::vector<std::vector<Op>>& collective,
                                    const std::string& op_key, const Op& kernel) {
  const auto of_kernel = known_.find(key(program, kernel));
  const std::int64_t duration = known_.at(op_key).duration;
  if (of_kernel == known_.end() || of_kernel->second.duration <= 0 || duration <= 0) return 0;
  const std::int64_t times =
      std::min<std::int64_t>(2 + 2 * duration / of_kernel->second.duration, 4096);
  std::vector<std::vector<Op>> concurrent = collective;
  for (auto& ops : concurrent) {
    if (ops.empty()) continue;
    ops[0] = isolated_op(ops[0], workload::stream::other);
    ops.insert(ops.end(), static_cast<std::size_t>(times),
               isolated_op(kernel, workload::stream::compute));
  }
  const auto result = simulate_program(probe_of(program, concurrent), *cluster_);
  if (!result) return tl::unexpected(result.error());
  const std::int64_t more = result->end.count() - times * of_kernel->second.duration;
  return std::clamp(static_cast<double>(more) / static_cast<double>(duration), 0.0, 0.5);
}

namespace {

/// The kernel that moves the most bytes, among products (1) and all others (0); null: none.
std::array<const Op*, 2> largest_kernels(const Program& program) {
  std::array<const Op*, 2> largest{};
  for (const Body& body : program.bodies) {
    for (const Op& op : body.ops) {
      if (op.kind != NodeKind::comp || op.op_class == OpClass::copy) continue;
      const Op*& maximum = largest[is_product(op) ? 1 : 0];
      if (maximum == nullptr || op.bytes > maximum->bytes) maximum = &op;
    }
  }
  return largest;
}

}  // namespace

Result<void> OpCosts::measure_slowdown(
    const Program& program, const std::map<std::string, std::vector<std::vector<Op>>>& slowing) {
  for (const Op* kernel : largest_kernels(program)) {
    if (kernel == nullptr) continue;
    const std::string concurrent = "&" + key(program, *kernel);
    for (const auto& [op_key, by_role] : slowing) {
      if (slowdown_cache_.contains(op_key + concurrent)) continue;
      const auto slowdown = slowdown_by(program, by_role, op_key, *kernel);
      if (!slowdown) return tl::unexpected(slowdown.error());
      slowdown_cache_.emplace(op_key + concurrent, *slowdown);
    }
  }
  return {};
}

// Simulates first the ops within each stage, then each op across stages, then the slowdown of
// concurrent kernels by collectives and copies.
Result<void> OpCosts::simulate_missing(const Program& program) {
  using ByRole = std::vector<std::vector<Op>>;
  std::map<std::string, ByRole> crossing, slowing;
  for (std::size_t r = 0; r < program.roles.size(); ++r) {
    std::vector<Op> isolated;
    std::vector<std::string> keys;
    each_body(program.roles[r], program.bodies.size(), [&](std::uint32_t body) {
      for (const Op& op : program.bodies[body].ops) {
        if (op.op_class == OpClass::copy || is_message(op)) continue;
        const std::string op_key = key(program, op);
        const bool collective = op.kind == NodeKind::coll;
        if (collective && crosses_stages(program, op.axis)) {
          if (known_.contains(op_key)) continue;
          ByRole& all = crossing.try_emplace(op_key, program.roles.size()).first->second;
          all[r] = {op};
          continue;
        }
        // The slowdown of kernels is measured with the first role that has such a collective.
        if (collective || op.op_class == OpClass::transfer)
          if (!slowing.contains(op_key)) slowing.emplace(op_key, on_stage_of(program, r, {op}));
        if (known_.contains(op_key) || std::find(keys.begin(), keys.end(), op_key) != keys.end())
          continue;
        isolated.push_back(op);
        keys.push_back(op_key);
      }
    });
    if (keys.empty()) continue;
    if (auto done = store_durations(program, on_stage_of(program, r, isolated), keys); !done)
      return done;
  }
  for (const auto& [op_key, by_role] : crossing)
    if (auto done = store_durations(program, by_role, {op_key}); !done) return done;
  return measure_slowdown(program, slowing);
}

// Returns the time that both together take beyond the longer one, as a share of the shorter one.
Result<double> OpCosts::shared_time(const Program& program, std::size_t role, const Op& a,
                                    const Op& b) {
  const std::string keys = key(program, a) + "&" + key(program, b);
  if (const auto known = contention_cache_.find(keys); known != contention_cache_.end())
    return known->second;
  const auto both =
      on_stage_of(program, role,
                  {isolated_op(a, workload::stream::other), isolated_op(b, workload::stream::tp)});
  const auto result = simulate_program(probe_of(program, both), *cluster_);
  if (!result) return tl::unexpected(result.error());
  const std::int64_t of_a = known_.at(key(program, a)).duration;
  const std::int64_t of_b = known_.at(key(program, b)).duration;
  const auto shorter = static_cast<double>(std::min(of_a, of_b));
  const auto more = static_cast<double>(result->end.count() - std::max(of_a, of_b));
  const double share = shorter > 0 ? std::clamp(more / shorter, 0.0, 1.0) : 0;
  contention_cache_.emplace(keys, share);
  return share;
}

namespace {

/// From this share on, chunks wait for each other as complete collectives do; below it, both
/// progress more slowly. For random plans (docs/search.md), 0.7 and 1 give larger errors. With
/// libraries, whose collectives have no chunks, there is no such intermediate case.
constexpr double kMinSequentialShare = 0.9;

}  // namespace

Result<void> OpCosts::find_queues(const Program& program, ProgramCosts& times) {
  if (has_chunk_contention()) return {};
  std::array<std::uint8_t, workload::kAxes> numbers{};
  for (std::size_t axis = 0; axis < numbers.size(); ++axis)
    numbers[axis] = static_cast<std::uint8_t>(axis + 1);
  for (std::size_t r = 0; r < program.roles.size(); ++r) {
    std::array<const Op*, workload::kAxes> largest{};
    each_body(program.roles[r], program.bodies.size(), [&](std::uint32_t body) {
      for (const Op& op : program.bodies[body].ops) {
        if (op.kind != NodeKind::coll || op.op_class == OpClass::copy) continue;
        if (crosses_stages(program, op.axis)) continue;
        const Op*& maximum = largest[static_cast<std::size_t>(op.axis)];
        if (maximum == nullptr || op.size > maximum->size) maximum = &op;
      }
    });
    for (std::size_t a = 0; a < largest.size(); ++a) {
      for (std::size_t b = a + 1; b < largest.size(); ++b) {
        if (largest[a] == nullptr || largest[b] == nullptr) continue;
        const auto share = shared_time(program, r, *largest[a], *largest[b]);
        if (!share) return tl::unexpected(share.error());
        if (cluster_->library == nullptr && *share < kMinSequentialShare)
          times.shares[a][b] = times.shares[b][a] = std::max(times.shares[a][b], *share);
        else if (*share > 0.5)
          std::replace(numbers.begin(), numbers.end(), numbers[b], numbers[a]);
      }
    }
  }
  for (std::size_t axis = 0; axis < numbers.size(); ++axis)
    if (std::count(numbers.begin(), numbers.end(), numbers[axis]) > 1)
      times.queue[axis] = numbers[axis];
  return {};
}

void OpCosts::add_shares(const Program& program, const Op& op,
                         const std::array<std::string, 2>& concurrent, Cost& cost) {
  const auto share = [&](const std::string& kernel) {
    const auto known = slowdown_cache_.find(key(program, op) + kernel);
    return known == slowdown_cache_.end() ? 0 : known->second;
  };
  cost.other_slowdown = share(concurrent[0]);
  cost.product_slowdown = share(concurrent[1]);
}

Result<OpCosts::ProgramCosts> OpCosts::costs_of(const Program& program) {
  if (auto done = simulate_missing(program); !done) return tl::unexpected(done.error());
  ProgramCosts times;
  times.classes = RankClasses(program);
  times.costs.resize(program.bodies.size());
  const platform::CollectiveConfig& collectives = cluster_->platform.collectives;
  times.queues = {collectives.active_chunks,
                  collectives.policy == platform::SchedulingPolicy::lifo};
  if (auto done = find_queues(program, times); !done) return tl::unexpected(done.error());
  const graph::LaunchTimes launch = workload::launch_times(program.spec);
  std::array<std::string, 2> concurrent;
  const auto largest = largest_kernels(program);
  for (std::size_t i = 0; i < concurrent.size(); ++i)
    if (largest[i] != nullptr) concurrent[i] = "&" + key(program, *largest[i]);
  for (std::uint32_t r = 0; r < program.roles.size(); ++r) {
    each_body(program.roles[r], program.bodies.size(), [&](std::uint32_t body) {
      const auto& ops = program.bodies[body].ops;
      if (!times.costs[body].empty()) return;
      for (const Op& op : ops) {
        const bool has_cost = op.op_class != OpClass::copy && !is_message(op);
        Cost& cost =
            times.costs[body].emplace_back(has_cost ? known_.at(key(program, op)) : Cost{});
        if (op.kind == NodeKind::coll || op.op_class == OpClass::transfer)
          add_shares(program, op, concurrent, cost);
        if (op.kind == NodeKind::coll && !crosses_stages(program, op.axis))
          if (const auto known = known_chunks_.find(key(program, op)); known != known_chunks_.end())
            cost.chunks = &known->second;
        const auto kernel = workload::kernel_of(op);
        if (op.kind != NodeKind::comp || !kernel) continue;
        cost.each_launch = launch.mean(*kernel).count();
        cost.launches = launch.count(*kernel);
        cost.host_waits = kernel->host_waits && launch.is_set();
      }
    });
  }
  add_messages(program, times);
  return times;
}

// Costs of single ops.

bool crosses_stages(const workload::Program& program, workload::Axis axis) {
  const auto& mesh = program.mesh;
  const std::uint32_t stages = mesh.size(workload::Dim::pp);
  if (stages == 1) return false;
  const std::uint32_t stride = mesh.stride(workload::Dim::pp);
  for (const auto& digit : mesh.axis(axis).digits)
    if (digit.stride == stride && digit.count > 1) return true;
  return false;
}

Result<std::vector<OpCosts::Cost>> OpCosts::isolated_costs(const Program& program,
                                                           const std::vector<Op>& ops) {
  std::vector<std::vector<Op>> chain(program.roles.size());
  std::vector<std::string> keys, new_keys;
  for (const Op& op : ops) {
    keys.push_back(key(program, op));
    if (known_.contains(keys.back())) continue;
    if (std::find(new_keys.begin(), new_keys.end(), keys.back()) != new_keys.end()) continue;
    if (op.kind == graph::NodeKind::coll && crosses_stages(program, op.axis)) {
      std::vector<std::vector<Op>> together(program.roles.size());
      const std::uint32_t stride = program.mesh.stride(workload::Dim::pp);
      for (std::uint32_t stage = 0; stage < together.size(); ++stage)
        if (program.mesh.axis(op.axis).has(stage * stride)) together[stage] = {op};
      if (auto done = store_durations(program, together, {keys.back()}); !done)
        return tl::unexpected(done.error());
      continue;
    }
    chain.front().push_back(op);
    new_keys.push_back(keys.back());
  }
  if (!new_keys.empty())
    if (auto done = store_durations(program, chain, new_keys); !done)
      return tl::unexpected(done.error());
  std::vector<Cost> costs;
  for (const std::string& op_key : keys) costs.push_back(known_.at(op_key));
  return costs;
}

Result<double> OpCosts::slowdown(const Program& program, const Op& collective, const Op& kernel) {
  const std::string op_key = key(program, collective);
  const std::string both = op_key + "&" + key(program, kernel);
  if (const auto known = slowdown_cache_.find(both); known != slowdown_cache_.end())
    return known->second;
  std::vector<std::vector<Op>> by_role(program.roles.size());
  by_role.front() = {collective};
  const auto share = slowdown_by(program, by_role, op_key, kernel);
  if (share) slowdown_cache_.emplace(both, *share);
  return share;
}

std::int64_t OpCosts::message_time(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const {
  return network_->uncontended_time(from, to, bytes);
}

}  // namespace orrery::estimate
