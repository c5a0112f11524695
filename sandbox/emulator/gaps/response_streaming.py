"""Lambdas whose responses a REST API streams.

Missing: the Node.js runtime has no `awslambda`, and REST APIs cannot invoke a Lambda for a stream.
AWS: `awslambda.streamifyResponse` and `HttpResponseStream.from` are in the runtime; the status and the header fields are
written, with eight NUL octets, before the first octets. API Gateway answers 502 when they are missing. The response may
have any length. The invocation lasts until the reader has taken it, and goes on when the reader disconnects. When it
fails, the client sees a broken connection. Here the runtime writes to a socket, from which the response is read no faster
than the client reads it. The bandwidth of 2 MB a second is missing, so that tests take no longer than they must.
https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
https://docs.aws.amazon.com/apigateway/latest/developerguide/response-streaming-troubleshoot.html
https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
"""

import asyncio
import contextvars
import json
import socket

from ministack.core import lambda_runtime
from ministack.core.responses import StreamingResponse
from ministack.services import apigateway_v1

RUNTIME = r"""
globalThis.awslambda = (() => {
  const { connect } = require("net");
  const { once } = require("events");
  const { PassThrough } = require("stream");
  const HttpResponseStream = {
    from(stream, metadata) {
      const write = stream.write;
      stream.write = (...piece) => {
        stream.write = write;
        stream.write(JSON.stringify(metadata) + "\0".repeat(8));
        return stream.write(...piece);
      };
      return stream;
    },
  };
  // An invocation that no REST API made has no reader.
  const open = (port) => (port === undefined ? new PassThrough() : connect({ port, host: "127.0.0.1" })).resume().on("error", () => {});
  const streamifyResponse = (handler) => async ({ postriderStreamPort: port, ...event }, context) => {
    const stream = open(port);
    const closed = once(stream, "close");
    closed.catch(() => {});
    try {
      await handler(event, stream, context);
      if (!stream.writableEnded) throw new Error("Response stream is not finished.");
      await closed;
      return { statusCode: 200 };
    } catch (error) {
      // As on AWS, what was written is sent before the failure, unless the handler has destroyed the stream.
      stream.end();
      await closed.catch(() => {});
      throw error;
    }
  };
  return { HttpResponseStream, streamifyResponse };
})();
"""

STREAMING = ("/2021-11-15/functions/", "/response-streaming-invocations")
BUFFERED = ("/2015-03-31/functions/", "/invocations")
END_OF_METADATA = b"\0" * 8
PIECE = 65536

stream_port = contextvars.ContextVar("stream_port", default=None)


def patch():
    lambda_runtime._NODEJS_WORKER_SCRIPT = RUNTIME + lambda_runtime._NODEJS_WORKER_SCRIPT
    build, invoke = apigateway_v1._build_lambda_event_v1, apigateway_v1._invoke_lambda_proxy_v1

    def build_with_port(*arguments, **named):
        event, port = build(*arguments, **named), stream_port.get()
        return event if port is None else {**event, "postriderStreamPort": port}

    async def invoke_for_stream(integration, *arguments, **named):
        uri = integration.get("uri", "")
        if not all(part in uri for part in STREAMING):
            return await invoke(integration, *arguments, **named)
        for part, replacement in zip(STREAMING, BUFFERED):
            uri = uri.replace(part, replacement)
        return await _stream(lambda: invoke({**integration, "uri": uri}, *arguments, **named))

    apigateway_v1._build_lambda_event_v1 = build_with_port
    apigateway_v1._invoke_lambda_proxy_v1 = invoke_for_stream


async def _stream(invoke):
    connected = asyncio.get_running_loop().create_future()
    listening = socket.create_server(("127.0.0.1", 0))
    # What the kernel holds of a response has left the Lambda. By default it would hold megabytes.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
    server = await asyncio.start_server(lambda *streams: connected.done() or connected.set_result(streams), sock=listening, limit=PIECE)
    stream_port.set(listening.getsockname()[1])
    invocation = asyncio.ensure_future(invoke())
    await asyncio.wait({connected, invocation}, return_when=asyncio.FIRST_COMPLETED)
    server.close()
    if not connected.done():
        return await invocation
    reader, writer = connected.result()
    try:
        metadata = json.loads((await reader.readuntil(END_OF_METADATA)).removesuffix(END_OF_METADATA))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
        writer.close()
        answer = await invocation
        return answer if answer[0] != 200 else (502, {"Content-Type": "application/json"}, b'{"message": "Internal server error"}')

    async def run(send, _receive):
        sent = asyncio.ensure_future(_send(reader, send))
        await asyncio.wait({sent, invocation}, return_when=asyncio.FIRST_COMPLETED)
        if not sent.done() and invocation.result()[0] != 200:
            sent.cancel()
            return
        is_open = await sent
        writer.close()
        # Without a last piece, the connection is broken.
        if (await invocation)[0] == 200 and is_open:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return metadata.get("statusCode", 200), metadata.get("headers", {}), StreamingResponse(run)


async def _send(reader, send):
    """Sends what the Lambda writes, and reads on when the client has gone. Returns whether the client is there."""
    is_open = True
    try:
        while piece := await reader.read(PIECE):
            try:
                if is_open:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            except Exception:
                is_open = False
    except ConnectionError:
        pass
    return is_open
