import type { Session } from '../jmap/types.ts';
import { deviceStorage } from '../sign-in/device-storage.ts';
import type { Snapshot } from './snapshot.ts';

/** What was on the screen at the last visit, so that the next one shows it before the server answers. */
export type FirstPage = { readonly session: Session; readonly snapshot: Snapshot };

/** Changes with the shape of what is kept. What an earlier build kept is not read. */
const schema = 2;
const key = 'webmail.first-page';

/** Maximum characters that are kept: browsers give a site some 5 million. */
const maxLength = 1_000_000;

/** Whose page it is: a page of another person, or of another server, is not shown. */
export type Owner = { readonly sessionUrl: string; readonly subject: string };

const ownerOf = ({ sessionUrl, subject }: Owner): string => `${sessionUrl} ${subject}`;

type Kept = FirstPage & { readonly schema: number; readonly owner: string };

export const readFirstPage = (owner: Owner): FirstPage | undefined => {
  try {
    const kept: Kept | null = JSON.parse(deviceStorage().getItem(key) ?? 'null');
    return kept?.schema === schema && kept.owner === ownerOf(owner) ? kept : undefined;
  } catch {
    return undefined;
  }
};

export const writeFirstPage = (owner: Owner, { session, snapshot }: FirstPage): void => {
  const text = JSON.stringify({ schema, owner: ownerOf(owner), session, snapshot } satisfies Kept);
  try {
    if (text.length <= maxLength) deviceStorage().setItem(key, text);
    else deviceStorage().removeItem(key);
  } catch {
    // Without room the next visit waits for the server.
  }
};

export const removeFirstPage = (): void => deviceStorage().removeItem(key);
