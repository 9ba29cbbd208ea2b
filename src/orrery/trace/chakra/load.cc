// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/load.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "orrery/core/limits.h"
#include "orrery/graph/spill.h"
#include "orrery/trace/chakra/groups.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/chakra/shared_files.h"
#include "orrery/trace/json/decimal.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::string_view kSuffixes[] = {".et", ".et.gz", ".json"};

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

std::string rank_path(const std::string& prefix, std::uint32_t rank, std::string_view suffix) {
  return fmt::format("{}.{}{}", prefix, rank, suffix);
}

std::string folder_of(const std::string& prefix) {
  return prefix.substr(0, prefix.rfind('/') + 1);  // npos + 1 == 0
}

/// The existing ranks, one bit each, from a single scan of the folder.
std::vector<bool> ranks_present(const std::string& prefix, std::string_view suffix) {
  const std::string folder = folder_of(prefix);
  const std::string base = prefix.substr(folder.size()) + ".";
  std::vector<bool> present;
  DIR* directory = ::opendir(folder.empty() ? "." : folder.c_str());
  if (directory == nullptr) return present;
  while (const dirent* entry = ::readdir(directory)) {
    std::string_view name = entry->d_name;
    if (name.size() <= base.size() + suffix.size() || name.substr(0, base.size()) != base) continue;
    if (name.substr(name.size() - suffix.size()) != suffix) continue;
    name.remove_prefix(base.size());
    name.remove_suffix(suffix.size());
    const auto rank = trace::json::parse_number<std::uint32_t>(name);
    if (!rank || *rank >= limits::kRanks) continue;
    if (name.size() > 1 && name[0] == '0') continue;  // "w.01.et" is not rank 1's file
    if (present.size() <= *rank) present.resize(*rank + 1, false);
    present[*rank] = true;
  }
  ::closedir(directory);
  return present;
}

/// Default number of ranks: the number of files, if their ranks are contiguous from 0.
Result<std::uint32_t> count_ranks(const std::string& prefix, std::string_view suffix) {
  const std::vector<bool> present = ranks_present(prefix, suffix);
  const auto gap = std::find(present.begin(), present.end(), false);
  const auto count = static_cast<std::uint32_t>(gap - present.begin());
  if (count == 0) {
    const auto file = open_file(prefix);
    if (!file && file.error().code == Errc::input_read)
      return fail(
          Errc::input_read, prefix,
          fmt::format("{}, and there is no {}", file.error().what, rank_path(prefix, 0, suffix)),
          "specify a recording by its file, and a workload by the prefix of its files");
    return fail(Errc::input_not_found, prefix,
                fmt::format("there is no such file, and no {}", rank_path(prefix, 0, suffix)),
                "specify a recording by its file, and a workload by the prefix of its files: w for "
                "w.0.et, w.1.et, …");
  }
  if (gap != present.end()) {
    return fail(
        Errc::input_not_found, rank_path(prefix, count, suffix),
        fmt::format("no trace of rank {}, but a trace of rank {}", count, present.size() - 1),
        "add it, or specify the number of ranks to read");
  }
  return count;
}

/// True for a trace written as JSON; its name may equal the prefix.
bool is_trace_as_json(const std::string& path) {
  constexpr std::string_view kBeginning = "{\"chakra\":";
  std::array<char, kBeginning.size()> head{};
  auto source = open_file(path);
  if (!source) return false;
  const auto read = (*source)->read(std::as_writable_bytes(std::span(head)));
  return read && std::string_view(head.data(), *read) == kBeginning;
}

/// The group file to use; empty if there is none.
std::string companion(const std::string& prefix, std::string_view suffix) {
  const std::string shared = folder_of(prefix) + "comm_group.json";
  if (exists(shared)) return shared;
  const std::string own = prefix + ".json";
  if (suffix == ".json" || !exists(own) || is_trace_as_json(own)) return {};
  return own;
}

Result<void> load_groups(const std::string& prefix, std::string_view suffix,
                         const LoadOptions& options, graph::Workload& workload) {
  std::string path = options.group_file;
  if (path.empty() && options.find_companion) path = companion(prefix, suffix);
  if (!path.empty()) {
    auto groups = read_groups(path);
    if (!groups) return tl::unexpected(groups.error());
    // The file has priority; dumps inside the traces only add groups that it omits.
    for (auto& [name, group] : *groups) workload.groups[name] = std::move(group);
  }
  if (options.replicated) return {};
  return check_groups(workload.groups, workload.rank_count(), path.empty() ? prefix : path,
                      options.repair, workload.findings);
}

/// Ranks without a trace are allowed only if groups list exactly this number of ranks.
Result<void> check_missing(const std::string& prefix, std::string_view suffix,
                           const graph::Workload& workload) {
  if (workload.without_trace.empty()) return {};
  std::uint32_t named = 0;
  for (const auto& [name, group] : workload.groups)
    for (const std::uint32_t rank : group.ranks) named = std::max(named, rank + 1);
  if (named == workload.rank_count()) return {};
  const std::uint32_t missing = workload.without_trace.front();
  if (named == 0)
    return fail(
        Errc::input_not_found, rank_path(prefix, missing, suffix),
        fmt::format("no trace of rank {}, and no process group specifies the number of ranks",
                    missing),
        "add it, or specify the process groups with --groups FILE");
  return fail(Errc::input_not_found, rank_path(prefix, missing, suffix),
              fmt::format("no trace of rank {}, and process groups name {} ranks, not {}", missing,
                          named, workload.rank_count()),
              fmt::format("add it, or use a cluster of {} devices", named));
}

