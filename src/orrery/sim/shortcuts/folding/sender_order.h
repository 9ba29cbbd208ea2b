// SPDX-License-Identifier: Apache-2.0
//
// Compares links that serve messages in order of arrival.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/network/network.h"
#include "orrery/sim/shortcuts/folding/rank_partition.h"
#include "orrery/sim/shortcuts/folding/word_interner.h"

namespace orrery::sim {

/// A message on a link of its route.
struct CarriedMessage {
  std::uint32_t link = 0;
  std::uint32_t sender = 0;
  std::uint32_t kind = 0;  ///< of the message, see LinkClasses
  std::uint32_t hop = 0;   ///< number of links that it has crossed before
};

/// Classes of links that serve messages in order of arrival (model::Traits::in_order).
///
/// A link is a queue. Two links behave identically if the same messages from equivalent sources
/// reach them at the same times, in the same order. So the links of a class need the same inputs
/// one to one, as the ranks of a class do: an input of a link is (class of the sender, kind, hop),
/// and each link of a class has each of its inputs exactly once. Sums are not enough, as they are
/// for rates: of two equivalent senders at one link, one message would wait for the other.
/// Therefore
///
/// - links are equivalent if they have equal kinds and equally many senders with each set of
/// inputs;
/// - ranks are equivalent if their messages cross equivalent links, hop by hop, and if they have
/// the
///   same role on each: the same set of inputs, and equally many senders before them with this set.
///   Where two senders of one class meet on a link, this splits the class, so that every input is
///   there once.
///
/// If neither criterion splits a class any more, the partition of ranks and links is a fibration of
/// the graph of their messages (see fold()): an induction over the times of events shows that all
/// links of a class have equal queues at all times, provided that equivalent links serve messages
/// that arrive in one tick in the same order. Messages of one sender do: the order is the sender's
/// own. For messages of several senders, the network checks the order when it happens
/// (model::Sink::order_matters()). Under Orrery rules the number of the sender decides. If its
/// place among the senders is the same on all equivalent links, the order is the same. If not, the
/// run is repeated with `ordered` links: these are equivalent only if the sequence of their
/// senders' sets is equal, which makes the order the same.
class SenderOrder {
 public:
  /// `carried`: by message and link, ascending by sender, then by kind and hop. `ordered`: by link;
  /// empty: none.
  SenderOrder(std::vector<CarriedMessage> carried, std::uint32_t links, std::vector<bool> ordered);

  /// Sets the colors of links, which are equal for equivalent links. `kinds`: by link. O(messages ×
  /// log senders of a link).
  void classify(const RankPartition& ranks, std::span<const std::uint32_t> kinds,
                std::vector<std::uint32_t>& colors);
  /// The role of the message's sender on its link.
  [[nodiscard]] std::uint32_t role(std::size_t message) const { return roles_[message]; }
  /// Adds the senders, their places and orders. `links.first` is set. Requires that no set of
  /// inputs repeats on a link.
  void add_to(model::EquivalentLinks& links) const;

 private:
  /// A sender of a link.
  struct Sender {
    std::size_t first = 0;  ///< in by_link_
    std::uint32_t rank = 0;
    std::uint32_t set = 0;  ///< number of its set of inputs, as of the last classify()
  };
  [[nodiscard]] std::span<const Sender> senders(std::uint32_t link) const {
    return {senders_.data() + first_sender_[link], first_sender_[link + 1] - first_sender_[link]};
  }
  void number_sets(const RankPartition& ranks);
  void find_roles(std::uint32_t link);

  std::vector<CarriedMessage> carried_;
  std::vector<std::size_t> by_link_;       // messages, by link
  std::vector<std::size_t> first_sender_;  // by link, and the end
  std::vector<Sender> senders_;            // one more, for the end
  std::vector<std::uint32_t> roles_;       // by message, as of the last classify()
  std::vector<bool> ordered_;              // by link; empty: none
  WordInterner role_numbers_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace orrery::sim
