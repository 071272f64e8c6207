# Lets CMake use the ROS 2 wheels, whose exported targets name the Python headers of the machine that made them, and lets
# it compile the generated sources of a library as one file: most of the time goes into the headers that all of them read.
# Given as CMAKE_PROJECT_INCLUDE; runs when the project has read everything.

function(acres_replace_missing_includes)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(folders)
      set(present "")
      foreach(folder IN LISTS folders)
        if(NOT folder MATCHES "^/opt/python/" OR EXISTS "${folder}")
          list(APPEND present "${folder}")
        endif()
      endforeach()
      list(APPEND present ${Python3_INCLUDE_DIRS})
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
    endif()
  endforeach()
endfunction()

function(acres_unite_sources)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  # One file of the C++ introspection uses templates that the next one specializes.
  list(FILTER targets EXCLUDE REGEX "__rosidl_typesupport_introspection_cpp$")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
      # The descriptions of the types define static names that clash.
      get_target_property(sources ${target} SOURCES)
      list(FILTER sources INCLUDE REGEX "__description\\.c$")
      set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

cmake_language(DEFER CALL acres_replace_missing_includes)
cmake_language(DEFER CALL acres_unite_sources)
