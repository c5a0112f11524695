/** A complete HTTP/1.1 response of any status. Header names are in lower case. */
export type HttpResponse = { readonly status: number; readonly headers: { readonly [name: string]: string | undefined }; readonly body: Buffer };

type Head = Omit<HttpResponse, 'body'> & {
  /** Octets of the head, including the empty line after it. */
  readonly length: number;
  readonly bodyLength: number;
  /** Whether the server keeps the connection for another request (RFC 9112 §9.3). */
  readonly isKept: boolean;
};

/** Maximum octets of a head. */
const maxHeadLength = 16_384;

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;

const headerFields = (lines: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
};

/**
 * Parses the head of a response.
 * @returns undefined while it is incomplete.
 * @throws Error for anything but a head with a Content-Length, which AWS sends with each response.
 */
const parseHead = (received: Buffer): Head | undefined => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) {
    if (received.length > maxHeadLength) throw new Error('the header of the response is too long');
    return undefined;
  }
  const [first = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const [, minorVersion, status] = statusLine.exec(first) ?? [];
  const headers = headerFields(lines);
  const contentLength = headers['content-length'] ?? '';
  if (status === undefined || !/^\d{1,15}$/.test(contentLength) || headers['transfer-encoding'] !== undefined) {
    throw new Error('the response is not HTTP, or has no Content-Length');
  }
  const isKept = minorVersion === '1' && headers['connection']?.toLowerCase() !== 'close';
  return { status: Number(status), headers, length: end + 4, bodyLength: Number(contentLength), isKept };
};

/** Reads one response from the chunks of a connection. */
export class ResponseReader {
  readonly #chunks: Buffer[] = [];
  #received = 0;
  #head: Head | undefined;

  /**
   * Adds a chunk.
   * @returns the response when it is complete.
   * @throws Error when the octets are not a response with a Content-Length.
   */
  add(chunk: Buffer): HttpResponse | undefined {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    this.#head ??= parseHead(this.#bytes());
    if (!this.#head) return undefined;
    const { status, headers, length, bodyLength } = this.#head;
    if (this.#received < length + bodyLength) return undefined;
    return { status, headers, body: this.#bytes().subarray(length, length + bodyLength) };
  }

  /** Whether the connection can carry another request: the server keeps it open, and no octets follow the response. */
  get isReusable(): boolean {
    return this.#head?.isKept === true && this.#received === this.#head.length + this.#head.bodyLength;
  }

  #bytes(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
  }
}
