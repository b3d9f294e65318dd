# SPDX-License-Identifier: BSD-3-Clause
# cmake --install build/release --prefix FOLDER: the command and what it finds beside itself. Nothing
# installed names FOLDER, so that it may be moved.

# Of the libraries that are linked, those outside the system's folders (Spack's, CUDA's) are found
# where they were; nothing of the build tree is.
set_target_properties(shardstone PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS shardstone RUNTIME DESTINATION bin)
foreach(folder acceptance clusters studies sites)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/jobs/${folder}/ DESTINATION share/shardstone/${folder}
          FILES_MATCHING PATTERN *.toml)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
        ${PROJECT_SOURCE_DIR}/reference/algorithms.md DESTINATION share/doc/shardstone)

# Written by the command itself from its options. A program that was built for another machine cannot
# write them here; `shardstone man` and `shardstone completion bash` do on that one.
set(install_documents [[
  foreach(document man "completion bash")
    separate_arguments(words UNIX_COMMAND ${document})
    string(REPLACE " " "_" file ${document})
    execute_process(COMMAND "@program@" ${words} OUTPUT_FILE "@folder@/${file}"
                    RESULT_VARIABLE code ERROR_QUIET)
    if(NOT code EQUAL 0)
      message(WARNING "shardstone does not run on this machine: no manual page, no completion")
      return()
    endif()
  endforeach()
  file(INSTALL "@folder@/man" DESTINATION "${CMAKE_INSTALL_PREFIX}/share/man/man1"
       RENAME shardstone.1)
  file(INSTALL "@folder@/completion_bash" RENAME shardstone
       DESTINATION "${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions")
]])
set(program $<TARGET_FILE:shardstone>)
set(folder ${PROJECT_BINARY_DIR})
string(CONFIGURE "${install_documents}" install_documents @ONLY)
install(CODE "${install_documents}")
