import { createContext, useContext, useSyncExternalStore } from 'react';
import type { BodyPart, Id, Quota, Session } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import type { Acts } from './acts.ts';

/** What all parts of the application use. */
export type MailContext = {
  readonly session: Session;
  readonly accountId: Id;
  readonly store: MailStore;
  /** Whether an address is one of the person's, in any letters. */
  readonly isOwn: (address: string) => boolean;
  /** The storage of the account. Undefined while it is not known, and where the server tells none. */
  readonly storage: Quota | undefined;
  /** Reads a blob. @throws Error with words for a person. */
  readonly download: (part: Pick<BodyPart, 'blobId' | 'name'>) => Promise<Blob>;
  readonly acts: Acts;
  readonly signOut: () => void;
};

const Context = createContext<MailContext | undefined>(undefined);
export const MailProvider = Context.Provider;

export const useMail = (): MailContext => {
  const value = useContext(Context);
  if (!value) throw new Error('there is no mail around this part');
  return value;
};

/** The store. The part is shown again after every change of what it has. */
export const useStore = (): MailStore => {
  const { store } = useMail();
  useSyncExternalStore(store.subscribe, store.version);
  return store;
};
