"""Metric filters of CloudWatch Logs (`AWS::Logs::MetricFilter`).

Missing: the resource type, and the metrics; PutMetricFilter only stores the filter.
AWS: each log line that matches the pattern is a measurement, of a number or of the line's field that `$.field` names, and
the alarms on the metric follow it. Here a pattern has terms, or is `{ $.field = "text" }`.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-metricfilter.html
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/MonitoringLogData.html
"""

import json
import re

from gaps.provisioning import add_type, expect_success, generated_name, lower_first
from ministack.services import cloudwatch, cloudwatch_logs

KIND = "AWS::Logs::MetricFilter"
TEXT_OF_FIELD = re.compile(r'\{\s*\$\.(\w+)\s*=\s*"([^"]*)"\s*\}')


def patch():
    add_type(KIND, _create, _delete, _update)
    forward = cloudwatch_logs._fanout_to_subscription_filters

    def measure_and_forward(group, stream, events):
        _measure(group, [event["message"] for event in events])
        return forward(group, stream, events)

    cloudwatch_logs._fanout_to_subscription_filters = measure_and_forward


def _create(logical_id, properties, stack):
    return _put(properties.get("FilterName") or generated_name(stack, logical_id), properties)


def _update(physical_id, _old, new, *_):
    return _put(physical_id, new)


def _put(name, properties):
    transformations = [lower_first(transformation) for transformation in properties["MetricTransformations"]]
    metric_filter = {**lower_first(properties), "filterName": name, "metricTransformations": transformations}
    expect_success(cloudwatch_logs._put_metric_filter(metric_filter), KIND)
    return name, {}


def _delete(physical_id, properties):
    cloudwatch_logs._delete_metric_filter({"logGroupName": properties.get("LogGroupName"), "filterName": physical_id})


def _measure(group, lines):
    measured = set()
    for metric_filter in list(cloudwatch_logs._metric_filters.values()):
        if metric_filter["logGroupName"] != group:
            continue
        matches = _matcher(metric_filter["filterPattern"])
        for line in filter(matches, lines):
            for transformation in metric_filter["metricTransformations"]:
                value = _value(transformation["metricValue"], line)
                if value is not None:
                    metric = (transformation["metricNamespace"], transformation["metricName"])
                    cloudwatch.record_metric(*metric, value)
                    measured.add(metric)
    for alarm in list(cloudwatch._alarms.values()) if measured else []:
        if (alarm.get("Namespace"), alarm.get("MetricName")) in measured:
            cloudwatch._evaluate_alarm(alarm)


def _matcher(pattern):
    wanted = TEXT_OF_FIELD.fullmatch(pattern.strip())
    if not wanted:
        return cloudwatch_logs._compile_filter_pattern(pattern)
    field, text = wanted.groups()
    # Most lines are not parsed: the text is in a line as it is.
    return lambda line: text in line and _record(line).get(field) == text


def _value(source, line):
    """The number that the line measures; None when it has none."""
    value = _record(line).get(source[2:]) if source.startswith("$.") else source
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _record(line):
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
