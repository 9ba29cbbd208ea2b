# What the WebAssembly build takes from Debian's packages: headers. No package has a library for it. fmt is compiled from its
# headers; pugixml, simdjson, SQLite, yaml-cpp, zlib and zstd are missing, with the formats that need them (packaging/wasm).
# The headers are links in a folder of their own, because /usr/include has the C library of this system.
set(orrery_headers "${CMAKE_BINARY_DIR}/headers")
file(MAKE_DIRECTORY "${orrery_headers}")
foreach(header fmt tl nlohmann CLI protozero toml++ simdjson.h zlib.h zconf.h zstd.h zstd_errors.h sqlite3.h pugixml.hpp pugiconfig.hpp)
  unset(found)
  find_path(found "${header}" PATHS /usr/include "/usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu" NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH NO_CACHE REQUIRED)
  file(CREATE_LINK "${found}/${header}" "${orrery_headers}/${header}" SYMBOLIC)
endforeach()
include_directories(SYSTEM "${orrery_headers}")
set(TOMLPLUSPLUS_INCLUDE_DIR "${orrery_headers}")

foreach(name tl::expected nlohmann_json::nlohmann_json CLI11::CLI11 ZLIB::ZLIB pugixml::pugixml SQLite::SQLite3 simdjson::simdjson
             Threads::Threads)
  add_library(${name} INTERFACE IMPORTED)
endforeach()
foreach(name yaml-cpp zstd protozero)
  add_library(${name} INTERFACE)
endforeach()

add_library(orrery_fmt STATIC "${CMAKE_SOURCE_DIR}/packaging/fmt.cc")
target_compile_options(orrery_fmt PRIVATE -w)
add_library(fmt::fmt ALIAS orrery_fmt)

# Rooms compiled for speed: a simulation spends most of its time in them.
set(ORRERY_FAST_ROOMS core graph network model sim record)

# Sources that need the missing libraries; packaging/wasm has others in their place.
set(ORRERY_LEFT_OUT "config/document_yaml")
