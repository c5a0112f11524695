import { createHmac, timingSafeEqual } from 'node:crypto';
import { maxPageTokenLength } from '../../contract/values/fields.ts';
import { RpcError } from './rpc-error.ts';

/** The method and arguments for which a page token is valid (docs/specification.md#paging). */
export type PageScope = { readonly method: string; readonly arguments: { readonly [name: string]: unknown } };

export type PageTokens = {
  /** Makes the opaque token of the page after `position`. It has at most 368 octets. */
  seal(scope: PageScope, position: string): Promise<string>;
  /**
   * Returns the position of a token. @throws RpcError invalid_argument for a changed token, or a token of another
   * method, other arguments or another deployment.
   */
  open(scope: PageScope, token: string): Promise<string>;
};

/** Octets of the truncated HMAC: 128 bits. */
const signatureSize = 16;

/** The canonical form of arguments, which does not depend on the order of fields. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, canonical(field)]);
};

/** The signature of a token. It leaves out page_size and page_token, which may differ between the pages of a list. */
const signature = (
  key: string,
  deployment: string,
  { method, arguments: { page_size: _size, page_token: _token, ...kept } }: PageScope,
  position: string,
): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([deployment, method, canonical(kept), position]))
    .digest()
    .subarray(0, signatureSize);

const invalidToken = () => new RpcError('invalid_argument', 'page_token is not a token of this method for these arguments');

/**
 * Page tokens that are signed with HMAC-SHA-256.
 * @param key reads the signing key.
 * @param deployment identifies the deployment. Tokens of other deployments are rejected, even those with the same key.
 */
export const pageTokens = (key: () => Promise<string>, deployment: string): PageTokens => ({
  async seal(scope, position) {
    const token = Buffer.concat([signature(await key(), deployment, scope, position), Buffer.from(position)]).toString('base64url');
    if (token.length > maxPageTokenLength) throw new RangeError('a position does not fit a page token');
    return token;
  },
  async open(scope, token) {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length < signatureSize || bytes.toString('base64url') !== token) throw invalidToken();
    const position = bytes.subarray(signatureSize).toString();
    if (!timingSafeEqual(bytes.subarray(0, signatureSize), signature(await key(), deployment, scope, position))) throw invalidToken();
    return position;
  },
});
