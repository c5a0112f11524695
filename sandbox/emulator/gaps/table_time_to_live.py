"""Expiry of a table's items.

Missing: a template's `TimeToLiveSpecification`; the call UpdateTimeToLive works. An item's expiry writes no record to
the table's stream, and happens a minute late.
AWS: the template's setting is the same as the call's. The service removes an expired item, which the REMOVE record
names as the identity; usually within minutes, at the latest within days. Here it takes seconds, so that tests need not
wait.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-globaltable.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
"""

import logging
import threading
import time

from ministack.core.responses import _request_account_id, _request_region
from ministack.services import dynamodb

from gaps.provisioning import after_provisioning, expect_success

TABLES = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")

REAPER = "dynamodb-ttl-reaper"
"""The name of MiniStack's thread, which also runs and also removes expired items."""

PERIOD = 2.0
SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def patch():
    for kind in TABLES:
        after_provisioning(kind, _set_time_to_live)
    remove, build = dynamodb._remove_item, dynamodb._build_change_record

    def remove_and_emit(table, pk_value, sk_value):
        item = remove(table, pk_value, sk_value)
        if item is not None and threading.current_thread().name == REAPER:
            _emit_remove_record(table, item)
        return item

    def build_with_identity(*parts):
        record = build(*parts)
        return {**record, "userIdentity": SERVICE} if threading.current_thread().name == REAPER else record

    dynamodb._remove_item, dynamodb._build_change_record = remove_and_emit, build_with_identity
    threading.Thread(target=_reap, daemon=True, name=REAPER).start()


def _set_time_to_live(table, properties):
    requested = properties.get("TimeToLiveSpecification")
    current = dynamodb._ttl_settings.get(table)
    if not requested and current:
        requested = {"Enabled": False, "AttributeName": current["AttributeName"]}
    if requested:
        expect_success(dynamodb._update_ttl({"TableName": table, "TimeToLiveSpecification": requested}), "TimeToLiveSpecification")


def _emit_remove_record(table, item):
    """Writes the record to the stream, in the account and region of the table."""
    region, account = table["TableArn"].split(":")[3:5]
    account_token, region_token = _request_account_id.set(account), _request_region.set(region)
    try:
        dynamodb._emit_stream_event(table["TableName"], "REMOVE", item, None)
    finally:
        _request_account_id.reset(account_token)
        _request_region.reset(region_token)


def _reap():
    while True:
        time.sleep(PERIOD)
        try:
            with dynamodb._lock:
                _remove_expired(time.time())
        except Exception:
            logging.getLogger("dynamodb").exception("time to live")


def _remove_expired(now):
    for (account, region, name), setting in list(dynamodb._ttl_settings.all_items()):
        table = dynamodb._tables.get_scoped(account, region, name)
        if table is None or setting.get("TimeToLiveStatus") != "ENABLED":
            continue
        attribute = setting["AttributeName"]
        expired = [(pk, sk) for pk, items in table["items"].items() for sk, item in items.items() if _is_expired(item.get(attribute), now)]
        for pk, sk in expired:
            dynamodb._remove_item(table, pk, sk)


def _is_expired(value, now):
    """A value that is not a number of seconds does not expire."""
    seconds = (value or {}).get("N")
    return seconds is not None and float(seconds) <= now
