// SPDX-License-Identifier: Apache-2.0
//
// The building blocks of question tables, for the structs of this room.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/config/question_table.h"
#include "orrery/core/models/network_help.h"
#include "orrery/core/models/time_source_table.h"

namespace orrery::study {

using config::QuestionField;
using config::QuestionGroup;
using config::QuestionStruct;
using config::SelectedRow;
using config::Stage;
using config::UndeclaredField;
using enum config::Stage;

/// The option `--network` of commands that simulate on a cluster.
template <class Owner>
constexpr QuestionField<Owner, std::string> network_field(std::string Owner::*member) {
  return {"network", member,    "--network",     "MODEL",
          kAnswer,   "message", kNetworkChoices, network_names};
}

/// The option `--network-bandwidth` of commands that simulate on a cluster.
inline constexpr std::string_view kNetworkBandwidthHelp =
    "Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or a factor: "
    "inter=0.5";

template <class Owner>
constexpr auto network_bandwidth_field(std::vector<std::string> Owner::*member) {
  return QuestionField{"network_bandwidth",  member,  "--network-bandwidth",
                       "DIM=RATE",           kAnswer, "0=50GB/s",
                       kNetworkBandwidthHelp}
      .one_each();
}

}  // namespace orrery::study

namespace orrery {

/// One field for each file of a kernel model.
inline constexpr auto kKernelFileFields = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::tuple{config::QuestionField{
      kKernelFileTable[i].key, kKernelFileTable[i].path, kKernelFileTable[i].option, "FILE",
      config::kCluster, kKernelFileTable[i].example, kKernelFileTable[i].about_option}...};
}
(std::make_index_sequence<kKernelFileTable.size()>{});
constexpr const auto& question_table(const KernelFiles*) { return kKernelFileFields; }
constexpr std::string_view question_group(const KernelFiles*) { return "Models"; }

}  // namespace orrery
