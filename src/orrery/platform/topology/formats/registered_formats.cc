// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/registered_formats.h"

#include <fmt/format.h>

#include <array>

#include "orrery/config/json.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform {
namespace {

using FormatTable = std::array<RegisteredFormat, static_cast<std::size_t>(TopologyFormat::unknown)>;

// Constant at first, so that add-ons may register in any order before main().
RegisteredFormat& entry(TopologyFormat format) {
  static constinit FormatTable table{};
  return table[static_cast<std::size_t>(format)];
}

tl::unexpected<Error> lacks_addon(TopologyFormat format, std::string_view done,
                                  const std::string& where) {
  const std::string_view name = describe(format).name;
  const std::string addon = lower_case(name);
  return fail(Errc::input_unsupported, where,
              fmt::format("{} is {} by the add-on {}, which this build does not include", name,
                          done, addon),
              fmt::format("build Orrery with -DORRERY_ADDONS=all, or add {} to that list", addon));
}

}  // namespace

bool register_format(TopologyFormat format, const RegisteredFormat& functions) {
  entry(format) = functions;
  return true;
}

bool is_registered(TopologyFormat format) { return entry(format).read != nullptr; }

Result<Topology> read_registered(TopologyFormat format, const config::Json& file, std::size_t bytes,
                                 const std::string& where, Findings& findings) {
  const auto read = entry(format).read;
  if (read == nullptr) return lacks_addon(format, "read", where);
  return read(file, bytes, where, findings);
}

Result<std::string> write_registered(TopologyFormat format, const Topology& topology,
                                     const std::string& where) {
  const auto write = entry(format).write;
  if (write == nullptr) return lacks_addon(format, "written", where);
  return write(topology);
}

}  // namespace orrery::platform
