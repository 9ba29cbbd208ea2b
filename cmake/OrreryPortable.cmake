# ORRERY_PORTABLE: a program file and a shared library that need nothing but the C library, from glibc 2.34 on. `./check package` sets it.
# Libraries come as archives from Debian's packages. Two have none there: fmt is compiled from its headers, simdjson from
# Debian's source package, which `./check package` unpacks into ORRERY_SIMDJSON_SOURCE.
option(ORRERY_PORTABLE "Link all libraries but the C library into the program and liborrery" OFF)
set(ORRERY_SIMDJSON_SOURCE "" CACHE PATH "Debian's source package of simdjson, unpacked; for ORRERY_PORTABLE")
if(NOT ORRERY_PORTABLE)
  return()
endif()

# The imported target is linked from `archive`. Other programs that use the installed rooms link what they find.
function(orrery_link_archive target archive)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration ${configurations})
    set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION_${configuration} "${archive}")
  endforeach()
  set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION "${archive}")
endfunction()

function(orrery_find_archive variable name)
  find_library(${variable} "lib${name}.a" REQUIRED)
endfunction()

orrery_find_archive(ORRERY_YAML_ARCHIVE yaml-cpp)
orrery_link_archive(yaml-cpp "${ORRERY_YAML_ARCHIVE}")
orrery_find_archive(ORRERY_ZLIB_ARCHIVE z)
orrery_link_archive(ZLIB::ZLIB "${ORRERY_ZLIB_ARCHIVE}")
orrery_find_archive(ORRERY_SQLITE_ARCHIVE sqlite3)
orrery_link_archive(SQLite::SQLite3 "${ORRERY_SQLITE_ARCHIVE}")
set_property(TARGET SQLite::SQLite3 APPEND PROPERTY INTERFACE_LINK_LIBRARIES m ${CMAKE_DL_LIBS} Threads::Threads)
orrery_find_archive(ORRERY_PUGIXML_ARCHIVE pugixml)
if(TARGET pugixml::shared)
  orrery_link_archive(pugixml::shared "${ORRERY_PUGIXML_ARCHIVE}")
else()
  orrery_link_archive(pugixml::pugixml "${ORRERY_PUGIXML_ARCHIVE}")
endif()
orrery_find_archive(ORRERY_ZSTD_ARCHIVE zstd)
set_property(TARGET zstd PROPERTY INTERFACE_LINK_LIBRARIES "$<BUILD_INTERFACE:${ORRERY_ZSTD_ARCHIVE}>" "$<INSTALL_INTERFACE:-lzstd>")

# orrery_build_archive(<imported target> <source>…): compiles what the imported target is linked from.
function(orrery_build_archive target)
  string(REGEX REPLACE ".*::" "" name ${target})
  add_library(orrery_archive_${name} STATIC ${ARGN})
  set_target_properties(orrery_archive_${name} PROPERTIES OUTPUT_NAME ${name} UNITY_BUILD OFF ARCHIVE_OUTPUT_DIRECTORY
                                                          "${CMAKE_BINARY_DIR}/archives")
  target_compile_options(orrery_archive_${name} PRIVATE -w)
  orrery_link_archive(${target} "${CMAKE_BINARY_DIR}/archives/lib${name}.a")
  add_dependencies(${target} orrery_archive_${name})
endfunction()

orrery_build_archive(fmt::fmt "${CMAKE_SOURCE_DIR}/packaging/fmt.cc")
unset(ORRERY_SIMDJSON_FILE CACHE)  # another version has another folder
find_file(ORRERY_SIMDJSON_FILE simdjson.cpp PATHS "${ORRERY_SIMDJSON_SOURCE}/singleheader" "${ORRERY_SIMDJSON_SOURCE}/src"
          NO_DEFAULT_PATH)
if(NOT ORRERY_SIMDJSON_FILE)
  message(FATAL_ERROR "No simdjson.cpp in ORRERY_SIMDJSON_SOURCE='${ORRERY_SIMDJSON_SOURCE}'. "
                      "./check package fetches Debian's source package.")
endif()
orrery_build_archive(simdjson::simdjson "${ORRERY_SIMDJSON_FILE}")
target_include_directories(orrery_archive_simdjson PRIVATE "${ORRERY_SIMDJSON_SOURCE}/include" "${ORRERY_SIMDJSON_SOURCE}/src")
target_compile_definitions(orrery_archive_simdjson PRIVATE SIMDJSON_THREADS_ENABLED=1)

# A program or a shared library: called once it exists. --exclude-libs: no symbol of an archive is exported.
function(orrery_make_portable target)
  target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/packaging/glibc_2_34.cc")
  set_source_files_properties("${CMAKE_SOURCE_DIR}/packaging/glibc_2_34.cc" PROPERTIES
                              SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -fno-lto)  # which loses its .symver
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -s LINKER:--exclude-libs,ALL)
endfunction()
