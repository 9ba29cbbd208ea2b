// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/plan_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <tuple>
#include <utility>

namespace orrery::synthesis {

std::string_view name(PlanFault fault) {
  switch (fault) {
    case PlanFault::outside_buffer:
      return "outside its buffer";
    case PlanFault::no_receiver:
      return "send without a receive";
    case PlanFault::no_sender:
      return "receive without a send";
    case PlanFault::sizes_differ:
      return "different sizes of send and receive";
    case PlanFault::never_counted:
      return "wait without enough signals";
    case PlanFault::no_packet:
      return "wait for a packet that is never written";
    case PlanFault::shared_connection:
      return "two blocks share one end of a connection";
    case PlanFault::wait_cycle:
      return "deadlock";
    case PlanFault::race:
      return "data race";
    case PlanFault::empty_place:
      return "read of an empty place";
    case PlanFault::added_twice:
      return "data added twice";
    case PlanFault::different_added:
      return "sum of different chunks";
    case PlanFault::wrong_result:
      return "wrong result";
    case PlanFault::wrong_buffers:
      break;
  }
  return "buffer sizes do not match the collective";
}

StepIndex::StepIndex(const Plan& plan) {
  std::uint32_t next = 0;
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    first_block_.push_back(static_cast<std::uint32_t>(first_.size()));
    for (const PlanBlock& block : plan.ranks[rank].blocks) {
      first_.push_back(next);
      rank_of_.push_back(rank);
      next += static_cast<std::uint32_t>(block.steps.size());
    }
  }
  first_.push_back(next);
}

StepPosition StepIndex::at(std::uint32_t number) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), number);
  const auto block = static_cast<std::uint32_t>(after - first_.begin()) - 1;
  const std::uint32_t rank = rank_of_[block];
  return {rank, block - first_block_[rank], number - first_[block]};
}

namespace {

/// Returns a step on a cycle. There is one, since each waiting step waits for another waiting step.
std::uint32_t step_on_cycle(const std::vector<std::uint32_t>& waits, const PlanOrder& order) {
  std::vector<bool> visited(waits.size());
  auto at = static_cast<std::uint32_t>(
      std::find_if(waits.begin(), waits.end(), [](std::uint32_t n) { return n > 0; }) -
      waits.begin());
  while (!visited[at]) {
    visited[at] = true;
    for (const std::uint32_t before : order.before_of(at)) {
      if (waits[before] == 0) continue;
      at = before;
      break;
    }
  }
  return at;
}

/// The shortest cycle through `start`: each step waits for the next, the last for the first.
std::vector<std::uint32_t> shortest_cycle(std::uint32_t start,
                                          const std::vector<std::uint32_t>& waits,
                                          const PlanOrder& order) {
  std::vector<std::uint32_t> reached_from(waits.size(), kNoStep), queue{start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t at = queue[i];
    for (const std::uint32_t before : order.before_of(at)) {
      if (before == start) {
        std::vector<std::uint32_t> wait_cycle{at};
        while (wait_cycle.back() != start) wait_cycle.push_back(reached_from[wait_cycle.back()]);
        std::reverse(wait_cycle.begin(), wait_cycle.end());
        return wait_cycle;
      }
      if (waits[before] == 0 || reached_from[before] != kNoStep) continue;
      reached_from[before] = at;
      queue.push_back(before);
    }
  }
  return {start};
}

std::string_view waits_for(PlanEdge why) {
  switch (why) {
    case PlanEdge::block:
      return "follows, in its block,";
    case PlanEdge::dependency:
      return "depends on";
    case PlanEdge::message:
      return "waits for the message of";
    case PlanEdge::counter:
      return "waits for the signal of";
    case PlanEdge::packet:
      break;
  }
  return "waits for the packet of";
}

/// Adds the error for a cycle of waits. `waits`: by step, the number of steps for which it still
/// waits; only steps that wait for each other may be positive.
void add_wait_cycle(const Plan& plan, const std::vector<std::uint32_t>& waits, PlanOrder& order) {
  const auto wait_cycle = shortest_cycle(step_on_cycle(waits, order), waits, order);
  PlanError error{PlanFault::wait_cycle, order.numbers.at(wait_cycle.front()), true, {}, {}};
  error.what =
      fmt::format("{} steps wait for each other, and {} more wait for these", wait_cycle.size(),
                  waits.size() - order.order.size() - wait_cycle.size());
  for (std::size_t i = 0; i < wait_cycle.size(); ++i) {
    const std::uint32_t step = wait_cycle[i], next = wait_cycle[(i + 1) % wait_cycle.size()];
    const auto before = order.before_of(step);
    const auto place = std::find(before.begin(), before.end(), next) - before.begin();
    const PlanEdge why = order.why[order.before_offsets[step] + static_cast<std::size_t>(place)];
    error.history.push_back(fmt::format("{} {} {}", to_text(plan, order.numbers.at(step)),
                                        waits_for(why), to_text(plan, order.numbers.at(next))));
  }
  order.errors.push_back(std::move(error));
}

/// Collects the edges and the errors.
class PlanOrderBuilder {
 public:
  explicit PlanOrderBuilder(const Plan& plan)
      : plan_(plan), made_{StepIndex(plan), {}, {}, {}, {}, {}, {}} {}

