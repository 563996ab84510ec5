"""IDX files are read or refused with a place and a way out; pooling is exact; the subset can be made again."""

from __future__ import annotations

import gzip
import hashlib
import struct
from pathlib import Path

import numpy as np
import pytest

from models.attention import fashion_mnist
from models.attention.fashion_mnist import (
    CLASSES,
    DEBIAN,
    FILES,
    NUM_TEST,
    NUM_TRAINING,
    NUM_VALIDATION,
    SUBSET,
    SUBSET_SHA256,
    Garments,
    holds,
    load_subset,
    locate,
    parse_idx,
    pooled,
    read_verified,
    save_subset,
    source_folders,
    subset,
)
from sitegen.errors import DataError

pytestmark = pytest.mark.bake

PLACE = Path("somewhere/images-idx3-ubyte")
NAME = "t10k-labels-idx1-ubyte"


def idx(*shape: int, kind: int = 8, values: bytes | None = None) -> bytes:
    content = bytes(range(int(np.prod(shape)))) if values is None else values
    return bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + content


def test_an_idx_file_becomes_an_array_of_the_shape_it_declares():
    array = parse_idx(idx(2, 3, 4), PLACE)
    assert array.tolist() == np.arange(24, dtype=np.uint8).reshape(2, 3, 4).tolist()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not an IDX file"),
        (b"\0\0", "not an IDX file"),
        (b"\x1f\x8b\x08\x00", "not an IDX file"),
        (idx(3, kind=13), "type 0x0d, where unsigned bytes"),
        (idx(2, 3)[:9], "cut short within the lengths of its 2 axes"),
        (idx(2, 3)[:-1], "declares 2 × 3 = 6 bytes and holds 5"),
        (idx(2, 3) + b"x", "declares 2 × 3 = 6 bytes and holds 7"),
    ],
)
def test_a_damaged_idx_file_is_refused_with_its_place_and_a_way_out(data, message):
    with pytest.raises(DataError, match=message) as caught:
        parse_idx(data, PLACE)
    assert str(caught.value).startswith("somewhere/images-idx3-ubyte: ")
    assert "hint: install Debian's dataset-fashion-mnist" in str(caught.value)


def test_the_unpacked_bytes_are_what_is_hashed(tmp_path):
    content = idx(4)
    digest = hashlib.sha256(content).hexdigest()
    plain, packed = tmp_path / "labels", tmp_path / "labels.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content, 1))
    assert read_verified(plain, digest) == read_verified(packed, digest) == content


def test_a_changed_byte_is_told_with_both_digests(tmp_path):
    path = tmp_path / NAME
    path.write_bytes(idx(4))
    with pytest.raises(DataError, match="not the file that is known") as caught:
        read_verified(path, FILES[NAME])
    assert str(caught.value).startswith(f"{path.as_posix()}: ")
    assert FILES[NAME][:12] in str(caught.value)
    assert "hint: delete or replace it" in str(caught.value)


def test_a_broken_archive_is_told_as_unreadable(tmp_path):
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes(gzip.compress(idx(4))[:-6])
    with pytest.raises(DataError, match="cannot be read"):
        read_verified(path, FILES[NAME])


def test_files_are_looked_for_in_the_given_folders_then_debians_then_the_cache(tmp_path):
    given = f"{tmp_path / 'a'}:{tmp_path / 'b'}"
    folders = source_folders({"SITEGEN_DATA": given, "XDG_CACHE_HOME": str(tmp_path / "c")})
    assert folders == [tmp_path / "a", tmp_path / "b", DEBIAN, tmp_path / "c/sitegen/fashion-mnist"]


def test_the_first_folder_that_has_the_file_gives_it(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (second / NAME).write_bytes(b"")
    assert locate(NAME, [first, second]) == second / NAME
    (first / f"{NAME}.gz").write_bytes(b"")
    assert locate(NAME, [first, second]) == first / f"{NAME}.gz"


def test_a_file_that_no_folder_has_is_fetched_into_the_last(tmp_path):
    origin = tmp_path / "origin"
    origin.mkdir()
    (origin / f"{NAME}.gz").write_bytes(b"content")
    found = locate(NAME, [tmp_path / "none", tmp_path / "cache"], origin.as_uri())
    assert found == tmp_path / "cache" / f"{NAME}.gz"
    assert found.read_bytes() == b"content"
    assert [path.name for path in found.parent.iterdir()] == [found.name]


def test_what_cannot_be_fetched_says_where_to_put_it(tmp_path):
    with pytest.raises(DataError, match="cannot be fetched") as caught:
        locate(NAME, [tmp_path], (tmp_path / "nowhere").as_uri())
    assert "SITEGEN_DATA" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_pooling_is_the_rounded_mean_of_sixteen_pixels_of_the_padded_image():
    images = np.random.default_rng(0).integers(0, 256, (3, 28, 28), dtype=np.uint8)
    small = pooled(images)
    for image, result in zip(images.tolist(), small.tolist(), strict=True):
        for i in range(8):
            for j in range(8):
                square = [(r - 2, c - 2) for r in range(4 * i, 4 * i + 4) for c in range(4 * j, 4 * j + 4)]
                total = sum(image[r][c] for r, c in square if 0 <= r < 28 and 0 <= c < 28)
                assert result[i][j] == int(total / 16 + 0.5)


def test_a_white_image_keeps_its_middle_and_loses_half_at_the_edges():
    small = pooled(np.full((1, 28, 28), 255, np.uint8))[0]
    assert (small[1:7, 1:7] == 255).all()
    assert (small[0, 1:7] == 128).all()  # half of the square is padding
    assert small[0, 0] == 64  # three quarters are


def test_the_committed_subset_is_the_file_that_is_known():
    assert hashlib.sha256(SUBSET.read_bytes()).hexdigest() == SUBSET_SHA256
    assert SUBSET.stat().st_size <= 350_000
    assert (SUBSET.parent / "NOTICE").is_file()


def test_the_committed_subset_has_its_parts_and_all_classes():
    garments = load_subset(SUBSET)
    parts = (garments.training, garments.validation, garments.test)
    assert [len(part.images) for part in parts] == [NUM_TRAINING, NUM_VALIDATION, NUM_TEST]
    assert all(set(part.labels.tolist()) == set(range(len(CLASSES))) for part in parts)
    assert garments.images.shape == (8000, 8, 8)


def test_a_subset_comes_back_as_it_was_saved(tmp_path):
    generator = np.random.default_rng(0)
    garments = Garments(generator.integers(0, 256, (5, 8, 8), np.uint8), generator.integers(0, 10, 5, np.uint8))
    save_subset(tmp_path / "few.npz", garments)
    assert holds(tmp_path / "few.npz", garments)
    assert not holds(tmp_path / "few.npz", Garments(garments.images + np.uint8(1), garments.labels))


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut"])
def test_a_damaged_subset_says_how_to_make_it_again(tmp_path, content):
    path = tmp_path / "garments.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read") as caught:
        load_subset(path)
    assert "python -m models.attention.fashion_mnist" in str(caught.value)


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="needs Debian's dataset-fashion-mnist")
def test_the_verified_source_gives_the_committed_arrays(capsys):
    assert holds(SUBSET, subset([DEBIAN]))
    assert fashion_mnist.main() == 0
    assert "the same as those made from the verified source" in capsys.readouterr().out
