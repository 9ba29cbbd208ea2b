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

/// A process id that one file alone of its kind has.
std::map<std::int64_t, TraceFile*> by_process(std::vector<TraceFile>& all, bool device) {
  std::map<std::int64_t, TraceFile*> processes;
  for (TraceFile& file : all) {
    if (file.device != device || !file.read_origin.process) continue;
    const auto [at, added] = processes.try_emplace(*file.read_origin.process, &file);
    if (!added) at->second = nullptr;
  }
  std::erase_if(processes, [](const auto& entry) { return entry.second == nullptr; });
  return processes;
}

std::vector<TraceFile*> without_rank(std::vector<TraceFile>& all, bool device) {
  std::vector<TraceFile*> out;
  for (TraceFile& file : all) {
    if (file.device == device && !file.rank) out.push_back(&file);
  }
  return out;
}

/// Gives the files of one kind that have no rank yet what `of` finds in them, if those ranks are
/// each another one (and no file's that has one already).
template <class Of>
void take_if_distinct(std::vector<TraceFile>& all, bool device, const char* from, const Of& of) {
  std::set<std::uint32_t> taken;
  for (const TraceFile& file : all) {
    if (file.device == device && file.rank) taken.insert(*file.rank);
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
    file->from = from;
  }
}

/// "node1_rank3" may count the ranks of a node: two of one number on different nodes stand in order
/// of (node, rank).
void number_across_nodes(std::vector<TraceFile>& all, bool device) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, TraceFile*> ordered;
  std::set<std::uint32_t> ranks;
  for (TraceFile* file : without_rank(all, device)) {
    if (!file->named || !file->named->sure || !file->named->node) return;
    if (!ordered.try_emplace({*file->named->node, file->named->rank}, file).second) return;
    ranks.insert(file->named->rank);
  }
  if (ranks.size() == ordered.size()) return;
  std::uint32_t next = 0;
  for (const auto& [key, file] : ordered) {
    file->rank = next++;
    file->from = "file name";
  }
}

/// How many numbers the files of one kind have behind each beginning of a name.
std::map<std::string, std::set<std::uint32_t>> families_of(const std::vector<TraceFile>& all,
                                                           bool device) {
  std::map<std::string, std::set<std::uint32_t>> families;
  for (const TraceFile& file : all) {
    if (file.device == device && file.named && !file.named->sure)
      families[file.named->family].insert(file.named->rank);
  }
  return families;
}

void take_from_names(std::vector<TraceFile>& all, bool device) {
  number_across_nodes(all, device);
  for (TraceFile* file : without_rank(all, device)) {
    if (!file->named || !file->named->sure) continue;
    file->rank = file->named->rank;
    file->from = "file name";
  }
  auto families = families_of(all, device);
  take_if_distinct(all, device, "file name", [&](const TraceFile& file) {
    const bool one_of_several =
        file.named && (file.named->sure || families[file.named->family].size() > 1);
    return one_of_several ? std::optional(file.named->rank) : std::nullopt;
  });
}

/// A host file whose folder stands beside that of a device file of the same name is of its rank.
/// Those ranks.
std::set<std::uint32_t> pair_by_folder(std::vector<TraceFile>& all) {
  std::map<std::string, const TraceFile*> devices;
  for (const TraceFile& file : all) {
    const std::string name = file.device ? pair_name(file.input.name) : "";
    if (!name.empty()) devices.emplace(name, &file);
  }
  std::set<std::uint32_t> paired;
  for (TraceFile* host : without_rank(all, false)) {
    const auto twin = devices.find(pair_name(host->input.name));
    if (twin == devices.end()) continue;
    host->rank = twin->second->rank;
    host->from = "folder";
    paired.insert(*host->rank);
  }
  return paired;
}

