// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "orrery/core/suggest.h"
#include "orrery/core/units.h"
#include "orrery/graph/transform/costs.h"
#include "orrery/graph/transform/order.h"
#include "orrery/graph/transform/peers.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::GraphRef;
using graph::LagOf;
using graph::Selection;
using graph::TimeOf;
using graph::Workload;

constexpr double kMostFactor = 1000;
constexpr std::uint64_t kSeed = 1;  // of variability: a run says the same every time

constexpr std::array kWords = {
    ChangeWord{"kernels", "FACTOR", "all that devices compute", Basis::scaled},
    ChangeWord{"communication", "FACTOR", "collectives and messages, once all are there",
               Basis::scaled},
    ChangeWord{"copies", "FACTOR", "copies and memsets", Basis::scaled},
    ChangeWord{"host", "FACTOR", "steps of threads: 0 is what CUDA graphs could save",
               Basis::scaled},
    ChangeWord{"launch", "FACTOR", "from a launching call to its work", Basis::scaled},
    ChangeWord{"gaps", "FACTOR", "between work and the next where nothing else is known",
               Basis::scaled},
    ChangeWord{"waits", "FACTOR", "recorded waits that nothing explains", Basis::scaled},
    ChangeWord{"overlap", "none", "no communication beside other work of its device", Basis::bound},
    ChangeWord{"syncs", "none", "hosts wait for no device", Basis::bound},
    ChangeWord{"fusion", "elementwise",
               "chains of element-wise kernels, each as long as its longest", Basis::bound},
    ChangeWord{"stragglers", "none", "every rank's own work as on the median of its peers",
               Basis::recorded},
    ChangeWord{"variability", "SIGMA", "every time by a factor of its own, lognormal",
               Basis::scaled},
};

const ChangeWord* find_word(std::string_view name) {
  const auto* const found = std::find_if(kWords.begin(), kWords.end(),
                                         [&](const ChangeWord& word) { return word.name == name; });
  return found == kWords.end() ? nullptr : found;
}

Error unknown(const std::string& name) {
  std::vector<std::string_view> known;
  for (const ChangeWord& word : kWords) known.push_back(word.name);
  for (std::size_t i = 1; i < graph::kOperations; ++i)
    known.push_back(graph::name(static_cast<graph::Operation>(i)));
  const std::string near = did_you_mean(name, known);
  return {Errc::usage, "--change", fmt::format("nothing is called '{}'", name),
          near.empty()
              ? "orrery whatif --changes lists them; kernel:TEXT=FACTOR is of kernels by part of "
                "their name"
              : near};
}

Result<void> read_factor(Change& change, const std::string& value) {
  const auto factor = parse_number(value);
  if (!factor || !(*factor >= 0 && *factor <= kMostFactor))
    return fail(Errc::usage, "--change", fmt::format("'{}' has no factor", change.text),
                fmt::format("{}=0.5 is half the time; from 0 to {}", change.name, kMostFactor));
  change.factor = *factor;
  return {};
}

Result<void> read_rank(Change& change) {
  const auto rank = parse_number(change.name.substr(5));
  if (!rank || *rank < 0 || *rank > 4e9 || *rank != static_cast<std::uint32_t>(*rank))
    return fail(Errc::usage, "--change", fmt::format("'{}' names no rank", change.text),
                "rank:3=1.2 is rank 3, slower by a fifth");
  change.rank = static_cast<std::uint32_t>(*rank);
  return {};
}

/// What a factor is of; nothing for words that select no nodes.
std::optional<Selection> selection_of(const Change& change) {
  Selection made;
  if (change.name == "kernels") {
    made.of = TimeOf::kernels;
  } else if (change.name == "communication") {
    made.of = TimeOf::communication;
  } else if (change.name == "copies") {
    made.of = TimeOf::copies;
  } else if (change.name == "host") {
    made.of = TimeOf::host;
  } else if (change.name.starts_with("kernel:")) {
    made.part = change.name.substr(7);
  } else if (change.name.starts_with("named:")) {
    made.exactly = change.name.substr(6);
  } else if (change.name.starts_with("group:")) {
    made.group = change.name.substr(6);
  } else if (const auto operation = graph::operation_of(change.name)) {
    made.operation = operation;
  } else {
    return std::nullopt;
  }
  return made;
}

std::optional<LagOf> lag_of(const Change& change) {
  if (change.name == "launch") return LagOf::launch;
  if (change.name == "waits") return LagOf::waits;
  if (change.name == "gaps") return LagOf::gaps;
  return std::nullopt;
}

bool is_other(const Workload& a, const Workload& b) {
  for (std::uint32_t rank = 0; rank < a.rank_count(); ++rank)
    if (&a.graph(rank) != &b.graph(rank)) return true;
  return false;
}

