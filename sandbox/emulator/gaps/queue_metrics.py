"""Metrics of queues (AWS/SQS).

Missing: all of them.
AWS: how many messages can be received, how many were and are not deleted yet, and how old the oldest is, each minute; a dead letter is as old as its move to the dead-letter queue.
Here a queue is measured when somebody asks for metrics, and the last measure of a minute stands for it.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
"""

import time

from ministack.services import cloudwatch, sqs


def close():
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
            taken = int(queue["attributes"]["ApproximateNumberOfMessagesNotVisible"])
            age = max((now - _waits_since(message, now) for message in queue["messages"]), default=0)
        _measure(queue["name"], "ApproximateNumberOfMessagesVisible", visible, "Count", now)
        _measure(queue["name"], "ApproximateNumberOfMessagesNotVisible", taken, "Count", now)
        _measure(queue["name"], "ApproximateAgeOfOldestMessage", max(0, int(age)), "Seconds", now)


def _waits_since(message, now):
    """A dead letter that nobody took from its queue is visible since it was moved there."""
    is_moved = "DeadLetterQueueSourceArn" in message.get("sys", {}) and not message.get("receipt_handle")
    return message["visible_at"] if is_moved else message.get("enqueued_at", message.get("sent_at", now))


def _measure(queue, metric, value, unit, now):
    dimensions = {"QueueName": queue}
    points = cloudwatch._metric_bucket(("AWS/SQS", metric, cloudwatch._dims_key(dimensions)))
    if points and points[-1]["Timestamp"] // 60 == now // 60:
        points.pop()
    points.append({"Timestamp": now, "Value": float(value), "Unit": unit, "Dimensions": dimensions})
