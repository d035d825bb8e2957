# `make install PREFIX=FOLDER`, `make archive` and `make deb`. The program needs no file of its own at run time: schema, views, queries and the
# CPU device's headers are in it. What is installed beside it is for people: manual, completions, docs and an example project.
include(GNUInstallDirs)

# Else installing would first build all tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS tailwave RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md CHANGELOG.md LICENSE cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(DIRECTORY harness/spec/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tailwave/schemas FILES_MATCHING PATTERN "*.schema.json")
install(DIRECTORY kernel_templates experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/tailwave/example)

# Written by the program that is installed, from its own command line. zsh reads a distribution's completions and those of
# the machine from folders of different names.
set(texts ${PROJECT_BINARY_DIR}/install)
install(CODE "
  file(MAKE_DIRECTORY \"${texts}\")
  macro(write_text file)
    execute_process(COMMAND \"$<TARGET_FILE:tailwave>\" \${ARGN} OUTPUT_FILE \"${texts}/\${file}\"
                    WORKING_DIRECTORY \"${texts}\" COMMAND_ERROR_IS_FATAL ANY)
  endmacro()
  write_text(tailwave.1 man)
  write_text(tailwave completion bash)
  write_text(_tailwave completion zsh)
  execute_process(COMMAND gzip -9nf \"${texts}/tailwave.1\" COMMAND_ERROR_IS_FATAL ANY)
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"/usr$\")
    set(zsh_folder vendor-completions)
  endif()
  file(INSTALL \"${texts}/_tailwave\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/zsh/\${zsh_folder}\")
")
install(FILES ${texts}/tailwave.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${texts}/tailwave DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

# The maintainer of a package is who builds it: as Debian's own tools are told, or else as git is.
set(packager "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(NOT packager MATCHES "^.+ <.+@.+>$")
  execute_process(COMMAND git var GIT_COMMITTER_IDENT WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE packager ERROR_QUIET)
  string(REGEX REPLACE ">.*" ">" packager "${packager}")
endif()
if(NOT packager MATCHES "^.+ <.+@.+>$")
  cmake_host_system_information(RESULT host QUERY FQDN)
  set(packager "local build <root@${host}>")
endif()
set(TAILWAVE_PACKAGER ${packager} CACHE STRING "who is named as the maintainer of the .deb: NAME <ADDRESS>")

# Shared libraries become dependencies by dpkg-shlibdeps. The host compiler builds references at run time; NVRTC and the driver
# are loaded where they are found.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tailwave)
set(CPACK_PACKAGE_VERSION ${TAILWAVE_VERSION})
set(CPACK_PACKAGE_CONTACT ${TAILWAVE_PACKAGER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds, measures and explains the fastest configuration of a CUDA kernel")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ (>= 4:12)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, libcuda1, bash-completion")
include(CPack)
