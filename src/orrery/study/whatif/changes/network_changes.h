// SPDX-License-Identifier: Apache-2.0
//
// Other links in one dimension of a cluster's network.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// What changes of the links of a dimension.
enum class LinkValue : std::uint8_t { bandwidth, latency, link };

/// "bandwidth", "latency", "link": names of changes, before the colon.
[[nodiscard]] std::string_view name(LinkValue what);
/// The kind of a change such as "bandwidth:inter"; empty: none.
[[nodiscard]] std::optional<LinkValue> link_value_of(std::string_view change);

/// What a value sets: a link of the catalog, a time, or a bandwidth and a factor of it.
[[nodiscard]] LinkValue link_value_in(const std::string& value);

/// Splits "inter=25GB/s". Errc: usage.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_dimension_value(
    const std::string& text, const std::string& option);

/// Checks a value alone: a rate or a time with its unit, or a factor above 0; a link of the
/// catalog. Errc: usage; the hint has an example.
[[nodiscard]] Result<void> check_link_value(LinkValue what, const std::string& value,
                                            const std::string& where);

/// Gives the links of a dimension another value. `dim`: "intra" (the dimensions of a node, see
/// platform::node_dimensions), "inter" (all others), or the number of a dimension. A number without
/// a unit is a factor. A link of the catalog sets bandwidth and latency, with one port per
/// device. `where`: the place in errors. Errc: usage (unknown dimensions, values), config_conflict
/// (a fabric, whose links have their own values).
[[nodiscard]] Result<void> change_links(LinkValue what, std::string_view dim,
                                        const std::string& value, const std::string& where,
                                        platform::Platform& platform);

/// "inter", "intra" or "dimension 1": how messages name a dimension.
[[nodiscard]] std::string dimension_label(const platform::Platform& platform, std::size_t dim);

}  // namespace orrery::study
