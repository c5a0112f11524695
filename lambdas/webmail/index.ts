import { join } from 'node:path';
import { siteFolder } from '../../contract/deployment/site.ts';
import { serveSite } from '../../core/runtime/http/serve-site.ts';
import { siteFilesIn } from '../../core/runtime/http/site-files.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { webmailSite } from './webmail-site.ts';

/** Serves the web mail's files. The build stores them next to this Lambda's bundle, which is a CommonJS file. */
export const handler = invoked(
  serveSite(
    webmailSite(siteFilesIn(join(__dirname, siteFolder)), {
      jmapUrl: setting('jmapUrl'),
      uploadUrl: setting('uploadUrl'),
      downloadUrl: setting('downloadUrl'),
      webSocketUrl: setting('webSocketUrl'),
      authUrl: setting('authUrl'),
      clientId: setting('webmailClientId'),
    }),
  ),
);
