"""The random streams: published vectors, the seed table, distributions (acceptance A10)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core.streams import (
    STREAMS,
    Pcg32,
    SeedRefusedError,
    SplitMix64,
    StreamUnknownError,
    stream,
)
from acres_ros.models.streams import beam_hash, hash_normal, hash_uniform, next_hash

WORD = (1 << 64) - 1
SEEDS = st.integers(0, WORD)


def reference_pcg32(seed: int, sequence: int, count: int) -> list[int]:
    """Follow the algorithm of O'Neill (2014) on Python's integers."""
    increment = (sequence << 1 | 1) & WORD
    state = 0
    state = (state * 6364136223846793005 + increment) & WORD
    state = (state + seed) & WORD
    state = (state * 6364136223846793005 + increment) & WORD
    draws = []
    for _ in range(count):
        old, state = state, (state * 6364136223846793005 + increment) & WORD
        shifted = ((old >> 18 ^ old) >> 27) & 0xFFFFFFFF
        turn = old >> 59
        draws.append((shifted >> turn | shifted << (-turn & 31)) & 0xFFFFFFFF)
    return draws


def reference_mix(word: int) -> int:
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & WORD
    return word ^ word >> 31


def test_pcg32_gives_the_published_demo_output():
    generator = Pcg32(42, 54)
    # pcg32-demo of the reference implementation, round 1
    assert [generator.next_u32() for _ in range(6)] == [
        0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E,
    ]  # fmt: skip


def test_splitmix64_gives_the_published_output():
    generator = SplitMix64(1234567)
    assert [generator.next_u64() for _ in range(5)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(0, (1 << 63) - 1))
def test_pcg32_agrees_with_the_algorithm_on_integers(seed: int, sequence: int):
    generator = Pcg32(seed, sequence)
    assert [generator.next_u32() for _ in range(8)] == reference_pcg32(seed, sequence, 8)


@pytest.mark.parametrize(
    ("name", "seed", "sequence"),
    [
        ("gnss", 42, 1),
        ("imu", 42 + 1009, 2),
        ("lidar", 42 + 2018, 3),
        ("gnss_constellation", 42 + 3027, 4),
        ("lidar_rain", 42 + 4036, 5),
        ("ins", 42 + 5045, 6),
    ],
)
def test_named_streams_start_where_the_table_of_the_spec_says(name: str, seed: int, sequence: int):
    generator = stream(name)
    assert [generator.next_u32() for _ in range(4)] == reference_pcg32(seed, sequence, 4)


def test_an_agent_shifts_the_seed_by_7919():
    assert stream("ins", 7, agent=3).next_u32() == reference_pcg32(7 + 5045 + 3 * 7919, 6, 1)[0]


def test_camera_streams_have_a_sequence_for_each_row():
    assert stream("camera_pattern", 7, row=480).next_u32() == reference_pcg32(7 + 3027, 480, 1)[0]
    noise = stream("camera_noise", 7, row=480, frame=4)
    assert noise.next_u32() == reference_pcg32(7 + 3027 + 5 * 1000003, 480, 1)[0]
    with pytest.raises(StreamUnknownError, match="image row"):
        stream("camera_noise", 7)


def test_the_table_has_no_two_streams_that_start_alike():
    starts = [place for name, place in STREAMS.items() if not name.startswith("camera")]
    assert len({place.sequence for place in starts}) == len(starts)


def test_a_seed_near_the_largest_word_wraps():
    assert stream("ins", WORD).next_u32() == reference_pcg32((WORD + 5045) & WORD, 6, 1)[0]


def test_an_unknown_stream_is_refused_with_the_names():
    with pytest.raises(StreamUnknownError, match="gnss_constellation"):
        stream("sonar")


@pytest.mark.parametrize("bad", [-1, 1 << 64, 1.5, math.nan, "42", None])
def test_seeds_that_are_no_words_are_refused(bad):
    for make in (lambda: Pcg32(bad, 1), lambda: Pcg32(1, bad), lambda: SplitMix64(bad), lambda: stream("imu", bad)):
        with pytest.raises(SeedRefusedError, match="0 to 2\\*\\*64 - 1"):
            make()


def test_a_normal_deviate_is_box_muller_of_two_draws():
    generator, draws = stream("imu"), reference_pcg32(42 + 1009, 2, 200)
    for first, second in zip(draws[::2], draws[1::2], strict=True):
        expected = math.sqrt(-2.0 * math.log((first + 1) / 2**32)) * math.cos(2.0 * math.pi * second / 2**32)
        assert generator.normal() == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_many_deviates_are_the_single_ones():
    one, many = stream("ins"), stream("ins")
    assert many.normals(100).tolist() == [one.normal() for _ in range(100)]
    assert many.state.tolist() == one.state.tolist()


def test_the_state_is_the_whole_snapshot():
    for generator in (stream("imu"), SplitMix64(9)):
        generator.normal()
        saved = generator.state.copy()
        first = [generator.normal(), generator.uniform(), generator.normal()]
        generator.state[:] = saved
        assert [generator.normal(), generator.uniform(), generator.normal()] == first


def test_deviates_are_standard_normal():
    deviates = stream("gnss").normals(200_000)
    # four standard errors of the mean, the variance and the share beyond 2 sigma (0.0455)
    assert abs(deviates.mean()) < 4 / math.sqrt(200_000)
    assert abs(deviates.var() - 1.0) < 4 * math.sqrt(2 / 200_000)
    assert abs((np.abs(deviates) > 2.0).mean() - 0.0455) < 4 * math.sqrt(0.0455 * 0.9545 / 200_000)
    assert abs(np.corrcoef(deviates[:-1], deviates[1:])[0, 1]) < 4 / math.sqrt(200_000)


@settings(deadline=None)
@given(SEEDS, st.floats(-1e3, 1e3), st.floats(0.0, 1e3))
def test_uniform_numbers_stay_in_their_range(seed: int, low: float, width: float):
    high = low + width
    assert low <= Pcg32(seed, 1).uniform(low, high) <= high
    assert low <= SplitMix64(seed).uniform(low, high) <= high
    assert 0.0 <= Pcg32(seed, 1).uniform() < 1.0


@settings(deadline=None, max_examples=50)
@given(st.integers(0, (1 << 63) - 1), st.integers(0, 4095), st.integers(0, 10**9), st.integers(0, 57_599))
def test_a_beam_has_its_output_of_the_generator_of_its_scan(seed: int, environment: int, step: int, beam: int):
    start = reference_mix(seed ^ (environment << 32) ^ step)
    assert int(beam_hash(seed, environment, step, beam)) == reference_mix(
        (start + (beam + 1) * 0x9E3779B97F4A7C15) & WORD
    )


def test_beams_scans_and_environments_do_not_share_their_noise():
    hashes = {
        int(beam_hash(42, environment, step, beam))
        for environment in range(4)
        for step in range(0, 120, 12)
        for beam in range(200)
    }
    assert len(hashes) == 4 * 10 * 200


def test_the_noise_of_a_scan_is_standard_normal_and_uniform():
    hashes = [np.uint64(beam_hash(42, 0, 1200, beam)) for beam in range(5_000)]
    normals = np.array([hash_normal(word) for word in hashes])
    uniforms = np.array([hash_uniform(np.uint64(next_hash(word))) for word in hashes])
    assert abs(normals.mean()) < 4 / math.sqrt(5_000)
    assert abs(normals.var() - 1.0) < 4 * math.sqrt(2 / 5_000)
    assert abs(uniforms.mean() - 0.5) < 4 * math.sqrt(1 / 12 / 5_000)
    assert uniforms.min() >= 0.0 and uniforms.max() < 1.0
    assert abs(np.corrcoef(normals, uniforms)[0, 1]) < 4 / math.sqrt(5_000)
