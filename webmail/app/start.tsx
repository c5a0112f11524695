import { useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { SignInEnded, type SignIn } from '../../site/sign-in/sign-in.ts';
import { abandonedDrafts, ownerOf } from '../compose/device-drafts.ts';
import { createActs, undoFor, type Said } from '../context/acts.ts';
import { createComposers } from '../context/composers.ts';
import { MailProvider, type MailContext } from '../context/mail-context.ts';
import { useRoute } from '../context/route.ts';
import { expanded } from '../jmap/expanded.ts';
import { startPush, type Changed } from '../jmap/push.ts';
import { createRequests, maxObjectsInSet, type Connection } from '../jmap/requests.ts';
import type { Email, Session } from '../jmap/types.ts';
import { copyEmails, type Copy, type CopyResult } from '../store/copy-emails.ts';
import type { FirstPage } from '../store/first-page.ts';
import { mailboxList } from '../store/list-query.ts';
import type { MailStore } from '../store/mail-store.ts';
import { createPushRefresh } from '../store/push-refresh.ts';
import type { Snapshot } from '../store/snapshot.ts';
import './app.css';
import { lazyUploads } from '../uploads/lazy-uploads.ts';
import { words } from '../words/words.ts';
import { useAccountFacts } from './account-facts.ts';
import { createAccounts } from './accounts.ts';
import { Mail } from './mail.tsx';

export type StartOptions = {
  readonly root: HTMLElement;
  readonly session: Session;
  readonly signIn: SignIn;
  readonly tokenParameter: string | undefined;
  /** What an earlier visit showed. */
  readonly firstPage: FirstPage | undefined;
  /** Keeps what the next visit shows first. */
  readonly keep: (page: FirstPage) => void;
  /** Shows that the sign-in has ended. */
  readonly onEnded: () => void;
};

export type Application = {
  /** Takes the application from the screen. Nothing is kept on the device after it. */
  stop(): void;
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

/** Milliseconds from a change until what the next visit shows first is kept. */
const keepAfter = 2000;

/** Milliseconds from the start until the mailboxes of other accounts are read, so that the first list comes first. */
const othersAfter = 500;

/** Milliseconds until drafts of a tab that ended are opened. By then the locks of a page that was shown before are free. */
const restoreAfter = 300;

/** Milliseconds for which what was said is shown. */
const saidFor = 6000;

/** Keeps the first page of the inbox for the next visit, some time after it changed, and when the page is left. */
const keepFirstPage = (store: MailStore, keep: (snapshot: Snapshot) => void, signal: AbortSignal): void => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const inbox = store.mailboxes().find(({ role }) => role === 'inbox');
    const snapshot = inbox && store.snapshot(mailboxList(inbox.id));
    if (snapshot && !signal.aborted) keep(snapshot);
  };
  const unsubscribe = store.subscribe(() => {
    timer ??= setTimeout(write, keepAfter);
  });
  document.addEventListener('visibilitychange', () => timer !== undefined && write(), { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    unsubscribe();
  });
};

/** Starts the application in an element, for a person who is signed in. */
export const start = ({ root, session, signIn, tokenParameter, firstPage, keep, onEnded }: StartOptions): Application => {
  const reactRoot = createRoot(root);
  const running = new AbortController();
  const stop = (): void => {
    if (running.signal.aborted) return;
    running.abort();
    push.stop();
    reactRoot.unmount();
  };
  const end = (): void => {
    stop();
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
  const copy = (each: Copy): Promise<CopyResult> => copyEmails({ requests, wait, maxObjectsInSet: maxObjectsInSet(session) }, each);
  const uploads = lazyUploads({ session: () => session, accessToken, requests, wait });
  const composers = createComposers();
  const accounts = createAccounts({ session, requests, wait, before: firstPage?.snapshot });
  keepFirstPage(accounts[0]!.store, (snapshot) => keep({ session, snapshot }), running.signal);
  const refresh = (): void => {
    for (const { store } of accounts) store.refresh().catch(() => undefined);
  };
  const pushed = new Map(accounts.map(({ id, store }) => [id, createPushRefresh({ store, wait })]));
  const onChange = (changed: Changed): void => {
    if (!changed) return refresh();
    for (const [id, states] of Object.entries(changed))
      pushed
        .get(id)?.(states)
        .catch(() => undefined);
    return undefined;
  };
  const push = startPush({ session: () => session, accessToken, tokenParameter, onChange });

  const downloadOf =
    (accountId: string): MailContext['download'] =>
    async ({ blobId, name }) => {
      const url = expanded(session.downloadUrl, { accountId, blobId: blobId ?? '', name: name ?? 'file', type: 'application/octet-stream' });
      const response = await fetch(url, { headers: { authorization: `Bearer ${await accessToken()}` } });
      if (!response.ok) throw new Error(`the server answers ${response.status}`);
      return response.blob();
    };

  const signOut = (): void => {
    stop();
    void signIn.end();
  };

  let onSay: (said: Said) => void = () => undefined;
  const say = (said: Said): void => onSay(said);
  const acts = createActs(say);
  window.addEventListener('beforeunload', (event) => acts.isBusy() && event.preventDefault(), { signal: running.signal });

  const Application = () => {
    const [connection, setConnection] = useState<Connection>('working');
    const [said, setSaid] = useState<Said>({ text: '' });
    const { accountId } = useRoute();
    const account = accounts.find(({ id }) => id === accountId) ?? accounts[0]!;
    const facts = useAccountFacts(requests, session, account);
    const download = useMemo(() => downloadOf(account.id), [account]);
    useEffect(() => {
      onConnection = setConnection;
      onSay = setSaid;
      for (const { store } of accounts) {
        store.onCreated((emails) => {
          const inboxes = new Set(store.mailboxes().flatMap(({ id, role }) => (role === 'inbox' ? [id] : [])));
          const isNew = ({ keywords, mailboxIds }: Email): boolean =>
            !keywords['$seen'] && !keywords['$draft'] && Object.keys(mailboxIds).some((id) => inboxes.has(id));
          const count = emails.filter(isNew).length;
          // News take nothing away that can be undone.
          const add = (before: Said): Said =>
            before.undo || before.progress ? { ...before, text: `${before.text}. ${words.newMail(count)}` } : { text: words.newMail(count) };
          if (count > 0) setSaid(add);
        });
      }
      refresh();
      const others = setTimeout(() => {
        for (const { isFirst, store } of accounts) if (!isFirst) store.open().catch(() => undefined);
      }, othersAfter);
      const restore = async (): Promise<void> => {
        for (const { accountId: of, draft } of await abandonedDrafts(ownerOf(session)))
          if (accounts.some(({ id }) => id === of)) composers.open(of, { kind: 'restored', messageId: draft.messageId });
      };
      const restoring = setTimeout(() => {
        void restore();
      }, restoreAfter);
      return () => {
        clearTimeout(others);
        clearTimeout(restoring);
      };
    }, []);
    useEffect(() => {
      if (said.text === '' || said.progress) return undefined;
      const timer = setTimeout(() => setSaid({ text: '' }), said.undo ? undoFor : saidFor);
      return () => clearTimeout(timer);
    }, [said]);
    return (
      <MailProvider value={{ session, accounts, account, requests, ...facts, download, copy, acts, uploads, composers, wait, signOut }}>
        <Mail connection={connection} said={said} />
      </MailProvider>
    );
  };
  reactRoot.render(<Application />);
  return { stop };
};
