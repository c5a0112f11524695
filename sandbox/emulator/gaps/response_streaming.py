"""Lambdas whose responses a REST API streams.

Missing: the Node.js runtime has no `awslambda`, and REST APIs cannot invoke a Lambda for a stream.
AWS: `awslambda.streamifyResponse` and `HttpResponseStream.from` are in the runtime; the status and the header fields are
written, with eight NUL octets, before the first octets. API Gateway answers 502 when they are missing. The response may
have any length. Here it is sent when it is complete.
https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
"""

import base64
import json

from ministack.core import lambda_runtime
from ministack.services import apigateway_v1

RUNTIME = r"""
globalThis.awslambda = (() => {
  const { Writable } = require("stream");
  const { once } = require("events");
  class HttpResponseStream extends Writable {
    constructor(pieces) {
      super({ write: (piece, encoding, done) => { this.begin(); pieces.push(piece); done(); } });
      this.begin = () => {
        if (this.metadata) pieces.push(Buffer.from(JSON.stringify(this.metadata) + "\0".repeat(8)));
        this.metadata = undefined;
      };
    }
    static from(stream, metadata) {
      stream.metadata = metadata;
      return stream;
    }
  }
  const streamifyResponse = (handler) => async (event, context) => {
    const pieces = [];
    const stream = new HttpResponseStream(pieces);
    await handler(event, stream, context);
    if (!stream.writableFinished) await once(stream, "finish");
    return { streamed: Buffer.concat(pieces).toString("base64") };
  };
  return { HttpResponseStream, streamifyResponse };
})();
"""

STREAMING = ("/2021-11-15/functions/", "/response-streaming-invocations")
BUFFERED = ("/2015-03-31/functions/", "/invocations")


def patch():
    lambda_runtime._NODEJS_WORKER_SCRIPT = RUNTIME + lambda_runtime._NODEJS_WORKER_SCRIPT
    invoke = apigateway_v1._invoke_lambda_proxy_v1

    async def invoke_for_stream(integration, *arguments, **named):
        uri = integration.get("uri", "")
        if not all(part in uri for part in STREAMING):
            return await invoke(integration, *arguments, **named)
        for part, replacement in zip(STREAMING, BUFFERED):
            uri = uri.replace(part, replacement)
        return _response(await invoke({**integration, "uri": uri}, *arguments, **named))

    apigateway_v1._invoke_lambda_proxy_v1 = invoke_for_stream


def _response(buffered):
    status, _, body = buffered
    if status != 200:
        return buffered
    try:
        metadata, separator, content = base64.b64decode(json.loads(body)["streamed"]).partition(b"\0" * 8)
        metadata = json.loads(metadata)
    except (KeyError, TypeError, ValueError):
        separator = b""
    if not separator:
        return 502, {"Content-Type": "application/json"}, b'{"message": "Internal server error"}'
    return metadata.get("statusCode", 200), metadata.get("headers", {}), content
