# What `orrery --version` prints: the commit, and the versions of the libraries that were found. ORRERY_COMMIT sets the
# commit where there is no git.
#
# As a script (cmake -DSOURCE=… -DCOMMIT=… -DOUT=… -P OrreryBuildInfo.cmake) this file writes the commit's source. It runs
# again after each commit; nothing else is compiled again then.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit "${COMMIT}")
  set(date "")
  if(NOT commit)
    execute_process(COMMAND git -C "${SOURCE}" log -1 "--format=%h %cs" --abbrev=12 OUTPUT_VARIABLE answer
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0 AND answer MATCHES "^([0-9a-f]+) ([-0-9]+)$")
      set(commit "${CMAKE_MATCH_1}")
      set(date "${CMAKE_MATCH_2}")
    else()
      set(commit unknown)
    endif()
  endif()
  set(text "// Made by cmake/OrreryBuildInfo.cmake.
namespace orrery::app {
extern const char* const kCommit;
extern const char* const kCommitDate;
const char* const kCommit = \"${commit}\";
const char* const kCommitDate = \"${date}\";
}  // namespace orrery::app
")
  file(WRITE "${OUT}" "${text}")
  return()
endif()

set(ORRERY_COMMIT "" CACHE STRING "The commit that is built; empty: what git reports")

set(orrery_build_info_script "${CMAKE_CURRENT_LIST_FILE}")
function(orrery_add_build_info target)
  # Git appends a line to this file at each commit and checkout.
  set(log "")
  execute_process(COMMAND git -C "${CMAKE_SOURCE_DIR}" rev-parse --git-path logs/HEAD OUTPUT_VARIABLE path
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    if(EXISTS "${path}")
      set(log "${path}")
    endif()
  endif()
  set(source "${CMAKE_BINARY_DIR}/generated/commit.cc")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DCOMMIT=${ORRERY_COMMIT}" "-DOUT=${source}"
            -P "${orrery_build_info_script}"
    DEPENDS "${orrery_build_info_script}" ${log}
    COMMENT "Writing down the commit"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

  file(STRINGS "${ZSTD_INCLUDE_DIR}/zstd.h" lines REGEX "#define ZSTD_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]+")
  string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
  string(REPLACE ";" "." zstd "${numbers}")
  set(libraries "fmt ${fmt_VERSION}, yaml-cpp ${yaml-cpp_VERSION}, pugixml ${pugixml_VERSION}, simdjson ${simdjson_VERSION}, \
SQLite ${SQLite3_VERSION}, zlib ${ZLIB_VERSION_STRING}, zstd ${zstd}, nlohmann-json ${nlohmann_json_VERSION}, CLI11 ${CLI11_VERSION}")
  set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/resources/build_info.cc" PROPERTIES COMPILE_DEFINITIONS
                              "ORRERY_LIBRARIES=\"${libraries}\"" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