  PlanOrder take() {
    made_.sender_of.assign(made_.numbers.count(), kNoStep);
    std::uint32_t number = 0;
    for_each_step(plan_, [&](const StepPosition& at, const PlanBlock& block, const PlanStep&) {
      add_step(at, block, number++);
    });
    match_messages();
    match_counters();
    match_packets();
    sort_edges();
    find_order();
    return std::move(made_);
  }

 private:
  struct End {  // one end of a message
    std::uint32_t from, to, channel;
    bool sends;
    std::uint32_t step;
    auto operator<=>(const End&) const = default;
    [[nodiscard]] bool is_same_connection(const End& other) const {
      return from == other.from && to == other.to && channel == other.channel;
    }
  };
  struct Count {
    std::uint32_t counter, step, level;  // level 0: increments the counter
    auto operator<=>(const Count&) const = default;
  };
  struct Edge {
    std::uint32_t step, before;
    PlanEdge why;
    auto operator<=>(const Edge&) const = default;
  };

  const PlanStep& step(std::uint32_t number) const {
    return step_at(plan_, made_.numbers.at(number));
  }
  std::string text(std::uint32_t number) const { return to_text(plan_, made_.numbers.at(number)); }
  void error(PlanFault fault, std::uint32_t at, std::string what) {
    made_.errors.push_back({fault, made_.numbers.at(at), true, std::move(what), {}});
  }

  void add_step(const StepPosition& at, const PlanBlock& block, std::uint32_t number) {
    const PlanStep& one = block.steps[at.step];
    for (const auto* spans : {&one.reads, &one.writes})
      for (const PlanSpan& span : *spans) check_bounds(span, number);
    if (at.step > 0) edges_.push_back({number, number - 1, PlanEdge::block});
    for (const StepPosition& on : one.after)
      edges_.push_back({number, made_.numbers.index_of(on), PlanEdge::dependency});
    if (one.sends) ends_.push_back({at.rank, *block.to, block.channel, true, number});
    if (one.receives) ends_.push_back({*block.from, at.rank, block.channel, false, number});
    for (const std::uint32_t counter : one.posts) counts_.push_back({counter, number, 0});
    for (const PlanWait& wait : one.waits)
      if (wait.level > 0) counts_.push_back({wait.counter, number, wait.level});
    if (one.writes_packets) packet_writers_.push_back(number);
    if (one.reads_packets) packet_readers_.push_back(number);
  }

  void check_bounds(const PlanSpan& span, std::uint32_t number) {
    const std::uint32_t size = plan_.ranks[span.rank].chunks[static_cast<std::size_t>(span.buffer)];
    if (std::uint64_t{span.first} + span.count <= size) return;
    error(PlanFault::outside_buffer, number,
          fmt::format("{}: the {} of gpu {} has {} chunks", to_text(span), name(span.buffer),
                      span.rank, size));
  }

