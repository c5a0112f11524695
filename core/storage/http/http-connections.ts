import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { asError, codeOf } from '../../../contract/values/thrown.ts';
import { ResponseReader, type HttpResponse } from './http-response.ts';

/** Maximum milliseconds to open a connection, and maximum milliseconds without an octet while a response is awaited. */
export type HttpTimeouts = { readonly connectionTimeout: number; readonly requestTimeout: number };

/** `attempts` is 2 when the server had closed the idle connection, so that the request was sent again on a new one. */
export type Exchanged = HttpResponse & { readonly attempts: number };

/**
 * Sends the text of a request of HTTP/1.1 and reads the response, over connections that are reused. Each connection
 * carries one request at a time. Node's HTTP client takes three times the CPU, and five times in the first calls of a
 * process (`docs/decisions/dynamodb-and-s3-without-the-sdk.md`).
 * @throws Error when there is no response in time, when it ends early, and when it has no Content-Length.
 */
export type Exchange = (request: string) => Promise<Exchanged>;

const errorWith = (properties: { readonly name?: string; readonly code?: string }, message: string): Error => Object.assign(new Error(message), properties);

/**
 * Milliseconds after which an idle connection is closed. Servers and NAT gateways may forget connections while a Lambda
 * is frozen, and a request over such a connection would wait for `requestTimeout`.
 */
const maxIdle = 3_000;

/** A connection with at most one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #onClose: () => void;
  #pending: { readonly reader: ResponseReader; readonly resolve: (response: HttpResponse) => void; readonly reject: (error: Error) => void } | undefined;
  #isReusable = true;

  /** @param onClose is called when the connection can carry no further request. */
  constructor(socket: Socket, { connectionTimeout, requestTimeout }: HttpTimeouts, onClose: () => void) {
    this.#socket = socket;
    this.#onClose = onClose;
    socket.setTimeout(connectionTimeout);
    socket.once('connect', () => {
      socket.setTimeout(requestTimeout);
    });
    socket.on('timeout', () => {
      if (this.#pending) this.close(errorWith({ name: 'TimeoutError' }, socket.connecting ? 'no connection in time' : 'no response in time'));
    });
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.close(error));
    socket.once('end', () => this.close(errorWith({ code: 'ECONNRESET' }, 'the server closed the connection')));
    socket.once('close', () => this.close(errorWith({ code: 'ECONNRESET' }, 'the connection was closed')));
  }

  get isReusable(): boolean {
    return this.#isReusable;
  }

  send(request: string): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      this.#pending = { reader: new ResponseReader(), resolve, reject };
      this.#socket.ref();
      this.#socket.write(request);
    });
  }

  /** Closes the connection. A request without a response fails with the error. */
  close(error: Error): void {
    this.#isReusable = false;
    this.#pending?.reject(error);
    this.#pending = undefined;
    this.#socket.destroy();
    this.#onClose();
  }

  #receive(chunk: Buffer): void {
    if (!this.#pending) return this.close(new Error('the server sent a response without a request'));
    const { reader, resolve } = this.#pending;
    try {
      const response = reader.add(chunk);
      if (!response) return;
      this.#pending = undefined;
      // An idle connection does not keep the process running.
      if (reader.isReusable) this.#socket.unref();
      else this.close(new Error('the server closes the connection after the response'));
      resolve(response);
    } catch (error) {
      this.close(asError(error));
    }
  }
}

/**
 * Opens connections to one server, over TLS for an https URL. Later connections resume the TLS session of earlier ones.
 */
const connector = ({ protocol, hostname, port }: URL): (() => Socket) => {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') return () => connect({ host, port: Number(port || 80), noDelay: true });
  let session: Buffer | undefined;
  return () => {
    const options = { host, port: Number(port || 443), ...(isIP(host) === 0 && { servername: host }), session };
    const socket = connectSecurely(options);
    socket.setNoDelay(true);
    socket.on('session', (newer) => {
      session = newer;
    });
    socket.once('error', () => {
      session = undefined;
    });
    return socket;
  };
};

/** Whether the server had closed the idle connection, as servers do after some time. */
const isClosed = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].some((code) => code === codeOf(error));

/** Makes the connections to the server of a URL. */
export const httpConnections = (url: URL, timeouts: HttpTimeouts): Exchange => {
  const open = connector(url);
  /** In the order of their last responses. */
  let idle: { readonly connection: Connection; readonly since: number }[] = [];
  const closeIdle = (before = Infinity): void => {
    for (const { connection, since } of idle) if (since < before) connection.close(new Error('an idle connection was closed'));
  };
  const newConnection = (): Connection => {
    const connection: Connection = new Connection(open(), timeouts, () => {
      idle = idle.filter((each) => each.connection !== connection);
    });
    return connection;
  };
  const sendOn = async (connection: Connection, request: string): Promise<HttpResponse> => {
    const response = await connection.send(request);
    if (connection.isReusable) idle.push({ connection, since: Date.now() });
    return response;
  };
  return async (request) => {
    // Not by a timer, which does not run while a Lambda is frozen.
    closeIdle(Date.now() - maxIdle);
    const kept = idle.pop()?.connection;
    if (kept) {
      try {
        return { ...(await sendOn(kept, request)), attempts: 1 };
      } catch (error) {
        if (!isClosed(error)) throw error;
        closeIdle();
      }
    }
    return { ...(await sendOn(newConnection(), request)), attempts: kept ? 2 : 1 };
  };
};
