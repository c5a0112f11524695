import { reasonOf, ResponseLost, type Requests } from '../jmap/requests.ts';
import type { ChangesResponse, Email, GetResponse, Id, SetError } from '../jmap/types.ts';

export type CopyDependencies = { readonly requests: Requests; readonly wait: (milliseconds: number) => Promise<void>; readonly maxObjectsInSet: number };

export type Copy = { readonly fromAccountId: Id; readonly accountId: Id; readonly mailboxId: Id; readonly emails: readonly Copied[] };

/** The copies by their originals, and why some were not made. */
export type CopyResult = { readonly copies: ReadonlyMap<Id, Id>; readonly reason: string | undefined };

type CopyResponse = {
  readonly created: Readonly<Record<Id, { readonly id: Id }>> | null;
  readonly notCreated: Readonly<Record<Id, SetError & { readonly existingId?: Id }>> | null;
};
type Facts = Pick<Email, 'id' | 'size' | 'receivedAt'>;
type Copied = Facts & Pick<Email, 'keywords'>;

/** Tries of a copy whose response was lost, and the milliseconds before it is seen what was made of it. */
const [maxTries, settleAfter] = [4, 2000];

/** Copies Emails to a mailbox of another account (RFC 8621 §4.7). After a lost response it first looks what was copied. */
export const copyEmails = async ({ requests, wait, maxObjectsInSet }: CopyDependencies, copy: Copy): Promise<CopyResult> => {
  const { fromAccountId, accountId, mailboxId, emails } = copy;
  const copies = new Map<Id, Id>();
  let reason: string | undefined;

  const readState = async (): Promise<string> => (await requests.call<GetResponse<Facts>>('Email/get', { accountId, ids: [] }).result).state;

  /** Finds the copies that came into the account since a state. */
  const findCopies = async (sinceState: string, batch: readonly Copied[]): Promise<void> => {
    const changes = requests.call<ChangesResponse>('Email/changes', { accountId, sinceState });
    const created = requests.call<GetResponse<Facts>>('Email/get', { accountId, '#ids': changes.ref('/created'), properties: ['id', 'size', 'receivedAt'] });
    const [, { list }] = await Promise.all([changes.result, created.result]);
    const taken = new Set(copies.values());
    const free = new Set(list.map(({ id }) => id).filter((id) => !taken.has(id)));
    for (const email of batch) {
      const found = list.find(({ id, size, receivedAt }) => free.has(id) && size === email.size && receivedAt === email.receivedAt);
      if (found) copies.set(email.id, found.id);
      if (found) free.delete(found.id);
    }
  };

  const copyBatch = async (batch: readonly Copied[]): Promise<void> => {
    const sinceState = await readState();
    for (let tries = 1; ; tries += 1) {
      const missing = batch.filter(({ id }) => !copies.has(id));
      if (missing.length === 0) return;
      const create = Object.fromEntries(missing.map(({ id, keywords, receivedAt }) => [id, { id, keywords, receivedAt, mailboxIds: { [mailboxId]: true } }]));
      try {
        const { created, notCreated } = await requests.call<CopyResponse>('Email/copy', { fromAccountId, accountId, create }).result;
        for (const [original, { id }] of Object.entries(created ?? {})) copies.set(original, id);
        const [refused] = Object.values(notCreated ?? {});
        reason ??= refused && (refused.description ?? refused.type);
        return;
      } catch (error) {
        if (!(error instanceof ResponseLost) || tries === maxTries) throw error;
        await wait(settleAfter);
        await findCopies(sinceState, missing);
      }
    }
  };

  try {
    for (let at = 0; at < emails.length; at += maxObjectsInSet) await copyBatch(emails.slice(at, at + maxObjectsInSet));
  } catch (error) {
    reason = reasonOf(error);
  }
  return { copies, reason };
};
