// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "orrery/intake/job/trace_files.h"

namespace orrery::intake {
namespace {

/// Process ids that occur in only one file of this kind.
std::map<std::int64_t, TraceFile*> by_process(std::vector<TraceFile>& all, bool device) {
  std::map<std::int64_t, TraceFile*> processes;
  for (TraceFile& file : all) {
    if (file.is_device != device || !file.origin.process) continue;
    const auto [at, added] = processes.try_emplace(*file.origin.process, &file);
    if (!added) at->second = nullptr;
  }
  std::erase_if(processes, [](const auto& entry) { return entry.second == nullptr; });
  return processes;
}

std::vector<TraceFile*> without_rank(std::vector<TraceFile>& all, bool device) {
  std::vector<TraceFile*> out;
  for (TraceFile& file : all) {
    if (file.is_device == device && !file.rank) out.push_back(&file);
  }
  return out;
}

/// Assigns to files of one kind without a rank the ranks that `of` finds in them, if these ranks
/// are distinct and not taken by other files.
template <class Of>
void assign_if_distinct(std::vector<TraceFile>& all, bool device, const char* from, const Of& of) {
  std::set<std::uint32_t> taken;
  for (const TraceFile& file : all) {
    if (file.is_device == device && file.rank) taken.insert(*file.rank);
  }
  std::vector<std::pair<TraceFile*, std::uint32_t>> found;
  for (TraceFile* file : without_rank(all, device)) {
    const std::optional<std::uint32_t> rank = of(*file);
    if (!rank) continue;
    if (!taken.insert(*rank).second) return;
    found.emplace_back(file, *rank);
  }
  for (const auto& [file, rank] : found) {
    file->rank = rank;
    file->rank_from = from;
  }
}

/// In "node1_rank3" the rank may count within the node. If a number occurs on several nodes, ranks
/// are numbered in order of (node, rank).
void number_across_nodes(std::vector<TraceFile>& all, bool device) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, TraceFile*> ordered;
  std::set<std::uint32_t> ranks;
  for (TraceFile* file : without_rank(all, device)) {
    if (!file->file_name_rank || !file->file_name_rank->is_explicit || !file->file_name_rank->node)
      return;
    if (!ordered.try_emplace({*file->file_name_rank->node, file->file_name_rank->rank}, file)
             .second)
      return;
    ranks.insert(file->file_name_rank->rank);
  }
  if (ranks.size() == ordered.size()) return;
  std::uint32_t next = 0;
  for (const auto& [key, file] : ordered) {
    file->rank = next++;
    file->rank_from = "file name";
  }
}

/// The numbers at the end of names, by family, for files of one kind.
std::map<std::string, std::set<std::uint32_t>> families_of(const std::vector<TraceFile>& all,
                                                           bool device) {
  std::map<std::string, std::set<std::uint32_t>> families;
  for (const TraceFile& file : all) {
    if (file.is_device == device && file.file_name_rank && !file.file_name_rank->is_explicit)
      families[file.file_name_rank->family].insert(file.file_name_rank->rank);
  }
  return families;
}

void assign_from_names(std::vector<TraceFile>& all, bool device) {
  number_across_nodes(all, device);
  for (TraceFile* file : without_rank(all, device)) {
    if (!file->file_name_rank || !file->file_name_rank->is_explicit) continue;
    file->rank = file->file_name_rank->rank;
    file->rank_from = "file name";
  }
  auto families = families_of(all, device);
  assign_if_distinct(all, device, "file name", [&](const TraceFile& file) {
    const bool is_numbered =
        file.file_name_rank &&
        (file.file_name_rank->is_explicit || families[file.file_name_rank->family].size() > 1);
    return is_numbered ? std::optional(file.file_name_rank->rank) : std::nullopt;
  });
}

/// Assigns a host file to the rank of the device file of the same name in a sibling folder. Returns
/// those ranks.
std::set<std::uint32_t> pair_by_folder(std::vector<TraceFile>& all) {
  std::map<std::string, const TraceFile*> devices;
  for (const TraceFile& file : all) {
    const std::string name = file.is_device ? pair_name(file.input.name) : "";
    if (!name.empty()) devices.emplace(name, &file);
  }
  std::set<std::uint32_t> paired;
  for (TraceFile* host : without_rank(all, false)) {
    const auto twin = devices.find(pair_name(host->input.name));
    if (twin == devices.end()) continue;
    host->rank = twin->second->rank;
    host->rank_from = "folder";
    paired.insert(*host->rank);
  }
  return paired;
}

/// Assigns device files first. Host files follow by their folder, or by the process that they share
/// with a device file.
void assign_ranks(std::vector<TraceFile>& all, Findings& findings) {
  for (TraceFile& file : all) {
    if (!file.origin.rank) continue;
    file.rank = file.origin.rank;
    file.rank_from = "distributedInfo";
  }
  assign_from_names(all, true);
  const auto assign_by_order = [&](bool device) {
    std::set<std::uint32_t> taken;
    for (const TraceFile& file : all) {
      if (file.is_device == device && file.rank) taken.insert(*file.rank);
    }
    std::uint32_t next = 0;
    for (TraceFile* file : without_rank(all, device)) {
      while (!taken.insert(next).second) ++next;
      file->rank = next;
      file->rank_from = "order";
      findings.add(FindingCode::rank_from_order, file->input.name);
    }
  };
  assign_by_order(true);
  const std::set<std::uint32_t> paired = pair_by_folder(all);
  const auto devices = by_process(all, true);
  for (const auto& [process, host] : by_process(all, false)) {
    const auto found = devices.find(process);
    if (found == devices.end() || host->rank || paired.count(*found->second->rank) != 0) continue;
    host->rank = found->second->rank;
    host->rank_from = "process " + std::to_string(process);
  }
  const auto hosts = without_rank(all, false);
  const auto total = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const TraceFile& file) { return file.is_device; }));
  const bool is_pair = hosts.size() == 1 && total == 1 && all.size() == 2 &&
                       (!hosts[0]->file_name_rank || !hosts[0]->file_name_rank->is_explicit);
  if (is_pair) {  // one file of each kind: the same rank, unless the host file's name contradicts
    const TraceFile& device = all[0].is_device ? all[0] : all[1];
    hosts[0]->rank = device.rank;
    hosts[0]->rank_from = device.rank_from;
  }
  assign_from_names(all, false);
  assign_if_distinct(all, false, "device",
                     [](const TraceFile& file) { return file.origin.device; });
  assign_by_order(false);
}

