import './main.css';
import { siteConfigPath } from '../../../contract/deployment/site.ts';
import { parseJson } from '../../../contract/values/parse-json.ts';
import { sendEarly } from '../../api/send-call.ts';
import { overviewCalls } from '../../pages/overview/overview-calls.ts';
import { mayBeSignedIn, validToken } from '../../session/may-be-signed-in.ts';

// This file imports no library, so that all other files are requested as soon as it is there.

/** Reads the URLs of the deployment, unchecked. @throws Error when the document can't be read. */
const readConfig = async (): Promise<unknown> => {
  const response = await fetch(siteConfigPath, { cache: 'no-store' });
  if (!response.ok) throw new Error(`the settings of the console could not be read: status ${response.status}`);
  return parseJson(await response.text());
};

const config = readConfig();
// The gate reports it when the settings can't be read.
config.catch(() => undefined);
const app = import('./app.tsx');

// The first page can show what it reads as soon as it is loaded.
const token = window.location.pathname === '/' ? validToken() : undefined;
if (token !== undefined) sendEarly(Object.values(overviewCalls), token);

// The page is loaded while the settings and the sign-in are read. The gate and the router report it when that fails.
if (mayBeSignedIn(window.location)) {
  import('../signed-in.tsx').then(({ loadPage }) => loadPage(window.location.pathname)).catch(() => undefined);
}

/** Reports that the console can't start, also when none of its files can be loaded. */
const reportFailure = (error: unknown): void => {
  const message = document.createElement('p');
  message.textContent = `The console can’t be loaded: ${String(error)}. Load this page again.`;
  document.querySelector('.first-paint')?.append(message);
};

app.then(({ renderApp }) => renderApp(config)).catch(reportFailure);
