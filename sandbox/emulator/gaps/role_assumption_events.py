"""AssumeRole in CloudTrail and EventBridge.

Missing: the event history cannot be searched by the assumed role (the call is recorded without it, refused or not).
There is no event on the default bus, and no rule state that receives read-only calls such as AssumeRole.
AWS: https://docs.aws.amazon.com/IAM/latest/UserGuide/cloudtrail-integration.html
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail-management.html
On AWS events appear after some minutes, here at once.
"""

import json
import time
from urllib.parse import parse_qs

from ministack.core.responses import get_account_id, get_region, new_uuid
from ministack.services import cloudtrail, eventbridge, sts

WITH_READS = "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"


def patch():
    handle, record, dispatch = sts.handle_request, cloudtrail.record_event, eventbridge._dispatch_event

    async def handle_and_record(method, path, headers, body, query_params):
        response = await handle(method, path, headers, body, query_params)
        request = _request_fields(headers, body, query_params)
        if request.get("Action") == "AssumeRole" and response[0] == 200:
            _record_event(request, sts._caller_identity(headers, query_params))
        return response

    def record_others(service, event_name, *more, **named):
        if (service, event_name) != ("sts", "AssumeRole"):
            record(service, event_name, *more, **named)

    def dispatch_to_all(event, view=None):
        for rule in eventbridge._rules.values():
            if rule.get("State") == WITH_READS:
                rule["State"] = "ENABLED"
        return dispatch(event, view)

    sts.handle_request = handle_and_record
    cloudtrail.record_event = record_others
    eventbridge._dispatch_event = dispatch_to_all


def _request_fields(headers, body, query_params):
    fields = {name: values[0] if isinstance(values, list) else values for name, values in query_params.items()}
    target = headers.get("x-amz-target", "")
    if "amz-json" in headers.get("content-type", ""):
        return {**fields, **json.loads(body or b"{}"), "Action": target.split(".")[-1]}
    return {**fields, **{name: values[0] for name, values in parse_qs(body.decode("utf-8", errors="replace")).items()}}


def _record_event(request, caller):
    role, session = request["RoleArn"], request["RoleSessionName"]
    names = {"roleArn": "RoleArn", "roleSessionName": "RoleSessionName", "externalId": "ExternalId", "durationSeconds": "DurationSeconds"}
    now = time.time()
    event = {
        "eventVersion": "1.11",
        "userIdentity": {
            "type": caller["principalType"], "principalId": caller["userId"], "arn": caller["userArn"], "accountId": caller["accountId"],
        },
        "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
        "eventSource": "sts.amazonaws.com",
        "eventName": "AssumeRole",
        "awsRegion": get_region(),
        "sourceIPAddress": "127.0.0.1",
        "requestParameters": {field: request[parameter] for field, parameter in names.items() if parameter in request},
        "eventID": new_uuid(),
        "readOnly": True,
        "resources": [{"accountId": role.split(":")[4], "type": "AWS::IAM::Role", "ARN": role}],
        "eventType": "AwsApiCall",
        "managementEvent": True,
        "recipientAccountId": get_account_id(),
        "eventCategory": "Management",
    }
    cloudtrail._get_event_queue().append({
        "EventId": event["eventID"],
        "EventName": "AssumeRole",
        "EventSource": "sts.amazonaws.com",
        "EventTime": now,
        "Username": session,
        "AccessKeyId": caller["accessKey"],
        "ReadOnly": "true",
        "Resources": [{"ResourceType": "AWS::IAM::Role", "ResourceName": role}],
        "CloudTrailEvent": json.dumps(event),
    })
    eventbridge._put_events({"Entries": [{
        "Source": "aws.sts", "DetailType": "AWS API Call via CloudTrail", "Detail": json.dumps(event), "Resources": [],
    }]}, allow_aws_source=True)
