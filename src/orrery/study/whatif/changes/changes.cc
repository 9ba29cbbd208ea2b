// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/changes/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/reshape/reshape.h"
#include "orrery/graph/stragglers/rank_variation.h"
#include "orrery/graph/transform/change_provenance.h"
#include "orrery/graph/transform/dependency_edits.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/graph/transform/host_ranges.h"
#include "orrery/study/whatif/changes/nccl_variables.h"
#include "orrery/study/whatif/changes/network_changes.h"
#include "orrery/workload/program/kernel_count.h"
#include "orrery/workload/schedule/schedules.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::GraphRef;
using graph::LagKind;
using graph::NodeSelection;
using graph::WorkKind;
using graph::Workload;

constexpr double kMaxSpread = 2;  // maximum sigma of variability; e^2 is a factor of 7
constexpr std::uint32_t kMaxRepeated = 100'000;  // maximum number of layers or microbatches
constexpr std::uint64_t kSeed = 1;  // fixed seed of variability, so that runs are reproducible

constexpr ChangeKind job(std::string_view name, std::string_view path, std::string_view about) {
  return {name, "VALUE", about, Basis::modeled, ChangeScope::job, path};
}

constexpr std::array kWords = {
    ChangeKind{"kernels", "FACTOR", "all kernels", Basis::scaled},
    ChangeKind{"communication", "FACTOR",
               "collectives and messages, from the arrival of the last rank", Basis::scaled},
    ChangeKind{"copies", "FACTOR", "copies and memsets", Basis::scaled},
    ChangeKind{"host", "FACTOR", "host work of threads; 0 is the limit of CUDA graphs",
               Basis::scaled},
    ChangeKind{"launch", "FACTOR", "latency from a launch call to its kernel", Basis::scaled},
    ChangeKind{"gaps", "FACTOR", "gaps between operations without another known cause",
               Basis::scaled},
    ChangeKind{"waits", "FACTOR", "recorded waits without a known cause", Basis::scaled},
    ChangeKind{"overlap", "none", "communication does not overlap other work of the device",
               Basis::bound},
    ChangeKind{"syncs", "none", "hosts do not wait for devices", Basis::bound},
    ChangeKind{"fusion", "elementwise",
               "chains of element-wise kernels last as long as their longest kernel", Basis::bound},
    ChangeKind{"stragglers", "none", "work of every rank at the median of its peers",
               Basis::recorded},
    ChangeKind{"variability", "SIGMA", "every time times a separate lognormal factor",
               Basis::scaled},
    ChangeKind{"gpu", "NAME", "another device of the catalog, same number", Basis::modeled,
               ChangeScope::cluster},
    ChangeKind{"cluster", "NAME", "another cluster: a file, or a device and a number",
               Basis::modeled, ChangeScope::cluster},
    ChangeKind{"bandwidth", "FACTOR", "bandwidth of all links", Basis::modeled,
               ChangeScope::cluster},
    ChangeKind{"latency", "FACTOR", "latency of all links", Basis::modeled, ChangeScope::cluster},
    ChangeKind{"bandwidth:DIM", "RATE",
               "links of one dimension: intra, inter or its number; 25GB/s, or a factor",
               Basis::modeled, ChangeScope::cluster},
    ChangeKind{"latency:DIM", "TIME", "latency per hop of one dimension: 2us, or a factor",
               Basis::modeled, ChangeScope::cluster},
    ChangeKind{"link:DIM", "LINK", "links of one dimension, of the catalog: roce-400",
               Basis::modeled, ChangeScope::cluster},
    ChangeKind{"algorithm", "NAME", "collectives: ring, direct …; auto: the fastest",
               Basis::modeled, ChangeScope::cluster},
    job("tp", "parallel.tp", "tensor parallel"),
    job("pp", "parallel.pp", "pipeline stages"),
    job("dp", "parallel.dp", "data parallel; by default the remaining devices"),
    job("cp", "parallel.cp", "context parallel"),
    job("ep", "parallel.ep", "expert parallel"),
    job("sharding", "parallel.sharding", "none, zero1, zero2, zero3"),
    job("schedule", "schedule.kind", workload::kScheduleList),
    job("chunks", "schedule.chunks", "parts of the model per rank"),
    job("recompute", "recompute.kind", "none, selective or full"),
    job("offload", "offload", "optimizer, weights, activations; none"),
    job("global_batch", "batch.global", "sequences per step"),
    job("microbatches", "batch.global", "microbatches per step"),
    job("micro_batch", "batch.micro", "sequences per microbatch"),
    job("seq", "batch.seq", "tokens per sequence"),
    job("layers", "model.layers", "layers"),
    job("hidden", "model.hidden", "size of the residual stream"),
    job("ffn", "model.ffn", "inner size of the MLP"),
    job("heads", "model.heads", "attention heads"),
};

