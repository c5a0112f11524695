import * as z from 'zod';
import { capability } from '../../contract/jmap/core.ts';
import { CliError, usageError } from '../terminal/cli-error.ts';

const CoreCapability = z.object({
  maxSizeUpload: z.number(),
  maxConcurrentUpload: z.number().min(1),
  maxSizeRequest: z.number(),
  maxConcurrentRequests: z.number().min(1),
  maxObjectsInGet: z.number().min(1),
  maxObjectsInSet: z.number().min(1),
});

/** The blob capability of an account (RFC 9404 §3.1). */
const BlobCapability = z.object({
  maxSizeBlobSet: z.number().nullable().default(null),
  maxDataSources: z.number().default(64),
  supportedDigestAlgorithms: z.array(z.string()).default([]),
});

const Account = z.object({ name: z.string(), isReadOnly: z.boolean(), accountCapabilities: z.record(z.string(), z.unknown()) });

const Session = z.object({
  capabilities: z.looseObject({ [capability.core]: CoreCapability }),
  accounts: z.record(z.string(), Account),
  primaryAccounts: z.record(z.string(), z.string()),
  apiUrl: z.string(),
  uploadUrl: z.string(),
  downloadUrl: z.string(),
});
export type Session = z.output<typeof Session>;

/** Parses a session. @throws CliError when the body is no JMAP session. */
export const parseSession = (body: unknown, url: string): Session => {
  const session = Session.safeParse(body).data;
  if (!session) throw new CliError(`${url} did not return a JMAP session`);
  return session;
};

export type MailSession = {
  readonly accountId: string;
  readonly accountName: string;
  readonly apiUrl: string;
  readonly uploadUrl: string;
  readonly downloadUrl: (blobId: string) => string;
  readonly limits: z.output<typeof CoreCapability>;
  /** The blob capability. Undefined when the server has no Blob methods (RFC 9404). */
  readonly blob: z.output<typeof BlobCapability> | undefined;
  readonly using: readonly string[];
};

/**
 * The account with this id or name, or the primary account for mail when none is named.
 * @throws CliError when there is no such account.
 */
const findAccount = ({ accounts, primaryAccounts }: Session, wanted: string | undefined): string => {
  const ids = Object.keys(accounts);
  const list = ids.map((id) => `${id} (${accounts[id]!.name})`).join(', ') || 'none';
  if (wanted === undefined) {
    const primary = primaryAccounts[capability.mail];
    if (primary === undefined) throw usageError(`you have no account of your own; give --account. Your accounts: ${list}`);
    return primary;
  }
  if (ids.includes(wanted)) return wanted;
  const named = ids.filter((id) => accounts[id]!.name.toLowerCase() === wanted.toLowerCase());
  if (named.length !== 1) {
    throw usageError(`${named.length === 0 ? 'there is no account' : 'several accounts are called'} ${wanted}. Your accounts: ${list}`);
  }
  return named[0]!;
};

/**
 * The session of an account. @throws CliError when the account does not exist, has no mail, or is read-only but must be
 * written.
 */
export const mailSession = (session: Session, wanted: string | undefined, { toWrite }: { readonly toWrite: boolean }): MailSession => {
  const accountId = findAccount(session, wanted);
  const { name, isReadOnly, accountCapabilities } = session.accounts[accountId]!;
  if (!(capability.mail in accountCapabilities)) throw usageError(`the account ${accountId} has no mail`);
  if (toWrite && isReadOnly) {
    throw new CliError(`you may only read the account ${accountId}: importing takes the role WRITE, and a token with MAIL_WRITE`);
  }
  const blob = accountCapabilities[capability.blob] ?? session.capabilities[capability.blob];
  return {
    accountId,
    accountName: name,
    apiUrl: session.apiUrl,
    uploadUrl: session.uploadUrl.replace('{accountId}', encodeURIComponent(accountId)),
    downloadUrl: (blobId) =>
      session.downloadUrl
        .replace('{accountId}', encodeURIComponent(accountId))
        .replace('{blobId}', encodeURIComponent(blobId))
        .replace('{type}', 'application%2Foctet-stream')
        .replace('{name}', 'message.eml'),
    limits: session.capabilities[capability.core],
    blob: blob === undefined ? undefined : BlobCapability.parse(blob),
    using: [
      capability.core,
      capability.mail,
      ...(blob === undefined ? [] : [capability.blob]),
      ...[capability.contacts, capability.submission].filter((each) => each in accountCapabilities),
    ],
  };
};
