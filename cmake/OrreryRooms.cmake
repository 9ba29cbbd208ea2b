include(GoogleTest OPTIONAL)

# orrery_room(<name> [OPTIMIZE <level>] DEPS <targets…> [LIGHT <patterns…>] [FIRST <patterns…> MORE_DEPS <targets…>]): the
# folder src/orrery/<name> as a library orrery_<name>.
# x.cc goes into the library, x_test.cc into orrery_<name>_tests, x_fuzz.cc becomes a libFuzzer target of its own.
# OPTIMIZE: the release build compiles with -O<level> instead of -O3, where no command becomes slower. The compiler takes two
# thirds of the time with 1 and half of it with g. LIGHT: patterns of files, by their paths in the folder, compiled with -Og.
# FIRST: patterns of the files that the commands in apps/orrery/first_commands.txt need. They form the library
# orrery_<name>_first, so that these commands are ready before everything is compiled. The library orrery_<name> has the
# other files and links the first ones and MORE_DEPS.
# A room without sources (yet) is header-only; a room without a folder is skipped.
function(orrery_room name)
  cmake_parse_arguments(ROOM "" "OPTIMIZE" "DEPS;LIGHT;FIRST;MORE_DEPS" ${ARGN})
  set(dir "${CMAKE_SOURCE_DIR}/src/orrery/${name}")
  file(GLOB_RECURSE all CONFIGURE_DEPENDS "${dir}/*.cc")
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

  if(ORRERY_TESTS AND tests)
    orrery_test(orrery_${name}_tests SOURCES ${tests} DEPS orrery_${name})
    set_tests_properties(orrery_${name}_tests PROPERTIES LABELS unit)
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
  set_property(GLOBAL APPEND PROPERTY ORRERY_ROOMS ${name})
endfunction()

# orrery_test(<target> SOURCES … DEPS …): one GoogleTest program, one CTest entry.
function(orrery_test target)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS;ARGS" ${ARGN})
  add_executable(${target} ${TEST_SOURCES})
  orrery_join(${target})
  target_link_libraries(${target} PRIVATE ${TEST_DEPS} GTest::gmock GTest::gtest_main rapidcheck)
  # What is tested is optimised; how it is asked need not be.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  target_compile_definitions(${target} PRIVATE ORRERY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${target} COMMAND ${target} ${TEST_ARGS} WORKING_DIRECTORY "${CMAKE_BINARY_DIR}")
  # The same properties every time; run the program by itself for new random ones.
  set_tests_properties(${target} PROPERTIES ENVIRONMENT "RC_PARAMS=seed=1")
endfunction()
