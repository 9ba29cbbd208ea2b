# Everything comes from Debian's packages (./setup lists them).
if(EMSCRIPTEN)
  include(OrreryWasmDependencies)
  return()
endif()
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(pugixml REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(simdjson REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)  # headers only
find_package(Threads REQUIRED)

# zstd ships no CMake configuration in Debian 12.
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
add_library(zstd INTERFACE)
target_include_directories(zstd SYSTEM INTERFACE "${ZSTD_INCLUDE_DIR}")
target_link_libraries(zstd INTERFACE "${ZSTD_LIBRARY}")

# protozero is header-only and ships no CMake configuration.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
add_library(protozero INTERFACE)
target_include_directories(protozero SYSTEM INTERFACE "${PROTOZERO_INCLUDE_DIR}")

if(ORRERY_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(ORRERY_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
