// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/phase_factory.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/message_times.h"
#include "orrery/model/collective/library/deepep.h"

namespace orrery::model {

using graph::CollectiveType;
using platform::Rules;

namespace {

// ASTRA-sim charges 10 ns at the end points of sub-group rings, whatever endpoint-delay is.
constexpr std::int64_t kAstraSubGroupEndpoint = 10 * kPsPerNs;

}  // namespace

std::int64_t share(std::int64_t data, std::int64_t parts, Rules rules) {
  return rules == Rules::astra ? data / parts : (data + parts - 1) / parts;
}

std::int64_t data_after(CollectiveType type, std::int64_t data, std::int64_t ring_size,
                        Rules rules) {
  switch (type) {
    case CollectiveType::reduce_scatter:
      return share(data, ring_size, rules);
    case CollectiveType::all_gather:
      return data * ring_size;
    default:
      return data;
  }
}

Result<void> PhaseFactory::check(const PhaseRequest& request) const {
  if (request.ring.size > kMaxMembers) {
    return fail(Errc::limit_exceeded, fmt::format("dimension {}", request.dim),
                fmt::format("one ring has {} members; at most {} are allowed", request.ring.size,
                            kMaxMembers),
                "describe the network with more dimensions");
  }
  return algorithm_of(request.algorithm).check(request, platform_.rules);
}

// A channel is a thread block that occupies one SM. Each byte on a wire is read from the memory of
// one device and written to that of another; a byte that is reduced is read once more. DeepEP and
// HybridEP send a token once to each rank, and reduce when they combine.
void PhaseFactory::set_device_use(PhaseSpec& spec, std::int64_t whole,
                                  std::int64_t duration) const {
  const PhaseRequest& request = spec.request;
  const nccl::Shape shape{request.ring.size, request.library.nodes};
  spec.sms = library_->sms(request.type, whole, shape, request.exchange);
  if (duration <= 0) return;
  const double n = request.ring.size;
  double size = static_cast<double>(whole);
  const graph::ExpertExchange& tokens = request.exchange;
  const bool once = tokens.transport() == graph::ExpertTransport::deepep ||
                    tokens.transport() == graph::ExpertTransport::hybridep;
  if (once) size *= deepep::groups_reached(n, tokens.top_k, tokens.experts) / tokens.top_k;
  const bool twice = request.type == CollectiveType::all_reduce;
  const bool reduces =
      twice || request.type == CollectiveType::reduce_scatter || (once && tokens.is_combine());
  const double wire = (twice ? 2 : 1) * size * (n - 1) / n;
  const double rate = (reduces ? 3 : 2) * wire / static_cast<double>(duration) * 1e12;
  spec.memory_rate = rate < 1e15 ? static_cast<std::int64_t>(rate) : 0;
}

std::int64_t PhaseFactory::full_buffer(const PhaseRequest& request) {
  const std::int64_t ranks =
      request.type == CollectiveType::all_gather ? std::int64_t{request.ring.size} : 1;
  return request.data * ranks;
}

LibraryEstimate PhaseFactory::predicted(const PhaseRequest& request) const {
  const LibraryGroup& group = request.library;
  const std::int64_t whole = full_buffer(request);
  const nccl::Shape shape{request.ring.size, group.nodes};
  LibraryEstimate answer = (*library_)(request.type, whole, shape, request.exchange);
  if (group.intra_share < 1 || group.inter_share < 1)
    answer.time = library_->slowed(request.type, whole, shape, group.intra_share, group.inter_share,
                                   request.exchange);
  answer.time = Time(later(answer.time.count(), group.extra_latency));
  return answer;
}

// Models a library's collective as a direct phase, so that its duration starts when the last member
// begins. Messages between all members last no time; half of the library's duration passes before
// each is sent, half after it has arrived.
Result<PhaseSpec> PhaseFactory::make_by_library(const PhaseRequest& request) const {
  const auto n = static_cast<std::int32_t>(request.ring.size);
  const LibraryGroup& group = request.library;
  const std::int64_t whole = full_buffer(request);
  const nccl::Shape shape{request.ring.size, group.nodes};
  if (!library_->runs(request.type, whole, shape)) {
    return fail(
        Errc::config_conflict, "collectives: settings",
        fmt::format("NCCL_ALGO and NCCL_PROTO allow no algorithm for {} among {} ranks on {} nodes",
                    graph::name(request.type), shape.ranks, shape.nodes),
        "allow ring");
  }
  const std::int64_t duration = predicted(request).time.count();
  if (duration >= MultiDimFabric::kTooLong) {
    return fail(Errc::config_range, fmt::format("dimension {}", request.dim),
                fmt::format("a collective of {} bytes takes longer than 46 days", whole),
                "check the bandwidths, the latencies and the collective's size");
  }
  PhaseSpec spec;
  spec.request = request;
  spec.peers = algorithm_of(request.algorithm).peers();
  spec.endpoint = (duration + 1) / 2;
  set_device_use(spec, whole, duration);
  const LibraryEstimate empty = (*library_)(request.type, 1, shape, request.exchange);
  spec.latency = std::min(empty.time.count(), duration);
  spec.window = n - 1;
  spec.steps = n - 1;
  spec.plain_run = n - 1;
  spec.reduce_run = n - 1;
  spec.keys = request.ring.size;
  const std::int64_t twice = request.type == CollectiveType::all_reduce ? 2 : 1;
  const std::int64_t message = request.type == CollectiveType::all_gather
                                   ? request.data
                                   : sizes_.share(twice * request.data, n);
  spec.step = {PhaseMessage{message, 0, 1}};
  spec.delay_by_key.assign(spec.keys, 0);
  spec.burst = true;
  return spec;
}

Result<PhaseSpec> PhaseFactory::make(const PhaseRequest& request) const {
  if (auto ok = check(request); !ok) return tl::unexpected(ok.error());
  if (request.library.nodes > 0) return make_by_library(request);
  PhaseSpec spec;
  const CollectiveAlgorithm& algorithm = algorithm_of(request.algorithm);
  spec.request = request;
  spec.peers = algorithm.peers();
  spec.endpoint = request.sub_group && platform_.rules == Rules::astra
                      ? kAstraSubGroupEndpoint
                      : platform_.collectives.endpoint_delay.count();
  algorithm.fill(spec, sizes_);
  if (auto ok = fill_delays(spec); !ok) return tl::unexpected(ok.error());
  // ASTRA-sim's sub-group rings do not use the bus; its trees always do.
  spec.on_bus = platform_.shared_bus && (platform_.rules == Rules::orrery || !request.sub_group ||
                                         spec.peers == Peers::tree);
  const std::vector<std::int64_t>& delays = spec.delay_by_key;
  const bool known = !delays.empty() && !spec.on_bus;
  spec.lockstep = known && (spec.peers == Peers::next || spec.peers == Peers::exchange);
  spec.burst = known && spec.peers == Peers::each &&
               std::all_of(delays.begin() + 1, delays.end(),
                           [&](std::int64_t delay) { return delay == delays[1]; });
  return spec;
}

Result<void> PhaseFactory::fill_delays(PhaseSpec& spec) const {
  const PhaseRequest& request = spec.request;
  const bool too_long =
      std::any_of(spec.step.begin(), spec.step.end(),
                  [](const PhaseMessage& step) { return step.reduce >= MultiDimFabric::kTooLong; });
  if (delays_ != nullptr && request.along_dim && !delays_->ports_deviate(request.dim) &&
      spec.peers != Peers::tree && spec.peers != Peers::in_switches) {
    const bool stepped = spec.peers == Peers::exchange;
    for (std::uint32_t key = 0; key < spec.keys; ++key) {
      const PhaseMessage& step = spec.step_of(stepped ? key : 0);
      const std::uint32_t offset = stepped ? step.distance : std::max(key, 1u);
      const std::uint32_t hops = delays_->hops(request.dim, 0, offset % request.ring.size);
      spec.delay_by_key.push_back(delays_->delay_in_dim(request.dim, hops, step.bytes));
    }
  }
  const bool far =
      std::any_of(spec.delay_by_key.begin(), spec.delay_by_key.end(),
                  [](std::int64_t delay) { return delay >= MultiDimFabric::kTooLong; });
  if (!too_long && !far) return {};
  return fail(
      Errc::config_range, fmt::format("dimension {}", request.dim),
      fmt::format("a message of {} bytes takes longer than 46 days", spec.step.front().bytes),
      "check the bandwidths, the latencies and the collective's size");
}

}  // namespace orrery::model
