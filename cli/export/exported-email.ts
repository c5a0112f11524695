import { MethodError, type JmapClient } from '../jmap/jmap-client.ts';
import { listEmails } from '../jmap/list-emails.ts';

/** An Email to export. */
export type ExportedEmail = {
  readonly id: string;
  readonly blobId: string;
  /** Octets. */
  readonly size: number;
  readonly mailboxIds: Readonly<Record<string, true>>;
  readonly keywords: Readonly<Record<string, true>>;
  /** UTCDate. */
  readonly receivedAt: string;
};

/** The raw messages of Emails; undefined for those that were destroyed meanwhile. */
export type FetchMessages = (emails: readonly ExportedEmail[]) => Promise<readonly (Buffer | undefined)[]>;

/** Maximum requests for messages at the same time, below the server's limit; one request is left for other clients. */
const maxDownloads = 4;
export const downloadsAtOnce = ({ session }: JmapClient): number =>
  Math.max(1, Math.min(maxDownloads, session.limits.maxConcurrentRequests - 1));

/** Maximum messages, and octets, of one request. A response carries them in base64. */
const maxTogether = 50;
const maxTogetherOctets = 2_000_000;

/** Divides Emails into groups whose messages are fetched in one request. A larger message is a group of its own. */
export const emailGroups = (emails: readonly ExportedEmail[]): ExportedEmail[][] => {
  const groups: ExportedEmail[][] = [];
  let room = 0;
  for (const email of emails) {
    const last = groups.at(-1);
    if (!last || email.size > room || last.length >= maxTogether) {
      groups.push([email]);
      room = maxTogetherOctets - email.size;
    } else {
      last.push(email);
      room -= email.size;
    }
  }
  return groups;
};

/** Fetches the messages of a group: by Blob/get (RFC 9404 §4.2) where the server has it, else by a download for each. */
export const messageFetcher = (client: JmapClient): FetchMessages => async (emails) => {
  const contents = emails.length > 1 && client.session.blob ? await blobContents(client, emails) : new Map<string, Buffer>();
  const fetched: (Buffer | undefined)[] = [];
  for (const { blobId } of emails) fetched.push(contents.get(blobId) ?? await client.download(blobId));
  return fetched;
};

/** The contents that the server puts into one response. */
const blobContents = async (client: JmapClient, emails: readonly ExportedEmail[]): Promise<ReadonlyMap<string, Buffer>> => {
  const call = ['Blob/get', { ids: emails.map(({ blobId }) => blobId), properties: ['data:asBase64'] }, 'b'] as const;
  const [answer] = await client.call([call]).catch((error: unknown) => {
    // Too much for one response: the messages are downloaded.
    if (error instanceof MethodError) return [{ list: [] }];
    throw error;
  }) as [{ list: readonly { readonly id: string; readonly 'data:asBase64'?: string | null; readonly isTruncated?: boolean }[] }];
  return new Map(answer.list.flatMap(({ id, 'data:asBase64': data, isTruncated }) =>
    (typeof data === 'string' && isTruncated !== true ? [[id, Buffer.from(data, 'base64')] as const] : [])));
};

const properties = ['id', 'blobId', 'size', 'mailboxIds', 'keywords', 'receivedAt'];

/** The Emails of an account, oldest first, equal ones by id. */
export const listExportedEmails = async (client: JmapClient): Promise<ExportedEmail[]> => {
  const emails = new Map<string, ExportedEmail>();
  await listEmails(client, properties, (email: ExportedEmail) => { emails.set(email.id, email); });
  return [...emails.values()].sort(
    (one, other) => Date.parse(one.receivedAt) - Date.parse(other.receivedAt) || (one.id < other.id ? -1 : 1),
  );
};

export const keywordsOfEmail = ({ keywords }: ExportedEmail): string[] => Object.keys(keywords).sort();
