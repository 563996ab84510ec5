"""Scripts are made shorter without a change of meaning."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sitegen.minify import imports, script

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted([*(ROOT / "templates/js").rglob("*.js"), *(ROOT / "templates/figures").rglob("*.js")])


def test_comments_and_indents_go():
    assert script("/** why */\nconst a = 1; // one\nexport   const b =\n  a + 2;\n").split() == [
        "const",
        "a=1;export",
        "const",
        "b=a+2;",
    ]


@pytest.mark.parametrize(
    "literal",
    [
        "`two  words`",
        '`a ${b ? `, and  no answer for ${c}` : ""} d`',
        "`${ {a: `}`}.a } // no  comment`",
        "`\\` not  yet the end`",
        '`${"`" + `x  y`}`',
    ],
)
def test_a_template_is_kept_to_the_letter(literal: str):
    assert literal in script(f"const text  =  {literal} ;\n")


@pytest.mark.parametrize(
    "source", ["x = /[`\"'+]/g ; y = `a  b`", "x = a / b / c ; y = `a  b`", "// it's `one\ny = `a  b`"]
)
def test_a_backtick_in_an_expression_or_comment_begins_no_template(source: str):
    assert script(source).endswith("y=`a  b`")


@pytest.mark.parametrize(
    ("source", "short"),
    [
        ("const is = (a) =>  /^b\\/ c/ .test(a);  // why", "const is=(a)=>/^b\\/ c/.test(a);"),
        ('if ( /  a/g  in  list ) return  / "b/ ;', 'if(/  a/g in list)return/ "b/;'),
    ],
)
def test_a_regular_expression_is_kept_to_the_letter(source: str, short: str):
    assert script(source) == short


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(ROOT / "templates").as_posix())
def test_every_script_of_the_theme_keeps_its_templates(path: Path):
    source = path.read_text("utf-8")
    node = shutil.which("node")
    if not node:
        pytest.skip("no node to read the scripts with")
    # only read, not run
    check = "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>{new (require('vm').SourceTextModule)(s)})"
    told = subprocess.run(
        [node, "--no-warnings", "--experimental-vm-modules", "-e", check],
        input=script(source),
        capture_output=True,
        text=True,
    )

    assert told.stderr == ""
    assert script(source).count("${") == source.count("${")


def test_what_a_script_imports_is_told_with_its_line():
    source = """import { a } from "./a.js"; // import "./no.js"
import \'./b.js\';
/* from "./no.js" */ export { c } from /* here */ "./c.js";
const url = `from "./no.js"`, name = "import './no.js'", list = Array.from("./no.js");
export const late = () => import("./d.js").then(() => import(url));
"""

    assert list(imports(source)) == [("./a.js", 1), ("./b.js", 2), ("./c.js", 3), ("./d.js", 5)]
