"""Concurrent messages of one client of a WebSocket API.

Missing: each message waits until the one before it was answered.
AWS: the Lambda is invoked for each message when it arrives, and each response is sent when it is ready, so two
responses may change places. Here at most four messages of one connection are processed at a time: a hundred would be a
hundred processes on one machine.
https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
"""

import asyncio
import json
import logging

from ministack.services import apigateway

MAXIMUM_CONCURRENT = 4

logger = logging.getLogger(__name__)
_semaphores = {}
_running = set()


def patch():
    invoke = apigateway._invoke_ws_lambda

    async def invoke_concurrently(api_id, account, region, route, stage, connection_id, event, *rest, **more):
        if event != "MESSAGE":
            if event == "DISCONNECT":
                _semaphores.pop(connection_id, None)
            return await invoke(api_id, account, region, route, stage, connection_id, event, *rest, **more)
        semaphore = _semaphores.setdefault(connection_id, asyncio.Semaphore(MAXIMUM_CONCURRENT))
        await semaphore.acquire()
        response_task = asyncio.create_task(_respond(
            connection_id, semaphore, invoke(api_id, account, region, route, stage, connection_id, event, *rest, **more)))
        _running.add(response_task)
        response_task.add_done_callback(_running.discard)
        return None

    apigateway._invoke_ws_lambda = invoke_concurrently


async def _respond(connection_id, semaphore, invocation):
    try:
        response = await invocation
        body = response.get("body") if isinstance(response, dict) else None
        connection = apigateway._ws_connections.get(connection_id)
        if body and connection:
            await connection["outbox"].put(json.dumps(body) if isinstance(body, (dict, list)) else str(body))
    except Exception:
        logger.exception("a WebSocket message failed")
    finally:
        semaphore.release()
