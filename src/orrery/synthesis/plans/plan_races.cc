// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/plan_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery::synthesis {
namespace {

/// Two steps that access one place; `first` is earlier in the computed order.
struct AccessPair {
  std::uint32_t first, second, place;
  bool first_writes, second_writes;
  friend bool operator<(const AccessPair& a, const AccessPair& b) {
    return std::tie(a.first, a.second, a.place) < std::tie(b.first, b.second, b.place);
  }
};

class RaceFinder {
 public:
  RaceFinder(const Plan& plan, const PlanOrder& order, const PlanPlaces& places)
      : plan_(plan),
        order_(order),
        places_(places),
        position_(order.order.size()),
        writer_(places.count(), kNoStep),
        readers_(places.count(), kNoStep) {
    for (std::uint32_t i = 0; i < order.order.size(); ++i) position_[order.order[i]] = i;
  }

  std::vector<PlanError> find() {
    for (const std::uint32_t number : order_.order) add_step(number);
    check_results();
    drop_ordered();
    std::vector<PlanError> errors;
    for (const AccessPair& pair : pairs_) errors.push_back(error_of(pair));
    return errors;
  }

 private:
  struct Reader {
    std::uint32_t step, next;
  };

  // If consecutive accesses of a place are ordered, all are.
  void add_step(std::uint32_t number) {
    const PlanStep& step = step_at(plan_, order_.numbers.at(number));
    for (const PlanSpan& span : step.reads) {
      for (std::uint32_t i = 0; i < span.count; ++i) {
        const std::uint32_t place = places_.index_of(span.rank, span.buffer, span.first + i);
        add_pair(writer_[place], number, place, true, false);
        list_.push_back({number, readers_[place]});
        readers_[place] = static_cast<std::uint32_t>(list_.size() - 1);
      }
    }
    for (const PlanSpan& span : step.writes) {
      for (std::uint32_t i = 0; i < span.count; ++i) {
        const std::uint32_t place = places_.index_of(span.rank, span.buffer, span.first + i);
        add_pair(writer_[place], number, place, true, true);
        for (std::uint32_t at = readers_[place]; at != kNoStep; at = list_[at].next)
          add_pair(list_[at].step, number, place, false, true);
        readers_[place] = kNoStep;
        writer_[place] = number;
      }
    }
  }

  // Other ranks' writes to a rank's result must precede the end of its blocks.
  void check_results() {
    if (plan_.collective == CollectiveType::unknown) return;
    for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (std::uint32_t chunk = 0; chunk < places_.outputs(); ++chunk) {
        const std::uint32_t place = places_.index_of(rank, PlanBuffer::output, chunk);
        const std::uint32_t writer = writer_[place];
        if (writer == kNoStep || order_.numbers.at(writer).rank == rank) continue;
        const AccessPair pair{writer, steps() + rank, place, true, false};
        if (pairs_.empty() || pairs_.back().first != writer || pairs_.back().second != pair.second)
          pairs_.push_back(pair);
      }
    }
  }

  // The ends of ranks have the numbers after all steps.
  std::uint32_t steps() const { return static_cast<std::uint32_t>(position_.size()); }
  bool is_end(std::uint32_t number) const { return number >= steps(); }
  template <class Do>
  void for_each_last_step(std::uint32_t end, const Do& act) const {
    const std::uint32_t rank = end - steps();
    const auto& blocks = plan_.ranks[rank].blocks;
    for (std::uint32_t block = 0; block < blocks.size(); ++block)
      if (!blocks[block].steps.empty())
        act(order_.numbers.index_of(
            {rank, block, static_cast<std::uint32_t>(blocks[block].steps.size()) - 1}));
  }
  /// The position in the order up to which a search for a path to `number` must go.
  std::uint32_t position_of(std::uint32_t number) const {
    if (!is_end(number)) return position_[number];
    std::uint32_t last = 0;
    for_each_last_step(number, [&](std::uint32_t step) { last = std::max(last, position_[step]); });
    return last;
  }

