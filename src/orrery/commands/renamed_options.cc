// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/renamed_options.h"

namespace orrery::commands {

namespace {

struct Renamed {
  std::string_view command, before, now;
};

// 0.8.0 dropped these names; errors name the present ones. The addons' options are here, too: the
// table has one reader, which knows no add-on.
constexpr Renamed kRenamed[] = {
    {"trace scale-down", "--ranks", "--keep-ranks"},
    {"trace scale-down", "--layers", "--keep-layers"},
    {"trace scale-down", "--microbatches", "--keep-microbatches"},
    {"trace scale-down", "--batch", "--keep-batch"},
    {"study calculon", "--batch", "--max-batch"},
    {"study calculon", "--best", "--top"},
    {"dlrm lookup", "--batch", "--bags"},
    {"kernels", "--devices", "--device-sheets"},
    {"calibrate", "--devices", "--device-sheets"},
    {"calibrate", "--ranks", "--world-size"},
    {"bench", "--size", "--resize"},
    {"bench", "--synchronise", "--synchronize"},
    {"bench", "--device", "--torch-device"},
    {"bench", "--rank", "--replay-rank"},
    {"compare", "--threshold", "--max-slowdown"},
    {"accuracy", "--threshold", "--max-error"},
    {"trace predict", "--models", "--use-models"},
    {"memory", "--picture", "--plot"},
    {"search", "--best", "--top"},
    {"search", "--gear", "--method"},
    {"whatif", "--most", "--top"},
    {"whatif", "--device", "--recorded-device"},
    {"whatif", "--structure", "--structure-file"},
    {"trace stragglers", "--most", "--top"},
    {"trace stragglers", "--least", "--min-share"},
    {"network split", "--most", "--max-bandwidth"},
    {"network split", "--least", "--min-bandwidth"},
    {"collective synthesize", "--chunks", "--shard-chunks"},
    {"network show", "--nodes", "--list-nodes"},
    {"study reproduce", "--list", "--list-studies"},
    {"trace replay", "--without", "--ignore"},
};

}  // namespace

std::string_view renamed_option(std::string_view command, std::string_view option) {
  for (const Renamed& row : kRenamed)
    if (row.command == command && row.before == option) return row.now;
  return {};
}

}  // namespace orrery::commands
