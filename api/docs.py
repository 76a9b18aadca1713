"""What explains itself: the OpenAPI document, pages to read and try it, and every problem's address.

The pages need nothing from anywhere else: Swagger UI's files are part of the package.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from litestar import get
from msgspec import Struct

from .operations import Answer, Operation, operation
from .problems import PROBLEMS, Problem
from .replies import Reply, json_reply
from .requests import Call, public_caller, server_of

_FILES = {
    "swagger-ui.css": b"text/css; charset=utf-8",
    "swagger-ui-bundle.js": b"text/javascript; charset=utf-8",
    "favicon-32x32.png": b"image/png",
    "LICENSE": b"text/plain; charset=utf-8",
    "NOTICE": b"text/plain; charset=utf-8",
}
_PAGE = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Wild Rummy API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<div id="ui"></div>
<noscript>The same as <a href="openapi.json">a document for programs</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START = b"""SwaggerUIBundle({
  url: "openapi.json", dom_id: "#ui", deepLinking: true, validatorUrl: null, tryItOutEnabled: true,
});
"""
_SAFE = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "X-Content-Type-Options": "nosniff",
}


class ProblemKind(Struct, frozen=True):
    """What a problem's type stands for."""

    type: str
    code: str
    title: str
    status: int
    detail: str


@operation("GET", "/problems/{code:str}", Operation(
    "getProblem", "What a problem's type stands for", "service", (Answer(200, ProblemKind, "The problem."),),
    ("not_found",),
))  # fmt: skip
async def get_problem(request: Call) -> Reply:
    """What a problem's type stands for."""
    await public_caller(request)
    code = request.path_params["code"]
    if code not in PROBLEMS:
        raise Problem("not_found", "There is no such problem.")
    status, title, detail = PROBLEMS[code]
    return json_reply(ProblemKind(f"/problems/{code}", code, title, status, detail))


@get("/openapi.json", include_in_schema=False)
async def openapi(request: Call) -> Reply:
    """The document, made once."""
    return Reply(server_of(request).document(), 200, {"Cache-Control": "no-cache"})


@get("/docs", include_in_schema=False)
async def page(request: Call) -> Reply:
    """The document to read and to try."""
    if request.scope["path"].endswith("/"):
        return Reply(b"", 308, {"Location": "../docs"})
    return Reply(_PAGE, 200, _SAFE, b"text/html; charset=utf-8")


@get("/docs/start.js", include_in_schema=False)
async def start() -> Reply:
    """What starts the page."""
    return Reply(_START, 200, _SAFE, b"text/javascript; charset=utf-8")


@get("/docs/{name:str}", include_in_schema=False)
async def page_file(request: Call) -> Reply:
    """One of the page's files."""
    name = request.path_params["name"]
    if name not in _FILES:
        raise Problem("not_found")
    return Reply(_file(name), 200, {"Cache-Control": "public, max-age=86400", **_SAFE}, _FILES[name])


@lru_cache
def _file(name: str) -> bytes:
    return (files("api") / "static" / "swagger" / name).read_bytes()


HANDLERS = (get_problem, openapi, page, start, page_file)