/// A variable of NCCL as a kind of change.
ChangeKind kind_of(const NcclVariable& variable) {
  return {variable.name, "VALUE", variable.meaning, Basis::modeled, ChangeScope::cluster};
}

const ChangeKind* find_word(std::string_view name) {
  const auto* const found = std::find_if(kWords.begin(), kWords.end(),
                                         [&](const ChangeKind& word) { return word.name == name; });
  return found == kWords.end() ? nullptr : found;
}

Error unknown(const std::string& name) {
  if (name.ends_with(':'))
    return {Errc::usage, "--change", fmt::format("'{}' has no name", name),
            "kernel:gemm=0.5 scales kernels whose names contain gemm"};
  std::vector<std::string_view> known;
  for (const ChangeKind& word : kWords) known.push_back(word.name);
  for (std::size_t i = 1; i < graph::kOperations; ++i)
    known.push_back(graph::name(static_cast<graph::Operation>(i)));
  const std::string near = did_you_mean(name, known);
  return {Errc::usage, "--change", fmt::format("there is no change '{}'", name),
          near.empty() ? "orrery whatif --changes lists them; kernel:TEXT=FACTOR scales kernels by "
                         "part of their name"
                       : near};
}

Result<void> read_factor(Change& change) {
  const bool spread = change.name == "variability";
  const double most = spread ? kMaxSpread : kMaxChangeFactor;
  const auto factor = parse_number(change.value);
  if (!factor || !(*factor >= 0 && *factor <= most))
    return fail(Errc::usage, "--change " + change.text,
                fmt::format("{} is not a {} from 0 to {}", in_quotes(change.value),
                            spread ? "sigma" : "factor", most),
                spread                       ? "variability=0.1 varies times by about 10 %"
                : change.name == "bandwidth" ? "bandwidth=2 is twice the rate"
                                             : change.name + "=0.5 is half the time");
  if (change.name == "bandwidth" && *factor == 0)
    return fail(Errc::usage, "--change " + change.text, "links need a bandwidth above 0",
                "bandwidth=2 is twice the rate");
  change.factor = *factor;
  return {};
}

/// Checks a fixed value; other values are checked where they are used.
Result<void> read_enum_name(Change& change, const ChangeKind& word) {
  if (word.value == "VALUE" || word.value == "NAME") return {};
  change.factor = 0;
  if (change.value == word.value) return {};
  return fail(Errc::usage, "--change", fmt::format("'{}' is not a known change", change.text),
              fmt::format("{}={}", word.name, word.value));
}

Result<void> read_rank(Change& change) {
  const auto rank = parse_number(change.name.substr(5));
  if (!rank || *rank < 0 || *rank > 4e9 || *rank != static_cast<std::uint32_t>(*rank))
    return fail(Errc::usage, "--change",
                fmt::format("'{}' does not contain a rank number", change.text),
                "rank:3=1.2 slows rank 3 by 20 %");
  change.rank = static_cast<std::uint32_t>(*rank);
  return {};
}

