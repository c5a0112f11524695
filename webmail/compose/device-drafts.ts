import type { Session } from '../jmap/types.ts';
import { deviceStorage } from '../sign-in/device-storage.ts';
import type { DeviceDraft, Quote } from './draft.ts';

/** Whose drafts they are: those of another person, or of another server, are not shown. */
export const ownerOf = ({ apiUrl, username }: Pick<Session, 'apiUrl' | 'username'>): string => `${apiUrl} ${username}`;

const prefix = 'webmail.draft.';

/** Changes with the shape of what is kept. */
const schema = 1;

const quotePrefix = 'webmail.draft-quote.';

const nameOf = (messageId: string): string => `${prefix}${messageId}`;
const quoteNameOf = (messageId: string): string => `${quotePrefix}${messageId}`;

/** An entry of the device: a draft without its quote, or a quote. */
type Kept = { readonly schema: number; readonly draft?: DeviceDraft; readonly quote?: Quote };

const read = (name: string): Kept | undefined => {
  try {
    const kept: Kept | null = JSON.parse(deviceStorage().getItem(name) ?? 'null');
    return kept?.schema === schema ? kept : undefined;
  } catch {
    return undefined;
  }
};

/** Writes an entry. @returns whether there was room. */
const write = (name: string, kept: Omit<Kept, 'schema'>): boolean => {
  try {
    deviceStorage().setItem(name, JSON.stringify({ schema, ...kept } satisfies Kept));
    return true;
  } catch {
    return false;
  }
};

/** The quotes that are kept. A quote never changes, and is too long to be written again with each letter. */
const keptQuotes = new Map<string, Quote>();

const keepQuote = (name: string, quote: Quote | undefined): void => {
  if (quote === undefined) {
    deviceStorage().removeItem(name);
    keptQuotes.delete(name);
  } else if (keptQuotes.get(name) !== quote && write(name, { quote })) keptQuotes.set(name, quote);
};

/** Keeps a draft, as far as there is room. The server has its quote after the first save. */
export const keepOnDevice = (kept: DeviceDraft): void => {
  const { messageId, quote } = kept.draft;
  keepQuote(quoteNameOf(messageId), quote);
  write(nameOf(messageId), { draft: { ...kept, draft: { ...kept.draft, quote: undefined } } });
};

export const removeFromDevice = (messageId: string): void => {
  deviceStorage().removeItem(nameOf(messageId));
  deviceStorage().removeItem(quoteNameOf(messageId));
  keptQuotes.delete(quoteNameOf(messageId));
};

/** All drafts that this device keeps. */
export const draftsOnDevice = (): readonly DeviceDraft[] =>
  Object.keys(deviceStorage()).flatMap((name) => {
    const kept = name.startsWith(prefix) ? read(name)?.draft : undefined;
    return kept ? [{ ...kept, draft: { ...kept.draft, quote: read(quoteNameOf(kept.draft.messageId))?.quote } }] : [];
  });

const lockOf = (messageId: string): string => `webmail draft ${messageId}`;

/** Holds a draft for this tab until the promise is settled. @returns whether no other tab had it. */
export const holdDraft = (messageId: string, until: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    void navigator.locks.request(lockOf(messageId), { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : until;
    });
  });

/** The drafts of a person that no tab has open: those of a tab that was closed or killed. */
export const abandonedDrafts = async (owner: string): Promise<readonly DeviceDraft[]> => {
  const { held = [] } = await navigator.locks.query();
  const open = new Set(held.map(({ name }) => name));
  return draftsOnDevice().filter(({ owner: of, draft }) => of === owner && !open.has(lockOf(draft.messageId)));
};

/** Takes the drafts of this device out of the way of what wipes it. @returns a function that puts them back. */
export const saveDrafts = (): (() => void) => {
  const storage = deviceStorage();
  const kept = storage === localStorage ? Object.entries<string>(storage).filter(([name]) => name.startsWith(prefix) || name.startsWith(quotePrefix)) : [];
  return () => {
    for (const [name, text] of kept) storage.setItem(name, text);
  };
};
