// SPDX-License-Identifier: Apache-2.0
//
// Libraries that Debian does not compile to WebAssembly. The first function that Orrery calls of
// each C library fails as its manual says, so that Orrery's own error follows. The linker leaves
// the others, and those of pugixml and simdjson, as imports that end the module with their name:
// it reads no trace, no run file and no XML.
#include <simdjson.h>
#include <sqlite3.h>
#include <zlib.h>
#include <zstd.h>

extern "C" {

// zlib: memory or streams that cannot be had.
int inflateInit2_(z_streamp, int, const char*, int) { return Z_VERSION_ERROR; }
int inflate(z_streamp, int) { return Z_STREAM_ERROR; }
int inflateEnd(z_streamp) { return Z_STREAM_ERROR; }
int deflateInit2_(z_streamp, int, int, int, int, int, const char*, int) { return Z_VERSION_ERROR; }
int deflate(z_streamp, int) { return Z_STREAM_ERROR; }
int deflateEnd(z_streamp) { return Z_STREAM_ERROR; }

// zstd: no stream can be made.
ZSTD_DCtx* ZSTD_createDStream() { return nullptr; }
size_t ZSTD_freeDStream(ZSTD_DCtx*) { return 0; }
size_t ZSTD_decompressStream(ZSTD_DCtx*, ZSTD_outBuffer*, ZSTD_inBuffer*) {
  return static_cast<size_t>(-1);
}
unsigned ZSTD_isError(size_t code) { return code != 0 ? 1 : 0; }

// SQLite: no database can be opened.
int sqlite3_open_v2(const char*, sqlite3** database, int, const char*) {
  *database = nullptr;
  return SQLITE_CANTOPEN;
}

}  // extern "C"

namespace simdjson::internal {
const error_code_info error_codes[] = {
    {UNSUPPORTED_ARCHITECTURE, "JSON of traces is not read here"}};
}  // namespace simdjson::internal
