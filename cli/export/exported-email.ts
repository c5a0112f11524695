import type { JmapClient } from '../jmap/jmap-client.ts';
import { listEmails } from '../jmap/list-emails.ts';
import { groupsOf } from '../sources/mail-source.ts';

export type ExportedEmail = {
  readonly id: string;
  readonly blobId: string;
  /** Octets of the message. */
  readonly size: number;
  readonly mailboxIds: Readonly<Record<string, true>>;
  readonly keywords: Readonly<Record<string, true>>;
  readonly receivedAt: string;
};

/** Fetches the messages of Emails, in their order. @returns undefined for a message that no longer exists. */
export type FetchMessages = (emails: readonly ExportedEmail[]) => Promise<readonly (Buffer | undefined)[]>;

/**
 * Maximum concurrent requests for messages. It is below the server's limit, so that one request is left for other
 * clients.
 */
const maxDownloads = 4;
export const downloadsAtOnce = ({ session }: JmapClient): number => Math.max(1, Math.min(maxDownloads, session.limits.maxConcurrentRequests - 1));

/** Maximum messages, and maximum octets of messages, in one request. A response has them in base64. */
const together = { octets: 2_000_000, count: 50 };

/** Groups of Emails whose messages are fetched by one request. */
export const emailGroups = (emails: readonly ExportedEmail[]): ExportedEmail[][] => groupsOf(emails, ({ size }) => size, together);

/**
 * Fetches the messages of a group: by Blob/get (RFC 9404 §4.2) if the server supports it, else by one download for each
 * message.
 */
export const messageFetcher =
  (client: JmapClient): FetchMessages =>
  async (emails) => {
    const isTogether = emails.length > 1 && client.session.blob;
    const contents = isTogether
      ? await client.blobProperty(
          emails.map(({ blobId }) => blobId),
          'data:asBase64',
        )
      : undefined;
    const fetched: (Buffer | undefined)[] = [];
    for (const { blobId } of emails) {
      const content = contents?.get(blobId);
      fetched.push(content === undefined ? await client.download(blobId) : Buffer.from(content, 'base64'));
    }
    return fetched;
  };

const properties = ['id', 'blobId', 'size', 'mailboxIds', 'keywords', 'receivedAt'];

/** The Emails of an account, oldest first. Emails of the same time are ordered by id. */
export const listExportedEmails = async (client: JmapClient): Promise<ExportedEmail[]> => {
  const emails = new Map<string, ExportedEmail>();
  await listEmails(client, properties, (email: ExportedEmail) => {
    emails.set(email.id, email);
  });
  return [...emails.values()].sort((one, other) => Date.parse(one.receivedAt) - Date.parse(other.receivedAt) || (one.id < other.id ? -1 : 1));
};

export const keywordsOfEmail = ({ keywords }: ExportedEmail): string[] => Object.keys(keywords).sort();
