"""Stand-ins for VertiBench's tables that cannot be shipped: forest cover, songs, crops; `standins_wide` has the rest.

They have the columns, types, ranges and class shares of the originals, and no row of them. Whatever is measured on one
says nothing about the data set that it stands in for.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Annotated

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.generated import dealt, pieces, stand_in
from trustkit.rng import stream

__all__ = ["covtype_synthetic", "msd_synthetic", "radar_synthetic"]

_COVERS = {
    "spruce or fir": (211_840, 3128), "lodgepole pine": (283_301, 2921), "ponderosa pine": (35_754, 2394),
    "cottonwood or willow": (2_747, 2224), "aspen": (9_493, 2787), "Douglas fir": (17_367, 2419),
    "krummholz": (20_510, 3362),
}  # fmt: skip
"""The seven covers of covtype: rows there, mean elevation in metres."""

_AREAS = np.array([[50, 10, 40, 0], [50, 10, 40, 0], [0, 0, 40, 60], [0, 0, 0, 100], [60, 0, 40, 0], [0, 0, 40, 60],
                   [25, 35, 40, 0]]) / 100  # fmt: skip
_LAND = {
    "elevation": (1859, 3858), "aspect": (0, 360), "slope": (0, 66), "distance to water": (0, 1397),
    "height above water": (-173, 601), "distance to road": (0, 7117), "hillshade at 9": (0, 254),
    "hillshade at noon": (0, 254), "hillshade at 15": (0, 254), "distance to fire": (0, 7173),
}  # fmt: skip
"""The ten numbers of covtype, with their least and largest value: metres, degrees, brightness."""

_SUNS = ((115, 56), (180, 62), (250, 35))  # azimuth and height at 9, 12 and 15 o'clock, degrees

_CROPS = {"corn": 39_162, "peas": 3_598, "canola": 75_673, "soybeans": 74_067, "oats": 47_117, "wheat": 85_074,
          "broadleaf": 1_143}  # fmt: skip
"""The seven crops of the radar data set and their rows there."""

_BLOCKS = (("radar", 49), ("radar", 49), ("optical", 38), ("optical", 38))  # one for each view and date


@DATASETS.enter("covtype_synthetic", title="Forest cover in covtype's columns (synthetic)")
def covtype_synthetic(rows: Annotated[int, Interval(1000, 581_012), "rows"] = 4000) -> Dataset:
    """Forest cover from maps, seven classes, 54 columns: generated, in covtype's columns, with no row of covtype in it.

    Parameters
    ----------
    rows : int
        Rows, 1,000 to covtype's own 581,012.

    Returns
    -------
    Dataset
        rows × 54 float32: ten whole numbers in covtype's ranges, four areas and 40 soils one-hot; seven classes with
        covtype's shares, to one row. 20 % of each class held out.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of a wrong type or out of range.

    Notes
    -----
    Elevation is normal about its class's mean; soils follow elevation, areas the class; the hillshade is that of a
    slope under three suns. Distances are gamma variables.

    Source
    ------
    Columns, ranges, class shares: UCI Covertype (Blackard 1998). Use: VertiBench (Wu et al. 2023), Table 2.

    Deviations
    ----------
    Only the mean elevation of a class is covtype's; all other dependencies are made up.

    Examples
    --------
    >>> covtype_synthetic(rows=1000)
    Dataset('covtype_synthetic', synthetic, 1,000 rows × 54 columns, multiclass)
    """
    DATASETS["covtype_synthetic"].arguments({"rows": rows})
    name, (counts, heights) = "covtype_synthetic", zip(*_COVERS.values(), strict=True)
    y, X = dealt(name, rows, counts), np.zeros((rows, 54), np.float32)
    for piece, rng in pieces(name, rows):
        here = y[piece]
        X[piece, :10] = land = _land(rng, np.array(heights)[here])
        area = (rng.random((here.size, 1)) > _AREAS[here].cumsum(axis=1)[:, :3]).sum(axis=1)
        soil = (land[:, 0] - 1859) / 2000 * 40 + rng.normal(0, 3, here.size)
        X[piece, 10:14] = np.eye(4)[area]
        X[piece, 14:] = np.eye(40)[np.clip(soil, 0, 39).astype(int)]
    columns = (*_LAND, *(f"area={k + 1}" for k in range(4)), *(f"soil={k + 1}" for k in range(40)))
    return stand_in(name, X, y, columns, tuple(_COVERS), "covtype (Blackard 1998)", "minmax")


def _land(rng: np.random.Generator, height: np.ndarray) -> np.ndarray:
    """The ten numbers (n, 10) of places about the given heights (n,)."""
    n = height.size
    elevation, aspect, slope = height + rng.normal(0, 150, n), rng.uniform(0, 360, n), rng.gamma(3.5, 4, n)
    water = rng.gamma(1.6, 165, n)
    steep = np.radians(slope)
    shades = [254 * (np.sin(up) * np.cos(steep) + np.cos(up) * np.sin(steep) * np.cos(np.radians(aspect) - azimuth))
              for azimuth, up in np.radians(_SUNS)]  # fmt: skip
    found = np.column_stack([
        elevation, aspect, slope, water, 0.17 * water + rng.normal(0, 45, n),
        rng.gamma(2.3, 1000, n) * (elevation / 2950) ** 2, *shades, rng.gamma(2.2, 900, n),
    ])  # fmt: skip
    return np.asarray(np.rint(np.clip(found, *np.transpose(list(_LAND.values())))))


@DATASETS.enter("msd_synthetic", title="Songs and their years in MSD's columns (synthetic)")
def msd_synthetic(rows: Annotated[int, Interval(100, 463_715), "rows"] = 4000) -> Dataset:
    """The year of a song from its timbre, a regression: generated, in the columns of YearPredictionMSD.

    Parameters
    ----------
    rows : int
        Rows, 100 to the 463,715 of the original's training part.

    Returns
    -------
    Dataset
        rows × 90 float32: the means of twelve timbre coefficients and their 78 variances and covariances. The target
        is a year from 1922 to 2011, float64; no classes. 20 % of the rows held out.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of a wrong type or out of range.

    Notes
    -----
    The covariances of a song are those of four factors and twelve noises of its own. With z a normal variable of
    which a linear and a bent part of five means make up 45 %, a song's age in 2011 is the gamma quantile at Φ(z).

    Source
    ------
    Columns and range of years: UCI YearPredictionMSD (Bertin-Mahieux 2011). Use: VertiBench (Wu et al. 2023), Table 2.

    Deviations
    ----------
    Means and spreads of the coefficients are rough; covariances come row by row of the upper triangle, in an order of
    ours.

    Examples
    --------
    >>> msd_synthetic(rows=100)
    Dataset('msd_synthetic', synthetic, 100 rows × 90 columns, regression)
    """
    from scipy.special import gammaincinv, ndtr

    DATASETS["msd_synthetic"].arguments({"rows": rows})
    name, y, X = "msd_synthetic", np.zeros(rows), np.zeros((rows, 90), np.float32)
    centre = np.array([43, 1, 9, 1, -7, -10, -2, -2, 4, 2, 0, 3])
    spread = np.array([6, 52, 35, 16, 23, 13, 15, 8, 11, 6, 4, 8])
    upper = np.triu_indices(12)
    for piece, rng in pieces(name, rows):
        n = piece.stop - piece.start
        z = rng.normal(size=(n, 12))
        factors = rng.normal(size=(n, 12, 4)) * spread[:, None] / 2
        own = spread**2 * rng.lognormal(-0.5, 0.6, (n, 12))
        covariance = factors @ factors.transpose(0, 2, 1) + own[:, :, None] * np.eye(12)
        X[piece] = np.hstack([centre + spread * z, covariance[:, *upper]])
        heard = 0.6 * z[:, 0] - 0.5 * z[:, 5] + 0.4 * z[:, 2] + 0.35 * (z[:, 1] ** 2 - 1) / np.sqrt(2) - 0.35 * z[:, 3]
        mixed = np.sqrt(0.45) * heard / np.sqrt(1.015) - np.sqrt(0.55) * rng.normal(size=n)
        y[piece] = 2011 - np.floor(9.4 * gammaincinv(1.34, ndtr(-mixed)))
    of = [f"timbre mean {k + 1}" for k in range(12)]
    of += [f"timbre covariance {i},{j}" for i, j in combinations_with_replacement(range(1, 13), 2)]
    return stand_in(name, X, np.clip(y, 1922, 2011), of, (), "YearPredictionMSD (Bertin-Mahieux 2011)", "minmax")


@DATASETS.enter("radar_synthetic", title="Crops by radar and camera, two views (synthetic)")
def radar_synthetic(rows: Annotated[int, Interval(1000, 325_834), "rows"] = 4000) -> Dataset:
    """Crops seen by a radar and by a camera, two natural parties, seven classes: generated, in the original's columns.

    Parameters
    ----------
    rows : int
        Rows, 1,000 to the original's 325,834.

    Returns
    -------
    Dataset
        rows × 174 float32, columns f1 … f174; ``notes["views"]`` (174,) names each column's view: radar (f1 to f98, 49
        for each of two dates) or optical (f99 to f174, 38 for each). Seven classes with the original's shares, to one
        row; 20 % of each held out.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of a wrong type or out of range.

    Notes
    -----
    The columns of a view and date are mixtures of six factors about the class's centre, and noise; half of each factor
    is shared by the two dates of a view, and nothing but the class by the two views.

    Source
    ------
    Columns and class shares: UCI Crop Mapping Using Fused Optical-Radar Data (Khosravi 2020). Use: VertiBench (Wu et
    al. 2023), Table 2.

    Deviations
    ----------
    Units are arbitrary; the original has decibels, reflectances and indices.

    Examples
    --------
    >>> radar_synthetic(rows=1000)
    Dataset('radar_synthetic', synthetic, 1,000 rows × 174 columns, multiclass)
    """
    DATASETS["radar_synthetic"].arguments({"rows": rows})
    name, fixed = "radar_synthetic", stream(0, "radar_synthetic", "columns")
    centres = fixed.normal(0, 1.1, (4, len(_CROPS), 6))
    mixing = [fixed.normal(0, np.sqrt(1 / 6), (6, width)) for _, width in _BLOCKS]
    y, X = dealt(name, rows, tuple(_CROPS.values())), np.zeros((rows, 174), np.float32)
    for piece, rng in pieces(name, rows):
        n = piece.stop - piece.start
        shared = {view: rng.normal(size=(n, 6)) for view in ("radar", "optical")}
        factors = [centres[b][y[piece]] + np.sqrt(0.5) * (shared[view] + rng.normal(size=(n, 6)))
                   for b, (view, _) in enumerate(_BLOCKS)]  # fmt: skip
        X[piece] = np.hstack([z @ mix + rng.normal(0, 0.4, (n, mix.shape[1]))
                              for z, mix in zip(factors, mixing, strict=True)])  # fmt: skip
    notes = {"views": tuple(view for view, width in _BLOCKS for _ in range(width))}
    columns = [f"f{j + 1}" for j in range(174)]
    return stand_in(name, X, y, columns, tuple(_CROPS), "crop mapping (Khosravi 2020)", "minmax", notes=notes)