constexpr std::string_view kOperator = "operator:";
constexpr std::string_view kRange = "range:";

/// The text that the names of its ranges contain; empty: it changes no ranges.
std::string_view changed_ranges(const Change& change) {
  const std::string_view name = change.name;
  return name.starts_with(kRange) ? name.substr(kRange.size()) : std::string_view();
}

/// The nodes that a factor scales; empty for changes that select no nodes.
std::optional<NodeSelection> selection_of(const Change& change) {
  NodeSelection made;
  if (change.name.ends_with(':')) return std::nullopt;
  if (change.name == "kernels") {
    made.kind = WorkKind::kernels;
  } else if (change.name == "communication") {
    made.kind = WorkKind::communication;
  } else if (change.name == "copies") {
    made.kind = WorkKind::copies;
  } else if (change.name == "host") {
    made.kind = WorkKind::host;
  } else if (change.name.starts_with("kernel:")) {
    made.name_part = change.name.substr(7);
  } else if (change.name.starts_with("named:")) {
    made.name = change.name.substr(6);
  } else if (change.name.starts_with("group:")) {
    made.group = change.name.substr(6);
  } else if (const auto operation = graph::operation_of(change.name);
             operation && *operation != graph::Operation::unsaid) {
    made.operation = operation;
  } else {
    return std::nullopt;
  }
  return made;
}

std::optional<LagKind> lag_kind(const Change& change) {
  if (change.name == "launch") return LagKind::launch;
  if (change.name == "waits") return LagKind::waits;
  if (change.name == "gaps") return LagKind::gaps;
  return std::nullopt;
}

/// Provenance of the times after the change.
TimeProvenance provenance_after(const Change& change) {
  if (change.basis == Basis::recorded) return TimeProvenance::recorded;
  return change.basis == Basis::bound ? TimeProvenance::bound : TimeProvenance::scaled;
}

bool is_other(const Workload& a, const Workload& b) {
  for (std::uint32_t rank = 0; rank < a.rank_count(); ++rank)
    if (&a.graph(rank) != &b.graph(rank)) return true;
  return false;
}

/// Applies a graph pass that may fail.
Result<Workload> reordered(const Workload& workload, const std::string& what) {
  const graph::DraftTables tables;
  std::optional<Error> error;
  Workload made = graph::with_graphs(workload, [&](const Graph& graph) -> GraphRef {
    if (error) return nullptr;
    const std::string& where = workload.files.empty() ? what : workload.files.front();
    auto changed = what == "overlap" ? graph::without_overlap(graph, where, tables)
                                     : graph::without_syncs(graph, where, tables);
    if (changed) return *changed;
    error = changed.error();
    return nullptr;
  });
  if (error) return tl::unexpected(*error);
  return made;
}

/// Whether kernel models apply the change for jobs, whose nodes have no times (change_cluster).
bool is_followed_by_models(const Change& change) {
  const auto operation = graph::operation_of(change.name);
  return change.name == "kernels" || change.name.starts_with("rank:") ||
         !changed_operator(change).empty() || (operation && *operation != graph::Operation::unsaid);
}

/// Scales the kernels of an operator. Null: there are none.
GraphRef scale_operator(const Graph& graph, std::string_view name, double factor) {
  const std::vector<bool> kernels = graph::select_nodes(graph, {.kind = WorkKind::kernels});
  std::vector<Time> durations = graph::durations_of(graph);
  bool any = false;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (!kernels[n] || durations[n] <= Time{} || workload::operator_of(graph.name(n)) != name)
      continue;
    durations[n] = std::max(graph::kMinimumDuration, graph::scale_time(durations[n], factor));
    any = true;
  }
  return any ? graph::with_durations(graph, durations) : nullptr;
}

/// Scales all work of the rank.
Workload slowed(const Workload& workload, const Change& change) {
  Workload made = workload;
  for (const WorkKind of : {WorkKind::kernels, WorkKind::copies, WorkKind::host})
    made = graph::with_graphs_of(made, {change.rank}, [&](const Graph& graph) {
      return graph::scale_durations(graph, {.kind = of}, change.factor);
    });
  return made;
}

