import * as z from 'zod';
import { mfaSettings } from '../oauth/oauth.ts';

/** The document at `siteConfigPath` that tells the console the URLs of its deployment. It contains no secret. URLs have no slash at the end. */
export const ConsoleConfig = z.object({
  /** The mail domain of the deployment. */
  mailDomain: z.string(),
  region: z.string(),
  adminApiUrl: z.url(),
  jmapUrl: z.url(),
  /** The web mail, where the deployment has it. */
  webmailUrl: z.url().optional(),
  /** Base URL of the hosted sign-in. */
  authUrl: z.url(),
  /** The issuer of ID tokens. */
  issuer: z.url(),
  /** The console's public OAuth client. */
  clientId: z.string().min(1),
  /** The public OAuth client of the command line. */
  cliClientId: z.string().min(1),
  mfa: z.enum(mfaSettings),
});
export type ConsoleConfig = z.output<typeof ConsoleConfig>;
