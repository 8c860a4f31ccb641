"""The report is one page that fetches nothing, runs nothing, and believes nothing it is told."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix.reports.html import embedded, render

LARGEST = 300_000
MOST_STYLE = 50_000
VOID = {"meta", "link", "br", "img", "hr", "input"}
EVERY = (
    "spambase.csv",
    "iris.csv",
    "wine.csv",
    "breast_cancer_wdbc.csv",
    "banknote.csv",
    "sonar.csv",
    "ionosphere.csv",
    "pima_diabetes.csv",
    "haberman.csv",
    "heart_statlog.csv",
    "heart_cleveland.csv",
    "heart_scale.svm",
    "mnist_5k.csv.gz",
    "digits.csv",
    "endometrial.csv",
    "lizards.csv",
    "sex2.csv",
    "vaso.csv",
    "voicepath.csv",
    "a9a.svm.gz",
    "news20_w100.svm.gz",
    "orl_faces_112x92.csv.gz",
    "olivetti_faces_64x64.csv.gz",
    "review_polarity.svm.gz",
)
FEW = ("iris.csv", "breast_cancer_wdbc.csv", "endometrial.csv", "vaso.csv", "heart_cleveland.csv")


class Page(HTMLParser):
    """Tags opened and closed, addresses, and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def check(text: str) -> Page:
    page = Page(text)
    assert page.open == []
    assert len(text.encode()) <= LARGEST
    style = sum(len(part) for part in re.findall(r"<style>(.*?)</style>", text, re.S))
    assert style <= MOST_STYLE
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "iframe", "object", "embed", "base", "form"}
    assert {"header", "main", "footer", "h1", "h2", "title"} <= names
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        for name in ("src", "href", "xlink:href", "action", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, value)
    outside = re.sub(r'xmlns="http://www\.w3\.org/2000/svg"', "", text)
    assert not re.search(r"https?://|@import|url\((?!#)", outside)
    identifiers = [attributes["id"] for _, attributes in page.tags if attributes.get("id")]
    assert len(identifiers) == len(set(identifiers))
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert set((attributes["aria-labelledby"] or "").split()) <= set(identifiers)
        if tag == "th":
            assert attributes.get("scope") in ("row", "col")
        for reference in (attributes.get("aria-labelledby") or "").split():
            assert reference in identifiers
    return page


def diagnosed(path: Path, budget: float = 1.0):
    wishes = {"heart_cleveland.csv": {"missing": "drop"}, "lizards.csv": {"encode": True}}
    options = wishes.get(path.name, {})
    return sx.diagnose(sx.read(path, **options), budget=budget)


@pytest.mark.parametrize("name", FEW)
def test_budgets_hold(name, data_folder):
    check(diagnosed(data_folder / name).to_html())


@pytest.mark.deep
@pytest.mark.parametrize("name", [name for name in EVERY if name not in FEW])
def test_budgets_hold_on_every_data_set(name, data_folder):
    check(diagnosed(data_folder / name).to_html())


def test_the_first_screen_has_verdict_proof_rows_and_next_step():
    text = render(sx.diagnose(*sx.problems.xor(), budget=1))
    first = text[text.index('class="first') : text.index("What to do next")]
    assert "Not separable" in first
    assert "<strong>Checked.</strong>" in first
    assert "Rows 0, 1, 2, 3" in first
    assert "<dt>Next</dt>" in first


def test_user_data_is_escaped_everywhere(tmp_path):
    path = tmp_path / "evil.csv"
    path.write_text(
        '"<script>alert(1)</script>","b""><img src=x onerror=y>",label\n'
        '0,0,"</title><b>no"\n0,1,\'" onload="z\n1,0,\'" onload="z\n1,1,"</title><b>no"\n',
        encoding="utf-8",
    )
    page = check(sx.diagnose(sx.read(path), budget=1).to_html())
    assert not [tag for tag, attributes in page.tags if tag == "img" or "onerror" in attributes]


def test_many_classes_and_columns_keep_the_budget():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(120, 900))
    page = check(sx.diagnose(X, np.arange(120) % 40, budget=1).to_html())
    assert sum(tag == "details" for tag, _ in page.tags) >= 40


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    found = sx.diagnose(*sx.problems.xor(), budget=1)
    target = tmp_path / "report.html"
    found.to_html(target)
    assert target.read_text(encoding="utf-8") == render(found)
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        found.to_html(tmp_path / "other.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_in_a_notebook_the_page_stays_in_its_frame():
    found = sx.diagnose(*sx.problems.xor(), budget=1)
    fragment = found._repr_html_()
    assert fragment == embedded(found)
    assert fragment.startswith("<iframe srcdoc=")
    assert "sandbox" in fragment
    assert fragment.count("<") == 2
