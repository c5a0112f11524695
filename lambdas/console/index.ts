import { join } from 'node:path';
import { consoleSiteFolder } from '../../contract/deployment/console.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { mfaSetting, region, setting } from '../../core/runtime/lambda/settings.ts';
import { serveConsole } from './serve-console.ts';
import { siteFilesIn } from './site-files.ts';

/** Serves the console's files. The build stores them next to this Lambda's bundle, which is a CommonJS file. */
export const handler = invoked(
  serveConsole({
    site: siteFilesIn(join(__dirname, consoleSiteFolder)),
    config: {
      mailDomain: setting('mailDomain'),
      region: region(),
      adminApiUrl: setting('adminApiUrl'),
      jmapUrl: setting('jmapUrl'),
      authUrl: setting('authUrl'),
      clientId: setting('consoleClientId'),
      cliClientId: setting('cliClientId'),
      mfa: mfaSetting(),
    },
  }),
);
