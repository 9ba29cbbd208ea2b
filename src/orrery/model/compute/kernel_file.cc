// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/kernel_file.h"

#include <fmt/format.h>

#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/learned/fitted_model.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/model/kernels/systolic/systolic_files.h"
#include "orrery/model/kernels/systolic/systolic_model.h"
#include "orrery/model/kernels/table/table_file.h"

namespace orrery::model {

Result<KernelFileContent> read_table(const KernelFileText& file, Findings& findings) {
  const auto rows = parse_measured(file.text, file.path);
  if (!rows) return tl::unexpected(rows.error());
  auto table = std::make_shared<const MeasuredTable>(MeasuredTable::make(*rows, findings));
  std::string about =
      fmt::format("{} kernels", format_count(static_cast<std::int64_t>(table->size())));
  if (file.device == nullptr) return KernelFileContent{std::move(table), std::move(about)};
  Silicon silicon = silicon_of(*file.device);
  if (table->knows(file.device->name)) silicon.name = file.device->name;
  if (!table->knows(silicon.name))
    return fail(
        Errc::config_conflict, file.path,
        silicon.name.empty()
            ? std::string("the cluster's device has no name, but a table needs names")
            : fmt::format("contains no kernels of {}", in_quotes(silicon.name)),
        fmt::format("it contains kernels of {}; set device.name in the cluster file to one of them",
                    truncate(fmt::format("{}", fmt::join(table->devices(), ", ")), 400)));
  if (auto fine = check_measured(*rows, silicon, findings); !fine)
    return tl::unexpected(fine.error());
  return KernelFileContent{with_device_name(std::move(table), silicon.name), std::move(about)};
}

Result<KernelFileContent> read_fitted(const KernelFileText& file, Findings& /*findings*/) {
  auto read = read_fitted_model(file.text, file.path);
  if (!read) return tl::unexpected(read.error());
  return KernelFileContent{std::move(read->model), std::move(read->about)};
}

Result<KernelFileContent> read_systolic(const KernelFileText& file, Findings& findings) {
  const auto config = parse_systolic_config(file.text, file.path, findings);
  if (!config) return tl::unexpected(config.error());
  if (file.device != nullptr && !(config->array.clock > 0) && !(silicon_of(*file.device).clock > 0))
    return fail(
        Errc::config_missing_key, file.place, "the clock of the array is unknown",
        "use a device of the catalog with a clock, or set device.clock_mhz in the cluster file");
  return KernelFileContent{std::make_shared<const SystolicModel>(config->array),
                           "matrix products and convolutions"};
}

}  // namespace orrery::model
