import { lazy, Suspense, type ComponentType } from 'react';
import type { ConsoleConfig } from '../../../contract/deployment/console.ts';
import { PageLoading } from '../../session/page-loading.tsx';
import { SessionGate } from '../../session/session-gate.tsx';
import type { Session } from '../../session/session.ts';
import { StartFailed } from './start-failed.tsx';

export const loadSignedIn = () => import('../signed-in.tsx');

/** The console after sign-in. Loading its files fails after a newer version has replaced them. */
const SignedIn = lazy(async (): Promise<{ readonly default: ComponentType<{ readonly config: ConsoleConfig }> }> => ({
  default: await loadSignedIn().then(
    (loaded) => loaded.SignedIn,
    (error: Error) => () => <StartFailed error={error} />,
  ),
}));

export const App = ({ config, session }: { readonly config: ConsoleConfig; readonly session: Session }) => (
  <SessionGate session={session}>
    <Suspense fallback={<PageLoading />}>
      <SignedIn config={config} />
    </Suspense>
  </SessionGate>
);
