// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "orrery/intake/job/job_internal.h"
#include "orrery/trace/nsys/reader.h"
#include "orrery/trace/rocpd/reader.h"

namespace orrery::intake {
namespace {

using trace::Format;

/// A file that belongs to some rank.
struct FoundFile {
  trace::Input input;
  bool device = false;
  Peek peek;
  std::optional<NameRank> named;
  std::optional<std::uint32_t> rank;
  std::string from;
  std::optional<std::int64_t> process = std::nullopt;  ///< the only one of the file's that counts
};

/// What to say about a file that no rank can have recorded.
Error refusal(const trace::Input& input) {
  switch (input.format) {
    case Format::chakra:
      return {Errc::usage, input.name, "this is already a Chakra trace, not a recorded one",
              "simulate it with 'orrery run', or check it with 'orrery check'"};
    case Format::run_file:
      return {Errc::usage, input.name, "this is a result of a simulation, not a recorded trace",
              "look at it with 'orrery report'"};
    case Format::astra_text:
    case Format::mpi_json:
      return {Errc::usage, input.name,
              fmt::format("this is a workload for all ranks ({}), not a recorded rank",
                          trace::name(input.format)),
              "convert it by itself"};
    case Format::nsys_report:
      return {Errc::input_unsupported, input.name,
              "an Nsight Systems report must be exported first",
              "nsys export --type sqlite FILE.nsys-rep"};
    default:
      return {Errc::input_unsupported, input.name, "this is no trace in a format that is known",
              "Kineto (JSON, .pftrace), PyTorch execution traces (JSON), Nsight Systems exports "
              "(.sqlite), rocprofv3 databases (.db)"};
  }
}

bool is_note(const std::string& path) {
  constexpr std::array<std::string_view, 7> kEndings = {".md",   ".txt", ".yaml", ".yml",
                                                        ".html", ".py",  ".sh"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

/// What is written beside traces to describe them.
bool is_facts(const trace::Input& input) {
  if (input.format != Format::unknown) return false;
  auto source = trace::open(input);
  if (!source) return false;
  std::array<char, 4096> head{};
  const auto got = (*source)->read(std::as_writable_bytes(std::span(head)));
  return got && std::string_view(head.data(), *got).find("\"orrery_facts\"") != std::string::npos;
}

/// The files that JobOptions::traces name.
class Collector {
 public:
  explicit Collector(Findings& findings) : findings_(findings) {}

  Result<void> add(const std::string& pattern) {
    const auto paths = trace::expand(pattern);
    if (!paths) return tl::unexpected(paths.error());
    const bool named = paths->size() == 1 && paths->front() == pattern;
    for (const std::string& path : *paths) {
      if (!seen_.insert(path).second) continue;
      if (!named && is_note(path)) {
        leave_out(path, refusal({path, path, Format::unknown, 0}));
      } else if (auto fine = add_file(path, named); !fine) {
        return fine;
      }
    }
    return {};
  }

  Result<std::vector<FoundFile>> finish() {
    if (all_.empty() && refused_) return tl::unexpected(*refused_);
    for (const std::string& name : left_out_) findings_.add(FindingCode::file_skipped, name);
    return std::move(all_);
  }

 private:
  Result<void> add_file(const std::string& path, bool named) {
    auto inputs = trace::inputs_in(path);
    if (!inputs) return tl::unexpected(inputs.error());
    std::size_t used = 0;
    for (trace::Input& input : *inputs) {
      const bool device = trace::is_device_trace(input.format);
      if (device || input.format == Format::pytorch_et) {
        ++used;
        add_input(std::move(input), device);
        continue;
      }
      const Error error = refusal(input);
      const bool alone = named && input.name == path;
      if (alone && !is_note(path) && !is_facts(input)) return tl::unexpected(error);
      leave_out(input.name, error);
    }
    if (used == 0 && named && (inputs->size() != 1 || inputs->front().name != path))
      return fail(Errc::input_unsupported, path, "there is no recorded trace in this archive");
    return {};
  }

  /// A report of a whole node is one trace per process.
  void add_input(trace::Input input, bool device) {
    if (input.format == Format::nsys_sqlite || input.format == Format::rocpd) {
      const auto processes = input.format == Format::rocpd ? trace::rocpd::processes_in(input.path)
                                                           : trace::nsys::processes_in(input.path);
      if (processes && processes->size() > 1) {
        for (const std::int64_t process : *processes) {
          all_.push_back({input, true, {}, {}, {}, {}});
          all_.back().process = process;
        }
        return;
      }
    }
    all_.push_back({std::move(input), device, {}, {}, {}, {}});
  }

  void leave_out(const std::string& name, const Error& why) {
    if (!refused_) refused_ = why;
    left_out_.push_back(name);
  }

  Findings& findings_;
  std::set<std::string> seen_;
  std::vector<FoundFile> all_;
  std::vector<std::string> left_out_;
  std::optional<Error> refused_;  ///< the first that was left out
};

/// All files that the patterns name, each once. What is no trace is an error where it is named by
/// itself, and left out where a pattern or an archive has it beside traces.
Result<std::vector<FoundFile>> candidates_of(const JobOptions& options, Findings& findings) {
  if (options.traces.empty()) {
    return fail(Errc::usage, "--traces", "no trace is given",
                "files or patterns: 'traces/*.json.gz'");
  }
  Collector collector(findings);
  for (const std::string& pattern : options.traces) {
    if (auto fine = collector.add(pattern); !fine) return tl::unexpected(fine.error());
  }
  return collector.finish();
}

/// A process id that one file alone of its kind has.
std::map<std::int64_t, FoundFile*> by_process(std::vector<FoundFile>& all, bool device) {
  std::map<std::int64_t, FoundFile*> processes;
  for (FoundFile& file : all) {
    if (file.device != device || !file.peek.process) continue;
    const auto [at, added] = processes.try_emplace(*file.peek.process, &file);
    if (!added) at->second = nullptr;
  }
  std::erase_if(processes, [](const auto& entry) { return entry.second == nullptr; });
  return processes;
}

std::vector<FoundFile*> without_rank(std::vector<FoundFile>& all, bool device) {
  std::vector<FoundFile*> out;
  for (FoundFile& file : all) {
    if (file.device == device && !file.rank) out.push_back(&file);
  }
  return out;
}

/// Gives the files of one kind that have no rank yet what `of` finds in them, if those ranks are
/// each another one (and no file's that has one already).
template <class Of>
void take_if_distinct(std::vector<FoundFile>& all, bool device, const char* from, const Of& of) {
  std::set<std::uint32_t> taken;
  for (const FoundFile& file : all) {
    if (file.device == device && file.rank) taken.insert(*file.rank);
  }
  std::vector<std::pair<FoundFile*, std::uint32_t>> found;
  for (FoundFile* file : without_rank(all, device)) {
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
void number_across_nodes(std::vector<FoundFile>& all, bool device) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, FoundFile*> ordered;
  std::set<std::uint32_t> ranks;
  for (FoundFile* file : without_rank(all, device)) {
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
std::map<std::string, std::set<std::uint32_t>> families_of(const std::vector<FoundFile>& all,
                                                           bool device) {
  std::map<std::string, std::set<std::uint32_t>> families;
  for (const FoundFile& file : all) {
    if (file.device == device && file.named && !file.named->sure)
      families[file.named->family].insert(file.named->rank);
  }
  return families;
}

void take_from_names(std::vector<FoundFile>& all, bool device) {
  number_across_nodes(all, device);
  for (FoundFile* file : without_rank(all, device)) {
    if (!file->named || !file->named->sure) continue;
    file->rank = file->named->rank;
    file->from = "file name";
  }
  auto families = families_of(all, device);
  take_if_distinct(all, device, "file name", [&](const FoundFile& file) {
    const bool one_of_several =
        file.named && (file.named->sure || families[file.named->family].size() > 1);
    return one_of_several ? std::optional(file.named->rank) : std::nullopt;
  });
}

/// A host file whose folder stands beside that of a device file of the same name is of its rank.
/// Those ranks.
std::set<std::uint32_t> pair_by_folder(std::vector<FoundFile>& all) {
  std::map<std::string, const FoundFile*> devices;
  for (const FoundFile& file : all) {
    const std::string name = file.device ? twin_name(file.input.name) : "";
    if (!name.empty()) devices.emplace(name, &file);
  }
  std::set<std::uint32_t> paired;
  for (FoundFile* host : without_rank(all, false)) {
    const auto twin = devices.find(twin_name(host->input.name));
    if (twin == devices.end()) continue;
    host->rank = twin->second->rank;
    host->from = "folder";
    paired.insert(*host->rank);
  }
  return paired;
}

/// Device files first; host files by where they lie, or the process they share with one of them.
void assign_ranks(std::vector<FoundFile>& all, Findings& findings) {
  for (FoundFile& file : all) {
    if (!file.peek.rank) continue;
    file.rank = file.peek.rank;
    file.from = "distributedInfo";
  }
  take_from_names(all, true);
  const auto order = [&](bool device) {
    std::set<std::uint32_t> taken;
    for (const FoundFile& file : all) {
      if (file.device == device && file.rank) taken.insert(*file.rank);
    }
    std::uint32_t next = 0;
    for (FoundFile* file : without_rank(all, device)) {
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
      std::count_if(all.begin(), all.end(), [](const FoundFile& file) { return file.device; }));
  const bool a_pair = hosts.size() == 1 && total == 1 && all.size() == 2 &&
                      (!hosts[0]->named || !hosts[0]->named->sure);
  if (a_pair) {  // one of each: of one rank, unless the host file's name says otherwise
    const FoundFile& device = all[0].device ? all[0] : all[1];
    hosts[0]->rank = device.rank;
    hosts[0]->from = device.from;
  }
  take_from_names(all, false);
  take_if_distinct(all, false, "device", [](const FoundFile& file) { return file.peek.device; });
  order(false);
}

Result<void> put(RankFiles& files, FoundFile& file) {
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

}  // namespace

Result<std::vector<RankFiles>> find_ranks(const JobOptions& options, Findings& findings) {
  auto all = candidates_of(options, findings);
  if (!all) return tl::unexpected(all.error());
  if (options.rank) {
    for (FoundFile& file : *all) {
      file.rank = options.rank;
      file.from = "option";
    }
  } else {
    for (FoundFile& file : *all) {
      auto seen = peek(file.input);
      if (!seen) return tl::unexpected(seen.error());
      file.peek = *seen;
      // A report of several processes is named after their node.
      if (!file.process) file.named = rank_in_name(file.input.name);
    }
    assign_ranks(*all, findings);
  }
  std::map<std::uint32_t, RankFiles> by_rank;
  for (FoundFile& file : *all) {
    RankFiles& files = by_rank[*file.rank];
    files.rank = *file.rank;
    if (auto done = put(files, file); !done) return tl::unexpected(done.error());
  }
  std::vector<RankFiles> ranks;
  for (auto& [rank, files] : by_rank) {
    if (!options.link && files.device && files.host) {
      ranks.push_back({rank, files.rank_from, std::move(files.device), {}, files.process});
      ranks.push_back({rank, files.rank_from, {}, std::move(files.host), {}});
    } else {
      ranks.push_back(std::move(files));
    }
  }
  return ranks;
}

}  // namespace orrery::intake
