// SPDX-License-Identifier: Apache-2.0
//
// One hostile input: how to make it, what to type, and what the program has to answer.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::hostile {

using Files = std::map<std::string, std::string>;

/// An exit code of 0 or 1 says that what is odd was survived and counted: `reports` says as what.
/// A folder starts with a sound workload `w` of two ranks and sound configurations (`two.yaml`,
/// `net.yml`, `sys.json`, `mem.json`); `files` and then `make` change that.
struct Case {
  std::string name;     ///< letters, digits and underscores
  std::string command;  ///< arguments, split at spaces; run in the folder
  int exit_code;
  std::vector<std::string> says;  ///< each is part of stderr
  Files files{};
  std::function<void(const std::filesystem::path&)> make{};
  std::string reports{};   ///< part of stdout
  std::uint64_t disk = 0;  ///< no file may become larger; 0 = any size
};

inline void PrintTo(const Case* hostile, std::ostream* out) { *out << hostile->command; }

/// Our cluster file, and ASTRA-sim's files.
inline const std::string kRun = "run w --cluster two.yaml";
inline const std::string kAstra =
    "run w --astra-network net.yml --astra-system sys.json --astra-memory mem.json";

// Readers of traces.
[[nodiscard]] std::vector<Case> file_cases();
[[nodiscard]] std::vector<Case> framing_cases();
[[nodiscard]] std::vector<Case> node_cases();
[[nodiscard]] std::vector<Case> gzip_cases();
[[nodiscard]] std::vector<Case> json_cases();
[[nodiscard]] std::vector<Case> legacy_cases();
// Readers of configurations.
[[nodiscard]] std::vector<Case> network_cases();
[[nodiscard]] std::vector<Case> system_cases();
[[nodiscard]] std::vector<Case> memory_cases();
[[nodiscard]] std::vector<Case> group_cases();
[[nodiscard]] std::vector<Case> custom_cases();
[[nodiscard]] std::vector<Case> custom_map_cases();
[[nodiscard]] std::vector<Case> cluster_cases();
// Readers of recorded traces.
[[nodiscard]] std::vector<Case> kineto_cut_cases();
[[nodiscard]] std::vector<Case> kineto_text_cases();
[[nodiscard]] std::vector<Case> kineto_value_cases();
[[nodiscard]] std::vector<Case> kineto_size_cases();
[[nodiscard]] std::vector<Case> execution_cut_cases();
[[nodiscard]] std::vector<Case> execution_node_cases();
[[nodiscard]] std::vector<Case> execution_size_cases();
[[nodiscard]] std::vector<Case> packed_cases();
[[nodiscard]] std::vector<Case> archive_cases();
[[nodiscard]] std::vector<Case> nsight_cases();
[[nodiscard]] std::vector<Case> rocpd_cases();
[[nodiscard]] std::vector<Case> perfetto_cases();
[[nodiscard]] std::vector<Case> xplane_cases();
[[nodiscard]] std::vector<Case> task_graph_cases();
[[nodiscard]] std::vector<Case> flight_recorder_cases();
[[nodiscard]] std::vector<Case> layer_cases();
// The reader of run files.
[[nodiscard]] std::vector<Case> run_file_cases();
// Readers of job descriptions, ours and other tools'.
[[nodiscard]] std::vector<Case> description_cases();
[[nodiscard]] std::vector<Case> tool_description_cases();
// Sound files that make no sense together.
[[nodiscard]] std::vector<Case> unlinked_cases();
[[nodiscard]] std::vector<Case> rank_value_cases();
[[nodiscard]] std::vector<Case> rank_cases();
[[nodiscard]] std::vector<Case> recorded_file_cases();
[[nodiscard]] std::vector<Case> recorded_output_cases();
[[nodiscard]] std::vector<Case> message_cases();
[[nodiscard]] std::vector<Case> collective_cases();
[[nodiscard]] std::vector<Case> number_cases();
[[nodiscard]] std::vector<Case> usage_cases();

/// What the program did.
struct Answer {
  std::string out;
  std::string err;
  int exit_code = 0;  ///< 128 + signal if one ended it
  bool late = false;  ///< killed, for it hung
  double cpu_seconds = 0;
  double peak_megabytes = 0;
};

inline constexpr double kPeakMegabytes = 512;

/// Writes the case's files into a fresh `folder`.
void prepare(const Case& hostile, const std::filesystem::path& folder);

/// Runs the program in `folder` with the case's arguments.
[[nodiscard]] Answer answer(const Case& hostile, const std::filesystem::path& folder,
                            const std::filesystem::path& program);

void put(const std::filesystem::path& path, std::string_view bytes);
[[nodiscard]] std::string repeated(std::string_view piece, std::size_t count);

/// For Case::make: a file of `piece`s, larger than any configuration may be.
[[nodiscard]] std::function<void(const std::filesystem::path&)> too_large(std::string name,
                                                                          std::string piece);

}  // namespace orrery::hostile
