import { crc32 } from 'node:zlib';
import type { Head } from '../../account-log/head.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import { UnusableSegment } from './segment-bytes.ts';

/**
 * The segments of an account's search index. A manifest is an object that never changes; the head names the newest one.
 */
export type SearchManifest = {
  readonly accountId: string;
  /** The names of the segments. */
  readonly segments: readonly string[];
  /** When the words of destroyed Emails were last removed from the segments, in milliseconds since 1970. */
  readonly purgedAt: number;
  /** Whether a message for the mail-cleanup Lambda already requests the next purge. */
  readonly isPurgePending: boolean;
};

/** The name of a manifest in the head. */
type ManifestName = {
  /** The newest commit whose Emails the indexer has read. */
  readonly sequence: number;
  /** `logBytes` of the head at the newest commit that was read. */
  readonly logBytes: number;
  /** The number of Emails that are not indexed yet. The next run indexes them. */
  readonly remaining: number;
  /** Makes the name unique. */
  readonly nonce: string;
};

const manifestVersion = 1;
const pattern = /^m(\d{1,12})-(\d{1,15})-(\d{1,10})-([\w-]{1,40})$/;

export const manifestName = ({ sequence, logBytes, remaining, nonce }: ManifestName): string => `m${sequence}-${logBytes}-${remaining}-${nonce}`;

/** @returns undefined for a name of another form, which a newer release may have written. */
const parseManifestName = (name: string): ManifestName | undefined => {
  const [, sequence, logBytes, remaining, nonce] = pattern.exec(name) ?? [];
  if (nonce === undefined) return undefined;
  return { sequence: Number(sequence), logBytes: Number(logBytes), remaining: Number(remaining), nonce };
};

/** Encodes a manifest: a line with version and checksum, then JSON. */
export const encodeManifest = (manifest: SearchManifest): Buffer => {
  const json = JSON.stringify(manifest);
  return Buffer.from(`${manifestVersion} ${crc32(json)}\n${json}`);
};

/** @throws UnusableSegment */
const decodeManifest = (bytes: Buffer, accountId: string): SearchManifest => {
  const text = bytes.toString();
  const [version, checksum] = text.slice(0, text.indexOf('\n')).split(' ').map(Number);
  const json = text.slice(text.indexOf('\n') + 1);
  if (checksum !== crc32(json)) throw new UnusableSegment('damaged');
  if (version !== manifestVersion) throw new UnusableSegment('newer');
  const manifest: SearchManifest = JSON.parse(json);
  if (manifest.accountId !== accountId) throw new UnusableSegment('damaged');
  return manifest;
};

/** @throws UnusableSegment */
export const readManifest = async (objects: Pick<Objects, 'get'>, accountId: string, name: string): Promise<SearchManifest> => {
  if (!parseManifestName(name)) throw new UnusableSegment('newer');
  let found;
  try {
    found = await objects.get(objectKeys.search(accountId, name));
  } catch (error) {
    throw new UnusableSegment('unreadable', { cause: error });
  }
  if (!found) throw new UnusableSegment('missing');
  return decodeManifest(found.bytes, accountId);
};

/**
 * Maximum octets of log, and maximum Emails, that may follow a manifest: about 50 deliveries, whose messages the next
 * search must read.
 */
export type SearchBounds = { readonly logBytes: number; readonly remaining: number };
const searchBounds: SearchBounds = { logBytes: 16 * 1024, remaining: 32 };

/** Whether enough changes require a new manifest, or one was requested. */
export const isSearchDue = ({ logBytes, search, searchDue }: Head, bounds = searchBounds): boolean => {
  const last = search === undefined ? undefined : parseManifestName(search);
  return searchDue !== undefined || logBytes - (last?.logBytes ?? 0) >= bounds.logBytes || (last?.remaining ?? 0) >= bounds.remaining;
};