Result<Workload> with_change(const Workload& workload, const Change& change) {
  if (const std::string_view name = changed_operator(change); !name.empty())
    return graph::with_graphs(
        workload, [&](const Graph& graph) { return scale_operator(graph, name, change.factor); });
  if (const std::string_view text = changed_ranges(change); !text.empty())
    return graph::scale_ranges(workload, text, change.factor);
  if (const auto selection = selection_of(change))
    return graph::with_graphs(workload, [&](const Graph& graph) {
      return graph::scale_durations(graph, *selection, change.factor);
    });
  if (const auto lag = lag_kind(change))
    return graph::with_graphs(workload, [&](const Graph& graph) {
      return graph::scale_lags(graph, *lag, change.factor);
    });
  if (change.name == "overlap" || change.name == "syncs") return reordered(workload, change.name);
  if (change.name == "fusion")
    return graph::with_graphs(workload,
                              [](const Graph& graph) { return graph::fuse_elementwise(graph); });
  if (change.name == "stragglers") return graph::without_stragglers(workload);
  if (change.name == "variability")
    return graph::with_random_factors(workload, change.factor, kSeed);
  if (change.rank >= workload.rank_count())
    return fail(Errc::usage, "--change", fmt::format("there is no rank {}", change.rank),
                fmt::format("there are {} ranks, numbered from 0", workload.rank_count()));
  return slowed(workload, change);
}

}  // namespace

std::string_view name(Basis basis) {
  switch (basis) {
    case Basis::modeled:
      return "modeled";
    case Basis::recorded:
      return "recorded";
    case Basis::scaled:
      return "scaled";
    case Basis::bound:
      return "bound";
  }
  return "";
}

std::span<const ChangeKind> change_kinds() {
  static const std::vector<ChangeKind> kinds = [] {
    std::vector<ChangeKind> all(kWords.begin(), kWords.end());
    for (const NcclVariable& one : nccl_variables())
      if (one.is_represented()) all.push_back(kind_of(one));
    return all;
  }();
  return kinds;
}

namespace {

/// Parses a variable of NCCL: "nccl_algo=Ring".
Result<Change> parse_variable(const std::string& text, std::size_t equals) {
  Change change{text, text.substr(0, equals), text.substr(equals + 1)};
  platform::LibrarySettings alone;
  if (auto fine = set_nccl_variable(change.name, change.value, "--change " + text, alone); !fine)
    return tl::unexpected(fine.error());
  change.name = find_nccl_variable(change.name)->name;
  change.basis = Basis::modeled;
  change.level = ChangeScope::cluster;
  return change;
}

/// Parses "bandwidth:inter=25GB/s", or "inter=25GB/s" with the same meaning; empty: neither.
std::optional<Result<Change>> parse_links(const std::string& text, Change change) {
  auto what = link_value_of(change.name);
  if (!what && (change.name == "intra" || change.name == "inter")) {
    what = link_value_in(change.value);
    change.name = fmt::format("{}:{}", name(*what), change.name);
  }
  if (!what) return std::nullopt;
  if (auto fine = check_link_value(*what, change.value, "--change " + text); !fine)
    return Result<Change>(tl::unexpected(fine.error()));
  change.basis = Basis::modeled;
  change.level = ChangeScope::cluster;
  return Result<Change>(std::move(change));
}

}  // namespace

std::string_view changed_operator(const Change& change) {
  const std::string_view name = change.name;
  return name.starts_with(kOperator) ? name.substr(kOperator.size()) : std::string_view();
}

