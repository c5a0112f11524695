import type { Call, CallMethod } from '../jmap/requests.ts';
import type { Email, GetResponse, Id, Mailbox, Thread } from '../jmap/types.ts';
import { listProperties } from './read-properties.ts';
import type { Records, TypeName } from './snapshot.ts';

export type AccountRecordsDependencies = {
  readonly call: CallMethod;
  readonly changed: () => void;
  /** Is called when records came that may be older than the known state of their type. */
  readonly onSuspect: () => void;
};

type RecordTypes = { readonly Mailbox: Mailbox; readonly Email: Email; readonly Thread: Thread };

/** Maximum changes of a type that are read one by one. After more, what is shown is loaded again. */
export const maxChanges = 200;

export type AccountRecords = ReturnType<typeof createAccountRecords>;

/** Makes the records of an account, which are what the server said last. */
export const createAccountRecords = ({ call, changed, onSuspect }: AccountRecordsDependencies) => {
  const records: Records = { mailboxes: new Map(), emails: new Map(), threads: new Map(), states: new Map() };
  const { states } = records;
  const byType: { readonly [T in TypeName]: Map<Id, RecordTypes[T]> } = { Mailbox: records.mailboxes, Email: records.emails, Thread: records.threads };
  /** Records that may be older than the known state of their type. */
  const suspects: Readonly<Record<TypeName, Set<Id>>> = { Mailbox: new Set(), Email: new Set(), Thread: new Set() };

  /**
   * Keeps records. The first state is kept; later ones come from the changes. Responses can overtake each other, and states
   * have no order: records of another state than the known one are read again by the next refresh.
   */
  const keep = <T extends TypeName>(type: T, { state, list }: GetResponse<RecordTypes[T]>): void => {
    if (!states.has(type)) states.set(type, state);
    const isCurrent = states.get(type) === state;
    for (const record of list) {
      byType[type].set(record.id, record);
      if (isCurrent) suspects[type].delete(record.id);
      else suspects[type].add(record.id);
    }
    if (!isCurrent && list.length > 0) onSuspect();
  };

  const readMailboxes = async (): Promise<void> => {
    const all = await call<GetResponse<Mailbox>>('Mailbox/get', { ids: null }).result;
    records.mailboxes.clear();
    suspects.Mailbox.clear();
    states.delete('Mailbox');
    keep('Mailbox', all);
    changed();
  };

  return {
    ...records,
    keep,
    readMailboxes,
    hasSuspects: (): boolean => Object.values(suspects).some(({ size }) => size > 0),
    /** Reads the suspect records of a type again. */
    async readSuspects<T extends TypeName>(type: T, more = {}): Promise<GetResponse<RecordTypes[T]> | undefined> {
      const ids = [...suspects[type]].slice(0, maxChanges);
      return ids.length === 0 ? undefined : call<GetResponse<RecordTypes[T]>>(`${type}/get`, { ids, ...more }).result;
    },
    /** Keeps suspect records that were read again, and forgets those that are gone. */
    settleSuspects<T extends TypeName>(type: T, response: GetResponse<RecordTypes[T]> | undefined): void {
      if (!response) return;
      for (const id of response.notFound) {
        byType[type].delete(id);
        suspects[type].delete(id);
      }
      keep(type, response);
    },
    /** Asks for the threads of the Emails of a call, and for the Emails of these threads, in the same request. @returns a function that keeps them. */
    getWithThreads: (source: Call<unknown>, path: string): (() => Promise<void>) => {
      const newest = call<GetResponse<Email>>('Email/get', { '#ids': source.ref(path), properties: ['threadId'] });
      const ofThreads = call<GetResponse<Thread>>('Thread/get', { '#ids': newest.ref('/list/*/threadId') });
      const members = call<GetResponse<Email>>('Email/get', { '#ids': ofThreads.ref('/list/*/emailIds'), properties: listProperties });
      const all = Promise.all([newest.result, ofThreads.result, members.result]);
      all.catch(() => undefined);
      return async () => {
        const [, threadList, emailList] = await all;
        keep('Thread', threadList);
        keep('Email', emailList);
      };
    },
    async loadThread(id: Id): Promise<void> {
      const found = call<GetResponse<Thread>>('Thread/get', { ids: [id] });
      const members = call<GetResponse<Email>>('Email/get', { '#ids': found.ref('/list/*/emailIds'), properties: listProperties });
      const [threadList, emailList] = await Promise.all([found.result, members.result]);
      keep('Thread', threadList);
      keep('Email', emailList);
      changed();
    },
    /** Forgets all states, and reads the mailboxes again. */
    async reload(): Promise<void> {
      states.clear();
      for (const ids of Object.values(suspects)) ids.clear();
      await readMailboxes();
    },
  };
};
