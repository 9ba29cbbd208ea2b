// SPDX-License-Identifier: Apache-2.0
//
// For tests: databases in the layouts of rocprofv3, with a few rows.
#pragma once

#include <string>

#include "orrery/trace/io/io_testing.h"
#include "orrery/trace/rocpd/reader.h"
#include "orrery/trace/tables/tables_testing.h"

namespace orrery::trace::rocpd::testing {

using tables::testing::DatabaseFile;

/// The result of reading.
struct Outcome {
  Result<profile::Profile> profile = fail(Errc::input_empty, "", "");
  Findings findings;
};

inline Outcome read(const std::string& path, std::optional<std::int64_t> process = std::nullopt) {
  Outcome out;
  out.profile = rocpd::read(path, {std::make_shared<StringPool>(), process}, out.findings);
  return out;
}

/// SQL in which "@" stands for the suffix of a set of tables.
inline std::string of_set(std::string sql, const std::string& suffix = "_a1") {
  for (std::size_t at = 0; (at = sql.find('@', at)) != sql.npos; at += suffix.size())
    sql.replace(at, 1, suffix);
  return sql;
}

/// Tables of both layouts.
inline constexpr const char* kCommon = R"(
CREATE TABLE rocpd_metadata@ (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
CREATE TABLE rocpd_string@ (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE rocpd_info_process@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER);
CREATE TABLE rocpd_info_thread@ (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, name TEXT);
CREATE TABLE rocpd_info_agent@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, type TEXT,
  absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, name TEXT,
  product_name TEXT);
CREATE TABLE rocpd_info_kernel_symbol@ (id INTEGER PRIMARY KEY, kernel_name TEXT,
  display_name TEXT);
CREATE TABLE rocpd_event@ (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER,
  parent_stack_id INTEGER, correlation_id INTEGER, extdata TEXT);
INSERT INTO rocpd_metadata@(tag, value) VALUES('schema_version', '3'), ('uuid', '@');
INSERT INTO rocpd_info_process@ VALUES(1, 1, 77);
INSERT INTO rocpd_info_thread@ VALUES(4, 1, 78, 'main');
INSERT INTO rocpd_info_agent@ VALUES(1, 1, 1, 'CPU', 0, 0, 0, 'EPYC', ''),
  (2, 1, 1, 'GPU', 1, 1, 0, 'gfx942', 'AMD Instinct MI300X'),
  (3, 1, 1, 'GPU', 2, 2, 1, 'gfx942', 'AMD Instinct MI300X');
INSERT INTO rocpd_info_kernel_symbol@ VALUES(9, '_Z4gemmPf.kd', 'gemm(float*)');
INSERT INTO rocpd_string@(id, string) VALUES(1, 'HIP_RUNTIME_API_EXT'), (2, 'hipLaunchKernel'),
  (3, 'KERNEL_DISPATCH'), (4, 'MEMORY_COPY_HOST_TO_DEVICE'), (5, 'MARKER_CORE_RANGE_API'),
  (6, 'roctxRangePushA'), (7, 'hipMemcpyAsync'), (8, 'RCCL_API'), (9, 'ncclAllReduce'),
  (10, 'hipMalloc'), (11, 'MEMORY_COPY');
)";

/// Layout with times and places in each row.
inline constexpr const char* kDirect = R"(
CREATE TABLE rocpd_track@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER);
CREATE TABLE rocpd_region@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER,
  start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER,
  tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER,
  stream_id INTEGER, start BIGINT, end BIGINT, group_segment_size INTEGER,
  workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER,
  grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER,
  event_id INTEGER);
CREATE TABLE rocpd_memory_copy@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER,
  start BIGINT, end BIGINT, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER,
  size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_allocate@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER,
  tid INTEGER, agent_id INTEGER, type TEXT, level TEXT, start BIGINT, end BIGINT, size INTEGER,
  event_id INTEGER);
)";

