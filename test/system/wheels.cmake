# Lets CMake use the ROS 2 wheels: their exported targets name the Python headers of the machine that made them.
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

cmake_language(DEFER CALL acres_replace_missing_includes)
