// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/op_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/estimate/program/op_costs_internal.h"
#include "orrery/estimate/program/program_simulation.h"
#include "orrery/model/compute/interference.h"
#include "orrery/network/network.h"

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

/// The ops for all roles of a role's stage, which is where collectives meet that do not cross
/// stages.
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

void OpCosts::add_messages(const Program& program, Times& times) const {
  for (std::uint32_t rank_class = 0; rank_class < times.classes.size(); ++rank_class) {
    const std::uint32_t rank = times.classes.rank(rank_class);
    each_body(program.roles[program.role_of(rank)], program.bodies.size(), [&](std::uint32_t body) {
      const auto& ops = program.bodies[body].ops;
      for (std::uint32_t i = 0; i < ops.size(); ++i) {
        if (!is_message(ops[i])) continue;
        const RankClasses::Peer peer =
            times.classes.peer(program, rank_class, ops[i].axis, ops[i].shift);
        const bool sends = ops[i].kind == NodeKind::send;
        times.messages[{rank_class, body, i}] = {
            peer.rank_class, sends ? network_->alone(rank, peer.rank, ops[i].size) : 0};
      }
    });
  }
}

namespace {

/// A program whose roles do these ops, each one time.
Program probe_of(const Program& program, const std::vector<std::vector<Op>>& by_role) {
  Program probe;
  probe.spec = program.spec;
  probe.spec.kernels = {};  // no host is in the way
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

Op alone_on(Op op, workload::Stream stream) {
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

Result<void> OpCosts::take_times(const Program& program,
                                 const std::vector<std::vector<Op>>& by_role,
                                 const std::vector<std::string>& keys) {
  std::vector<std::vector<Op>> chains = by_role;
  for (auto& chain : chains)
    for (Op& op : chain) op = alone_on(op, workload::stream::compute);
  const auto result =
      simulate_program(probe_of(program, chains), *cluster_,
                       by_chunks() ? SimulationDetail::chunks : SimulationDetail::path);
  if (!result) return tl::unexpected(result.error());
  std::vector<Cost> costs(keys.size());
  for (const sim::CriticalPathNode& link : result->path)
    if (link.node < costs.size()) costs[link.node].duration = (link.end - link.start).count();
  for (const auto& chain : by_role)
    for (std::size_t i = 0; i < chain.size(); ++i) costs[i].product = is_product(chain[i]);
  for (std::size_t i = 0; i < keys.size(); ++i) known_.emplace(keys[i], costs[i]);
  if (by_chunks()) take_chunks(*result, keys);
  return {};
}

bool OpCosts::by_chunks() const {
  const platform::Platform& platform = cluster_->platform;
  return cluster_->library == nullptr && platform.fabric == nullptr &&
         platform.network == platform::NetworkModelKind::analytical &&
         platform.collectives.queues_per_dim == 1 &&
         platform.collectives.policy != platform::SchedulingPolicy::explicit_priority &&
         platform.collectives.intra_dimension == platform::IntraDimension::fifo;
}

// Of each node by the first rank that was simulated. What does not come to the same time by itself
// is not a matter of chunks and queues alone, and stays as a whole.
void OpCosts::take_chunks(const sim::SimResult& result, const std::vector<std::string>& keys) {
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
    work.alone = known_.at(keys[node]).duration;
    const Issued alone{0, &work};
    if (ends_of({&alone, 1}, {cluster_->platform.collectives.active_chunks}).front() == work.alone)
      known_chunks_.emplace(keys[node], std::move(work));
  }
}

// A kernel that takes longer than the collective (or the copy) is put beside it: what it takes more
// is what it had not.
Result<double> OpCosts::slowdown_by(const Program& program,
                                    const std::vector<std::vector<Op>>& collective,
                                    const std::string& its_key, const Op& kernel) {
  const auto of_kernel = known_.find(key(program, kernel));
  const std::int64_t duration = known_.at(its_key).duration;
  if (of_kernel == known_.end() || of_kernel->second.duration <= 0 || duration <= 0) return 0;
  const std::int64_t times =
      std::min<std::int64_t>(2 + 2 * duration / of_kernel->second.duration, 4096);
  std::vector<std::vector<Op>> concurrent = collective;
  for (auto& ops : concurrent) {
    if (ops.empty()) continue;
    ops[0] = alone_on(ops[0], workload::stream::side);
    ops.insert(ops.end(), static_cast<std::size_t>(times),
               alone_on(kernel, workload::stream::compute));
  }
  const auto result = simulate_program(probe_of(program, concurrent), *cluster_);
  if (!result) return tl::unexpected(result.error());
  const std::int64_t more = result->end.count() - times * of_kernel->second.duration;
  return std::clamp(static_cast<double>(more) / static_cast<double>(duration), 0.0, 0.5);
}

namespace {

/// The kernel that moves the most bytes, of products (1) and of all others (0); null: there is
/// none.
std::array<const Op*, 2> largest_kernels(const Program& program) {
  std::array<const Op*, 2> largest{};
  for (const Body& body : program.bodies) {
    for (const Op& op : body.ops) {
      if (op.kind != NodeKind::comp || op.op_class == OpClass::copy) continue;
      const Op*& most = largest[is_product(op) ? 1 : 0];
      if (most == nullptr || op.bytes > most->bytes) most = &op;
    }
  }
  return largest;
}

}  // namespace

Result<void> OpCosts::measure_slowdown(
    const Program& program, const std::map<std::string, std::vector<std::vector<Op>>>& felt) {
  for (const Op* kernel : largest_kernels(program)) {
    if (kernel == nullptr) continue;
    const std::string concurrent = "&" + key(program, *kernel);
    for (const auto& [its, by_role] : felt) {
      if (known_shares_.contains(its + concurrent)) continue;
      const auto slowdown = slowdown_by(program, by_role, its, *kernel);
      if (!slowdown) return tl::unexpected(slowdown.error());
      known_shares_.emplace(its + concurrent, *slowdown);
    }
  }
  return {};
}

// Role by role, what its stage takes part in; then one by one what crosses stages; then what
// collectives and copies take of kernels beside them.
Result<void> OpCosts::learn(const Program& program) {
  using ByRole = std::vector<std::vector<Op>>;
  std::map<std::string, ByRole> crossing, felt;
  for (std::size_t r = 0; r < program.roles.size(); ++r) {
    std::vector<Op> alone;
    std::vector<std::string> keys;
    each_body(program.roles[r], program.bodies.size(), [&](std::uint32_t body) {
      for (const Op& op : program.bodies[body].ops) {
        if (op.op_class == OpClass::copy || is_message(op)) continue;
        const std::string its = key(program, op);
        const bool collective = op.kind == NodeKind::coll;
        if (collective && crosses_stages(program, op.axis)) {
          if (known_.contains(its)) continue;
          ByRole& all = crossing.try_emplace(its, program.roles.size()).first->second;
          all[r] = {op};
          continue;
        }
        // Beside a kernel the first role that has it does it, whoever else does.
        if (collective || op.op_class == OpClass::transfer)
          if (!felt.contains(its)) felt.emplace(its, on_stage_of(program, r, {op}));
        if (known_.contains(its) || std::find(keys.begin(), keys.end(), its) != keys.end())
          continue;
        alone.push_back(op);
        keys.push_back(its);
      }
    });
    if (keys.empty()) continue;
    if (auto done = take_times(program, on_stage_of(program, r, alone), keys); !done) return done;
  }
  for (const auto& [its, by_role] : crossing)
    if (auto done = take_times(program, by_role, {its}); !done) return done;
  return measure_slowdown(program, felt);
}

// At once: by which share of the shorter one do they take longer than the longer one alone?
Result<double> OpCosts::shared_time(const Program& program, std::size_t role, const Op& a,
                                    const Op& b) {
  const std::string keys = key(program, a) + "&" + key(program, b);
  if (const auto known = known_shared_.find(keys); known != known_shared_.end())
    return known->second;
  const auto both = on_stage_of(
      program, role, {alone_on(a, workload::stream::side), alone_on(b, workload::stream::tp)});
  const auto result = simulate_program(probe_of(program, both), *cluster_);
  if (!result) return tl::unexpected(result.error());
  const std::int64_t of_a = known_.at(key(program, a)).duration;
  const std::int64_t of_b = known_.at(key(program, b)).duration;
  const auto shorter = static_cast<double>(std::min(of_a, of_b));
  const auto more = static_cast<double>(result->end.count() - std::max(of_a, of_b));
  const double share = shorter > 0 ? std::clamp(more / shorter, 0.0, 1.0) : 0;
  known_shared_.emplace(keys, share);
  return share;
}

namespace {

/// From this share on chunks wait for each other as whole collectives do; below, both go on more
/// slowly. Of random plans (docs/search.md) 0.7 and 1 are further off; with libraries, whose
/// collectives are not cut into chunks, there is no such middle.
constexpr double kOneAfterTheOther = 0.9;

}  // namespace

Result<void> OpCosts::find_queues(const Program& program, Times& times) {
  if (by_chunks()) return {};
  std::array<std::uint8_t, workload::kAxes> numbers{};
  for (std::size_t axis = 0; axis < numbers.size(); ++axis)
    numbers[axis] = static_cast<std::uint8_t>(axis + 1);
  for (std::size_t r = 0; r < program.roles.size(); ++r) {
    std::array<const Op*, workload::kAxes> largest{};
    each_body(program.roles[r], program.bodies.size(), [&](std::uint32_t body) {
      for (const Op& op : program.bodies[body].ops) {
        if (op.kind != NodeKind::coll || op.op_class == OpClass::copy) continue;
        if (crosses_stages(program, op.axis)) continue;
        const Op*& most = largest[static_cast<std::size_t>(op.axis)];
        if (most == nullptr || op.size > most->size) most = &op;
      }
    });
    for (std::size_t a = 0; a < largest.size(); ++a) {
      for (std::size_t b = a + 1; b < largest.size(); ++b) {
        if (largest[a] == nullptr || largest[b] == nullptr) continue;
        const auto share = shared_time(program, r, *largest[a], *largest[b]);
        if (!share) return tl::unexpected(share.error());
        if (cluster_->library == nullptr && *share < kOneAfterTheOther)
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
    const auto known = known_shares_.find(key(program, op) + kernel);
    return known == known_shares_.end() ? 0 : known->second;
  };
  cost.of_others = share(concurrent[0]);
  cost.of_products = share(concurrent[1]);
}

Result<OpCosts::Times> OpCosts::of(const Program& program) {
  if (auto done = learn(program); !done) return tl::unexpected(done.error());
  Times times;
  times.classes = RankClasses(program);
  times.of.resize(program.bodies.size());
  const platform::CollectiveConfig& collectives = cluster_->platform.collectives;
  times.queues = {collectives.active_chunks,
                  collectives.policy == platform::SchedulingPolicy::lifo};
  if (auto done = find_queues(program, times); !done) return tl::unexpected(done.error());
  const graph::LaunchTimes launch = program.spec.kernels.launch_times();
  std::array<std::string, 2> concurrent;
  const auto largest = largest_kernels(program);
  for (std::size_t i = 0; i < concurrent.size(); ++i)
    if (largest[i] != nullptr) concurrent[i] = "&" + key(program, *largest[i]);
  for (std::uint32_t r = 0; r < program.roles.size(); ++r) {
    each_body(program.roles[r], program.bodies.size(), [&](std::uint32_t body) {
      const auto& ops = program.bodies[body].ops;
      if (!times.of[body].empty()) return;
      for (const Op& op : ops) {
        const bool predicted = op.op_class != OpClass::copy && !is_message(op);
        times.of[body].push_back(predicted ? known_.at(key(program, op)) : Cost{});
        if (op.kind == NodeKind::coll || op.op_class == OpClass::transfer)
          add_shares(program, op, concurrent, times.of[body].back());
        if (op.kind == NodeKind::coll) {
          if (!crosses_stages(program, op.axis))
            if (const auto known = known_chunks_.find(key(program, op));
                known != known_chunks_.end())
              times.of[body].back().chunks = &known->second;
        }
        const auto kernel = workload::kernel_of(op);
        if (op.kind != NodeKind::comp || !kernel) continue;
        times.of[body].back().each_launch = launch.of(*kernel).count();
        times.of[body].back().launches = std::max<std::uint32_t>(kernel->launches, 1);
      }
    });
  }
  add_messages(program, times);
  return times;
}

// Ops that are asked about one by one.

using workload::Op;
using workload::Program;

bool crosses_stages(const workload::Program& program, workload::Axis axis) {
  const auto& mesh = program.mesh;
  const std::uint32_t stages = mesh.size(workload::Dim::pp);
  if (stages == 1) return false;
  const std::uint32_t stride = mesh.stride(workload::Dim::pp);
  for (const auto& digit : mesh.axis(axis).digits)
    if (digit.stride == stride && digit.count > 1) return true;
  return false;
}

Result<std::vector<OpCosts::Cost>> OpCosts::alone(const Program& program,
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
      if (auto done = take_times(program, together, {keys.back()}); !done)
        return tl::unexpected(done.error());
      continue;
    }
    chain.front().push_back(op);
    new_keys.push_back(keys.back());
  }
  if (!new_keys.empty())
    if (auto done = take_times(program, chain, new_keys); !done)
      return tl::unexpected(done.error());
  std::vector<Cost> costs;
  for (const std::string& its : keys) costs.push_back(known_.at(its));
  return costs;
}

Result<double> OpCosts::slowdown(const Program& program, const Op& collective, const Op& kernel) {
  const std::string its = key(program, collective);
  const std::string both = its + "&" + key(program, kernel);
  if (const auto known = known_shares_.find(both); known != known_shares_.end())
    return known->second;
  std::vector<std::vector<Op>> by_role(program.roles.size());
  by_role.front() = {collective};
  const auto share = slowdown_by(program, by_role, its, kernel);
  if (share) known_shares_.emplace(both, *share);
  return share;
}

std::int64_t OpCosts::message(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const {
  return network_->alone(from, to, bytes);
}

}  // namespace orrery::estimate
