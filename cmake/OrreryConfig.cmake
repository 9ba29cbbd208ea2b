# find_package(Orrery): the target Orrery::study, with the headers under include/orrery (docs/library.md).
include(CMakeFindDependencyMacro)
foreach(package fmt tl-expected nlohmann_json yaml-cpp ZLIB pugixml SQLite3 simdjson Threads)
  find_dependency(${package})
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/OrreryTargets.cmake")
