import type { JmapClient } from '../jmap/jmap-client.ts';
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

/** The raw message of an Email, or undefined when it was destroyed meanwhile. */
export type FetchMessage = (email: ExportedEmail) => Promise<Buffer | undefined>;

/** Messages that are downloaded at the same time, below the server's limit; one request is left for other clients. */
const maxDownloads = 6;
export const downloadsAtOnce = ({ session }: JmapClient): number =>
  Math.max(1, Math.min(maxDownloads, session.limits.maxConcurrentRequests - 1));

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
