import { readFile, rename, writeFile } from 'node:fs/promises';
import { codeOf, messageOf } from '../../contract/values/thrown.ts';
import type { Person } from '../clients/hosted-sign-in.ts';
import { SandboxError } from '../process/sandbox-error.ts';

export type SandboxUser = Pick<Person, 'email' | 'password' | 'authenticator'> & {
  readonly userId: string;
  /** The user's account. Absent for a user without a mail account. */
  readonly accountId?: string;
  readonly isAdmin: boolean;
};
export type HeadlessClient = { readonly clientId: string; readonly clientSecretArn: string };

/** The content of `sandbox.json`: everything that tests and tools need to know about a running sandbox. */
export type SandboxDescription = {
  /** The stack's outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The web mail, a web origin. */
  readonly webmailUrl: string;
  /** The admin console, a web origin. */
  readonly consoleUrl: string;
  readonly adminApiUrl: string;
  readonly jmapUrl: string;
  readonly webSocketUrl: string;
  readonly authUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  /** Mail to other domains: a page for people, and `messages.json` for programs. */
  readonly outboxUrl: string;
  /**
   * URL of SES API v2 and AWS Service Quotas. Requests to it can also simulate decisions of AWS staff
   * (docs/sandbox.md#what-aws-decides).
   */
  readonly sesApiUrl: string;
  readonly serviceQuotasUrl: string;
  readonly region: string;
  readonly stackName: string;
  readonly users: readonly SandboxUser[];
  readonly clients: {
    readonly jmapHeadless: HeadlessClient;
    readonly adminHeadless: HeadlessClient;
    readonly console: { readonly clientId: string };
    readonly cli: { readonly clientId: string };
  };
  /** The endpoint of the stack's services for AWS SDKs; absent on AWS itself. */
  readonly awsEndpointUrl?: string;
  /** PEM file of the certificate to trust for `awsEndpointUrl` when it is https. */
  readonly caCertificate?: string;
  /**
   * PEM files of a certificate that the Lambdas trust, and of its key, for a Web Push receiver on this machine. Absent
   * on AWS itself.
   */
  readonly trusted?: { readonly certificate: string; readonly key: string };
};

/** Writes the description atomically, readable only by its owner (mode 0600). */
export const writeDescription = async (path: string, description: SandboxDescription): Promise<void> => {
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
};

/** The description of the sandbox that was last ready with this state directory, if any. */
export const findDescription = async (path: string): Promise<SandboxDescription | undefined> => {
  try {
    const description: SandboxDescription = JSON.parse(await readFile(path, 'utf8'));
    return description;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new SandboxError(`${path} cannot be read: ${messageOf(error)}`, 'Delete the state and start again: npm run sandbox -- reset');
  }
};
