"""The condition key `dynamodb:LeadingKeys`.

Missing: no request sets it, so each statement with `ForAllValues` over it matches every partition.
AWS: it has the partition keys of a request in the table. A batch has those of all its items in the table. One statement
must match all of them. Of a transaction, AWS documents only that its parts need the permissions of their actions: each
action has the keys of all parts with that action and table here, the strictest reading.
A file has a line for each kind of access: the decision, the role or user, the action, the table and the kind of partition.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
"""

import json
import os
import re

from ministack.core import iam_actions, iam_evaluator
from ministack.services import dynamodb

KEY = "dynamodb:LeadingKeys"

TRANSACTION_PARTS = iam_actions._DYNAMODB_TRANSACT_ITEM_ACTIONS


def partition_key_of(table_name):
    table = dynamodb._tables.get(table_name) or {}
    return next((element["AttributeName"] for element in table.get("KeySchema", []) if element["KeyType"] == "HASH"), None)


def text_of(value):
    """The text of an attribute value: a policy compares numbers and octets by their text."""
    return str(next(iter(value.values()))) if isinstance(value, dict) and value else None


def queried_key(request, name):
    """The value that a KeyConditionExpression compares the partition key with."""
    names, values = request.get("ExpressionAttributeNames") or {}, request.get("ExpressionAttributeValues") or {}
    for part in request.get("KeyConditionExpression", "").replace("(", " ").replace(")", " ").split(" AND "):
        left, is_equal, right = part.partition("=")
        if is_equal and names.get(left.strip(), left.strip()) == name:
            return values.get(right.strip())
    return None


def items_of(operation, request):
    """The items and keys that a request names: `(action, table, item)`."""
    if operation in ("TransactWriteItems", "TransactGetItems"):
        for part in request.get("TransactItems", []):
            for member, detail in part.items():
                yield TRANSACTION_PARTS[member], detail["TableName"], detail.get("Item") or detail.get("Key")
    elif operation in ("BatchGetItem", "BatchWriteItem"):
        for table, asked in request.get("RequestItems", {}).items():
            keys = asked["Keys"] if operation == "BatchGetItem" else [
                detail.get("Item") or detail.get("Key") for write in asked for detail in write.values()
            ]
            for key in keys:
                yield f"dynamodb:{operation}", table, key
    elif operation == "Query":
        name = partition_key_of(request["TableName"])
        yield f"dynamodb:{operation}", request["TableName"], {name: queried_key(request, name)}
    elif "Key" in request or "Item" in request:
        yield f"dynamodb:{operation}", request["TableName"], request.get("Item") or request["Key"]


def leading_keys(operation, request, action, table_arn):
    keys = set()
    for part_action, table, item in items_of(operation, request):
        if part_action == action and table_arn.endswith(f":table/{table}"):
            keys.add(text_of(item.get(partition_key_of(table))))
    return sorted(key for key in keys if key is not None)


def partition_kind(key):
    """The partition key without the ids in it, as the stack's patterns name it: `acc_*#log`, `audit#*`."""
    kind = re.sub(r"^acc_[^#]*", "acc_*", key)
    return kind if kind != key else re.sub(r"#.*", "#*", key)


def recorded(evaluate, file):
    """Also writes each kind of access to the file, once."""
    written = set()

    def evaluate_and_record(ctx, *policies):
        result = evaluate(ctx, *policies)
        for kind in {partition_kind(key) for key in ctx.service_context.get(KEY.lower(), [])}:
            _, name, *_ = ctx.principal_arn.split("/")
            line = f"{result.decision} {name} {ctx.action} {ctx.resource_arn.rpartition('/')[2]} {kind}"
            if line not in written:
                written.add(line)
                with open(file, "a", encoding="utf-8") as accesses:
                    accesses.write(f"{line}\n")
        return result

    return evaluate_and_record


def patch():
    file = os.environ.pop("POSTRIDER_SANDBOX_ITEM_ACCESSES", "")
    if file:
        iam_evaluator.evaluate = recorded(iam_evaluator.evaluate, file)
    context_of = iam_actions.dynamodb_service_context
    enforce = iam_evaluator.enforce

    def context_with_request(body):
        try:
            request = json.loads(body or b"{}")
        except ValueError:
            return context_of(body)
        return {**context_of(body), "request": request}

    def enforce_with_keys(access_key_id, action, service, region, resource_arn="*", service_context=None):
        context = dict(service_context or {})
        request = context.pop("request", None) if service == "dynamodb" else None
        if request:
            operation = context.get("dynamodb:EnclosingOperation", [action.partition(":")[2]])[0]
            keys = leading_keys(operation, request, action, resource_arn)
            if keys:
                context[KEY] = keys
        return enforce(access_key_id, action, service, region, resource_arn=resource_arn, service_context=context)

    iam_actions.dynamodb_service_context = context_with_request
    iam_evaluator.enforce = enforce_with_keys
