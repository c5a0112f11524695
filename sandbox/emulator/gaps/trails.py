"""CloudTrail trails (`AWS::CloudTrail::Trail`).

Missing: the resource type; the calls (CreateTrail, GetTrailStatus, LookupEvents) work.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudtrail-trail.html
"""

from ministack.services import cloudtrail

from gaps.provisioning import add_type, expect_success, generated_name

KIND = "AWS::CloudTrail::Trail"


def patch():
    add_type(KIND, _create, _delete, _update)


def _create(logical_id, properties, stack):
    name = properties.get("TrailName") or generated_name(stack, logical_id)
    expect_success(cloudtrail._create_trail(_call_parameters(name, properties)), KIND)
    return _set_logging(name, properties)


def _update(physical_id, _old, new, _stack):
    expect_success(cloudtrail._update_trail(_call_parameters(physical_id, new)), KIND)
    return _set_logging(physical_id, new)


def _set_logging(name, properties):
    switch = cloudtrail._start_logging if properties.get("IsLogging") else cloudtrail._stop_logging
    expect_success(switch({"Name": name}), KIND)
    return name, {"Arn": cloudtrail._trail_arn(name), "SnsTopicArn": ""}


def _call_parameters(name, properties):
    renamed = {"KMSKeyId": "KmsKeyId"}
    return {**{renamed.get(key, key): value for key, value in properties.items()}, "Name": name}


def _delete(physical_id, _properties):
    cloudtrail._delete_trail({"Name": physical_id})
