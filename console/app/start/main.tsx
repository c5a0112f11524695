import './main.css';
import { createRoot } from 'react-dom/client';
import { ConsoleConfig } from '../../../contract/deployment/console.ts';
import { siteConfigPath } from '../../../contract/deployment/site.ts';
import { createSession, mayBeSignedIn } from '../../session/session.ts';
import { App, loadSignedIn } from './app.tsx';
import { StartFailed } from './start-failed.tsx';

/** Reads the URLs of the deployment. @throws Error when the document can't be read. */
const readConfig = async (): Promise<ConsoleConfig> => {
  const response = await fetch(siteConfigPath, { cache: 'no-store' });
  if (!response.ok) throw new Error(`the settings of the console could not be read: status ${response.status}`);
  return ConsoleConfig.parse(await response.json());
};

const root = createRoot(document.querySelector('#root')!);

// The page is loaded while the settings and the sign-in are read. The gate and the router report it when that fails.
if (mayBeSignedIn(window.location)) {
  loadSignedIn()
    .then(({ loadPage }) => loadPage(window.location.pathname))
    .catch(() => undefined);
}

readConfig().then(
  (config) => root.render(<App config={config} session={createSession(config, window.location.origin)} />),
  (error: Error) => root.render(<StartFailed error={error} />),
);
