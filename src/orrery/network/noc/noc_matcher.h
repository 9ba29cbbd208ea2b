// SPDX-License-Identifier: Apache-2.0
//
// Allocators: they match requesting inputs to outputs, at most one each. Private to this room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/network/noc/noc_types.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::noc {

struct MatchRequest {
  std::uint32_t in = 0, out = 0;
  std::uint32_t item = 0;  ///< of the caller
};

/// Pointers that move in turn, by input and by output.
struct TurnPointers {
  std::span<std::uint32_t> in, out;
  std::uint32_t in_count = 0, out_count = 0;
};

/// Sources: McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM
/// Transactions on Networking 7 (2), 1999, section III (pointers move only past grants that were
/// accepted in the first iteration); Tamir and Chi, "Symmetric crossbar arbiters for VLSI
/// communication switches", IEEE Transactions on Parallel and Distributed Systems 4 (1), 1993
/// (wavefront); Becker and Dally, "Allocator implementations for network-on-chip routers", SC 2009
/// (separable). O(requests × iterations); wavefront also sorts them.
class Matcher {
 public:
  void resize(std::uint32_t ins, std::uint32_t outs) {
    in_.assign(ins, {});
    out_.assign(outs, {});
  }

  /// Forgets all matches.
  void clear() {
    for (const std::uint32_t i : used_in_) in_[i] = {};
    for (const std::uint32_t i : used_out_) out_[i] = {};
    used_in_.clear();
    used_out_.clear();
    granted_.clear();
  }
  /// Adds matches of unmatched inputs and outputs; `granted()` has the numbers of the requests.
  void match(platform::NocAllocator kind, std::int64_t iterations,
             std::span<const MatchRequest> requests, const TurnPointers& turns,
             std::int64_t cycle) {
    granted_.clear();
    switch (kind) {
      case platform::NocAllocator::islip:
        for (std::int64_t i = 0; i < iterations; ++i) {
          if (!islip(requests, turns, i == 0)) break;
        }
        break;
      case platform::NocAllocator::separable:
        separable(requests, turns);
        break;
      case platform::NocAllocator::wavefront:
        wavefront(requests, turns, cycle);
        break;
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> granted() const { return granted_; }

 private:
  struct Port {
    std::uint32_t best = kNone;      // request
    std::uint32_t distance = kNone;  // of `best` from the pointer
    bool matched = false;
  };

  static std::uint32_t after(std::uint32_t value, std::uint32_t pointer, std::uint32_t count) {
    return value >= pointer ? value - pointer : value + count - pointer;
  }
  static void offer(Port& port, std::vector<std::uint32_t>& used, std::uint32_t number,
                    std::uint32_t request, std::uint32_t distance) {
    if (port.best == kNone && !port.matched) used.push_back(number);
    if (distance < port.distance) port = {request, distance, port.matched};
  }
  void accept(std::span<const MatchRequest> requests, std::uint32_t request) {
    in_[requests[request].in].matched = true;
    out_[requests[request].out].matched = true;
    granted_.push_back(request);
  }
  static void move_past(const MatchRequest& request, const TurnPointers& turns) {
    turns.in[request.in] = request.out + 1 == turns.out_count ? 0 : request.out + 1;
    turns.out[request.out] = request.in + 1 == turns.in_count ? 0 : request.in + 1;
  }

  bool islip(std::span<const MatchRequest> requests, const TurnPointers& turns, bool first) {
    const std::size_t outs = used_out_.size(), ins = used_in_.size();
    for (std::uint32_t i = 0; i < requests.size(); ++i) {
      const MatchRequest& one = requests[i];
      if (in_[one.in].matched || out_[one.out].matched) continue;
      offer(out_[one.out], used_out_, one.out, i,
            after(one.in, turns.out[one.out], turns.in_count));
    }
    for (std::size_t i = outs; i < used_out_.size(); ++i) {
      const std::uint32_t request = out_[used_out_[i]].best;
      const MatchRequest& one = requests[request];
      offer(in_[one.in], used_in_, one.in, request,
            after(one.out, turns.in[one.in], turns.out_count));
    }
    const bool any = used_in_.size() > ins;
    for (std::size_t i = ins; i < used_in_.size(); ++i) {
      const std::uint32_t request = in_[used_in_[i]].best;
      accept(requests, request);
      if (first) move_past(requests[request], turns);
    }
    end_round(outs, ins);
    return any;
  }

  void separable(std::span<const MatchRequest> requests, const TurnPointers& turns) {
    const std::size_t outs = used_out_.size(), ins = used_in_.size();
    for (std::uint32_t i = 0; i < requests.size(); ++i) {
      const MatchRequest& one = requests[i];
      if (in_[one.in].matched || out_[one.out].matched) continue;
      offer(in_[one.in], used_in_, one.in, i, after(one.out, turns.in[one.in], turns.out_count));
    }
    for (std::size_t i = ins; i < used_in_.size(); ++i) {
      const std::uint32_t request = in_[used_in_[i]].best;
      const MatchRequest& one = requests[request];
      offer(out_[one.out], used_out_, one.out, request,
            after(one.in, turns.out[one.out], turns.in_count));
    }
    for (std::size_t i = outs; i < used_out_.size(); ++i) {
      const std::uint32_t request = out_[used_out_[i]].best;
      accept(requests, request);
      move_past(requests[request], turns);
    }
    end_round(outs, ins);
  }

  void wavefront(std::span<const MatchRequest> requests, const TurnPointers& turns,
                 std::int64_t cycle) {
    const std::uint32_t size = std::max(turns.in_count, turns.out_count);
    const auto from = static_cast<std::uint32_t>(cycle % size);
    order_.clear();
    for (std::uint32_t i = 0; i < requests.size(); ++i) {
      const std::uint32_t diagonal = (requests[i].in + requests[i].out) % size;
      order_.push_back({after(diagonal, from, size), requests[i].in, i});
    }
    std::sort(order_.begin(), order_.end());
    for (const Diagonal& one : order_) {
      const MatchRequest& request = requests[one.request];
      if (in_[request.in].matched || out_[request.out].matched) continue;
      used_in_.push_back(request.in);
      used_out_.push_back(request.out);
      accept(requests, one.request);
    }
  }

  /// Keeps matched ports in the lists of used ones, so that clear() finds them.
  void end_round(std::size_t outs, std::size_t ins) {
    const auto keep = [](std::vector<Port>& ports, std::vector<std::uint32_t>& used,
                         std::size_t first) {
      std::size_t kept = first;
      for (std::size_t i = first; i < used.size(); ++i) {
        Port& port = ports[used[i]];
        port.best = kNone;
        port.distance = kNone;
        if (port.matched) used[kept++] = used[i];
      }
      used.resize(kept);
    };
    keep(in_, used_in_, ins);
    keep(out_, used_out_, outs);
  }

  struct Diagonal {
    std::uint32_t distance, in, request;
    friend auto operator<=>(const Diagonal&, const Diagonal&) = default;
  };

  std::vector<Port> in_, out_;
  std::vector<std::uint32_t> used_in_, used_out_, granted_;
  std::vector<Diagonal> order_;
};

}  // namespace orrery::noc
