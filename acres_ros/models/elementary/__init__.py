"""Elementary functions from + - * / sqrt and the bit pattern of a double; `acres_ros.models.maths` shows them."""