  void match_messages() {
    std::sort(ends_.begin(), ends_.end());
    std::size_t i = 0;
    while (i < ends_.size()) {
      std::size_t received_end = i;  // receives come first
      while (received_end < ends_.size() && ends_[received_end].is_same_connection(ends_[i]) &&
             !ends_[received_end].sends)
        ++received_end;
      std::size_t end = received_end;
      while (end < ends_.size() && ends_[end].is_same_connection(ends_[i])) ++end;
      match_connection({ends_.data() + i, received_end - i},
                       {ends_.data() + received_end, end - received_end});
      i = end;
    }
  }

  /// Whether both ends may belong to one message: the file does not state different places for
  /// them.
  bool may_be_one(std::uint32_t send, std::uint32_t receive) const {
    const PlanStep &a = step(send), &b = step(receive);
    return !a.ends || !b.ends || (a.ends->to == b.ends->to && a.ends->first_to == b.ends->first_to);
  }

  // If the numbers of sends and receives differ, the places that files state show which have no
  // partner.
  void match_connection(std::span<const End> receives, std::span<const End> sends) {
    check_blocks(receives);
    check_blocks(sends);
    std::size_t s = 0, r = 0;
    while (s < sends.size() || r < receives.size()) {
      const std::size_t sends_left = sends.size() - s, receives_left = receives.size() - r;
      const bool even = sends_left == receives_left;
      const bool one = sends_left > 0 && receives_left > 0 &&
                       (even || may_be_one(sends[s].step, receives[r].step));
      if (one) {
        match(sends[s++].step, receives[r++].step);
      } else if (sends_left > receives_left) {
        error(PlanFault::no_receiver, sends[s].step,
              fmt::format("gpu {} sends to gpu {} on channel {} (send number {}), but gpu {} does "
                          "not receive it: {} sends, {} receives",
                          sends[s].from, sends[s].to, sends[s].channel, s + 1, sends[s].to,
                          sends.size(), receives.size()));
        ++s;
      } else {
        const End& end = receives[r];
        error(PlanFault::no_sender, end.step,
              fmt::format("gpu {} receives from gpu {} on channel {} (receive number {}), but gpu "
                          "{} does not send it: {} sends, {} receives",
                          end.to, end.from, end.channel, r + 1, end.from, sends.size(),
                          receives.size()));
        ++r;
      }
    }
  }

  void check_blocks(std::span<const End> ends) {
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const StepPosition before = made_.numbers.at(ends[i - 1].step),
                         at = made_.numbers.at(ends[i].step);
      if (before.block == at.block) continue;
      error(PlanFault::shared_connection, ends[i].step,
            fmt::format("blocks {} and {} of gpu {} both {} gpu {} on channel {}", before.block,
                        at.block, at.rank, ends[i].sends ? "send to" : "receive from",
                        ends[i].sends ? ends[i].to : ends[i].from, ends[i].channel));
    }
  }

  void match(std::uint32_t send, std::uint32_t receive) {
    const std::uint32_t sent = step(send).count, received = step(receive).count;
    if (sent != received)
      error(PlanFault::sizes_differ, receive,
            fmt::format("receives {} chunks, but {} sends {}", received, text(send), sent));
    made_.sender_of[receive] = send;
    edges_.push_back({receive, send, PlanEdge::message});
  }

  void match_counters() {
    std::sort(counts_.begin(), counts_.end());
    std::vector<std::uint32_t> posts;
    for (std::size_t i = 0; i < counts_.size();) {
      std::size_t end = i;
      posts.clear();
      for (; end < counts_.size() && counts_[end].counter == counts_[i].counter; ++end)
        if (counts_[end].level == 0) posts.push_back(counts_[end].step);
      for (std::size_t k = i; k < end; ++k)
        if (counts_[k].level > 0) match_counter(counts_[k], posts);
      i = end;
    }
  }

