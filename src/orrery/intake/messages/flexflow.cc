// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/flexflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/intake/messages/dot_words.h"
#include "orrery/intake/messages/line_words.h"
#include "orrery/intake/messages/message_graph.h"

namespace orrery::intake {
namespace {

constexpr int kPicosecondDigits = 12;  // of a second
constexpr std::int64_t kMostMessageBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMostRank = static_cast<std::int64_t>(limits::kRanks) - 1;

/// Positions of the fields of a label.
enum LabelField : std::size_t {
  kNpu = 0,
  kName = 1,
  kKind = 3,
  kTime = 4,
  kSource = 4,
  kDestination = 5,
  kSize = 6,
  kFields = 7
};

struct Task {
  bool is_message = false;
  std::uint32_t npu = 0;                      ///< of a computation
  std::uint32_t source = 0, destination = 0;  ///< of a message
  Time duration{};
  std::int64_t bytes = 0;
  std::string name;
  std::string place;  ///< in the file

  [[nodiscard]] bool is_on(std::uint32_t rank) const {
    return is_message ? source == rank || destination == rank : npu == rank;
  }
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

class FlexFlowReader {
 public:
  FlexFlowReader(trace::ByteSource& source, const std::string& where, Findings& findings)
      : words_(source, where), findings_(findings) {}

  Result<graph::Workload> read() {
    if (auto done = read_header(); !done) return tl::unexpected(done.error());
    for (;;) {
      if (auto done = take(); !done) return tl::unexpected(done.error());
      if (word_.is('}')) break;
      if (word_.is(';')) continue;
      if (word_.kind == DotWord::Kind::end)
        return fail(Errc::input_truncated, words_.place(), "the graph has no closing brace",
                    "export it again");
      if (auto done = read_statement(); !done) return tl::unexpected(done.error());
    }
    if (tasks_.empty())
      return fail(Errc::input_empty, words_.where(), "has no node of FlexFlow",
                  "nodes have labels such as { npu=0 | name | fwd | COMP_NODE | "
                  "wall_clock_time=1e-05 }");
    return build();
  }

 private:
  Result<void> take() {
    auto word = ahead_.kind != DotWord::Kind::end ? Result<DotWord>(std::exchange(ahead_, {}))
                                                  : words_.next();
    if (!word) return tl::unexpected(word.error());
    word_ = *std::move(word);
    return {};
  }
  [[nodiscard]] tl::unexpected<Error> expected(std::string_view what) const {
    return fail(Errc::input_corrupt, words_.place(),
                fmt::format("{} expected, but there is {}", what,
                            word_.kind == DotWord::Kind::end ? "the end of the file"
                                                             : in_quotes(word_.text)));
  }
  [[nodiscard]] bool is_text() const {
    return word_.kind == DotWord::Kind::name || word_.kind == DotWord::Kind::quoted;
  }

  Result<void> read_header() {
    if (auto done = take(); !done) return done;
    if (word_.text == "strict")
      if (auto done = take(); !done) return done;
    if (word_.text != "digraph") return expected("'digraph'");
    if (auto done = take(); !done) return done;
    if (is_text())
      if (auto done = take(); !done) return done;
    return word_.is('{') ? Result<void>() : expected("'{'");
  }

  /// A node with its attributes, an edge, or defaults of Graphviz.
  Result<void> read_statement() {
    if (!is_text()) return expected("a node");
    if (word_.is('{') || word_.text == "subgraph")
      return fail(Errc::input_unsupported, words_.place(), "subgraphs are not read",
                  "FlexFlow's task graphs have none");
    std::string name = std::exchange(word_.text, {});
    const std::string place = words_.place();
    if (auto done = take(); !done) return done;
    if (word_.is('=')) {  // rankdir=LR
      return take();
    }
    bool is_edge = false;
    while (word_.kind == DotWord::Kind::arrow) {
      is_edge = true;
      if (auto done = take(); !done) return done;
      if (!is_text()) return expected("a node");
      if (auto done = add_edge(name, word_.text, place); !done) return done;
      name = std::exchange(word_.text, {});
      if (auto done = take(); !done) return done;
    }
    std::string label;
    while (word_.is('[')) {
      if (auto done = read_attributes(label); !done) return done;
    }
    if (!word_.is(';')) ahead_ = std::exchange(word_, {});
    const bool is_default = name == "node" || name == "edge" || name == "graph";
    return is_edge || is_default ? Result<void>() : add_task(name, label, place);
  }

