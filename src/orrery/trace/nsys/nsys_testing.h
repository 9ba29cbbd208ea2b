// SPDX-License-Identifier: Apache-2.0
//
// For tests: exports in the layout of Nsight Systems, with a few rows.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "orrery/trace/io/io_testing.h"
#include "orrery/trace/nsys/reader.h"
#include "orrery/trace/tables/tables_testing.h"

namespace orrery::trace::nsys::testing {

using Export = tables::testing::DatabaseFile;
using tables::testing::bytes_of;

/// The result of reading.
struct Outcome {
  Result<profile::Profile> profile = fail(Errc::input_empty, "", "");
  Findings findings;
};

inline Outcome read(const std::string& path, std::optional<std::int64_t> process = std::nullopt) {
  Outcome out;
  out.profile = nsys::read(path, {std::make_shared<StringPool>(), process}, out.findings);
  return out;
}

/// Serialized ids in the layout of Nsight: the machine is above the process.
inline std::string global(std::int64_t process, std::int64_t thread = 0) {
  return std::to_string((std::int64_t{1} << 48) + (process << 24) + thread);
}

/// Tables of a 2025 export (schema version 3.x), as its documentation lists them.
inline constexpr const char* kTables = R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,
  busLocation TEXT, totalMemory INTEGER, smCount INTEGER, cuDevice INTEGER);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
  gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,
  nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, eventId INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,
  endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, jsonTextId INTEGER, jsonText TEXT,
  binaryData TEXT);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL,
  idx INTEGER NOT NULL, flags INTEGER, type INTEGER, name TEXT, description TEXT,
  arrayOrUnionDetail INTEGER, offset INTEGER);
CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL);
)";

/// A row of the table of kernels: on device 0, named by the text `name` of StringIds.
inline std::string kernel(std::int64_t start, std::int64_t end, std::int64_t stream,
                          std::int64_t correlation, std::int64_t process, std::int64_t name) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + std::to_string(start) + "," +
         std::to_string(end) + ",0,1,NULL," + std::to_string(stream) + "," +
         std::to_string(correlation) + "," + global(process) + "," + std::to_string(name) + "," +
         std::to_string(name) + ",NULL,32,4,2,1,128,1,1,1024,2048,NULL);";
}

inline std::string call(std::int64_t start, std::int64_t end, std::int64_t process,
                        std::int64_t thread, std::int64_t correlation, std::int64_t name) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + std::to_string(start) + "," +
         std::to_string(end) + ",0," + global(process, thread) + "," + std::to_string(correlation) +
         "," + std::to_string(name) + ",0,NULL);";
}

inline std::string text(std::int64_t id, const std::string& value) {
  return "INSERT INTO StringIds VALUES(" + std::to_string(id) + ",'" + value + "');";
}

}  // namespace orrery::trace::nsys::testing
