// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/intake/messages/line_words.h"
#include "orrery/intake/messages/message_graph.h"

namespace orrery::intake {
namespace {

constexpr std::int64_t kMostTags = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostNanoseconds = std::numeric_limits<std::int64_t>::max() / kPsPerNs / 2;
constexpr std::uint32_t kNoOperation = ~0u;

/// One statement with a time or a message.
struct GoalOperation {
  enum class Kind : std::uint8_t { calc, send, recv } kind = Kind::calc;
  std::int64_t amount = 0;  ///< nanoseconds or bytes
  std::uint32_t peer = 0, tag = 0, processor = 0;
  std::uint64_t line = 0;
};

/// `later` waits for `earlier`.
struct GoalDependency {
  std::uint32_t later = 0, earlier = 0;
  bool for_start = false;  ///< irequires
};

/// Texts of any type as keys.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

/// The statements of one rank.
class GoalRank {
 public:
  void add(std::string_view label, const GoalOperation& operation) {
    if (!label.empty()) {
      const std::uint32_t number = number_of(label, operation.line);
      defined_[number] = static_cast<std::uint32_t>(operations_.size());
    }
    operations_.push_back(operation);
  }
  [[nodiscard]] bool defines(std::string_view label) const {
    const auto found = labels_.find(label);
    return found != labels_.end() && defined_[found->second] != kNoOperation;
  }
  void require(std::string_view later, std::string_view earlier, bool for_start,
               std::uint64_t line) {
    dependencies_.push_back({number_of(later, line), number_of(earlier, line), for_start});
  }

  /// Builds the graph. `where` names the file, `rank` the rank.
  Result<graph::Graph> finish(const std::string& where, std::uint32_t rank,
                              const std::shared_ptr<StringPool>& strings, Findings& findings) {
    // Numbers are in the order of the lines, labels are not.
    const auto missing = std::find(defined_.begin(), defined_.end(), kNoOperation);
    if (missing != defined_.end()) {
      const auto number = static_cast<std::uint32_t>(missing - defined_.begin());
      const auto label = std::find_if(labels_.begin(), labels_.end(),
                                      [&](const auto& one) { return one.second == number; });
      return fail(Errc::input_dangling_dep, fmt::format("{}:line {}", where, first_line_[number]),
                  fmt::format("rank {} has no label {}", rank, in_quotes(label->first)));
    }
    const std::size_t count = operations_.size();
    std::vector<MessageGraph::Deps> deps(count);
    std::vector<bool> is_watched(count);  // something starts with it
    for (const GoalDependency& one : dependencies_)
      if (one.for_start) is_watched[defined_[one.earlier]] = true;
    // A node that takes no time stands for the moment in which a watched operation can start.
    const auto joint_of = [count](std::uint32_t operation) { return count + operation; };
    for (const GoalDependency& one : dependencies_) {
      const std::uint32_t later = defined_[one.later], earlier = defined_[one.earlier];
      if (later == earlier)
        return fail(Errc::input_self_edge, place(where, later), "this operation waits for itself");
      deps[later].push_back(one.for_start ? joint_of(earlier) : earlier);
    }
    MessageGraph graph(fmt::format("{}, rank {}", where, rank), strings);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (is_watched[i]) {
        graph.joint(joint_of(i), std::exchange(deps[i], {joint_of(i)}));
      }
      add_node(operations_[i], i, std::move(deps[i]), graph);
    }
    return std::move(graph).finish(findings);
  }

 private:
  std::uint32_t number_of(std::string_view label, std::uint64_t line) {
    const auto found = labels_.find(label);
    if (found != labels_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(defined_.size());
    labels_.emplace(label, number);
    defined_.push_back(kNoOperation);
    first_line_.push_back(line);
    return number;
  }
  [[nodiscard]] std::string place(const std::string& where, std::uint32_t operation) const {
    return fmt::format("{}:line {}", where, operations_[operation].line);
  }
  static void add_node(const GoalOperation& operation, std::uint64_t id, MessageGraph::Deps deps,
                       MessageGraph& graph) {
    std::sort(deps.begin(), deps.end());
    deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
    switch (operation.kind) {
      case GoalOperation::Kind::calc:
        return graph.compute(id, ps(operation.amount * kPsPerNs), operation.processor,
                             std::move(deps));
      case GoalOperation::Kind::send:
        return graph.send(id, operation.peer, Bytes(operation.amount), operation.tag,
                          std::move(deps));
      case GoalOperation::Kind::recv:
        return graph.receive(id, operation.peer, Bytes(operation.amount), operation.tag,
                             std::move(deps));
    }
  }

  std::vector<GoalOperation> operations_;
  std::vector<GoalDependency> dependencies_;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> labels_;
  std::vector<std::uint32_t> defined_;  // by label: its operation
  std::vector<std::uint64_t> first_line_;
};

class GoalReader {
 public:
  GoalReader(trace::ByteSource& source, const std::string& where, Findings& findings)
      : lines_(source, where, ":{}"), findings_(findings) {}

