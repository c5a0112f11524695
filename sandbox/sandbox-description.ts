import { readFile, rename, writeFile } from 'node:fs/promises';
import { SandboxError } from './sandbox-error.ts';

export type SandboxUser = {
  readonly email: string;
  readonly password: string;
  readonly userId: string;
  /** Absent for somebody without a mail account of their own. */
  readonly accountId?: string;
  readonly isAdmin: boolean;
};
export type HeadlessClient = { readonly clientId: string; readonly clientSecretArn: string };

/** `sandbox.json`: the one thing that tests and tools read about a running sandbox. */
export type SandboxDescription = {
  /** The stack's outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly adminApiUrl: string;
  readonly jmapUrl: string;
  readonly webSocketUrl: string;
  readonly authUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  /** Mail that left the sandbox: a page for people, `messages.json` below it for programs. */
  readonly outboxUrl: string;
  /** SES API v2, and AWS Service Quotas; what people at AWS decide is decided there by hand (docs/sandbox.md). */
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
  /** Where an AWS SDK finds the stack's services; absent on AWS itself. */
  readonly awsEndpointUrl?: string;
  /** File with the certificate to trust for `awsEndpointUrl`, when that is https. */
  readonly caCertificate?: string;
  /** PEM files of a certificate that the Lambdas trust, and its key: what a receiver of Web Push on this machine needs. Absent on AWS itself. */
  readonly trusted?: { readonly certificate: string; readonly key: string };
};

/** Writes the description for its owner only (mode 0600), whole or not at all. */
export const writeDescription = async (path: string, description: SandboxDescription): Promise<void> => {
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
};

/** The description of the last sandbox that was ready here, if any. */
export const findDescription = async (path: string): Promise<SandboxDescription | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as SandboxDescription;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SandboxError(`${path} cannot be read: ${(error as Error).message}`, 'Begin anew: npm run sandbox -- reset');
  }
};
