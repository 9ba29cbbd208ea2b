// SPDX-License-Identifier: Apache-2.0
//
// Small sound traces as PyTorch records them, to be damaged.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "hostile_case.h"
#include "orrery/trace/kineto/kineto_testing.h"

namespace orrery::hostile {

using trace::kineto::testing::complete;

inline const std::string kConvertDevice = "trace convert k.json -o t";
inline const std::string kConvertHost = "trace convert e.json -o t";

/// A step, an operator, its call and its kernel.
inline std::string sound_events() {
  return complete("ProfilerStep#1", "user_annotation", 0, 100) + ",\n" +
         complete("aten::mm", "cpu_op", 1.5, 20, R"({"External id": 2})") + ",\n" +
         complete("cudaLaunchKernel", "cuda_runtime", 5, 3,
                  R"({"External id": 2, "correlation": 12})") +
         ",\n" +
         complete("gemm", "kernel", 12, 30,
                  R"({"External id": 2, "correlation": 12, "device": 0, "stream": 7})", 0, 7);
}

/// A whole device trace of one rank.
inline std::string device_trace(std::string_view more = "", unsigned rank = 0,
                                std::string_view world = "2") {
  return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
         std::to_string(rank) + ", \"world_size\": " + std::string(world) +
         "}, \"traceEvents\": [" + sound_events() + (more.empty() ? "" : ",\n") +
         std::string(more) + "]}";
}

/// It is read with a counted finding (or says `reports` otherwise), and converted.
inline Case survives(std::string name, std::string command, std::string file, std::string bytes,
                     std::string reports) {
  return {std::move(name),   std::move(command), 0, {}, {{file, std::move(bytes)}}, {},
          std::move(reports)};
}

inline Case refused(std::string name, std::string command, std::string file, std::string bytes,
                    std::vector<std::string> says, int exit_code = 3) {
  says.push_back(file);
  return {
      std::move(name), std::move(command), exit_code, std::move(says), {{file, std::move(bytes)}}};
}

/// The same for what is too large to be kept: `write` makes it.
inline Case made(std::string name, std::string command, std::string file,
                 std::function<std::string()> write, std::string reports) {
  return {std::move(name),
          std::move(command),
          0,
          {},
          {},
          [file = std::move(file), write = std::move(write)](const std::filesystem::path& folder) {
            put(folder / file, write());
          },
          std::move(reports)};
}

}  // namespace orrery::hostile
