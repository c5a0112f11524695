import type { Session } from '../jmap/types.ts';
import { deviceStorage } from '../sign-in/device-storage.ts';
import type { DeviceDraft } from './draft.ts';

/** Whose drafts they are: those of another person, or of another server, are not shown. */
export const ownerOf = ({ apiUrl, username }: Pick<Session, 'apiUrl' | 'username'>): string => `${apiUrl} ${username}`;

const prefix = 'webmail.draft.';

/** Changes with the shape of what is kept. */
const schema = 1;

const nameOf = (messageId: string): string => `${prefix}${messageId}`;

const parsed = (text: string): DeviceDraft | undefined => {
  try {
    const kept: (DeviceDraft & { readonly schema: number }) | null = JSON.parse(text);
    return kept?.schema === schema ? kept : undefined;
  } catch {
    return undefined;
  }
};

/** Keeps a draft. Where there is no room for its quote, which the server has, it is kept without. */
export const keepOnDevice = (kept: DeviceDraft): void => {
  for (const draft of [kept.draft, { ...kept.draft, quote: undefined }]) {
    try {
      deviceStorage().setItem(nameOf(draft.messageId), JSON.stringify({ schema, ...kept, draft }));
      return;
    } catch {
      // There is no room.
    }
  }
};

export const removeFromDevice = (messageId: string): void => deviceStorage().removeItem(nameOf(messageId));

/** All drafts that this device keeps. */
export const draftsOnDevice = (): readonly DeviceDraft[] => {
  const storage = deviceStorage();
  return Object.keys(storage).flatMap((name) => (name.startsWith(prefix) ? (parsed(storage.getItem(name) ?? '') ?? []) : []));
};

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
  const kept = storage === localStorage ? Object.entries<string>(storage).filter(([name]) => name.startsWith(prefix)) : [];
  return () => {
    for (const [name, text] of kept) storage.setItem(name, text);
  };
};
