import { siteConfigPath } from '../../contract/deployment/site.ts';
import { webmailCallbackPath, type WebmailConfig } from '../../contract/deployment/webmail.ts';
import { capability } from '../../contract/jmap/core.ts';
import { SignInEnded, type SignIn } from '../../site/sign-in/sign-in.ts';
import type { Application } from '../app/start.tsx';
import { saveDrafts } from '../compose/device-drafts.ts';
import type { Session } from '../jmap/types.ts';
import { pastedToken, pastedTokenSignIn, sessionUrlOf, storePastedToken } from '../sign-in/pasted-token.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import './gate.css';
import { isSharedComputer, setSharedComputer, tokenStore } from '../sign-in/token-store.ts';
import { readFirstPage, removeFirstPage, writeFirstPage, type FirstPage } from '../store/first-page.ts';
import { words } from '../words/gate-words.ts';

const root = document.querySelector<HTMLElement>('#root')!;

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: Node[]
): HTMLElementTagNameMap[K] => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

type Act = { readonly label: string; readonly run: () => unknown };

const show = (title: string, text: string, acts: readonly Act[], ...further: Node[]): void => {
  document.title = title;
  const buttons = acts.map(({ label, run }) => element('button', { textContent: label, onclick: () => void run() }));
  root.replaceChildren(
    element(
      'main',
      { className: 'gate' },
      element('h1', { textContent: title }),
      element('p', { textContent: text }),
      ...further,
      element('p', {}, ...buttons),
    ),
  );
};

const here = (): string => `${location.pathname}${location.search}${location.hash}`;

type Message = { readonly title: string; readonly text: string };

/** The page on which a person signs in; it returns to a path. */
type Landing = (message: Message, returnTo?: string) => void;

const hostedLanding =
  (signIn: SignIn): Landing =>
  ({ title, text }, returnTo = '/') => {
    const shared = element('input', { type: 'checkbox', checked: isSharedComputer() });
    const start = (): Promise<void> => {
      setSharedComputer(shared.checked);
      return signIn.start(returnTo);
    };
    show(title, text, [{ label: words.signIn, run: start }], element('label', {}, shared, document.createTextNode(` ${words.shared}`)));
  };

/** Asks for a token, and for the server where the deployment names none. */
const tokenLanding =
  (config: WebmailConfig): Landing =>
  ({ title, text }) => {
    const onkeydown = ({ key }: KeyboardEvent): void => (key === 'Enter' ? enter() : undefined);
    const server = element('input', { type: 'url', placeholder: 'https://mail.example.com', onkeydown });
    const token = element('input', { type: 'password', autocomplete: 'off', onkeydown });
    const problem = element('p', {});
    problem.setAttribute('role', 'alert');
    const enter = (): void => {
      const sessionUrl = config.sessionUrl ?? sessionUrlOf(server.value);
      if (sessionUrl === undefined || token.value === '') {
        problem.textContent = words.enterBoth;
        return;
      }
      storePastedToken({ sessionUrl, token: token.value.trim() });
      if (location.pathname === webmailCallbackPath) location.assign('/');
      else location.reload();
    };
    const field = (label: string, input: HTMLElement): HTMLElement => element('label', {}, document.createTextNode(`${label} `), input);
    const fields = [...(config.sessionUrl === undefined ? [field(words.server, server)] : []), field(words.token, token), problem];
    show(title, text, [{ label: words.signIn, run: enter }], ...fields);
  };

const failed = (signIn: SignIn, error: unknown): void => {
  const reason = error instanceof Error && !(error instanceof TypeError) ? error.message : words.unreachable;
  show(words.failed, reason, [
    { label: words.again, run: () => location.reload() },
    { label: words.signOut, run: () => signIn.end() },
  ]);
};

/** Thrown when the server says that the person has no mail here. */
class Refused extends Error {
  override readonly name = 'Refused';
}

/** Reads the session. A token can end before its time; one more is tried. @throws Error in words for a person. */
const readSession = async (url: string, signIn: SignIn, refused?: string): Promise<Session> => {
  const token = await signIn.accessToken(refused);
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 401 && refused === undefined) return readSession(url, signIn, token);
  if (response.status === 401) throw new SignInEnded(words.refused);
  if (response.status === 403) throw new Refused(words.forbidden);
  if (!response.ok) throw new Error(words.sessionFailed(response.status));
  const session: Session = await response.json();
  if (session.primaryAccounts[capability.mail] === undefined) throw new Refused(words.noMailbox(session.username));
  return session;
};

/** The application on the screen; undefined while the gate has a page of its own. */
let running: Application | undefined;

/**
 * Opens the mail. What the last visit showed is there at once, while the session is read; a session that changed begins
 * anew.
 */
const open = async (sessionUrl: string, tokenParameter: string | undefined, signIn: SignIn, landing: Landing): Promise<void> => {
  const ended = async (): Promise<void> => {
    running?.stop();
    // The sign-in ended by itself. What was written meanwhile is there after the next one.
    const putBack = saveDrafts();
    await signIn.forget();
    putBack();
    landing(words.ended, here());
  };
  const application = import('../app/start.tsx');
  application.catch(() => undefined);
  const current = readSession(sessionUrl, signIn);
  current.catch(() => undefined);
  try {
    const stored = await tokenStore.read();
    const owner = stored && { sessionUrl, subject: stored.subject };
    const before = owner && readFirstPage(owner);
    const show = async (session: Session, firstPage?: FirstPage): Promise<void> => {
      const { start } = await application;
      const keep = (page: FirstPage): void => owner && writeFirstPage(owner, page);
      running = start({ root, session, signIn, tokenParameter, firstPage, keep, onEnded: () => void ended() });
    };
    if (before) await show(before.session, before);
    const session = await current;
    if (before && JSON.stringify(session) === JSON.stringify(before.session)) return;
    running?.stop();
    await show(session);
  } catch (error) {
    if (error instanceof SignInEnded) return ended();
    // While the server does not answer, what the last visit showed remains.
    if (running && !(error instanceof Refused)) return;
    running?.stop();
    removeFirstPage();
    failed(signIn, error);
  }
};

const beginWithToken = (config: WebmailConfig): Promise<void> | void => {
  const [landing, pasted] = [tokenLanding(config), pastedToken()];
  if (location.pathname === webmailCallbackPath) return landing(words.signedOut);
  if (!pasted) return landing(words.welcome, here());
  return open(pasted.sessionUrl, config.webSocketTokenParameter, pastedTokenSignIn(pasted), landing);
};

const begin = async (): Promise<void> => {
  const response = await fetch(siteConfigPath);
  const config: WebmailConfig = await response.json();
  if (!config.signIn || config.sessionUrl === undefined) return beginWithToken(config);
  const signIn = createSignIn(config.signIn, location.origin);
  const landing = hostedLanding(signIn);
  // A page that is shown must not stay when the sign-in ends in another tab.
  signIn.onEnded(() => {
    running?.stop();
    location.assign(webmailCallbackPath);
  });
  if (location.pathname === webmailCallbackPath) {
    if (!new URLSearchParams(location.search).has('state')) return landing(words.signedOut);
    try {
      history.replaceState(null, '', await signIn.complete());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return landing({ title: words.notSignedIn, text: reason });
    }
  } else if (!(await signIn.isStored())) return landing(words.welcome, here());
  return open(config.sessionUrl, config.webSocketTokenParameter, signIn, landing);
};

begin().catch(() => show(words.failed, words.unreachable, [{ label: words.again, run: () => location.reload() }]));