Result<Change> parse_change(const std::string& text) {
  if (const std::size_t first = text.find('=');
      is_nccl_variable(text) && first != std::string::npos && first + 1 < text.size())
    return parse_variable(text, first);
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return fail(Errc::usage, "--change", fmt::format("'{}' is not NAME=VALUE", text),
                "--change kernels=0.5 --change overlap=none");
  Change change{text, text.substr(0, equals), text.substr(equals + 1)};
  if (auto links = parse_links(text, change)) return *std::move(links);
  if (const ChangeKind* word = find_word(change.name)) {
    change.basis = word->basis;
    change.level = word->level;
    change.path = word->path;
    const bool factor = word->value == "FACTOR" || word->value == "SIGMA";
    if (auto fine = factor ? read_factor(change) : read_enum_name(change, *word); !fine)
      return tl::unexpected(fine.error());
    return change;
  }
  const bool rank = change.name.starts_with("rank:");
  if (rank || selection_of(change) || !changed_operator(change).empty() ||
      !changed_ranges(change).empty()) {
    if (rank)
      if (auto fine = read_rank(change); !fine) return tl::unexpected(fine.error());
    if (auto fine = read_factor(change); !fine) return tl::unexpected(fine.error());
    return change;
  }
  if (change.name.find('.') == std::string::npos) return tl::unexpected(unknown(change.name));
  change.basis = Basis::modeled;  // a key of a specification: "model.kv_heads"
  change.level = ChangeScope::job;
  change.path = change.name;
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

Result<std::uint32_t> whole_number(const Change& change) {
  const auto number = parse_number(change.value);
  if (!number || *number < 1 || *number > kMaxRepeated ||
      *number != static_cast<std::uint32_t>(*number))
    return fail(Errc::usage, "--change " + change.text,
                fmt::format("{} is not a whole number from 1 to {}", in_quotes(change.value),
                            format_count(kMaxRepeated)),
                fmt::format("{}=8", change.name));
  return static_cast<std::uint32_t>(*number);
}

bool is_structural(const Change& change) {
  return change.name == "layers" || change.name == "microbatches";
}

bool are_exclusive(const Change& a, const Change& b) {
  const auto is_machine = [](const Change& change) {
    return change.name == "gpu" || change.name == "cluster";
  };
  if (is_machine(a) && is_machine(b)) return true;
  if (a.level == ChangeScope::job || b.level == ChangeScope::job)
    return a.level == b.level && a.path == b.path;
  const bool replaces = a.name == "algorithm" || link_value_of(a.name) || is_nccl_variable(a.name);
  return replaces && a.name == b.name;
}

Result<void> check_compatible(std::span<const Change> changes) {
  for (std::size_t b = 1; b < changes.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (are_exclusive(changes[a], changes[b]))
        return fail(
            Errc::usage, "--change " + changes[b].text,
            fmt::format("conflicts with '{}', which changes the same thing", changes[a].text),
            "one replaces the other: run two separate commands");
  return {};
}

Result<Workload> with_structure(const Workload& workload, std::span<const Change> changes,
                                const graph::Shape& known, Findings& findings) {
  graph::Shape shape;
  for (const Change& change : changes) {
    if (!is_structural(change)) continue;
    const auto many = whole_number(change);
    if (!many) return tl::unexpected(many.error());
    (change.name == "layers" ? shape.layers : shape.microbatches) = *many;
  }
  return graph::reshape(workload, shape, known, findings);
}

Result<Workload> with_changes(const Workload& workload, std::span<const Change> changes,
                              bool by_models, Findings& findings) {
  Workload made = workload;
  for (const Change& change : changes) {
    if (change.level != ChangeScope::work) continue;
    auto changed = with_change(made, change);
    if (!changed) return changed;
    const bool nothing = by_models && change.name == "variability";  // nodes have no times
    if (change.factor != 1 && (nothing || !is_other(made, *changed)) &&
        !(by_models && is_followed_by_models(change)))
      findings.add(FindingCode::key_without_effect, "--change " + change.text);
    if (!by_models)
      graph::set_provenance(made, provenance_after(change), lag_kind(change), *changed);
    made = *std::move(changed);
  }
  return made;
}

}  // namespace orrery::study