  Result<graph::Workload> read() {
    for (;;) {
      const auto more = lines_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      at_ = 0;
      while (at_ < lines_.words().size()) {
        if (auto done = read_statement(); !done) return tl::unexpected(done.error());
      }
    }
    if (rank_)
      return fail(Errc::input_truncated, lines_.where(),
                  fmt::format("ends inside rank {}: its closing brace is missing", *rank_));
    if (ranks_ == 0) return fail(Errc::input_missing_attr, lines_.where(), "num_ranks is missing");
    if (graphs_.empty()) return fail(Errc::input_empty, lines_.where(), "has no ranks");
    return finish();
  }

 private:
  [[nodiscard]] std::string_view word() const {
    return at_ < lines_.words().size() ? lines_.words()[at_] : std::string_view();
  }
  std::string_view take() { return at_ < lines_.words().size() ? lines_.words()[at_++] : ""; }
  [[nodiscard]] tl::unexpected<Error> expected(std::string_view what) const {
    return fail(Errc::input_corrupt, lines_.place(),
                fmt::format("{} expected, but there is {}", what,
                            word().empty() ? "the end of the line" : in_quotes(word())));
  }
  Result<std::int64_t> take_number(std::string_view what, std::int64_t most) {
    if (word().empty()) return expected(what);
    return number_in(take(), what, lines_.place(), most);
  }

  Result<void> read_statement() {
    if (word() == "}") return end_rank();
    if (!rank_) return read_outside();
    const std::string_view first = take();
    if (first == "calc" || first == "send" || first == "recv") return read_operation({}, first);
    if (word() == ":") {
      ++at_;
      return read_operation(first, take());
    }
    if (word() != "requires" && word() != "irequires")
      return expected("':', 'requires' or 'irequires'");
    const bool for_start = take() == "irequires";
    if (word().empty()) return expected("a label");
    current_.require(first, take(), for_start, lines_.number());
    return at_ == lines_.words().size() || word() == "}" ? Result<void>()
                                                         : expected("the end of the line");
  }

  Result<void> read_outside() {
    const std::string_view first = take();
    const bool count = first == "num_ranks";
    if (!count && first != "rank") {
      --at_;
      return expected("'num_ranks' or 'rank'");
    }
    const auto most = static_cast<std::int64_t>(limits::kRanks) - (count ? 0 : 1);
    const auto number = take_number(count ? "the number of ranks" : "the rank", most);
    if (!number) return tl::unexpected(number.error());
    if (count) {
      if (std::exchange(has_count_, true))
        return fail(Errc::input_duplicate_id, lines_.place(), "num_ranks appears twice",
                    "state it once, before the ranks");
      ranks_ = static_cast<std::uint32_t>(*number);
      return {};
    }
    if (word() != "{") return expected("'{'");
    ++at_;
    if (*number >= ranks_)
      return fail(Errc::input_range, lines_.place(),
                  fmt::format("rank {} of {} ranks", *number, ranks_),
                  "num_ranks comes before the ranks, and is larger than each");
    if (!graphs_.try_emplace(static_cast<std::uint32_t>(*number)).second)
      return fail(Errc::input_duplicate_id, lines_.place(),
                  fmt::format("rank {} is described twice", *number));
    rank_ = static_cast<std::uint32_t>(*number);
    return {};
  }

