"""The condition key `dynamodb:LeadingKeys`.

Missing: no request sets it, so each statement with `ForAllValues` over it matches every partition.
AWS: it has the partition keys of a request in the table. A batch has those of all its items in the table. One statement
must match all of them. Of a transaction, AWS documents only that its parts need the permissions of their actions: each
action has the keys of all parts with that action and table here, the strictest reading.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
"""

import json

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


def patch():
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
