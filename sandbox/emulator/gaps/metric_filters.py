"""Metric filters of CloudWatch Logs (`AWS::Logs::MetricFilter`).

Missing: the resource type, and the metrics; PutMetricFilter only stores the filter. Only people who use the AWS console
read these metrics, so the filters are only recorded.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-metricfilter.html
"""

from gaps.provisioning import add_type, generated_name


def patch():
    add_type("AWS::Logs::MetricFilter", _create, lambda *_: None, lambda physical_id, *_: (physical_id, {}))


def _create(logical_id, properties, stack):
    return properties.get("FilterName") or generated_name(stack, logical_id), {}
