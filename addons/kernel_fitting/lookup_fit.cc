// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/lookup_fit.h"

#include <iterator>

#include "addons/kernel_fitting/training/lookup_net_training.h"
#include "addons/kernel_fitting/training/measured_lookups.h"
#include "orrery/config/document.h"
#include "orrery/core/limits.h"

namespace orrery::study {

Result<LookupFit> fit_lookups(const std::vector<std::string>& files, int epochs, std::uint64_t seed,
                              const std::function<void(const model::DeviceLookupNet&)>& on_net) {
  std::vector<model::MeasuredLookup> all;
  for (const std::string& file : files) {
    const auto text = config::read_text(file, limits::kMeasuredBytes);
    if (!text) return tl::unexpected(text.error());
    auto read = model::read_lookup_rows(*text, file);
    if (!read) return tl::unexpected(read.error());
    all.insert(all.end(), std::make_move_iterator(read->begin()),
               std::make_move_iterator(read->end()));
  }
  model::LookupNetOptions options;
  if (epochs != 0) options.epochs = epochs;
  auto nets = model::fit_lookup_nets(all, options, seed, on_net);
  if (!nets) return tl::unexpected(nets.error());
  LookupFit fit;
  fit.nets = *std::move(nets);
  fit.lookups = all.size();
  fit.file = model::write_lookup_nets("", fit.nets);
  return fit;
}

}  // namespace orrery::study
