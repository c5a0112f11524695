import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Requests } from '../jmap/requests.ts';
import type { BodyPart, Forwarding, Id, Quota, Session, VacationResponse } from '../jmap/types.ts';
import type { LabelStore } from '../labels/label-store.ts';
import type { Label } from '../labels/label.ts';
import type { Copy, CopyResult } from '../store/copy-emails.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { Acts } from './acts.ts';
import type { Composers } from './composers.ts';

/** What a person may do with the forwarding of an account (docs/specification.md#the-jmap-type-forwarding). */
export type ForwardingRights = { readonly maxAddresses: number; readonly mayForwardOutside: boolean; readonly mayChange: boolean };

/** The settings of an account that a note above its list tells of. Undefined while they are not known, and where the server tells nothing of them. */
export type AccountNotes = {
  /** Where the account forwards its mail. */
  readonly forwarding?: Forwarding | undefined;
  readonly vacation?: Pick<VacationResponse, 'isEnabled' | 'fromDate' | 'toDate'> | undefined;
};

/** An account of the session that has mail. */
export type MailAccount = {
  readonly id: Id;
  readonly name: string;
  /** Whether it is the account with which the application begins. */
  readonly isFirst: boolean;
  /** Its id in the paths of the application, which name every account but the first. */
  readonly pathId: Id | undefined;
  readonly isReadOnly: boolean;
  /** Whether the person may send mail of the account. */
  readonly maySend: boolean;
  /** Maximum seconds for which the server holds a message (RFC 8621 §1.3.2). 0 where it holds none. */
  readonly maxDelayedSend: number;
  readonly hasVacationResponse: boolean;
  /** Undefined where the server forwards no mail. */
  readonly forwardingRights: ForwardingRights | undefined;
  readonly store: MailStore;
  readonly labels: LabelStore;
};

/** Whether the account has something to set. */
export const hasSettings = ({ hasVacationResponse, forwardingRights }: Pick<MailAccount, 'hasVacationResponse' | 'forwardingRights'>): boolean =>
  hasVacationResponse || forwardingRights !== undefined;

/** What all parts of the application use. */
export type MailContext = {
  readonly session: Session;
  /** All accounts, one's own first. */
  readonly accounts: readonly MailAccount[];
  /** The account that is shown. */
  readonly account: MailAccount;
  readonly requests: Requests;
  /** Whether an address is one of the person's, in any letters. */
  readonly isOwn: (address: string) => boolean;
  /** The storage of the account. Undefined while it is not known, and where the server tells none. */
  readonly storage: Quota | undefined;
  readonly notes: AccountNotes;
  /** Says what was changed of the notes of an account. */
  readonly changeNotes: (accountId: Id, changed: AccountNotes) => void;
  /** Reads a blob. @throws Error with words for a person. */
  readonly download: (part: Pick<BodyPart, 'blobId' | 'name'>) => Promise<Blob>;
  /** Copies messages to another account. */
  readonly copy: (copy: Copy) => Promise<CopyResult>;
  readonly acts: Acts;
  readonly uploads: Uploads;
  readonly composers: Composers;
  /** Waits some milliseconds, or until the browser is online again. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly signOut: () => void;
};

const Context = createContext<MailContext | undefined>(undefined);
export const MailProvider = Context.Provider;

export const useMail = (): MailContext => {
  const value = useContext(Context);
  if (!value) throw new Error('there is no mail around this part');
  return value;
};

/** The store of the account that is shown. The part is shown again after every change of what it has. */
export const useStore = (): MailStore => {
  const { store } = useMail().account;
  useSyncExternalStore(store.subscribe, store.version);
  return store;
};

/** The labels of the account that is shown. */
export const useLabels = (): readonly Label[] => {
  const { labels } = useMail().account;
  return useSyncExternalStore(labels.subscribe, labels.all);
};

/** Shows the part again after every change of any account. */
export const useAllStores = (): void => {
  const { accounts } = useMail();
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = accounts.map(({ store }) => store.subscribe(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [accounts],
  );
  useSyncExternalStore(subscribe, () => accounts.reduce((sum, { store }) => sum + store.version(), 0));
};
