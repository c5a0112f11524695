import { request, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { urlHost, type AddressRule, type ResolveAddresses } from './public-address.ts';

/** What is asked of the other side, and how. */
export type PushRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

/** The answer as far as we look at it: its body is not read. */
export type PushResponse = { readonly status: number; readonly retryAfter?: string };

/** The URL leads to where we do not go. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenPlace';
}

/** The other side can't be found, or takes too long. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export type PostOptions = {
  readonly addresses: ResolveAddresses;
  readonly isAllowed: AddressRule;
  /** Milliseconds from the question to DNS to the answer's headers. */
  readonly timeout: number;
};

/** The address to connect to: of all that DNS names the first, and none if one of them is not allowed. */
const judgedAddress = async (host: string, { addresses, isAllowed }: PostOptions): Promise<string> => {
  const found = isIP(host) ? [host] : await addresses(host);
  if (found.length === 0) throw new Unreachable('the name has no address');
  if (!found.every(isAllowed)) throw new ForbiddenAddress('the name leads to an address that is not public');
  return found[0]!;
};

/** The connection goes to the very address that was judged; the certificate must be the name's. */
const optionsFor = (url: URL, address: string, post: PushRequest, signal: AbortSignal): RequestOptions => ({
  host: address,
  port: url.port || 443,
  servername: isIP(urlHost(url)) ? '' : urlHost(url),
  path: `${url.pathname}${url.search}`,
  method: 'POST',
  headers: { ...post.headers, host: url.host, 'content-length': String(post.body.length) },
  agent: false,
  signal,
});

const send = (options: RequestOptions, body: Buffer): Promise<PushResponse> => new Promise((answer, fail) => {
  const outgoing = request(options, (response) => {
    answer({ status: response.statusCode!, ...(response.headers['retry-after'] !== undefined && { retryAfter: response.headers['retry-after'] }) });
    response.destroy();
  });
  outgoing.on('error', fail);
  outgoing.end(body);
});

/** Fails when the time is over. */
const endOf = (signal: AbortSignal): Promise<never> => new Promise((_, fail) => {
  signal.addEventListener('abort', () => fail(new Unreachable('it took too long')), { once: true });
});

/**
 * POSTs to a URL that somebody else chose (RFC 8620 §8.6). A name is resolved once and the connection goes to the address that was judged, so that no second
 * answer of DNS leads elsewhere; redirects are answers like any other, and bodies are not read.
 * @throws ForbiddenPlace, Unreachable, or what TLS and the network say.
 */
export const postToPublicAddress = async (post: PushRequest, way: PostOptions): Promise<PushResponse> => {
  const url = new URL(post.url);
  if (url.protocol !== 'https:') throw new ForbiddenAddress('only https');
  const signal = AbortSignal.timeout(way.timeout);
  const sent = judgedAddress(urlHost(url), way).then((address) => {
    signal.throwIfAborted();
    return send(optionsFor(url, address, post, signal), post.body);
  });
  return Promise.race([sent, endOf(signal)]);
};
