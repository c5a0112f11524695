import { mapConcurrently } from '../../contract/values/map-concurrently.ts';
import { digestOf, MethodError, type JmapClient } from './jmap-client.ts';
import { listEmails } from './list-emails.ts';

/** The properties by which an Email is matched to a message of a source. */
type KnownEmail = { readonly id: string; readonly blobId: string; readonly messageId: string | undefined; digest?: string };

type ListedEmail = { readonly id: string; readonly blobId: string; readonly size: number; readonly messageId: readonly string[] | null };
type ListResponse = { readonly list: readonly ListedEmail[]; readonly state: string };

const properties = ['id', 'blobId', 'size', 'messageId'];

/** Maximum digests of one request. */
const digestsAtOnce = 50;

/** The digest of a message in a source, and its Message-ID if it has exactly one. */
type MessageToFind = { readonly digest: string; readonly size: number; readonly messageId: string | undefined };

/** The Emails of an account in a known state. */
export type AccountEmails = {
  /** The Email state in which the account is known. */
  readonly state: () => string;
  readonly size: () => number;
  readonly has: (id: string) => boolean;
  /** Finds Emails that are identical to these messages, octet for octet. @returns their ids by digest. */
  readonly find: (messages: readonly MessageToFind[]) => Promise<ReadonlyMap<string, string>>;
  /** Reads the changes since the last state. */
  readonly refresh: () => Promise<void>;
  /** Adds Emails that were created in the known state. The creation led to `newState`. */
  readonly add: (emails: readonly (MessageToFind & { readonly id: string; readonly blobId: string })[], newState: string) => void;
};

/** Lists the Emails of an account. Mail that arrives meanwhile does no harm. */
export const listAccountEmails = async (client: JmapClient): Promise<AccountEmails> => {
  const bySize = new Map<number, KnownEmail[]>();
  const ids = new Set<string>();
  let state = '';

  const put = ({ id, blobId, size, messageId }: ListedEmail, digest?: string): void => {
    if (ids.has(id)) return;
    ids.add(id);
    const known = { id, blobId, messageId: messageId?.length === 1 ? messageId[0] : undefined, ...(digest !== undefined && { digest }) };
    const sameSize = bySize.get(size);
    if (sameSize) sameSize.push(known);
    else bySize.set(size, [known]);
  };

  const load = async (): Promise<void> => {
    state = await listEmails(client, properties, put);
  };

  const readChanges = async (): Promise<boolean> => {
    const [changes, get] = await client.call<[{ newState: string; hasMoreChanges: boolean; destroyed: readonly string[] }, ListResponse]>([
      ['Email/changes', { sinceState: state, maxChanges: Math.min(500, client.session.limits.maxObjectsInGet) }, 'c'],
      ['Email/get', { '#ids': { resultOf: 'c', name: 'Email/changes', path: '/created' }, properties }, 'g'],
    ]);
    for (const email of get.list) put(email);
    for (const id of changes.destroyed) ids.delete(id);
    state = changes.newState;
    return changes.hasMoreChanges;
  };

  /** Digests computed by the server (RFC 9404 §4.2). Emails without a digest in the response are left out. */
  const serverDigests = async (emails: readonly KnownEmail[]): Promise<ReadonlyMap<string, string>> => {
    if (!client.session.blob?.supportedDigestAlgorithms.includes('sha-256')) return new Map();
    const digests = await client.blobProperty(
      emails.map(({ blobId }) => blobId),
      'digest:sha-256',
    );
    return new Map([...digests].map(([id, digest]) => [id, Buffer.from(digest, 'base64').toString('base64url').slice(0, 22)]));
  };

  const readDigests = async (emails: readonly KnownEmail[]): Promise<void> => {
    for (let start = 0; start < emails.length; start += digestsAtOnce) {
      const group = emails.slice(start, start + digestsAtOnce);
      const digests = await serverDigests(group);
      await mapConcurrently(group, client.session.limits.maxConcurrentRequests, async (email) => {
        const content = digests.has(email.blobId) ? undefined : await client.download(email.blobId);
        email.digest = digests.get(email.blobId) ?? (content ? digestOf(content) : '');
      });
    }
  };

  const candidatesFor = ({ size, messageId }: MessageToFind): KnownEmail[] =>
    (bySize.get(size) ?? []).filter(
      (email) => ids.has(email.id) && (messageId === undefined || email.messageId === undefined || email.messageId === messageId),
    );

  await load();
  while (await readChanges());
  return {
    state: () => state,
    size: () => ids.size,
    has: (id) => ids.has(id),
    async find(messages) {
      const candidates = messages.map((message) => ({ message, emails: candidatesFor(message) }));
      await readDigests([...new Set(candidates.flatMap(({ emails }) => emails))].filter(({ digest }) => digest === undefined));
      return new Map(
        candidates.flatMap(({ message, emails }) => {
          const same = emails.find(({ digest }) => digest === message.digest);
          return same ? [[message.digest, same.id] as const] : [];
        }),
      );
    },
    async refresh() {
      try {
        while (await readChanges());
      } catch (error) {
        if (!(error instanceof MethodError) || error.type !== 'cannotCalculateChanges') throw error;
        ids.clear();
        bySize.clear();
        await load();
      }
    },
    add(emails, newState) {
      for (const { id, blobId, size, messageId, digest } of emails) {
        put({ id, blobId, size, messageId: messageId === undefined ? null : [messageId] }, digest);
      }
      state = newState;
    },
  };
};
