"""The values that pass between the stages: places, content, recipes, runs, figures.

All are frozen: a stage returns a new value, it never changes one. Runs are decoded from JSON straight into
these classes (`sitegen.runs`), so their annotations are also the schema of `run.json`.
"""

from sitegen.schema.base import Json, Location, Number, Precision
from sitegen.schema.content import (
    Act,
    Chapter,
    Claim,
    CodeRef,
    Cover,
    CoverRef,
    FigureRef,
    Medium,
    Page,
    Reference,
    Section,
    Site,
    Step,
)
from sitegen.schema.figures import Figure, FigureKind, Table
from sitegen.schema.glossary import Symbol, Term
from sitegen.schema.heads import ActHead, ChapterHead, Neighbour, PageHead, SiteHead, StepHead
from sitegen.schema.recipes import Output, RecipeInfo
from sitegen.schema.runs import (
    FORMAT_VERSION,
    Array,
    Image,
    Metric,
    Probe,
    Provenance,
    Run,
    Series,
    Tensor,
    Timings,
    Weights,
)
from sitegen.schema.verification import CHECKS, CheckKind, Line, Measure, Verification, VerifiedRun

__all__ = [
    "CHECKS",
    "FORMAT_VERSION",
    "Act",
    "ActHead",
    "Array",
    "Chapter",
    "ChapterHead",
    "CheckKind",
    "Claim",
    "CodeRef",
    "Cover",
    "CoverRef",
    "Figure",
    "FigureKind",
    "FigureRef",
    "Image",
    "Json",
    "Line",
    "Location",
    "Measure",
    "Medium",
    "Metric",
    "Neighbour",
    "Number",
    "Output",
    "Page",
    "PageHead",
    "Precision",
    "Probe",
    "Provenance",
    "RecipeInfo",
    "Reference",
    "Run",
    "Section",
    "Series",
    "Site",
    "SiteHead",
    "Step",
    "StepHead",
    "Symbol",
    "Table",
    "Tensor",
    "Term",
    "Timings",
    "Verification",
    "VerifiedRun",
    "Weights",
]
