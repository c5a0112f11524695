"""Event source mappings from a table's stream to a Lambda.

Missing: limited retries, bisection, partial failures and the on-failure destination. One slow handler delays every
other queue and stream. After a restart the read position is beyond the end of the stream, which starts anew, so the
mapping reads nothing.
AWS: each shard is read separately. A failed batch is retried `MaximumRetryAttempts` times, halved when
`BisectBatchOnFunctionError` is set, continued at the first of `batchItemFailures`, and discarded once its first record
is older than `MaximumRecordAgeInSeconds`. A discarded batch is described to the `OnFailure` destination.
https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
"""

import json
import time
from contextlib import contextmanager

from ministack.core.responses import _request_account_id, _request_region
from ministack.services import dynamodb, lambda_svc

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0


def patch():
    lambda_svc._poll_dynamodb_streams = _poll
    restore = lambda_svc._restore_esm_positions

    def restore_from_the_start(store, positions):
        restore(store, positions)
        if store is lambda_svc._dynamodb_stream_positions:
            for key in list(store._data):
                store._data[key] = 0

    lambda_svc._restore_esm_positions = restore_from_the_start


def _poll():
    """Starts a batch for each mapping that runs none. Returns whether any mapping had records."""
    busy = False
    for account, region, mapping in lambda_svc._iter_all_esms():
        source = mapping.get("EventSourceArn", "")
        if ":dynamodb:" in source and mapping.get("Enabled", True) and not lambda_svc._esm_inflight.get(mapping["UUID"]):
            with _scope(account, region):
                busy = _start_batch(account, region, mapping, source) or busy
    return busy


def _start_batch(account, region, mapping, source):
    table = source.split("/stream/")[0].rpartition("/")[2]
    function, _ = lambda_svc._get_func_record_for_qualifier(mapping["FunctionName"], mapping.get("Qualifier"))
    if function is None or dynamodb._tables.get(table, {}).get("LatestStreamArn") != source:
        return False
    lambda_svc._init_stream_position(mapping["UUID"], source, mapping.get("StartingPosition", "LATEST"))
    position = max(lambda_svc._dynamodb_stream_positions[mapping["UUID"]], dynamodb.stream_start_position(table))
    records = dynamodb.stream_records_since(table, position, mapping.get("BatchSize", 100))
    if not records:
        return False
    filtered = lambda_svc._apply_filter_criteria(records, mapping)
    work = (account, region, mapping, function, filtered, position + len(records))
    lambda_svc._dispatch_esm_batch(mapping["UUID"], _run_batch, *work)
    return True


def _run_batch(account, region, mapping, function, records, next_position):
    with _scope(account, region):
        if records:
            _process(mapping, function, records)
        if _exists(mapping):
            with lambda_svc._dynamodb_stream_positions_lock:
                lambda_svc._dynamodb_stream_positions[mapping["UUID"]] = next_position


def _process(mapping, function, records, attempts=0):
    """Returns when every record was handled, or discarded by the mapping's settings."""
    while _exists(mapping):
        result = lambda_svc._execute_function(function, {"Records": records})
        rest = records if result.get("error") else _from_first_failure(mapping, result, records)
        mapping["LastProcessingResult"] = "PROBLEM: Function call failed" if rest else "OK"
        if not rest:
            return
        if not result.get("error") and len(rest) < len(records):
            attempts = 0
        attempts += 1
        if _is_exhausted(mapping, attempts):
            return _discard(mapping, function, rest, result, "RetryAttemptsExhausted")
        if _is_too_old(mapping, rest[0]):
            return _discard(mapping, function, rest, result, "MaxRecordAgeExceeded")
        if mapping.get("BisectBatchOnFunctionError") and len(rest) > 1:
            half = len(rest) // 2
            _process(mapping, function, rest[:half], attempts)
            return _process(mapping, function, rest[half:], attempts)
        records = rest
        time.sleep(min(FIRST_PAUSE * 2 ** min(attempts - 1, 10), LONGEST_PAUSE))


def _from_first_failure(mapping, result, records):
    """The records from the first of `batchItemFailures` on; all records when one of the failures is not in the batch."""
    if "ReportBatchItemFailures" not in (mapping.get("FunctionResponseTypes") or []):
        return []
    body = result.get("body")
    try:
        response = json.loads(body) if isinstance(body, str) else body
    except ValueError:
        return []
    failures = [failure.get("itemIdentifier") for failure in (response or {}).get("batchItemFailures") or []]
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    if any(failure not in numbers for failure in failures):
        return records
    return records[min(map(numbers.index, failures)):] if failures else []


def _is_exhausted(mapping, attempts):
    limit = mapping.get("MaximumRetryAttempts")
    return limit is not None and 0 <= int(limit) < attempts


def _is_too_old(mapping, record):
    limit = int(mapping.get("MaximumRecordAgeInSeconds") or -1)
    return 0 <= limit < time.time() - record["dynamodb"]["ApproximateCreationDateTime"]


def _discard(mapping, function, records, result, condition):
    lambda_svc._send_ddb_stream_failure_record(mapping, function, records, mapping["EventSourceArn"], result, condition)


def _exists(mapping):
    return mapping.get("Enabled", True) and any(other is mapping for _, _, other in lambda_svc._iter_all_esms())


@contextmanager
def _scope(account, region):
    account_token, region_token = _request_account_id.set(account), _request_region.set(region)
    try:
        yield
    finally:
        _request_account_id.reset(account_token)
        _request_region.reset(region_token)
