"""What a page has for paper alone: the addresses of its links, numbered in their order."""

from __future__ import annotations

import re

_LINK = re.compile(r'<a (?=[^>]*?href="(https?://[^"]*)")([^>]*)>(.*?)(?=</a>)', re.DOTALL)
# where an address is written out already, or stands for a place in the code that is
_APART = re.compile(r'(<ul class="references">.*?</ul>|<p class="quote-place">.*?</p>)', re.DOTALL)


def with_addresses(html: str) -> str:
    """A page whose links to elsewhere have numbers, and at its end their addresses as a list: both for paper."""
    addresses: list[str] = []

    def numbered(link: re.Match[str]) -> str:
        address = link[1]
        if link[3] == address:
            return link[0]
        if address not in addresses:
            addresses.append(address)
        return f'<a data-address="{addresses.index(address) + 1}" {link[2]}>{link[3]}'

    parts = _APART.split(html)
    parts[::2] = [_LINK.sub(numbered, part) for part in parts[::2]]
    if not addresses:
        return html
    listed = "".join(f"<li>{address}</li>" for address in addresses)
    head, end, tail = "".join(parts).rpartition("</body>")
    return f'{head}<ol class="addresses">{listed}</ol>\n{end}{tail}'
