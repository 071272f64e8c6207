"""The tree of boxes over the shapes of a scene, by the surface area heuristic.

A binary tree is split where the sum of area times number is least among 16 bins on each axis (Wald, On fast
construction of SAH-based bounding volume hierarchies, RT 2007), then its levels are joined to nodes of four, whose
boxes a ray tests at once (Dammertz, Hanika and Keller, Shallow bounding volume hierarchies, EGSR 2008). Equal scenes
get equal trees.
"""

import numpy as np

from acres_ros._compile import array_entry, kernel, outlined
from acres_ros.models.maths import INFINITY

BINS = 16
LEAF = 3
"""A leaf holds no more shapes."""
WIDE = 4
"""Children of a node."""
LEAF_BITS = 4
"""A leaf is the number -1 - (first shape << 4 | number of shapes); a child that is a node is its number."""
MOST_LEVELS = 48
"""Beyond it, shapes are halved by number, so that the tree of a billion shapes has at most 80 levels."""
STACK = 3 * 80 + 1
MARGIN = 1e-4
"""Boxes are larger than their shapes by this much (m), more than single precision and a ray's rounding take."""


@kernel
def _half_area(low_x, low_y, low_z, high_x, high_y, high_z):
    """Return half the area of a box; 0 of an empty one."""
    x, y, z = max(high_x - low_x, 0.0), max(high_y - low_y, 0.0), max(high_z - low_z, 0.0)
    return x * y + y * z + z * x


@kernel
def _bin_of(value, low, scale):
    return min(int((value - low) * scale), BINS - 1)


@outlined
def _split_costs(low, high, order, start, stop, axis, from_, scale, boxes, counts, costs):
    """Fill for one axis the cost of a split behind each bin, infinity where one side has nothing.

    Args:
        low, high: corners of the boxes of the shapes (n, 3), m.
        order: numbers of the shapes; those of the node are order[start:stop].
        axis: 0, 1, 2.
        from_, scale: a centre c lies in bin (c - from_) * scale.
        boxes: room for (BINS, 6).
        counts: room for (BINS,).
        costs: result (BINS - 1,).
    """
    for index in range(BINS):
        counts[index] = 0
        for side in range(3):
            boxes[index, side], boxes[index, side + 3] = INFINITY, -INFINITY
    for place in range(start, stop):
        shape = order[place]
        index = _bin_of(0.5 * (low[shape, axis] + high[shape, axis]), from_, scale)
        counts[index] += 1
        for side in range(3):
            boxes[index, side] = min(boxes[index, side], low[shape, side])
            boxes[index, side + 3] = max(boxes[index, side + 3], high[shape, side])
    for backward in range(2):
        low_x, low_y, low_z = INFINITY, INFINITY, INFINITY
        high_x, high_y, high_z = -INFINITY, -INFINITY, -INFINITY
        number = 0
        for step in range(BINS - 1):
            index = BINS - 1 - step if backward else step
            low_x, low_y, low_z = min(low_x, boxes[index, 0]), min(low_y, boxes[index, 1]), min(low_z, boxes[index, 2])
            high_x, high_y = max(high_x, boxes[index, 3]), max(high_y, boxes[index, 4])
            high_z = max(high_z, boxes[index, 5])
            number += counts[index]
            cost = _half_area(low_x, low_y, low_z, high_x, high_y, high_z) * number if number > 0 else INFINITY
            if backward:
                costs[index - 1] += cost
            else:
                costs[index] = cost


