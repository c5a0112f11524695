import { join } from 'node:path';
import { siteFolder } from '../../contract/deployment/site.ts';
import { userPoolIssuer } from '../../contract/oauth/hosted-page.ts';
import { serveSite } from '../../core/runtime/http/serve-site.ts';
import { siteFilesIn } from '../../core/runtime/http/site-files.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { mfaSetting, optionalSetting, region, setting } from '../../core/runtime/lambda/settings.ts';
import { consoleSite } from './console-site.ts';

/** Serves the console's files. The build stores them next to this Lambda's bundle, which is a CommonJS file. */
export const handler = invoked(
  serveSite(
    consoleSite(siteFilesIn(join(__dirname, siteFolder)), {
      mailDomain: setting('mailDomain'),
      region: region(),
      adminApiUrl: setting('adminApiUrl'),
      jmapUrl: setting('jmapUrl'),
      webmailUrl: optionalSetting('webmailUrl'),
      authUrl: setting('authUrl'),
      issuer: userPoolIssuer(region(), setting('userPoolId')),
      clientId: setting('consoleClientId'),
      cliClientId: setting('cliClientId'),
      mfa: mfaSetting(),
    }),
  ),
);