  Result<void> end_rank() {
    if (!rank_) return expected("'num_ranks' or 'rank'");
    ++at_;
    auto graph = std::exchange(current_, {}).finish(lines_.where(), *rank_, strings_, findings_);
    if (!graph) return tl::unexpected(graph.error());
    graphs_[*rank_] = std::make_shared<const graph::Graph>(*std::move(graph));
    rank_.reset();
    return {};
  }

  Result<void> read_operation(std::string_view label, std::string_view kind) {
    GoalOperation operation;
    operation.line = lines_.number();
    if (!label.empty() && current_.defines(label))
      return fail(Errc::input_duplicate_id, lines_.place(),
                  fmt::format("label {} appears twice in rank {}", in_quotes(label), *rank_));
    if (kind == "calc") {
      const auto time = take_number("the time", kMostNanoseconds);
      if (!time) return tl::unexpected(time.error());
      operation.amount = *time;
    } else if (kind == "send" || kind == "recv") {
      operation.kind = kind == "send" ? GoalOperation::Kind::send : GoalOperation::Kind::recv;
      if (auto done = read_message(operation); !done) return done;
    } else {
      return fail(Errc::input_unsupported, lines_.place(),
                  fmt::format("{} is no operation that is read", in_quotes(kind)),
                  "operations are calc, send and recv");
    }
    if (auto done = read_places(operation); !done) return done;
    current_.add(label, operation);
    return {};
  }

  /// "65536b to 1"
  Result<void> read_message(GoalOperation& operation) {
    std::string_view size = take();
    if (size.ends_with('b'))
      size.remove_suffix(1);
    else if (take() != "b")
      return fail(Errc::input_corrupt, lines_.place(), "a size ends with 'b': 65536b");
    const auto bytes = number_in(size, "the size", lines_.place(), std::int64_t{1} << 50);
    if (!bytes) return tl::unexpected(bytes.error());
    operation.amount = *bytes;
    const bool sends = operation.kind == GoalOperation::Kind::send;
    if (word() != (sends ? "to" : "from")) return expected(sends ? "'to'" : "'from'");
    ++at_;
    if (word() == "-1")
      return fail(Errc::input_unsupported, lines_.place(), "a receive from any rank",
                  "a workload states the sender of each message");
    const auto peer = take_number("the rank", std::int64_t{ranks_} - 1);
    if (!peer) return tl::unexpected(peer.error());
    operation.peer = static_cast<std::uint32_t>(*peer);
    if (operation.peer == *rank_)
      return fail(Errc::input_range, lines_.place(),
                  fmt::format("rank {} sends to or receives from itself", *peer));
    return {};
  }

  /// "tag 0 cpu 0 nic 0", each optional.
  Result<void> read_places(GoalOperation& operation) {
    while (word() == "tag" || word() == "cpu" || word() == "nic") {
      const std::string_view key = take();
      if (key == "tag" && word() == "-1")
        return fail(Errc::input_unsupported, lines_.place(), "a receive with any tag",
                    "a workload states the tag of each message");
      const auto value = take_number(key, kMostTags);
      if (!value) return tl::unexpected(value.error());
      if (key == "tag") operation.tag = static_cast<std::uint32_t>(*value);
      if (key == "cpu") operation.processor = static_cast<std::uint32_t>(*value);
    }
    if (at_ < lines_.words().size() && word() != "}")
      return expected("'tag', 'cpu', 'nic' or the end of the line");
    return {};
  }

  Result<graph::Workload> finish() {
    graph::Workload made;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const auto found = graphs_.find(rank);
      if (found == graphs_.end())
        return fail(Errc::input_truncated, lines_.where(),
                    fmt::format("declares {} ranks, but does not describe rank {}", ranks_, rank));
      made.graph_of_rank.push_back(rank);
      made.graphs.push_back(std::move(found->second));
    }
    return made;
  }

  LineWords lines_;
  Findings& findings_;
  std::size_t at_ = 0;  // the next word
  std::uint32_t ranks_ = 0;
  bool has_count_ = false;
  std::optional<std::uint32_t> rank_;
  GoalRank current_;
  std::unordered_map<std::uint32_t, graph::GraphRef> graphs_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
};

}  // namespace

Result<graph::Workload> read_goal(trace::ByteSource& source, const std::string& where,
                                  Findings& findings) {
  return GoalReader(source, where, findings).read();
}

}  // namespace orrery::intake