@array_entry
def _build_binary(low, high, order, bounds, children, leaves):
    """Fill a binary tree and sort `order` by its leaves; return the number of nodes.

    Args:
        low, high: corners of the boxes of the shapes (n, 3), m.
        order: 0 .. n - 1; sorted in place.
        bounds: result (2 n, 6): the box of each node.
        children: result i4 (2 n, 2): the two nodes below; -1 for a leaf.
        leaves: result i4 (2 n, 2): first place in `order` and number of shapes of a leaf.
    """
    boxes, counts, costs = np.empty((BINS, 6)), np.empty(BINS, np.int64), np.empty(BINS - 1)
    spare = np.empty_like(order)
    open_nodes = np.empty((len(children) + 1, 4), np.int64)  # node, start, stop, level
    open_nodes[0, 0], open_nodes[0, 1], open_nodes[0, 2], open_nodes[0, 3] = 0, 0, len(order), 0
    waiting, nodes = 1, 1
    while waiting > 0:
        waiting -= 1
        node, start, stop, level = (
            open_nodes[waiting, 0], open_nodes[waiting, 1], open_nodes[waiting, 2], open_nodes[waiting, 3]
        )  # fmt: skip
        for side in range(3):
            bounds[node, side], bounds[node, side + 3] = INFINITY, -INFINITY
            for place in range(start, stop):
                bounds[node, side] = min(bounds[node, side], low[order[place], side])
                bounds[node, side + 3] = max(bounds[node, side + 3], high[order[place], side])
        children[node, 0], children[node, 1] = -1, -1
        leaves[node, 0], leaves[node, 1] = start, stop - start
        if stop - start <= LEAF:
            continue
        best, best_axis, best_bin, best_from, best_scale = INFINITY, -1, 0, 0.0, 0.0
        if level < MOST_LEVELS:
            for axis in range(3):
                first, last = INFINITY, -INFINITY
                for place in range(start, stop):
                    centre = 0.5 * (low[order[place], axis] + high[order[place], axis])
                    first, last = min(first, centre), max(last, centre)
                if last - first < 1e-9:
                    continue
                scale = BINS / (last - first)
                _split_costs(low, high, order, start, stop, axis, first, scale, boxes, counts, costs)
                for index in range(BINS - 1):
                    if costs[index] < best:
                        best, best_axis, best_bin, best_from, best_scale = costs[index], axis, index, first, scale
        middle = start
        if best_axis >= 0:
            kept = 0
            for place in range(start, stop):
                shape = order[place]
                centre = 0.5 * (low[shape, best_axis] + high[shape, best_axis])
                if _bin_of(centre, best_from, best_scale) <= best_bin:
                    order[middle] = shape
                    middle += 1
                else:
                    spare[kept] = shape
                    kept += 1
            order[middle:stop] = spare[:kept]
        else:
            middle = (start + stop) // 2
        for side in range(2):
            children[node, side] = nodes
            open_nodes[waiting, 0], open_nodes[waiting, 3] = nodes, level + 1
            open_nodes[waiting, 1] = start if side == 0 else middle
            open_nodes[waiting, 2] = middle if side == 0 else stop
            waiting += 1
            nodes += 1
    return nodes


@kernel
def _node_area(bounds, node):
    return _half_area(
        bounds[node, 0], bounds[node, 1], bounds[node, 2], bounds[node, 3], bounds[node, 4], bounds[node, 5]
    )  # fmt: skip


@array_entry
def _join(bounds, children, leaves, boxes, links):
    """Join the levels of a binary tree to nodes of four; return their number.

    Args:
        bounds, children, leaves: the binary tree.
        boxes: result f8 (n, 6, 4): lower corner x, y, z and upper corner of the box of each child.
        links: result i4 (n, 4): the children, as `LEAF_BITS` says.
    """
    open_nodes = np.empty((len(links) + 1, 2), np.int64)  # binary node, its node of four
    open_nodes[0, 0], open_nodes[0, 1] = 0, 0
    waiting, nodes = 1, 1
    parts = np.empty(WIDE, np.int64)
    while waiting > 0:
        waiting -= 1
        node, place = open_nodes[waiting, 0], open_nodes[waiting, 1]
        count = 1
        parts[0] = node
        while count < WIDE:
            widest, largest = -1, -1.0
            for index in range(count):
                area = _node_area(bounds, parts[index])
                if children[parts[index], 0] >= 0 and area > largest:
                    widest, largest = index, area
            if widest < 0:
                break
            opened = parts[widest]
            parts[widest], parts[count] = children[opened, 0], children[opened, 1]
            count += 1
        for index in range(WIDE):
            for side in range(3):
                boxes[place, side, index], boxes[place, side + 3, index] = INFINITY, -INFINITY
            links[place, index] = -1
            if index < count:
                part = parts[index]
                for side in range(6):
                    boxes[place, side, index] = bounds[part, side]
                if children[part, 0] < 0:
                    links[place, index] = -1 - (leaves[part, 0] << LEAF_BITS | leaves[part, 1])
                else:
                    links[place, index] = nodes
                    open_nodes[waiting, 0], open_nodes[waiting, 1] = part, nodes
                    waiting += 1
                    nodes += 1
    return nodes


def build_tree(low, high):
    """Return the tree of some boxes: the boxes f4 (nodes, 6, 4), the links i4 (nodes, 4), and the order of the shapes.

    Args:
        low, high: lower and upper corners of the boxes of the shapes (n, 3), m.
    """
    count = len(low)
    order = np.arange(count, dtype=np.int32)
    bounds = np.empty((2 * count + 1, 6))
    children, leaves = np.empty((2 * count + 1, 2), np.int32), np.empty((2 * count + 1, 2), np.int32)
    _build_binary(np.ascontiguousarray(low), np.ascontiguousarray(high), order, bounds, children, leaves)
    boxes, links = np.empty((count + 1, 6, WIDE)), np.empty((count + 1, WIDE), np.int32)
    nodes = _join(bounds, children, leaves, boxes, links)
    low_side = np.nextafter((boxes[:nodes, :3] - MARGIN).astype(np.float32), np.float32(-np.inf))
    high_side = np.nextafter((boxes[:nodes, 3:] + MARGIN).astype(np.float32), np.float32(np.inf))
    return np.concatenate([low_side, high_side], axis=1), np.ascontiguousarray(links[:nodes]), order
