"""The random numbers of a ring of beams: the same as those of single beams, and normal."""

from __future__ import annotations

import math

import numpy as np

from acres_ros.models.lidar_noise import fill_normals, fill_words
from acres_ros.models.streams import hash_normals, numbered_hash

EDGES = np.array([0, 2**64 - 1, 2**63, 2**32 - 1, 2**32, 2**29, 2**29 - 1, 7 * 2**29, 2**30, 2**31], np.uint64)


def deviates(words: np.ndarray) -> np.ndarray:
    """Return both deviates of each word, (2, n)."""
    results = np.empty((2, len(words)))
    fill_normals(words, len(words), results[0], results[1])
    return results


def test_the_deviates_are_those_of_box_and_muller():
    random = np.random.default_rng(3)
    words = np.concatenate([EDGES, random.integers(0, 2**64, 20000, dtype=np.uint64)])
    one, other = deviates(words)
    upper, lower = (words >> np.uint64(32)).astype(float), (words & np.uint64(0xFFFFFFFF)).astype(float)
    radius, angle = np.sqrt(-2.0 * np.log((upper + 1.0) / 2.0**32)), 2.0 * np.pi * lower / 2.0**32
    np.testing.assert_allclose(one, radius * np.cos(angle), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(other, radius * np.sin(angle), rtol=0.0, atol=1e-12)
    single = [hash_normals(word) for word in words[:50]]
    np.testing.assert_allclose(np.array(single).T, [one[:50], other[:50]], rtol=0.0, atol=1e-12)


def test_the_deviates_are_normal_and_independent():
    count = 200000
    words = np.empty(count, np.uint64)
    fill_words(np.uint64(77), 5, 3, count, words)
    one, other = deviates(words)
    for values in (one, other):
        assert abs(values.mean()) < 4.0 / math.sqrt(count)
        assert abs(values.var() - 1.0) < 4.0 * math.sqrt(2.0 / count)
        assert abs((values**4).mean() - 3.0) < 4.0 * math.sqrt(96.0 / count)
        for sigmas, share in ((1.0, 0.317311), (2.0, 0.045500), (3.0, 0.002700)):
            found = (np.abs(values) > sigmas).mean()
            assert abs(found - share) < 4.0 * math.sqrt(share / count)
    assert abs((one * other).mean()) < 4.0 / math.sqrt(count)


def test_each_beam_has_its_own_hash():
    words = np.empty(6, np.uint64)
    fill_words(np.uint64(9), 2, 32, 6, words)
    assert words.tolist() == [int(numbered_hash(np.uint64(9), 2 + 32 * place)) for place in range(6)]
