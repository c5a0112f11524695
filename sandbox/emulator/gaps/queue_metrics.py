"""Metrics of queues (AWS/SQS).

Missing: all of them.
AWS: each minute, the numbers of messages that are visible, in flight and delayed, and the age of the oldest message.
The age of a dead letter starts when it is moved to the dead-letter queue. Here a queue is measured when metrics are
requested, and the last value of a minute counts.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
"""

import time

from ministack.services import cloudwatch, sqs


def patch():
    read_data, read_statistics = cloudwatch._get_metric_data, cloudwatch._get_metric_statistics

    def measure_and_read_data(*arguments):
        _measure_queues()
        return read_data(*arguments)

    def measure_and_read_statistics(*arguments):
        _measure_queues()
        return read_statistics(*arguments)

    cloudwatch._get_metric_data, cloudwatch._get_metric_statistics = measure_and_read_data, measure_and_read_statistics


def _measure_queues():
    now = time.time()
    for queue in list(sqs._queues.values()):
        with sqs._queues_lock:
            sqs._refresh_counts(queue)
            visible = int(queue["attributes"]["ApproximateNumberOfMessages"])
            in_flight = int(queue["attributes"]["ApproximateNumberOfMessagesNotVisible"])
            delayed = int(queue["attributes"]["ApproximateNumberOfMessagesDelayed"])
            age = max((now - _waiting_since(message, now) for message in queue["messages"]), default=0)
        _measure(queue["name"], "ApproximateNumberOfMessagesVisible", visible, "Count", now)
        _measure(queue["name"], "ApproximateNumberOfMessagesNotVisible", in_flight, "Count", now)
        _measure(queue["name"], "ApproximateNumberOfMessagesDelayed", delayed, "Count", now)
        _measure(queue["name"], "ApproximateAgeOfOldestMessage", max(0, int(age)), "Seconds", now)


def _waiting_since(message, now):
    """A dead letter that was never received is visible since it was moved to the dead-letter queue."""
    is_moved = "DeadLetterQueueSourceArn" in message.get("sys", {}) and not message.get("receipt_handle")
    return message["visible_at"] if is_moved else message.get("enqueued_at", message.get("sent_at", now))


def _measure(queue, metric, value, unit, now):
    dimensions = {"QueueName": queue}
    points = cloudwatch._metric_bucket(("AWS/SQS", metric, cloudwatch._dims_key(dimensions)))
    if points and points[-1]["Timestamp"] // 60 == now // 60:
        points.pop()
    points.append({"Timestamp": now, "Value": float(value), "Unit": unit, "Dimensions": dimensions})
