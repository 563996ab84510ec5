"""Fashion-MNIST: from its four IDX files, checked by their sha256, to the 8 × 8 garments that the chapter trains on.

`python -m models.attention.fashion_mnist` makes the committed subset `data/garments.npz` again and says whether every
array is the same. The files are looked for in the folder SITEGEN_DATA, in that of Debian's package
dataset-fashion-mnist, and in the cache; only then are they fetched. Xiao, Rasul and Vollgraf 2017.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import sys
import urllib.request
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sitegen.errors import DataError
from sitegen.pins import cache_folder
from sitegen.schema import Location

Bytes = NDArray[np.uint8]

# In the order of the labels 0 … 9; "T-shirt" is T-shirt/top and "boot" ankle boot in the source.
CLASSES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot")

# The sha256 of each file when unpacked: gzip's header differs from mirror to mirror.
FILES = {
    "train-images-idx3-ubyte": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
    "train-labels-idx1-ubyte": "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
    "t10k-images-idx3-ubyte": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
    "t10k-labels-idx1-ubyte": "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
}
ORIGIN = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com"
DEBIAN = Path("/usr/share/datasets/fashion-mnist")
WAY_OUT = "install Debian's dataset-fashion-mnist, or set SITEGEN_DATA to a folder with the four files"

NUM_TRAINING, NUM_VALIDATION, NUM_TEST = 5_500, 500, 2_000
SUBSET = Path(__file__).parent / "data" / "garments.npz"
SUBSET_SHA256 = "ef422939f7ec602ee51d3aa5e5d134a8237dd863bfa7baa2312470be3a8513a1"


@dataclass(frozen=True, slots=True)
class Garments:
    """Images (number, 8, 8) from 0 to 255, and labels (number,), places in CLASSES."""

    images: Bytes
    labels: Bytes

    def part(self, start: int, count: int) -> Garments:
        return Garments(self.images[start : start + count], self.labels[start : start + count])

    @property
    def training(self) -> Garments:
        """Whom a model learns from."""
        return self.part(0, NUM_TRAINING)

    @property
    def validation(self) -> Garments:
        """Who is watched while it learns, and by whom settings may be chosen."""
        return self.part(NUM_TRAINING, NUM_VALIDATION)

    @property
    def test(self) -> Garments:
        """Who is looked at once, at the end."""
        return self.part(NUM_TRAINING + NUM_VALIDATION, NUM_TEST)


def parse_idx(data: bytes, place: Path) -> Bytes:
    """An IDX file of bytes to an array of the shape it declares.

    Two zeros, the type (8: unsigned byte), the number of axes, each axis as a big-endian 32-bit length, the values.
    """
    at = Location(place.as_posix())
    if len(data) < 4 or data[:2] != b"\0\0":
        raise DataError("not an IDX file: it does not begin with two zero bytes and a type", at=at, hint=WAY_OUT)
    kind, num_axes = data[2], data[3]
    if kind != 8:
        raise DataError(
            f"an IDX file of type {kind:#04x}, where unsigned bytes (0x08) are expected", at=at, hint=WAY_OUT
        )
    start = 4 + 4 * num_axes
    if len(data) < start:
        raise DataError(f"an IDX file cut short within the lengths of its {num_axes} axes", at=at, hint=WAY_OUT)
    shape = tuple(int.from_bytes(data[offset : offset + 4], "big") for offset in range(4, start, 4))
    if len(data) - start != math.prod(shape):
        sizes = " × ".join(map(str, shape))
        message = f"an IDX file that declares {sizes} = {math.prod(shape):,} bytes and holds {len(data) - start:,}"
        raise DataError(message, at=at, hint=WAY_OUT)
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)


def read_verified(path: Path, sha256: str) -> bytes:
    """The bytes of a file, unpacked if its name ends in .gz, once their sha256 is right."""
    at = Location(path.as_posix())
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot be read: {error}", at=at, hint=WAY_OUT) from None
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        message = f"not the file that is known: its unpacked sha256 is {found[:12]}…, not {sha256[:12]}…"
        raise DataError(message, at=at, hint=f"delete or replace it; {WAY_OUT}")
    return data


def source_folders(environment: Mapping[str, str]) -> list[Path]:
    """Where the four files may lie, in the order they are looked for."""
    given = [Path(folder).expanduser() for folder in environment.get("SITEGEN_DATA", "").split(os.pathsep) if folder]
    return [*given, DEBIAN, cache_folder(environment) / "fashion-mnist"]


def locate(name: str, folders: Sequence[Path], origin: str = ORIGIN) -> Path:
    """The path of a file, packed or not, in the first folder that has it; if none has, it is fetched into the last."""
    for folder in folders:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.is_file():
                return path
    return fetch(f"{origin}/{name}.gz", folders[-1] / f"{name}.gz")


def fetch(url: str, path: Path) -> Path:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            data = answer.read()
    except OSError as error:
        raise DataError(f"cannot be fetched: {error}", at=Location(url), hint=WAY_OUT) from None
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(data)
    unfinished.replace(path)
    return path


def load_idx(name: str, folders: Sequence[Path]) -> Bytes:
    path = locate(name, folders)
    return parse_idx(read_verified(path, FILES[name]), path)


def pooled(images: Bytes) -> Bytes:
    """(number, 28, 28) -> (number, 8, 8): two rows of zeros on each side make it 32 × 32, then each 4 × 4 square
    becomes its mean, rounded half up. All in integers, so that every machine makes the same garments."""
    padded = np.pad(images.astype(np.int64), ((0, 0), (2, 2), (2, 2)))
    sums = padded.reshape(-1, 8, 4, 8, 4).sum(axis=(2, 4))
    return ((sums + 8) // 16).astype(np.uint8)


def subset(folders: Sequence[Path]) -> Garments:
    """Of the 60,000 training images the first 6,000, then of the 10,000 test images the first 2,000, all pooled."""
    train_images, train_labels, test_images, test_labels = (load_idx(name, folders) for name in FILES)
    count = NUM_TRAINING + NUM_VALIDATION
    images = np.concatenate([train_images[:count], test_images[:NUM_TEST]])
    labels = np.concatenate([train_labels[:count], test_labels[:NUM_TEST]])
    return Garments(pooled(images), labels)


def save_subset(path: Path, garments: Garments) -> None:
    """Images lie in the file as (row, column, number): one pixel of all garments after another compresses best."""
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, images=garments.images.transpose(1, 2, 0).copy(), labels=garments.labels)


def load_subset(path: Path) -> Garments:
    """The subset from its file, which `subset` makes from the source."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return Garments(arrays["images"].transpose(2, 0, 1).copy(), arrays["labels"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        hint = "`python -m models.attention.fashion_mnist` makes it again"
        raise DataError(f"cannot be read: {error}", at=Location(path.as_posix()), hint=hint) from None


def holds(path: Path, garments: Garments) -> bool:
    """Whether a subset's file can be read and has exactly these images and labels."""
    try:
        kept = load_subset(path)
    except DataError:
        return False
    return np.array_equal(kept.images, garments.images) and np.array_equal(kept.labels, garments.labels)


def main() -> int:
    """Makes the subset from the verified source. An existing file with the same arrays is left as it is."""
    made = subset(source_folders(os.environ))
    if holds(SUBSET, made):
        print(f"{SUBSET.name}: images and labels are the same as those made from the verified source")
        return 0
    save_subset(SUBSET, made)
    digest = hashlib.sha256(SUBSET.read_bytes()).hexdigest()
    print(f"{SUBSET.name}: written anew, {SUBSET.stat().st_size:,} bytes, sha256 {digest}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except DataError as error:
        sys.exit(str(error))