  void match_counter(const Count& wait, const std::vector<std::uint32_t>& posts) {
    if (posts.size() < wait.level)
      return error(PlanFault::never_counted, wait.step,
                   fmt::format("waits for number {} of the {}, but there are only {}", wait.level,
                               plan_.counters[wait.counter].what, posts.size()));
    const auto block_of = [&](std::uint32_t number) {
      StepPosition at = made_.numbers.at(number);
      at.step = 0;
      return at;
    };
    if (block_of(posts.front()) == block_of(posts.back())) {
      edges_.push_back({wait.step, posts[wait.level - 1], PlanEdge::counter});
    } else if (wait.level == posts.size()) {
      for (const std::uint32_t post : posts) edges_.push_back({wait.step, post, PlanEdge::counter});
    }
  }

  void match_packets() {
    using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // rank, chunk, writer
    std::vector<Place> written;
    for (const std::uint32_t writer : packet_writers_) {
      for (const PlanSpan& span : step(writer).writes) {
        for (std::uint32_t i = 0; span.buffer == PlanBuffer::scratch && i < span.count; ++i)
          written.emplace_back(span.rank, span.first + i, writer);
      }
    }
    std::sort(written.begin(), written.end());
    for (const std::uint32_t reader : packet_readers_) {
      for (const PlanSpan& span : step(reader).reads) {
        for (std::uint32_t i = 0; span.buffer == PlanBuffer::scratch && i < span.count; ++i) {
          const Place place{span.rank, span.first + i, 0};
          const auto found = std::lower_bound(written.begin(), written.end(), place);
          if (found != written.end() && std::get<0>(*found) == span.rank &&
              std::get<1>(*found) == span.first + i) {
            edges_.push_back({reader, std::get<2>(*found), PlanEdge::packet});
          } else {
            error(PlanFault::no_packet, reader,
                  fmt::format("waits for a packet in {}, but no step writes one there",
                              to_text(PlanSpan{span.rank, span.buffer, span.first + i, 1})));
          }
        }
      }
    }
  }

  void sort_edges() {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    made_.before_offsets.assign(made_.numbers.count() + 1, 0);
    for (const Edge& edge : edges_) {
      ++made_.before_offsets[edge.step + 1];
      made_.before.push_back(edge.before);
      made_.why.push_back(edge.why);
    }
    for (std::size_t i = 1; i < made_.before_offsets.size(); ++i)
      made_.before_offsets[i] += made_.before_offsets[i - 1];
  }

  void find_order() {
    const std::uint32_t count = made_.numbers.count();
    std::vector<std::uint32_t> waits(count), first(count + 1), after(made_.before.size());
    for (const std::uint32_t before : made_.before) ++first[before + 1];
    for (std::uint32_t i = 0; i < count; ++i) first[i + 1] += first[i];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::uint32_t step = 0; step < count; ++step) {
      waits[step] = static_cast<std::uint32_t>(made_.before_of(step).size());
      for (const std::uint32_t before : made_.before_of(step)) after[next[before]++] = step;
    }
    made_.order.reserve(count);
    for (std::uint32_t step = 0; step < count; ++step)
      if (waits[step] == 0) made_.order.push_back(step);
    for (std::size_t i = 0; i < made_.order.size(); ++i) {
      const std::uint32_t done = made_.order[i];
      for (std::uint32_t k = first[done]; k < first[done + 1]; ++k)
        if (--waits[after[k]] == 0) made_.order.push_back(after[k]);
    }
    if (made_.order.size() < count) add_wait_cycle(plan_, waits, made_);
  }

  const Plan& plan_;
  PlanOrder made_;
  std::vector<End> ends_;
  std::vector<Count> counts_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> packet_writers_, packet_readers_;
};

}  // namespace

PlanOrder make_plan_order(const Plan& plan) { return PlanOrderBuilder(plan).take(); }

}  // namespace orrery::synthesis
