import { createHmac, timingSafeEqual } from 'node:crypto';
import { maxPageTokenLength } from '../../contract/fields.ts';
import { RpcError } from './rpc-error.ts';

/** What a token holds good for: it opens only with the same method, the same arguments and in the same deployment. */
export type PageScope = { readonly method: string; readonly arguments: { readonly [name: string]: unknown } };

export type PageTokens = {
  /** The token of the page that begins after `position`, at most 368 octets of text; opaque, at most {@link maxPageTokenLength} characters. */
  seal(scope: PageScope, position: string): Promise<string>;
  /** @throws RpcError invalid_argument for a token that is tampered with, of another method, of other arguments or of another deployment. */
  open(scope: PageScope, token: string): Promise<string>;
};

/** Octets of the signature that are kept: 128 bits. */
const signatureSize = 16;

/** The same text for the same arguments, in whatever order they came; how the page itself is asked for does not count. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, canonical(field)]);
};

const signature = (key: string, deployment: string, { method, arguments: { page_size: _size, page_token: _token, ...kept } }: PageScope, position: string): Buffer =>
  createHmac('sha256', key).update(JSON.stringify([deployment, method, canonical(kept), position])).digest().subarray(0, signatureSize);

const refused = () => new RpcError('invalid_argument', 'page_token is not one that this method gave for these arguments');

/** @param key reads the signing key; asked once a Lambda. @param deployment names this deployment; a token of another one is refused even if they share the key. */
export const pageTokens = (key: () => Promise<string>, deployment: string): PageTokens => ({
  async seal(scope, position) {
    const token = Buffer.concat([signature(await key(), deployment, scope, position), Buffer.from(position)]).toString('base64url');
    if (token.length > maxPageTokenLength) throw new RangeError('a position does not fit a page token');
    return token;
  },
  async open(scope, token) {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length < signatureSize || bytes.toString('base64url') !== token) throw refused();
    const position = bytes.subarray(signatureSize).toString();
    if (!timingSafeEqual(bytes.subarray(0, signatureSize), signature(await key(), deployment, scope, position))) throw refused();
    return position;
  },
});
