// SPDX-License-Identifier: Apache-2.0
#include "gloo_communicator.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#ifdef ORRERY_GLOO

#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO
#endif
#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "clock.h"
#include "gloo_tensors.h"

namespace orrery::bench {
namespace {

using Tensors = std::vector<at::Tensor>;
using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;
using Backend = c10d::ProcessGroupGloo;

std::vector<std::uint32_t> members_of(const ProcessGroup& group, const GlooOptions& place) {
  return group.ranks.empty() ? place.ranks : group.ranks;
}

std::optional<int> place_in(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  if (found == ranks.end()) return std::nullopt;
  return static_cast<int>(found - ranks.begin());
}

/// A communication in progress.
struct PendingCommunication {
  Works works;
  ReceiveBuffers received;
  Tensors retained;  ///< tensors that have no other owner
  std::int64_t begin_ns = 0;
  /// A Gloo thread writes it, possibly after the waiting thread has continued: each communication
  /// has its own.
  std::shared_ptr<std::atomic<std::int64_t>> end_ns;
};

class Gloo final : public Communicator {
 public:
  Gloo(const Program& program, const GlooOptions& place);
  void barrier() override;
  void begin(std::size_t exchange, const Tensors& sent, const Tensors& received) override;
  TimeSpan wait(std::size_t exchange) override;

 private:
  [[nodiscard]] c10::intrusive_ptr<Backend> connect(const std::string& name,
                                                    const std::vector<std::uint32_t>& ranks);
  void start(const Exchange& what, Backend& group, PendingCommunication& made, const Tensors& sent,
             const Tensors& received);
  void all_gather(Backend& group, PendingCommunication& made, const Tensors& sent,
                  const Tensors& received);
  void reduce_scatter(Backend& group, PendingCommunication& made, const Tensors& sent,
                      const Tensors& received);
  void all_to_all(const Exchange& what, Backend& group, PendingCommunication& made,
                  const Tensors& sent, const Tensors& received);
  void gather(const Exchange& what, Backend& group, PendingCommunication& made, const Tensors& sent,
              const Tensors& received);
  void scatter(const Exchange& what, Backend& group, PendingCommunication& made,
               const Tensors& sent, const Tensors& received);
  [[noreturn]] void throw_failure(std::size_t exchange, const char* why) const;

