import './main.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { pageAt } from './app/pages.ts';
import { StartFailed } from './app/start-failed.tsx';
import { readConfig } from './config.ts';
import { createSession } from './session/session.ts';

const root = createRoot(document.querySelector('#root')!);

// The page is loaded while the settings and the sign-in are read. The router reports it when that fails.
pageAt(window.location.pathname)?.load().catch(() => undefined);

readConfig().then(
  (config) => root.render(<App config={config} session={createSession(config, window.location.origin)} />),
  (error: Error) => root.render(<StartFailed error={error} />),
);
