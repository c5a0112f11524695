"""Expiry of a table's items.

Missing: a template's `TimeToLiveSpecification`, though the call UpdateTimeToLive is there. An item's expiry leaves no record in the
table's stream, and comes a minute late.
AWS: the template's is the same setting. An expired item is removed by the service itself, which its REMOVE record says; usually within
minutes, at the latest within days. Here it is seconds, so that nobody has to wait for it.
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
"""The name of MiniStack's own thread, which goes on beside ours and removes as we do."""

PERIOD = 2.0
SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def close():
    for kind in TABLES:
        after_provisioning(kind, _set_time_to_live)
    remove, build = dynamodb._remove_item, dynamodb._build_change_record

    def remove_and_tell(table, pk_value, sk_value):
        item = remove(table, pk_value, sk_value)
        if item is not None and threading.current_thread().name == REAPER:
            _tell(table, item)
        return item

    def build_with_identity(*parts):
        record = build(*parts)
        return {**record, "userIdentity": SERVICE} if threading.current_thread().name == REAPER else record

    dynamodb._remove_item, dynamodb._build_change_record = remove_and_tell, build_with_identity
    threading.Thread(target=_reap, daemon=True, name=REAPER).start()


def _set_time_to_live(table, properties):
    wanted = properties.get("TimeToLiveSpecification")
    found = dynamodb._ttl_settings.get(table)
    if not wanted and found:
        wanted = {"Enabled": False, "AttributeName": found["AttributeName"]}
    if wanted:
        expect_success(dynamodb._update_ttl({"TableName": table, "TimeToLiveSpecification": wanted}), "TimeToLiveSpecification")


def _tell(table, item):
    """Into the stream, in the account and region of the table."""
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
        expired = [(pk, sk) for pk, items in table["items"].items() for sk, item in items.items() if _is_over(item.get(attribute), now)]
        for pk, sk in expired:
            dynamodb._remove_item(table, pk, sk)


def _is_over(value, now):
    """What is no number of seconds is left alone."""
    seconds = (value or {}).get("N")
    return seconds is not None and float(seconds) <= now
