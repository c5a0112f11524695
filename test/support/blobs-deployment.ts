import { createTransport } from 'nodemailer';
import { defaultQuota } from '../../contract/jmap/quota.ts';
import { accountBlobs } from '../../core/blobs/account-blobs.ts';
import { uploadedOctetsIn } from '../../core/blobs/uploaded-octets.ts';
import type { Principal, Role } from '../../core/directory/users/principals.ts';
import { emailIdOf, messageBlobId, messageKey, partBlobId } from '../../core/mail/email/blob-id.ts';
import { emailItem } from '../../core/mail/email/email-content.ts';
import { bodyLists } from '../../core/mime/body/body-lists.ts';
import { parseMessage } from '../../core/mime/parse-message.ts';
import type { AccessToken } from '../../core/runtime/http/access-token.ts';
import { jmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { downloadSlots } from '../../lambdas/downloads/download-slots.ts';
import { serveDownloads } from '../../lambdas/downloads/serve-downloads.ts';
import { serveUploads } from '../../lambdas/uploads/serve-uploads.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { downloadRequest, uploadRequest } from './blob-requests.ts';

const token = (principalId: string, ...scopes: string[]): AccessToken => ({
  principalId,
  isMachine: false,
  clientId: 'c',
  scopes: new Set(scopes),
  authenticatedAt: 0,
  expiresAt: 0,
});
const tokens: Record<string, AccessToken> = {
  alice: token('alice', 'jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE'),
  readOnly: token('alice', 'jmapApi/MAIL_READ'),
  reader: token('reader', 'jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE'),
  bob: token('bob', 'jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE'),
  member: token('member', 'jmapApi/MAIL_READ'),
  admin: token('alice', 'adminApi/ADMIN'),
  gone: token('gone', 'jmapApi/MAIL_READ'),
  unknown: token('unknown', 'jmapApi/MAIL_READ'),
};
const principal = (principalId: string, isActive: boolean, ...memberships: [string, Role][]): Principal => ({
  principalId,
  isMachine: false,
  isActive,
  isAdmin: false,
  username: principalId,
  memberships: memberships.map(([accountId, role]) => ({ accountId, role, accountName: accountId, isOwner: false, createdAt: '' })),
});
const principals: Record<string, Principal> = {
  alice: principal('alice', true, ['acc_alice', 'ADMIN']),
  reader: principal('reader', true, ['acc_alice', 'READ']),
  bob: principal('bob', true, ['acc_bob', 'WRITE']),
  member: principal('member', true, ['acc_alice', 'READ'], ['acc_bob', 'READ']),
  gone: principal('gone', false, ['acc_alice', 'ADMIN']),
};

/**
 * The uploads and downloads Lambdas over fakes. Alice has an account in which `reader` has the role READ, and Bob has another one. `gone`
 * is not active.
 */
export const blobsDeployment = () => {
  let now = new Date('2026-11-21T08:38:00Z');
  const objects = memoryObjects(() => now);
  const mailTable = memoryTable();
  const log = memoryLog();
  const shared = {
    gate: jmapGate(async (text) => tokens[text], 'https://jmap.example.test'),
    principals: { find: async ({ principalId }: AccessToken) => principals[principalId] },
    jmapUrl: 'https://jmap.example.test',
    log,
  };
  const handleUpload = serveUploads({ ...shared, objects, uploadedOctets: uploadedOctetsIn(mailTable, defaultQuota, () => now), clock: () => now });
  const handleDownload = serveDownloads({ ...shared, blobs: accountBlobs(mailTable, objects), slots: downloadSlots(mailTable, () => now, log) });

  const upload = (
    who: string | undefined,
    body: Buffer,
    { accountId = 'acc_alice', headers = {}, ...more }: { accountId?: string; headers?: Record<string, string>; method?: string; path?: string } = {},
  ) => handleUpload(uploadRequest(accountId, body, { ...(who && { Authorization: `Bearer ${who}` }), ...headers }, more));
  /** Begins a download, whose reader has taken nothing yet. */
  const beginDownload = (who: string | undefined, query: Record<string, string | undefined>, headers: Record<string, string> = {}, method = 'GET') =>
    handleDownload(
      downloadRequest(
        { accountId: 'acc_alice', type: 'application/octet-stream', name: 'file', ...query },
        { ...(who && { Authorization: `Bearer ${who}` }), ...headers },
        { method },
      ),
    );

  const download = async (...request: Parameters<typeof beginDownload>) => {
    const response = await beginDownload(...request);
    await response.release?.();
    return response;
  };

  /** Delivers a message with attachments to Alice's account. @returns the blob ids that Email/get returns. */
  const messageOf = async (attachments: { filename: string; content: Buffer; contentTransferEncoding?: 'base64' | '7bit' }[]) => {
    const { message } = await createTransport({ streamTransport: true, buffer: true, newline: 'windows' }).sendMail({
      from: 'x@elsewhere.test',
      to: 'alice@example.test',
      subject: 'Files',
      text: 'Grüße',
      attachments,
    });
    const raw = message as Buffer;
    const key = messageKey('acc_alice', 'ses-1');
    await objects.put(`messages/acc_alice/${key}`, raw);
    const { email } = parseMessage(raw);
    await mailTable.write([{ put: emailItem('acc_alice', { ...email, id: emailIdOf(key), blobId: messageBlobId(key) }) }]);
    const lists = bodyLists(email.bodyStructure);
    return {
      raw,
      key,
      blobId: messageBlobId(key),
      text: partBlobId(messageBlobId(key), lists.textBody[0]!)!,
      files: lists.attachments.map((part) => partBlobId(messageBlobId(key), part)!),
    };
  };

  return {
    objects,
    mailTable,
    log,
    upload,
    beginDownload,
    download,
    messageOf,
    now: () => now,
    /** Advances the clock. */
    later: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000);
    },
  };
};

export type BlobsDeployment = ReturnType<typeof blobsDeployment>;
