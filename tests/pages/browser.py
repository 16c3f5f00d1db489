"""A page in headless Chromium: put into a frame of some width and looked over by a script."""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",  # as on a phone, where they take no room
)

# Runs in the page before anything else: errors are kept to be reported.
LISTENER = """<script>
window.problems = [];
window.addEventListener("error", (event) => window.problems.push(String(event.message)));
console.error = (...words) => window.problems.push(words.join(" "));
console.warn = console.error;
</script>"""

# Runs around the page when it is loaded; `page` is its document, `inside` its window.
LOOK = """
const found = {problems: inside.problems, figures: [], tables: [], wide: [], asked: []};
for (const details of page.querySelectorAll("details")) details.open = true;
found.screen = page.documentElement.clientWidth;
found.width = page.documentElement.scrollWidth;
for (const figure of page.querySelectorAll("figure")) {
  const svg = figure.querySelector("svg"), box = svg.getBoundingClientRect();
  const scale = box.width / svg.viewBox.baseVal.width;
  const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
  const outside = texts.filter((text) => {
    const own = text.getBoundingClientRect();
    const across = own.left < box.left - 2 || own.right > box.right + 2;
    return across || own.top < box.top - 2 || own.bottom > box.bottom + 2;
  });
  found.figures.push({
    id: figure.id, width: box.width, height: box.height, shapes: svg.querySelectorAll("path, use").length,
    texts: texts.length, outside: outside.map((text) => text.textContent),
    smallest: Math.min(...texts.map((text) => parseFloat(inside.getComputedStyle(text).fontSize) * scale)),
    command: figure.querySelector("code").textContent,
  });
}
for (const table of page.querySelectorAll("table")) {
  const column = (place) => [...table.tBodies[0].rows].map((row) => row.cells[place]);
  const key = (cell) => "k" in cell.dataset ? Number(cell.dataset.k) : cell.textContent;
  const keys = (place) => column(place).map(key);
  const sorted = [...table.tHead.rows[0].cells].map((head, place) => {
    head.querySelector("button").click();
    const once = keys(place), first = head.getAttribute("aria-sort");
    head.querySelector("button").click();
    return {title: head.textContent, once, first, twice: keys(place), then: head.getAttribute("aria-sort")};
  });
  found.tables.push({id: table.id, rows: table.tBodies[0].rows.length, sorted});
}
for (const element of page.body.querySelectorAll("*")) {
  if (element.closest(".scroll") || element.closest("svg")) continue;
  const box = element.getBoundingClientRect();
  if (box.width && box.right > found.screen + 1) found.wide.push(element.tagName + "." + element.className);
}
for (const entry of inside.performance.getEntriesByType("resource")) found.asked.push(entry.name);
const ground = (selector) => inside.getComputedStyle(page.querySelector(selector));
found.ink = ground("body").color;
found.paper = ground("section").backgroundColor;
found.drawn = inside.getComputedStyle(page.querySelector("figure svg text")).fill;
"""


def needs_browser() -> str:
    """Chromium's path; without it a test is skipped, but not where all is checked."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium: .ci/run installs it")
        pytest.skip("no chromium on this machine; install it to test the page in a browser")
    return CHROMIUM


def look(page: Path, tmp_path: Path, width: int = 390, dark: bool = False) -> dict:
    """Open a page at a width and tell what is there."""
    text = page.read_text(encoding="utf-8").replace("<head>", f"<head>{LISTENER}", 1)
    if dark:
        text = text.replace("prefers-color-scheme: dark", "min-width: 1px")
    size = f'width="{width}" height="3000" style="border:0"'
    frame = f'<iframe id="frame" {size} srcdoc="{html.escape(text)}"></iframe>'
    script = f"""<script>addEventListener("load", () => {{
      const inside = document.getElementById("frame").contentWindow, page = inside.document;
      {LOOK}
      const report = document.createElement("pre");
      report.id = "found";
      report.textContent = JSON.stringify(found);
      document.getElementById("frame").remove();
      document.body.append(report);
    }});</script>"""
    around = tmp_path / f"around-{width}-{dark}.html"
    around.write_text(f"<!doctype html><meta charset='utf-8'><body>{frame}{script}</body>", encoding="utf-8")
    command = [
        needs_browser(),
        *FLAGS,
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
        around.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    result = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert result, f"the page was not looked over: {done.stderr[-2000:]}"
    return json.loads(html.unescape(result.group(1)))
