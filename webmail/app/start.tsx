import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { MailProvider, type MailContext } from '../context/mail-context.ts';
import { startPush } from '../jmap/push.ts';
import { createRequests, type Connection } from '../jmap/requests.ts';
import type { Session } from '../jmap/types.ts';
import { SignInEnded, type SignIn } from '../sign-in/sign-in.ts';
import { createMailStore } from '../store/mail-store.ts';
import './app.css';
import { words } from '../words/words.ts';
import { Mail } from './mail.tsx';

export type StartOptions = {
  readonly root: HTMLElement;
  readonly session: Session;
  readonly signIn: SignIn;
  readonly tokenParameter: string | undefined;
  /** Shows that the sign-in has ended. */
  readonly onEnded: () => void;
};

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener('online', done);
  });

/** Milliseconds for which what was said is shown. */
const saidFor = 6000;

/** The value of a variable of a URI template of level 1 (RFC 6570), as JMAP's URLs are. */
const expanded = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w{1,40})\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

/** Starts the application in an element, for a person who is signed in. */
export const start = ({ root, session, signIn, tokenParameter, onEnded }: StartOptions): void => {
  const accountId = session.primaryAccounts['urn:ietf:params:jmap:mail']!;
  const reactRoot = createRoot(root);
  const end = (): void => {
    push.stop();
    reactRoot.unmount();
    onEnded();
  };
  const accessToken = async (refused?: string): Promise<string> => {
    try {
      return await signIn.accessToken(refused);
    } catch (error) {
      if (error instanceof SignInEnded) end();
      throw error;
    }
  };
  let onConnection: (connection: Connection) => void = () => undefined;
  const requests = createRequests({
    session: () => session,
    accessToken,
    wait,
    fetch: (url, init) => fetch(url, init),
    onConnection: (connection) => onConnection(connection),
  });
  const store = createMailStore(accountId, requests, wait);
  const push = startPush({ session: () => session, accessToken, tokenParameter, onChange: () => void store.refresh().catch(() => undefined) });

  const download: MailContext['download'] = async ({ blobId, name }) => {
    const url = expanded(session.downloadUrl, { accountId, blobId: blobId ?? '', name: name ?? 'file', type: 'application/octet-stream' });
    const response = await fetch(url, { headers: { authorization: `Bearer ${await accessToken()}` } });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return response.blob();
  };

  const Application = () => {
    const [connection, setConnection] = useState<Connection>('working');
    const [said, say] = useState('');
    useEffect(() => {
      onConnection = setConnection;
      store.onRefusal(({ reason }) => say(words.refused(reason)));
    }, []);
    useEffect(() => {
      if (said === '') return undefined;
      const timer = setTimeout(() => say(''), saidFor);
      return () => clearTimeout(timer);
    }, [said]);
    return (
      <MailProvider value={{ session, accountId, store, download, say, signOut: () => void signIn.end() }}>
        <Mail connection={connection} said={said} />
      </MailProvider>
    );
  };
  reactRoot.render(<Application />);
};
