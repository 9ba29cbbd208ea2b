// SPDX-License-Identifier: Apache-2.0
//
// The table of collective algorithms, which cluster files, ASTRA-sim's files, their schema, help,
// the reference and `orrery collective compare` use. model/collective/algorithms implements them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/collective_type.h"

namespace orrery::platform {

/// How one collective runs in one dimension.
enum class Algorithm : std::uint8_t {
  ring,
  direct,
  halving_doubling,
  double_binary_tree,
  in_network,  ///< by switches that can
};

struct AlgorithmSpec {
  Algorithm algorithm = Algorithm::ring;
  std::int64_t window = -1;  ///< messages in flight; -1 = one per peer
  bool joined = false;       ///< in one logical dimension over all ranks

  friend auto operator<=>(const AlgorithmSpec&, const AlgorithmSpec&) = default;
};

struct AlgorithmEntry {
  Algorithm algorithm;
  std::string_view name;  ///< in cluster files and options
  /// ASTRA-sim's name in system files, and over all dimensions; empty: it has none.
  std::string_view astra, astra_joined;
  std::string_view sentence;     ///< what members do, for the reference
  bool all_reduce_only = false;  ///< ASTRA-sim runs a whole all-reduce in place of its halves
  bool all_to_all = true;        ///< it can run one (switches: one that carries tokens)
  bool power_of_two = false;     ///< it needs so many members
  bool window = false;           ///< its name may end in the messages in flight: "direct:4"
  bool by_switches = false;
  bool joins = true;     ///< over all dimensions as one, too: "one_ring"
  bool compared = true;  ///< `orrery collective compare` and `--collective-algorithm auto` try it
};

/// In the order of Algorithm.
inline constexpr std::array kAlgorithms{
    AlgorithmEntry{.algorithm = Algorithm::ring,
                   .name = "ring",
                   .astra = "ring",
                   .astra_joined = "oneRing",
                   .sentence = "each member sends to the next"},
    AlgorithmEntry{.algorithm = Algorithm::direct,
                   .name = "direct",
                   .astra = "direct",
                   .astra_joined = "oneDirect",
                   .sentence = "each member sends to every other",
                   .window = true},
    AlgorithmEntry{.algorithm = Algorithm::halving_doubling,
                   .name = "halving_doubling",
                   .astra = "halvingDoubling",
                   .astra_joined = "oneHalvingDoubling",
                   .sentence = "pairs of members exchange halves, at distances 1, 2, 4 …",
                   .all_to_all = false,
                   .power_of_two = true},
    AlgorithmEntry{
        .algorithm = Algorithm::double_binary_tree,
        .name = "double_binary_tree",
        .astra = "doubleBinaryTree",
        .sentence =
            "sums go up a binary tree and the result goes down; chunks alternate between two trees",
        .all_reduce_only = true,
        .all_to_all = false,
        .power_of_two = true,
        .joins = false,
        .compared = false},
    AlgorithmEntry{.algorithm = Algorithm::in_network,
                   .name = "in_network",
                   .sentence = "switches reduce incoming data and multicast the result",
                   .by_switches = true},
};

[[nodiscard]] constexpr const AlgorithmEntry& entry(Algorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)];
}
/// Whether the algorithm supports this type of collective.
[[nodiscard]] constexpr bool can_run(const AlgorithmEntry& one, CollectiveType type) {
  return type == CollectiveType::all_reduce ||
         (type == CollectiveType::all_to_all ? one.all_to_all : !one.all_reduce_only);
}

/// For help.
struct AlgorithmNames {
  template <class Put>
  static constexpr void write(Put put) {
    for (const AlgorithmEntry& one : kAlgorithms) {
      put(&one == kAlgorithms.data() ? "" : ", ");
      put(one.name);
    }
  }
};

/// Before the name of an algorithm that joins all dimensions: "one_ring".
inline constexpr std::string_view kJoinedPrefix = "one_";

/// A name of an algorithm in files.
struct AlgorithmName {
  std::string name;
  AlgorithmSpec spec;
};
/// "ring", "direct" …, then those over all dimensions, "one_ring" …; or ASTRA-sim's names, "ring" …
/// "oneRing".
[[nodiscard]] const std::vector<AlgorithmName>& algorithm_names(bool astra_names = false);
/// Those of these names that can have a window.
[[nodiscard]] std::vector<std::string_view> window_names(bool astra_names = false);
/// "ring", "one_direct:4".
[[nodiscard]] std::string write_algorithm(const AlgorithmSpec& spec);

}  // namespace orrery::platform
