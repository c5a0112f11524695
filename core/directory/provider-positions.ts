import { createHash } from 'node:crypto';
import type { Table } from '../storage/table.ts';

/**
 * Where a page of a provider's list begins, in the provider's own words, which may be longer than a page token can be: SES answers messages of the AWS
 * Encryption SDK of some 800 characters. Such a one is kept here, `email-identity-page`/hash, and the page token says which. DynamoDB removes it after `expiresAt`,
 * in seconds.
 */
export type ProviderPositions = {
  /** @returns what stands for the position in a page token, at most 256 octets. */
  save(position: string): Promise<string>;
  /** The position that it stands for; undefined when it is not kept any more. */
  find(kept: string): Promise<string | undefined>;
};

/** Octets up to which a position goes into the page token as it is. */
const shortPosition = 256;
/** Stands before the name of a position that is kept. */
const marker = '#';
/** Seconds that a position is kept at least. */
const keptFor = 86_400;

const keyOf = (kept: string) => ({ pk: 'email-identity-page', sk: kept.slice(marker.length) });

export const providerPositionsIn = (table: Table, clock: () => Date): ProviderPositions => ({
  async save(position) {
    if (Buffer.byteLength(position) <= shortPosition && !position.startsWith(marker)) return position;
    const kept = `${marker}${createHash('sha256').update(position).digest('base64url')}`;
    await table.write([{ put: { ...keyOf(kept), position, expiresAt: Math.floor(clock().getTime() / 1000) + keptFor } }]);
    return kept;
  },
  find: async (kept) => (kept.startsWith(marker) ? (await table.get(keyOf(kept)))?.['position'] as string | undefined : kept),
});
