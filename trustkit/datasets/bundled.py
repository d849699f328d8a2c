"""Data sets that come with trustkit or scikit-learn: letters, digits, classics. `surveys` has those about people."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from trustkit.catalogue import DATASETS
from trustkit.data import Dataset, Provenance
from trustkit.datasets import shipped
from trustkit.datasets.rows import hold_out

__all__ = ["breast_cancer", "digits", "landsat", "letter", "mfeat", "mnist", "wine"]

TEST_SHARE = 0.2
DIGITS = tuple("0123456789")


@DATASETS.enter("letter", title="Letter recognition")
def letter() -> Dataset:
    """Printed capital letters, 26 classes, 16 measurements of shape: VertiBench's vertical benchmark.

    Returns
    -------
    Dataset
        15,000 rows × 16 whole numbers from 0 to 15, which `Dataset.scaled` puts onto [−1, 1]; 20 % of each class
        held out.

    Source
    ------
    VertiBench (Wu et al. 2023), Table 2; data by Slate (1991).

    Deviations
    ----------
    The paper states 15,000 rows and not which; these are the first 15,000 of LIBSVM's order, its training file.

    Examples
    --------
    >>> letter()
    Dataset('letter', 15,000 rows × 16 columns, multiclass)
    """
    table, sha256 = shipped.numbers("letter_15k.csv.gz")
    y = table.pop("lettr")
    return Dataset(
        name="letter",
        X=np.column_stack(list(table.values())).astype(np.float64),
        y=y,
        columns=tuple(table),
        classes=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        provenance=Provenance(
            "UCI Letter Recognition (Slate 1991), first 15,000 rows in LIBSVM's order", "CC BY 4.0", sha256
        ),
        held_out=hold_out(y, TEST_SHARE, "letter"),
        scaling="minmax",
    )


@DATASETS.enter("mnist", title="MNIST, handwritten digits")
def mnist() -> Dataset:
    """Handwritten digits, 28 × 28 grey pixels: 8,000 of MNIST's training images and 2,000 of its test images.

    Returns
    -------
    Dataset
        10,000 rows × 784 float32 pixels from 0 (paper) to 1 (ink); MNIST's own test images, the last 2,000 rows, are
        held out. Each digit has 800 training and 200 test rows.

    Examples
    --------
    >>> mnist()
    Dataset('mnist', 10,000 rows × 784 columns, multiclass)
    """
    found, sha256 = shipped.arrays("mnist_8k2k.npz")
    pixels = np.concatenate([found["x_train"], found["x_test"]]).reshape(-1, 28 * 28)
    return Dataset(
        name="mnist",
        X=pixels.astype(np.float32) / np.float32(255),
        y=np.concatenate([found["y_train"], found["y_test"]]).astype(np.int64),
        columns=_pixel_names(28),
        classes=DIGITS,
        provenance=Provenance("MNIST (LeCun, Cortes and Burges; from NIST SD-1 and SD-3), 8,000 + 2,000 images",
                              "CC BY-SA 3.0", sha256),
        held_out=np.arange(pixels.shape[0]) >= found["x_train"].shape[0],
        scaling="none",
        image=(1, 28, 28),
    )  # fmt: skip


@DATASETS.enter("mfeat", title="Digits seen six ways")
def mfeat() -> Dataset:
    """Handwritten digits described by six sets of features: a natural vertical federation of six parties.

    Returns
    -------
    Dataset
        2,000 rows × 649 columns named ``view.number``; ``notes["views"]`` (649,) names each column's view: fou
        (76 Fourier coefficients), fac (216 profile correlations), kar (64 Karhunen-Loève coefficients), pix
        (240 pixel averages), zer (47 Zernike moments) or mor (6 morphological features). 20 % of each class held out.

    Examples
    --------
    >>> mfeat()
    Dataset('mfeat', 2,000 rows × 649 columns, multiclass)
    """
    views, sha256 = shipped.arrays("mfeat_6views.npz")
    y = views.pop("y").astype(np.int64)
    return Dataset(
        name="mfeat",
        X=np.hstack(list(views.values())).astype(np.float64),
        y=y,
        columns=tuple(f"{view}.{i}" for view, block in views.items() for i in range(block.shape[1])),
        classes=DIGITS,
        provenance=Provenance("UCI Multiple Features (Duin)", "CC BY 4.0", sha256),
        held_out=hold_out(y, TEST_SHARE, "mfeat"),
        notes={"views": tuple(view for view, block in views.items() for _ in range(block.shape[1]))},
    )


@DATASETS.enter("landsat", title="Landsat, soils in four bands")
def landsat() -> Dataset:
    """Soils seen from a Landsat satellite in four spectral bands: a natural vertical federation of four parties.

    Returns
    -------
    Dataset
        6,435 rows × 36 whole numbers from 27 to 157, a pixel and its eight neighbours (0 to 8, row by row), each in
        four bands, named ``band.pixel``; ``notes["views"]`` (36,) names each column's band: green, red, infrared1 or
        infrared2. Six classes, the ground at the middle pixel; 20 % of each held out.

    Notes
    -----
    This is UCI's Statlog data set, which some packages call Satellite. VertiBench's Satellite is another: images of
    3,927 places, 16 parties.

    Examples
    --------
    >>> landsat()
    Dataset('landsat', 6,435 rows × 36 columns, multiclass)
    """
    import pandas as pd

    opened, sha256 = shipped.content("landsat.csv.gz")
    table = pd.read_csv(opened, compression="gzip")
    y, classes = pd.factorize(table.pop("classes"), sort=True)
    bands = ("green", "red", "infrared1", "infrared2")
    return Dataset(
        name="landsat",
        X=table.to_numpy(np.float64),
        y=y.astype(np.int64),
        columns=tuple(f"{band}.{pixel}" for pixel in range(9) for band in bands),
        classes=tuple(classes),
        provenance=Provenance("UCI Statlog Landsat Satellite (Srinivasan 1993)", "CC BY 4.0", sha256),
        held_out=hold_out(y, TEST_SHARE, "landsat"),
        notes={"views": bands * 9},
    )


@DATASETS.enter("digits", title="Small digits")
def digits() -> Dataset:
    """Handwritten digits, 8 × 8 grey pixels: small enough for a first try.

    Returns
    -------
    Dataset
        1,797 rows × 64 pixels from 0 (paper) to 1 (ink); 20 % of each class held out.

    Examples
    --------
    >>> digits()
    Dataset('digits', 1,797 rows × 64 columns, multiclass)
    """
    from sklearn.datasets import load_digits

    source = (
        "scikit-learn load_digits: UCI Optical Recognition of Handwritten Digits (Alpaydin and Kaynak 1998), test part"
    )
    return _classic(
        "digits", load_digits(), source, divide=16.0, columns=_pixel_names(8), scaling="none", image=(1, 8, 8)
    )


@DATASETS.enter("breast_cancer", title="Breast cancer (Wisconsin)")
def breast_cancer() -> Dataset:
    """Tumours, benign or malignant, from 30 measurements of cell nuclei.

    Returns
    -------
    Dataset
        569 rows × 30 columns, classes malignant and benign (the positive one); 20 % of each class held out.

    Examples
    --------
    >>> breast_cancer()
    Dataset('breast_cancer', 569 rows × 30 columns, binary)
    """
    from sklearn.datasets import load_breast_cancer

    source = "scikit-learn load_breast_cancer: UCI Breast Cancer Wisconsin (Diagnostic) (Wolberg et al. 1995)"
    return _classic("breast_cancer", load_breast_cancer(), source)


@DATASETS.enter("wine", title="Wine cultivars")
def wine() -> Dataset:
    """Wines of three cultivars, from 13 chemical measurements.

    Returns
    -------
    Dataset
        178 rows × 13 columns; 20 % of each class held out.

    Examples
    --------
    >>> wine()
    Dataset('wine', 178 rows × 13 columns, multiclass)
    """
    from sklearn.datasets import load_wine

    return _classic("wine", load_wine(), "scikit-learn load_wine: UCI Wine (Forina et al. 1991)")


def _pixel_names(side: int) -> tuple[str, ...]:
    return tuple(f"pixel {row},{column}" for row in range(side) for column in range(side))


def _classic(name: str, bunch: Any, source: str, divide: float = 1.0, **more: Any) -> Dataset:
    """Make a data set of what scikit-learn loads; the checksum is over features and targets as little-endian bytes."""
    X, y = np.ascontiguousarray(bunch.data, dtype="<f8"), np.ascontiguousarray(bunch.target, dtype="<i8")
    sha256 = hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()
    fields = {"columns": tuple(map(str, bunch.feature_names)), "classes": tuple(map(str, bunch.target_names)), **more}
    provenance = Provenance(source, "CC BY 4.0", sha256)
    return Dataset(name, X / divide, y, provenance=provenance, held_out=hold_out(y, TEST_SHARE, name), **fields)