  const Program& program_;
  GlooOptions place_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<Backend> world_;
  std::vector<c10::intrusive_ptr<Backend>> groups_;
  std::vector<PendingCommunication> pending_;
};

Gloo::Gloo(const Program& program, const GlooOptions& place)
    : program_(program),
      place_(place),
      store_(
          c10::make_intrusive<c10d::FileStore>(place.store, static_cast<int>(place.ranks.size()))),
      groups_(program.groups.size()),
      pending_(program.exchanges.size()) {
  store_->setTimeout(std::chrono::milliseconds(place.timeout_ms));
  world_ = connect("all", place.ranks);
  // All processes create groups in the same order, independent of the order in their plans.
  std::map<std::pair<std::vector<std::uint32_t>, std::size_t>, std::size_t> in_order;
  std::map<std::vector<std::uint32_t>, std::size_t> same;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto ranks = members_of(program.groups[g], place);
    in_order[{ranks, same[ranks]++}] = g;
  }
  for (const auto& [key, g] : in_order) {
    std::string name = std::to_string(key.second) + "of";
    for (const std::uint32_t rank : key.first) name += "," + std::to_string(rank);
    groups_[g] = connect(name, key.first);
  }
}

c10::intrusive_ptr<Backend> Gloo::connect(const std::string& name,
                                          const std::vector<std::uint32_t>& ranks) {
  for (const std::uint32_t rank : ranks) {
    if (!place_in(place_.ranks, rank))
      throw std::runtime_error("rank " + std::to_string(rank) +
                               " belongs to a process group and is not played");
  }
  const auto own = place_in(ranks, place_.rank);
  if (!own) throw std::runtime_error("a rank communicates in a group that it does not belong to");
  auto options = Backend::Options::create(std::chrono::milliseconds(place_.timeout_ms));
  options->devices = {Backend::createDeviceForHostname("127.0.0.1")};
  options->threads = 2;
  return c10::make_intrusive<Backend>(c10::make_intrusive<c10d::PrefixStore>(name, store_), *own,
                                      static_cast<int>(ranks.size()), options);
}

void Gloo::barrier() { world_->barrier()->wait(); }

void Gloo::throw_failure(std::size_t exchange, const char* why) const {
  const Exchange& what = program_.exchanges[exchange];
  std::string reason = why;
  reason = reason.substr(0, reason.find('\n'));
  throw std::runtime_error("communication " + std::to_string(exchange + 1) + ", " +
                           std::string(what.kind) + " of " + std::to_string(what.bytes) +
                           " bytes: " + reason);
}

void Gloo::begin(std::size_t exchange, const Tensors& sent, const Tensors& received) {
  const Exchange& what = program_.exchanges[exchange];
  PendingCommunication& made = pending_[exchange];
  made.works.clear();
  made.retained.clear();
  made.begin_ns = wall_ns();
  made.end_ns = std::make_shared<std::atomic<std::int64_t>>(0);
  try {
    start(what, *groups_[what.group], made, sent, received);
    if (made.works.empty()) return;
    // Messages have no future; they end when wait() returns.
    if (what.kind == "send" || what.kind == "recv") return;
    made.works.back()->getFuture()->addCallback(
        [end = made.end_ns](c10::ivalue::Future& /*done*/) { *end = wall_ns(); });
  } catch (const std::exception& error) {
    throw_failure(exchange, error.what());
  }
}

TimeSpan Gloo::wait(std::size_t exchange) {
  PendingCommunication& made = pending_[exchange];
  try {
    for (const auto& work : made.works) work->wait();
    made.received.take();
  } catch (const std::exception& error) {
    throw_failure(exchange, error.what());
  }
  const std::int64_t reported_ns = *made.end_ns,
                     now = made.works.empty() ? made.begin_ns : wall_ns();
  made.works.clear();
  made.retained.clear();
  return {made.begin_ns, reported_ns == 0 ? now : reported_ns};
}

void Gloo::start(const Exchange& what, Backend& group, PendingCommunication& made,
                 const Tensors& sent, const Tensors& received) {
  const int root = std::max(what.peer, 0);
  const auto each = [&](const auto& of) {
    for (const at::Tensor& tensor : received) {
      Tensors one = {gloo_tensor(made.received.row_for(tensor))};
      made.works.push_back(of(one));
    }
  };
  if (what.kind == "all_reduce") {
    each([&](Tensors& one) { return group.allreduce(one); });
  } else if (what.kind == "broadcast") {
    c10d::BroadcastOptions options;
    options.rootRank = root;
    each([&](Tensors& one) { return group.broadcast(one, options); });
  } else if (what.kind == "reduce") {
    c10d::ReduceOptions options;
    options.rootRank = root;
    each([&](Tensors& one) { return group.reduce(one, options); });
  } else if (what.kind == "barrier") {
    made.works.push_back(group.barrier());
  } else if (what.kind == "all_gather") {
    all_gather(group, made, sent, received);
  } else if (what.kind == "reduce_scatter") {
    reduce_scatter(group, made, sent, received);
  } else if (what.kind == "all_to_all") {
    all_to_all(what, group, made, sent, received);
  } else if (what.kind == "gather") {
    gather(what, group, made, sent, received);
  } else if (what.kind == "scatter") {
    scatter(what, group, made, sent, received);
  } else if (what.kind == "send" || what.kind == "recv") {
    const auto ranks = members_of(program_.groups[what.group], place_);
    const auto other = place_in(ranks, static_cast<std::uint32_t>(what.peer));
    if (!other) throw std::runtime_error("its other rank is not in the group");
    if (what.kind == "recv") each([&](Tensors& one) { return group.recv(one, *other, 0); });
    if (what.kind == "recv") return;
    for (const at::Tensor& tensor : sent) {
      Tensors one = {gloo_tensor(flattened(tensor))};
      made.works.push_back(group.send(one, *other, 0));
    }
  }
}

/// One buffer for all tensors: the elements of several tensors are concatenated.
at::Tensor one_row(const Tensors& tensors) {
  Tensors rows;
  for (const at::Tensor& tensor : tensors) rows.push_back(gloo_tensor(flattened(tensor)));
  if (rows.empty()) throw std::runtime_error("the recording does not say what is sent");
  return rows.size() == 1 ? rows.front() : at::cat(rows);
}

/// One buffer to receive several tensors, whose parts are then copied to them.
at::Tensor row_of_all(const Tensors& tensors, ReceiveBuffers& received, std::int64_t elements,
                      const at::Tensor& like) {
  if (tensors.size() == 1 && tensors.front().numel() == elements)
    return gloo_tensor(received.row_for(tensors.front()));
  at::Tensor row = at::empty({elements}, like.options());
  std::int64_t at = 0;
  for (const at::Tensor& tensor : tensors) {
    if (at + tensor.numel() > elements) break;
    at::Tensor to = gloo_tensor(received.row_for(tensor));
    received.then_copy(row.narrow(0, at, to.numel()), to);
    at += to.numel();
  }
  return row;
}

void Gloo::all_gather(Backend& group, PendingCommunication& made, const Tensors& sent,
                      const Tensors& received) {
  const std::int64_t ranks = group.getSize();
  Tensors in = {one_row(sent)};
  at::Tensor row = row_of_all(received, made.received, in.front().numel() * ranks, in.front());
  std::vector<Tensors> out = {parts_of(row, ranks)};
  made.retained = out.front();
  made.works.push_back(group.allgather(out, in));
}

/// Gloo has no reduce-scatter: each rank reduces everything and uses its part.
void Gloo::reduce_scatter(Backend& group, PendingCommunication& made, const Tensors& sent,
                          const Tensors& received) {
  const at::Tensor in = one_row(sent);
  Tensors all = {in.clone()};
  const at::Tensor own =
      parts_of(all.front(), group.getSize())[static_cast<std::size_t>(group.getRank())];
  for (const at::Tensor& tensor : received) {
    at::Tensor to = gloo_tensor(made.received.row_for(tensor));
    if (to.numel() == own.numel()) made.received.then_copy(own, to);
  }
  made.retained = all;
  made.works.push_back(group.allreduce(all));
}

void Gloo::all_to_all(const Exchange& what, Backend& group, PendingCommunication& made,
                      const Tensors& sent, const Tensors& received) {
  const std::int64_t ranks = group.getSize();
  at::Tensor in = one_row(sent);
  std::int64_t elements = 0;
  for (const at::Tensor& tensor : received) elements += gloo_tensor(flattened(tensor)).numel();
  if (received.empty()) elements = in.numel();
  at::Tensor out = row_of_all(received, made.received, elements, in);
  std::vector<std::int64_t> to = splits_of(what.in_split, in.numel(), ranks);
  std::vector<std::int64_t> from = splits_of(what.out_split, elements, ranks);
  made.retained = {in, out};
  made.works.push_back(group.alltoall_base(out, in, from, to));
}

void Gloo::gather(const Exchange& what, Backend& group, PendingCommunication& made,
                  const Tensors& sent, const Tensors& received) {
  Tensors in = {one_row(sent)};
  c10d::GatherOptions options;
  options.rootRank = std::max(what.peer, 0);
  std::vector<Tensors> out;
  if (group.getRank() == options.rootRank) {
    const std::int64_t ranks = group.getSize();
    out = {parts_of(row_of_all(received, made.received, in.front().numel() * ranks, in.front()),
                    ranks)};
    made.retained = out.front();
  }
  made.works.push_back(group.gather(out, in, options));
}

void Gloo::scatter(const Exchange& what, Backend& group, PendingCommunication& made,
                   const Tensors& sent, const Tensors& received) {
  c10d::ScatterOptions options;
  options.rootRank = std::max(what.peer, 0);
  if (received.empty()) throw std::runtime_error("the recording does not say what is received");
  Tensors out = {gloo_tensor(made.received.row_for(received.front()))};
  std::vector<Tensors> in;
  if (group.getRank() == options.rootRank) in = {parts_of(one_row(sent), group.getSize())};
  made.works.push_back(group.scatter(out, in, options));
}

}  // namespace

std::unique_ptr<Communicator> make_gloo_communicator(const Program& program,
                                                     const GlooOptions& place) {
  return std::make_unique<Gloo>(program, place);
}

}  // namespace orrery::bench

#else

namespace orrery::bench {

std::unique_ptr<Communicator> make_gloo_communicator(const Program& /*program*/,
                                                     const GlooOptions& /*place*/) {
  throw std::runtime_error("this PyTorch has no Gloo, or not one that Orrery was built for");
}

}  // namespace orrery::bench

#endif
