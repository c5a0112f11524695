import './main.css';
import { createRoot } from 'react-dom/client';
import { App, loadSignedIn } from './app.tsx';
import { StartFailed } from './start-failed.tsx';
import { readConfig } from './config.ts';
import { createSession, mayBeSignedIn } from '../../session/session.ts';

const root = createRoot(document.querySelector('#root')!);

// The page is loaded while the settings and the sign-in are read. The gate and the router report it when that fails.
if (mayBeSignedIn(window.location)) {
  loadSignedIn().then(({ loadPage }) => loadPage(window.location.pathname)).catch(() => undefined);
}

readConfig().then(
  (config) => root.render(<App config={config} session={createSession(config, window.location.origin)} />),
  (error: Error) => root.render(<StartFailed error={error} />),
);
