"""Searching logs (FilterLogEvents).

Missing: `?term` patterns, of which one has to match; quoted terms with spaces; case-sensitive terms; `startFromHead:
false`; paging.
https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
"""

import json
import re

from ministack.services import cloudwatch_logs

MAXIMUM_EVENTS = 10_000
TERM = re.compile(r'([?-]?)(?:"((?:[^"\\]|\\.)*)"|(\S+))')


def patch():
    compile_pattern = cloudwatch_logs._compile_filter_pattern
    search = cloudwatch_logs._filter_log_events

    def compile_terms(raw):
        pattern = (raw or "").strip()
        return compile_pattern(raw) if pattern[:1] in ("", "{", "[", "%") else _matcher(pattern)

    def search_in_pages(data):
        status, headers, body = search({**data, "limit": MAXIMUM_EVENTS})
        if status != 200:
            return status, headers, body
        direction, _, position = (data.get("nextToken") or _first_position(data)).partition(":")
        events = json.loads(body)["events"]
        events = events[::-1] if direction == "tail" else events
        begin, end = int(position), int(position) + min(data.get("limit", MAXIMUM_EVENTS), MAXIMUM_EVENTS)
        next_page = {"nextToken": f"{direction}:{end}"} if end < len(events) else {}
        return cloudwatch_logs.json_response({"events": events[begin:end], "searchedLogStreams": [], **next_page})

    cloudwatch_logs._compile_filter_pattern = compile_terms
    cloudwatch_logs._filter_log_events = search_in_pages


def _first_position(data):
    return "tail:0" if data.get("startFromHead") is False else "head:0"


def _matcher(pattern):
    """Matches when all terms without a sign are there, at least one of those with `?`, and none of those with `-`."""
    terms = {"": [], "?": [], "-": []}
    for sign, quoted, plain in TERM.findall(pattern):
        terms[sign].append(re.sub(r"\\(.)", r"\1", quoted) or plain)
    return lambda message: (
        all(term in message for term in terms[""])
        and (not terms["?"] or any(term in message for term in terms["?"]))
        and not any(term in message for term in terms["-"])
    )