  /// After '['; ends behind ']'.
  Result<void> read_attributes(std::string& label) {
    for (;;) {
      if (auto done = take(); !done) return done;
      if (word_.is(']')) return take();
      if (word_.is(',') || word_.is(';')) continue;
      if (!is_text()) return expected("an attribute or ']'");
      const bool is_label = word_.text == "label";
      if (auto done = take(); !done) return done;
      if (!word_.is('=')) return expected("'='");
      if (auto done = take(); !done) return done;
      if (!is_text()) return expected("the value of an attribute");
      if (is_label) label = std::move(word_.text);
    }
  }

  /// "node12" → 12
  Result<std::uint64_t> id_of(std::string_view name, const std::string& place) const {
    if (name.starts_with("node")) name.remove_prefix(4);
    const auto id =
        number_in(name, "the number of a node", place, std::numeric_limits<std::int64_t>::max());
    if (!id) return tl::unexpected(id.error());
    return static_cast<std::uint64_t>(*id);
  }

  Result<void> add_edge(std::string_view from, std::string_view to, const std::string& place) {
    const auto first = id_of(from, place), second = id_of(to, place);
    if (!first) return tl::unexpected(first.error());
    if (!second) return tl::unexpected(second.error());
    edges_.push_back({*first, *second});
    return {};
  }

  /// The value of "key=value"; the key may have any name.
  static Result<std::string_view> value_of(std::string_view field, std::string_view what,
                                           const std::string& place) {
    const std::size_t at = field.find('=');
    if (at == field.npos)
      return fail(Errc::input_corrupt, place,
                  fmt::format("{} is {}; it has no '='", what, in_quotes(field)));
    return trimmed(field.substr(at + 1));
  }
  static Result<std::uint32_t> rank_in(std::string_view field, std::string_view what,
                                       const std::string& place) {
    const auto value = value_of(field, what, place);
    if (!value) return tl::unexpected(value.error());
    const auto number = number_in(*value, what, place, kMostRank);
    if (!number) return tl::unexpected(number.error());
    return static_cast<std::uint32_t>(*number);
  }

  Result<void> add_task(std::string_view name, std::string_view label, const std::string& place) {
    const auto id = id_of(name, place);
    if (!id) return tl::unexpected(id.error());
    label = trimmed(label);
    if (label.starts_with('{')) label.remove_prefix(1);
    if (label.ends_with('}')) label.remove_suffix(1);
    std::array<std::string_view, kFields> fields{};
    std::size_t count = 0;
    for (std::size_t at = 0; at <= label.size() && count < kFields;) {
      const std::size_t end = std::min(label.find('|', at), label.size());
      fields[count++] = trimmed(label.substr(at, end - at));
      at = end + 1;
    }
    const std::string_view kind = fields[kKind];
    const bool is_message = kind == "COMM_SEND_RECV_NODE";
    if (count <= kKind)
      return fail(Errc::input_missing_attr, place,
                  fmt::format("the label of {} has {} of 4 fields", in_quotes(name), count),
                  "a label is { npu=0 | name | fwd | COMP_NODE | wall_clock_time=1e-05 }");
    if (!is_message && kind != "COMP_NODE")
      return fail(Errc::input_unsupported, place,
                  fmt::format("{} is no kind of node that is read", in_quotes(kind)),
                  "kinds are COMP_NODE and COMM_SEND_RECV_NODE");
    if (count <= (is_message ? kSize : kTime))
      return fail(Errc::input_missing_attr, place,
                  fmt::format("the label of {} lacks {}", in_quotes(name),
                              is_message ? "source, destination or size" : "its time"));
    Task task;
    task.is_message = is_message;
    task.name = std::string(fields[kName].substr(0, limits::kEventNameBytes));
    task.place = place;
    if (auto done = is_message ? read_message(fields, task) : read_computation(fields, task); !done)
      return done;
    if (tasks_.size() == limits::kNodesPerRank)
      return fail(Errc::limit_exceeded, place,
                  fmt::format("the file has more than {} nodes", limits::kNodesPerRank));
    if (!index_.emplace(*id, tasks_.size()).second)
      return fail(Errc::input_duplicate_id, place,
                  fmt::format("{} appears twice", in_quotes(name)));
    tasks_.push_back(std::move(task));
    return {};
  }

  Result<void> read_computation(const std::array<std::string_view, kFields>& fields, Task& task) {
    const auto npu = rank_in(fields[kNpu], "the NPU", task.place);
    if (!npu) return tl::unexpected(npu.error());
    const auto value = value_of(fields[kTime], "the time", task.place);
    if (!value) return tl::unexpected(value.error());
    const auto time = time_in(*value, kPicosecondDigits, "the time", task.place);
    if (!time) return tl::unexpected(time.error());
    task.npu = *npu;
    task.duration = *time;
    ranks_ = std::max(ranks_, *npu + 1);
    return {};
  }

