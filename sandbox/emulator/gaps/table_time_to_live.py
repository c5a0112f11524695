"""Expiry of a table's items.

Missing: a template's `TimeToLiveSpecification`; the call UpdateTimeToLive is there. AWS: it is the same setting.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-globaltable.html
"""

from ministack.services import dynamodb

from gaps.provisioning import after_provisioning, expect_success

TABLES = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")


def close():
    for kind in TABLES:
        after_provisioning(kind, _set_time_to_live)


def _set_time_to_live(table, properties):
    wanted = properties.get("TimeToLiveSpecification")
    found = dynamodb._ttl_settings.get(table)
    if not wanted and found:
        wanted = {"Enabled": False, "AttributeName": found["AttributeName"]}
    if wanted:
        expect_success(dynamodb._update_ttl({"TableName": table, "TimeToLiveSpecification": wanted}), "TimeToLiveSpecification")