/// Stores finished graphs: in memory while they fit, then in a file.
class GraphStore {
 public:
  explicit GraphStore(const LoadOptions& options) : options_(options) {}

  /// The pool for the next rank. Ranks in memory share a pool; a spilled rank has its own.
  [[nodiscard]] std::shared_ptr<StringPool> strings() {
    spilling_ = full();
    if (spilling_) return std::make_shared<StringPool>();
    if (!strings_) strings_ = std::make_shared<StringPool>();
    return strings_;
  }

  /// Stores the graph that was read with the last pool.
  Result<graph::GraphRef> put(graph::Graph graph) {
    if (spilling_) {
      if (!spill_) {
        auto made = graph::Spill::create(options_.spill_folder);
        if (!made) return tl::unexpected(made.error());
        spill_.emplace(std::move(*made));
      }
      auto spilled = spill_->put(graph);
      if (!spilled) return tl::unexpected(spilled.error());
      graph = std::move(*spilled);
    }
    graphs_ += graph.resident_bytes();
    return std::make_shared<const graph::Graph>(std::move(graph));
  }

 private:
  [[nodiscard]] bool full() const {
    if (options_.spill_folder.empty()) return false;
    return graphs_ + (strings_ ? strings_->resident_bytes() : 0) >= options_.memory;
  }

  const LoadOptions& options_;
  std::shared_ptr<StringPool> strings_;
  std::optional<graph::Spill> spill_;
  bool spilling_ = false;
  std::uint64_t graphs_ = 0;  // bytes
};

Result<void> load_graphs(const std::string& prefix, std::string_view suffix, std::uint32_t count,
                         const LoadOptions& options, graph::Workload& workload) {
  GraphStore store(options);
  SharedFiles shared;
  const auto kernels = std::make_shared<graph::KernelTable>();
  constexpr std::uint32_t kReportEvery = 256;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const std::string& path = workload.files.emplace_back(rank_path(prefix, rank, suffix));
    if (options.allow_missing_ranks && rank > 0 && !exists(path)) {
      workload.files.back() = workload.files[rank - 1];
      workload.without_trace.push_back(rank);
      workload.graph_of_rank.push_back(workload.graph_of_rank.back());
      continue;
    }
    auto lookup = shared.look_up(path);
    if (!lookup) return tl::unexpected(lookup.error());
    if (!lookup->is_duplicate) {
      const ReadOptions read{path, store.strings(), options.repair, &workload.groups, kernels};
      auto graph = read_rank(std::move(lookup->source), read, workload.findings);
      if (!graph) return tl::unexpected(graph.error());
      auto retained = store.put(std::move(*graph));
      if (!retained) return tl::unexpected(retained.error());
      workload.graphs.push_back(std::move(*retained));
    }
    workload.graph_of_rank.push_back(lookup->index);
    if (options.progress && (rank + 1 == count || (rank + 1) % kReportEvery == 0))
      options.progress(rank + 1, count);
  }
  return {};
}

}  // namespace

Result<graph::Graph> load_rank(const std::string& path, std::shared_ptr<StringPool> strings,
                               graph::Repair repair, Findings& findings, GroupMap* groups) {
  auto source = open_file(path);
  if (!source) return tl::unexpected(source.error());
  return read_rank(std::move(*source), {path, std::move(strings), repair, groups}, findings);
}

Result<graph::Workload> load_workload(const std::string& prefix, const LoadOptions& options) {
  std::string_view suffix = kSuffixes[0];
  for (const std::string_view candidate : kSuffixes) {
    if (exists(rank_path(prefix, 0, candidate))) {
      suffix = candidate;
      break;
    }
  }
  std::uint32_t count = options.ranks;
  if (count == 0) {
    const auto found = count_ranks(prefix, suffix);
    if (!found) return tl::unexpected(found.error());
    count = *found;
  }
  if (count > limits::kRanks) {
    return fail(Errc::limit_exceeded, prefix, fmt::format("more than {} ranks", limits::kRanks));
  }

  graph::Workload workload;
  if (auto done = load_graphs(prefix, suffix, count, options, workload); !done)
    return tl::unexpected(done.error());
  if (auto done = load_groups(prefix, suffix, options, workload); !done)
    return tl::unexpected(done.error());
  if (auto fine = check_missing(prefix, suffix, workload); !fine)
    return tl::unexpected(fine.error());
  return workload;
}

Result<graph::Workload> load_files(const std::vector<std::string>& paths, graph::Repair repair) {
  graph::Workload workload;
  const auto strings = std::make_shared<StringPool>();
  for (const std::string& path : paths) {
    auto graph = load_rank(path, strings, repair, workload.findings, &workload.groups);
    if (!graph) return tl::unexpected(graph.error());
    workload.graph_of_rank.push_back(static_cast<std::uint32_t>(workload.graphs.size()));
    workload.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
    workload.files.push_back(path);
  }
  return workload;
}

}  // namespace orrery::trace::chakra
