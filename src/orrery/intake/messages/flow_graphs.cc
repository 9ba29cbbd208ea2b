// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/flow_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "orrery/intake/messages/message_graph.h"

namespace orrery::intake {
namespace {

/// What one rank does.
class FlowRank {
 public:
  explicit FlowRank(MessageGraph graph) : graph_(std::move(graph)) {}

  /// The id of the node for a flow that this rank sends or receives.
  [[nodiscard]] std::uint64_t send(std::uint32_t to, Bytes size, std::uint32_t tag,
                                   MessageGraph::Deps deps) {
    graph_.send(next_, to, size, tag, std::move(deps));
    return next_++;
  }
  [[nodiscard]] std::uint64_t receive(std::uint32_t from, Bytes size, std::uint32_t tag) {
    graph_.receive(next_, from, size, tag, {});
    return next_++;
  }
  /// The node that ends at `time`; times must not decrease.
  [[nodiscard]] MessageGraph::Deps wait_until(Time time) {
    if (time == now_) return waited_;
    graph_.wait(next_, time - now_, waited_);
    waited_ = {next_++};
    now_ = time;
    return waited_;
  }
  [[nodiscard]] Result<graph::Graph> finish(Findings& findings) && {
    return std::move(graph_).finish(findings);
  }

 private:
  MessageGraph graph_;
  std::uint64_t next_ = 0;
  Time now_{};
  MessageGraph::Deps waited_;  // the node that ends at now_
};

/// Adds flow by flow, in an order in which each comes after those that it waits for.
class FlowGraphs {
 public:
  FlowGraphs(const FlowTable& table, const std::string& where, Findings& findings)
      : table_(table), where_(where), findings_(findings), ends_(table.flows.size()) {}

  Result<graph::Workload> build() {
    const auto order = flow_order();
    if (!order) return tl::unexpected(order.error());
    for (const std::uint32_t number : *order) add(number);
    return finish();
  }

 private:
  struct Ends {
    std::uint64_t send = 0, receive = 0;  // ids of its nodes
  };

  /// Flows with a start time, by time; then those that wait for others.
  Result<std::vector<std::uint32_t>> flow_order() const {
    const std::vector<Flow>& flows = table_.flows;
    std::vector<std::uint32_t> order, missing(flows.size());
    std::vector<std::vector<std::uint32_t>> next(flows.size());
    for (std::uint32_t i = 0; i < flows.size(); ++i) {
      for (const std::uint32_t before : flows[i].after) next[before].push_back(i);
      missing[i] = static_cast<std::uint32_t>(flows[i].after.size());
      if (missing[i] == 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return flows[a].start < flows[b].start;
    });
    for (std::size_t at = 0; at < order.size(); ++at)
      for (const std::uint32_t later : next[order[at]])
        if (--missing[later] == 0) order.push_back(later);
    if (order.size() == flows.size()) return order;
    const auto waiting = std::find_if(missing.begin(), missing.end(), [](auto n) { return n > 0; });
    return fail(Errc::input_cycle,
                fmt::format("{}:line {}", where_,
                            flows[static_cast<std::size_t>(waiting - missing.begin())].line),
                "this flow never starts: it waits for its own end, or for a flow that does",
                "give one of them a start time");
  }

  FlowRank& rank(std::uint32_t number) {
    auto found = ranks_.find(number);
    if (found != ranks_.end()) return found->second;
    MessageGraph graph(fmt::format("{}, rank {}", where_, number), strings_);
    return ranks_.try_emplace(number, std::move(graph)).first->second;
  }

  void add(std::uint32_t number) {
    const Flow& flow = table_.flows[number];
    MessageGraph::Deps deps;
    for (const std::uint32_t before : flow.after) deps.push_back(end_at(flow, before));
    FlowRank& sender = rank(flow.from);
    if (deps.empty()) deps = sender.wait_until(flow.start);
    std::sort(deps.begin(), deps.end());
    deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
    ends_[number].send = sender.send(flow.to, flow.size, number, std::move(deps));
    ends_[number].receive = rank(flow.to).receive(flow.from, flow.size, number);
  }

  /// The node at the sender of `flow` that ends when the earlier flow does.
  std::uint64_t end_at(const Flow& flow, std::uint32_t before) {
    const Flow& first = table_.flows[before];
    if (first.to == flow.from) return ends_[before].receive;
    if (first.from == flow.from) return ends_[before].send;
    const auto [known, added] = notices_.try_emplace({before, flow.from}, 0);
    if (!added) return known->second;
    const std::size_t tag = table_.flows.size() + notices_.size() - 1;
    findings_.add(FindingCode::default_assumed,
                  fmt::format("{}:line {}: its sender learns of the end of the flow in line {} "
                              "from a message of 1 byte",
                              where_, flow.line, first.line));
    const auto number = static_cast<std::uint32_t>(tag);
    (void)rank(first.to).send(flow.from, Bytes(1), number, {ends_[before].receive});
    known->second = rank(flow.from).receive(first.to, Bytes(1), number);
    return known->second;
  }

  Result<graph::Workload> finish() {
    graph::Workload made;
    made.graph_of_rank.reserve(table_.ranks);
    std::optional<std::uint32_t> idle;  // the graph of ranks without flows
    auto at = ranks_.begin();
    for (std::uint32_t number = 0; number < table_.ranks; ++number) {
      const bool works = at != ranks_.end() && at->first == number;
      if (!works && idle) {
        made.graph_of_rank.push_back(*idle);
        continue;
      }
      const auto index = static_cast<std::uint32_t>(made.graphs.size());
      auto graph =
          works ? std::move((at++)->second).finish(findings_) : idle_graph(where_, strings_);
      if (!graph) return tl::unexpected(graph.error());
      made.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
      made.graph_of_rank.push_back(index);
      if (!works) idle = index;
    }
    return made;
  }

  const FlowTable& table_;
  const std::string& where_;
  Findings& findings_;
  std::vector<Ends> ends_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  std::map<std::uint32_t, FlowRank> ranks_;
  // By flow that has ended and rank that learns it: the receive of the message that says so.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> notices_;
};

}  // namespace

Result<graph::Workload> workload_of_flows(const FlowTable& table, const std::string& where,
                                          Findings& findings) {
  return FlowGraphs(table, where, findings).build();
}

}  // namespace orrery::intake
