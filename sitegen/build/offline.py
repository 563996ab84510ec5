"""The files of a site to the worker at its root, which keeps them for reading without a network."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping

WORKER = "worker.js"
_SCRIPT = "js/worker/offline.js"
# For hosts, search engines and the desktop: no page asks for them. The names of the others hold a digest or change.
_NOT_READ = re.compile(
    r"(?:\.nojekyll|robots\.txt|sitemap\.xml|feed\.xml|site\.webmanifest|assets/\w+/(?:icons/.+\.png|fonts/OFL.+|js/worker/.+))"
)
_NAMED_BY_DIGEST = re.compile(r"(?:assets|data|media)/")


def kept(files: Iterable[str], unread: Collection[str] = ()) -> list[str]:
    """What readers ask for, of all files of a site; `unread` they never do."""
    return [path for path in sorted(files) if not _NOT_READ.fullmatch(path) and path not in unread]


def worker(
    files: Mapping[str, bytes], asset_folder: str, *, later: Collection[str] = (), unread: Collection[str] = ()
) -> dict[str, bytes]:
    """The worker, if the theme has its script. `later` are kept only once a reader asked for them, `unread` never.

    The version is a digest of all that is kept: of names where these hold a digest, else of bytes.
    """
    if f"{asset_folder}/{_SCRIPT}" not in files:
        return {}
    read = kept(files, unread)
    digest = hashlib.sha256(files[f"{asset_folder}/{_SCRIPT}"])
    for path in read:
        digest.update(f"\0{path}\0".encode())
        if not _NAMED_BY_DIGEST.match(path):
            digest.update(hashlib.sha256(files[path]).digest())
    site = {
        "version": digest.hexdigest()[:12],
        "files": [path for path in read if path not in later],
        "later": sorted(later),
    }
    told = json.dumps(site, ensure_ascii=False, separators=(",", ":"))
    return {WORKER: f'self.SITE={told};\nimportScripts("{asset_folder}/{_SCRIPT}");\n'.encode()}
