import { createHash } from 'node:crypto';
import { directoryKeys } from '../../contract/deployment/keys.ts';
import type { Clock } from '../runtime/clock.ts';
import { rowOf, type Table } from '../storage/table.ts';

/**
 * Pagination tokens of a provider that may be too long for our page tokens: SES's have some 800 characters. A long
 * token is stored as `email-identity-page`/hash, and the page token contains the hash. DynamoDB deletes the item after
 * `expiresAt` (seconds since 1970).
 */
export type ProviderPositions = {
  /** Stores a position. @returns its representation in a page token, at most 256 octets. */
  save(position: string): Promise<string>;
  /** The position. Undefined if it has expired. */
  find(reference: string): Promise<string | undefined>;
};

/** Maximum octets of a position that the page token contains unchanged. */
const maxInlineLength = 256;
/** Prefix of the hash of a stored position. */
const marker = '#';
/** Seconds until a stored position expires. */
const timeToLive = 86_400;

const keyOf = (reference: string) => directoryKeys.emailIdentityPage(reference.slice(marker.length));
const positionRow = rowOf<{ readonly position: string }>;

export const providerPositionsIn = (table: Table, clock: Clock): ProviderPositions => ({
  async save(position) {
    if (Buffer.byteLength(position) <= maxInlineLength && !position.startsWith(marker)) return position;
    const reference = `${marker}${createHash('sha256').update(position).digest('base64url')}`;
    await table.write([{ put: { ...keyOf(reference), position, expiresAt: Math.floor(clock().getTime() / 1000) + timeToLive } }]);
    return reference;
  },
  async find(reference) {
    if (!reference.startsWith(marker)) return reference;
    const item = await table.get(keyOf(reference));
    return item && positionRow(item).position;
  },
});
