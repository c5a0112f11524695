import { MethodError, reasonOf, ResponseLost, type CallMethod } from '../jmap/requests.ts';
import type { Email, GetResponse, Id, Mailbox, SetError, SetResponse } from '../jmap/types.ts';
import { destroyed, shown, type Patch, type PendingChange } from './pending-changes.ts';
import { listProperties } from './read-properties.ts';

/** What the store says to the person: a change that the server refused. */
export type Refusal = { readonly ids: readonly Id[]; readonly reason: string };

export type ChangeDependencies = {
  readonly call: CallMethod;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Maximum Emails of one Email/set. */
  readonly maxObjectsInSet: number;
  readonly isKnown: (id: Id) => boolean;
  readonly keepEmails: (response: GetResponse<Email>) => void;
  readonly keepMailboxes: (response: GetResponse<Mailbox>) => void;
  readonly onDestroyed: (ids: readonly Id[]) => void;
  readonly changed: () => void;
};

/** Tries of a change whose response was lost. Patches say what shall be, so they can be sent again. */
const maxTries = 5;

/**
 * Changes of Emails: each shows at once, and is sent when earlier changes of the same Emails are settled. It is shown until a
 * refresh that began after the server had made it: a response that was under way before would bring back what was there.
 */
export const createChanges = ({ call, wait, maxObjectsInSet, isKnown, keepEmails, keepMailboxes, onDestroyed, changed }: ChangeDependencies) => {
  let pending: readonly PendingChange[] = [];
  let count = 0;

  /** Sends one Email/set. @returns the Emails that the server refused to change. */
  const sendBatch = async (patches: readonly (readonly [Id, Patch])[]): Promise<readonly (readonly [Id, SetError])[]> => {
    const update = Object.fromEntries(patches.filter(([, patch]) => patch !== destroyed));
    const destroy = patches.flatMap(([id, patch]) => (patch === destroyed ? [id] : []));
    for (let tries = 1; ; tries += 1) {
      const set = call<SetResponse>('Email/set', { ...(Object.keys(update).length > 0 && { update }), ...(destroy.length > 0 && { destroy }) });
      const ids = Object.keys(update).filter(isKnown);
      const after = ids.length > 0 ? call<GetResponse<Email>>('Email/get', { ids, properties: listProperties }) : undefined;
      const counts = call<GetResponse<Mailbox>>('Mailbox/get', { ids: null });
      const all = Promise.allSettled([after?.result, counts.result]);
      try {
        const { notUpdated, notDestroyed } = await set.result;
        const [found, ofMailboxes] = await all;
        if (found.status === 'fulfilled' && found.value) keepEmails(found.value);
        if (ofMailboxes.status === 'fulfilled') keepMailboxes(ofMailboxes.value);
        // Somebody else may have destroyed it already.
        const refusedToDestroy = Object.entries(notDestroyed ?? {}).filter(([, { type }]) => type !== 'notFound');
        onDestroyed(destroy.filter((id) => !refusedToDestroy.some(([refused]) => refused === id)));
        return [...Object.entries(notUpdated ?? {}), ...refusedToDestroy];
      } catch (error) {
        if (!(error instanceof ResponseLost) || tries === maxTries) throw error;
        await wait(1000 * 2 ** tries);
      }
    }
  };

  const send = async (patches: ReadonlyMap<Id, Patch>): Promise<Refusal | undefined> => {
    const entries = [...patches];
    const refused: (readonly [Id, SetError])[] = [];
    for (let at = 0; at < entries.length; at += maxObjectsInSet) {
      const batch = entries.slice(at, at + maxObjectsInSet);
      try {
        refused.push(...(await sendBatch(batch)));
      } catch (error) {
        const description = reasonOf(error);
        const type = error instanceof MethodError ? error.type : 'serverFail';
        refused.push(...entries.slice(at).map(([id]) => [id, { type, description }] as const));
        break;
      }
    }
    const [first] = refused;
    return first && { ids: refused.map(([id]) => id), reason: first[1].description ?? first[1].type };
  };

  return {
    pending: () => pending,
    shown: (email: Email): Email => shown(email, pending),
    isChanging: (id: Id): boolean => pending.some(({ patches }) => patches.has(id)),
    async change(patches: ReadonlyMap<Id, Patch>): Promise<Refusal | undefined> {
      count += 1;
      const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
      const change: PendingChange = { id: count, patches, settled, isMade: false };
      const earlier = pending.filter((other) => [...patches.keys()].some((id) => other.patches.has(id)));
      pending = [...pending, change];
      changed();
      try {
        // Requests can overtake each other: a change of the same messages is sent when the one before is settled.
        if (earlier.length > 0) await Promise.all(earlier.map((other) => other.settled));
        const refusal = await send(patches);
        const refused = new Set(refusal?.ids);
        const made = new Map([...patches].filter(([id]) => !refused.has(id)));
        pending = pending.map((each) => (each.id === change.id ? { ...change, patches: made, isMade: true } : each));
        return refusal;
      } finally {
        settle();
        changed();
      }
    },
    /** The changes that the server has made by now. */
    made: (): ReadonlySet<number> => new Set(pending.flatMap(({ id, isMade }) => (isMade ? [id] : []))),
    /** Forgets changes that records and results have. */
    forget(ids: ReadonlySet<number>): void {
      pending = pending.filter(({ id }) => !ids.has(id));
    },
  };
};
