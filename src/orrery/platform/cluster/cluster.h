// SPDX-License-Identifier: Apache-2.0
//
// Orrery's cluster file: one YAML or JSON document with units.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// The cluster of the file `path` (not "-"), under Rules::orrery. If the file does not exist,
/// "h100-sxm:64" is a cluster of the catalog: see `catalog_cluster`.
/// Errc: config_*; places are JSON pointers, e.g. "cluster.yaml:/network/0/bandwidth".
[[nodiscard]] Result<Platform> read_cluster(const std::string& path, Findings& findings);

/// From text; `where` is the name of the file in errors.
[[nodiscard]] Result<Platform> parse_cluster(std::string_view text, const std::string& where,
                                             Findings& findings);

/// Whether `name` is meant as a cluster of the catalog: a device, a colon and a number. Also true
/// for a device without a number, and for a number after an unknown device.
[[nodiscard]] bool is_catalog_cluster(std::string_view name);

/// The cluster file of "h100-sxm:64": 64 devices in the islands and with the network of the
/// vendor's reference design (DeviceEntry::build). Up to one island has one dimension, or those of
/// a torus. Adds the finding cluster_from_catalog, which describes the cluster. Errc:
/// config_range for unknown devices and for numbers that do not fill islands or form a torus;
/// config_missing_key for devices without a reference design.
[[nodiscard]] Result<std::string> catalog_cluster(std::string_view name, Findings& findings);

/// Runs collectives with these algorithms, at the links' full rate: one word of the cluster file
/// for all dimensions, or one per dimension, separated by commas. All-gathers, reduce-scatters and
/// all-to-alls that the algorithms do not support keep their plans; switches support all-to-alls
/// only if these carry `tokens` (to experts and back). Errc: config_* for words that do not support
/// an all-reduce on this network.
[[nodiscard]] Result<void> use_algorithms(Platform& platform, std::string_view words,
                                          bool tokens = false);

/// Runs collectives at the links' full rate; chunks visit the dimensions in this order, a word of
/// the cluster file (`collectives: order`). With `best`, a model chooses the number of chunks, and
/// the smallest waiting chunk starts first. Errc: config_type.
[[nodiscard]] Result<void> use_chunk_order(Platform& platform, std::string_view word);

/// Whether an algorithm of `config` reduces in switches.
[[nodiscard]] bool uses_switches(const CollectiveConfig& config);

/// The JSON Schema (draft 2020-12) of the cluster file.
[[nodiscard]] std::string cluster_schema();

/// The cluster file of a platform, with all default values.
[[nodiscard]] std::string resolved_cluster(const Platform& platform);

}  // namespace orrery::platform
