# The data folder: portable programs hold it as an archive, others find <folder above them>/share/orrery/data: in the
# build tree a link, installed a copy.
function(orrery_add_data target)
  if(NOT ORRERY_PORTABLE)
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/orrery")
    file(CREATE_LINK "${CMAKE_SOURCE_DIR}/data" "${CMAKE_BINARY_DIR}/share/orrery/data" SYMBOLIC)
    install(DIRECTORY "${CMAKE_SOURCE_DIR}/data" DESTINATION "${CMAKE_INSTALL_DATADIR}/orrery" COMPONENT program)
    return()
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/data/*")
  set(archive "${CMAKE_BINARY_DIR}/generated/data.tar.zst")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/generated")
  # The same files make the same bytes. The program holds kernels/learned*.txt as constants, so the archive does not.
  add_custom_command(
    OUTPUT "${archive}"
    COMMAND tar --format=gnu --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX
            --exclude=data/kernels/learned.txt --exclude=data/kernels/learned_ada.txt
            "--use-compress-program=zstd -q -19 --single-thread"
            -C "${CMAKE_SOURCE_DIR}" -cf "${archive}" data
    DEPENDS ${files}
    COMMENT "Packing the data folder"
    VERBATIM)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/resources/built_in_data.cc")
  set_source_files_properties("${source}" PROPERTIES COMPILE_DEFINITIONS "ORRERY_DATA_ARCHIVE=\"${archive}\""
                                                     OBJECT_DEPENDS "${archive}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