/// With graphs from passes that may fail.
Result<Workload> reordered(const Workload& workload, const std::string& what) {
  const graph::DraftTables tables;
  std::optional<Error> error;
  Workload made = graph::with_graphs(workload, [&](const Graph& graph) -> GraphRef {
    if (error) return nullptr;
    const std::string& where = workload.files.empty() ? what : workload.files.front();
    auto changed = what == "overlap" ? graph::without_overlap(graph, where, tables)
                                     : graph::without_syncs(graph, where, tables);
    if (changed) return changed->graph;
    error = changed.error();
    return nullptr;
  });
  if (error) return tl::unexpected(*error);
  return made;
}

Workload slowed(const Workload& workload, const Change& change) {
  return graph::with_graphs_of(workload, {change.rank}, [&](const Graph& graph) {
    std::vector<Time> durations = graph::durations_of(graph);
    for (graph::NodeId n = 0; n < graph.size(); ++n) {
      const auto of = graph::time_of(graph, n);
      const bool own = of && of != TimeOf::communication && of != TimeOf::waits;
      if (own && durations[n] > Time{})
        durations[n] = std::max(graph::kNoTime, graph::times(durations[n], change.factor));
    }
    return std::make_shared<const Graph>(graph.with_durations(durations));
  });
}

Result<Workload> with_change(const Workload& workload, const Change& change) {
  if (const auto selection = selection_of(change))
    return graph::with_graphs(workload, [&](const Graph& graph) {
      return graph::scaled(graph, *selection, change.factor);
    });
  if (const auto lag = lag_of(change))
    return graph::with_graphs(workload, [&](const Graph& graph) {
      return graph::lags_scaled(graph, *lag, change.factor);
    });
  if (change.name == "overlap" || change.name == "syncs") return reordered(workload, change.name);
  if (change.name == "fusion")
    return graph::with_graphs(workload,
                              [](const Graph& graph) { return graph::fused(graph).graph; });
  if (change.name == "stragglers") return graph::without_stragglers(workload).workload;
  if (change.name == "variability") return graph::varied(workload, change.factor, kSeed);
  if (change.rank >= workload.rank_count())
    return fail(Errc::usage, "--change", fmt::format("there is no rank {}", change.rank),
                fmt::format("{} ranks, from 0", workload.rank_count()));
  return slowed(workload, change);
}

}  // namespace

std::string_view name(Basis basis) {
  switch (basis) {
    case Basis::recorded:
      return "recorded";
    case Basis::scaled:
      return "scaled";
    case Basis::bound:
      return "bound";
  }
  return "";
}

std::span<const ChangeWord> change_words() { return kWords; }

Result<Change> parse_change(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    return fail(Errc::usage, "--change", fmt::format("'{}' is no NAME=VALUE", text),
                "--change kernels=0.5 --change overlap=none");
  Change change{text, text.substr(0, equals)};
  const std::string value = text.substr(equals + 1);
  const ChangeWord* word = find_word(change.name);
  if (word != nullptr) change.basis = word->basis;
  if (word != nullptr && word->value != "FACTOR" && word->value != "SIGMA") {
    change.factor = 0;
    if (value == word->value) return change;
    return fail(Errc::usage, "--change", fmt::format("'{}' is not known", text),
                fmt::format("{}={}", word->name, word->value));
  }
  const bool rank = change.name.starts_with("rank:");
  const bool known = word != nullptr || rank || change.name.starts_with("kernel:") ||
                     change.name.starts_with("group:") || change.name.starts_with("named:") ||
                     graph::operation_of(change.name).value_or(graph::Operation::unsaid) !=
                         graph::Operation::unsaid;
  if (!known) return tl::unexpected(unknown(change.name));
  if (rank)
    if (auto fine = read_rank(change); !fine) return tl::unexpected(fine.error());
  if (auto fine = read_factor(change, value); !fine) return tl::unexpected(fine.error());
  return change;
}

Result<std::vector<Change>> parse_changes(const std::vector<std::string>& texts) {
  std::vector<Change> made;
  for (const std::string& text : texts) {
    auto change = parse_change(text);
    if (!change) return tl::unexpected(change.error());
    made.push_back(*std::move(change));
  }
  return made;
}

Result<Workload> with_changes(const Workload& workload, std::span<const Change> changes,
                              Findings& findings) {
  Workload made = workload;
  for (const Change& change : changes) {
    auto changed = with_change(made, change);
    if (!changed) return changed;
    if (change.factor != 1 && !is_other(made, *changed))
      findings.add(FindingCode::key_without_effect, "--change " + change.text);
    made = *std::move(changed);
  }
  return made;
}

}  // namespace orrery::study
