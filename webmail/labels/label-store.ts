import { ResponseLost, type CallMethod } from '../jmap/requests.ts';
import type { Email, EmailBody, GetResponse, Id, QueryResponse, SetResponse } from '../jmap/types.ts';
import { querySort } from '../store/list-query.ts';
import type { MailStore } from '../store/mail-store.ts';
import { isSettingsMailbox, labelsIn, merged, settingsMailboxName, settingsText, type Label } from './label.ts';

export type LabelStoreDependencies = { readonly call: CallMethod; readonly store: Pick<MailStore, 'mailboxes' | 'setMailboxes' | 'onCreated'> };

/** The labels of an account, which a message in a mailbox of its own keeps. */
export type LabelStore = {
  readonly subscribe: (listener: () => void) => () => void;
  readonly all: () => readonly Label[];
  load(): Promise<void>;
  /** Changes the labels as they are at the server. @throws Error with what the server refused. */
  save(change: (labels: readonly Label[]) => readonly Label[]): Promise<void>;
};

type SettingsMessage = Pick<Email, 'subject'> & Pick<EmailBody, 'id' | 'bodyValues'>;

/** Settings messages that are read: more than one is there only after two devices wrote at the same time. */
const maxMessages = 10;

/** Tries of a change whose response was lost. */
const maxTries = 3;

export const createLabelStore = ({ call, store }: LabelStoreDependencies): LabelStore => {
  let labels: readonly Label[] = [];
  const listeners = new Set<() => void>();
  const mailboxId = (): Id | undefined => store.mailboxes().find(isSettingsMailbox)?.id;

  /** Reads the labels. @returns the messages that have them. */
  const read = async (): Promise<readonly Id[]> => {
    const inMailbox = mailboxId();
    if (inMailbox === undefined) return [];
    const found = call<QueryResponse>('Email/query', { filter: { inMailbox }, sort: querySort, limit: maxMessages });
    const { result } = call<GetResponse<SettingsMessage>>('Email/get', {
      '#ids': found.ref('/ids'),
      properties: ['id', 'subject', 'bodyValues'],
      fetchTextBodyValues: true,
    });
    const [{ ids }, { list }] = await Promise.all([found.result, result]);
    // Other mail that somebody puts there is left alone.
    const settings = list.filter(({ subject }) => subject === settingsMailboxName);
    const newestFirst = settings.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
    labels = merged(newestFirst.map(({ bodyValues }) => labelsIn(Object.values(bodyValues)[0]?.value ?? '')));
    for (const listener of listeners) listener();
    return newestFirst.map(({ id }) => id);
  };

  const write = async (change: (before: readonly Label[]) => readonly Label[]): Promise<void> => {
    const before = await read();
    const create = { settings: { name: settingsMailboxName, parentId: null, isSubscribed: false } };
    const inMailbox = mailboxId() ?? (await store.setMailboxes({ create })).created?.['settings']?.id ?? mailboxId();
    if (inMailbox === undefined) throw new Error('the server made no mailbox');
    const message = {
      mailboxIds: { [inMailbox]: true },
      keywords: { $seen: true },
      subject: settingsMailboxName,
      textBody: [{ partId: 'text', type: 'text/plain' }],
      bodyValues: { text: { value: settingsText(merged([change(labels)])) } },
    };
    const { notCreated } = await call<SetResponse>('Email/set', { create: { settings: message } }).result;
    const [refused] = Object.values(notCreated ?? {});
    if (refused) throw new Error(refused.description ?? refused.type);
    // Only when the new message is there, the old ones go.
    if (before.length > 0) await call('Email/set', { destroy: before }).result;
    await read();
  };

  const load = async (): Promise<void> => void (await read());
  store.onCreated((emails) => {
    const settings = mailboxId();
    if (settings !== undefined && emails.some(({ mailboxIds }) => mailboxIds[settings])) load().catch(() => undefined);
  });

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    all: () => labels,
    load,
    async save(change) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await write(change);
        } catch (error) {
          if (!(error instanceof ResponseLost) || tries === maxTries) throw error;
        }
      }
    },
  };
};
