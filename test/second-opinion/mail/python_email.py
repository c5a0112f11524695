"""Reads messages as JSON lines of base64 and prints what Python's email package reads of each, as JSON lines."""

import base64
import email
import email.policy
import email.utils
import json
import sys


def text_of(part):
    try:
        return part.get_content()
    except (LookupError, UnicodeError, KeyError, ValueError):
        payload = part.get_payload(decode=True) or b""
        return payload.decode("latin-1")


def addresses(message, name):
    try:
        values = [str(value) for value in message.get_all(name, [])[-1:]]
    except Exception:
        values = []
    return [address.lower() for _, address in email.utils.getaddresses(values) if address]


def leaves(part):
    """The parts without parts, as JMAP counts them: an attached message is one part."""
    if part.is_multipart() and part.get_content_maintype() != "message":
        for inner in part.get_payload():
            yield from leaves(inner)
    else:
        yield part


def octets_of(part):
    if not part.is_multipart():
        return part.get_payload(decode=True) or b""
    return b"\n".join(inner.as_bytes(policy=email.policy.compat32) for inner in part.get_payload())


def reading(octets):
    message = email.message_from_bytes(octets, policy=email.policy.default)
    texts, htmls, files = [], [], []
    for part in leaves(message):
        name = part.get_filename()
        kind = part.get_content_type()
        if kind in ("text/plain", "text/html") and name is None and part.get_content_disposition() != "attachment":
            (texts if kind == "text/plain" else htmls).append(text_of(part))
        else:
            files.append({"name": name, "octets": base64.b64encode(octets_of(part)).decode()})
    when = None
    parsed = email.utils.parsedate_tz(str(message.get_all("date", [""])[-1]))
    if parsed is not None:
        try:
            when = email.utils.mktime_tz(parsed)
        except (OverflowError, ValueError):
            when = None
    return {
        "subject": str(message.get_all("subject", [""])[-1]), "from": addresses(message, "from"), "to": addresses(message, "to"),
        "date": when, "text": "\n".join(texts), "html": "\n".join(htmls), "files": files,
    }


for line in sys.stdin:
    try:
        answer = reading(base64.b64decode(line))
    except Exception as error:  # The comparison shows what the package cannot read.
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
