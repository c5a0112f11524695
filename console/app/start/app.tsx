import { lazy, Suspense, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import type { ConsoleConfig } from '../../../contract/deployment/console.ts';
import { PageLoading } from '../../session/page-loading.tsx';
import { SessionGate } from '../../session/session-gate.tsx';
import { createSession, type Session } from '../../session/session.ts';
import { checkConfig } from './check-config.ts';
import { StartFailed } from './start-failed.tsx';

const loadSignedIn = () => import('../signed-in.tsx');

/** The console after sign-in. Loading its files fails after a newer version has replaced them. */
const SignedIn = lazy(async (): Promise<{ readonly default: ComponentType<{ readonly config: ConsoleConfig }> }> => ({
  default: await loadSignedIn().then(
    (loaded) => loaded.SignedIn,
    (error: Error) => () => <StartFailed error={error} />,
  ),
}));

const App = ({ config, session }: { readonly config: ConsoleConfig; readonly session: Session }) => (
  <SessionGate session={session}>
    <Suspense fallback={<PageLoading />}>
      <SignedIn config={config} />
    </Suspense>
  </SessionGate>
);

/** Shows the console of a deployment, or why its settings can't be read or used. */
export const renderApp = async (settings: Promise<unknown>): Promise<void> => {
  const root = createRoot(document.querySelector('#root')!);
  try {
    const config = checkConfig(await settings);
    root.render(<App config={config} session={createSession(config, window.location.origin)} />);
  } catch (error) {
    root.render(<StartFailed error={error instanceof Error ? error : new Error(String(error))} />);
  }
};
