"""Alarms made of alarms (`AWS::CloudWatch::CompositeAlarm`).

Missing: the resource type; the calls (PutCompositeAlarm, DescribeAlarms) work.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-compositealarm.html
"""

from ministack.services import cloudwatch

from gaps.provisioning import add_type, expect_success, generated_name

KIND = "AWS::CloudWatch::CompositeAlarm"


def patch():
    add_type(KIND, _create, _delete, _update)


def _create(logical_id, properties, stack):
    return _put(properties.get("AlarmName") or generated_name(stack, logical_id), properties)


def _update(physical_id, _old, new, _stack):
    return _put(physical_id, new)


def _put(name, properties):
    expect_success(cloudwatch._put_composite_alarm({}, {**properties, "AlarmName": name}, False, True), KIND)
    return name, {"Arn": cloudwatch._composite_alarms[name]["AlarmArn"]}


def _delete(physical_id, _properties):
    cloudwatch._composite_alarms.pop(physical_id, None)
