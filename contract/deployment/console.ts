import * as z from 'zod';
import { mfaSettings } from '../oauth/oauth.ts';

/** Path of the document that tells the console the URLs of its deployment. */
export const consoleConfigPath = '/config.json';

/** The document at {@link consoleConfigPath}. It contains no secret. URLs have no slash at the end. */
export const ConsoleConfig = z.object({
  /** The mail domain of the deployment. */
  mailDomain: z.string(),
  region: z.string(),
  adminApiUrl: z.url(),
  jmapUrl: z.url(),
  /** Base URL of the hosted sign-in. */
  authUrl: z.url(),
  /** The console's public OAuth client. */
  clientId: z.string().min(1),
  /** The public OAuth client of the command line. */
  cliClientId: z.string().min(1),
  mfa: z.enum(mfaSettings),
});
export type ConsoleConfig = z.output<typeof ConsoleConfig>;

/** The encodings of the files that the build writes, smallest first (RFC 9110 §8.4.1). */
export type ContentEncoding = 'br' | 'gzip';

/** The suffix of a file's name for each encoding. */
export const compressedExtensions: { readonly [Encoding in ContentEncoding]: string } = { br: '.br', gzip: '.gz' };

/** The folder of the console's files, next to the bundle of the Lambda that serves them. */
export const consoleSiteFolder = 'site';