  Result<void> read_message(const std::array<std::string_view, kFields>& fields, Task& task) {
    const auto from = rank_in(fields[kSource], "the source", task.place);
    if (!from) return tl::unexpected(from.error());
    const auto to = rank_in(fields[kDestination], "the destination", task.place);
    if (!to) return tl::unexpected(to.error());
    const auto value = value_of(fields[kSize], "the size", task.place);
    if (!value) return tl::unexpected(value.error());
    const auto bytes = number_in(*value, "the size", task.place, kMostMessageBytes);
    if (!bytes) return tl::unexpected(bytes.error());
    if (*from == *to)
      return fail(Errc::input_range, task.place,
                  fmt::format("NPU {} sends a message to itself", *from));
    task.source = *from;
    task.destination = *to;
    task.bytes = *bytes;
    ranks_ = std::max({ranks_, *from + 1, *to + 1});
    return {};
  }

  /// Per task and rank that has it, what it waits for. A message has its source first.
  Result<void> find_dependencies() {
    deps_.resize(tasks_.size());
    for (const auto& [from, to] : edges_) {
      const auto first = index_.find(from), second = index_.find(to);
      if (first == index_.end() || second == index_.end())
        return fail(Errc::input_dangling_dep, words_.where(),
                    fmt::format("an edge from node{} to node{}, but there is no node{}", from, to,
                                first == index_.end() ? from : to));
      const Task &earlier = tasks_[first->second], &later = tasks_[second->second];
      if (from == to)
        return fail(Errc::input_self_edge, earlier.place, "this node waits for itself");
      bool holds = false;
      const auto add = [&](std::uint32_t rank, std::size_t side) {
        if (!earlier.is_on(rank)) return;
        deps_[second->second][side].push_back(first->first);
        holds = true;
      };
      add(later.is_message ? later.source : later.npu, 0);
      if (later.is_message) add(later.destination, 1);
      if (!holds)
        return fail(Errc::input_dangling_dep, later.place,
                    fmt::format("node{} waits for node{} of another NPU", to, from),
                    "a message between the NPUs must be a node of the graph");
    }
    return {};
  }

  Result<graph::Workload> build() {
    if (auto done = find_dependencies(); !done) return tl::unexpected(done.error());
    std::vector<std::uint64_t> ids(tasks_.size());
    for (const auto& [id, number] : index_) ids[number] = id;
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_rank;  // tasks
    std::uint32_t next_tag = 0;
    std::vector<std::uint32_t> tags(tasks_.size());
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      const Task& task = tasks_[i];
      of_rank[task.is_message ? task.source : task.npu].push_back(i);
      if (!task.is_message) continue;
      of_rank[task.destination].push_back(i);
      tags[i] = next_tag++;
    }
    if (of_rank.size() < ranks_) {
      std::uint32_t idle = 0;
      while (of_rank.contains(idle)) ++idle;
      return fail(Errc::input_mismatch, words_.where(),
                  fmt::format("NPU {} of {} has no node", idle, ranks_),
                  "numbers of NPUs count from 0 without gaps");
    }
    graph::Workload made;
    const auto strings = std::make_shared<StringPool>();
    for (const auto& [rank, tasks] : of_rank) {
      const std::string where = fmt::format("{}, NPU {}", words_.where(), rank);
      MessageGraph graph(where, strings);
      for (const std::uint32_t i : tasks) {
        const Task& task = tasks_[i];
        const bool receives = task.is_message && task.destination == rank;
        auto deps = std::move(deps_[i][receives ? 1 : 0]);
        if (!task.is_message) {
          graph.compute(ids[i], task.duration, 0, std::move(deps), task.name);
        } else if (receives) {
          graph.receive(ids[i], task.source, Bytes(task.bytes), tags[i], std::move(deps),
                        task.name);
        } else {
          graph.send(ids[i], task.destination, Bytes(task.bytes), tags[i], std::move(deps),
                     task.name);
        }
      }
      auto built = std::move(graph).finish(findings_);
      if (!built) return tl::unexpected(built.error());
      made.graph_of_rank.push_back(rank);
      made.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(built)));
    }
    return made;
  }

  DotWords words_;
  Findings& findings_;
  DotWord word_, ahead_;  // `ahead_` was read too far
  std::uint32_t ranks_ = 0;
  std::vector<Task> tasks_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // by id
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges_;
  std::vector<std::array<MessageGraph::Deps, 2>> deps_;  // per task
};

}  // namespace

Result<graph::Workload> read_flexflow(trace::ByteSource& source, const std::string& where,
                                      Findings& findings) {
  return FlexFlowReader(source, where, findings).read();
}

}  // namespace orrery::intake
