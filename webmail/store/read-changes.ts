import type { CallMethod } from '../jmap/requests.ts';
import type { ChangesResponse, Email, GetResponse, Mailbox, Thread } from '../jmap/types.ts';
import { maxChanges, type AccountRecords } from './account-records.ts';
import type { MessageBodies } from './message-bodies.ts';
import { listProperties } from './read-properties.ts';
import type { TypeName } from './snapshot.ts';

export type ReadChangesDependencies = {
  readonly call: CallMethod;
  readonly records: AccountRecords;
  readonly bodies: MessageBodies;
  readonly changed: () => void;
};

/** The Emails that came, and whether there may be more changes. */
export type ChangesRead = { readonly created: readonly Email[]; readonly hasMore: boolean };

/** Reads what changed since the known states, and the suspect records, in one request, and applies it to the records. */
export const readChanges = async ({ call, records, bodies, changed }: ReadChangesDependencies): Promise<ChangesRead> => {
  const since = (type: TypeName) => ({ sinceState: records.states.get(type), maxChanges });
  const mailboxChanges = call<ChangesResponse>('Mailbox/changes', since('Mailbox'));
  const newMailboxes = call<GetResponse<Mailbox>>('Mailbox/get', { '#ids': mailboxChanges.ref('/created') });
  const otherMailboxes = call<GetResponse<Mailbox>>('Mailbox/get', { '#ids': mailboxChanges.ref('/updated') });
  const emailChanges = call<ChangesResponse>('Email/changes', since('Email'));
  const updated = call<GetResponse<Email>>('Email/get', { '#ids': emailChanges.ref('/updated'), properties: listProperties });
  const newEmails = call<GetResponse<Email>>('Email/get', { '#ids': emailChanges.ref('/created'), properties: listProperties });
  const threadChanges = call<ChangesResponse>('Thread/changes', since('Thread'));
  const updatedThreads = call<GetResponse<Thread>>('Thread/get', { '#ids': threadChanges.ref('/updated') });
  const [ofMailboxes, ofEmails, ofThreads, createdMailboxes, updatedMailboxes, updatedEmails, createdEmails, threadList, ...again] = await Promise.all([
    ...([mailboxChanges.result, emailChanges.result, threadChanges.result, newMailboxes.result, otherMailboxes.result] as const),
    ...([updated.result, newEmails.result, updatedThreads.result] as const),
    ...([records.readSuspects('Mailbox'), records.readSuspects('Email', { properties: listProperties }), records.readSuspects('Thread')] as const),
  ]);
  records.states.set('Mailbox', ofMailboxes.newState).set('Email', ofEmails.newState).set('Thread', ofThreads.newState);
  for (const list of [createdMailboxes, updatedMailboxes]) records.keep('Mailbox', list);
  for (const list of [updatedEmails, createdEmails]) records.keep('Email', list);
  records.keep('Thread', threadList);
  for (const id of ofMailboxes.destroyed) records.mailboxes.delete(id);
  for (const id of ofEmails.destroyed) {
    records.emails.delete(id);
    bodies.delete(id);
  }
  for (const id of ofThreads.destroyed) records.threads.delete(id);
  const [mailboxList, emailList, otherThreads] = again;
  records.settleSuspects('Mailbox', mailboxList);
  records.settleSuspects('Email', emailList);
  records.settleSuspects('Thread', otherThreads);
  changed();
  return { created: createdEmails.list, hasMore: [ofMailboxes, ofEmails, ofThreads].some(({ hasMoreChanges }) => hasMoreChanges) };
};
