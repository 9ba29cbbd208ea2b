// SPDX-License-Identifier: Apache-2.0
//
// A model of sequences: after each token, a decision tree over the conditions and the tokens before
// predicts the next token.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace orrery::generative {

using Token = std::uint32_t;
inline constexpr Token kStart = 0;  ///< before the first token of a sequence; never predicted
inline constexpr Token kEnd = 1;    ///< after the last token
inline constexpr std::uint32_t kLookBack = 5;  ///< tokens before that conditions can refer to

/// A sequence without kStart and kEnd.
struct Sequence {
  std::vector<std::uint32_t> conditions;  ///< ascending
  std::vector<Token> tokens;
  std::uint32_t weight = 1;  ///< how often it occurs
  /// Tokens that trees do not learn to predict, because others are as likely; empty: none.
  std::vector<bool> uncertain{};
};

/// What a split asks about.
enum class Question : std::uint32_t {
  condition,    ///< `value` is one of the conditions
  occurrences,  ///< the last token occurs `value` times in the current segment
  segments,     ///< `value` segments have begun
  segment,      ///< `value` is the token that began the current segment; 0: none
  token_back,   ///< token_back + i: the token i + 2 back is `value`
};
struct Split {
  std::uint32_t question = 0;  ///< a Question
  std::uint32_t value = 0;
  friend auto operator<=>(const Split&, const Split&) = default;
};

/// How often each token followed.
using TokenCounts = std::map<Token, std::uint32_t>;

struct ChoiceNode {
  Split split;
  std::uint32_t yes = 0, no = 0;  ///< indices of nodes; both 0: a leaf
  TokenCounts counts;
};
using ChoiceTree = std::vector<ChoiceNode>;  ///< the root is first

struct ChoiceTrees {
  std::vector<Token> segments;        ///< tokens that begin a segment, ascending
  std::map<Token, ChoiceTree> after;  ///< by the last token

  /// Nodes from the root to the leaf. Empty if nothing is known after `before`. `before`: tokens so
  /// far, without kStart.
  [[nodiscard]] std::vector<const ChoiceNode*> path(std::span<const std::uint32_t> conditions,
                                                    std::span<const Token> before) const;
  /// Whether indices and counts are consistent, for trees from files.
  [[nodiscard]] bool is_valid() const;
  /// The mean negative log-likelihood of a token in nats, with add-0.01 smoothing over `vocabulary`
  /// tokens.
  [[nodiscard]] double loss(std::span<const Sequence> sequences, std::size_t vocabulary) const;
};

/// Trees that divide until a node has one following token, or no split gains information. Of equal
/// splits, conditions come before tokens, and lower numbers before higher ones. `threads`: the
/// result is the same for every number. O(tokens × conditions × depth). Information gain: Quinlan,
/// "Induction of decision trees", Machine Learning 1, 1986.
[[nodiscard]] ChoiceTrees grow_trees(std::span<const Sequence> sequences,
                                     std::vector<Token> segments, std::uint32_t threads,
                                     const std::function<void(double share)>& progress);

}  // namespace orrery::generative