/// Device files first; host files by where they lie, or the process they share with one of them.
void assign_ranks(std::vector<TraceFile>& all, Findings& findings) {
  for (TraceFile& file : all) {
    if (!file.read_origin.rank) continue;
    file.rank = file.read_origin.rank;
    file.from = "distributedInfo";
  }
  take_from_names(all, true);
  const auto order = [&](bool device) {
    std::set<std::uint32_t> taken;
    for (const TraceFile& file : all) {
      if (file.device == device && file.rank) taken.insert(*file.rank);
    }
    std::uint32_t next = 0;
    for (TraceFile* file : without_rank(all, device)) {
      while (!taken.insert(next).second) ++next;
      file->rank = next;
      file->from = "order";
      findings.add(FindingCode::rank_from_order, file->input.name);
    }
  };
  order(true);
  const std::set<std::uint32_t> paired = pair_by_folder(all);
  const auto devices = by_process(all, true);
  for (const auto& [process, host] : by_process(all, false)) {
    const auto found = devices.find(process);
    if (found == devices.end() || host->rank || paired.count(*found->second->rank) != 0) continue;
    host->rank = found->second->rank;
    host->from = "process " + std::to_string(process);
  }
  const auto hosts = without_rank(all, false);
  const auto total = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const TraceFile& file) { return file.device; }));
  const bool a_pair = hosts.size() == 1 && total == 1 && all.size() == 2 &&
                      (!hosts[0]->named || !hosts[0]->named->sure);
  if (a_pair) {  // one of each: of one rank, unless the host file's name says otherwise
    const TraceFile& device = all[0].device ? all[0] : all[1];
    hosts[0]->rank = device.rank;
    hosts[0]->from = device.from;
  }
  take_from_names(all, false);
  take_if_distinct(all, false, "device",
                   [](const TraceFile& file) { return file.read_origin.device; });
  order(false);
}

/// Recordings of captures apart from the traces they belong to; of captures alone nothing is.
std::vector<TraceFile> attach_graph_captures(std::vector<TraceFile>& all) {
  std::vector<TraceFile> captures;
  const auto of_capture = [](const TraceFile& file) { return file.capture; };
  const bool others = std::any_of(
      all.begin(), all.end(), [](const TraceFile& file) { return file.device && !file.capture; });
  if (!others) return captures;
  std::copy_if(all.begin(), all.end(), std::back_inserter(captures), of_capture);
  std::erase_if(all, of_capture);
  return captures;
}

/// By what they say, else by their names, else to the only rank there is. Those of other ranks are
/// left out.
void put_captures(std::vector<TraceFile>& captures, std::map<std::uint32_t, RankFiles>& by_rank,
                  Findings& findings) {
  for (TraceFile& file : captures) {
    std::optional<std::uint32_t> rank = file.read_origin.rank;
    if (!rank && file.named && file.named->sure) rank = file.named->rank;
    if (!rank && by_rank.size() == 1) rank = by_rank.begin()->first;
    const auto found = rank ? by_rank.find(*rank) : by_rank.end();
    if (found == by_rank.end() || !found->second.device) {
      findings.add(FindingCode::file_skipped, file.input.name);
    } else {
      found->second.captures.push_back(std::move(file.input));
    }
  }
}

Result<void> put(RankFiles& files, TraceFile& file) {
  std::optional<trace::Input>& place = file.device ? files.device : files.host;
  if (place) {
    return fail(Errc::usage, file.input.name,
                fmt::format("{} is a {} trace of rank {} as well", place->name,
                            file.device ? "device" : "host", files.rank),
                "give one of each kind per rank (one step, one run); --rank says the rank of a "
                "single trace");
  }
  place = std::move(file.input);
  if (file.device) files.process = file.process;
  if (files.rank_from.empty() || file.device) files.rank_from = file.from;
  return {};
}

Result<void> look_into(std::vector<TraceFile>& files) {
  for (TraceFile& file : files) {
    auto seen = read_origin(file.input);
    if (!seen) return tl::unexpected(seen.error());
    file.read_origin = *seen;
    // A report of several processes is named after their node.
    if (!file.process) file.named = rank_in_name(file.input.name);
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
        file.rank = file.read_origin.rank = options.rank;
        file.from = "option";
      }
    }
  } else {
    for (auto* files : {&*all, &captures})
      if (auto fine = look_into(*files); !fine) return tl::unexpected(fine.error());
    assign_ranks(*all, findings);
  }
  std::map<std::uint32_t, RankFiles> by_rank;
  for (TraceFile& file : *all) {
    RankFiles& files = by_rank[*file.rank];
    files.rank = *file.rank;
    if (auto done = put(files, file); !done) return tl::unexpected(done.error());
  }
  put_captures(captures, by_rank, findings);
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
