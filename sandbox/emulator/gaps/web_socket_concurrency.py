"""Messages of one client of a WebSocket API.

Missing: each waits until the one before it was answered.
AWS: a Lambda is called for each as it comes, and each answer goes out when it is ready, so two may change places. Here a few at a time are
under way for one connection: a hundred at once would be a hundred processes on one machine.
https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
"""

import asyncio
import json
import logging

from ministack.services import apigateway

AT_A_TIME = 4

logger = logging.getLogger(__name__)
_turns = {}
_under_way = set()


def close():
    invoke = apigateway._invoke_ws_lambda

    async def invoke_aside(api_id, account, region, route, stage, connection_id, event, *rest, **more):
        if event != "MESSAGE":
            if event == "DISCONNECT":
                _turns.pop(connection_id, None)
            return await invoke(api_id, account, region, route, stage, connection_id, event, *rest, **more)
        turns = _turns.setdefault(connection_id, asyncio.Semaphore(AT_A_TIME))
        await turns.acquire()
        answering = asyncio.create_task(_answer(
            connection_id, turns, invoke(api_id, account, region, route, stage, connection_id, event, *rest, **more)))
        _under_way.add(answering)
        answering.add_done_callback(_under_way.discard)
        return None

    apigateway._invoke_ws_lambda = invoke_aside


async def _answer(connection_id, turns, invocation):
    try:
        response = await invocation
        body = response.get("body") if isinstance(response, dict) else None
        connection = apigateway._ws_connections.get(connection_id)
        if body and connection:
            await connection["outbox"].put(json.dumps(body) if isinstance(body, (dict, list)) else str(body))
    except Exception:
        logger.exception("a WebSocket message failed")
    finally:
        turns.release()
