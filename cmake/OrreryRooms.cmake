include(GoogleTest OPTIONAL)

# orrery_room(<name> [FOLDER <folder>] [OPTIMIZE <level>] DEPS <targets…> [LIGHT <patterns…>] [EXCEPT <patterns…>]
#             [FIRST <patterns…> MORE_DEPS <targets…>]): the folder src/orrery/<name>, or FOLDER, as a library orrery_<name>.
# x.cc goes into the library, x_test.cc into orrery_<name>_tests, x_fuzz.cc becomes a libFuzzer target of its own.
# OPTIMIZE: the release build compiles with -O<level> instead of -O3, where no command becomes slower. The compiler takes two
# thirds of the time with 1 and half of it with g. LIGHT: patterns of files, by their paths in the folder, compiled with -Og.
# EXCEPT: patterns of files that are not part of the library.
# FIRST: patterns of the files that the commands in apps/orrery/first_commands.txt need. They form the library
# orrery_<name>_first, so that these commands are ready before everything is compiled. The library orrery_<name> has the
# other files and links the first ones and MORE_DEPS.
# A room without sources (yet) is header-only; a room without a folder is skipped.
function(orrery_room name)
  cmake_parse_arguments(ROOM "" "FOLDER;OPTIMIZE" "DEPS;LIGHT;EXCEPT;FIRST;MORE_DEPS" ${ARGN})
  if(NOT ROOM_FOLDER)
    set(ROOM_FOLDER "src/orrery/${name}")
  endif()
  set(dir "${CMAKE_SOURCE_DIR}/${ROOM_FOLDER}")
  file(GLOB_RECURSE all CONFIGURE_DEPENDS "${dir}/*.cc")
  if(ROOM_EXCEPT)
    list(JOIN ROOM_EXCEPT "|" patterns)
    list(FILTER all EXCLUDE REGEX "^${dir}/(${patterns})\\.cc$")
  endif()
  if(ORRERY_LEFT_OUT)  # of the module of the web page
    list(FILTER all EXCLUDE REGEX "^${CMAKE_SOURCE_DIR}/src/orrery/(${ORRERY_LEFT_OUT})\\.cc$")
  endif()
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")

  if(ROOM_LIGHT)
    list(JOIN ROOM_LIGHT "|" patterns)
    set(light ${sources})
    list(FILTER light INCLUDE REGEX "^${dir}/(${patterns})\\.cc$")
    set_property(SOURCE ${light} PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-Og>)
  endif()
  if(ROOM_FIRST)
    list(JOIN ROOM_FIRST "|" patterns)
    set(first ${sources})
    list(FILTER first INCLUDE REGEX "^${dir}/(${patterns})\\.cc$")
    list(FILTER sources EXCLUDE REGEX "^${dir}/(${patterns})\\.cc$")
    orrery_room_library(${name}_first "${first}" "${ROOM_DEPS}" "${ROOM_OPTIMIZE}")
    set(ROOM_DEPS orrery_${name}_first ${ROOM_MORE_DEPS})
  endif()
  if(sources)
    orrery_room_library(${name} "${sources}" "${ROOM_DEPS}" "${ROOM_OPTIMIZE}")
  else()
    add_library(orrery_${name} INTERFACE)
    target_include_directories(orrery_${name} INTERFACE
      "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>" $<INSTALL_INTERFACE:include>)
    target_link_libraries(orrery_${name} INTERFACE ${ROOM_DEPS})
    set_property(GLOBAL APPEND PROPERTY ORRERY_ROOMS ${name})
  endif()
  # For orrery_models_hash().
  set_property(GLOBAL PROPERTY ORRERY_FOLDER_OF_${name} "${ROOM_FOLDER}")

  if(ORRERY_TESTS AND tests)
    orrery_test(orrery_${name}_tests SOURCES ${tests} DEPS orrery_${name} LABELS unit)
  endif()
  if(ORRERY_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(target "${fuzzer}" NAME_WE)
      add_executable(${target} "${fuzzer}")
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
      target_link_libraries(${target} PRIVATE orrery_${name})
    endforeach()
  endif()
endfunction()

function(orrery_room_library name sources deps level)
  add_library(orrery_${name} STATIC ${sources})
  target_include_directories(orrery_${name} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>" $<INSTALL_INTERFACE:include>)
  target_link_libraries(orrery_${name} PUBLIC ${deps})
  orrery_join(orrery_${name})
  if(level)
    target_compile_options(orrery_${name} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  endif()
  if(EMSCRIPTEN AND name IN_LIST ORRERY_FAST_ROOMS)
    target_compile_options(orrery_${name} PRIVATE -O2)
  endif()
  set_property(GLOBAL APPEND PROPERTY ORRERY_ROOMS ${name})
endfunction()

# orrery_test(<target> SOURCES … DEPS … [LABELS …]): one GoogleTest program. CTest starts what takes long first, and runs it
# as several entries side by side (<target>_1, <target>_2, …): tests/costs.txt says what takes how long.
function(orrery_test target)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${target} ${TEST_SOURCES})
  orrery_join(${target})
  orrery_test_paths()
  target_link_libraries(${target} PRIVATE ${TEST_DEPS} orrery_test_paths GTest::gmock GTest::gtest_main rapidcheck)
  # What is tested is optimized; how it is asked need not be.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)

  set(costs "${CMAKE_SOURCE_DIR}/tests/costs.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${costs}")
  file(STRINGS "${costs}" cost REGEX "^${target} +[0-9]+$")
  string(REGEX REPLACE "^.* " "" cost "0${cost}")
  math(EXPR shards "${cost} / 16 + 1")
  math(EXPR cost "${cost} / ${shards}")
  foreach(shard RANGE 1 ${shards})
    # The same properties every time; run the program by itself for new random ones.
    set(environment RC_PARAMS=seed=1)
    set(name ${target})
    if(shards GREATER 1)
      set(name ${target}_${shard})
      math(EXPR index "${shard} - 1")
      # A folder of its own for temporary files: tests of one program may use the same names.
      set(folder "${CMAKE_BINARY_DIR}/test-folders/${name}")
      file(MAKE_DIRECTORY "${folder}")
      list(APPEND environment GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${index} "TMPDIR=${folder}" "TEST_TMPDIR=${folder}/")
    endif()
    add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY "${CMAKE_BINARY_DIR}")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" COST ${cost} LABELS "${TEST_LABELS}")
  endforeach()
endfunction()

# What src/orrery/core/paths_testing.h declares: the only absolute paths that tests are compiled with.
function(orrery_test_paths)
  if(TARGET orrery_test_paths)
    return()
  endif()
  set(file "${CMAKE_BINARY_DIR}/generated/test_paths.cc")
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT "// Generated by cmake/OrreryRooms.cmake.
#include \"orrery/core/paths_testing.h\"
namespace orrery::core_testing {
const char* const kSourceFolder = \"${CMAKE_SOURCE_DIR}\";
const char* const kBuildFolder = \"${CMAKE_BINARY_DIR}\";
const char* const kProgram = \"${CMAKE_BINARY_DIR}/apps/orrery/orrery\";
}  // namespace orrery::core_testing
")
  add_library(orrery_test_paths STATIC "${file}")
  target_include_directories(orrery_test_paths PUBLIC "${CMAKE_SOURCE_DIR}/src")
endfunction()
