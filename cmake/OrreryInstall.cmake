# What other programs build against: public headers, the rooms as libraries, and find_package(Orrery).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY ORRERY_ROOMS)
foreach(room ${rooms})
  set_target_properties(orrery_${room} PROPERTIES EXPORT_NAME ${room})
  list(APPEND room_targets orrery_${room})
endforeach()
install(TARGETS ${room_targets} protozero zstd EXPORT OrreryTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/orrery"
        COMPONENT development)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/orrery" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)

set(orrery_package "${CMAKE_INSTALL_LIBDIR}/cmake/Orrery")
install(EXPORT OrreryTargets NAMESPACE Orrery:: DESTINATION "${orrery_package}" COMPONENT development)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_SOURCE_DIR}/cmake/OrreryConfig.cmake" "${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake"
        DESTINATION "${orrery_package}" COMPONENT development)