/// Layout with times and places in separate tables.
inline constexpr const char* kByReference = R"(
CREATE TABLE rocpd_track@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER,
  agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, name_id INTEGER);
CREATE TABLE rocpd_timestamp@ (id INTEGER PRIMARY KEY, value BIGINT, phase INTEGER,
  track_id INTEGER);
CREATE TABLE rocpd_region@ (id INTEGER PRIMARY KEY, track_id INTEGER, name_id INTEGER,
  start_id INTEGER, end_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch@ (id INTEGER PRIMARY KEY, track_id INTEGER,
  kernel_id INTEGER, dispatch_id INTEGER, start_id INTEGER, end_id INTEGER,
  group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,
  workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER,
  region_name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_copy@ (id INTEGER PRIMARY KEY, track_id INTEGER, start_id INTEGER,
  end_id INTEGER, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER,
  event_id INTEGER);
)";

/// One call, the kernel it launches on device 1, a copy, a range and a collective.
inline constexpr const char* kDirectRows = R"(
INSERT INTO rocpd_event@ VALUES(1, 1, 0, 0, 11, '{}'), (2, 3, 0, 0, 11, '{}'),
  (3, 5, 0, 0, 12, '{"message": "step 3"}'), (4, 1, 0, 0, 13, '{}'), (5, 11, 0, 0, 13, '{}'),
  (6, 8, 0, 0, 14, '{}');
INSERT INTO rocpd_region@ VALUES(1, 1, 1, 4, 1000, 1100, 2, 1), (2, 1, 1, 4, 900, 3000, 6, 3),
  (3, 1, 1, 4, 1200, 1250, 7, 4), (4, 1, 1, 4, 1300, 1400, 9, 6);
INSERT INTO rocpd_kernel_dispatch@ VALUES(1, 1, 1, 4, 3, 9, 1, 5, 7, 1150, 2000, 2048, 64, 2, 1,
  640, 3, 1, NULL, 2);
INSERT INTO rocpd_memory_copy@ VALUES(1, 1, 1, 4, 2100, 2200, 4, 3, 1, 4096, 5, 7, 5);
INSERT INTO rocpd_memory_allocate@ VALUES(1, 1, 1, 4, 3, 'ALLOC', 'REAL', 2500, 2600, 100, NULL);
)";

/// The same without the allocation.
inline constexpr const char* kReferenceRows = R"(
INSERT INTO rocpd_event@ VALUES(1, 1, 0, 0, 11, '{}'), (2, 3, 0, 0, 11, '{}'),
  (3, 5, 0, 0, 12, '{"message": "step 3"}'), (4, 1, 0, 0, 13, '{}'), (5, 11, 0, 0, 13, '{}'),
  (6, 8, 0, 0, 14, '{}');
INSERT INTO rocpd_track@ VALUES(1, 1, 1, 4, NULL, NULL, NULL, NULL), (2, 1, 1, 4, 3, 5, 7, NULL);
INSERT INTO rocpd_timestamp@ VALUES(1, 1000, 1, 1), (2, 1100, 2, 1), (3, 900, 1, 1),
  (4, 3000, 2, 1), (5, 1200, 1, 1), (6, 1250, 2, 1), (7, 1300, 1, 1), (8, 1400, 2, 1),
  (9, 1150, 1, 2), (10, 2000, 2, 2), (11, 2100, 1, 2), (12, 2200, 2, 2);
INSERT INTO rocpd_region@ VALUES(1, 1, 2, 1, 2, 1), (2, 1, 6, 3, 4, 3), (3, 1, 7, 5, 6, 4),
  (4, 1, 9, 7, 8, 6);
INSERT INTO rocpd_kernel_dispatch@ VALUES(1, 2, 9, 1, 9, 10, 2048, 64, 2, 1, 640, 3, 1, NULL, 2);
INSERT INTO rocpd_memory_copy@ VALUES(1, 2, 11, 12, 4, 3, 1, 4096, 5);
)";

}  // namespace orrery::trace::rocpd::testing
