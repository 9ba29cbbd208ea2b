// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/learning/choice_trees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "orrery/core/system/thread_pool.h"

namespace orrery::generative {
namespace {

constexpr double kMinGain = 1e-9;
constexpr std::uint32_t kMaxDepth = 48;

/// What splits can ask about the tokens before, by question.
using Answers =
    std::array<std::uint32_t, static_cast<std::size_t>(Question::token_back) + kLookBack - 1>;

Token token_back(std::span<const Token> before, std::size_t distance) {
  return distance <= before.size() ? before[before.size() - distance] : kStart;
}

Answers answers_of(std::span<const Token> before, const std::vector<Token>& segments) {
  Answers answers{};
  const auto at = [&](Question question) -> std::uint32_t& {
    return answers[static_cast<std::size_t>(question)];
  };
  const Token last = token_back(before, 1);
  for (std::size_t i = before.size(); i-- > 0;) {
    if (at(Question::segments) == 0 && before[i] == last) ++at(Question::occurrences);
    if (!std::binary_search(segments.begin(), segments.end(), before[i])) continue;
    if (++at(Question::segments) == 1) at(Question::segment) = before[i];
  }
  for (std::uint32_t i = 0; i + 1 < kLookBack; ++i)
    answers[static_cast<std::size_t>(Question::token_back) + i] = token_back(before, i + 2);
  return answers;
}

/// One prediction in the corpus.
struct Example {
  const Sequence* sequence = nullptr;
  Token next = kEnd;
  Answers answers{};
};

bool holds(const Split& split, std::span<const std::uint32_t> conditions, const Answers& answers) {
  if (split.question == static_cast<std::uint32_t>(Question::condition))
    return std::binary_search(conditions.begin(), conditions.end(), split.value);
  return answers[split.question] == split.value;
}

/// Σ count × log(count), of which entropies consist.
double count_log(double count) { return count > 0 ? count * std::log(count) : 0; }

/// Sum of the entropies times counts.
double disorder(const TokenCounts& counts) {
  double total = 0, sum = 0;
  for (const auto& [token, count] : counts) {
    total += count;
    sum += count_log(count);
  }
  return count_log(total) - sum;
}

class Grower {
 public:
  explicit Grower(std::vector<Example> examples) : examples_(std::move(examples)) {}

  ChoiceTree run() {
    tree_.clear();
    grow(0, examples_.size(), 0);
    return std::move(tree_);
  }

 private:
  using Sums = std::unordered_map<std::uint64_t, TokenCounts>;

  static std::uint64_t key(const Split& split) {
    return std::uint64_t{split.question} << 32 | split.value;
  }

  std::uint32_t grow(std::size_t first, std::size_t last, std::uint32_t depth) {
    const auto index = static_cast<std::uint32_t>(tree_.size());
    tree_.emplace_back();
    TokenCounts counts;
    for (std::size_t i = first; i < last; ++i)
      counts[examples_[i].next] += examples_[i].sequence->weight;
    tree_[index].counts = counts;
    if (counts.size() < 2 || depth == kMaxDepth) return index;
    const auto split = best_split(first, last, counts);
    if (!split) return index;
    const auto begin = examples_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = examples_.begin() + static_cast<std::ptrdiff_t>(last);
    const auto middle = std::stable_partition(begin, end, [&](const Example& example) {
      return holds(*split, example.sequence->conditions, example.answers);
    });
    const auto at = static_cast<std::size_t>(middle - examples_.begin());
    tree_[index].split = *split;
    const std::uint32_t yes = grow(first, at, depth + 1);
    const std::uint32_t no = grow(at, last, depth + 1);
    tree_[index].yes = yes;
    tree_[index].no = no;
    return index;
  }

  std::optional<Split> best_split(std::size_t first, std::size_t last, const TokenCounts& all) {
    Sums sums;
    for (std::size_t i = first; i < last; ++i) {
      const Example& example = examples_[i];
      const Token next = example.next;
      const std::uint32_t weight = example.sequence->weight;
      for (const std::uint32_t condition : example.sequence->conditions)
        sums[key({0, condition})][next] += weight;
      for (std::uint32_t question = 1; question < example.answers.size(); ++question)
        sums[key({question, example.answers[question]})][next] += weight;
    }
    std::vector<std::uint64_t> keys;
    keys.reserve(sums.size());
    for (const auto& [split, counts] : sums) keys.push_back(split);
    std::sort(keys.begin(), keys.end());
    const double whole = disorder(all);
    double most = kMinGain * std::max(1.0, whole);
    std::optional<Split> best;
    for (const std::uint64_t split : keys) {
      const TokenCounts& yes = sums[split];
      TokenCounts no = all;
      for (const auto& [token, count] : yes) {
        const auto found = no.find(token);
        found->second -= count;
        if (found->second == 0) no.erase(found);
      }
      if (no.empty()) continue;
      const double gain = whole - disorder(yes) - disorder(no);
      if (gain <= most * (1 + 1e-9)) continue;
      most = gain;
      best = Split{static_cast<std::uint32_t>(split >> 32), static_cast<std::uint32_t>(split)};
    }
    return best;
  }

