import { request, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { urlHost, type AddressRule, type ResolveAddresses } from './public-address.ts';

type PushRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

/** The response without its body. */
export type PushResponse = { readonly status: number; readonly retryAfter?: string };

/** Thrown when the URL's host has an address that is not allowed. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Thrown when the host has no address, or does not respond in time. */
class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export type PostOptions = {
  readonly resolveAddresses: ResolveAddresses;
  readonly isAllowed: AddressRule;
  /** Milliseconds from the DNS query to the headers of the response. */
  readonly timeout: number;
};

/** The first address of the host. @throws ForbiddenAddress when any of its addresses is not allowed. */
const resolveAllowedAddress = async (host: string, { resolveAddresses, isAllowed }: PostOptions): Promise<string> => {
  const addresses = isIP(host) ? [host] : await resolveAddresses(host);
  if (addresses.length === 0) throw new Unreachable('the name has no address');
  if (!addresses.every(isAllowed)) throw new ForbiddenAddress('the name leads to an address that is not public');
  return addresses[0]!;
};

/** Options that connect to the checked address, and require a certificate for the host name. */
const requestOptions = (url: URL, address: string, { headers, body }: PushRequest, signal: AbortSignal): RequestOptions => ({
  host: address,
  port: url.port || 443,
  servername: isIP(urlHost(url)) ? '' : urlHost(url),
  path: `${url.pathname}${url.search}`,
  method: 'POST',
  headers: { ...headers, host: url.host, 'content-length': String(body.length) },
  agent: false,
  signal,
});

const send = (options: RequestOptions, body: Buffer): Promise<PushResponse> =>
  new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      const retryAfter = response.headers['retry-after'];
      resolve({ status: response.statusCode!, ...(retryAfter !== undefined && { retryAfter }) });
      response.destroy();
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Unreachable('it took too long')), { once: true });
  });

/**
 * POSTs to a URL that a client chose (RFC 8620 §8.6). The host is resolved once, and the connection goes to the checked
 * address, so that a later DNS response has no effect. Redirects are not followed, and bodies are not read.
 * @throws ForbiddenAddress, Unreachable, or an error of TLS or the network.
 */
export const postToPublicAddress = async (post: PushRequest, options: PostOptions): Promise<PushResponse> => {
  const url = new URL(post.url);
  if (url.protocol !== 'https:') throw new ForbiddenAddress('only https');
  const signal = AbortSignal.timeout(options.timeout);
  const sent = resolveAllowedAddress(urlHost(url), options).then((address) => {
    signal.throwIfAborted();
    return send(requestOptions(url, address, post, signal), post.body);
  });
  return Promise.race([sent, rejectOnAbort(signal)]);
};
