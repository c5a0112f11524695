"""Prints what vobject reads of vCards: a JSON object for each line of base64."""
import base64
import json
import sys

import vobject


def texts(value):
    """A component of vobject is a text, or a list when it has several."""
    return [text for text in (value if isinstance(value, list) else [value]) if text]


def reading(text):
    card, = vobject.readComponents(text)
    lines = list(card.getChildren())
    values = lambda name: [line.value for line in lines if line.name == name]
    labels = {line.group: line.value for line in lines if line.name == "X-ABLABEL"}
    return {
        "full": values("FN"),
        "names": [[texts(part) for part in (name.family, name.given, name.additional, name.prefix, name.suffix)] for name in values("N")],
        "emails": values("EMAIL"),
        "labels": [labels.get(line.group) for line in lines if line.name == "EMAIL"],
        "phones": values("TEL"),
        "types": [sorted(line.params.get("TYPE", [])) for line in lines if line.name == "TEL"],
        "notes": values("NOTE"),
        "links": values("URL"),
        "organizations": values("ORG"),
        "titles": values("TITLE"),
        "addresses": [[texts(part) for part in (each.box, each.extended, each.street, each.city, each.region, each.code, each.country)]
                      for each in values("ADR")],
        "birthdays": values("BDAY"),
        "keywords": [sorted(each) for each in values("CATEGORIES")],
        "photos": [base64.b64encode(each).decode() if isinstance(each, bytes) else each for each in values("PHOTO")],
        "kept": values("X-KEPT"),
        "uid": values("UID"),
    }


for line in sys.stdin:
    try:
        print(json.dumps(reading(base64.b64decode(line).decode())))
    except Exception as error:  # any error is a reading that failed
        print(json.dumps({"error": repr(error)}))