  void add_pair(std::uint32_t first, std::uint32_t second, std::uint32_t place, bool first_writes,
                bool second_writes) {
    if (first == kNoStep || first == second) return;
    const StepPosition a = order_.numbers.at(first), b = order_.numbers.at(second);
    if (a.rank == b.rank && a.block == b.block) return;
    const auto before = order_.before_of(second);
    if (std::binary_search(before.begin(), before.end(), first)) return;
    // If two steps meet at several consecutive places, stores only the first.
    if (!pairs_.empty() && pairs_.back().first == first && pairs_.back().second == second) return;
    pairs_.push_back({first, second, place, first_writes, second_writes});
  }

  // Drops pairs with a path from the first to the second step, 64 pairs at a time, along the order.
  void drop_ordered() {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end(),
                             [](const AccessPair& a, const AccessPair& b) {
                               return a.first == b.first && a.second == b.second;
                             }),
                 pairs_.end());
    std::sort(pairs_.begin(), pairs_.end(), [&](const AccessPair& a, const AccessPair& b) {
      return std::pair(position_[a.first], a.second) < std::pair(position_[b.first], b.second);
    });
    std::vector<AccessPair> left;
    std::vector<std::uint64_t> reached(position_.size());
    for (std::size_t begin = 0; begin < pairs_.size(); begin += 64) {
      const std::size_t end = std::min(begin + 64, pairs_.size());
      std::uint32_t last = 0;
      for (std::size_t i = begin; i < end; ++i) {
        reached[pairs_[i].first] |= std::uint64_t{1} << (i - begin);
        last = std::max(last, position_of(pairs_[i].second));
      }
      const std::uint32_t from = position_[pairs_[begin].first];
      for (std::uint32_t at = from; at <= last; ++at) {
        const std::uint32_t step = order_.order[at];
        for (const std::uint32_t before : order_.before_of(step)) reached[step] |= reached[before];
      }
      for (std::size_t i = begin; i < end; ++i) {
        std::uint64_t bits = 0;
        if (is_end(pairs_[i].second)) {
          for_each_last_step(pairs_[i].second, [&](std::uint32_t step) { bits |= reached[step]; });
        } else {
          bits = reached[pairs_[i].second];
        }
        if ((bits >> (i - begin) & 1) == 0) left.push_back(pairs_[i]);
      }
      for (std::uint32_t at = from; at <= last; ++at) reached[order_.order[at]] = 0;
      for (std::size_t i = begin; i < end; ++i) reached[pairs_[i].first] = 0;
    }
    std::sort(left.begin(), left.end());
    pairs_ = std::move(left);
  }

  PlanError error_of(const AccessPair& pair) const {
    if (is_end(pair.second))
      return {PlanFault::race,
              order_.numbers.at(pair.first),
              true,
              fmt::format("writes {}, but gpu {} may end before that",
                          to_text(places_.at(pair.place)), pair.second - steps()),
              {}};
    const StepPosition first = order_.numbers.at(pair.first),
                       second = order_.numbers.at(pair.second);
    return {PlanFault::race,
            second,
            true,
            fmt::format("{} {}, which {} {}, without an order between the two",
                        pair.second_writes ? "writes" : "reads", to_text(places_.at(pair.place)),
                        to_text(plan_, first), pair.first_writes ? "writes" : "reads"),
            {}};
  }

  const Plan& plan_;
  const PlanOrder& order_;
  const PlanPlaces& places_;
  std::vector<std::uint32_t> position_;  ///< position of each step in the order
  std::vector<std::uint32_t> writer_;    ///< last writer of each place
  std::vector<std::uint32_t> readers_;   ///< by place: head of the list of readers since the last
                                         ///< write, in list_
  std::vector<Reader> list_;
  std::vector<AccessPair> pairs_;
};

}  // namespace

std::vector<PlanError> find_races(const Plan& plan, const PlanOrder& order,
                                  const PlanPlaces& places) {
  return RaceFinder(plan, order, places).find();
}

}  // namespace orrery::synthesis