  std::vector<Example> examples_;
  ChoiceTree tree_;
};

}  // namespace

std::vector<const ChoiceNode*> ChoiceTrees::path(std::span<const std::uint32_t> conditions,
                                                 std::span<const Token> so_far) const {
  std::vector<const ChoiceNode*> nodes;
  const auto tree = after.find(token_back(so_far, 1));
  if (tree == after.end()) return nodes;
  const Answers answers = answers_of(so_far, segments);
  std::uint32_t at = 0;
  for (;;) {
    const ChoiceNode& node = tree->second[at];
    nodes.push_back(&node);
    if (node.yes == 0) return nodes;
    at = holds(node.split, conditions, answers) ? node.yes : node.no;
  }
}

bool ChoiceTrees::is_valid() const {
  for (const auto& [token, tree] : after) {
    if (tree.empty() || token == kEnd) return false;
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const ChoiceNode& node = tree[i];
      if (node.counts.empty()) return false;
      for (const auto& [next, count] : node.counts)
        if (next == kStart || count == 0) return false;
      if (node.split.question >= Answers{}.size()) return false;
      if (node.yes == 0 && node.no == 0) continue;
      // Children follow their parent, so that every path ends.
      if (node.yes <= i || node.no <= i || node.yes >= tree.size() || node.no >= tree.size())
        return false;
    }
  }
  return after.count(kStart) != 0 && std::is_sorted(segments.begin(), segments.end());
}

double ChoiceTrees::loss(std::span<const Sequence> sequences, std::size_t vocabulary) const {
  constexpr double kSmoothing = 0.01;
  double sum = 0, tokens = 0;
  for (const Sequence& sequence : sequences) {
    for (std::uint32_t i = 0; i <= sequence.tokens.size(); ++i) {
      const auto nodes = path(sequence.conditions, std::span(sequence.tokens).first(i));
      const Token next = i < sequence.tokens.size() ? sequence.tokens[i] : kEnd;
      double total = kSmoothing * static_cast<double>(vocabulary), own = kSmoothing;
      if (!nodes.empty()) {
        for (const auto& [token, count] : nodes.back()->counts) total += count;
        const auto found = nodes.back()->counts.find(next);
        if (found != nodes.back()->counts.end()) own += found->second;
      }
      sum -= sequence.weight * std::log(own / total);
      tokens += sequence.weight;
    }
  }
  return tokens == 0 ? 0 : sum / tokens;
}

ChoiceTrees grow_trees(std::span<const Sequence> sequences, std::vector<Token> segments,
                       std::uint32_t threads, const std::function<void(double share)>& progress) {
  std::map<Token, std::vector<Example>> examples;
  for (const Sequence& sequence : sequences) {
    const std::span<const Token> tokens = sequence.tokens;
    for (std::size_t i = 0; i <= tokens.size(); ++i) {
      if (i < sequence.uncertain.size() && sequence.uncertain[i]) continue;
      examples[i == 0 ? kStart : tokens[i - 1]].push_back(
          {&sequence, i < tokens.size() ? tokens[i] : kEnd, answers_of(tokens.first(i), segments)});
    }
  }
  std::vector<std::pair<Token, std::vector<Example>*>> jobs;
  for (auto& [token, list] : examples) jobs.emplace_back(token, &list);
  std::vector<ChoiceTree> trees(jobs.size());
  constexpr std::size_t kBatch = 16;  // between reports of progress
  ThreadPool pool(std::max(1U, threads));
  for (std::size_t first = 0; first < jobs.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, jobs.size() - first);
    pool.parallel_for(static_cast<std::uint32_t>(count), [&](std::uint32_t i) {
      trees[first + i] = Grower(std::move(*jobs[first + i].second)).run();
    });
    if (progress) progress(static_cast<double>(first + count) / static_cast<double>(jobs.size()));
  }
  ChoiceTrees made;
  made.segments = std::move(segments);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    made.after.emplace(jobs[i].first, std::move(trees[i]));
  return made;
}

}  // namespace orrery::generative
