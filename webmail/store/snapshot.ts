import type { Email, Id, Mailbox, Thread } from '../jmap/types.ts';
import type { ListQuery } from './list-query.ts';
import type { QueryWindow } from './query-window.ts';

export type TypeName = 'Mailbox' | 'Email' | 'Thread';

/** The records of an account by their ids, and the states that they have. */
export type Records = {
  readonly mailboxes: Map<Id, Mailbox>;
  readonly emails: Map<Id, Email>;
  readonly threads: Map<Id, Thread>;
  readonly states: Map<TypeName, string>;
};

/** The beginning of a list with everything that it shows, as the server said it last. It is data of JSON. */
export type Snapshot = {
  readonly query: ListQuery;
  readonly ids: readonly (Id | null)[];
  readonly total: number;
  readonly queryState: string;
  readonly canCalculateChanges: boolean;
  readonly states: readonly (readonly [TypeName, string])[];
  readonly mailboxes: readonly Mailbox[];
  readonly emails: readonly Email[];
  readonly threads: readonly Thread[];
};

export const snapshotOf = ({ mailboxes, emails, threads, states }: Records, query: ListQuery, window: QueryWindow, size: number): Snapshot => {
  const kept = { emails: new Map<Id, Email>(), threads: new Map<Id, Thread>() };
  const ids = window.ids.slice(0, size).map((id) => {
    const thread = threads.get((id === undefined ? undefined : emails.get(id))?.threadId ?? '');
    const members = thread?.emailIds.flatMap((each) => emails.get(each) ?? []) ?? [];
    // A row that is not known whole is loaded again.
    if (!thread || id === undefined || members.length < thread.emailIds.length) return null;
    kept.threads.set(thread.id, thread);
    for (const email of members) kept.emails.set(email.id, email);
    return id;
  });
  const { queryState, canCalculateChanges } = window;
  const lists = { mailboxes: [...mailboxes.values()], emails: [...kept.emails.values()], threads: [...kept.threads.values()] };
  return { query, ids, total: window.ids.length, queryState, canCalculateChanges, states: [...states], ...lists };
};

/** Puts a snapshot into empty records. @returns the known part of its list. */
export const restore = ({ mailboxes, emails, threads, states }: Records, snapshot: Snapshot): QueryWindow => {
  for (const [type, state] of snapshot.states) states.set(type, state);
  for (const mailbox of snapshot.mailboxes) mailboxes.set(mailbox.id, mailbox);
  for (const email of snapshot.emails) emails.set(email.id, email);
  for (const thread of snapshot.threads) threads.set(thread.id, thread);
  const { ids, total, queryState, canCalculateChanges } = snapshot;
  return { ids: Array.from({ length: total }, (_, index) => ids[index] ?? undefined), queryState, canCalculateChanges };
};
