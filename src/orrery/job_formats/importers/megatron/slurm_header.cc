// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/importers/megatron/slurm_header.h"

#include <algorithm>
#include <charconv>

namespace orrery::workload {

namespace {

/// A number from 1 to 2^20; 0 for everything else.
std::int64_t number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && value <= (std::int64_t{1} << 20) ? value : 0;
}

/// The devices of "gpu:8", "gpu:h100:8", "8", "h100:8" and lists with other resources.
std::int64_t devices_of(std::string_view text) {
  const bool named = text.starts_with("gpu") || text.find(",gpu") != std::string_view::npos;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    one = one.substr(0, one.find('('));
    if (named && !one.starts_with("gpu")) continue;
    const std::int64_t value = number_of(one.substr(one.rfind(':') + 1));
    if (value > 0) return value;
  }
  return 0;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(" \t\r=");
    if (begin == std::string_view::npos || line[begin] == '#') break;
    const std::size_t end = std::min(line.find_first_of(" \t\r=", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return words;
}

}  // namespace

SlurmHeader read_slurm_header(std::string_view script) {
  constexpr std::string_view kMark = "#SBATCH";
  SlurmHeader header;
  std::int64_t devices = 0;
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    const std::string_view line = script.substr(0, end);
    script.remove_prefix(std::min(end + 1, script.size()));
    if (!line.starts_with(kMark)) continue;
    const std::vector<std::string_view> words = words_of(line.substr(kMark.size()));
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string_view name = words[i];
      std::string_view value = i + 1 < words.size() ? words[i + 1] : std::string_view{};
      if (name.size() > 2 && name[0] == '-' && name[1] != '-') {  // "-N24"
        value = name.substr(2);
        name = name.substr(0, 2);
      }
      if (name == "--nodes" || name == "-N") {
        header.nodes = number_of(value);
        header.nodes_text = std::string(header.nodes > 0 ? std::string_view{} : value);
      }
      if (name == "--ntasks" || name == "-n") header.tasks = number_of(value);
      if (name == "--ntasks-per-node" || name == "--tasks-per-node")
        header.tasks_per_node = number_of(value);
      if (name == "--gres" || name == "--gpus-per-node") header.devices = devices_of(value);
      if (name == "--gpus" || name == "-G") devices = devices_of(value);
    }
  }
  if (header.devices == 0 && devices > 0 && header.nodes > 0)
    header.devices = devices / header.nodes;
  return header;
}

std::vector<std::pair<std::string, std::string>> slurm_variables(const SlurmHeader& header) {
  std::vector<std::pair<std::string, std::string>> made;
  const auto add = [&](std::initializer_list<const char*> names, std::int64_t value) {
    for (const char* const name : names)
      if (value > 0) made.emplace_back(name, std::to_string(value));
  };
  const std::int64_t tasks = header.tasks > 0 ? header.tasks : header.nodes * header.tasks_per_node;
  add({"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}, header.nodes);
  add({"SLURM_NTASKS", "SLURM_NPROCS"}, tasks);
  add({"SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}, header.tasks_per_node);
  add({"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}, header.devices);
  return made;
}

}  // namespace orrery::workload
