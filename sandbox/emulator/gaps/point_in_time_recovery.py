"""Point-in-time recovery of tables.

Missing: a template's `PointInTimeRecoverySpecification`; the call UpdateContinuousBackups works. A restore copies what
the table holds now and ignores the time. DescribeContinuousBackups says that now is the earliest time. A restored table
can be used at once.
AWS: a table with point-in-time recovery can be restored to any second since it was enabled, into a new table. That is
CREATING for minutes, and has none of these settings of its source: stream, time to live, tags, deletion protection,
point-in-time recovery. AWS's latest time is about five minutes ago; here it is now, so that tests need not wait.
The emulator remembers what writes replaced, for an hour and until it ends.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_RestoreTableToPointInTime.html
"""

import copy
import threading
import time
from collections import defaultdict, deque

from ministack.core.responses import error_response_json, json_response
from ministack.services import dynamodb

from gaps.provisioning import after_provisioning, expect_success

TABLES = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
MEMORY = 3600.0
CREATING_SECONDS = 2.0
STARTED = time.time()

_replaced = defaultdict(deque)
"""By the table's ARN: the time of each write, the item's key and what the item was before."""


def patch():
    for kind in TABLES:
        after_provisioning(kind, _enable)
    set_item, remove_item = dynamodb._set_item, dynamodb._remove_item

    def set_and_remember(table, pk_value, sk_value, item):
        old = set_item(table, pk_value, sk_value, item)
        _remember(table, pk_value, sk_value, old)
        return old

    def remove_and_remember(table, pk_value, sk_value):
        old = remove_item(table, pk_value, sk_value)
        if old is not None:
            _remember(table, pk_value, sk_value, old)
        return old

    dynamodb._set_item, dynamodb._remove_item = set_and_remember, remove_and_remember
    restore = dynamodb._restore_table_to_point_in_time
    dynamodb._restore_table_to_point_in_time = lambda data: _restore(restore, data)
    dynamodb._describe_continuous_backups = _describe


def _enable(table, properties):
    replica = (properties.get("Replicas") or [{}])[0]
    requested = properties.get("PointInTimeRecoverySpecification") or replica.get("PointInTimeRecoverySpecification")
    if requested:
        call = {"TableName": table, "PointInTimeRecoverySpecification": requested}
        expect_success(dynamodb._update_continuous_backups(call), "PointInTimeRecoverySpecification")


def _remember(table, pk_value, sk_value, old):
    now = time.time()
    replaced = _replaced[table["TableArn"]]
    while replaced and replaced[0][0] < now - MEMORY:
        replaced.popleft()
    replaced.append((now, pk_value, sk_value, old))


def _earliest(table):
    return max(STARTED, table["CreationDateTime"], time.time() - MEMORY)


def _describe(data):
    name = dynamodb._normalize_table_name(data.get("TableName"))
    if name not in dynamodb._tables:
        return error_response_json("TableNotFoundException", f"Table not found: {name}", 400)
    recovery = {"PointInTimeRecoveryStatus": "DISABLED"}
    if dynamodb._pitr_settings.get(name):
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 35,
            "EarliestRestorableDateTime": _earliest(dynamodb._tables[name]), "LatestRestorableDateTime": time.time(),
        }
    return json_response({"ContinuousBackupsDescription": {
        "ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery,
    }})


def _restore(restore, data):
    source = data.get("SourceTableName") or dynamodb._normalize_table_name(data.get("SourceTableArn") or "")
    table = dynamodb._tables.get(source)
    if table is not None:
        if not dynamodb._pitr_settings.get(source):
            return error_response_json("PointInTimeRecoveryUnavailableException", f"Point in time recovery is not enabled for table '{source}'", 400)
        until = float(data.get("RestoreDateTime") or time.time())
        if data.get("UseLatestRestorableTime"):
            until = time.time()
        # AWS restores to whole seconds.
        if not int(_earliest(table)) <= until <= time.time():
            return error_response_json("InvalidRestoreTimeException", "Restore time is not between the earliest and latest restorable times", 400)
    response = restore(data)
    if response[0] == 200:
        _rewind(table, dynamodb._tables[data["TargetTableName"]], until)
        response = json_response({"TableDescription": dynamodb._table_description(data["TargetTableName"])})
    return response


def _rewind(source, target, until):
    """Undoes in the target what was written to the source after the time, the latest write first."""
    items = target["items"]
    for at, pk_value, sk_value, old in reversed(list(_replaced[source["TableArn"]])):
        if at <= until:
            break
        if old is None:
            items.get(pk_value, {}).pop(sk_value, None)
        else:
            items.setdefault(pk_value, {})[sk_value] = copy.deepcopy(old)
    for pk_value in [pk_value for pk_value, found in items.items() if not found]:
        del items[pk_value]
    dynamodb._items_replaced(target)
    target["TableStatus"] = "CREATING"
    target["CreationDateTime"] = int(time.time())
    target["RestoreSummary"] = {"SourceTableArn": source["TableArn"], "RestoreDateTime": until, "RestoreInProgress": True}

    def finish():
        target["TableStatus"] = "ACTIVE"
        target["RestoreSummary"]["RestoreInProgress"] = False

    threading.Timer(CREATING_SECONDS, finish).start()