/// Separates recordings of graph captures from traces. Captures without traces stay as traces.
std::vector<TraceFile> attach_graph_captures(std::vector<TraceFile>& all) {
  std::vector<TraceFile> captures;
  const auto of_capture = [](const TraceFile& file) { return file.is_capture; };
  const bool others = std::any_of(all.begin(), all.end(), [](const TraceFile& file) {
    return file.is_device && !file.is_capture;
  });
  if (!others) return captures;
  std::copy_if(all.begin(), all.end(), std::back_inserter(captures), of_capture);
  std::erase_if(all, of_capture);
  return captures;
}

/// Assigns captures to ranks by their contents, else by their names, else to the only rank. Drops
/// those of other ranks.
void assign_captures(std::vector<TraceFile>& captures, std::map<std::uint32_t, RankFiles>& by_rank,
                     Findings& findings) {
  for (TraceFile& file : captures) {
    std::optional<std::uint32_t> rank = file.origin.rank;
    if (!rank && file.file_name_rank && file.file_name_rank->is_explicit)
      rank = file.file_name_rank->rank;
    if (!rank && by_rank.size() == 1) rank = by_rank.begin()->first;
    const auto found = rank ? by_rank.find(*rank) : by_rank.end();
    if (found == by_rank.end() || !found->second.device) {
      findings.add(FindingCode::file_skipped, file.input.name);
    } else {
      found->second.captures.push_back(std::move(file.input));
    }
  }
}

Result<void> add_file(RankFiles& files, TraceFile& file) {
  std::optional<trace::Input>& place = file.is_device ? files.device : files.host;
  if (place) {
    return fail(Errc::usage, file.input.name,
                fmt::format("{} is also a {} trace of rank {}", place->name,
                            file.is_device ? "device" : "host", files.rank),
                "give one of each kind per rank (from the same step and run); --rank sets the rank "
                "of a single trace");
  }
  place = std::move(file.input);
  if (file.is_device) files.process = file.process;
  if (files.rank_from.empty() || file.is_device) files.rank_from = file.rank_from;
  return {};
}

Result<void> read_origins(std::vector<TraceFile>& files) {
  for (TraceFile& file : files) {
    auto seen = read_origin(file.input);
    if (!seen) return tl::unexpected(seen.error());
    file.origin = *seen;
    // A report of several processes is named after their node, not after a rank.
    if (!file.process) file.file_name_rank = rank_in_name(file.input.name);
  }
  return {};
}

}  // namespace

Result<std::vector<RankFiles>> find_ranks(const JobOptions& options, Findings& findings) {
  auto all = find_trace_files(options, findings);
  if (!all) return tl::unexpected(all.error());
  std::vector<TraceFile> captures = attach_graph_captures(*all);
  if (options.rank) {
    for (auto* files : {&*all, &captures}) {
      for (TraceFile& file : *files) {
        file.rank = file.origin.rank = options.rank;
        file.rank_from = "option";
      }
    }
  } else {
    for (auto* files : {&*all, &captures})
      if (auto fine = read_origins(*files); !fine) return tl::unexpected(fine.error());
    assign_ranks(*all, findings);
  }
  std::map<std::uint32_t, RankFiles> by_rank;
  for (TraceFile& file : *all) {
    RankFiles& files = by_rank[*file.rank];
    files.rank = *file.rank;
    if (auto done = add_file(files, file); !done) return tl::unexpected(done.error());
  }
  assign_captures(captures, by_rank, findings);
  std::vector<RankFiles> ranks;
  for (auto& [rank, files] : by_rank) {
    std::optional<trace::Input> host;
    if (!options.link && files.device) host = std::exchange(files.host, std::nullopt);
    const std::string from = files.rank_from;
    ranks.push_back(std::move(files));
    if (host) ranks.push_back({.rank = rank, .rank_from = from, .host = std::move(host)});
  }
  return ranks;
}

}  // namespace orrery::intake
