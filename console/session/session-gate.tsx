import { Box, Button, Container, Header, SpaceBetween } from '@cloudscape-design/components';
import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { consoleCallbackPath } from '../../contract/oauth/oauth.ts';
import { words } from '../words/words.ts';
import { accessStore } from './access-store.ts';
import { PageLoading } from './page-loading.tsx';
import type { Person, Session } from './session.ts';

type SignedIn = { readonly session: Session; readonly person: Person };

const SessionContext = createContext<SignedIn | undefined>(undefined);

export const useSession = (): SignedIn => {
  const value = useContext(SessionContext);
  if (!value) throw new Error('nobody is signed in');
  return value;
};

const Message = ({ title, text, action }: { readonly title: string; readonly text: string; readonly action: ReactNode }) => (
  <main>
    <Box margin="xxl">
      <Container header={<Header variant="h1">{title}</Header>}>
        <SpaceBetween size="m">
          <Box>{text}</Box>
          {action}
        </SpaceBetween>
      </Container>
    </Box>
  </main>
);

type State =
  | { readonly phase: 'starting' }
  | { readonly phase: 'signedOut' }
  | { readonly phase: 'completed' }
  | { readonly phase: 'signedIn'; readonly person: Person }
  | { readonly phase: 'failed'; readonly error: Error };

/**
 * Completes a sign-in at the callback path, or starts one.
 * @returns the person, `completed` in a sign-in window, or undefined while the browser leaves the page.
 */
const enter = async (session: Session, location: Location): Promise<Person | 'signedOut' | 'completed' | undefined> => {
  if (location.pathname === consoleCallbackPath) {
    if (!new URLSearchParams(location.search).has('state')) return 'signedOut';
    const returnTo = await session.complete();
    if (returnTo === undefined) return 'completed';
    window.history.replaceState(null, '', returnTo);
  }
  const person = await session.person();
  if (person) return person;
  await session.start(`${location.pathname}${location.search}${location.hash}`);
  return undefined;
};

/** Shows the console to a person who is signed in and is an admin. */
export const SessionGate = ({ session, children }: { readonly session: Session; readonly children: ReactNode }) => {
  const [state, setState] = useState<State>({ phase: 'starting' });
  const access = useSyncExternalStore(accessStore.subscribe, accessStore.get);
  useEffect(() => {
    enter(session, window.location).then(
      (person) => person !== undefined && setState(typeof person === 'string' ? { phase: person } : { phase: 'signedIn', person }),
      (error: Error) => setState({ phase: 'failed', error }),
    );
  }, [session]);
  useEffect(() => session.onEnded(() => setState({ phase: 'signedOut' })), [session]);
  if (state.phase === 'starting') return <PageLoading />;
  const signIn = (
    <Button variant="primary" onClick={() => void session.start('/')}>
      {words.signedOut.action}
    </Button>
  );
  if (state.phase === 'signedOut') return <Message title={words.signedOut.title} text={words.signedOut.text} action={signIn} />;
  // The window is closed, unless the browser forbids it. The tab that opened the window may be gone.
  if (state.phase === 'completed') return <Message title={words.signInAgain.completed} text={words.signInAgain.notClosed} action={signIn} />;
  if (state.phase === 'failed') return <Message title={words.signInAgain.failed} text={state.error.message} action={signIn} />;
  if (access === 'forbidden') {
    const { title, text, again, signOut } = words.forbidden;
    const actions = (
      <SpaceBetween direction="horizontal" size="xs">
        <Button onClick={() => window.location.reload()}>{again}</Button>
        <Button onClick={() => void session.end()}>{signOut}</Button>
      </SpaceBetween>
    );
    return <Message title={title} text={text} action={actions} />;
  }
  return <SessionContext value={{ session, person: state.person }}>{children}</SessionContext>;
};
